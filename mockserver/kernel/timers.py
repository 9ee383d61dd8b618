"""Timers as data: when which event is due for which row."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from mockserver.kernel.undo import Undo


class Timer(NamedTuple):
    """An event that is due. Timers with the same due time fire in the order they were set."""

    due_ms: int
    number: int
    kind: str
    row_id: str
    event: str


class Fired(NamedTuple):
    """A fired timer: its row, its event, and the states before and after."""

    at_ms: int
    kind: str
    id: str
    event: str
    source: str
    target: str


class Timers:
    """The timers of a project, soonest first. Those of one row are indexed."""

    __slots__ = ("_of_row", "_queue", "_undo", "next_number")

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._queue: list[Timer] = []
        self._of_row: dict[str, list[Timer]] = {}
        self.next_number = 0
        """The number of the next timer."""

    def __len__(self) -> int:
        return len(self._queue)

    def __contains__(self, timer: Timer) -> bool:
        return timer in self._of_row.get(timer.row_id, ())

    def set(self, due_ms: int, kind: str, row_id: str, event: str) -> Timer:
        """Set a timer: an event for a row at a time."""
        timer = Timer(due_ms, self.next_number, kind, row_id, event)
        self.next_number += 1
        self._undo.note(self, timer, None, timer)
        self._insert(timer)
        return timer

    def cancel(self, kind: str, row_id: str) -> None:
        """Remove every timer of a row."""
        # A list first: `_remove` changes the list that is iterated.
        for timer in [timer for timer in self._of_row.get(row_id, ()) if timer.kind == kind]:
            self._undo.note(self, timer, timer, None)
            self._remove(timer)

    def next_due_ms(self, row_id: str | None = None) -> int | None:
        """When the soonest timer is due, of all or of one row; None when there is none."""
        queue = self._queue if row_id is None else self._of_row.get(row_id)
        return queue[0].due_ms if queue else None

    def pop_due(self, moment_ms: int) -> Timer | None:
        """Remove and return the soonest timer that is due by a time, or None."""
        if not self._queue or self._queue[0].due_ms > moment_ms:
            return None
        timer = self._queue[0]
        self._undo.note(self, timer, timer, None)
        self._remove(timer)
        return timer

    def pending(self) -> tuple[Timer, ...]:
        """Every timer, soonest first."""
        return tuple(self._queue)

    def revert(self, key: Timer, before: Timer | None) -> None:
        """See `Undo`."""
        is_set = key in self
        if before is None and is_set:
            self._remove(key)
        elif before is not None and not is_set:
            self._insert(before)
        if before is None:
            # An undone timer gives its number back: later numbers must not depend on rejected calls.
            self.next_number = min(self.next_number, key.number)

    def _insert(self, timer: Timer) -> None:
        insort(self._queue, timer)
        insort(self._of_row.setdefault(timer.row_id, []), timer)

    def _remove(self, timer: Timer) -> None:
        del self._queue[bisect_left(self._queue, timer)]
        own = self._of_row[timer.row_id]
        own.remove(timer)
        if not own:
            del self._of_row[timer.row_id]

    def note_differences(self, timers: Sequence[Timer]) -> None:
        """Note in the undo log what `restore` will change."""
        coming = set(timers)
        for timer in self._queue:
            if timer not in coming:
                self._undo.note(self, timer, timer, None)
        for timer in timers:
            if timer not in self:
                self._undo.note(self, timer, None, timer)

    def restore(self, timers: Sequence[Timer], next_number: int) -> None:
        """Set exactly these timers, soonest first."""
        self._queue = list(timers)
        self._of_row = {}
        for timer in timers:
            self._of_row.setdefault(timer.row_id, []).append(timer)
        self.next_number = next_number
