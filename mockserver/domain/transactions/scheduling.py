"""When a chain acts on a transaction that was sent: timers, the nonce queue, underpriced transactions."""

from typing import Literal

from mockserver.domain.chains import ledger
from mockserver.domain.chains.failures import aa_error
from mockserver.domain.transactions.fates import NO_FATE, fate_of
from mockserver.domain.transactions.mining import is_underpriced
from mockserver.state.onchain import Execution, Fate, Transaction, TransactionError
from mockserver.state.project import Project
from mockserver.state.settings import Settings

KIND: Literal["transaction"] = "transaction"
"""The kind of a transaction's timers and fates."""


def fate_for(project: Project, row: Transaction) -> Fate:
    """The fate that was set last for this very transaction, or else the one it took when it was made."""
    return fate_of(project, row.id) or row.fate or NO_FATE


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


def schedule(project: Project, row: Transaction) -> None:
    """Set the timers of a transaction that was sent, by its fate."""
    fate = fate_for(project, row)
    if fate.outcome == "never_mined":
        return
    after_ms = fate.options.get("after_ms", project.settings.transaction_confirms_after_ms)
    now_ms = project.clock.now_ms
    if fate.outcome == "replaced":
        project.timers.set(now_ms + after_ms // 2, KIND, row.id, "replace")
    schedule_inclusion(project, row, now_ms + after_ms)


def schedule_inclusion(project: Project, row: Transaction, due_ms: int) -> None:
    """Set the timers that include a transaction in a block at a time.

    One with the fate `reorged` is included provisionally then, and settled two blocks later.
    """
    if fate_for(project, row).outcome == "reorged" and row.provisional_inclusion is None:
        project.timers.set(due_ms, KIND, row.id, "include_provisionally")
        due_ms += 2 * ledger.BLOCK_TIME_MS
    project.timers.set(due_ms, KIND, row.id, "settle")


def defer_if_blocked(project: Project, row: Transaction, execution: Execution) -> bool:
    """Cancel the timers of a transaction that cannot be included yet; returns whether they were.

    It is blocked by an earlier nonce of its sender, or by a base fee above its maximum. If the first of
    its nonce queue has a timer, it is scheduled at the same time. Otherwise `retry` schedules it: when
    the nonce queue moves, or when gas prices change.
    """
    assert row.nonce_queue is not None
    # The oldest row of the queue has the lowest nonce: nonces are taken in the order in which rows are
    # created, and a row that was signed late is still in its place.
    first = project.onchain.transactions.first("nonce_queue", row.nonce_queue) or row
    if first.id == row.id and not _is_underpriced(project, row, execution):
        return False
    # No timer of its own while it is blocked: polling would make many pending transactions quadratic.
    project.timers.cancel(KIND, row.id)
    due_ms = None if first.id == row.id else project.timers.next_due_ms(first.id)
    if due_ms is not None:
        schedule_inclusion(project, row, due_ms)
    return True


def retry(project: Project, row: Transaction) -> None:
    """Schedule a transaction for now that has no timer, unless it is fated never to be mined."""
    if project.timers.next_due_ms(row.id) is None and fate_for(project, row).outcome != "never_mined":
        schedule_inclusion(project, row, project.clock.now_ms)


def retry_first(project: Project, nonce_queue: str) -> None:
    """Retry the transaction that is now the first of a nonce queue, if there is one."""
    first = project.onchain.transactions.first("nonce_queue", nonce_queue)
    if first is not None:
        retry(project, first)


def change_settings(project: Project, settings: Settings) -> None:
    """Change the settings of a project; if gas prices changed, retry underpriced transactions."""
    prices_changed = settings.chains != project.settings.chains
    project.change_settings(settings)
    if prices_changed:
        for row in project.onchain.transactions.find("status", "sent"):
            retry(project, row)


def _is_underpriced(project: Project, row: Transaction, execution: Execution) -> bool:
    return error_without_block(fate_for(project, row)) is None and is_underpriced(project, row, execution)
