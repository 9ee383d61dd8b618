"""A project's time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

Mode = Literal["frozen", "ticking"]


def to_seconds(at_ms: int) -> int:
    """Milliseconds as whole seconds, the unit of most answers."""
    return at_ms // 1000


def no_time() -> int:
    """The real time of what never reads it: a clock that stands still."""
    raise AssertionError("a frozen clock reads no real time")


class Reading(NamedTuple):
    """What a clock shows and how it moves; enough to set another clock alike."""

    now_ms: int
    mode: Mode
    rate: float


class Anchors(NamedTuple):
    """A time of a clock, and the real time that corresponds to it, in milliseconds."""

    now_ms: int
    real_ms: int


class Clock:
    """Integer milliseconds since the Unix epoch that only ever grow.

    A frozen clock only moves with `move_to`. A ticking clock follows real time, which it reads through what
    the caller passes in; `target_ms` gives the time that this clock should then show.
    """

    __slots__ = ("_anchor_ms", "_anchor_real_ms", "mode", "now_ms", "rate")

    def __init__(self, now_ms: int) -> None:
        self.now_ms = now_ms
        self.mode: Mode = "frozen"
        self.rate = 1.0
        self._anchor_ms = now_ms
        self._anchor_real_ms = 0

    @property
    def now_s(self) -> int:
        """Whole seconds since the Unix epoch."""
        return self.now_ms // 1000

    def move_to(self, moment_ms: int) -> None:
        """Show this time, from which a ticking clock goes on. ValueError for the past: it is monotonic."""
        if moment_ms < self.now_ms:
            raise ValueError(f"time only goes forward: {moment_ms} is before {self.now_ms}")
        self._anchor_ms += moment_ms - self.now_ms
        self.now_ms = moment_ms

    @contextmanager
    def showing(self, moment_ms: int) -> Iterator[None]:
        """Show another time meanwhile, to find out what will come of something."""
        before, self.now_ms = self.now_ms, moment_ms
        try:
            yield
        finally:
            self.now_ms = before

    def freeze(self) -> None:
        """Stop following real time."""
        self.mode = "frozen"
        self.rate = 1.0

    def freeze_at(self, now_ms: int) -> None:
        """Show a moment, earlier ones too, and stop following real time."""
        self.restore(Reading(now_ms, "frozen", 1.0))

    def tick(self, real_ms: Callable[[], int], rate: float = 1.0) -> None:
        """Follow real time from here on, `rate` times as fast; `real_ms` reads it."""
        if rate <= 0:
            raise ValueError("a clock ticks at a rate above zero")
        self.mode = "ticking"
        self.rate = rate
        self.anchor(real_ms)

    def anchor(self, real_ms: Callable[[], int]) -> None:
        """Let a ticking clock go on from here, for the real time that `real_ms` reads."""
        if self.mode == "ticking":
            self.anchors = Anchors(self.now_ms, real_ms())

    @property
    def anchors(self) -> Anchors:
        """The time that the clock showed at a real time; a ticking one goes on from there."""
        return Anchors(self._anchor_ms, self._anchor_real_ms)

    @anchors.setter
    def anchors(self, anchors: Anchors) -> None:
        self._anchor_ms, self._anchor_real_ms = anchors

    def target_ms(self, real_ms: int) -> int:
        """The time that the clock should show at this real time; never before `now_ms`."""
        return max(self.now_ms, self._anchor_ms + int((real_ms - self._anchor_real_ms) * self.rate))

    def real_wait_ms(self, moment_ms: int) -> float:
        """Real milliseconds from `now_ms` until a ticking clock shows the moment."""
        return max(0.0, (moment_ms - self.now_ms) / self.rate)

    def real_ms(self) -> int | None:
        """The real time that corresponds to `now_ms`; None on a frozen clock."""
        if self.mode == "frozen":
            return None
        return self._anchor_real_ms + int((self.now_ms - self._anchor_ms) / self.rate)

    def read(self) -> Reading:
        """What the clock shows and how it moves."""
        return Reading(self.now_ms, self.mode, self.rate)

    def restore(self, reading: Reading, real_ms: Callable[[], int] = no_time) -> None:
        """Show what was read, even if that is in the past; a ticking clock continues from there."""
        self.now_ms, self.mode, self.rate = reading
        self.anchor(real_ms)
