"""Verification: whether the calls that were made are as many, and in the order, that a test expects."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mockserver.scenario.grammar.value_tests import write_path
from mockserver.scenario.grammar.when import When
from mockserver.scenario.running.matching import count_misses, explain_misses, holds
from mockserver.scenario.running.request_view import RequestView
from mockserver.state.history.event import Event
from mockserver.state.project import Project

MOST_SHOWN = 10
"""How many calls the text of a failure names."""


class CallCount(NamedTuple):
    """How many calls are expected: at least, and at most (None for any number)."""

    least: int = 1
    most: int | None = None

    def admits(self, count: int) -> bool:
        """Whether so many calls are as expected."""
        return self.least <= count and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.most == 0:
            return "no calls"
        last = self.least if self.most is None else self.most
        calls = "call" if last == 1 else "calls"
        if self.most is None:
            return f"at least {self.least} {calls}"
        if self.least == self.most:
            return f"exactly {self.least} {calls}"
        range_ = f"at most {self.most}" if self.least == 0 else f"between {self.least} and {self.most}"
        return f"{range_} {calls}"


class SeenCall(NamedTuple):
    """A call, and each condition that it does not meet, as a sentence."""

    exchange: Event
    missed: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """Whether calls are as expected: None if exchanges that the journal has dropped may decide it."""

    passed: bool | None
    found: int
    """How many calls matched."""
    message: str
    """What was expected and found, in one line; empty when it passed."""
    closest: tuple[SeenCall, ...] = ()
    """The calls to look at: those that were not expected, or came closest to what was."""


class Calls:
    """The calls of a project since an exchange, answered or not, as conditions look at them."""

    def __init__(self, project: Project, view_of: Callable[[Event], RequestView | None], since: int) -> None:
        """`view_of` gives a call as conditions look at it, None for one to no operation."""
        self._project = project
        self._view_of = view_of
        self.since = since

    def __iter__(self) -> Iterator[Event]:
        """In order of arrival."""
        return iter(self._project.history.calls_since(self.since))

    @property
    def dropped(self) -> int:
        """How many of them the journal has dropped."""
        return self._project.history.dropped_since(self.since)

    def fits(self, when: When, call: Event) -> bool:
        """Whether a call is as asked for. A call to no operation only fits what asks for nothing."""
        view = self._view_of(call)
        return when == When() if view is None else holds(when, view)

    def count_misses(self, when: When, call: Event) -> int:
        """How much a call lacks of what is asked for."""
        view = self._view_of(call)
        return int(when != When()) if view is None else count_misses(when, view)

    def explain(self, when: When, call: Event) -> SeenCall:
        """A call with what it lacks of what is asked for."""
        view = self._view_of(call)
        if view is None:
            return SeenCall(call, ("the call is to no operation",) if when != When() else ())
        return SeenCall(call, tuple(explain_misses(when, view)))

    def news(self) -> Callable[[], Iterator[Event]]:
        """A function that gives the calls that have arrived since it was last called."""
        number = self.since

        def find_new() -> Iterator[Event]:
            nonlocal number
            new = self._project.history.since(number)
            number = max(number, self._project.history.last_number)
            return (event for event in new if event.call == event.number)

        return find_new


def await_calls(calls: Calls, when: When, expected: CallCount) -> Callable[[], bool]:
    """Whether enough calls have arrived, or too many. Where none is enough, only time will tell."""
    news, found = calls.news(), 0

    def is_over() -> bool:
        nonlocal found
        found += sum(1 for call in news() if calls.fits(when, call))
        if expected.most is not None and found > expected.most:
            return True
        return 0 < expected.least <= found

    return is_over


def await_sequence(calls: Calls, steps: Sequence[When]) -> Callable[[], bool]:
    """Whether the calls have arrived in this order."""
    news, place = calls.news(), 0

    def is_over() -> bool:
        nonlocal place
        for call in news():
            if place < len(steps) and calls.fits(steps[place], call):
                place += 1
        return place == len(steps)

    return is_over


def verify_calls(calls: Calls, when: When, expected: CallCount) -> Verdict:
    """Whether as many calls as expected arrived."""
    missed = [(call, calls.count_misses(when, call)) for call in calls]
    matching = [call for call, count in missed if not count]
    found, most = len(matching), len(matching) + calls.dropped
    is_right = expected.admits(found)
    # Dropped exchanges may have matched: the verdict stands only if none of them could change it.
    too_many = expected.most is not None and found > expected.most
    too_few = most < expected.least
    is_certain = too_many or too_few or (is_right and expected.admits(most))
    if is_right and is_certain:
        return Verdict(True, found, "")
    message = f"expected {expected}{describe(when, ' of ')}, found {found}"
    closest = tuple(map(SeenCall, matching[-MOST_SHOWN:])) if too_many else _nearest(calls, missed, when)
    if not is_certain:
        return Verdict(None, found, f"{message}{_say_dropped(calls.dropped)}", closest)
    return Verdict(False, found, message, closest)


def verify_sequence(calls: Calls, steps: Sequence[When]) -> Verdict:
    """Whether calls arrived in this order, others in between included; `found` counts the steps."""
    rest, last = [*calls], None
    for number, when in enumerate(steps):
        place = next((place for place, call in enumerate(rest) if calls.fits(when, call)), None)
        if place is None:
            nearest = _nearest(calls, [(call, calls.count_misses(when, call)) for call in rest], when)
            after = "" if last is None else f" after {name_call(last)}"
            step = f"step {number + 1} of {len(steps)}"
            message = f"expected {describe(when) or 'a call'} as {step}{after}, found none"
            if calls.dropped:
                return Verdict(None, number, message + _say_dropped(calls.dropped), nearest)
            return Verdict(False, number, message, nearest)
        last, rest = rest[place], rest[place + 1 :]
    return Verdict(True, len(steps), "")


def describe(when: When, before: str = "") -> str:
    """The calls that are meant, in a few words after `before`; nothing for every call."""
    named = " or ".join(pattern.text for pattern in when.call)
    said = f"{before}{named}" if named else ""
    tests = [
        *(f"the header {name} {test}" for name, test in when.headers.items()),
        *(f"{name} {test} in the query" for name, test in when.query.items()),
        *(f"{write_path(path)} {test} in the body" for path, test in when.body.items()),
    ]
    return f"{said} with {', '.join(tests)}".removeprefix("" if before else " ") if tests else said


def name_call(call: Event) -> str:
    """A call by its number and operation; one that waits is said to."""
    name = call.operation or f"{call.method} {call.path}"
    return f"#{call.number} {name}" if call.status is not None else f"{name} (not answered yet)"


def _say_dropped(count: int) -> str:
    return (
        f"; but the journal has dropped {count} exchanges, so this may be wrong: verify earlier, or clear"
        " the journal between the parts of the test"
    )


def _nearest(calls: Calls, missed: Sequence[tuple[Event, int]], when: When) -> tuple[SeenCall, ...]:
    """The calls that lack something, the fewest first; of the operations asked for, if any was called."""
    missing = [(call, count) for call, count in missed if count]
    named = {pattern.operation for pattern in when.call if pattern.operation is not None}
    of_operation = [(call, count) for call, count in missing if call.operation in named]
    nearest = sorted(of_operation or missing, key=lambda each: each[1])[:MOST_SHOWN]
    return tuple(calls.explain(when, call) for call, _ in nearest)
