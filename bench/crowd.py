"""A read alone, and among requests that wait and of clients that send a byte at a time."""

import itertools
import selectors
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

from bench.load import Connection, get, post
from bench.requests import contract
from bench.servers import Server, mock_server

_READER = "sk_test_reader"
_WAITING = "sk_test_waiting"
_TRICKLE_S = 1.0
"""How long each slow client takes for its next byte."""


class Crowded(NamedTuple):
    """How long a read took, in milliseconds, and what else was open."""

    waits: int
    slow: int
    median_ms: float
    p99_ms: float


def measure(waits: int, slow: int, reads: int) -> Iterator[Crowded]:
    """Reads of a project: alone, beside waits of another project and slow connections, and alone again."""
    with mock_server() as server:
        reader = Connection(server.port)
        _exchange(reader, post("/v1/contracts", _READER, contract(1)))
        yield _time_reads(reader, reads, [])
        with ExitStack() as opened:
            slow_ones = [_open(opened, server) for _ in range(slow)]
            waiting = [_open(opened, server) for _ in range(waits)]
            for number, connection in enumerate(waiting):
                path = f"/_mock/projects/-/journal?wait=300&path=/never/{number}"
                connection.socket.sendall(get(path, _WAITING))
            yield _time_reads(reader, reads, slow_ones)._replace(waits=waits)
            _check_unanswered([*waiting, *slow_ones])
        yield _time_reads(reader, reads, [])
        reader.socket.close()


def _open(opened: ExitStack, server: Server) -> Connection:
    connection = Connection(server.port)
    opened.callback(connection.socket.close)
    return connection


def _time_reads(reader: Connection, reads: int, slow: list[Connection]) -> Crowded:
    """Read again and again; in between the slow clients send what is due of an endless header."""
    for connection in slow:
        connection.socket.sendall(b"GET / HTTP/1.1\r\nx-slow: ")
    turns = itertools.cycle(slow)
    took = []
    due_at = time.perf_counter()
    for _ in range(reads):
        if slow and due_at <= time.perf_counter():
            next(turns).socket.sendall(b"x")
            due_at += _TRICKLE_S / len(slow)
        began = time.perf_counter()
        _exchange(reader, get("/v1/contracts?limit=1", _READER))
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return Crowded(0, len(slow), took[reads // 2], took[reads * 99 // 100])


def _exchange(connection: Connection, request: bytes) -> None:
    connection.send(request)
    while not connection.receive():
        pass
    if not connection.answer.startswith(b"HTTP/1.1 20"):
        raise RuntimeError(connection.answer.decode())


def _check_unanswered(connections: list[Connection]) -> None:
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ)
        if answered := len(selector.select(0)):
            raise RuntimeError(f"{answered} connections did not stay open while others read")
