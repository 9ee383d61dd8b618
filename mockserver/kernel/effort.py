"""Work with bounds: the budget of the criteria of one request, and long work that is done in slices."""

from collections.abc import Callable, Generator, Hashable, Iterable
from typing import Any, TypeVar

from mockserver.kernel.undo import Undo

Made = TypeVar("Made")

Work = Generator[None, None, Made]
"""What is done in slices, between which others may be served, and has a result."""

ALLOWED = 15_000_000
"""The budget in steps of two or three nanoseconds each: less than fifty milliseconds in all."""

_MOST_TRIES = 3
"""How often a call has the same work done ahead, when others change what it depends on."""


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


class TakesLong(BaseException):
    """Work was not over after a slice. What handles the errors of a call must not handle this."""

    def __init__(self, rest: Work[None]) -> None:
        super().__init__()
        self.rest = rest
        """Goes on with it, and keeps what comes of it."""


class Ahead:
    """The work that calls of a project do ahead, in slices: what they change, they change at once."""

    __slots__ = ("_permanent", "_tried", "_undo", "begun", "kept")

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._permanent: int | None = None
        """How many changes were permanent when the call began that can be begun anew."""
        self._tried: dict[Hashable, int] = {}
        self.begun = 0
        """How much work is being done in slices."""
        self.kept: dict[Hashable, Any] = {}
        """What came of work, by what it was."""

    @property
    def is_possible(self) -> bool:
        """Whether a call is being answered that can be begun anew."""
        return self._permanent == len(self._undo.permanent)

    def begin(self, what: Hashable) -> bool:
        """Whether work may be done ahead by raising TakesLong, if that is possible: a few times in a call."""
        self._tried[what] = self._tried.get(what, 0) + 1
        return self._tried[what] <= _MOST_TRIES

    def run(self, attempt: Callable[[], Made]) -> Work[Made]:
        """`attempt()`, begun anew after all work in it that takes long, which is done in slices before."""
        tried: dict[Hashable, int] = {}
        while True:
            savepoint, self._permanent = self._undo.savepoint(), len(self._undo.permanent)
            self._tried = tried
            try:
                return attempt()
            except TakesLong as long:
                self._undo.roll_back_to(savepoint)
                rest = long.rest
            finally:
                self._permanent = None
            yield from self.do(rest)

    def do(self, slices: Iterable[None]) -> Work[None]:
        """Do work in slices, between which the clock stands still and other calls are answered."""
        self.begun += 1
        try:
            yield from slices
        finally:
            self.begun -= 1
