"""ISO 8601 timestamps; everywhere else times are milliseconds since the Unix epoch."""

from datetime import datetime, timedelta

_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)

LAST_MS = (datetime(9999, 12, 31, 23, 59, 59, 999000) - _EPOCH) // _MILLISECOND
"""The last millisecond of the year 9999, the last with a year of four digits."""


class TimestampOutOfRange(ValueError):
    """A time before 1970 or after 9999."""


def format_iso(moment_ms: int) -> str:
    """A time as `2026-01-01T00:00:00.000Z`; times after the year 9999 are shown as its end."""
    moment = _EPOCH + timedelta(milliseconds=min(moment_ms, LAST_MS))
    return moment.isoformat(timespec="milliseconds") + "Z"


def parse_iso(text: str) -> int:
    """Parse ISO 8601, in UTC unless it says another zone; ValueError when it is malformed."""
    moment = datetime.fromisoformat(text)
    since_epoch = moment.replace(tzinfo=None) - _EPOCH - (moment.utcoffset() or timedelta())
    moment_ms = since_epoch // _MILLISECOND
    if moment_ms < 0:
        raise TimestampOutOfRange("is before 1970, where time begins")
    if moment_ms > LAST_MS:
        raise TimestampOutOfRange("is after 9999, where time ends")
    return moment_ms
