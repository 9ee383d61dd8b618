"""Answering before start-up is over."""

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

_ALWAYS_ANSWERED = ("/_mock/health", "/_mock/ready")


class Gate:
    """An application that answers whether it is alive and ready at once, and all else once it is open.

    So whoever starts a server and asks for its health need not wait for the scenarios, and no request
    sees a project before they are in.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._opened = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._opened.is_set() and scope["type"] == "http" and scope["path"] not in _ALWAYS_ANSWERED:
            await self._opened.wait()
        await self._app(scope, receive, send)

    def open(self) -> None:
        """Answer everything from now on."""
        self._opened.set()
