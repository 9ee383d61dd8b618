"""Members of requests: which there are, of which type, whether required, what they are by default."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import ABSENT, Member, Operation, changed, has, operations
from tests.specification.sending import send, set_stage

WRONG: Mapping[str, tuple[Any, ...]] = {
    "string": (5, True, [], {}),
    "integer": ("x", 1.5, True, []),
    "number": ("x", True, []),
    "boolean": ("yes", 1, []),
    "object": ("x", 5, []),
    "array": ("x", 5, {}),
}
"""Values that are none of a type."""
WRONG_IN_QUERY = {"integer": ("x", "1.5"), "boolean": ("maybe",)}


def request_checks() -> Iterator[Check]:
    """A check for each thing that a line says about a member of a request."""
    for operation in operations():
        for number in range(len(operation.examples)):
            status = (operation.statuses or [operation.status] * (number + 1))[number]
            run = partial(succeeds, operation, operation.examples[number], status)
            yield Check(operation, f"example {number + 1}: {status}", run)
        for part, members in (("query", operation.query), ("body", operation.body)):
            for member in members:
                for aspect, check in aspects(member, part == "query"):
                    yield Check(
                        operation, f"{part}.{member.path}: {aspect}", partial(check, operation, member)
                    )


def aspects(member: Member, in_query: bool) -> Iterator[tuple[str, Any]]:
    """What there is to check about a member."""
    yield "taken", is_taken
    yield ("required", is_required) if member.required else ("optional", is_optional)
    wrong = WRONG_IN_QUERY if in_query else WRONG
    if member.kind.json_type in wrong:
        yield f"{member.kind.json_type}", partial(is_typed, wrong=wrong[member.kind.json_type])
    if member.kind.values:
        yield "no other value", partial(is_typed, wrong=("no such value",))
        for value in member.kind.values:
            yield f"takes {value}", partial(takes, value=value)
    if member.nullable:
        yield "null", is_nullable
    if member.default is not ABSENT:
        yield f"default {member.default}", has_default


def example_with(operation: Operation, path: str) -> Mapping[str, Any]:
    """The first example that has a member."""
    return next(example for example in operation.examples if has(example, path))


def succeeds(operation: Operation, example: Mapping[str, Any], status: int) -> None:
    heard = send(operation, example)
    assert heard.status == status, heard.body


def is_taken(operation: Operation, member: Member) -> None:
    heard = send(operation, example_with(operation, member.path))
    assert heard.succeeded, heard.body


def is_required(operation: Operation, member: Member) -> None:
    heard = send(operation, changed(example_with(operation, member.path), member.path))
    assert heard.names(member.path), heard


def is_optional(operation: Operation, member: Member) -> None:
    heard = None
    for example in operation.examples:
        set_stage(operation)
        short = changed(example, member.path) if has(example, member.path) else example
        heard = send(operation, short)
        if heard.succeeded:
            return
    assert heard is None, heard


def is_typed(operation: Operation, member: Member, wrong: tuple[Any, ...]) -> None:
    example = example_with(operation, member.path)
    for value in wrong:
        heard = send(operation, changed(example, member.path, [value] if listed(member, value) else value))
        assert heard.names(member.path), (value, heard)


def listed(member: Member, value: object) -> bool:
    """Whether a wrong value is meant as that of an entry."""
    return member.kind.is_list and value == "no such value"


def takes(operation: Operation, member: Member, value: object) -> None:
    given = [value] if member.kind.is_list else value
    heard = [
        send(operation, changed(example, member.path, given))
        for example in operation.examples
        if has(example, member.path)
    ]
    assert not all(each.names(member.path) for each in heard), heard


def is_nullable(operation: Operation, member: Member) -> None:
    heard = send(operation, changed(example_with(operation, member.path), member.path, None))
    # What null means may be refused: a reset without a token. As a value it is not.
    assert heard.succeeded or heard.error["code"] != "VALIDATION_ERROR", heard


def has_default(operation: Operation, member: Member) -> None:
    example = example_with(operation, member.path)
    omitted = send(operation, changed(example, member.path))
    assert omitted.succeeded, omitted
    set_stage(operation)
    given = send(operation, changed(example, member.path, member.default))
    assert (given.status, given.body) == (omitted.status, omitted.body)


@each_operation(request_checks())
def test_a_request_has_the_members_that_are_specified(checks: list[Check]) -> None:
    carry_out(checks)
