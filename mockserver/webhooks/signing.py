"""What a project's webhooks are signed with, and what arrives of them."""

from mockserver.state.api_keys import webhook_key
from mockserver.state.outbox import Delivery
from mockserver.state.project import Project
from mockserver.state.world import World


def key_of(world: World, project: Project) -> str:
    """What a project's webhooks are signed with."""
    return project.settings.webhook_secret or webhook_key(world.secret_key_of(project))


def sent_body(row: Delivery) -> bytes:
    """What arrives at the receiver: of a corrupted one not what was signed."""
    return f"{row.body} ".encode() if row.fate == "corrupted" else row.body.encode()
