"""A tree of values, as JSON has them, in which every value knows its place."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.scenario.reading.findings import Place

ABSENT: Any = object()
"""What is not there; null is."""


class Decimal(float):
    """A number with a fraction that is still written as it was."""

    def __new__(cls, text: str) -> "Decimal":
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str

    def __str__(self) -> str:
        return self.text


_NO_KEYS: Mapping[str, Place] = MappingProxyType({})


class Node(NamedTuple):
    """A value and where it stands: None, a bool, a number, text, a list or a mapping of nodes."""

    value: Any
    place: Place
    keys: Mapping[str, Place] = _NO_KEYS
    """Where the keys of a mapping stand."""
    size: int = 1
    """How many values it is made of, aliases counted as often as they are used."""
    height: int = 0

    @property
    def text(self) -> str:
        """A scalar as it was written; empty when it is null, a list or a mapping."""
        return "" if isinstance(self.value, (dict, list)) else write_scalar(self.value)

    def plain(self) -> Any:
        """The value without places, as JSON has it."""
        if isinstance(self.value, dict):
            return {name: member.plain() for name, member in self.value.items()}
        if isinstance(self.value, list):
            return [member.plain() for member in self.value]
        return self.value

    def scalars(self) -> "Iterator[Node]":
        """Every scalar below it, in order."""
        if isinstance(self.value, dict):
            for member in self.value.values():
                yield from member.scalars()
        elif isinstance(self.value, list):
            for member in self.value:
                yield from member.scalars()
        else:
            yield self

    def at(self, path: Sequence[int | str]) -> "Node":
        """The node at a path, or the last one on the way that is there.

        A part such as `[range]` is no member: it says what a validator took a value for. A value that
        stands for a list of one is its own first entry.
        """
        node = self
        for part in path:
            below = member_of(node.value, str(part))
            if below is not ABSENT:
                node = below
            elif not str(part).startswith("[") and (part != 0 or isinstance(node.value, list)):
                break
        return node


def entries_of(node: Node) -> "Sequence[Node]":
    """The entries of a list; anything else stands for a list of one."""
    return node.value if isinstance(node.value, list) else [node]


def members_of(node: Node) -> Mapping[str, Node]:
    """The members of a mapping; anything else has none."""
    return node.value if isinstance(node.value, dict) else {}


def member_of(value: Any, part: str) -> Any:
    """The member of an object by its name, or of a list by its number; `ABSENT` without one."""
    if isinstance(value, dict):
        return value.get(part, ABSENT)
    if isinstance(value, list) and part.isdecimal() and (number := int(part[:9])) < len(value):
        return value[number]
    return ABSENT


def split_path(path: str) -> tuple[str, ...]:
    """The parts of a path such as `calls[0].to`."""
    return tuple(part for part in re.split(r"[.\[\]]", path) if part)


def read_json_path(path: str) -> tuple[str, ...]:
    """The parts of a path such as `calls[0].to`, or of a JSON pointer (RFC 6901) such as `/calls/0/to`."""
    if not path.startswith("/"):
        return split_path(path)
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/"))


def make_tree(value: Any, place: Place) -> Node:
    """A JSON value as a tree, all of it at one place."""
    if isinstance(value, dict):
        members = {name: make_tree(member, place) for name, member in value.items()}
        return Node(members, place, keys=dict.fromkeys(members, place))
    if isinstance(value, list):
        return Node([make_tree(member, place) for member in value], place)
    return Node(value, place)


def write_scalar(value: Any) -> str:
    """A scalar as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
