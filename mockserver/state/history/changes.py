"""What events changed: as the undo log noted it, and read by the names of tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from mockserver.kernel.entropy import Entropy
from mockserver.kernel.schema import Row
from mockserver.kernel.table import HEAD, Table
from mockserver.kernel.timers import Timer, Timers
from mockserver.kernel.undo import Change, Undoable
from mockserver.state.settings import Settings

_NOWHERE = (HEAD, None)
"""The number and the content of a row that is not there."""

SETTINGS = "settings"
"""The key of a project's settings in its undo log, where they are the only member of a tuple."""


class RowChange(NamedTuple):
    """A row that was created (`before` is None), changed or removed (`after` is None)."""

    table: str
    """Such as `identity.users`."""
    id: str
    before: Row | None
    after: Row | None
    number: int
    """The row's number in its table, that before if there was one."""

    @property
    def kind(self) -> Literal["created", "changed", "removed"]:
        """What became of the row."""
        return "created" if self.before is None else "removed" if self.after is None else "changed"


class HeadBefore(NamedTuple):
    """The head of a table before a change."""

    next_number: int = 0
    """The number of the next row."""
    dropped: int | None = None
    """How many rows were dropped; None for as many as after it."""


class Changes(NamedTuple):
    """What an event changed for good, in order, unmasked."""

    rows: tuple[RowChange, ...] = ()
    """Each row once, however often it was changed, those of internal tables included."""
    timers_set: tuple[Timer, ...] = ()
    """Those that were still set in the end."""
    timers_removed: tuple[Timer, ...] = ()
    """Those that fired or were cancelled, and that were set before."""
    size: int = 0
    """About how many bytes of memory they take."""
    draws: tuple[tuple[str, int], ...] = ()
    """The streams of random values that were drawn from, and how often that was before."""
    heads: tuple[tuple[str, HeadBefore], ...] = ()
    """The heads before of the tables whose heads changed."""
    settings_before: Settings | None = None
    """The settings before, if they were changed."""


def read_changes(notes: Sequence[Change], names: Mapping[Undoable, str], size: int) -> Changes:
    """What notes of an undo log come to, by name; containers without a name are left out.

    The notes have each key once, in order; what came and went has neither a value before nor one after.
    What a number of a table had before and has after may be two rows, after a restore.
    """
    draws: list[tuple[str, int]] = []
    timers_set: list[Timer] = []
    timers_removed: list[Timer] = []
    settings_before = None
    for holder, key, before, after in notes:
        if before == after:
            continue
        if type(holder) is Entropy:
            draws.append((key, before or 0))
        elif type(holder) is Timers:
            (timers_set if before is None else timers_removed).append(key)
        elif key == SETTINGS:
            (settings_before,) = before
    of_tables = [note for note in notes if type(note[0]) is Table and note[0] in names]
    return Changes(
        tuple(_read_rows(of_tables, names)),
        tuple(timers_set),
        tuple(timers_removed),
        size,
        tuple(draws),
        tuple(_read_heads(of_tables, names)),
        settings_before,
    )


def _read_rows(notes: Sequence[Change], names: Mapping[Undoable, str]) -> Iterator[RowChange]:
    """By row, and not by number: a row that was removed and created anew has two, and after a restore a
    number may be that of another row.
    """
    places: dict[tuple[Undoable, str], list[tuple[int, Row | None]]] = {}
    for holder, number, before, after in notes:
        if number != HEAD:
            for place, row in enumerate((before, after)):
                if row is not None:
                    places.setdefault((holder, row.id), [_NOWHERE, _NOWHERE])[place] = (number, row)
    for (holder, row_id), (was, now) in places.items():
        if was != now:
            number, _ = now if was == _NOWHERE else was
            yield RowChange(names[holder], row_id, was[1], now[1], number)


def _read_heads(notes: Sequence[Change], names: Mapping[Undoable, str]) -> Iterator[tuple[str, HeadBefore]]:
    """By table: the first note that tells of its head, which is also what an insertion does."""
    next_numbers: dict[str, int] = {}
    dropped: dict[str, int] = {}
    for holder, key, before, _ in notes:
        if key == HEAD:
            next_numbers.setdefault(names[holder], before.next_number)
            dropped.setdefault(names[holder], before.dropped)
        elif before is None:
            next_numbers.setdefault(names[holder], key)
    for name in sorted(next_numbers):
        yield name, HeadBefore(next_numbers[name], dropped.get(name))


def merge_changes(parts: Sequence[Changes]) -> Changes:
    """The changes of the parts of a call that waited in between; those of others are not among them."""
    rows: dict[tuple[str, str], RowChange] = {}
    timers_set: list[Timer] = []
    timers_removed: list[Timer] = []
    for part in parts:
        for change in part.rows:
            earlier = rows.pop((change.table, change.id), change)
            if earlier is change or earlier.before is not change.after:
                rows[change.table, change.id] = change._replace(before=earlier.before)
        timers_removed += [timer for timer in part.timers_removed if timer not in timers_set]
        timers_set = [timer for timer in timers_set if timer not in part.timers_removed] + [*part.timers_set]
    return Changes(tuple(rows.values()), tuple(timers_set), tuple(timers_removed))
