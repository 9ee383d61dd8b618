"""Whatever a request may say is read by some code, or the ledger names it as without effect.

How that is seen: the examples, cases and stories of the data are sent while bodies and queries tell which of
their members are looked at. `test_documented.py` sees to it that each member of each operation is in an
example, so one that no code reads cannot slip through: it was sent, and nothing looked at it. Validation does
not count, since pydantic fills in members without reading them. A member that is looked at only under some
condition needs a case that meets the condition.

A handler that takes its members as a mapping (`given_members`) reads those that it takes out of it. If it
hands on all of them, a member counts only where leaving it out of an example, a case or the last step of a
story changes what is heard or stored.

A member is found by operation: that another operation reads the same member of the same model says nothing.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, get_args

import pytest

from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import Body, adapter
from mockserver.fidelity.ledger import read_ledger
from tests.specification.lines import Operation, changed, has, operations
from tests.specification.recording import Recorder, watch
from tests.specification.sending import send, set_stage
from tests.specification.setting import the_stage
from tests.specification.test_cases import ask, case_checks, example_of
from tests.specification.test_documented import PUBLIC
from tests.specification.test_states import BY_ID, Story, happens, story_checks, the_stories

BEFORE_THE_HANDLER = {("getUserSession", "disableRefresh")}
"""What authentication reads from the query itself: tests/operations/test_auth_sessions.py."""


def play_everything() -> None:
    """Send every example, case and story of the data, whatever is heard."""
    for operation in operations():
        for example in operation.examples:
            set_stage(operation)
            send(operation, example)
    for check in (*case_checks(), *story_checks()):
        with suppress(AssertionError):
            set_stage(check.operation)
            check.run()


def declared(endpoint: Endpoint) -> Iterator[tuple[type, str, str]]:
    """The members that an endpoint's query and body declare: model, name and path."""
    for shape in (endpoint.query, endpoint.body):
        if shape is not None:
            yield from _members(shape, "")


def _members(shape: Any, prefix: str) -> Iterator[tuple[type, str, str]]:
    if isinstance(shape, type) and issubclass(shape, Body):
        model: Any = shape
        adapter(model)
        for field in dataclasses.fields(shape):  # type: ignore[arg-type]
            yield shape, field.name, prefix + field.name
            yield from _members(field.type, f"{prefix}{field.name}.")
    for argument in get_args(shape):
        yield from _members(argument, prefix)


@pytest.fixture(scope="module")
def unread() -> set[tuple[str, str]]:
    """Operation and path of every member that no code reads."""
    recorder = Recorder()
    the_stage()
    with pytest.MonkeyPatch.context() as patch:
        watch(recorder, patch)
        play_everything()
    return {
        (operation, path)
        for operation, endpoint in PUBLIC.items()
        for model, name, path in declared(endpoint)
        if (read := (operation, model.__qualname__, name)) not in recorder.reads
        and not (read in recorder.handed_on and makes_a_difference(BY_ID[operation], path))
    }


def makes_a_difference(operation: Operation, path: str) -> bool:
    """Whether leaving a member out of something that the data say changes what is heard or stored."""
    for steps in (*lone_steps(operation), *(story for story in stories() if story[-1]["do"] == operation.id)):
        example = example_of(operation, steps[-1])
        for member in operation.members:
            if member.path.replace("[]", "") == path and has(example, member.path):
                short = changed(example, member.path)
                if outcome(steps, example) != outcome(steps, short):
                    return True
    return False


def lone_steps(operation: Operation) -> Iterator[Story]:
    """The examples and cases of an operation, as stories of one step."""
    for number in range(len(operation.examples)):
        yield [{"do": operation.id, "example": number + 1}]
    for case in operation.cases.values():
        if "settings" not in case:
            yield [{"do": operation.id, **case}]


def stories() -> Iterator[Story]:
    """Every story."""
    return chain.from_iterable(by_name.values() for by_name in the_stories().values())


def outcome(steps: Story, example: Mapping[str, Any]) -> object:
    """What an example hears after the other steps, and every row that there is then."""
    operation = BY_ID[steps[-1]["do"]]
    set_stage(operation)
    happens(steps[:-1])
    heard = ask(operation, steps[-1], example)
    rows = [list(table) for table in the_stage().project.tables]
    return heard.status, heard.body, rows


def named_in_ledger() -> set[tuple[str, str]]:
    """Operation and member of each line of the ledger about a member without effect."""
    return {
        (operation, member)
        for each in read_ledger().statements
        if each.kind == "without effect"
        for operation in each.operations
        for member in each.members
    }


def test_a_member_that_no_code_reads_is_named_as_without_effect(unread: set[tuple[str, str]]) -> None:
    assert unread - BEFORE_THE_HANDLER - named_in_ledger() == set()


def test_what_is_named_as_without_effect_is_read_by_no_code(unread: set[tuple[str, str]]) -> None:
    assert named_in_ledger() - unread == set()


def test_what_is_read_before_the_handler_is_not_read_by_it(unread: set[tuple[str, str]]) -> None:
    assert unread >= BEFORE_THE_HANDLER
