"""The rows of a project: its tables, one of them, and a search through all of them."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.waiting import in_slices, show_rows
from mockserver.errors import ApiError
from mockserver.kernel.effort import Work
from mockserver.kernel.schema import Row
from mockserver.kernel.spelling import did_you_mean, nearest, shorten
from mockserver.kernel.table import Table
from mockserver.responses.lists import DEFAULT_LIMIT, find_page
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.masking import Walker
from mockserver.server.control.bodies import ControlQuery, ListAnswer, ListQuery, list_answer, require_row
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import (
    TimerAnswer,
    mask_row,
    shown_by,
    shown_tables,
    timer_answer,
)
from mockserver.server.control.history.moments import UNREACHABLE, Moment, project_at
from mockserver.state.saved.row_data import as_data

tables = ControlGroup("Tables")

_MOST_FOUND = 200
_ROWS_IN_SLICE = 500
"""How many rows are searched at once: so many take some milliseconds."""


class TableAnswer(TypedDict):
    """A table and how many rows it has."""

    name: str
    """Such as `identity.users`."""
    rows: int
    """How many rows it has."""


class RowAnswer(TypedDict):
    """A row of a table."""

    table: str
    """Such as `identity.users`."""
    id: str
    row: dict[str, Any]
    """Its members by name: times in milliseconds, bytes as hexadecimal text."""


class FoundAnswer(RowAnswer):
    """A row in which a text was found."""

    members: list[str]
    """The members that have it."""


class AtMoment(ControlQuery):
    """When the rows are looked at."""

    at: Moment | None = None
    """An earlier moment; now unless given."""


class ListTables(AtMoment, ListQuery):
    """When the rows are counted."""


class ShowRow(AtMoment):
    """How a row is shown."""

    unmasked: bool = False
    """Show tokens, passwords and codes too."""


class ListRows(ShowRow, ListQuery):
    """Which rows are shown."""

    text: Annotated[str, Field(max_length=1_000)] | None = None
    """Only rows in which this text occurs, in any case of letters."""


class Search(ControlQuery):
    """What is searched for."""

    text: Annotated[str, Field(min_length=2, max_length=1_000)]
    """An id, an address, a hash, an e-mail address, or a part of one."""


@tables.operation("GET /tables", "ListTables", *UNREACHABLE)
def list_tables(call: ControlCall[None, ListTables]) -> ListAnswer[TableAnswer]:
    """List the tables of a project, and how many rows each has."""
    found = shown_tables(project_at(call.project, call.query.at)).items()
    return list_answer(call.query, found, lambda entry: {"name": entry[0], "rows": len(entry[1])})


@tables.operation("GET /tables/{table}", "ListRows", errors.CONTROL_UNKNOWN_TABLE, *UNREACHABLE)
def list_rows(call: ControlCall[None, ListRows]) -> ListAnswer[RowAnswer]:
    """List the rows of a table, oldest first, as they are stored, or were at a moment."""
    query, name = call.query, call.path["table"]
    table = _require_table(shown_tables(project_at(call.project, query.at)), name)
    walker = shown_by(call, query.unmasked)

    def show(row: Row) -> RowAnswer:
        return _row_answer(name, table, row, walker)

    if query.text is not None:
        search = _search([(name, table, row) for row in table], query.text.lower())
        return in_slices(search, lambda found: list_answer(query, (each.row for each in found), show))
    page = find_page(query, table, DEFAULT_LIMIT)

    def answer(shown: list[RowAnswer]) -> ListAnswer[RowAnswer]:
        return {"data": shown, "total": page.total}

    return show_rows(page.rows, show, answer)


@tables.operation(
    "GET /tables/{table}/{id}",
    "GetRow",
    errors.CONTROL_UNKNOWN_TABLE,
    errors.CONTROL_UNKNOWN_ROW,
    *UNREACHABLE,
)
def get_row(call: ControlCall[None, ShowRow]) -> RowAnswer:
    """Retrieve a row of a table by its id."""
    name = call.path["table"]
    table = _require_table(shown_tables(project_at(call.project, call.query.at)), name)
    row = require_row(table, call.path["id"], "row")
    return _row_answer(name, table, row, shown_by(call, call.query.unmasked))


@tables.operation("GET /search", "SearchRows")
def search_rows(call: ControlCall[None, Search]) -> ListAnswer[FoundAnswer]:
    """Find the rows that have a text in them, at most 200; those whose id it is come first."""
    text, walker = call.query.text.lower(), shown_by(call, unmasked=False)
    # What is searched are the rows of now: others may be made between two slices.
    rows = [(name, table, row) for name, table in shown_tables(call.project).items() for row in table]

    def answer(found: list[_Found]) -> ListAnswer[FoundAnswer]:
        first = sorted(found, key=lambda each: each.row.id.lower() != text)[:_MOST_FOUND]
        shown: list[FoundAnswer] = [
            {**_row_answer(each.name, each.table, each.row, walker), "members": each.members}
            for each in first
        ]
        return {"data": shown, "total": len(shown)}

    return in_slices(_search(rows, text), answer)


@tables.operation("GET /timers", "ListTimers")
def list_timers(call: ControlCall[None, ListQuery]) -> ListAnswer[TimerAnswer]:
    """List the timers that are set, the one that is due next first."""
    return list_answer(call.query, call.project.timers.pending(), timer_answer)


def _require_table(shown: Mapping[str, Table[Any]], name: str) -> Table[Any]:
    table = shown.get(name)
    if table is None:
        hint = did_you_mean(nearest(name, shown))
        raise ApiError(errors.CONTROL_UNKNOWN_TABLE, name=shorten(name), hint=hint)
    return table


def _row_answer(name: str, table: Table[Any], row: Row, walker: Walker | None) -> RowAnswer:
    return {"table": name, "id": row.id, "row": mask_row(table, as_data(row), walker)}


class _Found(NamedTuple):
    name: str
    table: Table[Any]
    row: Row
    members: list[str]


def _search(rows: list[tuple[str, Table[Any], Row]], text: str) -> Work[list[_Found]]:
    """The rows in which a text in lower case occurs, found in slices."""
    found = []
    for number, (name, table, row) in enumerate(rows, 1):
        if members := list(_members_with(row, text)):
            found.append(_Found(name, table, row, members))
        if number % _ROWS_IN_SLICE == 0:
            yield
    return found


def _members_with(row: Any, text: str) -> Iterator[str]:
    """The members of a row in which a text in lower case occurs."""
    for name, value in zip(row._fields, row, strict=True):
        if _has_text(value, text):
            yield name


def _has_text(value: Any, text: str) -> bool:
    waiting = [value]
    # A loop: this runs for every value of every row.
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if text in each.lower():
                return True
        elif isinstance(each, bytes):
            if text in f"0x{each.hex()}":
                return True
        elif isinstance(each, (tuple, list, frozenset)):
            waiting += each
        elif isinstance(each, Mapping):
            waiting += each.values()
        # No text in lower case is what Python calls a boolean.
        elif isinstance(each, int) and str(each) == text:
            return True
    return False
