"""Members of answers: which there are, of which type, whether they are always there."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import Kind, Member, Operation, operations, shapes
from tests.specification.sending import Heard, send, set_stage
from tests.tables import cases

DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
PATTERNS = {
    "date-time": DATE_TIME,
    "hex": re.compile(r"0x([0-9a-fA-F]{2})*"),
    "address": re.compile(r"0x[0-9a-fA-F]{40}"),
    "decimal": re.compile(r"\d+"),
    "usd": re.compile(r"\d+(\.\d+)?"),
}


def answer_checks() -> Iterator[Check]:
    """A check for each member of each operation's answer, and for what its document declares."""
    for operation in operations():
        for member in operation.answer:
            word = "always" if member.required else "at times"
            name = f"answer.{member.path}: {word} {member.kind.name}"
            yield Check(operation, name, partial(is_shown, operation, member))


def is_shown(operation: Operation, member: Member) -> None:
    rows = [row for heard in heard_of(operation) for row in rows_of(operation, heard)]
    assert rows
    for row in rows:
        if member.required:
            assert member.path in row, row
        if member.path in row:
            assert fits(member, row[member.path]), row[member.path]


def rows_of(operation: Operation, heard: Heard) -> list[Mapping[str, Any]]:
    """The rows of an answer: one, or those of its list."""
    if operation.form == "list":
        rows: list[Mapping[str, Any]] = heard.body["data"]
        return rows
    return list(heard.body) if operation.form == "array" else [heard.body]


@cache
def heard_of(operation: Operation) -> tuple[Heard, ...]:
    """What the examples of an operation that answers with a body answer."""
    heard = []
    for example in operation.examples:
        set_stage(operation)
        heard.append(send(operation, example))
    return tuple(answer for answer in heard if answer.succeeded and answer.body is not None)


def fits(member: Member, value: Any) -> bool:
    """Whether a value is what a line says."""
    if value is None:
        return member.nullable
    if member.kind.is_list:
        return isinstance(value, list) and all(of_kind(member.kind, entry) for entry in value)
    return of_kind(member.kind, value)


def of_kind(kind: Kind, value: Any) -> bool:
    """Whether a value is of a kind, all the way down."""
    if kind.name == "one of":
        return value in kind.values
    if kind.name in PATTERNS:
        return isinstance(value, str) and PATTERNS[kind.name].fullmatch(value) is not None
    if kind.name.endswith("_"):
        return isinstance(value, str) and value.startswith(kind.name)
    if kind.name in shapes():
        return isinstance(value, dict) and not misfits(kind.name, value)
    return {
        "any": True,
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, (int, float)) and not isinstance(value, bool),
        "seconds": isinstance(value, int) and 10**9 < value < 10**11,
        "object": isinstance(value, dict),
    }[kind.name]


def misfits(name: str, row: Mapping[str, Any]) -> list[str]:
    """The members of a shape that a row lacks, or has of another type."""
    return [
        member.path
        for member in shapes()[name]
        if (member.required and member.path not in row)
        or (member.path in row and not fits(member, row[member.path]))
    ]


@each_operation(answer_checks())
def test_an_answer_has_the_members_that_are_specified(checks: list[Check]) -> None:
    carry_out(checks)


@cases("shape", *shapes())
def test_each_member_of_a_resource_is_seen_in_an_answer(shape: str) -> None:
    assert {member.path for member in shapes()[shape]} <= members_seen().get(shape, set())


@cache
def members_seen() -> Mapping[str, set[str]]:
    """The members of each shape that some example answers with."""
    seen: dict[str, set[str]] = {}
    for operation in operations():
        for heard in heard_of(operation):
            for row in rows_of(operation, heard):
                _see(operation.answer, row, seen)
                for name, lines in shapes().items():
                    if lines is operation.answer:
                        seen.setdefault(name, set()).update(row)
    return seen


def _see(lines: tuple[Member, ...], row: Mapping[str, Any], seen: dict[str, set[str]]) -> None:
    for member in lines:
        value = row.get(member.path)
        if member.kind.name not in shapes() or value is None:
            continue
        for entry in value if member.kind.is_list else [value]:
            seen.setdefault(member.kind.name, set()).update(entry)
            _see(shapes()[member.kind.name], entry, seen)
