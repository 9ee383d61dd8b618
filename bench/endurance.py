"""A long load over many projects: what is answered with 5xx, how memory grows, how long the slowest take."""

import itertools
import selectors
import time
from array import array
from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

from bench.load import Connection, get, post
from bench.requests import contract
from bench.servers import LogTarget, Server, mock_server

SAMPLES = 10
"""How often memory is looked at."""


class Endured(NamedTuple):
    """What a server did under a long load: times in milliseconds."""

    log: LogTarget
    statuses: Counter[int]
    per_second: float
    memory_mb: list[float]
    """What it held after each tenth of the requests."""
    median_ms: float
    p999_ms: float

    @property
    def failures(self) -> int:
        """How many answers were 5xx."""
        return sum(count for status, count in self.statuses.items() if status >= 500)


def measure(log: LogTarget, *, requests: int, projects: int, connections: int, rate: float | None) -> Endured:
    """Send so many requests; without a rate each connection sends its next as soon as it is answered."""
    memory_mb = []
    with mock_server(log) as server:
        load = _Load(server, _mixed(projects), connections, rate)
        began = time.perf_counter()
        for _ in range(SAMPLES):
            load.send(requests // SAMPLES)
            memory_mb.append(server.memory_mb())
        seconds = time.perf_counter() - began
        load.close()
    # What happens once, such as opening the projects, is no part of the times.
    took = sorted(load.took[len(load.took) // SAMPLES :])
    median_ms, p999_ms = (took[len(took) * share // 1000] * 1000 for share in (500, 999))
    return Endured(log, load.statuses, load.statuses.total() / seconds, memory_mb, median_ms, p999_ms)


class _Load:
    """Connections that send what is due. A time counts from when its request was due, sent or not."""

    def __init__(
        self, server: Server, requests: Iterator[bytes], connections: int, rate: float | None
    ) -> None:
        self.took = array("d")
        self.statuses: Counter[int] = Counter()
        self._requests = requests
        self._interval_s = 1 / rate if rate else 0.0
        self._idle = deque(Connection(server.port) for _ in range(connections))
        self._selector = selectors.DefaultSelector()
        for connection in self._idle:
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    def send(self, count: int) -> None:
        """Send so many requests, and take their answers."""
        due_at = time.perf_counter()
        sent = answered = 0
        while answered < count:
            while self._idle and sent < count and due_at <= time.perf_counter():
                connection = self._idle.popleft()
                connection.send(next(self._requests))
                if self._interval_s:
                    connection.sent_at = due_at
                    due_at += self._interval_s
                sent += 1
            # It sleeps, and does not ask again and again as the rates do: it lasts for long.
            is_due_later = self._idle and sent < count
            answered += self._receive(max(0.0, due_at - time.perf_counter()) if is_due_later else None)

    def close(self) -> None:
        """Close the connections."""
        self._selector.close()
        for connection in self._idle:
            connection.socket.close()

    def _receive(self, patience_s: float | None) -> int:
        answered = 0
        for key, _ in self._selector.select(patience_s):
            connection: Connection = key.data
            if connection.receive():
                self.took.append(time.perf_counter() - connection.sent_at)
                self.statuses[int(connection.answer[9:12])] += 1
                self._idle.append(connection)
                answered += 1
        return answered


def _mixed(projects: int) -> Iterator[bytes]:
    """Requests of one project after the other: reads, writes and refusals, of which few rows come.

    A contract has the same address every time, so that only the first is made: rows that a test makes take
    memory, and would hide what else does.
    """
    keys = [f"sk_test_endurance{number}" for number in range(projects)]
    sign_in = b'{"email":"ada@example.com","password":"not the password"}'
    kinds = [
        [get("/v1/contracts", key) for key in keys],
        [post("/v1/contracts", key, contract(1)) for key in keys],
        [get("/v2/accounts?limit=10", key) for key in keys],
        [get("/v1/contracts/con_unknown", key) for key in keys],
        [post("/v1/contracts", key, b'{"name":') for key in keys],
        [post("/iam/v2/auth/sign-in/email", key, sign_in) for key in keys],
        [post("/v2/policies/evaluate", key, b'{"operation":"signEvmHash"}') for key in keys],
        [get("/v2/transactions?limit=0", key) for key in keys],
        [get("/_mock/projects/-/journal?limit=3&order=desc", key) for key in keys],
        [get("/iam/v2/auth/get-session", key) for key in keys],
    ]
    return itertools.cycle([request for kind in kinds for request in kind])
