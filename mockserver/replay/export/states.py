"""The state of a project that matters, and whether two are the same.

That is its rows, the time that its clock shows, its settings and its scenario state. What is drawn may be
otherwise, as long as equal values are equal in both. Not looked at: the journal, snapshots, what limits and
rules have counted, spent wallet tokens, loaded scenarios, the project's own wallet secret, and where a
session came from.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from mockserver.replay.shrinking.run import COUNTED
from mockserver.state.project import Project
from mockserver.state.saved.encoding import encode_row
from mockserver.state.wallets import DEFAULT_KEY_ID

_UNSEEN = (*COUNTED, "scenarios")
_OF_CLIENTS = frozenset({"ip_address", "user_agent"})


class Leaf(NamedTuple):
    """A value in a state."""

    place: str
    value: Any


def read_state(project: Project) -> list[Leaf]:
    """The state of a project, as a list."""
    found = [Leaf("clock", project.clock.now_ms), Leaf("scenario_state", project.scenario_state)]
    found += [Leaf(f"settings.{name}", value) for name, value in asdict(project.settings).items()]
    return found + read_rows(project)


def read_rows(project: Project) -> list[Leaf]:
    """The rows of a project, as a list."""
    found: list[Leaf] = []
    for name, table in project.named_tables():
        if name.startswith(_UNSEEN):
            continue
        rows = [row for row in table if row.id != DEFAULT_KEY_ID]
        found.append(Leaf(f"{name}: rows", len(rows)))
        for number, row in enumerate(rows):
            found += _leaves(f"{name}[{number}]", encode_row(name, row))
    return found


def _leaves(place: str, value: Any) -> Iterator[Leaf]:
    if isinstance(value, dict):
        yield Leaf(f"{place}: members", len(value))
        for number, (name, member) in enumerate(value.items()):
            if name not in _OF_CLIENTS:
                # A name may be drawn, too.
                yield Leaf(f"{place}.{number}", name)
                yield from _leaves(f"{place}.{number}.", member)
    elif isinstance(value, list):
        yield Leaf(f"{place}: length", len(value))
        for number, member in enumerate(value):
            yield from _leaves(f"{place}[{number}]", member)
    else:
        yield Leaf(place, value)


def find_drawn(state: Sequence[Leaf], other: Sequence[Leaf]) -> frozenset[int]:
    """Which values are drawn: those that are others in the same project with another seed."""
    pairs = zip(state, other, strict=False)
    return frozenset(number for number, (before, after) in enumerate(pairs) if before != after)


def find_difference(expected: Sequence[Leaf], got: Sequence[Leaf], drawn: frozenset[int]) -> str | None:
    """Where two states differ first; None if they are the same but for what is drawn."""
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for number, (before, after) in enumerate(zip(expected, got, strict=False)):
        if before.place != after.place:
            return before.place
        if number not in drawn:
            if before.value != after.value:
                return before.place
        elif isinstance(before.value, str) and isinstance(after.value, str):
            same = there.setdefault(before.value, after.value), back.setdefault(after.value, before.value)
            if same != (after.value, before.value):
                return before.place
        elif type(before.value) is not type(after.value):
            return before.place
    return None if len(expected) == len(got) else "the number of rows"
