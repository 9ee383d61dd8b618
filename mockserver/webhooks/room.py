"""What the assembly plugs in: the operations, and what follows the projects of a server."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.kernel.timers import Timer
from mockserver.kernel.undo import Change
from mockserver.server.answering.server import Server
from mockserver.server.edge.app import App
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.webhooks.following import Webhooks

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Follow the projects of an application's world."""
    room, histories = Room(app), app.pipeline.world.histories
    histories.follower = room
    histories.timer_handlers["delivery"] = room.on_timer


class Room:
    """Follows projects that have subscriptions; for the others nothing is imported. See `Follower`."""

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def server(self) -> Server:
        """What all calls to the server share."""
        return self._app.pipeline.server

    @cached_property
    def _webhooks(self) -> "Webhooks":
        from mockserver.webhooks.following import Webhooks

        return Webhooks(self._app)

    def on_commit(self, project: Project, changes: Sequence[Change]) -> None:
        """See `Follower`."""
        self._webhooks.on_commit(project, changes)

    def on_timer(self, project: Project, timer: Timer) -> tuple[str, str] | None:
        """Send the delivery whose timer it is."""
        return self._webhooks.on_timer(project, timer)
