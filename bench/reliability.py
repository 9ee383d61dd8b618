"""Run a long load, and reads among a crowd: `python -m bench.reliability`.

`--requests 100000` gives a first impression. It fails when an answer is 5xx; what it measures is judged by
its reader, who knows the machine.
"""

import argparse
import sys
from typing import get_args

from bench import crowd, endurance
from bench.endurance import Endured
from bench.servers import LogTarget


def main() -> int:
    """Measure and print; 1 if an answer was 5xx."""
    parser = argparse.ArgumentParser(prog="python -m bench.reliability", description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000, help="requests of each load (1,000,000)")
    parser.add_argument("--projects", type=int, default=100, help="projects that they go to (100)")
    parser.add_argument("--clients", type=int, default=64, help="connections that they come by (64)")
    parser.add_argument("--rate", type=float, help="requests a second (as many as are answered)")
    parser.add_argument("--log", choices=get_args(LogTarget), action="append", help="one of the logs (all)")
    parser.add_argument("--waits", type=int, default=1_000, help="calls that wait (1,000)")
    parser.add_argument("--slow", type=int, default=1_000, help="clients that send a byte a second (1,000)")
    given = parser.parse_args()
    _print_crowd(given.waits, given.slow)
    print(f"\n{'log':8} {'5xx':>5} {'req/s':>7} {'p50 ms':>8} {'p99.9 ms':>9}  MB after each tenth")
    endured = []
    for log in given.log or get_args(LogTarget):
        endured.append(
            endurance.measure(
                log,
                requests=given.requests,
                projects=given.projects,
                connections=given.clients,
                rate=given.rate,
            )
        )
        _print_endured(endured[-1])
    return int(any(each.failures for each in endured))


def _print_crowd(waits: int, slow: int) -> None:
    print(f"{'waits':>6} {'slow clients':>13} {'p50 ms':>8} {'p99 ms':>8}   of a read of another project")
    for found in crowd.measure(waits, slow, reads=10_000):
        print(
            f"{found.waits:6} {found.slow:13} {found.median_ms:8.3f} {found.p99_ms:8.3f}",
            flush=True,
        )


def _print_endured(found: Endured) -> None:
    memory = " ".join(f"{megabytes:.0f}" for megabytes in found.memory_mb)
    print(
        f"{found.log:8} {found.failures:5} {found.per_second:7.0f} {found.median_ms:8.2f} "
        f"{found.p999_ms:9.2f}  {memory}",
        flush=True,
    )
    print(f"         {dict(sorted(found.statuses.items()))}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
