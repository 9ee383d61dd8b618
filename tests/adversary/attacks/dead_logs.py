"""A server whose log goes to a closed pipe, or to one that is never read."""

from typing import get_args

from bench.endurance import measure
from bench.servers import LogTarget
from tests.adversary.budget import Budget

REQUESTS = 2_000
"""More than the lines that a pipe takes before it is full."""


def attack(budget: Budget) -> None:
    """A load on one server after the other: every request is answered, and none with 5xx."""
    logs = [log for log in get_args(LogTarget) if log in ("closed", "unread")]
    for number in budget:
        found = measure(logs[number % len(logs)], requests=REQUESTS, projects=3, connections=8, rate=None)
        assert found.statuses.total() == REQUESTS
        assert found.failures == 0, found.statuses
