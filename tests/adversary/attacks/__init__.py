"""Every attack, by its name, with the attempts that it has in the test suite."""

from collections.abc import Callable

from tests.adversary.attacks import (
    balances,
    dead_logs,
    foreign_names,
    forged_proofs,
    identities,
    interleavings,
    near_misses,
    patterns,
    private_keys,
    provider_keys,
    raw_bytes,
    refused_calls,
    session_keys,
    siwe_messages,
    slow_clients,
    snapshots,
)
from tests.adversary.budget import Budget

Attack = Callable[[Budget], None]

ATTACKS: dict[str, tuple[Attack, int]] = {
    "raw bytes": (raw_bytes.attack, 80),
    "slow clients and waits": (slow_clients.attack, 2),
    "dead logs": (dead_logs.attack, 1),
    "patterns": (patterns.attack, 60),
    "foreign names": (foreign_names.attack, 100),
    "forged proofs": (forged_proofs.attack, 120),
    "sign-in messages": (siwe_messages.attack, 60),
    "key sets of providers": (provider_keys.attack, 40),
    "session keys": (session_keys.attack, 15),
    "identities": (identities.attack, 20),
    "private keys": (private_keys.attack, 15),
    "balances": (balances.attack, 30),
    "near misses": (near_misses.attack, 8),
    "snapshots": (snapshots.attack, 5),
    "refused calls": (refused_calls.attack, 40),
    "interleavings": (interleavings.attack, 1),
}
