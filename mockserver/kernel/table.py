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


class Ranked(NamedTuple):
    """A value of a row in an index, and its rank among the rows with this value: a whole number from 0.

    The rows of such a value are sorted by rank. Only `Table.highest` reads them.
    """

    value: Hashable
    rank: int


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
    version: object
    """What tells this content from any other."""

    def numbered(self) -> Iterator[tuple[int, Any]]:
        """Every row with its number, oldest first."""
        return ((number, self.rows[self.ids[number]]) for number in self.live)


HEAD = -1
"""The key of the head of a table in an undo log; that of a row is its number."""

_RANK = 1 << 64
"""What a rank is multiplied by in the list of an index, which has it above the number of the row."""
_MOST_CHANGED = 1_000
"""How many changes since a snapshot a table knows. With more, a restore compares all rows."""
_ROWS_PER_EXTRA = 128
"""For each so many rows that may stay, one more is dropped than has to be: many at once cost less each."""
_MOST_AT_ONCE = 128
"""How many rows of a kind are dropped at most for one that changed."""


class Schema(Generic[R]):
    """What the tables of one kind of row have in common, in every project.

    There is an index for each of `attributes`, and for each function by its name.
    """

    __slots__ = ("index_names", "index_values", "internal", "retention", "row_class")

    def __init__(
        self,
        row_class: type[R],
        *attributes: str,
        retention: Retention[R] | None = None,
        internal: bool = False,
        **index_of: Callable[[R], Hashable],
    ) -> None:
        if retention is not None:
            index_of |= retention.index_of()
        self.row_class = row_class
        self.index_names = (*attributes, *index_of)
        self.index_values = _values_getter(attributes, tuple(index_of.values()))
        """The value of a row in each index."""
        self.retention = retention
        self.internal = internal
        """Whether the rows are records of the mock server itself, which a user of the API has no use for."""


class Table(Generic[R]):
    """Rows of one kind.

    Every row has a number, in order of insertion. An index maps a value to the sorted numbers of its
    rows, so a page costs the same with a thousand rows as with a million. Several filters cost as much
    as the one that leaves the fewest rows. A row whose value is None is not in that index, one whose
    value is a frozenset is there with each member; a `Ranked` has its rows by rank. Every change is
    noted in `undo`.
    """

    __slots__ = (
        "_changed",
        "_ids",
        "_index_values",
        "_indexes",
        "_latest",
        "_live",
        "_next_number",
        "_numbers",
        "_owned",
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
        self._index_values = schema.index_values
        self._indexes: dict[str, dict[Hashable, list[int]]] = {name: {} for name in schema.index_names}
        self._owned: tuple[set[Hashable] | None, ...] = (None,) * len(self._indexes)
        """For each index the values whose lists no snapshot shares; None if no list is shared."""
        self._latest: tuple[R | None, tuple[Hashable, ...]] = (None, ())
        """The row that was written last, even if it is removed now, and its values in the indexes.

        A call often changes a row again.
        """
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
        self._reindex(before, row, number)
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
            self._reindex(current, before, key)
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
        values = self._index_values(row)
        self._latest = row, values
        for index, owned, value in zip(self._indexes.values(), self._owned, values, strict=True):
            if value is None:
                continue
            # Nearly always there are rows with this value, and the new one has the highest number.
            numbers = index.get(value)
            if numbers is not None and owned is None and numbers[-1] < number:
                numbers.append(number)
            else:
                for member, entry in _entries(value, number):
                    _insert_at(index, owned, member, entry)

    def _delete_rows(self, numbered: list[tuple[int, R]]) -> None:
        """Delete rows, in the order of their numbers."""
        if self._changed is not None:
            self._note_changed([number for number, _ in numbered])
        for number, row in numbered:
            del self._rows[row.id]
            del self._numbers[row.id]
            del self._ids[number]
        _delete(self._live, [number for number, _ in numbered])
        columns = zip(*[self._index_values(row) for _, row in numbered], strict=True)
        for index, owned, column in zip(self._indexes.values(), self._owned, columns, strict=True):
            gone: dict[Hashable, list[int]] = {}
            for (number, _), value in zip(numbered, column, strict=True):
                for member, entry in _entries(value, number):
                    gone.setdefault(member, []).append(entry)
            for member, entries in gone.items():
                # Numbers are in order already, ranks are not.
                _delete_at(index, owned, member, sorted(entries))

    def _reindex(self, before: R, after: R, number: int) -> None:
        if self._changed is not None:
            self._note_changed([number])
        if not self._indexes:
            return
        latest, old_values = self._latest
        if latest is not before:
            old_values = self._index_values(before)
        new_values = self._index_values(after)
        self._latest = after, new_values
        # Most changes leave every index as it is.
        if old_values == new_values:
            return
        indexes = zip(self._indexes.values(), self._owned, old_values, new_values, strict=True)
        for index, owned, old, new in indexes:
            if old != new:
                for member, entry in _entries(old, number):
                    _delete_at(index, owned, member, [entry])
                for member, entry in _entries(new, number):
                    _insert_at(index, owned, member, entry)

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

    def highest(self, index: str, value: Hashable) -> R | None:
        """Of the rows that are ranked with this value in an index, the one with the highest rank, or None."""
        entries = self._indexes[index].get(value)
        return self._row_at(entries[-1] % _RANK) if entries else None

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
        """The numbers of the rows that pass. It may be a list of the table itself, not to change or keep."""
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
        # A KeyError never happens: every change goes through `_insert_row`, `_delete_rows` and `_reindex`.
        return self._rows[self._ids[number]]

    # --- dropping --------------------------------------------------------------------------------

    def find_surplus(
        self,
        after: R | TableHead | None,
        kept: Callable[[str], int],
        forgotten_ms: Callable[[], int],
    ) -> Iterable[str]:
        """After a change of a row to a value, as it was noted, the ids of rows to drop, oldest first.

        They are what its group has beyond the setting that `kept` gives, and what expired before a time.
        """
        retention, numbers = self.retention, []
        assert retention is not None
        if retention.expires_ms is not None:
            numbers += self._find_expired(forgotten_ms())
        most = kept(retention.setting)
        if len(self._rows) > most and after is not None and not isinstance(after, TableHead):
            # None any more, if the row has changed again since.
            members = self._indexes[GROUP].get(retention.group(after), [])
            surplus = len(members) - most
            if surplus > 0:
                numbers += members[: min(surplus + most // _ROWS_PER_EXTRA, _MOST_AT_ONCE)]
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
        if not self._shared:
            self._shared, self._version = True, object()
        return TableState(
            self._rows,
            self._numbers,
            self._ids,
            self._next_number,
            self._live,
            self._indexes,
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
            self._indexes,
            self.dropped,
            self._version,
        ) = state
        self._shared = True

    def note_differences(self, state: TableState) -> None:
        """Note in the undo log what `restore` will change."""
        if state.rows is self._rows:
            return
        # Before the rows: an insertion of one says only then that there were as many as its number.
        self._undo.note(self, HEAD, self.head, TableHead(state.next_number, state.dropped))
        if self._changed is not None and state.version is self._version:
            numbers = self._changed
        else:
            numbers = self._ids.keys() | state.ids.keys()
        for number in sorted(numbers):
            row, coming = _find(self._ids, self._rows, number), _find(state.ids, state.rows, number)
            if row is not coming and row != coming:
                self._undo.note(self, number, row, coming)

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
        self._indexes = {name: {} for name in self._indexes}
        self._owned = (None,) * len(self._indexes)
        self._shared, self._changed = False, None
        self._next_number = 0
        for number, row in rows:
            if number < self._next_number or number >= next_number or row.id in self._rows:
                raise ValueError(f"row {row.id} cannot have the number {number}")
            self._next_number = number
            self._insert_row(row, number)
        self._next_number = next_number
        self.dropped = dropped

    def _copy(self) -> None:
        # Rows are immutable, so a copy of the containers is enough. Most lists of the indexes never change
        # again, so each is copied when it does.
        self._rows = self._rows.copy()
        self._numbers = self._numbers.copy()
        self._ids = self._ids.copy()
        self._live = self._live.copy()
        self._indexes = {name: index.copy() for name, index in self._indexes.items()}
        self._owned = tuple([set() for _ in self._indexes])
        self._shared, self._changed = False, set()


def _values_getter(
    names: tuple[str, ...], functions: tuple[Callable[[R], Hashable], ...]
) -> Callable[[R], tuple[Hashable, ...]]:
    """What returns the attributes of a row with these names, and the values of functions.

    Spelt out for few functions: it runs twice for each change of a row.
    """
    attributes_of = _attributes_getter(names)
    if not functions:
        return attributes_of
    first, *others = functions
    if not others:
        return lambda row: (*attributes_of(row), first(row))
    second, *others = others
    if not others:
        return lambda row: (*attributes_of(row), first(row), second(row))
    return lambda row: (*attributes_of(row), *[value_of(row) for value_of in functions])


def _attributes_getter(names: tuple[str, ...]) -> Callable[[R], tuple[Hashable, ...]]:
    if not names:
        return lambda row: ()
    # `attrgetter` returns a tuple for several names only.
    return attrgetter(*names) if len(names) > 1 else lambda row: (getattr(row, names[0]),)


def _find(ids: Mapping[int, str], rows: Mapping[str, R], number: int) -> R | None:
    """The row with a number, or None."""
    row_id = ids.get(number)
    return None if row_id is None else rows[row_id]


def _is_in(numbers: list[int], number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _insert_at(
    index: dict[Hashable, list[int]], owned: set[Hashable] | None, value: Hashable, number: int
) -> None:
    if value in index:
        insort(_own(index, owned, value), number)
    else:
        index[value] = [number]


def _delete_at(
    index: dict[Hashable, list[int]], owned: set[Hashable] | None, value: Hashable, gone: list[int]
) -> None:
    if len(index[value]) > len(gone):
        _delete(_own(index, owned, value), gone)
        return
    del index[value]
    if owned is not None:
        owned.discard(value)


def _own(index: dict[Hashable, list[int]], owned: set[Hashable] | None, value: Hashable) -> list[int]:
    """The numbers of the rows with a value, to be changed: a list that a snapshot shares is copied."""
    if owned is not None and value not in owned:
        owned.add(value)
        index[value] = index[value].copy()
    return index[value]


def _delete(numbers: list[int], gone: list[int]) -> None:
    """Delete some of sorted numbers, in one piece: each deletion moves all numbers behind it."""
    begin = bisect_left(numbers, gone[0])
    if len(gone) == 1:
        del numbers[begin]
        return
    end = bisect_left(numbers, gone[-1]) + 1
    left_out = {*gone}
    numbers[begin:end] = [number for number in numbers[begin:end] if number not in left_out]


def _entries(value: Hashable, number: int) -> Collection[tuple[Hashable, int]]:
    """The values under which an index has a row, none for None, and what it has there for the row."""
    kind = type(value)
    if kind is frozenset:
        return [_entry(member, number) for member in cast(frozenset[Hashable], value)]
    return () if value is None else (_entry(value, number),)


def _entry(value: Hashable, number: int) -> tuple[Hashable, int]:
    return (value.value, value.rank * _RANK + number) if type(value) is Ranked else (value, number)
