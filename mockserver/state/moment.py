"""A moment in the life of a project: what leads back to its state, with the log of changes."""

from typing import NamedTuple

from mockserver.kernel.clock import Reading
from mockserver.state.settings import Settings


class Moment(NamedTuple):
    """What of a project's state is not in its log of changes."""

    change: int
    """The number of the last entry of the log of changes then."""
    clock: Reading
    seed: str
    settings: Settings
    scenario_state: str
    next_timer: int
    """The number of the next timer."""
    scenarios: tuple[str, ...]
    """The ids of the scenarios that were loaded."""
