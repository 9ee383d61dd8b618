"""uvicorn's HTTP protocol in Python, for where httptools is not installed. It has bounds of its own."""

import re
from typing import Any

import h11
from h11._receivebuffer import ReceiveBuffer
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from mockserver.server.edge.faults import connection_extension
from mockserver.server.edge.sending import Application

_BARE_OR_FOLDED = re.compile(rb"(?<!\r)\n|\r\n[ \t]")
_REQUEST_LINE = re.compile(
    rb"(\S+ )(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s]+(?=/))?([/*][^\s#]*)(?:#\S*)?( \S+)"
)
_FRAMING = (b"content-length", b"transfer-encoding")


class ReachableH11Protocol(H11Protocol):
    """Gives the application the transport, on which faults break a connection.

    It takes and refuses what httptools does.
    """

    def __init__(self, application: Application, **given: Any) -> None:
        super().__init__(**given)
        self._application = application
        self.conn._receive_buffer = _StrictBuffer(self.conn)
        app = self.app

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            scope["extensions"] = connection_extension(self.transport)
            await app(scope, receive, send)

        self.app = call

    def _should_upgrade_to_ws(self) -> bool:
        return self._application.takes_websocket(self.scope["path"])

    def _unsupported_upgrade_warning(self) -> None:
        """Nothing: an offer of another protocol is ignored, as RFC 9110, 7.8 allows."""


class _StrictBuffer(ReceiveBuffer):
    """Refuses what h11 is lenient about, as others read it otherwise and so take one request for two.

    That is lines that end without CR, folded headers (RFC 9112, 2.2 and 5.2), and a length that is said twice
    (6.3). Of a target in absolute form (3.2.2) it gives h11 the path.
    """

    def __init__(self, connection: h11.Connection) -> None:
        super().__init__()
        self._connection = connection

    def maybe_extract_next_line(self) -> bytearray | None:
        """See `ReceiveBuffer`: the head of a chunk."""
        line = super().maybe_extract_next_line()
        _check_ends(bytes(self if line is None else line))
        return line

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """See `ReceiveBuffer`: the head of a request, or its trailers."""
        is_head = self._connection.their_state is h11.IDLE
        if is_head and self._data[:2] == b"\r\n":
            self.maybe_extract_at_most(2)
        before = bytes(self)
        lines = super().maybe_extract_lines()
        if lines is None:
            return None
        _check_ends(before[: len(before) - len(self)])
        if lines and is_head:
            asked = _REQUEST_LINE.fullmatch(lines[0])
            if asked is None:
                raise h11.RemoteProtocolError("illegal request line")
            lines[0] = bytearray(b"".join(asked.groups()))
            _check_framing(lines[1:])
        return lines


def _check_ends(raw: bytes) -> None:
    if _BARE_OR_FOLDED.search(raw):
        raise h11.RemoteProtocolError("a line ends without CR, or is folded")


def _check_framing(headers: list[bytearray]) -> None:
    framing = [
        value for name, _, value in (line.partition(b":") for line in headers) if name.lower() in _FRAMING
    ]
    if len(framing) > 1 or any(b"," in value for value in framing):
        raise h11.RemoteProtocolError("the length of the body is said twice")
