"""Which rows a table keeps, and the indexes by which the others are found."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

R_contra = TypeVar("R_contra", contravariant=True)

GROUP, EXPIRY = "retained group", "expiry hour"
"""The indexes of a table with a retention. No attribute has such a name."""

_HOUR_MS = 3_600_000
MOST_AT_ONCE = 128
"""How many rows of a kind are dropped at most for one that changed."""

OPEN_PROJECTS = 1_000
"""How many projects that undeclared keys opened are not put away, unless an option says otherwise."""
PROJECT_EVENTS, PROJECT_BYTES = 2_000, 16 * 1024 * 1024
"""How many events the history of a project has, and how many bytes they take."""
JOURNAL_BYTES = 64 * 1024 * 1024
"""How many bytes all journals of a server take together, unless an option says otherwise."""


@dataclass(frozen=True, slots=True)
class Retention(Generic[R_contra]):
    """Which rows of a table are dropped when there are too many, and when they are old."""

    kind: str
    """What the rows are called, in the plural, in errors and metrics."""
    setting: str
    """The setting with the most rows that a group may have; of more the oldest are dropped."""
    group: Callable[[R_contra], Hashable]
    """The group of a row, such as its user; None for a row that does not count, such as an unsettled one."""
    expires_ms: Callable[[R_contra], int] | None = None
    """When a row expires; it is dropped some time later."""

    def index_of(self) -> dict[str, Callable[[R_contra], Hashable]]:
        """The indexes of the table: the groups, and the hour in which a row expires."""
        expires_ms = self.expires_ms
        if expires_ms is None:
            return {GROUP: self.group}
        # Hours, because the least of them is looked for at every insertion: there are few.
        return {GROUP: self.group, EXPIRY: lambda row: expires_ms(row) // _HOUR_MS}


def find_expired(hours: Mapping[Any, list[int]], before_ms: int) -> list[int]:
    """The numbers of some rows that expired in the earliest hour, if that was over before a time."""
    first = min(hours, default=None)
    if first is None or (first + 1) * _HOUR_MS > before_ms:
        return []
    return hours[first][:MOST_AT_ONCE]


def one_group(row: object) -> bool:
    """The group of the rows of a table that all count alike."""
    return True
