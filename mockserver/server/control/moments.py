"""Moments as the control API spells them: ISO 8601 with milliseconds, in UTC."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from mockserver import errors
from mockserver.errors import Refusal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

LAST_MS = (datetime(9999, 12, 31, 23, 59, 59, 999000, UTC) - _EPOCH) // _MILLISECOND
"""The last moment that ISO 8601 spells with a year of four digits."""


def iso(moment_ms: int) -> str:
    """Milliseconds since the Unix epoch as `2026-01-01T00:00:00.000Z`."""
    moment = _EPOCH + timedelta(milliseconds=moment_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_moment(value: Any) -> int:
    """An ISO 8601 text as milliseconds since the Unix epoch; ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z, as a string")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError("must be a time such as 2026-01-01T00:00:00.000Z") from None
    if moment.tzinfo is None:
        raise ValueError("must say its time zone, as in 2026-01-01T00:00:00.000Z")
    return (moment - _EPOCH) // _MILLISECOND


Moment = Annotated[
    int,
    Field(ge=0, le=LAST_MS),
    BeforeValidator(read_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A time with its zone, as ISO 8601; read as milliseconds since the Unix epoch."""


def refuse_past(now_ms: int, moment_ms: int, param: str) -> None:
    """Refuse a moment that has passed with 409: time only goes forward."""
    if moment_ms < now_ms:
        raise Refusal(errors.CONTROL_TIME_PASSED, param=param, now=iso(now_ms))
