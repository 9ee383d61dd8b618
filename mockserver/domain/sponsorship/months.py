"""Calendar months in UTC, numbered from January of the year 0."""

from datetime import MAXYEAR, UTC, datetime

from mockserver.kernel import timestamps

EPOCH_MONTH = 1970 * 12


def month_of(moment_s: int) -> int:
    """The month that a second belongs to."""
    moment = timestamps.to_utc(moment_s * 1000)
    return moment.year * 12 + moment.month - 1


def month_start_s(month: int) -> int:
    """The first second of a month."""
    year, number = divmod(month, 12)
    if year > MAXYEAR:
        return timestamps.LAST_MS // 1000 + 1
    return int(datetime(year, number + 1, 1, tzinfo=UTC).timestamp())
