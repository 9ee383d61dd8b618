"""Timers fire soonest first, those of one moment in the order they were set."""

from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.timers import Timer, Timers
from mockserver.kernel.undo import Undo

KINDS = st.sampled_from(["transaction", "solana"])
DUE = st.tuples(st.integers(0, 5), KINDS, st.sampled_from("ab"))


def drained(timers: Timers, moment_ms: int) -> list[Timer]:
    """Everything that is due, in the order it fires."""
    taken = []
    while (timer := timers.pop_due(moment_ms)) is not None:
        taken.append(timer)
    return taken


@given(st.lists(DUE), st.integers(0, 5))
def test_what_is_due_fires_soonest_first(due: list[tuple[int, str, str]], moment_ms: int) -> None:
    timers = Timers(Undo())
    made = [timers.set(due_ms, kind, row_id, "event") for due_ms, kind, row_id in due]
    assert [timer.number for timer in made] == [*range(len(due))]
    ordered = sorted(made, key=lambda timer: timer.due_ms)
    assert list(timers.pending()) == ordered
    assert drained(timers, moment_ms) == [timer for timer in ordered if timer.due_ms <= moment_ms]
    assert list(timers.pending()) == [timer for timer in ordered if timer.due_ms > moment_ms]


@given(st.lists(DUE), KINDS, st.sampled_from("ab"))
def test_cancelling_forgets_that_row_only(due: list[tuple[int, str, str]], kind: str, row_id: str) -> None:
    timers = Timers(Undo())
    for due_ms, its_kind, its_row in due:
        timers.set(due_ms, its_kind, its_row, "event")
    kept = [timer for timer in timers.pending() if (timer.kind, timer.row_id) != (kind, row_id)]
    timers.cancel(kind, row_id)
    assert list(timers.pending()) == kept
    assert len(timers) == len(kept)


def test_the_soonest_moment_is_told_for_all_and_for_a_row() -> None:
    timers = Timers(Undo())
    assert timers.next_due_ms() is None
    timers.set(30, "transaction", "a", "late")
    timers.set(20, "transaction", "b", "soon")
    assert timers.next_due_ms() == 20
    assert timers.next_due_ms("a") == 30
    assert timers.next_due_ms("c") is None
    assert timers.pop_due(19) is None


@given(st.lists(DUE), st.lists(DUE), KINDS)
def test_a_refused_call_leaves_timers_and_numbers_alone(
    before: list[tuple[int, str, str]], refused: list[tuple[int, str, str]], kind: str
) -> None:
    undo = Undo()
    timers = Timers(undo)
    for due_ms, its_kind, row_id in before:
        timers.set(due_ms, its_kind, row_id, "event")
    undo.mark()
    state = timers.pending(), timers.next_number
    for due_ms, its_kind, row_id in refused:
        timers.set(due_ms, its_kind, row_id, "event")
    timers.pop_due(2)
    timers.cancel(kind, "a")
    undo.roll_back()
    assert (timers.pending(), timers.next_number) == state


def test_a_timer_that_is_as_it_was_is_not_reverted_again() -> None:
    timers = Timers(Undo())
    kept, gone = timers.set(10, "transaction", "a", "kept"), timers.set(20, "transaction", "b", "gone")
    timers.cancel("transaction", "b")
    timers.revert(kept, kept)
    timers.revert(gone, None)
    assert timers.pending() == (kept,)


def test_a_restored_queue_is_not_the_snapshot_itself() -> None:
    timers = Timers(Undo())
    timers.set(1, "transaction", "a", "event")
    state = timers.pending()
    for _ in range(2):
        timers.restore(state, 1)
        assert timers.set(2, "transaction", "b", "event").number == 1
        timers.pop_due(1)
        assert [timer.row_id for timer in timers.pending()] == ["b"]
