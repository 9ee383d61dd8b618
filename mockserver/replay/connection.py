"""Requests on a connection to a server that may be any, and answers as they arrive there."""

import io
import select
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import orjson

from mockserver.launch.streams import complain
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.lines import encode_bytes
from mockserver.state.saved.encoding import Line

_TIMEOUT_S = 60.0
_MOST_BYTES = 256 * 1024 * 1024
_PIECE = 65_536
_EVENTS = "text/event-stream"

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
        # The answer before may have left little of its time.
        self._socket.settimeout(_TIMEOUT_S)
        self._socket.sendall(b"".join((start, lines, b"\r\n", body)))

    def is_readable(self, within_s: float) -> bool:
        """Whether something arrives within some seconds, such as the end of the connection."""
        return bool(select.select([self._socket], [], [], within_s)[0])

    def receive(self, within_s: float | None = _TIMEOUT_S) -> Line:
        """The answer, as recordings have it. A stream of events has no body.

        It has to be there within some seconds; without them each of its parts, as a slow one may be.
        """
        # It only asks a socket for its file.
        arriving = cast(socket.socket, _Arriving(self._socket, within_s))
        answer = HTTPResponse(arriving, method=self._method)
        try:
            answer.begin()
            headers = [[name.lower(), value] for name, value in answer.getheaders()]
            found: Line = {"status": answer.status, "headers": headers}
            is_endless = (answer.getheader("content-type") or "").startswith(_EVENTS)
            body = b"" if is_endless else _read_body(answer)
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


@contextmanager
def complaining_of(url: str, kind: str) -> Iterator[None]:
    """Complain of a server that does not answer, or answers other shapes, and go on after it."""
    try:
        yield
    except OSError as error:
        complain(f"{url} does not answer as a {kind} does: {error}")
    except (LookupError, AttributeError, TypeError, ValueError):
        complain(f"{url} does not answer as a {kind} does: it is another server")


class Asked(NamedTuple):
    """What a server answered that was asked one thing."""

    status: int
    headers: Mapping[str, str]
    text: str

    def json(self) -> Any:
        """The body as a JSON value. ValueError."""
        return orjson.loads(self.text)


def ask(
    url: str, method: str, path: str, headers: Mapping[str, str], given: Mapping[str, object] | None = None
) -> Asked:
    """Ask a server one thing, on a connection of its own. OSError."""
    address = Address(url)
    body = b"" if given is None else orjson.dumps(given)
    framing = {"host": address.authority, "connection": "close", "content-length": str(len(body))}
    if body:
        framing["content-type"] = "application/json"
    lines = [(name.encode(), value.encode()) for name, value in {**framing, **headers}.items()]
    with closing(Connection(address)) as connection:
        connection.send(method, address.path + path, lines, body)
        answer = connection.receive()
    return Asked(answer["status"], dict(answer["headers"]), str(answer.get("body", "")))


class _Arriving(io.RawIOBase):
    """What arrives on a socket, within bounds: an answer without end is an OSError."""

    def __init__(self, connection: socket.socket, within_s: float | None) -> None:
        self._socket, self._within_s = connection, within_s
        self._now_ms = Ticker().real_ms
        self._began_ms, self._bytes = self._now_ms(), 0

    def makefile(self, mode: str) -> io.BufferedReader:
        """See `socket.socket`."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """See `io.IOBase`."""
        return True

    def readinto(self, buffer: Any) -> int:
        """See `io.RawIOBase`."""
        try:
            self._socket.settimeout(self._left_s())
            count = self._socket.recv_into(buffer)
        except TimeoutError:
            raise TimeoutError(f"no whole answer in {self._within_s or _TIMEOUT_S:g} s") from None
        self._bytes += count
        if self._bytes > _MOST_BYTES:
            raise OSError(f"its answer has more than {_MOST_BYTES} bytes")
        return count

    def _left_s(self) -> float:
        if self._within_s is None:
            return _TIMEOUT_S
        left_s = self._within_s - (self._now_ms() - self._began_ms) / 1000
        if left_s <= 0:
            raise TimeoutError
        return left_s


def _read_body(answer: HTTPResponse) -> bytes:
    # In pieces: for a whole body as much memory is taken as the server says that it has.
    body = b"".join(iter(lambda: answer.read(_PIECE), b""))
    if answer.length:
        raise OSError(f"its answer breaks off {answer.length} bytes before its end")
    return body
