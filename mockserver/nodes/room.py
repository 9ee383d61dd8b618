"""What the assembly plugs in: the operations, and WebSockets."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.types import Receive, Scope, Send

from mockserver.server.edge.app import App

if TYPE_CHECKING:
    from mockserver.nodes.sockets import Audiences

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


class _WebSockets:
    """Serves WebSockets. What does is imported on first use: few servers have any."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._audiences.serve(scope, receive, send)

    @cached_property
    def _audiences(self) -> "Audiences":
        from mockserver.nodes.sockets import Audiences

        return Audiences(self._app)


def plug_in(app: App) -> None:
    """Take WebSockets."""
    app.websockets = _WebSockets(app)
