"""A moment in the life of a project: what leads back to its state, with the log of changes."""

from typing import NamedTuple

from mockserver.kernel.clock import Mode, Reading
from mockserver.state.settings import Settings


class Moment(NamedTuple):
    """What of a project's state is not in its log of changes. Flat, for one is made for every call."""

    change: int
    """The number of the last entry of the log of changes then."""
    now_ms: int
    clock_mode: Mode
    clock_rate: float
    seed: str
    settings: Settings
    scenario_state: str
    next_timer: int
    """The number of the next timer."""
    scenarios: tuple[str, ...]
    """The ids of the scenarios that were loaded."""

    @property
    def clock(self) -> Reading:
        """What the clock showed, and how it moved."""
        return Reading(self.now_ms, self.clock_mode, self.clock_rate)
