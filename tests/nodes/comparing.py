"""In what two answers differ, and which of it is meant to be so."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """What differs, by what was asked and the path in its answer, and why it may."""

    asked: str
    path: str
    reason: str


def is_meant(meant: Sequence[Difference], asked: str, path: str) -> bool:
    """Whether a difference is one of those that are meant."""
    return any(re.fullmatch(each.asked, asked) and re.fullmatch(each.path, path) for each in meant)


def walk(ours: Any, theirs: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The paths at which two answers differ, with what is there."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted({*ours, *theirs}):
            yield from walk(ours.get(name), theirs.get(name), f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for mine, other in zip(ours, theirs, strict=True):
            yield from walk(mine, other, f"{path}[]")
    elif ours != theirs:
        yield path, ours, theirs
