"""A server inside the test process: one world, one thread that answers, as many ways in as wanted."""

import asyncio
import threading
from collections.abc import Coroutine, MutableMapping
from concurrent.futures import Future
from typing import Any, Self, TypeVar

import httpx
from starlette.types import Receive, Scope, Send

from mockserver.api.call import Request
from mockserver.server.app import App
from mockserver.server.assembly import assemble
from mockserver.server.pipeline import Pending
from mockserver.server.render import Response
from mockserver.server.ticker import Ticker
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.transport import scope_of

T = TypeVar("T")
_START_LIMIT_S = 30


class LiveServer:
    """A world that is served in process and, once somebody asks for `url`, over HTTP.

    A world is no place for two threads: a request is answered from beginning to end before the next
    one is looked at. So one thread runs one event loop, and whatever comes in is answered there,
    whether it came through a socket, through `transport` from any thread, or through `asgi` from
    somebody else's event loop. That needs no lock, and an answer that waits holds up nobody: the
    request it waits for may come in by any of the three ways.

    `world` is for looking at while nothing is being answered; to change something, use `control`.
    """

    def __init__(self, world: World | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.world = world or World(real_ms=Ticker().real_ms)
        self._address = (host, port)
        self._app = assemble(self.world)
        self._loop = _new_loop()
        self._thread = threading.Thread(target=self._run, name="mockserver", daemon=True)
        self._thread.start()
        self._url: str | None = None
        self._listening = threading.Lock()
        self._stop_listening = _nothing
        self.asgi = Handover(self._app, self._loop)
        """The application, for `httpx.ASGITransport` and the like."""
        self.transport = HandoverTransport(self._app, self._loop)
        """A transport for `httpx.Client`, without a socket."""
        self.control = MockServer(lambda: self.url, transport=self.transport)
        """The server's own API."""

    @property
    def url(self) -> str:
        """Where it listens; it begins to listen when this is first asked for."""
        with self._listening:
            if self._url is None:
                self._url = self._listen()
            return self._url

    def stop(self) -> None:
        """Stop listening and answering; again is nothing."""
        if self._loop.is_closed():
            return
        self.control.close()
        self._wait_for(self._stop_listening())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _listen(self) -> str:
        # uvicorn takes a tenth of a second to import, which tests without HTTP need not pay.
        from mockserver.server.listening import Listener, bind, url_of

        listener = bind(*self._address)
        ready = threading.Event()
        server = Listener(self._app, ready.set)
        serving = asyncio.run_coroutine_threadsafe(server.serve([listener]), self._loop)

        async def stop() -> None:
            server.should_exit = True
            await asyncio.wrap_future(serving)

        self._stop_listening = stop
        if not ready.wait(_START_LIMIT_S):
            raise TimeoutError("the server did not start")
        return url_of(listener)

    def _wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class Handover:
    """An ASGI application whose requests are answered on the server's own event loop.

    For callers that run on asyncio.
    """

    def __init__(self, app: App, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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


class HandoverTransport(httpx.BaseTransport):
    """An httpx transport whose requests are answered on the server's own event loop."""

    def __init__(self, app: App, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        asked = self._app.read(scope_of(request), request.read())
        answered: Future[Response | Pending] = Future()
        self._loop.call_soon_threadsafe(self._answer, asked, answered)
        outcome = answered.result()
        # A task costs as much as all of this, so there is one only where there is something to wait for.
        if isinstance(outcome, Pending) or outcome.delay_ms:
            outcome = asyncio.run_coroutine_threadsafe(self._finish(outcome), self._loop).result()
        return httpx.Response(outcome.status, headers=list(outcome.headers), content=outcome.body)

    def _answer(self, request: Request, answered: "Future[Response | Pending]") -> None:
        try:
            answered.set_result(self._app.pipeline.answer(request))
        except BaseException as error:
            answered.set_exception(error)
        self._app.wake()

    async def _finish(self, outcome: Response | Pending) -> Response:
        response = await self._app.finish(outcome)
        self._app.wake()
        return response


async def _nothing() -> None:
    return


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
