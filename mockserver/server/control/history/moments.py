"""Moments: what happened to a project, in order, and the states that can be looked at again."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.history.effects import has_effects, shown_tables
from mockserver.server.control.history.journal import ExchangeAnswer, brief_answer
from mockserver.state.history.event import Cause, Event
from mockserver.state.project import Project, ProjectState
from mockserver.state.saved.rewinding import Unreachable, copy_of, rewind

Moment = Annotated[int, Field(ge=1, lt=2**53)]
"""The moment after an event, by its number; that of a call is its number in the journal, too."""

UNREACHABLE = (errors.CONTROL_UNKNOWN_EVENT, errors.CONTROL_UNREACHABLE)
"""The errors of a moment that does not exist, or that nothing leads back to."""


class EventAnswer(TypedDict):
    """Something that happened: a call of the API, one of the control API, a move of the clock."""

    n: int
    """Its number, which names the moment after it."""
    at: str
    """What the clock showed."""
    cause: Cause
    """A call of the API, one of the control API, a move of the clock by itself, or a call that went on."""
    operation: str | None
    """The operation id of the call."""
    exchange: ExchangeAnswer | None
    """The call as in a brief journal; null for one that has no answer yet, and for all else."""
    rows: int
    """How many rows it created, changed and removed."""
    fired: int
    """How many timers fired."""


def events_after(project: Project, number: int) -> list[Event]:
    """What happened after an event that a user of the API can see; all that is kept if it is not."""
    tables = shown_tables(project)
    since = number if project.history.get(number) else 0
    return [
        event
        for event in project.history.since(since)
        if event.status is not None or event.cause != "clock" or has_effects(project, event, tables)
    ]


def event_answer(call: ControlCall[Any, Any], event: Event, unmasked: bool) -> EventAnswer:
    """What happened as answers show it."""
    changes = call.project.changes_of(event)
    tables = shown_tables(call.project)
    return {
        "n": event.number,
        "at": timestamps.format_iso(event.at_ms),
        "cause": event.cause,
        "operation": event.operation,
        "exchange": None if event.status is None else brief_answer(call, event, unmasked),
        "rows": sum(change.table in tables for change in changes.rows),
        "fired": len(event.fired),
    }


def state_at(project: Project, number: int, param: str, *, with_rules: bool = True) -> ProjectState:
    """The state after an event, with or without rules as in `rewind`.

    ApiError with 404 and 409 where there is none, or nothing leads back to it.
    """
    event = project.history.get(number)
    if event is None:
        reason = " any more" if 0 < number <= project.history.last_number else ""
        raise ApiError(errors.CONTROL_UNKNOWN_EVENT, param=param, number=number, reason=reason)
    try:
        return rewind(project, event, with_rules=with_rules)
    except Unreachable as error:
        raise ApiError(errors.CONTROL_UNREACHABLE, param=param, number=number, reason=str(error)) from None


def project_at(project: Project, number: int | None) -> Project:
    """A project as it was after an event, for looking at its rows; without one as it is."""
    if number is None:
        return project
    return copy_of(project, state_at(project, number, "at", with_rules=False))
