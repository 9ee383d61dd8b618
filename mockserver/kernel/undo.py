"""An undo log: a rejected call leaves no changes behind."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Undoable(Protocol):
    """A container that can revert the change of a key."""

    def revert(self, key: Any, before: Any) -> None:
        """Restore the value `before` of `key`; None removes the key."""


Change = tuple[Undoable, Any, Any]
"""A container, the key that changed, and its value before."""


class Undo:
    """The changes since the last mark, each with the value before it; and which became permanent."""

    __slots__ = ("_changes", "_kept", "on_kept", "permanent")

    def __init__(self) -> None:
        self._changes: list[Change] = []
        self._kept: set[tuple[int, Any]] = set()
        self.permanent: list[Change] = []
        """What became permanent since `collect` was last called, in order."""
        self.on_kept: Callable[[Sequence[Change]], None] | None = None
        """Is given the changes that become permanent, when they do; a recording looks at them."""

    def note(self, holder: Undoable, key: Any, before: Any) -> None:
        """Record the value of a key before a change."""
        self._changes.append((holder, key, before))

    def exempt(self, holder: Undoable, key: Any) -> None:
        """Exempt this key from rollback: a used one-time code stays used if the call is rejected."""
        # By identity: containers are mutable. They live as long as their project and its log.
        self._kept.add((id(holder), key))

    def mark(self) -> None:
        """Make all changes so far permanent."""
        # Runs after every call, most of which change nothing.
        if self._changes:
            self.take()
        if self._kept:
            self._kept.clear()

    def take(self) -> Sequence[Change]:
        """Make all changes so far permanent, and return them."""
        changes = self._changes
        if changes:
            self._changes = []
            if self._kept:
                self._kept.clear()
            self._note_permanent(changes)
        return changes

    def roll_back(self) -> Sequence[Change]:
        """Revert every change since the mark, latest first, except those of exempt keys; returns these."""
        exempt = []
        if self._kept:
            exempt = [each for each in self._changes if (id(each[0]), each[1]) in self._kept]
        self.roll_back_to(0)
        self._kept.clear()
        self._note_permanent(exempt)
        return exempt

    def _note_permanent(self, changes: list[Change]) -> None:
        if self.on_kept is not None and changes:
            self.on_kept(changes)
        if self.permanent:
            self.permanent += changes
        else:
            self.permanent = changes

    def collect(self) -> Sequence[Change]:
        """What became permanent since this was last called: each key once, with the value before."""
        collected, self.permanent = self.permanent, []
        if len({key for _, key, _ in collected}) == len(collected):
            return collected
        # Several changes of a key are one: from the value before the first to the current one.
        first: dict[tuple[Undoable, Any], Change] = {}
        for change in collected:
            first.setdefault(change[:2], change)
        return [*first.values()]

    def savepoint(self) -> int:
        """A position to roll back to, valid until the next mark."""
        return len(self._changes)

    def roll_back_to(self, savepoint: int) -> None:
        """Revert every change since a savepoint, latest first, except exempt keys."""
        # Cut the log first: `revert` must not find, and must not add to, the changes that are being reverted.
        changes, self._changes = self._changes[savepoint:], self._changes[:savepoint]
        # Latest first, because a key may have changed several times: the earliest value has to win.
        for holder, key, before in reversed(changes):
            if (id(holder), key) not in self._kept:
                holder.revert(key, before)
