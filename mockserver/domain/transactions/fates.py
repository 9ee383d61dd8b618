"""Fates: what will become of transactions to come, or of one by id."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.chain.abi import AbiError, Function, encode_call
from mockserver.chain.abi_grammar import parse_signature
from mockserver.chain.reverts import EXPLANATIONS
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.state.onchain import Fate, FateKind
from mockserver.state.project import Project

OUTCOMES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "transaction": {
        "successful": frozenset({"after_ms"}),
        "reverted": frozenset({"after_ms", "reason", "error", "args", "panic"}),
        "failed": frozenset({"reason", "code"}),
        "dropped": frozenset({"after_ms"}),
        "replaced": frozenset({"after_ms"}),
        "reorged": frozenset({"after_ms", "reincluded"}),
        "never_mined": frozenset(),
    },
    "solana_transaction": {
        "confirmed": frozenset({"after_ms"}),
        "failed": frozenset({"after_ms", "error_message"}),
        "expired": frozenset({"after_ms"}),
    },
}
"""The outcomes of each kind, and the options each takes."""

SELECTORS = ("count", "transaction_id", "chain_id", "account_id")
"""What says which transactions a fate takes, and how many of them; of those on Solana only how many."""

MEMBERS: Mapping[str, type] = {
    "outcome": str,
    "kind": str,
    "count": int,
    "transaction_id": str,
    "chain_id": int,
    "account_id": str,
    "after_ms": int,
    "reincluded": bool,
    "reason": str,
    "error": str,
    "args": list,
    "panic": int,
    "code": str,
    "error_message": str,
}
"""All that is ever said of a fate: its outcome, which transactions it takes, and the outcome's options."""

NO_FATE = Fate(id="", created_ms=0, outcome="successful", kind="transaction", remaining=None)
"""What happens when nothing was said."""

RESCHEDULE = "reschedule"
"""The event of a transaction whose fate was set anew."""

_ANY_KIND = frozenset({"outcome", "kind", "count"})
_NO_OPTIONS = _ANY_KIND.union(SELECTORS)


def lowest(name: str) -> int:
    """The least that a member may be which is a number."""
    return 1 if name in SELECTORS else 0


def check_fate(fate: Mapping[str, object]) -> None:
    """Refuse a fate that cannot be: ValueError with a sentence that names what is wrong.

    Members: `outcome`, `kind` (`transaction` unless said), how many transactions it takes (`count`),
    which ones (`transaction_id`, `chain_id`, `account_id`), and the outcome's own options.
    """
    kind = fate.get("kind", "transaction")
    if not isinstance(kind, str) or kind not in OUTCOMES:
        raise ValueError(f"kind is transaction or solana_transaction, not {_shorten(kind)}")
    outcomes = OUTCOMES[kind]
    for name in fate:
        if name not in MEMBERS:
            raise ValueError(_not_one_of("a member of a fate", name, sorted(MEMBERS)))
    if "outcome" not in fate:
        raise ValueError(f"outcome is missing; there are {', '.join(outcomes)}")
    outcome = fate["outcome"]
    if not isinstance(outcome, str) or outcome not in outcomes:
        raise ValueError(_not_one_of(f"the outcome of a {kind}", outcome, list(outcomes)))
    allowed = outcomes[outcome] | (_NO_OPTIONS if kind == "transaction" else _ANY_KIND)
    for name in fate:
        if name not in allowed:
            raise ValueError(_not_one_of(f"an option of {outcome}", name, sorted(allowed)))
    # What is null counts as not given.
    given = {name: value for name, value in fate.items() if value is not None}
    _check_values(given)
    _check_combination(given)


def _check_values(fate: Mapping[str, object]) -> None:
    for name, value in fate.items():
        wanted = MEMBERS[name]
        if wanted is str and not (isinstance(value, str) and 0 < len(value) <= 1000 and _is_unicode(value)):
            raise ValueError(f"{name} is a text of 1 to 1000 characters")
        if wanted is int and not (type(value) is int and lowest(name) <= value < 2**53):
            raise ValueError(f"{name} is a whole number from {lowest(name)} up")
        if wanted is bool and type(value) is not bool:
            raise ValueError(f"{name} is true or false")
        if wanted is list and not isinstance(value, (list, tuple)):
            raise ValueError(f"{name} is a list")


def _check_combination(fate: Mapping[str, Any]) -> None:
    if "args" in fate and "error" not in fate:
        raise ValueError("args belong to an error: name it, as in error: InsufficientBalance(uint256)")
    if sum(name in fate for name in ("reason", "error", "panic")) > 1:
        raise ValueError("a revert has one of reason, error and panic")
    if "reason" in fate and "code" in fate:
        raise ValueError("a failure has one of reason and code")
    if "code" in fate and fate["code"] not in EXPLANATIONS:
        raise ValueError(_not_one_of("an entry point's code", fate["code"], sorted(EXPLANATIONS)))
    if "(" in fate.get("error", ""):
        _check_error(fate["error"], fate.get("args", ()))


def _check_error(signature: str, args: Sequence[object]) -> None:
    """A signature stands for itself; a name alone is looked up in the ABI of what is called."""
    try:
        encode_call(Function(*parse_signature(signature)), args)
    except AbiError as found:
        where = found.path.replace("functionArgs", "args") or "error"
        raise ValueError(f"{where}: {found}") from None


def _is_unicode(text: str) -> bool:
    """Whether a text is free of half surrogate pairs, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode() == text


def _not_one_of(what: str, value: object, choices: list[str]) -> str:
    hint = did_you_mean(nearest(str(value), choices))
    return f"{_shorten(value)} is not {what}{hint}; there are {', '.join(choices)}"


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def set_fate(project: Project, fate: Mapping[str, Any], *, for_call: bool = False) -> Fate:
    """Add a fate by its members, which `check_fate` found nothing wrong with."""
    return add_fate(
        project,
        fate["outcome"],
        kind=fate.get("kind", "transaction"),
        count=fate.get("count", 1),
        transaction_id=fate.get("transaction_id"),
        chain_id=fate.get("chain_id"),
        account_id=fate.get("account_id"),
        options={name: value for name, value in fate.items() if name not in _NO_OPTIONS},
        for_call=for_call,
    )


def add_fate(
    project: Project,
    outcome: str,
    *,
    kind: FateKind = "transaction",
    count: int | None = 1,
    transaction_id: str | None = None,
    chain_id: int | None = None,
    account_id: str | None = None,
    options: Mapping[str, Any] | None = None,
    for_call: bool = False,
) -> Fate:
    """Settle what will become of the next `count` transactions (None: of all) that fit, or of one by id.

    One by id that was sent already meets its new fate as if it had been sent just now.
    """
    _reschedule(project, kind, transaction_id)
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
            options={name: value for name, value in (options or {}).items() if value is not None},
            for_call=for_call,
        )
    )


def forget_fate(project: Project, fate: Fate) -> None:
    """Let a fate not come true. Its transaction has the one it had before, as if it were sent just now."""
    project.onchain.fates.remove(fate.id)
    _reschedule(project, fate.kind, fate.transaction_id)


def use_up(project: Project, transaction_id: str) -> None:
    """Forget the fates of a transaction that has come to its end."""
    for fate in project.onchain.fates.find("transaction_id", transaction_id):
        project.onchain.fates.remove(fate.id)


def _reschedule(project: Project, kind: FateKind, transaction_id: str | None) -> None:
    named = project.onchain.transactions.get(transaction_id or "")
    if named is not None and named.status == "sent":
        project.timers.cancel(kind, named.id)
        project.timers.set(project.clock.now_ms, kind, named.id, RESCHEDULE)


def take_fate(
    project: Project, kind: FateKind, *, chain_id: int | None = None, account_id: str | None = None
) -> Fate | None:
    """The oldest fate that fits a new transaction, which it then has one less of to take; or None.

    One that is meant for the call being answered comes before those that wait for any.
    """
    for fate in sorted(project.onchain.fates, key=lambda fate: not fate.for_call):
        if fate.kind != kind or fate.transaction_id is not None:
            continue
        if fate.chain_id not in (None, chain_id) or fate.account_id not in (None, account_id):
            continue
        _use(project, fate)
        return fate
    return None


def fate_of(project: Project, transaction_id: str) -> Fate | None:
    """The latest fate that was set for a transaction by its id, or None."""
    return project.onchain.fates.last("transaction_id", transaction_id)


def _use(project: Project, fate: Fate) -> None:
    if fate.remaining is None:
        return
    if fate.remaining <= 1:
        project.onchain.fates.remove(fate.id)
    else:
        project.onchain.fates.replace(fate._replace(remaining=fate.remaining - 1))
