"""Raw bytes to a server, for requests that no HTTP client would send."""

import socket
from collections.abc import Iterable
from typing import NamedTuple

from httpx import URL

PATIENCE_S = 20.0


class Answer(NamedTuple):
    """What came back: status 0 when the server hung up without an answer."""

    status: int
    head: str
    body: bytes


def exchange(url: str, pieces: Iterable[bytes]) -> Answer:
    """Send bytes, piece by piece, until the server hangs up; then read what it answered."""
    address = URL(url)
    with socket.create_connection((address.host, address.port), timeout=PATIENCE_S) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return _read(connection)


def _read(connection: socket.socket) -> Answer:
    received = b""
    try:
        while b"\r\n\r\n" not in received and (part := connection.recv(65_536)):
            received += part
        head, _, body = received.partition(b"\r\n\r\n")
        while len(body) < _length(head) and (part := connection.recv(65_536)):
            body += part
    except ConnectionResetError:
        return Answer(0, "", b"")
    text = head.decode("latin-1")
    return Answer(int(text.split(" ")[1]) if text else 0, text.lower(), body)


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0
