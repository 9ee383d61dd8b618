"""The indexes of a table: for each value of an index the numbers of the rows that have it."""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Hashable, Mapping
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar, cast

R = TypeVar("R")

Numbers = dict[Hashable, list[int]]
"""By value the numbers of the rows."""

RANK = 1 << 64
"""What a rank is multiplied by in the list of an index, which has it above the number of the row."""
_COLLECTIONS = frozenset({list, set, frozenset})


class Ranked(NamedTuple):
    """A value of a row in an index, and its rank among the rows with this value: a whole number from 0.

    The rows of such a value are sorted by rank. Only `Table.ranked` and `highest` read them.
    """

    value: Hashable
    rank: int


class Indexes(Generic[R]):
    """An index maps a value to the sorted numbers of its rows.

    A row whose value is None is not in that index, one whose value is a frozenset is there with each
    member; a `Ranked` has its rows by rank.
    """

    __slots__ = ("_latest", "_owned", "_values_of", "numbers")

    def __init__(self, names: Collection[str], values_of: Callable[[R], tuple[Hashable, ...]]) -> None:
        self.numbers: dict[str, Numbers] = {name: {} for name in names}
        """Of each index by its name."""
        self._values_of = values_of
        self._owned: tuple[set[Hashable] | None, ...] = (None,) * len(self.numbers)
        """For each index the values whose lists no snapshot shares; None if no list is shared."""
        self._latest: tuple[R | None, tuple[Hashable, ...]] = (None, ())
        """The row that was written last, even if it is removed now, and its values.

        A call often changes a row again.
        """

    def add(self, row: R, number: int) -> None:
        """Add a row with its number."""
        values = self._values_of(row)
        self._latest = row, values
        for index, owned, value in zip(self.numbers.values(), self._owned, values, strict=True):
            if value is None:
                continue
            # Nearly always there are rows with this value, and the new one has the highest number.
            numbers = index.get(value)
            if numbers is not None and owned is None and numbers[-1] < number:
                numbers.append(number)
            else:
                for member, entry in _entries(value, number):
                    _insert_at(index, owned, member, entry)

    def remove(self, numbered: Collection[tuple[int, R]]) -> None:
        """Remove rows, in the order of their numbers."""
        columns = zip(*[self._values_of(row) for _, row in numbered], strict=True)
        for index, owned, column in zip(self.numbers.values(), self._owned, columns, strict=True):
            gone: dict[Hashable, list[int]] = {}
            for (number, _), value in zip(numbered, column, strict=True):
                for member, entry in _entries(value, number):
                    gone.setdefault(member, []).append(entry)
            for member, entries in gone.items():
                # Numbers are in order already, ranks are not.
                _delete_at(index, owned, member, sorted(entries))

    def change(self, before: R, after: R, number: int) -> None:
        """Take a row from the values that it had to those that it has."""
        if not self.numbers:
            return
        latest, old_values = self._latest
        if latest is not before:
            old_values = self._values_of(before)
        new_values = self._values_of(after)
        self._latest = after, new_values
        # Most changes leave every index as it is.
        if old_values == new_values:
            return
        indexes = zip(self.numbers.values(), self._owned, old_values, new_values, strict=True)
        for index, owned, old, new in indexes:
            if old != new:
                for member, entry in _entries(old, number):
                    _delete_at(index, owned, member, [entry])
                for member, entry in _entries(new, number):
                    _insert_at(index, owned, member, entry)

    def copy(self) -> None:
        """Leave what is there to the snapshots that share it. A list is copied when it changes: few do."""
        self.numbers = {name: index.copy() for name, index in self.numbers.items()}
        self._owned = tuple([set() for _ in self.numbers])

    def ranked(self, index: str, value: Hashable, start: int, end: int | None) -> list[int]:
        """The numbers of the rows that are ranked with this value, from a rank to below another, by rank."""
        entries, low, high = self._between(index, value, start, end)
        return [entry % RANK for entry in entries[low:high]]

    def highest(self, index: str, value: Hashable, start: int, end: int | None) -> int | None:
        """The number of the row with the highest of these ranks, or None."""
        entries, low, high = self._between(index, value, start, end)
        return entries[high - 1] % RANK if low < high else None

    def _between(
        self, index: str, value: Hashable, start: int, end: int | None
    ) -> tuple[list[int], int, int]:
        """What an index has for a value, and from where to where in it these ranks are."""
        entries = self.numbers[index].get(value, [])
        high = len(entries) if end is None else bisect_left(entries, end * RANK)
        return entries, bisect_left(entries, start * RANK), high

    def find(self, where: Mapping[str, Hashable | Collection[Hashable]], every: list[int]) -> list[int]:
        """The numbers of the rows that pass, of `every` there is. It is not to be changed or kept."""
        found: list[list[int]] = []
        for name, wanted in where.items():
            if wanted is None:
                continue
            index = self.numbers[name]
            if type(wanted) in _COLLECTIONS:
                values = cast(Collection[Hashable], wanted)
                numbers = sorted({number for value in values for number in index.get(value, ())})
            else:
                numbers = index.get(cast(Hashable, wanted), [])
            # Skip a filter that every row passes, such as `deleted: False` where nothing is deleted.
            if len(numbers) < len(every):
                found.append(numbers)
        if not found:
            return every
        # Start from the filter that leaves the fewest rows, and look each of them up in the others.
        common, *others = sorted(found, key=len)
        for numbers in others:
            common = [number for number in common if _is_in(numbers, number)]
        return common


def values_getter(
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


def delete_sorted(numbers: list[int], gone: list[int]) -> None:
    """Delete some of sorted numbers, in one piece: each deletion moves all numbers behind it."""
    begin = bisect_left(numbers, gone[0])
    end = bisect_left(numbers, gone[-1]) + 1
    left_out = {*gone}
    numbers[begin:end] = [number for number in numbers[begin:end] if number not in left_out]


def _is_in(numbers: list[int], number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _insert_at(index: Numbers, owned: set[Hashable] | None, value: Hashable, number: int) -> None:
    if value in index:
        insort(_own(index, owned, value), number)
    else:
        index[value] = [number]


def _delete_at(index: Numbers, owned: set[Hashable] | None, value: Hashable, gone: list[int]) -> None:
    if len(index[value]) > len(gone):
        delete_sorted(_own(index, owned, value), gone)
        return
    del index[value]
    if owned is not None:
        owned.discard(value)


def _own(index: Numbers, owned: set[Hashable] | None, value: Hashable) -> list[int]:
    """The numbers of the rows with a value, to be changed: a list that a snapshot shares is copied."""
    if owned is not None and value not in owned:
        owned.add(value)
        index[value] = index[value].copy()
    return index[value]


def _entries(value: Hashable, number: int) -> Collection[tuple[Hashable, int]]:
    """The values under which an index has a row, none for None, and what it has there for the row."""
    kind = type(value)
    if kind is frozenset:
        return [_entry(member, number) for member in cast(frozenset[Hashable], value)]
    return () if value is None else (_entry(value, number),)


def _entry(value: Hashable, number: int) -> tuple[Hashable, int]:
    return (value.value, value.rank * RANK + number) if type(value) is Ranked else (value, number)
