"""What a page that is looked at costs: `python -m bench.watched`."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import repeat
from statistics import median
from typing import NamedTuple

import httpx

from bench.load import get, run
from bench.servers import Server, mock_server

_ROUNDS = 15
_SECONDS = 1.0
_CONNECTIONS = 16
_BATCH = 100
_CONTRACT = {"name": "T", "chainId": 80002, "address": "0x5FbDB2315678afecb367f032d93F642f64180aa3"}


class Rate(NamedTuple):
    """How many reads a second of processor time there are beside a watcher, as a share of those without."""

    watched: str
    per_second: float
    share: float


def measure() -> Iterator[Rate]:
    """The rate of reads of a watched project. Rounds take turns, so that a busy machine slows both."""
    with mock_server() as server, _client(server) as client:
        created = client.post("/v1/contracts", json=_CONTRACT).raise_for_status().json()
        read = get(f"/v1/contracts/{created['id']}", server.key)
        for name, follows in (("by an event stream", False), ("by a journal that follows", True)):
            pairs = []
            for _ in range(_ROUNDS):
                without = _rate(server, read, watches=False, follows=follows)
                pairs.append((without, _rate(server, read, watches=True, follows=follows)))
            yield Rate(name, median(rate for _, rate in pairs), median(rate / none for none, rate in pairs))


def _client(server: Server) -> httpx.Client:
    headers = {"authorization": f"Bearer {server.key}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=headers, trust_env=False)


def _rate(server: Server, request: bytes, *, watches: bool, follows: bool) -> float:
    """Reads per second of the server's processor time."""
    with _watcher(server, follows) if watches else nullcontext():
        before_s = server.cpu_s()
        measured = run(server.port, repeat(request), connections=_CONNECTIONS, seconds=_SECONDS)
        return measured.per_second * _SECONDS / (server.cpu_s() - before_s)


@contextmanager
def _watcher(server: Server, follows: bool) -> Iterator[None]:
    """Read the events of the project as the page does; one that follows asks for what is new at each."""
    is_over, has_begun = threading.Event(), threading.Event()

    def watch() -> None:
        with _client(server) as client, client.stream("GET", "/_mock/projects/-/events") as stream:
            lines = stream.iter_lines()
            since = 0
            while not is_over.is_set():
                line = next(lines)
                if line.startswith("data: "):
                    has_begun.set()
                    last = json.loads(line.removeprefix("data: "))["last"]
                    if follows:
                        query = {
                            "since": since,
                            "until": last,
                            "limit": _BATCH,
                            "brief": "true",
                            "order": "desc",
                        }
                        client.get("/_mock/projects/-/journal", params=query).raise_for_status()
                    since = last

    thread = threading.Thread(target=watch)
    thread.start()
    has_begun.wait(10)
    try:
        yield
    finally:
        is_over.set()
        with _client(server) as client:
            # One more event, at which the watcher sees that it is over.
            client.get("/v1/contracts").raise_for_status()
        thread.join()


def main() -> None:
    """Measure and print."""
    print(f"{'a read of a project that is watched':40} {'reads/CPU s':>11}  of unwatched")
    for rate in measure():
        print(f"{rate.watched:40} {rate.per_second:11,.0f} {rate.share:13.1%}", flush=True)


if __name__ == "__main__":
    main()
