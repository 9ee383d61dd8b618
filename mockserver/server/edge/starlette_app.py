"""The application as a Starlette application, for any ASGI server and for `Mount`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from mockserver.server.edge.app import App


class StarletteApp(Starlette):
    """A Starlette application with a lifespan, middleware and `state`.

    `state.world` is the world that it serves. Requests bypass Starlette's router and error middleware,
    which would take a fifth of a read: the application has its own. Added middleware runs before it.
    """

    def __init__(self, app: App) -> None:
        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            app.start()
            app.open()
            try:
                yield
            finally:
                app.close()
                app.log.close()

        super().__init__(lifespan=lifespan)
        self.state.world = app.pipeline.world
        self._app = app

    def build_middleware_stack(self) -> ASGIApp:
        """See `Starlette`: the middleware that was added, and nothing else before the application."""
        if self.routes:
            raise RuntimeError("the mock server has its own routes: mount it in an application beside yours")
        stack: ASGIApp = self._dispatch
        for middleware, args, kwargs in reversed(self.user_middleware):
            stack = middleware(stack, *args, **kwargs)
        return stack

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.router if scope["type"] == "lifespan" else self._app)(scope, receive, send)
