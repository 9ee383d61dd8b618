"""How large a scenario may be."""

from typing import NamedTuple


class Bounds(NamedTuple):
    """What a scenario may have at most."""

    values: int
    """Members, entries and keys, and what is in them; aliases are counted as used."""
    entries: int
    """Entries of each of its parts, and conditions within those of its rules."""
    steps: int
    """Steps of `given`, which are all sent before the next request is answered."""


OF_FILES = Bounds(values=400_000, entries=400_000, steps=400_000)
"""Files are read by commands, and before a server answers requests."""

OF_REQUESTS = Bounds(values=10_000, entries=1_000, steps=500)
"""No other request is answered while one is read: each value takes some microseconds, a rule fifty and a
step a hundred. The largest scenarios that people write have a tenth of this."""

EFFORT_OF_REQUESTS = 50_000
"""So many values of rules are compared, each in a microsecond, to find rules that never decide."""
