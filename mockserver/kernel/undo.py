"""An undo log: a rejected call leaves no changes behind."""

from typing import Any, Protocol


class Undoable(Protocol):
    """A container that can revert the change of a key."""

    def revert(self, key: Any, before: Any) -> None:
        """Restore the value `before` of `key`; None removes the key."""


class Undo:
    """The changes since the last mark, each with the value before it."""

    __slots__ = ("_changes", "_kept")

    def __init__(self) -> None:
        self._changes: list[tuple[Undoable, Any, Any]] = []
        self._kept: set[tuple[int, Any]] = set()

    def note(self, holder: Undoable, key: Any, before: Any) -> None:
        """Record the value of a key before a change."""
        self._changes.append((holder, key, before))

    def keep(self, holder: Undoable, key: Any) -> None:
        """Exempt this key from rollback: a used one-time code stays used if the call is rejected."""
        self._kept.add((id(holder), key))

    def mark(self) -> None:
        """Make all changes so far permanent."""
        if self._changes:
            self._changes.clear()
        if self._kept:
            self._kept.clear()

    def roll_back(self) -> None:
        """Revert every change since the mark, latest first, except exempt keys."""
        self.roll_back_to(0)
        self._kept.clear()

    def savepoint(self) -> int:
        """A position to roll back to, valid until the next mark."""
        return len(self._changes)

    def roll_back_to(self, savepoint: int) -> None:
        """Revert every change since a savepoint, latest first, except exempt keys."""
        changes, self._changes = self._changes[savepoint:], self._changes[:savepoint]
        for holder, key, before in reversed(changes):
            if (id(holder), key) not in self._kept:
                holder.revert(key, before)
