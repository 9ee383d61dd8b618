"""A server in the test process: one world, one thread, reachable by socket, transport and ASGI."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.assembly import assemble
from mockserver.server.edge.ticker import Ticker
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.imports import keep_imports, keep_imports_of_this_thread
from mockserver.testing.transports.in_process import CrossLoopApp, CrossLoopTransport, ServerLoop

__tracebackhide__ = True

T = TypeVar("T")
_START_LIMIT_S = 30


class LiveServer:
    """A world that is served in process and, once `url` is used, over HTTP.

    A world is not thread-safe: handlers run to completion one after the other. So all requests are
    answered on one thread with one event loop, whether they come through a socket, through `transport`
    from any thread, or through `asgi` from another event loop. That needs no lock, and a waiting answer
    blocks no other request: the one that it waits for may come in any of the three ways.

    Only read `world`, and only while no request is being answered; use `control` to change it.

    A `host` beyond loopback needs a `control_token` for what other machines ask of the control API.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        control_token: str | None = None,
    ) -> None:
        self.world = World(real_ms=Ticker().real_ms) if world is None else world
        self._address = (host, port)
        self.app = assemble(self.world, control=ControlAccess(token=control_token))
        self._loop = _new_loop()
        self._thread = threading.Thread(target=self._run, name="mockserver", daemon=True)
        self._thread.start()
        self._url: str | None = None
        self._listening = threading.Lock()
        self._stop_listening = _nothing
        self._server_loop = ServerLoop(self._loop)
        self.asgi = CrossLoopApp(self.app, self._server_loop)
        """The application, for `httpx.ASGITransport` and the like."""
        self.transport = CrossLoopTransport(self.app, self._server_loop)
        """A transport for `httpx.Client` and `httpx.AsyncClient`, without a socket."""
        self.control = MockServer(lambda: self.url, transport=self.transport, control_token=control_token)
        """A client of the control API."""

    @property
    def url(self) -> str:
        """The base URL; the server starts to listen when it is first used."""
        with self._listening:
            if self._url is None:
                self._url = self._listen()
            return self._url

    def start_recording(self, file: Path) -> None:
        """Record every call in a file from now on, masked. ApiError for what `Recordings.start` refuses."""
        self._run_there(lambda: self.app.recordings.start(file, masked=True))

    def stop_recording(self, *, is_kept: bool = True) -> None:
        """End the recording and close its file; of one that is kept, every line is looked at once more."""
        self._run_there(lambda: self.app.recordings.close(is_kept=is_kept))

    @property
    def recorded_exchanges(self) -> int:
        """How many requests the recording has."""
        return self.app.recordings.status().exchanges

    def stop(self) -> None:
        """Stop the server, idempotently. A process that was forked leaves it alone."""
        if self._loop.is_closed() or self._server_loop.is_elsewhere:
            return
        self.control.close()
        self._server_loop.end()
        self._run_there(self.app.close)
        self._wait_for(self._stop_listening())
        self._wait_for(_end_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        keep_imports_of_this_thread()
        with keep_imports():
            try:
                self._loop.run_forever()
            finally:
                self._loop.close()

    def _listen(self) -> str:
        # Imported on first use: uvicorn takes a tenth of a second, and many tests need no socket.
        from mockserver.server.edge.listening import Listener, bind, url_of

        listener = bind(*self._address)
        ready = threading.Event()
        server = Listener(self.app, ready.set)
        serving = asyncio.run_coroutine_threadsafe(server.serve([listener]), self._loop)

        async def stop() -> None:
            server.should_exit = True
            await asyncio.wrap_future(serving)

        self._stop_listening = stop
        if not ready.wait(_START_LIMIT_S):
            raise TimeoutError("the server did not start")
        return url_of(listener)

    def _run_there(self, make: Callable[[], object]) -> None:
        """Call a function on the server's thread, between two requests."""

        async def run() -> None:
            make()

        self._wait_for(run())

    def _wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _end_tasks() -> None:
    """End what still runs, such as a webhook to a slow receiver: closing uvloop's loop would wait for it."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _nothing() -> None:
    return


def _new_loop() -> asyncio.AbstractEventLoop:
    # uvloop keeps the class of sockets that it finds when it is imported, and pytest-socket replaces that.
    current = socket.socket
    library = getattr(current, "__module__", "").partition(".")[0]
    if library in ("gevent", "eventlet"):
        raise RuntimeError(
            f"{library} has replaced sockets and threads, so a server in this process would wait forever:"
            " use one in another process"
        )
    own = (each for each in getattr(current, "__mro__", ()) if each.__module__ == "socket")
    socket.socket = next(own, current)  # type: ignore[misc]
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    finally:
        socket.socket = current  # type: ignore[misc]
    return uvloop.new_event_loop()
