"""ISO 8601 timestamps; everywhere else times are milliseconds since the Unix epoch."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from mockserver.kernel.spelling import did_you_mean, nearest

_EPOCH = datetime(1970, 1, 1)
_MILLISECOND = timedelta(milliseconds=1)

LAST_MS = (datetime(9999, 12, 31, 23, 59, 59, 999000) - _EPOCH) // _MILLISECOND
"""The last millisecond of the year 9999, the last with a year of four digits."""


class TimestampOutOfRange(ValueError):
    """A time before 1970 or after 9999."""


def to_utc(moment_ms: int) -> datetime:
    """A time in UTC; times after the year 9999 are shown as its end."""
    return _EPOCH + timedelta(milliseconds=min(moment_ms, LAST_MS))


def format_iso(moment_ms: int) -> str:
    """A time as `2026-01-01T00:00:00.000Z`; times after the year 9999 are shown as its end."""
    return to_utc(moment_ms).isoformat(timespec="milliseconds") + "Z"


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


def parse_clock(text: str, words: Sequence[str]) -> int:
    """The time that a clock is to show; a ValueError that names the words which may stand there, too."""
    try:
        return parse_iso(text)
    except TimestampOutOfRange as error:
        raise ValueError(f"{text!r} {error}") from None
    except ValueError:
        expected = f": {', '.join(words)}, or a time such as 2026-01-31T12:00:00Z"
        hint = did_you_mean(nearest(text, words)) or expected
        raise ValueError(f"{text!r} is no clock{hint}") from None
