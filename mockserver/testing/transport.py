"""In-process transports to a server that runs on another thread's event loop."""

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import Future
from typing import Any

import httpx
from starlette.types import Receive, Scope, Send

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import Outcome
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App, is_ready
from mockserver.server.edge.reading import read_request

__tracebackhide__ = True


class CrossLoopApp:
    """An ASGI application whose requests are answered on the server's own event loop.

    For callers that run on asyncio.
    """

    def __init__(self, app: App, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        parts = [await receive()]
        while parts[-1].get("more_body"):
            parts.append(await receive())
        sent: list[Any] = []

        async def replay() -> MutableMapping[str, Any]:
            return parts.pop(0)

        async def note(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        answered = asyncio.run_coroutine_threadsafe(self._app(scope, replay, note), self._loop)
        await asyncio.wrap_future(answered)
        for message in sent:
            await send(message)


class CrossLoopTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for both kinds of clients of httpx, whose requests the server's own event loop answers.

    A fault raises what httpx raises when a connection breaks so, and an answer that takes longer than the
    client waits for data raises ReadTimeout, as over HTTP.
    """

    def __init__(self, app: App, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        request.read()
        if "origin" in request.headers:
            return asyncio.run_coroutine_threadsafe(self._ask_as_page(request), self._loop).result()
        answered: Future[Outcome] = Future()
        self._loop.call_soon_threadsafe(self._answer, request, answered)
        outcome = answered.result()
        # A task costs as much as the rest, so create one only if the answer has to wait.
        if is_ready(outcome):
            return _to_httpx(outcome)
        waiting = self._app.hand_over(outcome, _patience_s(request))
        return _to_httpx(asyncio.run_coroutine_threadsafe(waiting, self._loop).result())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.AsyncBaseTransport`."""
        await request.aread()
        ask = self._ask_as_page if "origin" in request.headers else self._ask
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(ask(request), self._loop))

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        outcome = self._app.answer(_read(request))
        return _to_httpx(await self._app.hand_over(outcome, _patience_s(request)))

    async def _ask_as_page(self, request: httpx.Request) -> httpx.Response:
        """Ask with an origin, by ASGI: CORS is a middleware."""
        response = await httpx.ASGITransport(self._app).handle_async_request(request)
        body = b"".join([part async for part in response.aiter_raw()])
        return httpx.Response(response.status_code, headers=response.headers, content=body)

    def _answer(self, request: httpx.Request, answered: "Future[Outcome]") -> None:
        try:
            answered.set_result(self._app.answer(_read(request)))
        except BaseException as error:
            answered.set_exception(error)


def _read(request: httpx.Request) -> Request:
    return read_request(scope_of(request), request.content)


def _patience_s(request: httpx.Request) -> float | None:
    """For how many seconds a client waits for data."""
    seconds: float | None = request.extensions.get("timeout", {}).get("read")
    return seconds


def _to_httpx(response: Response) -> httpx.Response:
    return httpx.Response(response.status, headers=list(response.headers), content=response.body)


async def _live(receive: Receive, send: Send) -> None:
    """Answer the lifespan protocol without effect: the server outlives this client."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def scope_of(request: httpx.Request) -> Scope:
    """The ASGI scope of a request."""
    path, _, query = request.url.raw_path.decode().partition("?")
    return {
        "type": "http",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 0),
    }
