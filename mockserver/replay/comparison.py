"""What differs between a recorded line and the one that a replay writes."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from mockserver.state.saved.encoding import Line

_MOST_SHOWN = 20
_KINDS = ("answer", "waits", "tick", "checkpoint", "end")


class Uncompared(NamedTuple):
    """A part of answers that is not compared, and why."""

    part: str
    """`header NAME` or `body PATH`."""
    reason: str


UNCOMPARED = (
    Uncompared("header connection", "belongs to one connection (RFC 9110, 7.6.1)"),
    Uncompared("header keep-alive", "belongs to one connection"),
    Uncompared("header transfer-encoding", "belongs to one connection"),
    Uncompared("header content-length", "is added when an answer is sent; the body itself is compared"),
    Uncompared("header date", "is the time of the machine, which a proxy may add"),
    Uncompared("header server", "names the software in front, which a proxy may add"),
    Uncompared("body /_mock/metrics", "counts the bytes of packed projects, which depend on Python"),
    Uncompared("body /_mock/health", "counts lines that the log dropped"),
    Uncompared("body /report", "tells also of calls of no project and of others, which a recording may lack"),
)
"""What is not compared: nothing of it is decided by what is recorded."""

_HEADERS = frozenset(each.part.split()[1] for each in UNCOMPARED if each.part.startswith("header"))
_BODIES = tuple(each.part.split()[1] for each in UNCOMPARED if each.part.startswith("body"))
"""How the paths end whose answers' bodies are not compared."""


class Difference(NamedTuple):
    """A part that is not as it was recorded, such as `status`, `header x-y` or `body /data/0/id`."""

    part: str
    expected: Any
    got: Any


def compare(request: Line | None, expected: Line, got: Line) -> list[Difference]:
    """The differences of a line, the first ones of many; the request is that which it answers, if any."""
    found: list[Difference] = []
    if "withheld" in expected:
        return found
    kinds = _kind(expected), _kind(got)
    if kinds[0] != kinds[1]:
        return [Difference("outcome", *kinds)]
    if kinds[0] == "answer":
        path = "" if request is None else request["path"]
        found += compare_answers(path, expected["answer"], got["answer"])
    found += _members("clock", expected, got, "now_ms")
    found += _compare_changes(expected.get("changes", {}), got.get("changes", {}))
    if kinds[0] in ("checkpoint", "end"):
        found += _compare_digests(expected[kinds[0]], got[kinds[0]])
    return found[:_MOST_SHOWN]


def compare_answers(path: str, expected: Line, got: Line) -> Iterator[Difference]:
    """What differs between two answers to a request of a path."""
    yield from _members("status", expected, got, "status")
    yield from _compare_headers(expected["headers"], got["headers"])
    for name in ("delay_ms", "fault", "sent"):
        yield from _members(name, expected, got, name)
    bodies = expected.get("body"), got.get("body")
    if not path.endswith(_BODIES) and bodies[0] != bodies[1]:
        yield from [*compare_bodies(*bodies)] or [Difference("body", *bodies)]


def _kind(line: Line) -> str:
    return next((name for name in _KINDS if name in line), "nothing")


def _members(part: str, expected: Line, got: Line, name: str) -> Iterator[Difference]:
    if expected.get(name) != got.get(name):
        yield Difference(part, expected.get(name), got.get(name))


def _compare_headers(expected: list[list[str]], got: list[list[str]]) -> Iterator[Difference]:
    """Names may be in any order, the values of one name may not (RFC 9110, 5.3)."""
    before, after = _by_name(expected), _by_name(got)
    for name in sorted({*before, *after} - _HEADERS):
        if before.get(name) != after.get(name):
            yield Difference(f"header {name}", before.get(name), after.get(name))


def _by_name(headers: list[list[str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), []).append(value)
    return found


def compare_bodies(expected: Any, got: Any) -> Iterator[Difference]:
    """The members of JSON that differ; of other bodies, whether they do."""
    try:
        found = list(compare_values("", orjson.loads(expected), orjson.loads(got)))
    except (TypeError, ValueError, RecursionError):
        found = [Difference("body", expected, got)] if expected != got else []
    yield from found


def compare_values(pointer: str, expected: Any, got: Any) -> Iterator[Difference]:
    """The members that differ, by JSON pointer (RFC 6901)."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in {**expected, **got}:
            place = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            yield from compare_values(place, expected.get(name, ABSENT), got.get(name, ABSENT))
    elif isinstance(expected, (list, tuple)) and isinstance(got, (list, tuple)):
        for number in range(max(len(expected), len(got))):
            before, after = (each[number] if number < len(each) else ABSENT for each in (expected, got))
            yield from compare_values(f"{pointer}/{number}", before, after)
    elif type(expected) is not type(got) or expected != got:
        yield Difference(f"body {pointer}", expected, got)


ABSENT = "(absent)"
"""What stands for a member that is not there."""


def _compare_changes(expected: Any, got: Any) -> Iterator[Difference]:
    for project in {**expected, **got}:
        before, after = expected.get(project, {}), got.get(project, {})
        for name in {**before, **after}:
            values = before.get(name, ABSENT), after.get(name, ABSENT)
            if values[0] != values[1]:
                yield Difference(f"row {project} {name}", *values)


def _compare_digests(expected: Line, got: Line) -> Iterator[Difference]:
    before, after = expected["digests"], got["digests"]
    for project in before:
        # One that is put away now and was not then has no digest.
        if project in after and before[project] != after[project]:
            yield Difference(f"digest {project}", before[project], after[project])
