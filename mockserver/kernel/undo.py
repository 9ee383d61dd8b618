"""What must be taken back when a call is refused half-way."""

from typing import Any, Protocol


class Undoable(Protocol):
    """Something that can put back what stood under a key."""

    def revert(self, key: Any, before: Any) -> None:
        """Make `before` stand under `key` again; None means that nothing stood there."""


class Undo:
    """The changes since the last mark, each with what stood there before."""

    __slots__ = ("_changes", "_kept")

    def __init__(self) -> None:
        self._changes: list[tuple[Undoable, Any, Any]] = []
        self._kept: set[tuple[int, Any]] = set()

    def note(self, holder: Undoable, key: Any, before: Any) -> None:
        """Remember what stood under a key before a change."""
        self._changes.append((holder, key, before))

    def keep(self, holder: Undoable, key: Any) -> None:
        """Leave this key as it is now, whatever becomes of the call: what is spent stays spent."""
        self._kept.add((id(holder), key))

    def mark(self) -> None:
        """Accept everything up to here."""
        if self._changes:
            self._changes.clear()
        if self._kept:
            self._kept.clear()

    def roll_back(self) -> None:
        """Take back every change since the mark, latest first, but what is to be kept."""
        self.roll_back_to(0)
        self._kept.clear()

    def savepoint(self) -> int:
        """A place to roll back to, good until the next mark."""
        return len(self._changes)

    def roll_back_to(self, savepoint: int) -> None:
        """Take back every change since a savepoint, latest first, but what is to be kept."""
        changes, self._changes = self._changes[savepoint:], self._changes[:savepoint]
        for holder, key, before in reversed(changes):
            if (id(holder), key) not in self._kept:
                holder.revert(key, before)
