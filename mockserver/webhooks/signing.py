"""The signature of webhooks, as the official clients verify it."""

import hashlib
import hmac

from mockserver.state.api_keys import webhook_key
from mockserver.state.outbox import Delivery
from mockserver.state.project import Project
from mockserver.state.world import World

SIGNATURE_HEADER = "openfort-signature"


def key_of(world: World, project: Project) -> str:
    """What a project's webhooks are signed with."""
    return project.settings.webhook_secret or webhook_key(world.secret_key_of(project))


def sign(key: str, body: bytes) -> str:
    """The signature of a body: 64 hexadecimal digits."""
    return hmac.new(key.encode(), body, hashlib.sha256).hexdigest()


def sent_body(row: Delivery) -> bytes:
    """What arrives at the receiver: of a corrupted one not what was signed."""
    return f"{row.body} ".encode() if row.fate == "corrupted" else row.body.encode()
