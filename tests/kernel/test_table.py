"""A table answers as a plain list of rows would, takes changes back, and costs the same at any size."""

import tracemalloc
from collections import Counter
from collections.abc import Hashable
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mockserver.kernel.indexes import Ranked
from mockserver.kernel.schema import Schema
from mockserver.kernel.table import HEAD, Order, Table, TableHead, TableState
from mockserver.kernel.undo import Undo
from tests.tables import cases


class Thing(NamedTuple):
    """A row with three indexes: one leaves rows out, one has them by rank, in two lists."""

    id: str
    color: str
    size: int | None = None
    note: int = 0


def ranks(row: Thing) -> frozenset[Ranked] | None:
    """A thing of size 1 has no rank."""
    return None if row.size == 1 else frozenset((Ranked(row.color, row.note), Ranked("any", 9 - row.note)))


THINGS = Schema(Thing, color=lambda row: row.color, size=lambda row: row.size, ranks=ranks)


def things(undo: Undo | None = None) -> Table[Thing]:
    """An empty table."""
    return Table(undo or Undo(), THINGS)


IDS = st.sampled_from([f"thing-{number}" for number in range(12)])
COLORS = st.sampled_from(["red", "green", "blue"])
SIZES = st.none() | st.integers(0, 3)
Rows = list[Thing]


class TableAgainstAList(RuleBasedStateMachine):
    """The model is the rows in order of birth; what is spent is done to the kept model as well."""

    @initialize()
    def begin(self) -> None:
        self.undo = Undo()
        self.table = things(self.undo)
        self.rows: Rows = []
        self.marked: Rows = []
        self.spent: dict[str, Thing | None] = {}
        self.dropped = 0
        self.snapshots: list[tuple[TableState, Rows]] = []

    def row(self, row_id: str) -> Thing | None:
        return next((row for row in self.rows if row.id == row_id), None)

    @rule(row_id=IDS, color=COLORS, size=SIZES)
    def insert(self, row_id: str, color: str, size: int | None) -> None:
        if row_id in self.spent:
            # What was destroyed for good does not come back within the same call.
            return
        row = Thing(row_id, color, size)
        if self.row(row_id) is None:
            assert self.table.insert(row) is row
            self.rows.append(row)
        else:
            with pytest.raises(KeyError):
                self.table.insert(row)

    @rule(row_id=IDS, color=COLORS, size=SIZES, note=st.integers(0, 3))
    def change(self, row_id: str, color: str, size: int | None, note: int) -> None:
        before = self.row(row_id)
        if before is None:
            with pytest.raises(KeyError):
                self.table.replace(Thing(row_id, color, size))
            return
        after = before._replace(color=color, size=size, note=note)
        self.table.replace(after)
        self.rows[self.rows.index(before)] = after
        if row_id in self.spent:
            self.spent[row_id] = after

    @rule(row_id=IDS)
    def remove(self, row_id: str) -> None:
        before = self.row(row_id)
        if before is None:
            with pytest.raises(KeyError):
                self.table.remove(row_id)
            return
        self.table.remove(row_id)
        self.rows.remove(before)
        if row_id in self.spent:
            self.spent[row_id] = None

    @rule(row_id=IDS, note=st.integers(4, 9))
    def spend(self, row_id: str, note: int) -> None:
        before = self.row(row_id)
        if before is None or all(row.id != row_id for row in self.marked):
            return
        after = before._replace(note=note)
        self.table.spend(after)
        self.rows[self.rows.index(before)] = after
        self.spent[row_id] = after

    @rule(row_id=IDS)
    def destroy(self, row_id: str) -> None:
        before = self.row(row_id)
        if before is None or all(row.id != row_id for row in self.marked):
            return
        self.table.destroy(row_id)
        self.rows.remove(before)
        self.spent[row_id] = None

    @rule(row_ids=st.sets(IDS))
    def drop(self, row_ids: set[str]) -> None:
        self.mark()
        gone = [row for row in self.rows if row.id in row_ids]
        if not gone:
            return
        self.table.drop(row.id for row in gone)
        self.rows = [row for row in self.rows if row not in gone]
        self.dropped += len(gone)
        assert self.table.dropped == self.dropped
        self.mark()

    @rule()
    def mark(self) -> None:
        self.undo.mark()
        self.marked, self.spent = list(self.rows), {}

    @rule()
    def roll_back(self) -> None:
        self.undo.roll_back()
        born = {row.id: place for place, row in enumerate(self.marked)}
        kept = [self.spent.get(row.id, row) for row in self.marked]
        self.rows = sorted((row for row in kept if row is not None), key=lambda row: born[row.id])
        self.marked, self.spent = list(self.rows), {}

    @rule()
    def snapshot(self) -> None:
        self.mark()
        self.snapshots.append((self.table.snapshot(), list(self.rows)))

    @precondition(lambda self: self.snapshots)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        state, rows = data.draw(st.sampled_from(self.snapshots))
        self.undo.take()
        self.table.note_differences(state)
        head = self.table.head
        now, then = {self.table.number(row.id): row for row in self.table}, dict(state.numbered())
        noted = {key: (before, after) for _, key, before, after in self.undo.take()}
        heads = noted.pop(HEAD, (head, head))
        numbers = now.keys() | then.keys()
        assert noted == {n: (now.get(n), then.get(n)) for n in numbers if now.get(n) != then.get(n)}
        self.table.restore(state)
        assert heads == (head, self.table.head)
        self.rows, self.dropped = list(rows), state.dropped
        self.mark()

    @rule(
        skip=st.integers(0, 6),
        limit=st.integers(1, 5),
        order=st.sampled_from(["asc", "desc"]),
        color=st.none() | COLORS | st.lists(COLORS) | st.sets(COLORS) | st.frozensets(COLORS),
        size=SIZES,
        odd=st.booleans(),
    )
    def page(self, skip: int, limit: int, order: Order, color: Any, size: int | None, odd: bool) -> None:
        colors = [color] if isinstance(color, str) else color
        wanted = [
            row
            for row in self.rows
            if (colors is None or row.color in colors)
            and (size is None or row.size == size)
            and (not odd or row.note % 2)
        ]
        page = self.table.page(
            skip=skip,
            limit=limit,
            order=order,
            where={"color": color, "size": size},
            accept=(lambda row: row.note % 2 == 1) if odd else None,
        )
        ordered = wanted if order == "asc" else wanted[::-1]
        assert page.rows == ordered[skip : skip + limit]
        assert page.total == len(wanted)

    @invariant()
    def it_holds_what_the_list_holds(self) -> None:
        assert list(self.table) == self.rows
        assert len(self.table) == len(self.rows)
        for row in self.rows:
            assert row.id in self.table
            assert self.table.get(row.id) is self.table[row.id] is row

    @invariant()
    def its_indexes_agree(self) -> None:
        for color in ("red", "green", "blue"):
            rows = [row for row in self.rows if row.color == color]
            assert self.table.find("color", color) == rows
            assert self.table.first("color", color) == (rows[0] if rows else None)
            assert self.table.last("color", color) == (rows[-1] if rows else None)
        assert self.table.find("size", 2) == [row for row in self.rows if row.size == 2]

    @invariant()
    def its_ranks_agree(self) -> None:
        ranked = [row for row in self.rows if row.size != 1]
        first = self.table.highest("ranks", "any")
        assert (first and first.note) == min((row.note for row in ranked), default=None)
        for color in ("red", "green", "blue"):
            notes = [row.note for row in ranked if row.color == color]
            last = self.table.highest("ranks", color)
            assert (last and last.note) == max(notes, default=None)
            assert last is None or last.color == color
            last = self.table.highest("ranks", color, 2, 5)
            assert (last and last.note) == max((note for note in notes if 2 <= note < 5), default=None)
            between = [row.note for row in self.table.ranked("ranks", color, 2, 5)]
            assert between == sorted(note for note in notes if 2 <= note < 5)
            assert [row.note for row in self.table.ranked("ranks", color)] == sorted(notes)


TableAgainstAList.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestTableAgainstAList = TableAgainstAList.TestCase


def test_a_row_left_out_of_an_index_is_in_none_of_its_lists() -> None:
    table = things()
    table.insert(Thing("a", "red"))
    assert table.find("size", None) == []
    assert table.page(limit=5, where={"size": None}).total == 1


def test_an_unknown_id_is_none_or_a_key_error() -> None:
    table = things()
    assert table.get("nobody") is None
    with pytest.raises(KeyError):
        table["nobody"]


def test_rows_may_be_removed_while_the_table_is_read_through() -> None:
    table = things()
    for name in "abcd":
        table.insert(Thing(name, "red"))
    seen = []
    for row in table:
        seen.append(row.id)
        if row.id == "b":
            table.remove("c")
            table.insert(Thing("e", "red"))
    assert seen == ["a", "b", "d"]


def test_a_restore_compares_all_rows_if_too_many_have_changed() -> None:
    undo = Undo()
    table = things(undo)
    for number in range(3_000):
        table.insert(Thing(str(number), "red"))
    state = table.snapshot()
    for number in range(0, 3_000, 2):
        table.replace(Thing(str(number), "blue"))
    undo.take()
    table.note_differences(state)
    noted = [(key, before.color, after.color) for _, key, before, after in undo.take() if key != HEAD]
    assert noted == [(number, "blue", "red") for number in range(0, 3_000, 2)]


def test_a_list_of_an_index_is_copied_once_after_a_snapshot() -> None:
    class Copied(list[int]):
        copies = 0

        def copy(self) -> "Copied":
            Copied.copies += 1
            return Copied(self)

    table = things()
    for number in range(5):
        table.insert(Thing(str(number), "red"))
    state = table.snapshot()
    state.indexes["color"]["red"] = Copied(state.indexes["color"]["red"])
    for number in range(3):
        table.insert(Thing(f"new {number}", "red"))
        table.remove(str(number))
    assert Copied.copies == 1
    assert [row.id for row in table.find("color", "red")] == ["3", "4", "new 0", "new 1", "new 2"]


def test_what_comes_and_goes_after_a_snapshot_leaves_nothing() -> None:
    undo = Undo()
    table = things(undo)
    table.insert(Thing("stays", "red"))
    table.snapshot()

    def come_and_go(numbers: range) -> int:
        for number in numbers:
            for name in ("first", "second"):
                table.insert(Thing(name, str(number)))
            for name in ("first", "second"):
                table.replace(Thing(name, f"{number} again", 1))
            for name in ("first", "second"):
                table.remove(name)
            undo.mark()
            undo.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    before, after = come_and_go(range(500)), come_and_go(range(500, 1_500))
    tracemalloc.stop()
    assert after - before < 4_000


def test_a_number_that_stays_taken_is_noted_when_dropped() -> None:
    undo = Undo()
    table = things(undo)
    table.insert(Thing("old", "red"))
    undo.mark()
    table.drop(["old"])
    undo.take()
    table.insert(Thing("refused", "red"))
    table.spend(table.insert(Thing("spent", "red")))
    heads = [(before, after) for _, key, before, after in undo.roll_back() if key == HEAD]
    assert heads == [(TableHead(1, 1), TableHead(3, 1))]


def test_a_restored_snapshot_is_taken_back_with_its_counts() -> None:
    undo = Undo()
    table = things(undo)
    state = table.snapshot()
    table.insert(Thing("old", "red"))
    undo.mark()
    table.drop(["old"])
    new = table.insert(Thing("new", "red"))
    undo.mark()
    table.note_differences(state)
    table.restore(state)
    assert (table.head, [*table]) == (TableHead(0, 0), [])
    undo.roll_back()
    assert (table.head, [*table]) == (TableHead(2, 1), [new])


def test_a_filled_table_forgets_the_snapshot_it_came_from() -> None:
    undo = Undo()
    table = things(undo)
    kept = table.insert(Thing("kept", "red"))
    state = table.snapshot()
    table.insert(Thing("new", "blue"))
    table.fill([(3, Thing("other", "green"))], next_number=4, dropped=0)
    undo.take()
    table.note_differences(state)
    noted = {key: (before, after) for _, key, before, after in undo.take() if key != HEAD}
    assert noted == {0: (None, kept), 3: (Thing("other", "green"), None)}


def test_a_snapshot_shares_everything_until_the_next_write() -> None:
    table = things()
    for number in range(500):
        table.insert(Thing(str(number), "red", number))
    first, second = table.snapshot(), table.snapshot()
    assert all(a is b for a, b in zip(first, second, strict=True))
    table.replace(Thing("1", "green", 1))
    containers = [each for each in zip(first, table.snapshot(), strict=True) if type(each[0]) is not int]
    assert containers
    assert not any(a is b for a, b in containers)


class CountingList(list[int]):
    """Counts how many members are looked at."""

    looked_at = 0

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        CountingList.looked_at += len(found) if isinstance(place, slice) else 1
        return found

    def __iter__(self) -> Any:
        CountingList.looked_at += len(self)
        return super().__iter__()


@cases("order", "asc", "desc")
@cases("where", {}, {"color": "red"})
def test_a_page_looks_at_only_the_rows_it_shows(order: Order, where: dict[str, str]) -> None:
    looked_at = []
    for size in (100, 10_000):
        table = things()
        for number in range(size):
            table.insert(Thing(str(number), "red", number))
        state = table.snapshot()
        state.indexes["color"]["red"] = CountingList(state.indexes["color"]["red"])
        table = things()
        table.restore(state._replace(live=CountingList(state.live)))
        CountingList.looked_at = 0
        page = table.page(skip=40, limit=10, order=order, where=where)
        assert (len(page.rows), page.total) == (10, size)
        looked_at.append(CountingList.looked_at)
    assert looked_at[0] == looked_at[1] <= 20


@cases("where", {"color": "red", "size": 7}, {"color": "red", "kept": True}, {"size": 7, "kept": True})
def test_filters_together_cost_what_the_rarest_leaves(where: dict[str, Hashable]) -> None:
    """The one that every row passes costs nothing, and the others are not read through."""
    schema = Schema(Thing, color=lambda row: row.color, size=lambda row: row.size, kept=lambda row: True)
    looked_at = []
    for size in (100, 10_000):
        table = Table(Undo(), schema)
        for number in range(size):
            table.insert(Thing(str(number), "blue" if number in (3, 20) else "red", min(number, 50)))
        state = table.snapshot()
        for index in state.indexes.values():
            for value in index:
                index[value] = CountingList(index[value])
        table = Table(Undo(), schema)
        table.restore(state._replace(live=CountingList(state.live)))
        CountingList.looked_at = 0
        assert table.page(limit=10, where=where).total == (1 if "size" in where else size - 2)
        looked_at.append(CountingList.looked_at)
    assert looked_at[1] <= looked_at[0] + 20


def test_a_change_touches_only_the_indexes_whose_value_changed() -> None:
    asked: Counter[str] = Counter()

    def color_of(row: Thing) -> str:
        asked["color"] += 1
        return row.color

    table = Table(Undo(), Schema(Thing, color=color_of))
    for number in range(1_000):
        table.insert(Thing(str(number), "red"))
    asked.clear()
    table.replace(Thing("7", "blue"))
    table.remove("8")
    assert asked["color"] == 3


def test_a_rolled_back_removal_at_the_end_restores_places() -> None:
    undo = Undo()
    table = things(undo)
    for number in range(3):
        table.insert(Thing(f"thing-{number}", "red"))
    undo.mark()
    # The insertion cuts off nothing while it lasts; undoing it cuts off the gaps of both removed rows.
    table.remove("thing-1")
    table.remove("thing-2")
    table.insert(Thing("thing-3", "red"))
    undo.roll_back()
    table.insert(Thing("thing-4", "red"))
    ordered = table.page(limit=10, where={"color": "red"}, order="asc").rows
    assert [row.id for row in ordered] == ["thing-0", "thing-1", "thing-2", "thing-4"]


def test_a_row_is_found_by_each_of_several_values_of_one_index() -> None:
    undo = Undo()
    table = Table(undo, Schema(Thing, either=lambda row: frozenset({row.color, row.size})))
    table.insert(Thing("first", "red", 1))
    table.insert(Thing("second", "blue", 1))
    undo.mark()
    assert [row.id for row in table.find("either", 1)] == ["first", "second"]
    assert table.page(limit=9, where={"either": ["red", 1]}).total == 2

    table.replace(Thing("first", "green", 1))
    table.remove("second")
    assert table.find("either", "red") == []
    assert [row.id for row in table.find("either", 1)] == ["first"]
    undo.roll_back()
    assert [row.id for row in table.find("either", "blue")] == ["second"]
    assert [row.id for row in table.find("either", "red")] == ["first"]
    assert table.find("either", "green") == []


def test_the_oldest_row_with_any_of_some_values_is_found() -> None:
    table = things()
    for number, color in enumerate(["blue", "red", "green", "red"]):
        table.insert(Thing(str(number), color))
    oldest = table.oldest("color", ["green", "red", "black"])
    assert oldest is not None
    assert oldest.id == "1"
    assert table.oldest("color", ["black"]) is None


def test_rows_that_are_read_keep_their_numbers() -> None:
    table = things()
    table.fill([(0, Thing("a", "red")), (2, Thing("b", "red"))], 3, 4)
    assert ([row.id for row in table], table.number("b"), table.head) == (["a", "b"], 2, TableHead(3, 4))


@cases("numbers, ids", ((0, 3), "ab"), ((1, 0), "ab"), ((0, 0), "ab"), ((0, 1), "aa"))
def test_rows_whose_numbers_or_ids_clash_are_not_taken(numbers: tuple[int, int], ids: str) -> None:
    rows = [(number, Thing(named, "red")) for number, named in zip(numbers, ids, strict=True)]
    with pytest.raises(ValueError, match="cannot have the number"):
        things().fill(rows, 3, 0)
