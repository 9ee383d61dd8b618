"""The fates of transactions: set for those to come or for one by its id, taken, and what they mean."""

from collections.abc import Mapping
from typing import Any

from mockserver.domain.chains.failures import aa_error
from mockserver.domain.transactions.fate_options import SELECTORS, FateSpec, kind_of
from mockserver.kernel.mappings import without_none
from mockserver.state.onchain import Fate, FateKind, Transaction, TransactionError
from mockserver.state.project import Project

NO_FATE = Fate(id="", created_ms=0, outcome="successful", kind="transaction", remaining=None)
"""The fate of a transaction for which none was set."""

RESCHEDULE = "reschedule"
"""The event of a transaction whose fate was set anew."""

_NO_OPTIONS = ("outcome", "kind", *SELECTORS)


def set_fate(project: Project, fate: FateSpec, *, for_call: bool = False) -> Fate:
    """Set the fate of the next `count` transactions (None: of all) that fit, or of one by its id.

    One by id that was sent already meets its new fate as if it had been sent just now.
    """
    members: Mapping[str, Any] = fate
    kind = kind_of(members)
    options = {name: value for name, value in members.items() if name not in _NO_OPTIONS}
    _reschedule(project, kind, members.get("transaction_id"))
    return project.onchain.fates.insert(
        Fate(
            id=project.new_id("fat"),
            created_ms=project.clock.now_ms,
            outcome=members["outcome"],
            kind=kind,
            remaining=members.get("count", 1),
            transaction_id=members.get("transaction_id"),
            chain_id=members.get("chain_id"),
            account_id=members.get("account_id"),
            options=without_none(options),
            for_call=for_call,
        )
    )


def forget_fate(project: Project, fate: Fate) -> None:
    """Remove a fate. Its transaction has the one it had before, as if it were sent just now."""
    project.onchain.fates.remove(fate.id)
    _reschedule(project, fate.kind, fate.transaction_id)


def use_up(project: Project, transaction_id: str) -> None:
    """Remove the fates of a transaction that is settled."""
    for fate in project.onchain.fates.find("transaction_id", transaction_id):
        project.onchain.fates.remove(fate.id)


def _reschedule(project: Project, kind: FateKind, transaction_id: str | None) -> None:
    named = project.onchain.transactions.get(transaction_id)
    if named is not None and named.status == "sent":
        project.timers.cancel(kind, named.id)
        project.timers.set(project.clock.now_ms, kind, named.id, RESCHEDULE)


def take_fate(
    project: Project,
    kind: FateKind,
    *,
    chain_id: int | None = None,
    account_id: str | None = None,
    refuses: bool = False,
) -> Fate | None:
    """The fate of a new transaction, or None: the oldest that fits, those for the current call first.

    It is used once by that, also by a call that `refuses` what has to fail.
    """
    fates = project.onchain.fates
    if not len(fates):
        return None
    whose = [(chain, account) for chain in {None, chain_id} for account in {None, account_id}]
    for for_call in (True, False):
        fate = fates.oldest("aim", [(for_call, kind, chain, account) for chain, account in whose])
        if fate is not None:
            _use(project, fate, for_good=refuses and fate.outcome == "failed")
            return fate
    return None


def fate_for(project: Project, row: Transaction) -> Fate:
    """The fate that was set last for this very transaction, or else the one it took when it was made."""
    return project.onchain.fates.last("transaction_id", row.id) or row.fate or NO_FATE


def failure_of(fate: Fate) -> TransactionError:
    """The error of a transaction whose fate is to fail."""
    if "code" in fate.options:
        return aa_error(fate.options["code"])
    return TransactionError(fate.options.get("reason", "the transaction was refused"))


def error_without_block(fate: Fate) -> TransactionError | None:
    """The error of a transaction whose fate keeps it out of every block, or None."""
    if fate.outcome == "failed":
        return failure_of(fate)
    if fate.outcome == "expired":
        return TransactionError("the transaction expired before it was included in a block")
    if fate.outcome == "dropped" or not fate.options.get("reincluded", True):
        return TransactionError("the transaction was dropped from the mempool")
    return None


def _use(project: Project, fate: Fate, *, for_good: bool) -> None:
    fates = project.onchain.fates
    if fate.remaining is None:
        return
    if fate.remaining <= 1:
        (fates.destroy if for_good else fates.remove)(fate.id)
    else:
        (fates.spend if for_good else fates.replace)(fate._replace(remaining=fate.remaining - 1))
