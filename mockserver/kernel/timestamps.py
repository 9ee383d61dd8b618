"""Moments as text: ISO 8601. Inside they are milliseconds since 1970, in UTC."""

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)

LAST_MS = (datetime(9999, 12, 31, 23, 59, 59, 999000) - _EPOCH) // _MILLISECOND
"""The last moment that ISO 8601 spells with a year of four digits."""


class TimestampOutOfRange(ValueError):
    """A moment before 1970 or after 9999."""


def format_iso(moment_ms: int) -> str:
    """A moment as `2026-01-01T00:00:00.000Z`. What is due after the year 9999 is shown as its end."""
    moment = _EPOCH + timedelta(milliseconds=min(moment_ms, LAST_MS))
    return moment.isoformat(timespec="milliseconds") + "Z"


def parse_iso(text: str) -> int:
    """The moment a text spells, in UTC unless it says another zone; ValueError when it spells none."""
    moment = datetime.fromisoformat(text)
    since_epoch = moment.replace(tzinfo=None) - _EPOCH - (moment.utcoffset() or timedelta())
    moment_ms = since_epoch // _MILLISECOND
    if moment_ms < 0:
        raise TimestampOutOfRange("is before 1970, where time begins")
    if moment_ms > LAST_MS:
        raise TimestampOutOfRange("is after 9999, where time ends")
    return moment_ms
