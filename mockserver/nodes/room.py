"""What the assembly plugs in: the operations, and WebSockets."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.server.edge.app import App

if TYPE_CHECKING:
    from mockserver.nodes.sockets import Audiences

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Take WebSockets."""

    @cache
    def find_audiences() -> "Audiences":
        # Imported on first use: few servers have any.
        from mockserver.nodes.sockets import Audiences

        return Audiences(app)

    app.websockets = lambda scope, receive, send: find_audiences().serve(scope, receive, send)
