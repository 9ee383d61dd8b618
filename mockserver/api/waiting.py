"""Answers that are made later: a call says what it waits for, and a driver lets it go on.

A handler returns its answer, or a generator that yields what it waits for and returns the answer; it is
typed as the answer. What drives it is the edge in real time, a frozen clock, or a replay.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from mockserver.api.values import fragment_of
from mockserver.kernel.effort import Work

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")


class Until(NamedTuple):
    """What a call waits for: until `ready()`, or until one of these times if they are given.

    It is asked again after each request to the project.
    """

    ready: Callable[[], bool]
    due_ms: int | None = None
    """A time on the project's clock. A frozen clock is advanced to it, without any wait."""
    real_ms: int | None = None
    """So many milliseconds of real time."""
    row_id: str = ""
    """The row whose timers a frozen clock is advanced to, one by one, and no further than to the last."""


Later = Generator[Until, None, T]
"""What makes an answer, waiting in between."""

AT_ONCE = Until(lambda: True)
"""Nothing: other calls are answered, and then the call goes on."""


def later(until: Until, answer: Callable[[], T]) -> T:
    """An answer that is made after a wait."""

    def wait() -> Later[T]:
        yield until
        return (yield from go_on_with(answer()))

    return cast(T, wait())


def go_on_with(made: T | Later[T]) -> Later[T]:
    """The answer that something is, or that it makes later."""
    return (yield from made) if isinstance(made, Generator) else made


def between_calls(work: Work[R]) -> Later[R]:
    """The result of work, between whose slices other calls are answered."""
    try:
        while True:
            next(work)
            yield AT_ONCE
    except StopIteration as end:
        return cast(R, end.value)


def in_slices(work: Work[R], answer: Callable[[R], A]) -> A:
    """The answer with the result of work, which is done at once if it takes one slice."""
    try:
        next(work)
    except StopIteration as end:
        return answer(end.value)

    def go_on() -> Later[A]:
        yield AT_ONCE
        result = yield from between_calls(work)
        return (yield from go_on_with(answer(result)))

    return cast(A, go_on())


SLICE = 64 * 1024
"""How many bytes of rows are shown at once, roughly: so many take a few milliseconds."""

USUAL_WEIGHT = 256
"""How many bytes most rows amount to, roughly."""


def weigh_row(row: object) -> int:
    """What most rows amount to."""
    return USUAL_WEIGHT


def show_rows(
    rows: Sequence[R],
    show: Callable[[R], T],
    answer: Callable[[list[T]], A],
    weigh: Callable[[R], int] = weigh_row,
) -> A:
    """The answer with rows as they are shown; of many rows in slices, between which others are answered.

    `weigh` says how many bytes a row amounts to, roughly. The rows are those of the time of the request.
    """
    # Nearly all lists are short: a page of rows of usual weight needs no look at each of them.
    if (len(rows) * USUAL_WEIGHT if weigh is weigh_row else sum(map(weigh, rows))) < SLICE:
        return answer([show(row) for row in rows])

    def show_in_slices() -> Later[A]:
        shown: list[Any] = []
        weight = 0
        for row in rows:
            shown.append(fragment_of(show(row)))
            weight += weigh(row)
            if weight >= SLICE:
                yield AT_ONCE
                weight = 0
        return answer(shown)

    return cast(A, show_in_slices())
