"""Recorded requests on a connection, and answers as they arrive there."""

import select
import socket
import ssl
from collections.abc import Iterable
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

from mockserver.replay.comparison import Difference, compare_answers
from mockserver.server.recording.lines import encode_bytes
from mockserver.state.saved.encoding import Line

_TIMEOUT_S = 60.0
_PIECE = 65_536
_EVENTS = "text/event-stream"
_NEVER_SENT = "timeout"
"""The fault whose answer may never come: the connection ends when the client leaves."""

Headers = Iterable[tuple[bytes, bytes]]


class Address:
    """Where a server is reached; a ValueError says why a URL is none."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is no URL of a server, such as http://127.0.0.1:4242")
        self.scheme = parts.scheme
        self.path = parts.path.rstrip("/")
        """What comes before the paths of requests."""
        self.authority = parts.netloc.rpartition("@")[2]
        self._place = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)

    def connect(self) -> socket.socket:
        """A new connection. OSError."""
        plain = socket.create_connection(self._place, timeout=_TIMEOUT_S)
        # Small requests are sent at once.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.scheme == "http":
            return plain
        return ssl.create_default_context().wrap_socket(plain, server_hostname=self._place[0])


class Connection:
    """One connection to a server, with at most one request on it. OSError from any method."""

    def __init__(self, address: Address) -> None:
        self._socket = address.connect()
        self._method = ""
        self.is_open = True
        """Whether another request may be sent."""

    def send(self, method: str, target: str, headers: Headers, body: bytes) -> None:
        """Send a request. The headers say how the body is framed."""
        self._method = method
        given = list(headers)
        lines = b"".join(b"%b: %b\r\n" % header for header in given)
        if any(name.lower() == b"transfer-encoding" for name, _ in given):
            body = (b"%x\r\n%b\r\n" % (len(body), body) if body else b"") + b"0\r\n\r\n"
        start = f"{method} {target} HTTP/1.1\r\n".encode("latin-1")
        self._socket.sendall(b"".join((start, lines, b"\r\n", body)))

    def is_readable(self, within_s: float) -> bool:
        """Whether something arrives within some seconds, such as the end of the connection."""
        return bool(select.select([self._socket], [], [], within_s)[0])

    def receive(self) -> Line:
        """The answer, as recordings have it. An endless one has no body."""
        answer = HTTPResponse(self._socket, method=self._method)
        try:
            answer.begin()
            headers = [[name.lower(), value] for name, value in answer.getheaders()]
            found: Line = {"status": answer.status, "headers": headers}
            is_endless = (answer.getheader("content-type") or "").startswith(_EVENTS)
            body = b"" if is_endless else answer.read()
            self.is_open = not (is_endless or answer.will_close)
        except HTTPException as error:
            raise OSError(f"it answers no HTTP: {error!r}") from None
        finally:
            answer.close()
        return found | {"body": encode_bytes(body)} if body else found

    def receive_all(self) -> bytes:
        """What arrives until the connection ends."""
        self.is_open = False
        parts = []
        try:
            while part := self._socket.recv(_PIECE):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)

    def close(self) -> None:
        """End the connection."""
        self.is_open = False
        self._socket.close()


def compare_sent(request: Line, recorded: Line, made: Line, connection: Connection) -> list[Difference]:
    """What differs between a recorded answer and the one that arrives, which the server says it made."""
    if recorded.get("fault") != made.get("fault") or made.get("fault") == _NEVER_SENT:
        connection.close()
        return []
    if recorded.get("sent") is not None:
        arrived = encode_bytes(connection.receive_all())
        return [] if arrived == recorded["sent"] else [Difference("sent", recorded["sent"], arrived)]
    try:
        answer = connection.receive()
    except OSError as error:
        connection.close()
        return [Difference("answer", recorded["status"], f"none: {error}")]
    plain = {name: value for name, value in recorded.items() if name in ("status", "headers", "body")}
    answer["headers"] = _without_cors(answer["headers"], recorded["headers"])
    return list(compare_answers(request["path"], plain, answer))


def _without_cors(headers: list[list[str]], recorded: list[list[str]]) -> list[list[str]]:
    """The headers without those of CORS, which an answer to a page gets when it is sent."""
    own = {name for name, _ in recorded}
    vary = [value for name, value in recorded if name == "vary"]
    found = []
    for name, value in headers:
        if name == "vary" and value.endswith("Origin") and value not in vary:
            value = value.removesuffix("Origin").removesuffix(", ")
        if (name in own or not name.startswith("access-control-")) and (name != "vary" or value):
            found.append([name, value])
    return found
