"""Every attack, by its name, with the attempts that it has in the test suite."""

from collections.abc import Callable

from tests.adversary.attacks import (
    dead_logs,
    foreign_names,
    forged_proofs,
    interleavings,
    patterns,
    raw_bytes,
    refused_calls,
    slow_clients,
)
from tests.adversary.budget import Budget

Attack = Callable[[Budget], None]

ATTACKS: dict[str, tuple[Attack, int]] = {
    "raw bytes": (raw_bytes.attack, 150),
    "slow clients and waits": (slow_clients.attack, 2),
    "dead logs": (dead_logs.attack, 2),
    "patterns": (patterns.attack, 60),
    "foreign names": (foreign_names.attack, 200),
    "forged proofs": (forged_proofs.attack, 120),
    "refused calls": (refused_calls.attack, 60),
    "interleavings": (interleavings.attack, 1),
}
