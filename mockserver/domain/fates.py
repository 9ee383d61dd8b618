"""Fates: what will become of transactions to come, or of one by id."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal

from mockserver.chain.reverts import EXPLANATIONS
from mockserver.state.onchain import Fate
from mockserver.state.project import Project

Kind = Literal["transaction", "solana_transaction"]

OUTCOMES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "transaction": {
        "successful": frozenset({"after_ms"}),
        "reverted": frozenset({"after_ms", "reason", "error", "args", "panic"}),
        "failed": frozenset({"reason", "code"}),
        "dropped": frozenset({"after_ms"}),
        "replaced": frozenset({"after_ms"}),
        "never_mined": frozenset(),
    },
    "solana_transaction": {
        "confirmed": frozenset({"after_ms"}),
        "failed": frozenset({"after_ms", "error_message"}),
        "expired": frozenset({"after_ms"}),
    },
}
"""The outcomes of each kind, and the options each takes."""

NO_FATE = Fate(id="", created_ms=0, outcome="successful", kind="transaction", remaining=None)
"""What happens when nothing was said."""

_SELECTORS = frozenset({"outcome", "kind", "count", "transaction_id", "chain_id", "account_id"})
_TEXTS = ("reason", "error", "code", "error_message", "transaction_id", "account_id")
_COUNTS = ("after_ms", "count", "chain_id", "panic")


def check_fate(fate: Mapping[str, object]) -> None:
    """Refuse a fate that cannot be: ValueError with a sentence that names what is wrong.

    Members: `outcome`, `kind` (`transaction` unless said), how many transactions it takes (`count`),
    which ones (`transaction_id`, `chain_id`, `account_id`), and the outcome's own options.
    """
    kind = fate.get("kind", "transaction")
    if kind not in OUTCOMES:
        raise ValueError(f"kind is transaction or solana_transaction, not {kind!r}")
    outcomes = OUTCOMES[str(kind)]
    outcome = fate.get("outcome")
    if not isinstance(outcome, str) or outcome not in outcomes:
        raise ValueError(_not_one_of(f"the outcome of a {kind}", outcome, list(outcomes)))
    allowed = _SELECTORS | outcomes[outcome]
    for name in fate:
        if name not in allowed:
            raise ValueError(_not_one_of(f"an option of {outcome}", name, sorted(allowed)))
    _check_values(fate)


def _check_values(fate: Mapping[str, object]) -> None:
    for name in _TEXTS:
        value = fate.get(name)
        if value is not None and (not isinstance(value, str) or not 0 < len(value) <= 1000):
            raise ValueError(f"{name} is a text of 1 to 1000 characters")
    for name in _COUNTS:
        value = fate.get(name)
        lowest = 1 if name in ("count", "chain_id") else 0
        if value is not None and (type(value) is not int or not lowest <= value < 2**53):
            raise ValueError(f"{name} is a whole number from {lowest} up")
    if not isinstance(fate.get("args", []), (list, tuple)):
        raise ValueError("args is a list")
    if "args" in fate and "error" not in fate:
        raise ValueError("args belong to an error: name it, as in error: InsufficientBalance(uint256)")
    if sum(name in fate for name in ("reason", "error", "panic")) > 1:
        raise ValueError("a revert has one of reason, error and panic")
    code = fate.get("code")
    if code is not None and code not in EXPLANATIONS:
        raise ValueError(_not_one_of("an entry point's code", code, sorted(EXPLANATIONS)))


def _not_one_of(what: str, value: object, choices: list[str]) -> str:
    close = get_close_matches(str(value), choices, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    return f"{value!r} is not {what}{hint}; there are {', '.join(choices)}"


def add_fate(
    project: Project,
    outcome: str,
    *,
    kind: Kind = "transaction",
    count: int | None = 1,
    transaction_id: str | None = None,
    chain_id: int | None = None,
    account_id: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Fate:
    """Settle what will become of the next `count` transactions (None: of all) that fit, or of one by id."""
    return project.onchain.fates.insert(
        Fate(
            id=project.new_id("fat"),
            created_ms=project.clock.now_ms,
            outcome=outcome,
            kind=kind,
            remaining=count,
            transaction_id=transaction_id,
            chain_id=chain_id,
            account_id=account_id,
            options=dict(options or {}),
        )
    )


def take_fate(
    project: Project, kind: Kind, *, chain_id: int | None = None, account_id: str | None = None
) -> Fate | None:
    """The oldest fate that fits a new transaction, which it then has one less of to take; or None."""
    for fate in project.onchain.fates:
        if fate.kind != kind or fate.transaction_id is not None:
            continue
        if fate.chain_id not in (None, chain_id) or fate.account_id not in (None, account_id):
            continue
        _use(project, fate)
        return fate
    return None


def fate_of(project: Project, transaction_id: str) -> Fate | None:
    """The latest fate that was set for a transaction by its id, or None."""
    named = [fate for fate in project.onchain.fates if fate.transaction_id == transaction_id]
    return named[-1] if named else None


def _use(project: Project, fate: Fate) -> None:
    if fate.remaining is None:
        return
    if fate.remaining <= 1:
        project.onchain.fates.remove(fate.id)
    else:
        project.onchain.fates.replace(replace(fate, remaining=fate.remaining - 1))
