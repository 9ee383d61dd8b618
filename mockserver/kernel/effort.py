"""Work with bounds: the budget of the criteria of one request, and long work that is done in slices."""

from collections.abc import Callable, Generator, Hashable
from typing import Any, TypeVar

Made = TypeVar("Made")

ALLOWED = 15_000_000
"""The budget in steps of two or three nanoseconds each: less than fifty milliseconds in all."""


class Effort:
    """The work budget of one request. Steps are counted instead of time, so that results are deterministic.

    When the budget is spent, a criterion does not match.
    """

    __slots__ = ("_made", "left")

    def __init__(self, left: int = ALLOWED) -> None:
        self.left = left
        self._made: dict[Hashable, Any] = {}

    def take(self, steps: int) -> bool:
        """Spend steps; False, spending none, when there are not enough left."""
        if steps > self.left:
            return False
        self.left -= steps
        return True

    def take_once(self, what: Hashable, steps: int) -> bool:
        """Spend steps the first time; return the first result afterwards."""
        return bool(self.memoize(("steps", what), lambda: self.take(steps)))

    def memoize(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """The result of `make()`, computed once for each key."""
        if what not in self._made:
            self._made[what] = make()
        made: Made = self._made[what]
        return made


def finish(slices: Generator[Any, None, Made]) -> Made:
    """Do the work of slices without pausing between them."""
    try:
        while True:
            next(slices)
    except StopIteration as end:
        result: Made = end.value
        return result


class Ahead:
    """The executions of a project that were made ahead; see `domain.chains.executing_ahead`."""

    __slots__ = ("kept", "permanent", "tried")

    def __init__(self) -> None:
        self.kept: dict[Hashable, Any] = {}
        """What came of executions, by what was executed."""
        self.permanent: int | None = None
        """How many changes were permanent when a call began that can be begun anew; None in no such call."""
        self.tried: set[Hashable] = set()
        """What was executed ahead in that call, whether or not it could be kept."""
