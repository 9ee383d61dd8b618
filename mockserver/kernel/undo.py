"""An undo log: a rejected call leaves no changes behind."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from itertools import compress
from operator import itemgetter, ne
from types import MappingProxyType
from typing import Any, Protocol

_CHANGE_BYTES = 200
"""What a change takes beside the values that it holds on to."""
_VALUE_BYTES = 56
"""What a value takes beside its characters."""
_SMALL = frozenset({int, bool, float, type(None)})
"""Types whose values take hardly more than their place, which counts as a part of the change."""


class Undoable(Protocol):
    """A container that can revert the change of a key."""

    def revert(self, key: Any, before: Any) -> None:
        """Restore the value `before` of `key`; None removes the key."""


Change = tuple[Undoable, Any, Any, Any]
"""A container, the key that changed, and its values before and after; None where it has none."""
_KEY = itemgetter(1)
_HOLDER_AND_KEY = itemgetter(0, 1)


class Undo:
    """The changes since the last mark, and which became permanent."""

    __slots__ = ("_changes", "_kept", "permanent")

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self._kept: set[tuple[Undoable, Any]] = set()
        self.permanent: list[Change] = []
        """What became permanent since `collect` was last called, in order."""

    def note(self, holder: Undoable, key: Any, before: Any, after: Any) -> None:
        """Record the values of a key before and after a change."""
        self._changes.append((holder, key, before, after))

    def exempt(self, holder: Undoable, key: Any) -> None:
        """Exempt a noted change from rollback: a used one-time code stays used if the call is rejected."""
        self._kept.add((holder, key))

    def mark(self) -> None:
        """Make all changes so far permanent."""
        self.take()

    def take(self) -> Sequence[Change]:
        """Make all changes so far permanent, and return them."""
        changes = self._changes
        if changes:
            self._changes = []
            self._kept.clear()
            if self.permanent:
                self.permanent += changes
            else:
                self.permanent = changes
        return changes

    def roll_back(self) -> Sequence[Change]:
        """Revert every change since the mark, latest first, except those of exempt keys; returns these."""
        self.roll_back_to(0)
        return self.take()

    def collect(self) -> Sequence[Change]:
        """What became permanent since this was last called, in order, without the values in between."""
        collected, self.permanent = self.permanent, []
        # Most calls change each key once, and few keys of two containers are alike.
        return collected if len({*map(_KEY, collected)}) == len(collected) else _merge(collected)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Revert what changes within, also where that fails."""
        savepoint = self.savepoint()
        try:
            yield
        finally:
            self.roll_back_to(savepoint)

    def savepoint(self) -> int:
        """A position to roll back to, valid until the next mark."""
        return len(self._changes)

    def roll_back_to(self, savepoint: int) -> None:
        """Revert every change since a savepoint, latest first, except those of exempt keys."""
        # Cut the log first: `revert` must not find the changes that are being reverted.
        changes, self._changes = self._changes[savepoint:], self._changes[:savepoint]
        # Latest first, because a key may have changed several times: the earliest value has to win.
        for change in reversed(changes):
            holder, key, before, _ = change
            if (holder, key) in self._kept:
                self._changes.append(change)
            else:
                holder.revert(key, before)
        # What stays, with what reverting has noted in its place, was appended latest first.
        self._changes[savepoint:] = reversed(self._changes[savepoint:])


def _merge(changes: Sequence[Change]) -> Sequence[Change]:
    """Each key once, from its value before the first change to that after the last."""
    whats = [*map(_HOLDER_AND_KEY, changes)]
    # Of a key that changed more than once, the change that comes last in an iteration stays in the mapping.
    first = dict(zip(reversed(whats), reversed(changes), strict=True))
    last = dict(zip(whats, changes, strict=True))
    return [
        change if change is first[what] else (*what, first[what][2], change[3])
        for what, change in last.items()
    ]


def size_of(changes: Sequence[Change]) -> int:
    """About how many bytes of memory changes take, with what only they hold on to.

    A row as it is now costs nothing: when it changes again, that change counts what only it then has.
    """
    held: list[Any] = []
    for _, _, before, after in changes:
        # Rows and timers are tuples; other values are small.
        if isinstance(before, tuple):
            held += before if after is None else compress(before, map(ne, before, after))
    return _CHANGE_BYTES * len(changes) + (_deep_size(held) if held else 0)


def _deep_size(values: Iterable[Any]) -> int:
    """About how many bytes values take, with all that is in them."""
    size, waiting = 0, [values]
    # A loop, and the most frequent types first: this runs for every row that is changed.
    while waiting:
        for value in waiting.pop():
            kind = type(value)
            if kind in _SMALL:
                continue
            size += _VALUE_BYTES
            if kind is str or kind is bytes:
                size += len(value)
            elif isinstance(value, (tuple, list, frozenset)):
                waiting.append(value)
            elif kind is dict or kind is MappingProxyType:
                waiting.append(value.values())
            elif is_dataclass(value):
                waiting.append([getattr(value, member.name) for member in fields(value)])
    return size
