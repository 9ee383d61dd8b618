"""A listening socket and the HTTP server behind it."""

import asyncio
import logging
import socket
import ssl
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from importlib.util import find_spec, module_from_spec
from types import FrameType
from typing import Any

from mockserver.server.edge.log import ServerLog
from mockserver.server.edge.sending import Application


def _put_off(name: str) -> None:
    """Let modules of a package be imported, and run the package itself when it is asked for something."""
    spec = find_spec(name)
    if name in sys.modules or spec is None or spec.loader is None:
        return
    package, loader = module_from_spec(spec), spec.loader

    def run(attribute: str) -> object:
        if vars(package).pop("__getattr__", None) is not None:
            loader.exec_module(package)
        return getattr(package, attribute)

    vars(package)["__getattr__"] = run
    sys.modules[name] = package


# Its package imports its command line, which takes longer than the parts that serve.
_put_off("uvicorn")

import uvicorn  # noqa: E402
from uvicorn.config import Config  # noqa: E402
from uvicorn.server import Server  # noqa: E402

# Its modules ask the package for this one.
vars(uvicorn)["Config"] = Config

_GRACE_S = 0.6
"""How long running requests have: orchestrators, and people, expect a server to end within a second."""
_HEAD_START_S = 0.01
"""How long health checks are answered before start-up blocks the event loop."""
_KEEP_ALIVE_S = 75
_LOOK_S = 0.1
"""How often a server that ends looks for the signal that ends it at once."""
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def bind(host: str, port: int) -> socket.socket:
    """Bind and listen; port 0 takes a free one. OSError when the address is not available.

    Connections queue from here on, so a client that is early waits instead of being refused.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.create_server(address[:2], family=family)
    # Connections have this from the socket that they were accepted by. asyncio leaves it out, and an answer
    # whose head and body are sent apart would wait for an acknowledgement, which clients put off.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def url_of(listener: socket.socket, scheme: str = "http") -> str:
    """The URL under which a client on this machine reaches a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://{url_host(_LOOPBACK.get(host, host))}:{port}"


def url_host(host: str) -> str:
    """A host as URLs spell it: IPv6 in brackets (RFC 3986)."""
    return f"[{host}]" if ":" in host else host


class Stopped(BaseException):
    """A signal that ends the server came while it was starting."""


class LogHandler(logging.Handler):
    """Passes what libraries log, such as the HTTP server's warnings, to the server's log."""

    def __init__(self, log: ServerLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        self._log.write_event(record.levelname.lower(), self.format(record))


class Listener(Server):
    """uvicorn with its fast implementations, without the features that a test double does not need.

    Once it listens, it calls `on_listening`, which starts the application. An exception of that ends
    the server, and `run` raises it. SIGTERM and SIGINT end it gracefully: running requests get part of
    a second, and the signal is not raised again. Within `on_listening` they raise `Stopped`.

    `on_signal` may take a signal, and answers whether it did. Requests are answered until `on_end` is done,
    or until a second signal comes. With `tls` the server answers TLS only.

    It ends at once when `should_exit` is set, by any thread, and no connection is open: uvicorn looks ten
    times a second whether it is, and then waits for another tenth.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _is_to_exit = False

    def __init__(
        self,
        app: Application,
        on_listening: Callable[[], None],
        *,
        tls: ssl.SSLContext | None = None,
        on_signal: Callable[[int], bool] | None = None,
        on_end: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        super().__init__(
            Config(
                app,
                http=_http_protocol(app),
                h11_max_incomplete_event_size=app.limits.max_head_bytes,
                # Called like a class.
                ws=open_websocket,  # type: ignore[arg-type]
                ws_max_size=app.limits.max_body_bytes,
                # It would take 300 KB of each connection, most of which stays when that ends.
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                date_header=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_S,
            )
        )
        self.config.load()
        # Declared as a whole number, but used as a time.
        self.config.timeout_graceful_shutdown = _GRACE_S  # type: ignore[assignment]
        # uvicorn would read a certificate from files only.
        self.config.ssl = tls
        self._app = app
        self._on_signal = on_signal
        self._on_listening = on_listening
        self._on_end = on_end
        self._failure: BaseException | None = None
        self._starting = False

    @property
    def should_exit(self) -> bool:
        """Whether the server is to end."""
        return self._is_to_exit

    @should_exit.setter
    def should_exit(self, value: bool) -> None:
        self._is_to_exit = value
        if value and self._loop is not None:
            # A signal may have come while the loop sleeps.
            self._loop.call_soon_threadsafe(self._ended.set)

    def fail(self, error: BaseException) -> None:
        """End, and let `run` raise an error."""
        self._failure = error
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        await super().startup(sockets)
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._loop.call_later(_HEAD_START_S, self._open)

    async def main_loop(self) -> None:
        """See `uvicorn.Server`, whose ticks do more than this only with options that are not used here."""
        await self.on_tick(0)
        await self._ended.wait()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        await super().serve(sockets)
        if self._failure is not None and not isinstance(self._failure, Stopped):
            raise self._failure

    def _open(self) -> None:
        if self.should_exit:
            return
        self._starting = True
        try:
            self._on_listening()
        except BaseException as error:
            self.fail(error)
        finally:
            self._starting = False

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        if self._on_end is not None and self._failure is None:
            ending = asyncio.ensure_future(self._on_end())
            while not (ending.done() or self.force_exit):
                await asyncio.wait({ending}, timeout=_LOOK_S)
            ending.cancel()
        self._app.close()
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)
            return
        for each in (*self.servers, *(sockets or ())):
            each.close()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Shut down gracefully at the first signal, at once at the second."""
        if self._on_signal is not None and self._on_signal(sig):
            return
        self.force_exit = self.should_exit
        self.should_exit = True
        if self._starting:
            # Start-up keeps the event loop busy: nothing else would end it.
            raise Stopped


def open_websocket(**given: Any) -> asyncio.Protocol:
    """What uvicorn makes for a connection that becomes a WebSocket: few servers have any."""
    from mockserver.server.edge.socket_protocol import PatientSocketProtocol

    return PatientSocketProtocol(**given)


def _http_protocol(app: Application) -> Any:
    """What uvicorn reads HTTP with: httptools where it is installed, or else h11, which has bounds."""
    try:
        from mockserver.server.edge.http_protocol import BoundedProtocol
    except ImportError:
        from mockserver.server.edge.h11_protocol import ReachableH11Protocol

        return partial(ReachableH11Protocol, app)
    return partial(BoundedProtocol, app)
