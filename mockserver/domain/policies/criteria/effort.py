"""How much work the criteria of one request may take, and what they need to read only once."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")

ALLOWED = 30_000_000
"""Steps of some ten nanoseconds each: a fraction of a second in all."""


class Effort:
    """The work of one request: its steps are counted, since a clock would answer differently each time.

    Where no steps are left, what was to be looked at does not match.
    """

    __slots__ = ("_made", "left")

    def __init__(self, left: int = ALLOWED) -> None:
        self.left = left
        self._made: dict[Hashable, Any] = {}

    def take(self, steps: int) -> bool:
        """Whether there are so many steps left, which are taken then."""
        if steps > self.left:
            return False
        self.left -= steps
        return True

    def take_once(self, what: Hashable, steps: int) -> bool:
        """The same for something that costs only the first time."""
        return bool(self.memoize(("steps", what), lambda: self.take(steps)))

    def memoize(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` answers, which is asked only the first time."""
        if what not in self._made:
            self._made[what] = make()
        made: Made = self._made[what]
        return made
