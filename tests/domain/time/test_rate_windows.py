"""How calls are counted against a rate limit."""

from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.time.rate_windows import Allowance, Kind, Limit, count
from mockserver.state.requests import RateWindow
from tests.tables import cases

BEGAN_MS = 1_767_225_600_000


def let_through(limit: Limit, *at_ms: int) -> list[bool]:
    """Which of the calls at these times a limit lets through."""
    return [allowance.is_allowed for allowance in count_all(limit, *at_ms)]


def count_all(limit: Limit, *at_ms: int) -> list[Allowance]:
    """What a limit says of the calls at these times."""
    window, found = RateWindow("one"), []
    for moment_ms in at_ms:
        window, allowance = count(limit, window, BEGAN_MS + moment_ms)
        found.append(allowance)
    return found


@cases(
    "kind, expected",
    # At 0, 6, 9, 10, 12, 16 and 19 seconds: two in ten seconds.
    ("fixed_window", [True, True, False, True, True, False, False]),
    ("sliding_window", [True, True, False, True, False, True, False]),
    ("token_bucket", [True, True, True, False, True, True, False]),
    ("restarting_window", [True, True, False, False, False, True, True]),
)
def test_each_kind_counts_in_its_own_way(kind: Kind, expected: list[bool]) -> None:
    limit = Limit(10_000, 2, kind)
    assert let_through(limit, 0, 6_000, 9_000, 10_000, 12_000, 16_000, 19_000) == expected


@cases(
    "kind, at_ms, said",
    ("fixed_window", (0, 2_500), Allowance(True, 0, 7_500)),
    ("fixed_window", (0, 2_500, 4_000), Allowance(False, 0, 6_000)),
    ("sliding_window", (0, 2_500), Allowance(True, 0, 7_500)),
    ("sliding_window", (0, 2_500, 4_000), Allowance(False, 0, 6_000)),
    ("token_bucket", (0,), Allowance(True, 1, 5_000)),
    ("token_bucket", (0, 2_500, 4_000), Allowance(False, 0, 1_000)),
    ("restarting_window", (0, 2_500, 4_000), Allowance(False, 0, 8_500)),
)
def test_what_is_left_and_how_long_to_wait(kind: Kind, at_ms: tuple[int, ...], said: Allowance) -> None:
    assert count_all(Limit(10_000, 2, kind), *at_ms)[-1] == said


def test_a_wait_is_rounded_up_to_whole_seconds() -> None:
    assert [Allowance(False, 0, ms).reset_s for ms in (1, 1_000, 1_001)] == [1, 1, 2]


kinds = st.sampled_from(["fixed_window", "sliding_window", "token_bucket", "restarting_window"])
spans = st.lists(st.integers(0, 5_000), min_size=1, max_size=60)


@given(kinds, st.integers(0, 5), st.integers(1, 10_000), spans)
def test_the_stated_wait_is_enough(kind: Kind, most: int, window_ms: int, pauses_ms: list[int]) -> None:
    limit, window, now_ms = Limit(window_ms, most, kind), RateWindow("one"), BEGAN_MS
    for pause_ms in pauses_ms:
        now_ms += pause_ms
        window, allowance = count(limit, window, now_ms)
        assert 0 <= allowance.remaining <= most
        if not allowance.is_allowed and most:
            assert count(limit, window, now_ms + allowance.reset_ms)[1].is_allowed
            assert not count(limit, window, now_ms + allowance.reset_ms - 1)[1].is_allowed


@given(st.integers(1, 5), st.integers(1, 10_000), spans)
def test_no_span_of_a_sliding_window_has_more_calls(most: int, window_ms: int, pauses_ms: list[int]) -> None:
    at_ms = [sum(pauses_ms[:number]) for number in range(1, len(pauses_ms) + 1)]
    allowed = let_through(Limit(window_ms, most, "sliding_window"), *at_ms)
    passed = [moment_ms for moment_ms, is_allowed in zip(at_ms, allowed, strict=True) if is_allowed]
    for first_ms in passed:
        assert sum(first_ms <= moment_ms < first_ms + window_ms for moment_ms in passed) <= most


@given(kinds, st.integers(1, 5), st.integers(1, 10_000), spans)
def test_an_ended_window_says_nothing(kind: Kind, most: int, window_ms: int, pauses_ms: list[int]) -> None:
    limit, window, now_ms = Limit(window_ms, most, kind), RateWindow("one"), BEGAN_MS
    for pause_ms in pauses_ms:
        now_ms += pause_ms
        window, _ = count(limit, window, now_ms)
    assert count(limit, window, window.ends_ms)[1] == count(limit, RateWindow("new"), window.ends_ms)[1]
