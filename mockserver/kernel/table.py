"""Frozen rows by id, in order of insertion, with the indexes their lists need."""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar, cast

from mockserver.kernel.retention import EXPIRY, GROUP, HOUR_MS, Retention
from mockserver.kernel.undo import Undo

Order = Literal["asc", "desc"]

_COLLECTIONS = frozenset({list, set, frozenset})


class Row(Protocol):
    """Anything with an id that is never mutated."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Row)


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
    """The content of a table.

    It is shared, not copied: a table copies shared state before it writes (copy on write).
    """

    rows: dict[str, Any]
    numbers: dict[str, int]
    ids: dict[int, str]
    next_number: int
    live: list[int]
    indexes: dict[str, dict[Hashable, list[int]]]
    dropped: int

    def numbered(self) -> Iterator[tuple[int, Any]]:
        """Every row with its number, oldest first."""
        return ((number, self.rows[self.ids[number]]) for number in self.live)


HEAD = ""
"""The key of the head of a table in an undo log; rows have longer ids."""

_MOST_AT_ONCE = 10
"""How many rows are dropped for one that changed."""


class Table(Generic[R]):
    """Rows of one kind.

    Every row has a number, in order of insertion. An index maps a value to the sorted numbers of its
    rows, so a page costs the same with a thousand rows as with a million. Several filters cost as much
    as the one that leaves the fewest rows. There is an index for each of `attributes`, and for each
    function by its name; a row whose value is None is not in that index, one whose value is a frozenset
    is there with each member. Every change is noted in `undo`.
    """

    __slots__ = (
        "_ids",
        "_index_of",
        "_indexes",
        "_live",
        "_next_number",
        "_numbers",
        "_rows",
        "_shared",
        "_undo",
        "dropped",
        "internal",
        "retention",
        "secrets",
    )

    def __init__(
        self,
        undo: Undo,
        *attributes: str,
        retention: Retention[R] | None = None,
        internal: bool = False,
        secrets: Collection[str] = (),
        **index_of: Callable[[R], Hashable],
    ) -> None:
        self._undo = undo
        self._index_of = {name: attrgetter(name) for name in attributes} | index_of
        self.retention = retention
        self.internal = internal
        """Whether its rows are records of the mock server itself, which a user of the API has no use for."""
        self.secrets = secrets
        """The members of its rows that are masked, beside those whose name says that they are secrets."""
        self.dropped = 0
        """How many rows were dropped."""
        if retention is not None:
            self._index_of |= retention.index_of()
        self._rows: dict[str, R] = {}
        self._numbers: dict[str, int] = {}
        self._ids: dict[int, str] = {}
        self._next_number = 0
        self._live: list[int] = []
        self._indexes: dict[str, dict[Hashable, list[int]]] = {name: {} for name in self._index_of}
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

    def get(self, row_id: str) -> R | None:
        """The row with this id, or None."""
        return self._rows.get(row_id)

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
        self._undo.note(self, row.id, None, (number, row))
        if self._shared:
            self._copy()
        self._insert_row(row, number)
        return row

    def replace(self, row: R) -> R:
        """Replace the row with the same id."""
        before = self._rows[row.id]
        number = self._numbers[row.id]
        self._undo.note(self, row.id, (number, before), (number, row))
        if self._shared:
            self._copy()
        self._rows[row.id] = row
        self._reindex(before, row, number)
        return row

    def put(self, row: R) -> R:
        """Insert a row, or replace the one with its id."""
        return self.replace(row) if row.id in self._rows else self.insert(row)

    def spend(self, row: R) -> R:
        """Replace a row; a rollback of the call does not revert this."""
        self.replace(row)
        self._undo.exempt(self, row.id)
        return row

    def remove(self, row_id: str) -> None:
        """Remove a row; an unknown id is a KeyError."""
        before = self._rows[row_id]
        number = self._numbers[row_id]
        self._undo.note(self, row_id, (number, before), None)
        if self._shared:
            self._copy()
        self._delete_row(before, number)

    def destroy(self, row_id: str) -> None:
        """Remove a row; a rollback of the call does not revert this."""
        self.remove(row_id)
        self._undo.exempt(self, row_id)

    def revert(self, key: str, before: tuple[int, R] | TableHead | None) -> None:
        """See `Undo`; the value of a row is its number and the row."""
        if self._shared:
            self._copy()
        current = self._rows.get(key)
        if isinstance(before, TableHead):
            self.head = before
            return
        if before is None:
            if current is not None:
                number = self._numbers[key]
                self._delete_row(current, number)
                # An undone insertion gives its number back, unless one after it stays: the numbers of later
                # rows must not depend on calls that were rejected.
                if number == self._next_number - 1:
                    self._next_number = number
                else:
                    self._note_head(TableHead(number, self.dropped))
            return
        number, row = before
        if current is None:
            self._insert_row(row, number)
        else:
            self._rows[key] = row
            self._reindex(current, row, number)

    def _insert_row(self, row: R, number: int) -> None:
        self._rows[row.id] = row
        self._numbers[row.id] = number
        self._ids[number] = row.id
        if number == self._next_number:
            self._next_number += 1
            self._live.append(number)
        else:
            # An undone removal puts the row back under its own number, so that lists keep their order.
            insort(self._live, number)
        indexes = self._indexes
        for name, value_of in self._index_of.items():
            value = value_of(row)
            if value is None:
                continue
            # Nearly always there are rows with this value, and the new one has the highest number.
            numbers = indexes[name].get(value)
            if numbers is not None and numbers[-1] < number:
                numbers.append(number)
            else:
                _insert(indexes[name], value, number)

    def _delete_row(self, row: R, number: int) -> None:
        del self._rows[row.id]
        del self._numbers[row.id]
        del self._ids[number]
        del self._live[bisect_left(self._live, number)]
        for name, value_of in self._index_of.items():
            if (value := value_of(row)) is not None:
                _delete(self._indexes[name], value, number)

    def _reindex(self, before: R, after: R, number: int) -> None:
        for name, value_of in self._index_of.items():
            old, new = value_of(before), value_of(after)
            if old != new:
                if old is not None:
                    _delete(self._indexes[name], old, number)
                if new is not None:
                    _insert(self._indexes[name], new, number)

    def _note_head(self, before: TableHead) -> None:
        """Note a change of the head that no insertion of a row tells of, and that no rollback reverts."""
        self._undo.note(self, HEAD, before, self.head)
        self._undo.exempt(self, HEAD)

    # --- reading ---------------------------------------------------------------------------------

    def find(self, index: str, value: Hashable) -> list[R]:
        """Every row with this value in an index, oldest first."""
        return [self._row_at(number) for number in self._indexes[index].get(value, ())]

    def first(self, index: str, value: Hashable) -> R | None:
        """The oldest row with this value in an index, or None."""
        numbers = self._indexes[index].get(value)
        return self._row_at(numbers[0]) if numbers else None

    def oldest(self, index: str, values: Iterable[Hashable]) -> R | None:
        """The oldest row with any of these values in an index, or None."""
        found = [numbers[0] for value in values if (numbers := self._indexes[index].get(value))]
        return self._row_at(min(found)) if found else None

    def last(self, index: str, value: Hashable) -> R | None:
        """The newest row with this value in an index, or None."""
        numbers = self._indexes[index].get(value)
        return self._row_at(numbers[-1]) if numbers else None

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
        numbers = self._find_numbers(where or {})
        if accept is not None:
            numbers = [number for number in numbers if accept(self._row_at(number))]
        total = len(numbers)
        if order == "asc":
            chosen = numbers[skip : skip + limit]
        else:
            end = max(0, total - skip)
            chosen = numbers[max(0, end - limit) : end][::-1]
        return Page([self._row_at(number) for number in chosen], total)

    def _find_numbers(self, where: Mapping[str, Hashable | Collection[Hashable]]) -> list[int]:
        found: list[list[int]] = []
        every = len(self._live)
        for name, wanted in where.items():
            if wanted is None:
                continue
            index = self._indexes[name]
            if type(wanted) in _COLLECTIONS:
                values = cast(Collection[Hashable], wanted)
                numbers = sorted({number for value in values for number in index.get(value, ())})
            else:
                numbers = index.get(cast(Hashable, wanted), [])
            # Skip a filter that every row passes, such as `deleted: False` where nothing is deleted.
            if len(numbers) < every:
                found.append(numbers)
        if not found:
            return self._live
        # Start from the filter that leaves the fewest rows, and look each of them up in the others.
        common, *others = sorted(found, key=len)
        for numbers in others:
            common = [number for number in common if _is_in(numbers, number)]
        return common

    def _row_at(self, number: int) -> R:
        # A KeyError never happens: every change goes through `_insert_row`, `_delete_row` and `_reindex`.
        return self._rows[self._ids[number]]

    # --- dropping --------------------------------------------------------------------------------

    def find_surplus(
        self,
        after: tuple[int, R] | TableHead | None,
        kept: Callable[[str], int],
        forgotten_ms: Callable[[], int],
    ) -> Iterable[str]:
        """After a change of a row to a value, as it was noted, the ids of a few rows to drop, oldest first.

        They are what its group has beyond the setting that `kept` gives, and what expired before a time.
        """
        retention, numbers = self.retention, []
        assert retention is not None
        if retention.expires_ms is not None:
            numbers += self._find_expired(forgotten_ms())
        group = None if after is None or isinstance(after, TableHead) else retention.group(after[1])
        if group is not None:
            # None any more, if the row has changed again since.
            members = self._indexes[GROUP].get(group, [])
            surplus = len(members) - kept(retention.setting)
            if surplus > 0:
                numbers += members[: min(surplus, _MOST_AT_ONCE)]
        return dict.fromkeys(self._ids[number] for number in numbers) if numbers else ()

    def drop(self, row_id: str) -> None:
        """Remove a row for lack of room, and count it, after a call's changes are permanent."""
        self.remove(row_id)
        before = self.head
        self.dropped += 1
        self._note_head(before)

    def _find_expired(self, before_ms: int) -> list[int]:
        """The numbers of some rows that expired in the earliest hour, if that was over before a time."""
        hours = self._indexes[EXPIRY]
        first = min(cast(Iterable[int], hours), default=None)
        if first is None or (first + 1) * HOUR_MS > before_ms:
            return []
        return hours[first][:_MOST_AT_ONCE]

    # --- snapshots -------------------------------------------------------------------------------

    def snapshot(self) -> TableState:
        """The table's content; it is copied only when the table is next written to."""
        self._shared = True
        return TableState(
            self._rows,
            self._numbers,
            self._ids,
            self._next_number,
            self._live,
            self._indexes,
            self.dropped,
        )

    def restore(self, state: TableState) -> None:
        """Restore a snapshot, any number of times."""
        self._rows, self._numbers, self._ids, self._next_number, self._live, self._indexes, self.dropped = (
            state
        )
        self._shared = True

    def note_differences(self, state: TableState) -> None:
        """Note in the undo log what `restore` will change."""
        if state.rows is self._rows:
            return
        # Before the rows: an insertion of one says only then that there were as many as its number.
        self._undo.note(self, HEAD, self.head, TableHead(state.next_number, state.dropped))
        for row_id, row in self._rows.items():
            coming = state.rows.get(row_id)
            is_same = coming is row or coming == row
            if not is_same or state.numbers[row_id] != self._numbers[row_id]:
                after = None if coming is None else (state.numbers[row_id], coming)
                self._undo.note(self, row_id, (self._numbers[row_id], row), after)
        for row_id, coming in state.rows.items():
            if row_id not in self._rows:
                self._undo.note(self, row_id, None, (state.numbers[row_id], coming))

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
        self._indexes = {name: {} for name in self._index_of}
        self._shared = False
        self._next_number = 0
        for number, row in rows:
            if number < self._next_number or number >= next_number or row.id in self._rows:
                raise ValueError(f"row {row.id} cannot have the number {number}")
            self._next_number = number
            self._insert_row(row, number)
        self._next_number = next_number
        self.dropped = dropped

    def _copy(self) -> None:
        # Rows are immutable, so a copy of the containers is enough. The lists in the indexes are mutable and
        # copied as well; `_find_numbers` may return one of them, so callers must not change or keep it.
        self._rows = self._rows.copy()
        self._numbers = self._numbers.copy()
        self._ids = self._ids.copy()
        self._live = self._live.copy()
        self._indexes = {
            name: {value: numbers.copy() for value, numbers in index.items()}
            for name, index in self._indexes.items()
        }
        self._shared = False


def _is_in(numbers: list[int], number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _insert(index: dict[Hashable, list[int]], value: Hashable, number: int) -> None:
    if type(value) is frozenset:
        for member in value:
            _insert(index, member, number)
        return
    numbers = index.get(value)
    if numbers is None:
        index[value] = [number]
    else:
        insort(numbers, number)


def _delete(index: dict[Hashable, list[int]], value: Hashable, number: int) -> None:
    if type(value) is frozenset:
        for member in value:
            _delete(index, member, number)
        return
    numbers = index[value]
    if len(numbers) == 1:
        del index[value]
    else:
        del numbers[bisect_left(numbers, number)]
