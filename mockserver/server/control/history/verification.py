"""Verification: whether the calls that were made are those that a test expects."""

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import Annotated, Any

from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.waiting import Until, later
from mockserver.api.wire import adapter, empty
from mockserver.errors import ApiError
from mockserver.kernel.spelling import describe_unknown, did_you_mean
from mockserver.scenario.grammar.parts import DurationMs
from mockserver.scenario.grammar.when import When
from mockserver.scenario.running.verification import (
    CallCount,
    Calls,
    SeenCall,
    Verdict,
    await_calls,
    await_sequence,
    name_call,
    verify_calls,
    verify_sequence,
)
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.past_calls import view_past_call

verification = ControlGroup("Verification")

_MOST_CONDITIONS = 32
"""Each is looked at for each call in the journal."""

_Number = Annotated[int, Field(ge=0, strict=True)]


class CallMatcher(ControlBody):
    """Which calls are meant, as in the `when` of a rule. All of it must hold; every call without any."""

    call: str | list[str] = field(default_factory=empty)
    """An operation id, or a method and a path, or a list of which any will do."""
    headers: dict[str, Any] = field(default_factory=dict)
    """Headers of the request by name: a value, or `equals`, `contains`, `matches` and `present`."""
    query: dict[str, Any] = field(default_factory=dict)
    """Members of the query by name, in the same way."""
    body: dict[str, Any] = field(default_factory=dict)
    """Values in the body by path, such as `calls[0].to`, in the same way."""


class VerifyCalls(CallMatcher):
    """Which calls are meant, and how many there have to be; at least one unless something else is said."""

    exactly: _Number | None = None
    """So many calls."""
    at_least: _Number | None = None
    """So many calls or more."""
    at_most: _Number | None = None
    """So many calls or fewer."""
    between: Annotated[list[_Number], Field(min_length=2, max_length=2)] | None = None
    """The fewest and the most calls."""
    never: bool = False
    """No call."""
    since: _Number = 0
    """Only calls that come after the exchange with this number in the journal."""
    within: DurationMs | None = None
    """Waits so long in real time for enough calls, such as `5s`; where none is enough, all the time."""


class VerifySequence(ControlBody):
    """Calls in the order in which they have to arrive; others may come in between."""

    calls: Annotated[list[str | CallMatcher], Field(min_length=1, max_length=1_000)]
    """Which call is meant by each step: an operation id, or what `verify` takes."""
    since: _Number = 0
    """Only calls that come after the exchange with this number in the journal."""
    within: DurationMs | None = None
    """Waits so long in real time until all have arrived, such as `5s`."""


class VerifiedAnswer(TypedDict):
    """The calls are as expected."""

    found: int
    """How many calls matched; of a sequence, how many steps it has."""


_FAILURES = (errors.CONTROL_VERIFICATION_FAILED, errors.CONTROL_JOURNAL_INCOMPLETE, errors.CONTROL_INVALID)


@verification.operation("POST /verify", "VerifyCalls", *_FAILURES)
def verify(call: ControlCall[VerifyCalls]) -> VerifiedAnswer:
    """Verify how many calls arrived; 409 with the closest calls if they are not as many as expected."""
    body = call.body
    when, expected = _read_matcher(call, body), _read_count(body)
    calls = Calls(call.project, partial(view_past_call, call), body.since)
    return _answer(
        body.within, await_calls(calls, when, expected), lambda: verify_calls(calls, when, expected)
    )


@verification.operation("POST /verify-sequence", "VerifySequence", *_FAILURES)
def verify_order(call: ControlCall[VerifySequence]) -> VerifiedAnswer:
    """Verify that calls arrived in an order, others in between included; 409 if they did not."""
    body = call.body
    steps = [_read_matcher(call, step, f"calls.{number}.") for number, step in enumerate(body.calls)]
    calls = Calls(call.project, partial(view_past_call, call), body.since)
    return _answer(body.within, await_sequence(calls, steps), lambda: verify_sequence(calls, steps))


def _answer(
    within_ms: int | None, is_over: Callable[[], bool], decide: Callable[[], Verdict]
) -> VerifiedAnswer:
    def answer() -> VerifiedAnswer:
        verdict = decide()
        if verdict.passed:
            return {"found": verdict.found}
        unknown, failed = errors.CONTROL_JOURNAL_INCOMPLETE, errors.CONTROL_VERIFICATION_FAILED
        row = unknown if verdict.passed is None else failed
        raise ApiError(row, summary=verdict.message, details=_closest(verdict.closest))

    return answer() if within_ms is None else later(Until(is_over, real_ms=within_ms), answer)


def _closest(calls: tuple[SeenCall, ...]) -> Mapping[str, Mapping[str, object]] | None:
    """The calls to look at, each with the first thing that differs."""
    found = {}
    for number, seen in enumerate(calls, 1):
        call = seen.exchange
        waits = call.status is None
        status = "waits for its answer" if waits else f"answered {call.status}"
        found[f"{number}. {name_call(call)}" if waits else name_call(call)] = {
            "message": seen.missed[0] if seen.missed else status,
            "n": 0 if waits else call.number,
        }
    return found or None


def _read_count(body: VerifyCalls) -> CallCount:
    given = {
        "exactly": (body.exactly, body.exactly),
        "between": tuple(body.between or (None, None)),
        "never": (0, 0) if body.never else (None, None),
        "at_least": (body.at_least, None),
        "at_most": (0 if body.at_least is None else body.at_least, body.at_most),
    }
    wanted = [
        name for name, (least, most) in given.items() if (most if name == "at_most" else least) is not None
    ]
    if wanted == ["at_least", "at_most"]:
        wanted = ["at_most"]
    if len(wanted) > 1:
        raise invalid(wanted[1], f"{wanted[0]} says already how many calls there have to be")
    if not wanted:
        return CallCount()
    least, most = given[wanted[0]]
    assert least is not None
    if most is not None and least > most:
        raise invalid(wanted[0], f"no number is at least {least} and at most {most}")
    return CallCount(least, most)


def _read_matcher(call: ControlCall[Any], given: CallMatcher | str, below: str = "") -> When:
    """What a rule's `when` would be; 400 for what it cannot say."""
    members: dict[str, Any] = {"call": given}
    if isinstance(given, CallMatcher):
        given_members = ((name, getattr(given, name)) for name in ("call", "headers", "query", "body"))
        members = {name: member for name, member in given_members if member}
    # The class is made when its adapter is.
    shape = adapter(When)
    if not members:
        return When()
    if sum(1 if isinstance(member, str) else len(member) for member in members.values()) > _MOST_CONDITIONS:
        raise invalid(below + next(reversed(members)), f"a matcher has at most {_MOST_CONDITIONS} conditions")
    try:
        when: When = shape.validate_python(members, context=call.routes)
    except ValidationError as error:
        first = error.errors()[0]
        path = [str(part) for part in first["loc"] if not str(part).startswith("[")]
        context = first.get("ctx", {})
        message, nearest = context.get("message", first["msg"]), context.get("nearest")
        if "unknown" in context:
            message, nearest = describe_unknown(*context["unknown"])
        raise invalid(below + ".".join(path), f"{message}{did_you_mean(nearest)}") from None
    return when
