"""Moments: what happened to a project, in order, and the states that can be looked at again."""

import re
from collections import deque
from collections.abc import Container, Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.history.effects import shown_tables
from mockserver.server.control.history.journal import ExchangeAnswer, brief_answer, require_exchange
from mockserver.state.history import Unreachable, copy_of, rewind
from mockserver.state.journal import ChangeEntry, Exchange
from mockserver.state.moment import Moment
from mockserver.state.project import Project, ProjectState
from mockserver.state.row_changes import Changes

_NAME = re.compile(r"(change-)?([1-9][0-9]{0,15})")


class MomentName(NamedTuple):
    """What names a moment: the number of an exchange, or of an entry of the log of changes."""

    number: int
    is_change: bool


def _parse_name(value: Any) -> MomentName:
    found = _NAME.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        return MomentName(int(found[2]), found[1] is not None)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 2**53:
        raise ValueError("must be the number of an exchange, from 1, or change- and that of a change")
    return MomentName(value, is_change=False)


# Not as a MomentName: pydantic would describe the tuple that it is parsed to, too.
NamedMoment = Annotated[
    Any,
    BeforeValidator(_parse_name),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": 2**53 - 1},
                {"type": "string", "pattern": f"^{_NAME.pattern}$"},
            ],
            "description": "The moment after an exchange of the journal, by its number, or after another "
            "entry of the log of changes, such as `change-12`.",
        }
    ),
]

UNREACHABLE = (errors.CONTROL_UNKNOWN_EXCHANGE, errors.CONTROL_UNKNOWN_CHANGE, errors.CONTROL_UNREACHABLE)
"""The errors of a moment that does not exist, or that nothing leads back to."""


class MomentAnswer(TypedDict):
    """A call of the API, or anything else that changed a project: a call of the control API, the clock."""

    moment: str
    """Names the moment after it: `7` is exchange 7, `change-12` the entry 12 of the log of changes."""
    at: str
    """What the clock showed."""
    cause: Literal["call", "control", "clock"]
    """What happened: a call of the API, one of the control API, or a move of the clock by itself."""
    operation: str | None
    """The operation id of the call."""
    exchange: ExchangeAnswer | None
    """The call as in a brief journal."""
    change: int | None
    """The number of its changes in the list of effects; null if it changed nothing."""
    rows: int
    """How many rows it created, changed and removed."""
    fired: int
    """How many timers fired."""


class Happening(NamedTuple):
    """A call, an entry of the log of changes, or a call with the entry that it made."""

    exchange: Exchange | None
    entry: ChangeEntry | None


def happenings(project: Project) -> Iterator[Happening]:
    """What happened, oldest first, as far back as the journal and the log of changes go."""
    shown = shown_tables(project)
    waiting = deque(entry for entry in project.change_log if _is_shown(entry, shown))
    for exchange in project.journal:
        reached = 0 if exchange.moment is None else exchange.moment.change
        own = None
        while waiting and waiting[0].number <= reached:
            entry = waiting.popleft()
            if entry.exchange == exchange.number:
                own = entry
            else:
                yield Happening(None, entry)
        yield Happening(exchange, own)
    for entry in waiting:
        yield Happening(None, entry)


def happenings_after(project: Project, name: MomentName | None) -> list[Happening]:
    """What happened after a moment; all that is there without one, or if it is not among them."""
    found = list(happenings(project))
    if name is None:
        return found
    places = (place for place, each in enumerate(found) if _is_named(each, name))
    return found[next(places, -1) + 1 :]


def _is_named(happened: Happening, name: MomentName) -> bool:
    if name.is_change:
        return happened.entry is not None and happened.entry.number == name.number
    return happened.exchange is not None and happened.exchange.number == name.number


def _is_shown(entry: ChangeEntry, shown: Container[str]) -> bool:
    changes = entry.changes.read()
    return bool(changes.fired or changes.timers_set or changes.timers_removed) or any(
        change.table in shown for change in changes.rows
    )


def moment_answer(call: ControlCall[Any, Any], happened: Happening, unmasked: bool) -> MomentAnswer:
    """What happened as answers show it."""
    exchange, entry = happened
    changes = None if entry is None else entry.changes.read()
    answer: MomentAnswer = {
        "moment": "",
        "at": "",
        "cause": "call",
        "operation": None,
        "exchange": None,
        "change": None if entry is None else entry.number,
        "rows": _count_rows(call.project, changes),
        "fired": 0 if changes is None else len(changes.fired),
    }
    if entry is not None:
        answer["moment"] = f"change-{entry.number}"
        answer["at"] = timestamps.format_iso(entry.at_ms)
        answer["cause"], answer["operation"] = entry.cause, entry.operation
    if exchange is not None:
        answer["moment"] = str(exchange.number)
        answer["at"] = timestamps.format_iso(exchange.at_ms)
        answer["cause"], answer["operation"] = "call", exchange.operation
        answer["exchange"] = brief_answer(call, exchange, unmasked)
    return answer


def _count_rows(project: Project, changes: Changes | None) -> int:
    if changes is None:
        return 0
    shown = shown_tables(project)
    return sum(change.table in shown for change in changes.rows)


def state_at(project: Project, name: MomentName, param: str, *, with_rules: bool = True) -> ProjectState:
    """The state at a moment, with or without rules as in `rewind`.

    ApiError with 404 and 409 where there is none, or nothing leads back to it.
    """
    try:
        return rewind(project, _moment(project, name, param), with_rules=with_rules)
    except Unreachable as error:
        what = f"{'change' if name.is_change else 'exchange'} {name.number}"
        raise ApiError(errors.CONTROL_UNREACHABLE, param=param, moment=what, reason=str(error)) from None


def project_at(project: Project, name: MomentName | None, param: str = "at") -> Project:
    """A project as it was at a moment, for looking at its rows; without one as it is."""
    return project if name is None else copy_of(project, state_at(project, name, param, with_rules=False))


def _moment(project: Project, name: MomentName, param: str) -> Moment | None:
    if not name.is_change:
        return require_exchange(project, name.number, str(name.number), param).moment
    entry = project.change_log.get(name.number)
    if entry is None:
        raise ApiError(errors.CONTROL_UNKNOWN_CHANGE, param=param, number=name.number)
    return entry.moment


def last_exchange(project: Project, name: MomentName) -> int:
    """The number of the last exchange that there was at a moment, which `state_at` has found."""
    entry = project.change_log.get(name.number) if name.is_change else None
    if entry is None:
        return name.number
    before = (each.number for each in project.journal if each.moment and each.moment.change < entry.number)
    return entry.exchange or max(before, default=project.journal.last_number - len(project.journal))
