"""The lifecycle of a transaction: built, signed, sent, and settled by its chain (specification, States)."""

from typing import cast

from mockserver import errors
from mockserver.domain.chains import ledger, reorganizations
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.networks import format_fee_usd
from mockserver.domain.sponsorship import paymasters, sponsor_accounts
from mockserver.domain.transactions import mining
from mockserver.domain.transactions.fates import RESCHEDULE, error_without_block, fate_for, use_up
from mockserver.domain.wallets import session_keys
from mockserver.kernel.machine import Machine, Transition
from mockserver.kernel.timers import Timer
from mockserver.state.chains import ChainAccount, Execution, UserOperationExecution
from mockserver.state.existence import not_found
from mockserver.state.identity import User
from mockserver.state.onchain import (
    Fate,
    Receipt,
    Reservation,
    TimelineEvent,
    Transaction,
    TransactionError,
    TransactionStatus,
)
from mockserver.state.project import Project

LIFECYCLE = Machine(
    "Transaction",
    initial=["new", "awaiting_signature"],
    terminal=["successful", "reverted", "failed"],
    undoing=["take_back"],
    transitions=[
        Transition("new", "broadcast", "sent"),
        Transition("new", "fail", "failed"),
        Transition("awaiting_signature", "broadcast", "sent"),
        Transition("awaiting_signature", "fail", "failed"),
        Transition("awaiting_signature", "abandon", "failed"),
        Transition("sent", "succeed", "successful"),
        Transition("sent", "revert", "reverted"),
        Transition("sent", "fail", "failed"),
        Transition("successful", "take_back", "sent"),
        Transition("reverted", "take_back", "sent"),
    ],
)

TERMINAL = LIFECYCLE.terminal

_OWNER_CHANGED = "the account changed its owner before the former one signed"


def find_transaction(project: Project, transaction_id: str, user: User | None) -> Transaction:
    """The transaction with this id; for a signed-in user, of their own. ApiError with 404."""
    rows = project.onchain.transactions
    row = rows.get(transaction_id)
    if row is None or row.is_raw or (user is not None and row.user_id != user.id):
        raise not_found(errors.TRANSACTION_NOT_FOUND, transaction_id, table=rows)
    return row


def is_settled(project: Project, transaction_id: str) -> bool:
    """Whether a transaction has reached a terminal status, or was removed with all of its project."""
    row = project.onchain.transactions.get(transaction_id)
    return row is None or row.status in TERMINAL


def use_nonce(here: ChainAccount, execution: Execution) -> ChainAccount:
    """The account of a sender with the next nonce: a user operation's is at the entry point (ERC-4337)."""
    if isinstance(execution, UserOperationExecution):
        return here._replace(operation_nonce=here.operation_nonce + 1)
    return here._replace(nonce=here.nonce + 1)


def withdraw(project: Project, row: Transaction, reason: str) -> Transaction:
    """Fail a transaction that waits for its signature, so that it cannot be signed any more."""
    return fail(project, row, TransactionError(reason), "abandon")


def abandon(project: Project, account_id: str, reason: str) -> None:
    """Withdraw every transaction of an account that waits for a signature."""
    for row in project.onchain.transactions.find("account_id", account_id):
        if row.status == "awaiting_signature":
            withdraw(project, row, reason)


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Handle a transaction's timer; returns its status before and after, or None if nothing changed.

    A blocked transaction is deferred: transactions are mined in the order of nonces, not of timers.
    """
    row = project.onchain.transactions.get(timer.row_id)
    if row is not None and row.is_provisional:
        return row.status, _take_back(project, row).status
    if row is None or row.status != "sent" or row.execution is None:
        return None
    if timer.event == RESCHEDULE:
        mining.schedule(project, row)
        return None
    if timer.event == "replace":
        return row.status, _put(project, _observe(project, row, "replaced")).status
    fate = fate_for(project, row)
    if mining.defer_if_blocked(project, row, row.execution, fate):
        return None
    handle = _include_provisionally if timer.event == "include_provisionally" else _settle
    return row.status, handle(project, row, row.execution, fate).status


# --- what the chain does -------------------------------------------------------------------------------


def send(project: Project, row: Transaction, here: ChainAccount) -> Transaction:
    """Send a transaction and reserve its funds; `here` is the sender on the chain."""
    reservation = row.reservation
    assert reservation is not None
    own = reservation.own_part
    # The nonce of a new transaction is stored with what is reserved for it.
    if own or row.status == "new":
        ledger.write(project, here._replace(reserved=here.reserved + own))
    _reserve_gas(project, row, reservation, reservation.gas)
    row = _take_step(project, row, "broadcast")
    mining.schedule(project, row)
    return row


def _release_funds(project: Project, row: Transaction) -> None:
    """Release the reservation of a transaction."""
    reservation = row.reservation
    if reservation is None:
        return
    own = reservation.own_part
    if own:
        here = ledger.chain_account(project, row.chain_id, reservation.sender)
        ledger.write(project, here._replace(reserved=here.reserved - own))
    _reserve_gas(project, row, reservation, -reservation.gas)


def _reserve_gas(project: Project, row: Transaction, reservation: Reservation, amount: int) -> None:
    """Reserve the gas of a sponsored transaction, in the accounts of its paymaster and its sponsorship."""
    if not reservation.is_sponsored:
        return
    paymaster = ledger.paymaster_account(project, row.chain_id, reservation.payer)
    ledger.write(project, paymaster._replace(reserved=paymaster.reserved + amount))
    if row.fee_sponsorship_id is not None:
        sponsor_accounts.reserve(project, row.fee_sponsorship_id, amount)


def _include_provisionally(
    project: Project, row: Transaction, execution: Execution, fate: Fate
) -> Transaction:
    """Include a transaction in a block that a reorganization will take back two blocks later.

    Clients see it confirmed. Its funds stay reserved, and its consequences wait until it is settled.
    """
    try:
        receipt = mining.mine_provisionally(project, row, execution, fate)
    except Failure as failure:
        return fail(project, row, failure.error)
    row = _show_included(project, row._replace(is_provisional=True), receipt)
    project.timers.set(project.clock.now_ms + 2 * ledger.BLOCK_TIME_MS, mining.KIND, row.id, "take_back")
    return _move(project, row, _event_of(receipt))


def _take_back(project: Project, row: Transaction) -> Transaction:
    """Reorganize the block of a transaction: a later one includes it, or none, by its fate."""
    receipt = row.receipt
    assert receipt is not None
    assert receipt.included is not None
    fate, included = fate_for(project, row), receipt.included
    taken_back = (*receipt.orphaned, included)
    row = row._replace(receipt=None, cost_usd=None, is_provisional=False, taken_back=taken_back)
    row = _move(project, row, "take_back")
    reorganizations.reorganize(project, row.chain_id, included.place.block_number)
    error = error_without_block(fate)
    if error is not None:
        return fail(project, _observe(project, row, "dropped"), error)
    project.timers.set(project.clock.now_ms + ledger.BLOCK_TIME_MS, mining.KIND, row.id, "settle")
    return row


def _settle(project: Project, row: Transaction, execution: Execution, fate: Fate) -> Transaction:
    """Mine a transaction that is not blocked, or fail it if its fate says so."""
    error = error_without_block(fate)
    if error is not None:
        if fate.outcome != "failed":
            row = _observe(project, row, "expired" if fate.outcome == "expired" else "dropped")
        return fail(project, row, error)
    try:
        if row.fee_sponsorship_id is not None:
            paymasters.require_valid(project, execution)
        receipt, transferred_ids = mining.mine(project, row, execution, fate)
    except Failure as failure:
        return fail(project, row, failure.error)
    # The former owner must not sign any more what was built while they owned the account.
    for account_id in transferred_ids:
        abandon(project, account_id, _OWNER_CHANGED)
    return _take_step(project, _show_included(project, row, receipt), _event_of(receipt))


def _show_included(project: Project, row: Transaction, receipt: Receipt) -> Transaction:
    """The row of a transaction with the receipt of a block, what it cost, and what the monitor observed."""
    row = _observe(project, row._replace(receipt=receipt), "indexed", "confirmed")
    if receipt.payment is not None:
        row = row._replace(cost_usd=format_fee_usd(project, row.chain_id, receipt.payment.wei))
    return row


def _event_of(receipt: Receipt) -> str:
    return "succeed" if receipt.error is None else "revert"


# --- steps ---------------------------------------------------------------------------------------------


def fail(project: Project, row: Transaction, error: TransactionError, event: str = "fail") -> Transaction:
    """Fail a transaction, which no block has."""
    receipt = Receipt(created_ms=project.clock.now_ms, error=error, orphaned=row.taken_back)
    return _take_step(project, row._replace(receipt=receipt), event)


def _take_step(project: Project, row: Transaction, event: str) -> Transaction:
    """Apply an event of the lifecycle and its consequences.

    The timeline records it, a reservation is released, the next transaction of the nonce queue is
    retried, and the session key or withdrawal that the transaction serves is updated.
    """
    before = row
    # Release before the row is replaced: the amounts are those of the reservation on the row before.
    if before.status == "sent":
        _release_funds(project, row)
    row = _move(project, row, event)
    if row.status in TERMINAL:
        use_up(project, row.id)
    # Use the queue of the row before: a settled row is in none, and its place is free for the next.
    if before.nonce_queue is not None:
        mining.retry_first(project, before.nonce_queue)
    if row.purpose == "withdraw_tokens":
        sponsor_accounts.restore_failed_withdrawal(project, row)
    elif row.purpose is not None:
        session_keys.follow(project, row)
    return row


def _move(project: Project, row: Transaction, event: str) -> Transaction:
    """Apply an event of the lifecycle, which the timeline records."""
    status = cast(TransactionStatus, LIFECYCLE.targets[row.status, event])
    return _put(project, add_events(project, row._replace(status=status), status))


def _observe(project: Project, row: Transaction, *events: str) -> Transaction:
    """Add events of the bundler's monitor to the timeline; it only monitors user operations."""
    return add_events(project, row, *events) if isinstance(row.execution, UserOperationExecution) else row


def add_events(project: Project, row: Transaction, *events: str) -> Transaction:
    """Add events to the timeline of a transaction."""
    now_ms = project.clock.now_ms
    added = tuple(TimelineEvent(event, now_ms) for event in events)
    return row._replace(timeline=row.timeline + added, updated_ms=now_ms)


def _put(project: Project, row: Transaction) -> Transaction:
    return project.onchain.transactions.put(row)
