"""How calls are counted against a rate limit: one function for each kind of window."""

from typing import Literal, NamedTuple

from mockserver.state.requests import RateWindow

Kind = Literal["fixed_window", "sliding_window", "token_bucket", "restarting_window"]

MOST_SLIDING_CALLS = 10_000
"""The most calls of a sliding window, which remembers when each of them came."""


class Limit(NamedTuple):
    """The most calls in a window."""

    window_ms: int
    max_calls: int
    kind: Kind = "restarting_window"


class Allowance(NamedTuple):
    """What a limit says of one call."""

    is_allowed: bool
    remaining: int
    """How many more calls it would let through now."""
    reset_ms: int
    """When it counts from the beginning again, from now on. Of a refused call: when one is allowed again."""

    @property
    def reset_s(self) -> int:
        """In whole seconds, rounded up."""
        return -(-self.reset_ms // 1000)


def count(limit: Limit, window: RateWindow, now_ms: int) -> tuple[RateWindow, Allowance]:
    """The window with one call more in it, and what the limit says of that call.

    A refused call is not counted, and makes no wait longer.
    """
    if limit.max_calls == 0:
        return window, Allowance(is_allowed=False, remaining=0, reset_ms=limit.window_ms)
    match limit.kind:
        case "fixed_window":
            return _count_fixed(limit, window, now_ms)
        case "sliding_window":
            return _count_sliding(limit, window, now_ms)
        case "token_bucket":
            return _count_tokens(limit, window, now_ms)
        case "restarting_window":
            return _count_restarting(limit, window, now_ms)


def _count_fixed(limit: Limit, window: RateWindow, now_ms: int) -> tuple[RateWindow, Allowance]:
    """A window begins with the first call after the one before, and ends after its time."""
    if now_ms - window.since_ms >= limit.window_ms or window.amount == 0:
        window = window._replace(since_ms=now_ms, amount=0, ends_ms=now_ms + limit.window_ms)
    is_allowed = window.amount < limit.max_calls
    if is_allowed:
        window = window._replace(amount=window.amount + 1)
    return window, Allowance(is_allowed, limit.max_calls - window.amount, window.ends_ms - now_ms)


def _count_restarting(limit: Limit, window: RateWindow, now_ms: int) -> tuple[RateWindow, Allowance]:
    """Each allowed call begins the window again; only a pause as long as it empties it."""
    if now_ms - window.since_ms >= limit.window_ms:
        window = window._replace(amount=0)
    is_allowed = window.amount < limit.max_calls
    if is_allowed:
        window = window._replace(since_ms=now_ms, amount=window.amount + 1, ends_ms=now_ms + limit.window_ms)
    return window, Allowance(is_allowed, limit.max_calls - window.amount, window.ends_ms - now_ms)


def _count_sliding(limit: Limit, window: RateWindow, now_ms: int) -> tuple[RateWindow, Allowance]:
    """In no span of the window's length are there more calls."""
    times = tuple(at_ms for at_ms in window.times_ms if now_ms - at_ms < limit.window_ms)
    is_allowed = len(times) < limit.max_calls
    if is_allowed:
        times = (*times, now_ms)
    window = window._replace(times_ms=times, amount=len(times), ends_ms=times[-1] + limit.window_ms)
    return window, Allowance(is_allowed, limit.max_calls - len(times), times[0] + limit.window_ms - now_ms)


def _count_tokens(limit: Limit, window: RateWindow, now_ms: int) -> tuple[RateWindow, Allowance]:
    """A bucket that is refilled steadily. Its amount is what it lacks, in tokens times milliseconds.

    So all of it is whole numbers: each millisecond refills `max_calls`, and a call takes `window_ms`.
    """
    capacity = limit.max_calls * limit.window_ms
    lacking = max(0, window.amount - (now_ms - window.since_ms) * limit.max_calls)
    is_allowed = lacking + limit.window_ms <= capacity
    if is_allowed:
        lacking += limit.window_ms
    full_ms = -(-lacking // limit.max_calls)
    window = window._replace(since_ms=now_ms, amount=lacking, ends_ms=now_ms + full_ms)
    wait_ms = full_ms if is_allowed else -(-(lacking + limit.window_ms - capacity) // limit.max_calls)
    return window, Allowance(is_allowed, (capacity - lacking) // limit.window_ms, wait_ms)
