"""One thing that happened in a project: a call, a control call, a move of the clock, a call that went on."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from mockserver.kernel.clock import Mode, Reading
from mockserver.kernel.timers import Fired
from mockserver.kernel.undo import Change
from mockserver.leniencies import Leniency
from mockserver.state.history.changes import Changes

Cause = Literal["call", "control", "clock", "resumed"]
"""A call of the API; one of the control API; a move of the clock; a call of the API that had to wait."""

NO_STATUS = 0
"""The status of a call whose answer a fault kept back, as in HAR."""

SEND_NOTHING = frozenset({"connection_reset_by_peer", "empty_response", "random_data_then_close", "timeout"})
"""The faults by which nothing of an answer is sent."""
LOSE_ANSWER = SEND_NOTHING | {"malformed_response_chunk"}
"""Those by which a client gets nothing that it could read of an answer."""
LEAVE_ANSWER = frozenset({"slow_response", "duplicate_request"})
"""Those by which it gets all of it."""


class Circumstances(NamedTuple):
    """What of a project's state is not undone change by change. Events share equal ones."""

    now_ms: int
    clock_mode: Mode
    clock_rate: float
    seed: str
    scenario_state: str
    next_timer: int
    """The number of the next timer."""
    scenarios: tuple[str, ...] = ()
    """The ids of the scenarios that are loaded."""

    @property
    def clock(self) -> Reading:
        """What the clock shows, and how it moves."""
        return Reading(self.now_ms, self.clock_mode, self.clock_rate)

    def is_like(self, other: "Circumstances") -> bool:
        """Whether nothing but the time that a ticking clock has come to tells them apart."""
        if self.clock_mode == "ticking":
            return self._replace(now_ms=0) == other._replace(now_ms=0)
        return self == other


NO_CIRCUMSTANCES = Circumstances(0, "frozen", 1.0, "", "", 0)
"""Those of a history that has not begun."""


class Event(NamedTuple):
    """Something that happened, unmasked: code that shows it has to mask secrets.

    The members from `method` to `hints` are of calls of the API only.
    """

    number: int
    at_ms: int
    """What the clock shows after it."""
    cause: Cause
    operation: str | None
    """The operation of the call; None for a path that does not exist, and for a move of the clock."""
    after: Circumstances
    """The circumstances after it."""
    changes: Sequence[Change] | Changes | None = None
    """What it changed, as the undo log noted it or as it was read; None for nothing. See `read_changes`."""
    fired: tuple[Fired, ...] = ()
    """The timers that fired, in order."""
    call: int = 0
    """The number of the event with which the call arrived: this one, unless the call has waited."""
    method: str = ""
    path: str = ""
    query: str = ""
    head_size: int = 0
    """How many characters the path, the query and the request's headers have together."""
    request_headers: Mapping[str, str] = {}
    request_body: bytes = b""
    status: int | None = None
    """None where there is no answer yet."""
    response_headers: tuple[tuple[bytes, bytes], ...] = ()
    response_body: bytes = b""
    rule: str | None = None
    fault: str | None = None
    """What went wrong with the answer on purpose; the response is what it would have been without that."""
    hints: tuple[Leniency, ...] = ()
    took_ms: int = 0
    """How long the call took on the project's clock."""

    @property
    def known_status(self) -> int:
        """The status of the answer, NO_STATUS without one."""
        return self.status or NO_STATUS
