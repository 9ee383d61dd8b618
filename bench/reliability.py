"""Run a long load, and reads among a crowd, and say whether what has to hold did.

`python -m bench.reliability crowd` takes half a minute, `python -m bench.reliability load --log file` eight
minutes for its million requests, and without arguments everything is run. It fails when something does not
hold: the times need a machine on which nothing else runs.
"""

import argparse
import sys
from typing import get_args

from bench import crowd, endurance
from bench.crowd import Crowded
from bench.endurance import SAMPLES, Endured
from bench.servers import LogTarget

MOST_P999_MS = 10.0
MOST_GROWTH = 1.05
"""How many times as much memory there may be at the end as after the first hundred thousand requests."""
SETTLED = 100_000
MOST_SLOWER = 2.0
"""How many times as long a read may take beside a crowd."""


def main() -> int:
    """Measure and print; 1 if something does not hold."""
    given = _parser().parse_args()
    held = []
    if given.what in ("all", "crowd"):
        held.append(_run_crowd(given.waits, given.slow))
    if given.what in ("all", "load"):
        held += [_run_load(log, given) for log in given.log or ("file", "closed", "unread")]
    return int(not all(held))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.reliability",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("what", nargs="?", choices=("all", "crowd", "load"), default="all", help="what to run (all)")
    add("--requests", type=int, default=1_000_000, help="requests of each load (1,000,000)")
    add("--projects", type=int, default=100, help="projects that they go to (100)")
    add("--clients", type=int, default=64, help="connections that they come by (64)")
    add("--rate", type=float, default=2_000, help="requests a second; 0 for as many as are answered (2,000)")
    add("--log", choices=get_args(LogTarget), action="append", help="one of the logs (all but none)")
    add("--waits", type=int, default=1_000, help="calls that wait (1,000)")
    add("--slow", type=int, default=1_000, help="clients that send a byte a second (1,000)")
    return parser


def _run_crowd(waits: int, slow: int) -> bool:
    print(f"{'waits':>6} {'slow clients':>13} {'p50 ms':>8} {'p99 ms':>8}   of a read of another project")
    found = []
    for each in crowd.measure(waits, slow, reads=10_000):
        found.append(each)
        print(f"{each.waits:6} {each.slow:13} {each.median_ms:8.3f} {each.p99_ms:8.3f}", flush=True)
    return _say(judge_crowd(found))


def _run_load(log: LogTarget, given: argparse.Namespace) -> bool:
    found = endurance.measure(
        log,
        requests=given.requests,
        projects=given.projects,
        connections=given.clients,
        rate=given.rate or None,
    )
    memory = " ".join(f"{megabytes:.0f}" for megabytes in found.memory_mb)
    print(f"\nlog {found.log}: {found.per_second:.0f} requests a second, median {found.median_ms:.2f} ms")
    print(f"  {dict(sorted(found.statuses.items()))}")
    print(f"  MB after each tenth: {memory}")
    return _say(judge_load(found))


def judge_crowd(found: list[Crowded]) -> dict[str, bool]:
    """What has to hold of a read alone, beside a crowd, and alone again, with whether it does."""
    before, beside, after = (each.median_ms for each in found)
    ratio = beside * 2 / (before + after)
    return {f"beside a crowd {ratio:.2f} times as long, at most {MOST_SLOWER:.0f}": ratio <= MOST_SLOWER}


def judge_load(found: Endured) -> dict[str, bool]:
    """What has to hold of a long load, with whether it does."""
    verdicts = {
        f"{found.failures} answers 5xx": not found.failures,
        f"99.9 % within {found.p999_ms:.2f} ms, at most {MOST_P999_MS:.0f}": found.p999_ms < MOST_P999_MS,
    }
    if found.statuses.total() >= SAMPLES * SETTLED:
        growth = found.memory_mb[-1] / found.memory_mb[0]
        verdicts[f"{growth:.2f} times the memory after the first tenth"] = growth <= MOST_GROWTH
    return verdicts


def _say(verdicts: dict[str, bool]) -> bool:
    for what, holds in verdicts.items():
        print(f"  {'holds' if holds else 'DOES NOT HOLD'}: {what}", flush=True)
    return all(verdicts.values())


if __name__ == "__main__":
    sys.exit(main())
