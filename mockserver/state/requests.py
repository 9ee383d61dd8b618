"""Scenarios, counters of their rules, what rate limits count, and idempotent answers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.schema import Schema
from mockserver.kernel.secrecy import Source
from mockserver.state.tables import Tables, table


class LoadedScenario(NamedTuple):
    """A loaded scenario: its name, its text, its compiled rules, and the answers it captured."""

    id: str
    name: str
    source: str
    """What the text is called, such as the path of its file."""
    text: Source
    captured: Mapping[str, Any]
    loaded_ms: int
    """When it was loaded, on the project's clock."""
    rules: tuple[Any, ...]
    index: Any
    """Finds the rules that may be about a call."""


class FirstAnswer(NamedTuple):
    """The answer that an X-Idempotency-Key repeats. The id is operation, path and key."""

    id: str
    fingerprint: bytes
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    expires_ms: int


class RuleState(NamedTuple):
    """The state of a scenario rule: how often it matched and took effect, and since when."""

    id: str
    met: int = 0
    fired: int = 0
    first_fired_ms: int = 0


class FaultAttempts(NamedTuple):
    """How many attempts of a request a fault has met. The id is the rule's and what names the request."""

    id: str
    rule_id: str
    attempts: int


class RateWindow(NamedTuple):
    """What is counted against a rate limit. The id is what the limit counts by: an address and a path."""

    id: str
    rule_id: str = ""
    """The rule of a scenario whose limit it is; empty for the limits of the setting `rate_limits`."""
    since_ms: int = 0
    amount: int = 0
    """How many calls, or what a token bucket lacks."""
    times_ms: tuple[int, ...] = ()
    """When the calls in a sliding window came."""
    ends_ms: int = 0
    """When it says as much as no window at all."""


SCENARIOS = Schema(LoadedScenario, internal=True)


class Requests(Tables):
    """The tables of this module."""

    fault_attempts = table(
        FaultAttempts,
        "rule_id",
        internal=True,
        retention=Retention("attempts of requests", "pending_kept", one_group),
    )
    first_answers = table(
        FirstAnswer,
        internal=True,
        retention=Retention("idempotent answers", "pending_kept", one_group, lambda row: row.expires_ms),
    )
    rate_windows = table(
        RateWindow,
        "rule_id",
        internal=True,
        retention=Retention("rate limit windows", "pending_kept", one_group, lambda row: row.ends_ms),
    )
    rule_states = table(RuleState, internal=True)
