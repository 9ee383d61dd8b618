"""Effects: which rows calls and moves of the clock created, changed and removed, and which timers."""

from collections.abc import Container, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import plan_of
from mockserver.kernel.spelling import say_unknown
from mockserver.kernel.table import Table
from mockserver.kernel.timers import Fired, Timer
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.masking import Walker
from mockserver.server.control.bodies import ListAnswer, ListQuery, invalid, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.state.history.changes import Changes, RowChange
from mockserver.state.history.event import Cause, Event
from mockserver.state.project import Project
from mockserver.state.saved.row_data import changed_members

effects = ControlGroup("Effects")

MOST_SHOWN = 1_000
"""How many changed rows and timers of an event are shown."""

FiredAnswer = TypedDict(
    "FiredAnswer", {"at": str, "kind": str, "id": str, "event": str, "from": str, "to": str}
)
"""A timer that fired: of which row, and the states before and after."""


class TimerAnswer(TypedDict):
    """A timer: when which event is due for which row."""

    due: str
    """When it fires."""
    kind: str
    id: str
    event: str


class RowChangeAnswer(TypedDict):
    """A row that was created, changed or removed, with its members; of a changed one those that differ."""

    table: str
    """Such as `identity.users`."""
    id: str
    change: Literal["created", "changed", "removed"]
    """What became of the row."""
    before: dict[str, Any] | None
    """Null for a created row."""
    after: dict[str, Any] | None
    """Null for a removed row."""


class EffectsAnswer(TypedDict):
    """What a call or a move of the clock changed, in order; of each list the first 1,000."""

    rows: list[RowChangeAnswer]
    """Each row once, however often it was changed."""
    timers_set: list[TimerAnswer]
    """Those that are due later."""
    timers_cancelled: list[TimerAnswer]
    """Those that were due later, and are not any more."""
    fired: list[FiredAnswer]
    """The timers that fired, in order."""
    omitted: int
    """How many entries of the lists are left out."""


class EventEffectsAnswer(TypedDict):
    """The effects of a call of the API, of one of the control API, or of a move of the clock."""

    n: int
    """The number of the event; that of a call is its number in the journal, too."""
    at: str
    cause: Cause
    """A call of the API, one of the control API, a move of the clock by itself, or a call that went on."""
    operation: str | None
    """The operation id of the call."""
    effects: EffectsAnswer
    """What it changed."""


class ListEffects(ListQuery):
    """Filters of the list; an event must match all of them."""

    since: Annotated[int, Field(ge=0)] = 0
    """Only events with a higher number."""
    table: str | None = None
    """Only events that changed a row of this table."""
    row: str | None = None
    """Only events that changed the row with this id, or fired its timers."""
    unmasked: bool = False
    """Show tokens, passwords and codes too."""


@effects.operation("GET /effects", "ListEffects")
def list_effects(call: ControlCall[None, ListEffects]) -> ListAnswer[EventEffectsAnswer]:
    """List the calls and moves of the clock that changed anything, and what they changed, oldest first."""
    project, query = call.project, call.query
    tables = shown_tables(project)
    if query.table is not None and query.table not in tables:
        raise invalid("table", say_unknown("a table", query.table, tables))
    matching = [
        event for event in project.history.since(query.since) if _is_match(project, event, query, tables)
    ]

    def show(event: Event) -> EventEffectsAnswer:
        return {
            "n": event.number,
            "at": timestamps.format_iso(event.at_ms),
            "cause": event.cause,
            "operation": event.operation,
            "effects": effects_answer(
                tables, project.changes_of(event), event.fired, shown_by(call, query.unmasked)
            ),
        }

    return list_answer(query, matching, show, lambda event: project.changes_of(event).size)


def shown_tables(project: Project) -> dict[str, Table[Any]]:
    """The tables by name, without the internal ones."""
    return {name: table for name, table in project.named_tables() if not table.schema.internal}


def effects_answer(
    tables: Mapping[str, Table[Any]], changes: Changes, fired: Sequence[Fired], walker: Walker | None
) -> EffectsAnswer:
    """Changes as answers show them, with secrets masked by a walker; `tables` are those that are shown."""
    rows = [change for change in changes.rows if change.table in tables]
    ended = {(each.kind, each.id, each.event) for each in fired}
    cancelled = [
        timer for timer in changes.timers_removed if (timer.kind, timer.row_id, timer.event) not in ended
    ]
    lists = rows, changes.timers_set, cancelled, fired
    return {
        "rows": [row_change_answer(tables[change.table], change, walker) for change in rows[:MOST_SHOWN]],
        "timers_set": [*map(timer_answer, changes.timers_set[:MOST_SHOWN])],
        "timers_cancelled": [*map(timer_answer, cancelled[:MOST_SHOWN])],
        "fired": [*map(fired_answer, fired[:MOST_SHOWN])],
        "omitted": sum(max(0, len(each) - MOST_SHOWN) for each in lists),
    }


def fired_answer(entry: Fired) -> FiredAnswer:
    """A timer that fired as answers show it."""
    return {
        "at": timestamps.format_iso(entry.at_ms),
        "kind": entry.kind,
        "id": entry.id,
        "event": entry.event,
        "from": entry.source,
        "to": entry.target,
    }


def has_effects(project: Project, event: Event, tables: Container[str]) -> bool:
    """Whether an event changed a row of one of these tables, or a timer."""
    if event.changes is None:
        return bool(event.fired)
    changes = project.changes_of(event)
    return bool(event.fired or changes.timers_set or changes.timers_removed) or any(
        change.table in tables for change in changes.rows
    )


def _is_match(project: Project, event: Event, query: ListEffects, tables: Container[str]) -> bool:
    """Whether an event has effects to show, and passes the filters."""
    if not has_effects(project, event, tables):
        return False
    changes = project.changes_of(event)
    rows = [change for change in changes.rows if change.table in tables]
    if query.table is not None and not any(change.table == query.table for change in rows):
        return False
    if query.row is None:
        return True
    return query.row in {change.id for change in rows} | {fired.id for fired in event.fired}


def row_change_answer(table: Table[Any], change: RowChange, walker: Walker | None) -> RowChangeAnswer:
    """A changed row as answers show it; `table` is the one that it is in."""
    members = changed_members(change.before, change.after)
    before, after = (mask_row(table, each, walker) for each in members)
    return {"table": change.table, "id": change.id, "change": change.kind, "before": before, "after": after}


def mask_row(table: Table[Any], members: dict[str, Any] | None, walker: Walker | None) -> Any:
    """The members of a row, with secrets masked if there is a walker."""
    if members is None or walker is None:
        return members
    return walker.value(members, plan_of(table.schema.row_class))


def shown_by(call: ControlCall[Any, Any, Any], unmasked: bool) -> Walker | None:
    """What masks rows; None if they are to be shown as they are."""
    return None if unmasked else Walker(call.server.names)


def timer_answer(timer: Timer) -> TimerAnswer:
    """A timer as answers show it."""
    return {
        "due": timestamps.format_iso(timer.due_ms),
        "kind": timer.kind,
        "id": timer.row_id,
        "event": timer.event,
    }
