"""Effects: which rows calls and moves of the clock created, changed and removed, and which timers."""

from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.kernel import timestamps
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.kernel.table import Table
from mockserver.kernel.timers import Fired, Timer
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.masking import MASK, mask_json
from mockserver.server.control.bodies import ListAnswer, ListQuery, invalid, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.state.journal import ChangeEntry
from mockserver.state.project import Project
from mockserver.state.row_changes import Changes, RowChange
from mockserver.state.row_data import changed_members

effects = ControlGroup("Effects")

MOST_SHOWN = 1_000
"""How many changed rows, timers and events of an entry are shown."""

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


class ChangeEntryAnswer(TypedDict):
    """The effects of a call of the API, of one of the control API, or of a move of the clock."""

    n: int
    at: str
    cause: Literal["call", "control", "clock"]
    """What changed it: a call of the API, one of the control API, or a move of the clock by itself."""
    operation: str | None
    """The operation id of the call."""
    exchange: int | None
    """The number of the call in the journal; null until a call that waits has its answer."""
    effects: EffectsAnswer
    """What it changed."""


class ListEffects(ListQuery):
    """Filters of the list; an entry must match all of them."""

    since: Annotated[int, Field(ge=0)] = 0
    """Only entries with a higher number."""
    table: str | None = None
    """Only entries that changed a row of this table."""
    row: str | None = None
    """Only entries that changed the row with this id, or fired its timers."""
    unmasked: bool = False
    """Show tokens, passwords and codes too."""


@effects.operation("GET", "/effects", "ListEffects")
def list_effects(call: ControlCall[None, ListEffects]) -> ListAnswer[ChangeEntryAnswer]:
    """List the calls and moves of the clock that changed anything, and what they changed, oldest first."""
    project, query = call.project, call.query
    tables = shown_tables(project)
    if query.table is not None and query.table not in tables:
        hint = did_you_mean(nearest(query.table, tables))
        raise invalid("table", f"{query.table[:80]!r} is not a table{hint}")
    entries = project.change_log.since(query.since)
    found = (entry for entry in entries if _is_match(entry.changes.read(), query, tables))
    return list_answer(
        query, found, lambda entry: _entry_answer(tables, entry, query.unmasked), attrgetter("size")
    )


def shown_tables(project: Project) -> dict[str, Table[Any]]:
    """The tables by name, without the internal ones."""
    return {name: table for name, table in project.named_tables() if not table.schema.internal}


def effects_answer(
    tables: Mapping[str, Table[Any]], changes: Changes | None, *, unmasked: bool
) -> EffectsAnswer:
    """Changes as answers show them, with secrets masked; `tables` are those that are shown."""
    if changes is None:
        return {"rows": [], "timers_set": [], "timers_cancelled": [], "fired": [], "omitted": 0}
    rows = [change for change in changes.rows if change.table in tables]
    ended = {(fired.kind, fired.id, fired.event) for fired in changes.fired}
    cancelled = [
        timer for timer in changes.timers_removed if (timer.kind, timer.row_id, timer.event) not in ended
    ]
    lists = rows, changes.timers_set, cancelled, changes.fired
    return {
        "rows": [row_change_answer(tables[change.table], change, unmasked) for change in rows[:MOST_SHOWN]],
        "timers_set": _timer_answers(changes.timers_set),
        "timers_cancelled": _timer_answers(cancelled),
        "fired": [fired_answer(fired) for fired in changes.fired[:MOST_SHOWN]],
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


def _is_match(changes: Changes, query: ListEffects, tables: Mapping[str, Table[Any]]) -> bool:
    """Whether an entry has anything to show, and passes the filters."""
    rows = [change for change in changes.rows if change.table in tables]
    if query.table is not None and not any(change.table == query.table for change in rows):
        return False
    if query.row is None:
        return bool(rows or changes.timers_set or changes.timers_removed or changes.fired)
    ids = {change.id for change in rows} | {fired.id for fired in changes.fired}
    return query.row in ids


def _entry_answer(tables: Mapping[str, Table[Any]], entry: ChangeEntry, unmasked: bool) -> ChangeEntryAnswer:
    return {
        "n": entry.number,
        "at": timestamps.format_iso(entry.at_ms),
        "cause": entry.cause,
        "operation": entry.operation,
        "exchange": entry.exchange,
        "effects": effects_answer(tables, entry.changes.read(), unmasked=unmasked),
    }


def row_change_answer(table: Table[Any], change: RowChange, unmasked: bool) -> RowChangeAnswer:
    """A changed row as answers show it; `table` is the one that it is in."""
    before, after = changed_members(change.before, change.after)
    kind: Literal["created", "changed", "removed"] = (
        "created" if before is None else "removed" if after is None else "changed"
    )
    if not unmasked:
        before, after = mask_row(table, before), mask_row(table, after)
    return {"table": change.table, "id": change.id, "change": kind, "before": before, "after": after}


def mask_row(table: Table[Any], members: dict[str, Any] | None) -> Any:
    """The members of a row with secrets masked, as in a request."""
    if members is None:
        return None
    hidden = {name: MASK for name in table.schema.secrets if members.get(name) is not None}
    return mask_json({**members, **hidden}, asked=True)


def _timer_answers(timers: Iterable[Timer]) -> list[TimerAnswer]:
    return [
        {
            "due": timestamps.format_iso(timer.due_ms),
            "kind": timer.kind,
            "id": timer.row_id,
            "event": timer.event,
        }
        for timer in [*timers][:MOST_SHOWN]
    ]
