"""Idempotent answers, counters of scenario rules, and rate limit windows."""

from typing import NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo


class FirstAnswer(NamedTuple):
    """The answer that an X-Idempotency-Key repeats. The id is operation, path and key."""

    id: str
    fingerprint: bytes
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    expires_ms: int


class RuleState(NamedTuple):
    """The state of a scenario rule: how often it matched and took effect, and its rate window."""

    id: str
    met: int = 0
    fired: int = 0
    window_started_ms: int = 0
    window_count: int = 0


class FaultAttempts(NamedTuple):
    """How many attempts of a request a fault has met. The id is the rule's and what names the request."""

    id: str
    rule_id: str
    attempts: int


class ClientWindow(NamedTuple):
    """The rate limit window of a client. The id is the client's address and the path."""

    id: str
    calls: int
    last_call_ms: int


class Requests:
    """The tables of this module."""

    client_windows: Table[ClientWindow]
    fault_attempts: Table[FaultAttempts]
    first_answers: Table[FirstAnswer]
    rule_states: Table[RuleState]

    def __init__(self, undo: Undo) -> None:
        self.client_windows = Table(
            undo,
            retention=Retention("rate limit windows", "pending_kept", one_group, _end_of_window),
        )
        self.fault_attempts = Table(
            undo, "rule_id", retention=Retention("attempts of requests", "pending_kept", one_group)
        )
        self.first_answers = Table(
            undo,
            retention=Retention("idempotent answers", "pending_kept", one_group, lambda row: row.expires_ms),
        )
        self.rule_states = Table(undo)


def _end_of_window(row: ClientWindow) -> int:
    # The longest window of any limit, a minute: only then does the row say as much as none.
    return row.last_call_ms + 60_000
