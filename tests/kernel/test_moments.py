"""Moments are written and read by one rule each."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel import timestamps
from tests.tables import cases

MOMENTS = st.integers(0, timestamps.LAST_MS)


@given(MOMENTS)
def test_a_moment_is_written_in_utc_to_the_millisecond(moment_ms: int) -> None:
    text = timestamps.format_iso(moment_ms)
    assert len(text) == len("2026-01-01T00:00:00.000Z")
    moment = datetime.fromisoformat(text)
    assert moment.utcoffset() is not None
    assert moment.microsecond == moment_ms % 1000 * 1000
    assert int((moment - datetime.fromisoformat("1970-01-01T00:00:00Z")).total_seconds()) == moment_ms // 1000


@given(MOMENTS)
def test_what_was_written_reads_as_it_was(moment_ms: int) -> None:
    assert timestamps.parse_iso(timestamps.format_iso(moment_ms)) == moment_ms


@cases("moment_ms", timestamps.LAST_MS, timestamps.LAST_MS + 1, timestamps.LAST_MS * 2)
def test_what_is_due_after_the_last_year_is_shown_as_its_end(moment_ms: int) -> None:
    assert timestamps.format_iso(moment_ms) == "9999-12-31T23:59:59.999Z"


@cases(
    "text",
    "2026-05-01T00:00:00Z",
    "2026-05-01T00:00:00.000Z",
    "2026-05-01T00:00:00",
    "2026-05-01",
    "2026-05-01T02:00:00+02:00",
    "2026-04-30T18:30-05:30",
    "2026-05-01T00:00:00.000999Z",
)
def test_a_moment_is_in_utc_unless_it_says_another_zone(text: str) -> None:
    assert timestamps.format_iso(timestamps.parse_iso(text)) == "2026-05-01T00:00:00.000Z"


@cases(
    "text, why",
    ("1969-12-31T23:59:59.999Z", "before 1970"),
    ("1970-01-01T00:00:00+00:01", "before 1970"),
    ("0001-01-01T00:00:00+23:59", "before 1970"),
    ("9999-12-31T23:59:59-00:01", "after 9999"),
    ("9999-12-31T23:59:59-23:59", "after 9999"),
)
def test_there_is_no_time_before_1970_or_after_9999(text: str, why: str) -> None:
    with pytest.raises(timestamps.TimestampOutOfRange, match=why):
        timestamps.parse_iso(text)


@cases("text", "", "noon", "2026-02-30", "2026-05-01T25:00:00Z")
def test_what_is_no_moment_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        timestamps.parse_iso(text)
