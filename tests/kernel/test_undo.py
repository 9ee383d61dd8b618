"""What a refused call did is taken back, but what is spent stays spent."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.entropy import Entropy
from mockserver.kernel.schema import Schema
from mockserver.kernel.table import Table
from mockserver.kernel.timers import Timers
from mockserver.kernel.undo import Undo, size_of


class Code(NamedTuple):
    """A one-time code and how often it was tried."""

    id: str
    attempts: int = 0


class Notes:
    """Remembers the order in which it is told to put things back."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, Any]] = []

    def revert(self, key: Any, before: Any) -> None:
        """See `Undoable`."""
        self.told.append((key, before))


def test_the_latest_change_is_taken_back_first() -> None:
    undo, notes = Undo(), Notes()
    undo.note(notes, "a", 1, 3)
    undo.note(notes, "b", None, 3)
    undo.note(notes, "a", 2, 3)
    undo.roll_back()
    assert notes.told == [("a", 2), ("b", None), ("a", 1)]


def test_what_is_only_tried_is_undone_also_where_it_fails() -> None:
    undo, notes = Undo(), Notes()
    undo.note(notes, "a", 1, 3)

    def fail() -> None:
        with undo.undone():
            undo.note(notes, "b", 2, 3)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert notes.told == [("b", 2)]


def test_nothing_is_taken_back_twice_or_from_before_the_mark() -> None:
    undo, notes = Undo(), Notes()
    undo.note(notes, "a", 1, 3)
    undo.mark()
    undo.note(notes, "b", 2, 3)
    undo.roll_back()
    undo.roll_back()
    assert notes.told == [("b", 2)]


def test_keeping_is_for_one_call_only() -> None:
    undo, notes = Undo(), Notes()
    undo.note(notes, "a", 1, 3)
    undo.exempt(notes, "a")
    undo.roll_back()
    undo.note(notes, "a", 2, 3)
    undo.roll_back()
    assert notes.told == [("a", 2)]


def test_changes_take_memory_by_what_only_they_hold() -> None:
    notes, row = Notes(), Code("x" * 1_000)
    inserted, removed = (notes, 1, None, row), (notes, 2, row, None)
    counted = (notes, 3, row, row._replace(attempts=1))
    assert [size_of(changes) for changes in ([], [inserted], [inserted, counted])] == [0, 200, 400]
    assert size_of([removed]) == 200 + 56 + 1_000


def test_keys_of_two_holders_are_not_mixed_up() -> None:
    undo, notes, others = Undo(), Notes(), Notes()
    undo.note(notes, "a", 1, 3)
    undo.note(others, "a", 1, 3)
    undo.exempt(notes, "a")
    undo.roll_back()
    assert (notes.told, others.told) == ([], [("a", 1)])


def test_a_spent_attempt_stays_and_a_destroyed_code_stays_gone() -> None:
    undo = Undo()
    codes = Table(undo, Schema(Code))
    for name in ("tried", "burnt", "changed", "removed"):
        codes.insert(Code(name))
    undo.mark()
    codes.spend(Code("tried", 1))
    codes.destroy("burnt")
    codes.replace(Code("changed", 1))
    codes.remove("removed")
    codes.insert(Code("new"))
    undo.roll_back()
    assert list(codes) == [Code("tried", 1), Code("changed"), Code("removed")]


def test_a_row_that_is_inserted_and_spent_at_once_survives() -> None:
    undo = Undo()
    codes = Table(undo, Schema(Code))
    codes.insert(Code("before"))
    codes.spend(codes.insert(Code("nonce")))
    undo.roll_back()
    assert list(codes) == [Code("nonce")]
    codes.insert(Code("after"))
    assert [row.id for row in codes] == ["nonce", "after"]


def test_a_row_made_anew_and_spent_replaces_the_removed_one() -> None:
    undo = Undo()
    codes = Table(undo, Schema(Code, "attempts"))
    codes.insert(Code("nonce", 1))
    undo.mark()
    undo.collect()
    codes.remove("nonce")
    codes.spend(codes.insert(Code("nonce", 2)))
    undo.roll_back()
    assert list(codes) == [Code("nonce", 2)]
    assert {change[1:] for change in undo.collect()} == {
        (0, Code("nonce", 1), None),
        (1, None, Code("nonce", 2)),
    }
    assert codes.find("attempts", 1) == []


STEPS = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "timer", "cancel", "take", "draw"]), st.integers(0, 4)),
    max_size=25,
)


def act(step: tuple[str, int], codes: Table[Code], timers: Timers, entropy: Entropy) -> None:
    """Do one of the things a handler does."""
    kind, number = step
    name = str(number)
    if kind == "insert" and name not in codes:
        codes.insert(Code(name))
    elif kind == "remove" and name in codes:
        codes.remove(name)
    elif kind == "timer":
        timers.set(number * 10, "kind", name, "event")
    elif kind == "cancel":
        timers.cancel("kind", name)
    elif kind == "take":
        timers.pop_due(number * 10)
    elif kind == "draw":
        entropy.draw(name, 8)


@given(STEPS, STEPS, STEPS)
def test_after_a_refusal_the_call_might_never_have_been(
    before: list[tuple[str, int]], refused: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    seen = []
    for steps in ([], refused):
        undo = Undo()
        codes, timers, entropy = Table(undo, Schema(Code)), Timers(undo), Entropy("seed", undo)
        for step in before:
            act(step, codes, timers, entropy)
        undo.mark()
        state = (list(codes), codes.head, timers.pending(), timers.next_number, entropy.draws())
        for step in steps:
            act(step, codes, timers, entropy)
        undo.roll_back()
        assert (list(codes), codes.head, timers.pending(), timers.next_number, entropy.draws()) == state
        for step in after:
            act(step, codes, timers, entropy)
        seen.append((list(codes), timers.pending(), timers.next_number, entropy.draws(), entropy.uuid("x")))
    assert seen[0] == seen[1]
