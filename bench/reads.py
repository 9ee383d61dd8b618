"""How many reads a server answers beside something that may slow them, and without it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import repeat
from statistics import median
from typing import NamedTuple

from bench.load import get, run
from bench.servers import Server, mock_server

_CONNECTIONS = 16
_CONTRACT = {"name": "T", "chainId": 80002, "address": "0x5FbDB2315678afecb367f032d93F642f64180aa3"}


Beside = Callable[[], AbstractContextManager[None]]
"""Begins what reads are compared beside, and ends it."""


class Rate(NamedTuple):
    """How many reads a second of processor time there are beside something, as a share of those without."""

    per_second: float
    share: float


class Reads(NamedTuple):
    """A server, and the read that is asked of it."""

    server: Server
    request: bytes

    def compare(self, beside: Beside, rounds: int, seconds: float) -> Rate:
        """The rate of reads beside something. Rounds take turns, so that a busy machine slows both."""
        pairs = []
        for _ in range(rounds):
            without = self._rate(seconds)
            with beside():
                pairs.append((without, self._rate(seconds)))
        return Rate(median(rate for _, rate in pairs), median(rate / none for none, rate in pairs))

    def _rate(self, seconds: float) -> float:
        """Reads per second of the server's processor time."""
        before_s = self.server.cpu_s()
        measured = run(self.server.port, repeat(self.request), connections=_CONNECTIONS, seconds=seconds)
        return measured.per_second * seconds / (self.server.cpu_s() - before_s)


@contextmanager
def contract_reads() -> Iterator[Reads]:
    """A server with a contract, and reading it."""
    with mock_server() as server:
        with server.client() as client:
            created = client.post("/v1/contracts", json=_CONTRACT).raise_for_status().json()
        yield Reads(server, get(f"/v1/contracts/{created['id']}", server.key))
