"""uvicorn's HTTP protocol, with a bound on what is read before the application is asked."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import httptools
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mockserver import errors
from mockserver.api.family import family_of
from mockserver.errors import ApiError
from mockserver.server.answering.render import Response, error_response
from mockserver.server.answering.spoilt import head_lines
from mockserver.server.edge.faults import connection_extension
from mockserver.server.edge.sending import Application

_LINGER_S = 2.0
"""How long a refused client may go on sending. Hanging up at once would reset its connection, and it would
never read the answer (as in nginx, `lingering_close`)."""

_MOST_TURNS = 64
"""So many requests of one connection are answered before others have their turn."""

_MANY_CONNECTIONS = 8
"""With so many connections, what all have sent is parsed before the first request is answered.

Code that runs many times in turn is still in the caches of the processor. With fewer, another turn of the
event loop would cost more than that saves.
"""


class BoundedProtocol(HttpToolsProtocol):
    """Refuses a head, trailers or chunk extensions without end, which the parser would collect in memory.

    A request whose head is complete is checked by the application: here only what it never gets to see.

    An offer of another protocol (`Upgrade`) is ignored, as RFC 9110, 7.8 allows, and the request answered,
    unless it is WebSocket where the application takes that.
    """

    def __init__(self, app: Application, **given: Any) -> None:
        super().__init__(**given)
        self._application = app
        self._most_unreported = app.limits.max_head_bytes
        self._extensions: dict[str, Any] = {}
        self._unreported = 0
        """How many bytes the parser has taken since it last reported a head or a part of a body."""
        self._ends: Callable[[], None] | None = None
        """What answers the request that is refused, which is the last one to be read."""
        self._is_in_head = False
        """Whether the parser reports a head, whose request uvicorn would start at once."""
        self._coming: RequestResponseCycle | None = None
        """The request whose head has come, and which is answered once it has come whole."""
        self._whole: RequestResponseCycle | None = None
        """The request that has come whole, and is answered in the next turn of the event loop."""
        self._turns = 0
        """How many requests may be answered before the event loop goes on."""
        self._idle_since_s: float | None = None
        """When the last answer was sent, by the event loop's clock; None once another request begins."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._extensions = connection_extension(transport)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        if self._ends is not None:
            return
        self._unreported += len(data)
        self._turns = _MOST_TURNS
        try:
            self._parse(data)
            if self._coming is not None:
                # Its body is still to come, for which the application waits.
                super()._start_asgi_task(self._coming, self.app)
                self._coming = None
        except httptools.HttpParserError:
            message = "Invalid HTTP request received."
            self.logger.warning(message)
            self._end(lambda: self.send_400_response(message))
        if self._unreported > self._most_unreported and self._ends is None:
            self._end(self._refuse)

    def on_message_begin(self) -> None:
        """See `HttpToolsProtocol`."""
        self._idle_since_s = None
        # uvicorn queues what comes behind a request without an answer, and drops it when the client hangs up.
        if self._whole is not None:
            self._answer_whole()
        HttpToolsProtocol.on_message_begin(self)

    def on_headers_complete(self) -> None:
        """See `HttpToolsProtocol`."""
        self.scope["extensions"] = self._extensions
        # Again, as an earlier request may have been answered since it began.
        self._idle_since_s = None
        self._is_in_head = True
        # Not by super(): this runs for each request, and making its object takes longer than all of this.
        HttpToolsProtocol.on_headers_complete(self)
        self._is_in_head = False
        self._unreported = 0
        # The parser reports trailers like headers. Those of the request are in its scope; a trailer may
        # not be a credential or change how the body is read (RFC 9110, 6.5.1), so they are dropped.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """See `HttpToolsProtocol`."""
        self._unreported = 0
        HttpToolsProtocol.on_body(self, body)

    def on_message_complete(self) -> None:
        """See `HttpToolsProtocol`."""
        HttpToolsProtocol.on_message_complete(self)
        cycle, self._coming = self._coming, None
        if cycle is None:
            return
        self._turns -= 1
        if len(self.connections) < _MANY_CONNECTIONS:
            self._answer(cycle)
        else:
            self._whole = cycle
            self.loop.call_soon(self._answer_whole)

    def on_response_complete(self) -> None:
        """See `HttpToolsProtocol`, which would set another timer after each answer, for a tenth of a read."""
        self._idle_since_s = self.loop.time()
        if self.pipeline or self.timeout_keep_alive_task is None:
            HttpToolsProtocol.on_response_complete(self)
        else:
            self.flow.resume_reading()
        if self._ends is not None:
            self._hang_up()

    def timeout_keep_alive_handler(self) -> None:
        """See `HttpToolsProtocol`. Hang up, or look again when no request will have come for long enough."""
        idle_s, self.timeout_keep_alive_task = self._idle_since_s, None
        if idle_s is None:
            return
        due_s = idle_s + self.timeout_keep_alive
        if self.loop.time() < due_s:
            self.timeout_keep_alive_task = self.loop.call_at(due_s, self.timeout_keep_alive_handler)
        else:
            super().timeout_keep_alive_handler()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        """See `HttpToolsProtocol`, which calls it for a head, and when the turn of a request has come.

        Most requests come whole, and are answered at once: a task for each would take a tenth of the time.
        """
        if self._is_in_head:
            self._coming = cycle
        else:
            super()._start_asgi_task(cycle, app)

    def _answer_whole(self) -> None:
        """Answer the request that has come whole, unless it is answered."""
        cycle, self._whole = self._whole, None
        if cycle is not None:
            self._answer(cycle)

    def _owes_another_answer(self) -> bool:
        """Whether the next answer is to a request that has come whole, and not to what is being parsed."""
        cycle = self.cycle
        return bool(self.pipeline) or not (cycle is None or cycle.response_complete or cycle.more_body)

    def _answer(self, cycle: RequestResponseCycle) -> None:
        """Answer a request that has come whole, at once if that can be."""
        app: Any = self.app
        try:
            if self._turns:
                app = self._application.answer_at_once(cycle)
        except Exception as error:
            # uvicorn reports it, and answers with 500.
            app = partial(_fail, error)
        if app is not None:
            super()._start_asgi_task(cycle, app)

    def _parse(self, data: bytes | memoryview) -> None:
        # A loop: a client may send a thousand offers at once.
        while data:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                if self._may_open_websocket():
                    self.handle_websocket_upgrade()
                elif self._should_upgrade():
                    data = memoryview(data)[offer.args[0] :]
                    self._ignore_offer()
                    continue
            return

    def _should_upgrade(self) -> bool:
        """Whether the parser takes what follows the head for another protocol, so that uvicorn is to wait.

        A tunnel (CONNECT) is no offer: the application refuses it.
        """
        return bool(self.parser.get_method() != b"CONNECT")

    def _may_open_websocket(self) -> bool:
        """Whether one is offered, the application takes it here, and owes no answer to an earlier request."""
        offered = dict(self.scope["headers"]).get(b"upgrade", b"").lower()
        if offered != b"websocket":
            return False
        path = self.url.partition(b"?")[0].decode("latin-1")
        return not self._owes_another_answer() and self._application.takes_websocket(path)

    def _ignore_offer(self) -> None:
        """Parse the head of a request anew, without the option `upgrade` of its connection."""
        version = self.parser.get_http_version().encode()
        line = b"%b %b HTTP/%b\r\n" % (self.parser.get_method(), self.url, version)
        headers = [(name, _without_upgrade(name, value)) for name, value in self.scope["headers"]]
        # One that met an upgrade reads no more.
        self.parser = httptools.HttpRequestParser(self)
        self.parser.feed_data(b"".join((line, *(b"%b: %b\r\n" % header for header in headers), b"\r\n")))

    def shutdown(self) -> None:
        """See `HttpToolsProtocol`. A request whose body has not come yet may never be whole: hang up."""
        cycle = self.cycle
        if cycle is not None and cycle.more_body and not cycle.response_complete:
            self.transport.close()
        else:
            super().shutdown()

    def _end(self, answer: Callable[[], None]) -> None:
        """Read no more, and hang up."""
        self._ends = answer
        self._hang_up()

    def _hang_up(self) -> None:
        """Answer what is refused, once no other answer is owed."""
        if self._ends is not None and not self.transport.is_closing() and not self._owes_another_answer():
            self._ends()

    def _refuse(self) -> None:
        """Answer 414 or 431 and hang up; hang up at once within a request."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.close()
            return
        self.transport.write(_bytes_of(self._refusal()))
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.loop.call_later(_LINGER_S, self.transport.close)

    def _refusal(self) -> Response:
        limits = self._application.limits
        if len(self.url) > limits.max_url_bytes:
            error = ApiError(errors.URL_TOO_LONG, limit=limits.max_url_bytes)
        else:
            error = ApiError(errors.HEADERS_TOO_LARGE, limit=limits.max_header_bytes)
        return error_response(error, family_of(self.url.decode("latin-1")))


async def _fail(error: Exception, scope: Scope, receive: Receive, send: Send) -> NoReturn:
    raise error


def _without_upgrade(name: bytes, value: bytes) -> bytes:
    if name != b"connection":
        return value
    options = [option.strip() for option in value.split(b",")]
    # Alone, because uvicorn 0.30 looks for a header that says only that.
    if any(option.lower() == b"close" for option in options):
        return b"close"
    return b", ".join(option for option in options if option.lower() != b"upgrade")


def _bytes_of(response: Response) -> bytes:
    """A response that ends its connection, as it is sent."""
    length = str(len(response.body)).encode()
    headers = (*response.headers, (b"content-length", length), (b"connection", b"close"))
    return b"%b\r\n%b" % (head_lines(response.status, headers), response.body)
