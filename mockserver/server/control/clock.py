"""A project's clock: read it, freeze it, let it tick, move it."""

from typing import Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator, Field, WithJsonSchema

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.domain.time.loop import Fired
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.project import Project

clock = Group("Clock")

Rate = Annotated[float, Field(gt=0, le=1_000_000)]
"""How many times as fast as real time a clock ticks."""


def _read_moment(value: Any) -> int:
    if not isinstance(value, str):
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z, as a string")
    try:
        return timestamps.parse_iso(value)
    except timestamps.TimestampOutOfRange:
        raise
    except ValueError:
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z") from None


Moment = Annotated[
    int,
    BeforeValidator(_read_moment),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "description": "In UTC unless it says another zone."}
    ),
]
"""A time as ISO 8601; read as milliseconds since 1970."""


class SetClock(ControlBody):
    """How the clock is to stand. What is left out stays as it is."""

    mode: Literal["frozen", "ticking"] | None = None
    rate: Rate | None = None
    now: Moment | None = None


class Advance(ControlBody):
    """How far: for so many seconds, or to a time."""

    seconds: Annotated[float, Field(ge=0, le=timestamps.LAST_MS // 1000)] | None = None
    to: Moment | None = None


class ClockAnswer(TypedDict):
    """What the clock shows and how it moves."""

    now: str
    mode: Literal["frozen", "ticking"]
    rate: float


FiredAnswer = TypedDict(
    "FiredAnswer", {"at": str, "kind": str, "id": str, "event": str, "from": str, "to": str}
)
"""Something that was due and happened: to which row, and the states it led from and to."""


class Advanced(TypedDict):
    """Where the clock stands now, and what happened on the way, in order."""

    now: str
    fired: list[FiredAnswer]


@clock.endpoint("GET", "/_mock/projects/{p}/clock", "GetClock", ANYBODY)
def get_clock(call: ControlCall) -> ClockAnswer:
    """What the clock shows and how it moves."""
    return clock_answer(call.project)


@clock.endpoint(
    "PUT",
    "/_mock/projects/{p}/clock",
    "SetClock",
    ANYBODY,
    errors=(errors.CONTROL_TIME_PASSED, errors.CONTROL_INVALID),
)
def set_clock(call: ControlCall[SetClock]) -> ClockAnswer:
    """Freeze the clock, let it tick, or set it forward, firing everything due on the way."""
    body, project = call.body, call.project
    mode = body.mode or project.clock.mode
    if mode == "frozen" and body.rate is not None:
        raise ApiError(errors.CONTROL_INVALID, param="rate", summary="rate: a frozen clock has none")
    if body.now is not None:
        _move(call, body.now, "now")
    if mode == "frozen":
        project.clock.freeze()
    elif body.mode is not None or body.rate is not None:
        project.clock.tick(call.world.real_ms(), body.rate or project.clock.rate)
    return clock_answer(project)


@clock.endpoint(
    "POST",
    "/_mock/projects/{p}/clock/advance",
    "AdvanceClock",
    ANYBODY,
    errors=(errors.CONTROL_TIME_PASSED, errors.CONTROL_INVALID),
)
def advance_clock(call: ControlCall[Advance]) -> Advanced:
    """Move time forward, firing everything due on the way, in order, before this answers."""
    body, project = call.body, call.project
    if body.to is not None and body.seconds is None:
        fired = _move(call, body.to, "to")
    elif body.seconds is not None and body.to is None:
        fired = _move(call, project.clock.now_ms + round(body.seconds * 1000), "seconds")
    else:
        raise ApiError(errors.CONTROL_INVALID, summary="Send either seconds or to.")
    return {
        "now": timestamps.format_iso(project.clock.now_ms),
        "fired": [_fired_answer(entry) for entry in fired],
    }


def clock_answer(project: Project) -> ClockAnswer:
    """A clock as the control API shows it."""
    now_ms, mode, rate = project.clock.read()
    return {"now": timestamps.format_iso(now_ms), "mode": mode, "rate": rate}


def _move(call: ControlCall[SetClock] | ControlCall[Advance], moment_ms: int, param: str) -> list[Fired]:
    project = call.project
    if moment_ms < project.clock.now_ms:
        raise ApiError(
            errors.CONTROL_TIME_PASSED, param=param, now=timestamps.format_iso(project.clock.now_ms)
        )
    if moment_ms > timestamps.LAST_MS:
        raise ApiError(errors.CONTROL_INVALID, param=param, summary=f"{param}: time ends with the year 9999")
    fired = TIMER_LOOP.advance(project, moment_ms)
    # A ticking clock ticks on from here; otherwise it would stand until real time has caught up.
    project.clock.anchor(call.world.real_ms())
    return fired


def _fired_answer(entry: Fired) -> FiredAnswer:
    return {
        "at": timestamps.format_iso(entry.at_ms),
        "kind": entry.kind,
        "id": entry.id,
        "event": entry.event,
        "from": entry.source,
        "to": entry.target,
    }
