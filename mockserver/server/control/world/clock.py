"""The clock of a project: read, freeze, tick, set, advance."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.waiting import Until, in_slices, later
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.timers import Fired
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import FiredAnswer, fired_answer
from mockserver.state.project import Project

A = TypeVar("A")
clock = ControlGroup("Clock")

Rate = Annotated[float, Field(gt=0, le=1_000_000)]
"""How many times as fast as real time a clock ticks."""


def _parse_timestamp(value: Any) -> int:
    if not isinstance(value, str):
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z, as a string")
    try:
        return timestamps.parse_iso(value)
    except timestamps.TimestampOutOfRange:
        raise
    except ValueError:
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z") from None


Timestamp = Annotated[
    int,
    BeforeValidator(_parse_timestamp),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "description": "In UTC unless it names another zone."}
    ),
]
"""A time as ISO 8601; read as milliseconds since 1970."""


class SetClock(ControlBody):
    """The clock's new mode, rate and time. What is left out stays as it is."""

    example = '{"mode": "frozen"}'

    mode: Literal["frozen", "ticking"] | None = None
    rate: Rate | None = None
    now: Timestamp | None = None


class Advance(ControlBody):
    """How far to advance: by seconds, or to a time."""

    example = '{"seconds": 60}'

    seconds: Annotated[float, Field(ge=0, le=timestamps.LAST_MS // 1000)] | None = None
    to: Timestamp | None = None
    """The time to advance to."""


class ClockAnswer(TypedDict):
    """The time that the clock shows, its mode, and how many times as fast as real time it ticks."""

    now: str
    mode: Literal["frozen", "ticking"]
    rate: float


class SetClockAnswer(ClockAnswer):
    """The clock, and the timers that fired when it was set forward, in order."""

    fired: list[FiredAnswer]


class AdvanceAnswer(TypedDict):
    """The new time, and the timers that fired, in order."""

    now: str
    fired: list[FiredAnswer]


@clock.operation("GET /clock", "GetClock")
def get_clock(call: ControlCall) -> ClockAnswer:
    """Retrieve the time, mode and rate of the clock."""
    return clock_answer(call.project)


@clock.operation("PUT /clock", "SetClock", errors.CONTROL_TIME_PASSED, errors.CONTROL_INVALID)
def set_clock(call: ControlCall[SetClock]) -> SetClockAnswer:
    """Freeze the clock, let it tick, or set it forward; every timer that is due fires."""
    body, project = call.body, call.project
    mode = body.mode or project.clock.mode
    if mode == "frozen" and body.rate is not None:
        raise invalid("rate", "a frozen clock has no rate")

    def answer(fired: list[Fired]) -> SetClockAnswer:
        if mode == "frozen":
            project.clock.freeze()
        elif body.mode is not None or body.rate is not None:
            project.clock.tick(call.world.real_ms, body.rate or project.clock.rate)
        return {**clock_answer(project), "fired": [*map(fired_answer, fired)]}

    now_ms = body.now
    return answer([]) if now_ms is None else _advance_to(call, lambda: now_ms, "now", answer)


@clock.operation("POST /clock/advance", "AdvanceClock", errors.CONTROL_TIME_PASSED, errors.CONTROL_INVALID)
def advance_clock(call: ControlCall[Advance]) -> AdvanceAnswer:
    """Advance the clock; every timer that is due fires, in order, before this answers."""
    to_ms, seconds, clock = call.body.to, call.body.seconds, call.project.clock

    def answer(fired: list[Fired]) -> AdvanceAnswer:
        return {"now": timestamps.format_iso(clock.now_ms), "fired": [*map(fired_answer, fired)]}

    if to_ms is not None and seconds is None:
        return _advance_to(call, lambda: to_ms, "to", answer)
    if seconds is not None and to_ms is None:
        return _advance_to(call, lambda: clock.now_ms + round(seconds * 1000), "seconds", answer)
    raise ApiError(errors.CONTROL_INVALID, summary="Send either seconds or to.")


def clock_answer(project: Project) -> ClockAnswer:
    """A clock as answers show it."""
    now_ms, mode, rate = project.clock.read()
    return {"now": timestamps.format_iso(now_ms), "mode": mode, "rate": rate}


def answer_when_advanced(project: Project, to_ms: Callable[[], int], answer: Callable[[list[Fired]], A]) -> A:
    """The answer once the clock is at a time, with what has fired on the way.

    Other calls are answered while a timer's work takes long. What is executed ahead was sent before: it is
    waited for.
    """

    def advance() -> A:
        return in_slices(TIMER_LOOP.advance_in_slices(project, to_ms()), answer)

    if not project.ahead.begun:
        return advance()
    return later(Until(lambda: not project.ahead.begun), advance)


def _advance_to(
    call: ControlCall[SetClock] | ControlCall[Advance],
    to_ms: Callable[[], int],
    param: str,
    answer: Callable[[list[Fired]], A],
) -> A:
    clock = call.project.clock

    def end_ms() -> int:
        end_ms = to_ms()
        if end_ms < clock.now_ms:
            raise ApiError(errors.CONTROL_TIME_PASSED, param=param, now=timestamps.format_iso(clock.now_ms))
        if end_ms > timestamps.LAST_MS:
            raise invalid(param, "must be before the year 10000")
        return end_ms

    return answer_when_advanced(call.project, end_ms, answer)
