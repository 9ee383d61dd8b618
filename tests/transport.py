"""An httpx transport that answers in the same thread, without a socket."""

import asyncio

import httpx

from mockserver.api.call import Request
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App, is_ready
from mockserver.server.edge.reading import read_request
from mockserver.testing.transports.in_process import scope_of


class InProcessTransport(httpx.BaseTransport):
    """Hands requests straight to the pipeline, as ASGI would, at a fraction of a socket's cost.

    With a ticking clock an answer that waits really waits; nothing else is answered meanwhile. For one
    thread only: what several threads share goes through `CrossLoopTransport`.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        response = self._respond(read_request(scope_of(request), request.read()))
        return httpx.Response(response.status, headers=list(response.headers), content=response.body)

    def _respond(self, request: Request) -> Response:
        outcome = self._app.pipeline.answer(request)
        if is_ready(outcome):
            return outcome
        return asyncio.run(self._app.finish_in_process(outcome))
