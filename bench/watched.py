"""What a page that is looked at costs: `python -m bench.watched`."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bench.reads import Rate, contract_reads
from bench.servers import Server

_ROUNDS = 15
_SECONDS = 1.0
_BATCH = 100


def measure() -> Iterator[tuple[str, Rate]]:
    """How a project is watched, and the rate of reads of it then."""
    with contract_reads() as reads:
        for name, follows in (("by an event stream", False), ("by a journal that follows", True)):
            yield name, reads.compare(partial(_watcher, reads.server, follows), _ROUNDS, _SECONDS)


@contextmanager
def _watcher(server: Server, follows: bool) -> Iterator[None]:
    """Read the events of the project as the page does; one that follows asks for what is new at each."""
    is_over, has_begun = threading.Event(), threading.Event()

    def watch() -> None:
        with server.client() as client, client.stream("GET", "/_mock/projects/-/events") as stream:
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
        with server.client() as client:
            # One more event, at which the watcher sees that it is over.
            client.get("/v1/contracts").raise_for_status()
        thread.join()


def main() -> None:
    """Measure and print."""
    print(f"{'a read of a project that is watched':40} {'reads/CPU s':>11}  of unwatched")
    for name, rate in measure():
        print(f"{name:40} {rate.per_second:11,.0f} {rate.share:13.1%}", flush=True)


if __name__ == "__main__":
    main()
