"""Time moves when it is told to, or follows a real clock that is handed in; never backwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.clock import Clock, Reading
from tests.tables import cases

START_MS = 1_000_000


def test_a_frozen_clock_knows_no_real_time() -> None:
    clock = Clock(START_MS)
    assert clock.real_ms() is None
    assert clock.now_s == 1_000


def test_a_clock_moves_to_the_moment_it_is_told_and_not_before() -> None:
    clock = Clock(START_MS)
    clock.move_to(START_MS)
    clock.move_to(START_MS + 1)
    with pytest.raises(ValueError, match="forward"):
        clock.move_to(START_MS)
    assert clock.now_ms == START_MS + 1


@cases("rate, gained_ms", (1.0, 500), (60.0, 30_000), (0.5, 250))
def test_a_ticking_clock_follows_real_time_at_its_rate(rate: float, gained_ms: int) -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 50_000, rate)
    assert clock.target_ms(50_000) == START_MS
    assert clock.target_ms(50_500) == START_MS + gained_ms


@cases("rate", 0, -1, -0.001)
def test_a_clock_that_would_stand_or_run_backwards_is_refused(rate: float) -> None:
    clock = Clock(START_MS)
    with pytest.raises(ValueError, match="above zero"):
        clock.tick(lambda: 0, rate)
    assert clock.mode == "frozen"


def test_a_real_clock_set_back_does_not_take_this_one_along() -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 50_000)
    assert clock.target_ms(10) == START_MS


def test_a_clock_frozen_in_its_run_ticks_on_from_there() -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 0, 10.0)
    clock.move_to(clock.target_ms(100))
    clock.freeze()
    assert clock.read() == Reading(START_MS + 1_000, "frozen", 1.0)
    clock.tick(lambda: 100_000)
    assert clock.target_ms(100_007) == START_MS + 1_007


def test_a_ticking_clock_goes_on_from_where_it_was_moved_to() -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 0)
    clock.move_to(START_MS + 60_000)
    assert clock.target_ms(10) == START_MS + 60_010
    clock.anchor(lambda: 10)
    assert clock.target_ms(15) == START_MS + 60_005


@given(st.lists(st.integers(-(10**6), 10**6)), st.floats(0.001, 10_000))
def test_a_ticking_clock_never_goes_back(steps_ms: list[int], rate: float) -> None:
    clock, real_ms, shown = Clock(START_MS), 10**9, []
    clock.tick(lambda: real_ms, rate)
    for step_ms in steps_ms:
        real_ms += step_ms
        clock.move_to(clock.target_ms(real_ms))
        shown.append(clock.now_ms)
    assert shown == sorted(shown)


@given(st.integers(1, 10**7), st.floats(0.01, 1_000))
def test_the_wait_for_a_moment_is_over_when_the_clock_shows_it(ahead_ms: int, rate: float) -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 0, rate)
    assert clock.target_ms(int(clock.real_wait_ms(START_MS + ahead_ms)) + 1) >= START_MS + ahead_ms
    assert clock.real_wait_ms(START_MS - 5) == 0


@given(st.integers(0, 10**9), st.floats(0.01, 1_000))
def test_the_real_moment_of_a_ticking_clock_is_known(passed_ms: int, rate: float) -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 77, rate)
    clock.now_ms = clock.target_ms(77 + passed_ms)
    real_ms = clock.real_ms()
    assert real_ms is not None
    assert abs(real_ms - (77 + passed_ms)) <= 1 + 1 / rate


def test_a_clock_is_restored_even_into_the_past_and_ticks_on() -> None:
    clock = Clock(START_MS)
    clock.tick(lambda: 0, 2.0)
    reading = clock.read()
    clock.move_to(START_MS + 999)
    clock.freeze()
    for real_ms in (5_000, 9_000):
        clock.restore(reading, [real_ms].pop)
        assert clock.read() == reading
        assert clock.target_ms(real_ms + 10) == START_MS + 20
