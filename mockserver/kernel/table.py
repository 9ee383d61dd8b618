"""Frozen rows by id, in order of insertion, with the indexes their lists need."""

from bisect import insort
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, Literal, NamedTuple

from mockserver.kernel.indexes import Indexes, Numbers, delete_sorted
from mockserver.kernel.retention import EXPIRY, GROUP, MOST_AT_ONCE, find_expired
from mockserver.kernel.schema import R, Schema
from mockserver.kernel.undo import Undo

Order = Literal["asc", "desc"]


class Page(NamedTuple, Generic[R]):
    """Some rows of a list, and how many the whole list has."""

    rows: list[R]
    total: int


class TableHead(NamedTuple):
    """What a table is, apart from its rows."""

    next_number: int = 0
    """The number of the next row."""
    dropped: int = 0
    """How many rows were dropped."""


class TableState(NamedTuple):
    """The content of a table. It is shared: a table copies such state before it writes (copy on write)."""

    rows: dict[str, Any]
    numbers: dict[str, int]
    ids: dict[int, str]
    next_number: int
    live: list[int]
    indexes: dict[str, Numbers]
    dropped: int
    version: object
    """What tells this content from any other."""

    def numbered(self) -> Iterator[tuple[int, Any]]:
        """Every row with its number, oldest first."""
        return ((number, self.rows[self.ids[number]]) for number in self.live)


HEAD = -1
"""The key of the head of a table in an undo log; that of a row is its number."""

_MOST_CHANGED = 1_000
"""How many changes since a snapshot a table knows. With more, a restore compares all rows."""
_ROWS_PER_EXTRA = 128
"""For each so many rows that may stay, one more is dropped than has to be: many at once cost less each."""


class Table(Generic[R]):
    """Rows of one kind.

    Every row has a number, in order of insertion, by which the indexes know it. So a page costs the same
    with a thousand rows as with a million, and several filters cost as much as the one that leaves the
    fewest rows. Every change is noted in `undo`.
    """

    __slots__ = (
        "_changed",
        "_ids",
        "_indexes",
        "_live",
        "_next_number",
        "_numbers",
        "_rows",
        "_shared",
        "_undo",
        "_version",
        "dropped",
        "retention",
        "schema",
    )

    def __init__(self, undo: Undo, schema: Schema[R]) -> None:
        self._undo = undo
        self.schema = schema
        self.retention = schema.retention
        self.dropped = 0
        """How many rows were dropped."""
        self._rows: dict[str, R] = {}
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._next_number = 0
        self._live: list[int] = []
        self._indexes = Indexes(schema.index_names, schema.index_values)
        self._version: object = None
        """The version of the content that was shared last; a snapshot of it has the same."""
        self._changed: set[int] | None = None
        """The numbers of all rows that changed since then, if that is known."""
        self._shared = False

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, row_id: object) -> bool:
        return row_id in self._rows

    def __iter__(self) -> Iterator[R]:
        """Every row, oldest first."""
        for number in list(self._live):
            row_id = self._ids.get(number)
            if row_id is not None:
                yield self._rows[row_id]

    def get(self, row_id: str | None) -> R | None:
        """The row with this id, or None; no row has the id None."""
        return None if row_id is None else self._rows.get(row_id)

    def __getitem__(self, row_id: str) -> R:
        return self._rows[row_id]

    def number(self, row_id: str) -> int:
        """The number of a row; an unknown id is a KeyError."""
        return self._numbers[row_id]

    # --- writing ---------------------------------------------------------------------------------

    def insert(self, row: R) -> R:
        """Add a new row; an id that is taken is a KeyError."""
        if row.id in self._rows:
            raise KeyError(f"the id {row.id} is taken")
        number = self._next_number
        # Note before changing: if anything below raises, the rollback still finds the value before.
        self._undo.note(self, number, None, row)
        if self._shared:
            self._copy()
        self._insert_row(row, number)
        return row

    def replace(self, row: R) -> R:
        """Replace the row with the same id."""
        before = self._rows[row.id]
        number = self._numbers[row.id]
        self._undo.note(self, number, before, row)
        if self._shared:
            self._copy()
        self._rows[row.id] = row
        if self._changed is not None:
            self._note_changed([number])
        self._indexes.change(before, row, number)
        return row

    def put(self, row: R) -> R:
        """Insert a row, or replace the one with its id."""
        return self.replace(row) if row.id in self._rows else self.insert(row)

    def spend(self, row: R) -> R:
        """Replace a row; a rollback of the call does not revert this."""
        self.replace(row)
        self._undo.exempt(self, self._numbers[row.id])
        return row

    def remove(self, row_id: str) -> None:
        """Remove a row; an unknown id is a KeyError."""
        before = self._rows[row_id]
        number = self._numbers[row_id]
        self._undo.note(self, number, before, None)
        if self._shared:
            self._copy()
        self._delete_rows([(number, before)])

    def destroy(self, row_id: str) -> None:
        """Remove a row; a rollback of the call does not revert this."""
        number = self._numbers[row_id]
        self.remove(row_id)
        self._undo.exempt(self, number)

    def revert(self, key: int, before: R | TableHead | None) -> None:
        """See `Undo`; the key of a row is its number."""
        if self._shared:
            self._copy()
        if isinstance(before, TableHead):
            self.head = before
            return
        current = _find(self._ids, self._rows, key)
        if before is None:
            if current is not None:
                self._delete_rows([(key, current)])
                # An undone insertion gives its number back, unless one after it stays: the numbers of later
                # rows must not depend on calls that were rejected.
                if key == self._next_number - 1:
                    self._next_number = key
                else:
                    self._note_head(TableHead(key, self.dropped))
        elif current is not None:
            self._rows[before.id] = before
            if self._changed is not None:
                self._note_changed([key])
            self._indexes.change(current, before, key)
        elif before.id not in self._rows:
            self._insert_row(before, key)
        else:
            # One with its id was created anew, and stays. So this one stays removed, and what came before
            # that, perhaps its insertion, stays as well.
            self._undo.note(self, key, before, None)
            self._undo.exempt(self, key)

    def _insert_row(self, row: R, number: int) -> None:
        if self._changed is not None:
            self._note_changed([number])
        self._rows[row.id] = row
        self._numbers[row.id] = number
        self._ids[number] = row.id
        if number == self._next_number:
            self._next_number += 1
            self._live.append(number)
        else:
            # An undone removal puts the row back under its own number, so that lists keep their order.
            insort(self._live, number)
        self._indexes.add(row, number)

    def _delete_rows(self, numbered: list[tuple[int, R]]) -> None:
        """Delete rows, in the order of their numbers."""
        if self._changed is not None:
            self._note_changed([number for number, _ in numbered])
        for number, row in numbered:
            del self._rows[row.id]
            del self._numbers[row.id]
            del self._ids[number]
        delete_sorted(self._live, [number for number, _ in numbered])
        self._indexes.remove(numbered)

    def _note_changed(self, numbers: Iterable[int]) -> None:
        assert self._changed is not None
        self._changed.update(numbers)
        if len(self._changed) > _MOST_CHANGED:
            self._changed = None

    def _note_head(self, before: TableHead) -> None:
        """Note a change of the head that no insertion of a row tells of, and that no rollback reverts."""
        self._undo.note(self, HEAD, before, self.head)
        self._undo.exempt(self, HEAD)

    # --- reading ---------------------------------------------------------------------------------

    def find(self, index: str, value: Hashable) -> list[R]:
        """Every row with this value in an index, oldest first."""
        return [self._row_at(number) for number in self._indexes.numbers[index].get(value, ())]

    def ranked(self, index: str, value: Hashable, start: int = 0, end: int | None = None) -> list[R]:
        """The rows that are `Ranked` with this value in an index, from a rank to below another."""
        return [self._row_at(number) for number in self._indexes.ranked(index, value, start, end)]

    def first(self, index: str, value: Hashable) -> R | None:
        """The oldest row with this value in an index, or None."""
        numbers = self._indexes.numbers[index].get(value)
        return self._row_at(numbers[0]) if numbers else None

    def oldest(self, index: str, values: Iterable[Hashable]) -> R | None:
        """The oldest row with any of these values in an index, or None."""
        found = [numbers[0] for value in values if (numbers := self._indexes.numbers[index].get(value))]
        return self._row_at(min(found)) if found else None

    def last(self, index: str, value: Hashable) -> R | None:
        """The newest row with this value in an index, or None."""
        numbers = self._indexes.numbers[index].get(value)
        return self._row_at(numbers[-1]) if numbers else None

    def highest(self, index: str, value: Hashable, start: int = 0, end: int | None = None) -> R | None:
        """The row with the highest rank, from one to below another, that is `Ranked` with a value."""
        number = self._indexes.highest(index, value, start, end)
        return None if number is None else self._row_at(number)

    def page(
        self,
        *,
        skip: int = 0,
        limit: int,
        order: Order = "desc",
        where: Mapping[str, Hashable | Collection[Hashable]] | None = None,
        accept: Callable[[R], bool] | None = None,
    ) -> Page[R]:
        """Rows `skip` to `skip + limit` of those that match, newest first unless asked otherwise.

        `where` names indexes: a value, or a list, set or frozenset of values of which any will do; None
        leaves a filter out. `accept` is called with each row that the indexes leave.
        """
        numbers = self._indexes.find(where or {}, self._live)
        if accept is not None:
            numbers = [number for number in numbers if accept(self._row_at(number))]
        total = len(numbers)
        if order == "asc":
            chosen = numbers[skip : skip + limit]
        else:
            end = max(0, total - skip)
            chosen = numbers[max(0, end - limit) : end][::-1]
        return Page([self._row_at(number) for number in chosen], total)

    def _row_at(self, number: int) -> R:
        # A KeyError never happens: the indexes learn of every change of a row.
        return self._rows[self._ids[number]]

    # --- dropping --------------------------------------------------------------------------------

    def find_surplus(self, after: R | TableHead | None, most: int, forgotten_ms: int) -> Iterable[str]:
        """After a change of a row to a value, as it was noted, the ids of rows to drop, oldest first.

        They are what its group has beyond `most`, and what expired before a time.
        """
        retention, numbers = self.retention, []
        assert retention is not None
        if retention.expires_ms is not None:
            numbers += find_expired(self._indexes.numbers[EXPIRY], forgotten_ms)
        if len(self._rows) > most and after is not None and not isinstance(after, TableHead):
            # None any more, if the row has changed again since.
            members = self._indexes.numbers[GROUP].get(retention.group(after), [])
            surplus = len(members) - most
            if surplus > 0:
                numbers += members[: min(surplus + most // _ROWS_PER_EXTRA, MOST_AT_ONCE)]
        return dict.fromkeys(self._ids[number] for number in numbers) if numbers else ()

    def drop(self, row_ids: Iterable[str]) -> None:
        """Remove rows for lack of room, and count them, after a call's changes are permanent."""
        numbered = sorted((self._numbers[row_id], self._rows[row_id]) for row_id in row_ids)
        for number, row in numbered:
            self._undo.note(self, number, row, None)
        head = self.head
        if self._shared:
            self._copy()
        self._delete_rows(numbered)
        self.dropped += len(numbered)
        self._note_head(head)

    # --- snapshots -------------------------------------------------------------------------------

    def snapshot(self) -> TableState:
        """The table's content; it is copied only when the table is next written to."""
        if not self._shared:
            self._shared, self._version = True, object()
        return TableState(
            self._rows,
            self._numbers,
            self._ids,
            self._next_number,
            self._live,
            self._indexes.numbers,
            self.dropped,
            self._version,
        )

    def restore(self, state: TableState) -> None:
        """Restore a snapshot, any number of times."""
        if state.rows is self._rows:
            # It was not written to since: the first write would have copied them.
            return
        (
            self._rows,
            self._numbers,
            self._ids,
            self._next_number,
            self._live,
            self._indexes.numbers,
            self.dropped,
            self._version,
        ) = state
        self._shared = True

    def note_differences(self, state: TableState) -> None:
        """Note in the undo log what `restore` will change: nothing of an equal copy, as one read back is."""
        if state.rows is self._rows:
            return
        is_known = self._changed is not None and state.version is self._version
        numbers = sorted(self._changed or () if is_known else self._ids.keys() | state.ids.keys())
        rows = [_find(self._ids, self._rows, number) for number in numbers]
        coming = [_find(state.ids, state.rows, number) for number in numbers]
        head, coming_head = self.head, TableHead(state.next_number, state.dropped)
        if rows != coming or head != coming_head:
            # Before the rows: an insertion of one says only then that there were as many as its number.
            self._undo.note(self, HEAD, head, coming_head)
            for number, row, row_then in zip(numbers, rows, coming, strict=True):
                if row is not row_then and row != row_then:
                    self._undo.note(self, number, row, row_then)

    @property
    def head(self) -> TableHead:
        """What the table is, apart from its rows."""
        return TableHead(self._next_number, self.dropped)

    @head.setter
    def head(self, head: TableHead) -> None:
        self._next_number, self.dropped = head

    def fill(self, rows: Iterable[tuple[int, R]], next_number: int, dropped: int) -> None:
        """Replace the content by rows with their numbers, in ascending order.

        ValueError for numbers that are not so, and for an id that comes twice.
        """
        self._rows, self._numbers, self._ids, self._live = {}, {}, {}, []
        self._indexes = Indexes(self.schema.index_names, self.schema.index_values)
        self._shared, self._changed = False, None
        self._next_number = 0
        for number, row in rows:
            if number < self._next_number or number >= next_number or row.id in self._rows:
                raise ValueError(f"row {row.id} cannot have the number {number}")
            self._next_number = number
            self._insert_row(row, number)
        self.head = TableHead(next_number, dropped)

    def _copy(self) -> None:
        # Rows are immutable, so a copy of the containers is enough.
        self._rows = self._rows.copy()
        self._numbers = self._numbers.copy()
        self._ids = self._ids.copy()
        self._live = self._live.copy()
        self._indexes.copy()
        self._shared, self._changed = False, set()


def _find(ids: Mapping[int, str], rows: Mapping[str, R], number: int) -> R | None:
    """The row with a number, or None."""
    row_id = ids.get(number)
    return None if row_id is None else rows[row_id]
