"""A load from one thread: keep-alive connections that each send the next request when answered."""

import os
import selectors
import socket
import time
from collections.abc import Iterator
from typing import NamedTuple

# With a core of its own the load asks again and again instead of sleeping, because waking it up would be
# a cost to the server, and to a slow server more often than to a fast one.
_PATIENCE_S = 0 if (os.cpu_count() or 1) > 1 else None


class Measured(NamedTuple):
    """What a load found: answers a second, and how long they took in milliseconds."""

    per_second: float
    median_ms: float
    p99_ms: float


def get(path: str, key: str) -> bytes:
    """A GET as it travels."""
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n\r\n".encode()


def post(path: str, key: str, body: bytes) -> bytes:
    """A POST of JSON as it travels."""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Connection:
    """A socket, the moment its request left, and what has come back so far."""

    __slots__ = ("answer", "sent_at", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answer = b""
        self.sent_at = 0.0

    def send(self, request: bytes) -> None:
        """Send a request, and begin its time."""
        self.answer = b""
        self.sent_at = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bool:
        """Take what came; whether the answer is whole."""
        part = self.socket.recv(262_144)
        if not part:
            raise ConnectionError("the server closed the connection")
        self.answer += part
        head, separator, body = self.answer.partition(b"\r\n\r\n")
        if not separator:
            return False
        place = head.lower().index(b"content-length:") + 15
        return len(body) >= int(head[place:].split(b"\r\n", 1)[0])


def run(
    port: int, requests: Iterator[bytes], *, connections: int, seconds: float, at_most: int = 10**9
) -> Measured:
    """Send requests for so long, or so many; an answer that is not 2xx is a RuntimeError that shows it."""
    selector = selectors.DefaultSelector()
    took: list[float] = []
    opened = [Connection(port) for _ in range(connections)]
    for connection in opened:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(next(requests))
    begin = time.perf_counter()
    end = begin + seconds
    while (now := time.perf_counter()) < end and len(took) < at_most:
        for key, _ in selector.select(_PATIENCE_S):
            connection = key.data
            if not connection.receive():
                continue
            took.append(time.perf_counter() - connection.sent_at)
            if not connection.answer.startswith(b"HTTP/1.1 20"):
                raise RuntimeError(connection.answer.decode())
            connection.send(next(requests))
    for connection in opened:
        connection.socket.close()
    took.sort()
    return Measured(
        len(took) / (now - begin), took[len(took) // 2] * 1000, took[len(took) * 99 // 100] * 1000
    )
