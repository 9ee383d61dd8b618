"""In-process transports to a server that runs on another thread's event loop."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, MutableMapping
from concurrent.futures import Future
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import Any, TypeVar

import h11
import httpx
from sniffio import current_async_library
from starlette.types import Receive, Scope, Send

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import Outcome
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App, is_ready
from mockserver.server.edge.reading import path_of, read_request
from mockserver.server.edge.sending import head_of, send_response

__tracebackhide__ = True

T = TypeVar("T")


class ServerLoop:
    """The event loop of a server on another thread, as far as calls need it.

    ConnectError of httpx when nothing runs there any more: a call would wait without an end.

    A signal may end a call anywhere, as that of pytest-timeout does, and a lock stays taken that Python code
    takes and gives back, as in a Future. What both threads use at a time is made in C, which is ended whole.
    In Python 3.14 `with` may lose a lock of C, too: the thread that has signals can take it again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._is_over = False

    def use(self, ask: Callable[[asyncio.AbstractEventLoop], T]) -> T:
        """Ask something of the loop, which is held open meanwhile."""
        if self.is_elsewhere:
            raise httpx.ConnectError("The server is in the process that forked this one: call its URL")
        with self._lock:
            if self._is_over:
                raise httpx.ConnectError("The server was stopped")
            return ask(self._loop)

    def run(self, make: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """What comes of a coroutine there, which is made only if it runs."""
        return self.use(lambda loop: asyncio.run_coroutine_threadsafe(make(), loop))

    def wait(self, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The same for who waits on this thread."""
        ended: SimpleQueue[asyncio.Task[T]] = SimpleQueue()
        task: asyncio.Task[T] | None = None

        def begin() -> None:
            nonlocal task  # The loop itself does not keep it.
            task = self._loop.create_task(make())
            task.add_done_callback(ended.put)

        self.use(lambda loop: loop.call_soon_threadsafe(begin))
        return ended.get().result()

    @property
    def is_elsewhere(self) -> bool:
        """Whether this process was forked: it has no thread but the one that forked it."""
        return os.getpid() != self._process

    def end(self) -> None:
        """Let nothing more be asked."""
        with self._lock:
            self._is_over = True


class CrossLoopApp:
    """An ASGI application whose requests are answered on the server's own event loop."""

    def __init__(self, app: App, loop: ServerLoop) -> None:
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
            return parts.pop(0) if parts else {"type": "http.disconnect"}

        async def note(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await _wait_for(self._loop.run(partial(self._app, scope, replay, note)))
        for message in sent:
            await send(message)


class CrossLoopTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for both kinds of clients of httpx, whose requests the server's own event loop answers.

    A fault raises what httpx raises when a connection breaks so, an answer that takes longer than the client
    waits for data raises ReadTimeout, and a request that HTTP cannot carry LocalProtocolError, as over HTTP.
    """

    def __init__(self, app: App, loop: ServerLoop) -> None:
        self._app = app
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.BaseTransport`."""
        request.read()
        _check(request)
        if "origin" in request.headers:
            return self._loop.wait(partial(self._ask_as_page, request))
        ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self._loop.use(lambda loop: loop.call_soon_threadsafe(self._answer, request, ended))
        outcome = ended.get().result()
        # A task costs as much as the rest, so create one only if the answer has to wait.
        if is_ready(outcome):
            return _to_httpx(request, outcome)
        wait = partial(self._app.finish_in_process, outcome, _patience_s(request))
        return _to_httpx(request, self._loop.wait(wait))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """See `httpx.AsyncBaseTransport`."""
        await request.aread()
        _check(request)
        ask = self._ask_as_page if "origin" in request.headers else self._ask
        return await _wait_for(self._loop.run(partial(ask, request)))

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        return _to_httpx(request, await self._find_response(request))

    async def _find_response(self, request: httpx.Request) -> Response:
        return await self._app.finish_in_process(self._app.take(_read(request)), _patience_s(request))

    async def _ask_as_page(self, request: httpx.Request) -> httpx.Response:
        """Ask with an origin, by ASGI: CORS is a middleware."""

        async def respond(scope: Scope, receive: Receive, send: Send) -> None:
            await send_response(await self._find_response(request), send, request.method == "HEAD")

        app = self._app.with_cors(path_of(scope_of(request)), respond)
        response = await httpx.ASGITransport(app).handle_async_request(request)
        body = b"".join([part async for part in response.aiter_raw()])
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))

    def _answer(self, request: httpx.Request, ended: "SimpleQueue[Future[Outcome]]") -> None:
        answered: Future[Outcome] = Future()
        try:
            answered.set_result(self._app.take(_read(request)))
        except BaseException as error:
            answered.set_exception(error)
        ended.put(answered)


async def _wait_for(answered: Future[T]) -> T:
    """What comes of a future, on asyncio and on trio."""
    if current_async_library() == "asyncio":
        return await asyncio.wrap_future(answered)
    import trio

    is_there, token = trio.Event(), trio.lowlevel.current_trio_token()
    answered.add_done_callback(lambda _: token.run_sync_soon(is_there.set))
    try:
        await is_there.wait()
        return answered.result()
    finally:
        answered.cancel()


def _read(request: httpx.Request) -> Request:
    return read_request(scope_of(request), request.content)


def _patience_s(request: httpx.Request) -> float | None:
    """For how many seconds a client waits for data."""
    seconds: float | None = request.extensions.get("timeout", {}).get("read")
    return seconds


def _to_httpx(request: httpx.Request, response: Response) -> httpx.Response:
    # Not as content, which is read and decoded at once: a client may stream it.
    head, stream = head_of(response, request.method == "HEAD"), httpx.ByteStream(response.body)
    return httpx.Response(response.status, headers=head["headers"], stream=stream)


def _check(request: httpx.Request) -> None:
    """LocalProtocolError for what a client of HTTP refuses to send, such as a key with an end of a line."""
    length = _check_head(request.method, request.url.raw_path, tuple(request.headers.raw))
    if length is not None and length != len(request.content):
        much = "little" if length > len(request.content) else "much"
        raise h11.LocalProtocolError(f"Too {much} data for declared Content-Length")


@lru_cache(maxsize=64)
def _check_head(method: str, target: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> int | None:
    """The stated length of a body, if any. Clients send the same heads again and again."""
    try:
        head = h11.Request(method=method, target=target, headers=[*headers])
    except h11.LocalProtocolError as error:
        raise httpx.LocalProtocolError(str(error)) from error
    return next((int(value) for name, value in head.headers if name == b"content-length"), None)


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
