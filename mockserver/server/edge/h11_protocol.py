"""uvicorn's HTTP protocol in Python, for where httptools is not installed. It has bounds of its own."""

from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from mockserver.server.edge.faults import connection_extension


class ReachableH11Protocol(H11Protocol):
    """Gives the application the transport, on which faults break a connection."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        app = self.app

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            scope["extensions"] = connection_extension(self.transport)
            await app(scope, receive, send)

        self.app = call

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing: an offer of another protocol is ignored, as RFC 9110, 7.8 allows."""
