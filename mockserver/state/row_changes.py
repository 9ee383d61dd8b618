"""What calls and moves of the clock changed: as the undo log noted it, and as the log of changes tells it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.kernel.entropy import Entropy
from mockserver.kernel.table import HEAD, Row, Table
from mockserver.kernel.timers import Fired, Timer
from mockserver.kernel.undo import Change, Undoable

_NOWHERE = (HEAD, None)
"""The number and the content of a row that is not there."""


class RowChange(NamedTuple):
    """A row that was created (`before` is None), changed or removed (`after` is None)."""

    table: str
    """Such as `identity.users`."""
    id: str
    before: Row | None
    after: Row | None
    number: int
    """The row's number in its table, that before if there was one."""


class HeadBefore(NamedTuple):
    """The head of a table before a change."""

    next_number: int = 0
    """The number of the next row."""
    dropped: int | None = None
    """How many rows were dropped; None for as many as after it."""


class Changes(NamedTuple):
    """What a call or a move of the clock changed for good, in order, unmasked."""

    rows: tuple[RowChange, ...]
    """Each row once, however often it was changed, those of internal tables included."""
    timers_set: tuple[Timer, ...]
    """Those that were still set in the end."""
    timers_removed: tuple[Timer, ...]
    """Those that fired or were cancelled, and that were set before."""
    fired: tuple[Fired, ...]
    size: int
    """About how many bytes of memory they take."""
    draws: tuple[tuple[str, int], ...] = ()
    """The streams of random values that were drawn from, and how often that was before."""
    heads: tuple[tuple[str, HeadBefore], ...] = ()
    """The heads before of the tables whose heads changed."""

    def read(self) -> "Changes":
        """Themselves: they were read before."""
        return self


class ChangeNotes(NamedTuple):
    """Changes as the undo log noted them: nearly every call has some, and few are ever read."""

    notes: Sequence[Change]
    """Each key once, in order; what came and went has neither a value before nor one after.

    What a number of a table had before and has after may be two rows, after a restore.
    """
    names: Mapping[Undoable, str]
    """What the containers are called; others are left out."""
    fired: Sequence[Fired]
    size: int
    """About how many bytes of memory they take."""

    def read(self) -> Changes:
        """What changed in the end, by name."""
        draws: list[tuple[str, int]] = []
        timers_set: list[Timer] = []
        timers_removed: list[Timer] = []
        for holder, key, before, after in self.notes:
            if before == after or holder not in self.names or type(holder) is Table:
                continue
            if type(holder) is Entropy:
                draws.append((key, before or 0))
            else:
                (timers_set if before is None else timers_removed).append(key)
        return Changes(
            tuple(self._rows()),
            tuple(timers_set),
            tuple(timers_removed),
            tuple(self.fired),
            self.size,
            tuple(draws),
            tuple(self._heads()),
        )

    def _rows(self) -> Iterator[RowChange]:
        """By row, and not by number: a row that was removed and created anew has two, and after a restore a
        number may be that of another row.
        """
        found: dict[tuple[Undoable, str], list[tuple[int, Row | None]]] = {}
        for holder, number, before, after in self.notes:
            if type(holder) is Table and holder in self.names and number != HEAD:
                for place, row in enumerate((before, after)):
                    if row is not None:
                        found.setdefault((holder, row.id), [_NOWHERE, _NOWHERE])[place] = (number, row)
        for (holder, row_id), (was, now) in found.items():
            if was != now:
                number, _ = now if was == _NOWHERE else was
                yield RowChange(self.names[holder], row_id, was[1], now[1], number)

    def _heads(self) -> Iterator[tuple[str, HeadBefore]]:
        """By table: the first note that tells of its head, which is also what an insertion does."""
        next_numbers: dict[str, int] = {}
        dropped: dict[str, int] = {}
        for holder, key, before, _ in self.notes:
            if type(holder) is not Table or holder not in self.names:
                continue
            if key == HEAD:
                next_numbers.setdefault(self.names[holder], before.next_number)
                dropped.setdefault(self.names[holder], before.dropped)
            elif before is None:
                next_numbers.setdefault(self.names[holder], key)
        for name in sorted(next_numbers):
            yield name, HeadBefore(next_numbers[name], dropped.get(name))

    def __reduce__(self) -> tuple[Any, ...]:
        """Only what was read can be packed: the containers are not data."""
        return Changes, tuple(self.read())


def merge_changes(first: Changes | None, then: Changes | None) -> Changes | None:
    """The changes of both parts of a call that waited in between; those of others are not among them."""
    if first is None or then is None:
        return then if first is None else first
    rows = {(change.table, change.id): change for change in first.rows}
    for change in then.rows:
        earlier = rows.pop((change.table, change.id), change)
        if earlier.before is not change.after:
            rows[change.table, change.id] = change._replace(before=earlier.before)
    timers_set = (*first.timers_set, *then.timers_set)
    timers_removed = (*first.timers_removed, *then.timers_removed)
    merged = Changes(
        tuple(rows.values()),
        tuple(timer for timer in timers_set if timer not in then.timers_removed),
        tuple(timer for timer in timers_removed if timer not in first.timers_set),
        (*first.fired, *then.fired),
        first.size + then.size,
    )
    return merged if any(merged[:4]) else None
