"""Calls that went to keys that nothing declared, which open projects of their own."""

import re
from collections.abc import Collection, Iterator, Mapping

from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.testing.client import MockServer
from mockserver.testing.connection import Entry

CallCounts = Mapping[str, int]
"""How many calls went to each undeclared key."""

_KEY_START = re.compile("(?:sk|pk)_(?:test|live)_.{0,2}")


def count_undeclared(server: MockServer) -> dict[str, int]:
    """How many calls went to each undeclared key so far."""
    return {project["secret_key"]: project["calls"] for project in server.undeclared_projects()}


def describe_undeclared(server: MockServer, before: CallCounts, declared: Collection[str]) -> list[str]:
    """A line for each undeclared key that calls went to since they were counted.

    `declared` are the keys that the test has: the nearest of them is named.
    """
    return [*_describe(server.undeclared_projects(), before, declared)]


def _describe(projects: list[Entry], before: CallCounts, declared: Collection[str]) -> Iterator[str]:
    for project in projects:
        key = project["secret_key"]
        calls = project["calls"] - before.get(key, 0)
        if calls > 0:
            close = nearest(key, declared)
            own = ", ".join(map(_shorten, declared))
            hint = did_you_mean(_shorten(close)) if close else f"; the test has {own}" if own else ""
            went = "1 call" if calls == 1 else f"{calls} calls"
            yield f"{went} went to {_shorten(key)}, which nothing declares{hint}"


def _shorten(key: str) -> str:
    """The start of a key, to recognise it by."""
    match = _KEY_START.match(key)
    return f"{match[0] if match else ''}…"
