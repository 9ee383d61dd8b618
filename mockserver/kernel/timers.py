"""Due events as data: what will happen when, to which row."""

from bisect import bisect_left, insort
from typing import NamedTuple

from mockserver.kernel.undo import Undo


class Timer(NamedTuple):
    """An event that is due. Timers of the same moment fire in the order they were set."""

    due_ms: int
    number: int
    kind: str
    row_id: str
    event: str


class Timers:
    """The timers of a project, soonest first."""

    __slots__ = ("_next_number", "_queue", "_undo")

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._queue: list[Timer] = []
        self._next_number = 0

    def __len__(self) -> int:
        return len(self._queue)

    def set(self, due_ms: int, kind: str, row_id: str, event: str) -> Timer:
        """Let an event happen to a row at a moment."""
        timer = Timer(due_ms, self._next_number, kind, row_id, event)
        self._next_number += 1
        self._undo.note(self, timer, None)
        insort(self._queue, timer)
        return timer

    def cancel(self, kind: str, row_id: str) -> None:
        """Forget every timer of a row."""
        for timer in [timer for timer in self._queue if timer.row_id == row_id and timer.kind == kind]:
            self._undo.note(self, timer, timer)
            self._queue.remove(timer)

    def next_due_ms(self, row_id: str | None = None) -> int | None:
        """When the soonest timer is due, of all or of one row; None when there is none."""
        if row_id is None:
            return self._queue[0].due_ms if self._queue else None
        return next((timer.due_ms for timer in self._queue if timer.row_id == row_id), None)

    def take_due(self, moment_ms: int) -> Timer | None:
        """Remove and answer the soonest timer that is due at a moment, or None."""
        if not self._queue or self._queue[0].due_ms > moment_ms:
            return None
        timer = self._queue.pop(0)
        self._undo.note(self, timer, timer)
        return timer

    def pending(self) -> tuple[Timer, ...]:
        """Every timer, soonest first."""
        return tuple(self._queue)

    def put_back(self, key: Timer, before: Timer | None) -> None:
        """See `Undo`."""
        place = bisect_left(self._queue, key)
        stands = place < len(self._queue) and self._queue[place] == key
        if before is None and stands:
            del self._queue[place]
        elif before is not None and not stands:
            self._queue.insert(place, before)
        if before is None:
            # A timer that never was does not use up a number.
            self._next_number = min(self._next_number, key.number)

    def snapshot(self) -> tuple[tuple[Timer, ...], int]:
        """Every timer and the next number."""
        return tuple(self._queue), self._next_number

    def restore(self, state: tuple[tuple[Timer, ...], int]) -> None:
        """Hold again what a snapshot took."""
        self._queue = list(state[0])
        self._next_number = state[1]
