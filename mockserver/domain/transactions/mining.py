"""When a chain takes a sent transaction into a block, and what comes of it there: calls, gas, receipt."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from mockserver.chain.addresses import checksum_of
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import change_deposit, deposit_of
from mockserver.domain.chains.executing_ahead import AheadExecutor
from mockserver.domain.chains.execution import REVERTED, Executed
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.chains.networks import BLOB_BASE_FEE, PLAIN_GAS, fees_of, gas_limit, gas_used
from mockserver.domain.chains.tokens import erc20, holdings
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.domain.sponsorship import sponsor_accounts
from mockserver.domain.sponsorship.sponsors import token_fee
from mockserver.domain.transactions import bundles
from mockserver.domain.transactions.fates import error_without_block, fate_for
from mockserver.domain.transactions.reverts import decode_error, revert_data
from mockserver.domain.transactions.smart_accounts import deploy_or_delegate, note_deployments, operation_logs
from mockserver.domain.wallets import ownership
from mockserver.domain.wallets.outcomes import Outcome, make_calls
from mockserver.kernel.effort import finish
from mockserver.state.chains import Execution, PlainExecution, RawExecution, UserOperationExecution
from mockserver.state.onchain import (
    BLOCK_RANKS,
    BlockPosition,
    Fate,
    Log,
    Payment,
    Receipt,
    Reservation,
    Transaction,
)
from mockserver.state.project import Project
from mockserver.state.settings import Settings

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Watch

KIND: Literal["transaction"] = "transaction"
"""The kind of a transaction's timers and fates."""
_LONG_GAS = 100_000
"""With so much gas an execution can take some fifty milliseconds."""


# --- when ----------------------------------------------------------------------------------------------


def schedule(project: Project, row: Transaction) -> None:
    """Set the timers of a transaction that was sent, by its fate; what takes long then is found out now."""
    fate = fate_for(project, row)
    if fate.outcome == "never_mined":
        return
    now_ms = project.clock.now_ms
    after_ms = fate.options.get("after_ms", project.settings.transaction_confirms_after_ms)
    _try_out(project, row, fate, now_ms + after_ms)
    if fate.outcome == "replaced":
        project.timers.set(now_ms + after_ms // 2, KIND, row.id, "replace")
    _schedule_inclusion(project, row, fate, now_ms + after_ms)


def defer_if_blocked(project: Project, row: Transaction, execution: Execution, fate: Fate) -> bool:
    """Cancel the timers of a transaction that cannot be included yet; returns whether they were.

    It is blocked by an earlier nonce of its sender, or by a base fee above its maximum. If the first of
    its nonce queue has a timer, it is scheduled at the same time. Otherwise `_retry` schedules it: when
    the nonce queue moves, or when gas prices change.
    """
    assert row.nonce_queue is not None
    # The oldest row of the queue has the lowest nonce: nonces are taken in the order in which rows are
    # created, and a row that was signed late is still in its place.
    first = project.onchain.transactions.first("nonce_queue", row.nonce_queue) or row
    if first.id == row.id and not _is_underpriced(project, row, execution, fate):
        return False
    # No timer of its own while it is blocked: polling would make many pending transactions quadratic.
    project.timers.cancel(KIND, row.id)
    due_ms = None if first.id == row.id else project.timers.next_due_ms(first.id)
    if due_ms is not None:
        _schedule_inclusion(project, row, fate, due_ms)
    return True


def retry_first(project: Project, nonce_queue: str) -> None:
    """Retry the transaction that is now the first of a nonce queue, if there is one."""
    first = project.onchain.transactions.first("nonce_queue", nonce_queue)
    if first is not None:
        _retry(project, first)


def change_settings(project: Project, settings: Settings) -> None:
    """Change the settings of a project; if gas prices changed, retry underpriced transactions."""
    prices_changed = settings.chains != project.settings.chains
    project.change_settings(settings)
    if prices_changed:
        for row in project.onchain.transactions.find("status", "sent"):
            _retry(project, row)


def _schedule_inclusion(project: Project, row: Transaction, fate: Fate, due_ms: int) -> None:
    """Set the timers that include a transaction in a block at a time.

    One with the fate `reorged` is in a block that is taken back at first.
    """
    is_first = fate.outcome == "reorged" and not row.taken_back
    project.timers.set(due_ms, KIND, row.id, "include_provisionally" if is_first else "settle")


def _retry(project: Project, row: Transaction) -> None:
    """Schedule a transaction for now that has no timer, unless it is fated never to be mined."""
    fate = fate_for(project, row)
    if project.timers.next_due_ms(row.id) is None and fate.outcome != "never_mined":
        _schedule_inclusion(project, row, fate, project.clock.now_ms)


def _is_underpriced(project: Project, row: Transaction, execution: Execution, fate: Fate) -> bool:
    """Whether the base fee is more than a transaction offers (EIP-1559), if it is to be in a block at all."""
    base_fee = fees_of(project, row.chain_id).base_fee
    return error_without_block(fate) is None and base_fee > offered_fees(execution)[0]


# --- what comes of it ----------------------------------------------------------------------------------


def next_place(project: Project, chain_id: int) -> BlockPosition:
    """The place of the next transaction in the current block."""
    block = ledger.block_at(project, chain_id, project.clock.now_ms)
    # After the last index, not the count: a transaction that was taken back leaves a gap. By rank,
    # not row by row: those that wait for the clock may all be mined in one block.
    first = block.number * BLOCK_RANKS
    last = project.onchain.transactions.highest("block", chain_id, first, first + BLOCK_RANKS)
    if last is None or last.included is None:
        return BlockPosition(block.number, block.hash, 0, 0)
    before = last.included.place
    logs = before.first_log_index + len(last.included.logs)
    return BlockPosition(block.number, block.hash, before.transaction_index + 1, logs)


def _try_out(project: Project, row: Transaction, fate: Fate, due_ms: int) -> None:
    """Mine a transaction that may take long, and undo it: so a call that sends it executes it ahead."""
    execution = row.execution
    assert execution is not None
    # What was measured is far less than the limit.
    measured = sum(call.gas or 0 for call in row.calls)
    if not project.ahead.is_possible or (measured or gas_limit(execution)) < _LONG_GAS:
        return
    is_executed = isinstance(execution, RawExecution) or _is_run(project, row)
    if isinstance(execution, UserOperationExecution) and not is_executed:
        is_executed = bundles.is_executed(execution, project, row.chain_id)
    if is_executed:
        with suppress(Failure), project.clock.showing(due_ms):
            mine_provisionally(project, row, execution, fate)


def mine_provisionally(project: Project, row: Transaction, execution: Execution, fate: Fate) -> Receipt:
    """Mine a transaction in the current block and roll everything back; only the receipt is kept.

    Failure as of `mine`.
    """
    with project.undo.undone():
        return mine(project, row, execution, fate)[0]


def mine(
    project: Project, row: Transaction, execution: Execution, fate: Fate, watch: "Watch | None" = None
) -> tuple[Receipt, Sequence[str]]:
    """Execute the calls of a transaction in the current block, and charge its gas.

    Returns the receipt, and the ids of accounts that have another owner now. If the calls revert, by fate
    or for lack of funds, the receipt has an `error` and only the gas is charged. Failure when the gas can
    no longer be paid.
    """
    chain_id, reservation = row.chain_id, row.reservation
    assert reservation is not None
    if isinstance(execution, RawExecution):
        return _mine_raw(project, row, execution, fate, watch), ()
    if isinstance(execution, UserOperationExecution) and bundles.is_executed(execution, project, chain_id):
        return _mine_bundle(project, row, execution, fate, watch)
    executes = fate.outcome != "reverted" and _is_run(project, row)
    savepoint, outcome = project.undo.savepoint(), Outcome()
    if executes:
        outcome = _execute_calls(project, row, execution, watch)
    used = gas_used(execution, outcome.calls + row.calls[len(outcome.calls) :])
    fee = used * _price_of(project, chain_id, execution)
    fee_with_l1 = fee + (reservation.l1_fee or 0)
    try:
        payment, charge_logs = _pay(project, row, execution, reservation, fee_with_l1)
    except Failure:
        project.undo.roll_back_to(savepoint)
        raise
    if fate.outcome == "reverted":
        outcome = Outcome(reverted=revert_data(project, row, fate))
    elif not executes:
        # After the payment: they might spend what is reserved for gas, and a revert must still be paid for.
        outcome = make_calls(project, chain_id, execution.sender, row.calls, None)
    reverted, logs = outcome.reverted, (*charge_logs, *outcome.logs)
    transaction_hash = _transaction_hash(row, execution, fate)
    if isinstance(execution, UserOperationExecution):
        paid = {"fee": fee_with_l1, "used": used}
        logs = operation_logs(project, chain_id, execution, logs, reverted=reverted, **paid)
    # After the logs were built: they depend on whether the account was deployed before.
    if not isinstance(execution, PlainExecution):
        deploy_or_delegate(project, chain_id, execution, transaction_hash)
    receipt = _receipt(project, row, execution, fate, outcome._replace(logs=logs), payment, (used, fee))
    return receipt, outcome.transferred_ids


def _is_run(project: Project, row: Transaction) -> bool:
    return ledger.is_run(project, row.chain_id, *(call.to for call in row.calls))


def _execute_calls(
    project: Project, row: Transaction, execution: Execution, watch: "Watch | None"
) -> Outcome:
    """Make calls of which some are executed, with what is reserved for gas out of their reach."""
    chain_id, reservation = row.chain_id, row.reservation
    assert reservation is not None
    sender = execution.sender

    def move(source: str, target: str, amount: int) -> None:
        if not reservation.is_sponsored:
            ledger.move(project, chain_id, ledger.chain_account(project, chain_id, source), target, amount)
        elif row.charge is not None:
            holdings.move(Token(project, chain_id, row.charge.token), source, target, amount)

    entry_point, prepaid = _prepaid(project, row, execution, reservation.gas)
    held, payee = 0, reservation.payer if reservation.is_sponsored else ledger.FEE_RECIPIENT
    if not reservation.is_sponsored:
        held = min(reservation.gas - prepaid, ledger.chain_account(project, chain_id, sender).balance)
    elif row.charge is not None:
        held = token_fee(project, chain_id, row.charge, reservation.gas)
        held = min(held, holdings.balance_of(Token(project, chain_id, row.charge.token), sender))
    change_deposit(project, chain_id, entry_point, reservation.payer, -prepaid)
    move(sender, payee, held)
    made = make_calls(project, chain_id, sender, row.calls, gas_limit(execution), watch)
    move(payee, sender, held)
    change_deposit(project, chain_id, entry_point, reservation.payer, prepaid)
    return made


def _mine_bundle(
    project: Project, row: Transaction, execution: UserOperationExecution, fate: Fate, watch: "Watch | None"
) -> tuple[Receipt, Sequence[str]]:
    """Mine a user operation of an entry point with code, which charges its payer."""
    chain_id, reservation, transferred_ids = row.chain_id, row.reservation, list[str]()
    assert reservation is not None
    transaction_hash = _transaction_hash(row, execution, fate)
    amend = None
    if fate.outcome == "reverted":
        amend = bundles.RevertCalls(bundles.Parts.of(execution), revert_data(project, row, fate))
    savepoint = project.undo.savepoint()
    try:
        bundled = bundles.execute_bundle(
            project, chain_id, execution, transaction_hash, watch=watch, amend=amend
        )
        payment, charge_logs = _bill(project, row, execution, reservation, bundled.cost)
    except Failure:
        project.undo.roll_back_to(savepoint)
        raise
    executed = bundled.executed
    if bundled.reverted is None and not ledger.code_at(project, chain_id, execution.sender):
        for call in row.calls:
            transferred_ids += ownership.settle_ownership(project, chain_id, execution.sender, call)
    logs = (*executed.logs[:-1], *charge_logs, *executed.logs[-1:])
    outcome = Outcome(logs, bundled.reverted, trace=executed.trace)
    gas = bundled.gas_used, bundled.cost
    receipt = _receipt(project, row, execution, fate, outcome, payment, gas)
    return receipt._replace(l1_gas_used=None, l1_gas_fee=None), transferred_ids


def _mine_raw(
    project: Project, row: Transaction, execution: RawExecution, fate: Fate, watch: "Watch | None"
) -> Receipt:
    """Mine a transaction that was sent to a node: all of its gas is paid first, and the rest comes back."""
    transaction, chain_id, reservation = execution.transaction, row.chain_id, row.reservation
    assert reservation is not None
    price = _price_of(project, chain_id, execution)
    beside = (reservation.l1_fee or 0) + transaction.blob_gas * BLOB_BASE_FEE
    sender = ledger.chain_account(project, chain_id, execution.sender)
    most = transaction.gas * price + beside
    if most + transaction.value > sender.balance:
        raise Failure(funding_error(execution, "AA21"))
    # While it is executed, its sender's nonce is the one after its own, whatever was sent since.
    ahead = sender.nonce - transaction.nonce - 1
    ledger.move(project, chain_id, sender._replace(nonce=transaction.nonce + 1), ledger.FEE_RECIPIENT, most)
    if fate.outcome == "reverted":
        executed = Executed(PLAIN_GAS, revert_data(project, row, fate), REVERTED)
    else:
        executed = finish(AheadExecutor(project, chain_id, execution.sender, watch).transact(transaction))
        note_deployments(project, chain_id, executed.trace, _transaction_hash(row, execution, fate))
    recipient = ledger.chain_account(project, chain_id, ledger.FEE_RECIPIENT)
    rest = (transaction.gas - executed.gas_used) * price
    sender = ledger.move(project, chain_id, recipient, execution.sender, rest)
    ledger.write(project, sender._replace(nonce=sender.nonce + ahead))
    used, fee = executed.gas_used, executed.gas_used * price
    reverted = None if executed.error is None else executed.output
    outcome = Outcome(executed.logs, reverted, executed.halted, trace=executed.trace)
    payment = Payment(execution.sender, fee + beside)
    return _receipt(project, row, execution, fate, outcome, payment, (used, fee))


def _receipt(
    project: Project,
    row: Transaction,
    execution: Execution,
    fate: Fate,
    outcome: Outcome,
    payment: Payment,
    gas: tuple[int, int],
) -> Receipt:
    """The receipt of a transaction in the current block; `gas` is what it used, and the fee."""
    assert row.reservation is not None
    return Receipt(
        created_ms=project.clock.now_ms,
        transaction_hash=_transaction_hash(row, execution, fate),
        place=next_place(project, row.chain_id),
        to=_destination(row, execution),
        gas_used=gas[0],
        gas_fee=gas[1],
        l1_gas_used=row.reservation.l1_gas,
        l1_gas_fee=row.reservation.l1_fee,
        logs=outcome.logs,
        error=None if outcome.reverted is None else decode_error(project, row, outcome),
        payment=payment,
        orphaned=row.taken_back,
        trace=outcome.trace,
    )


def _price_of(project: Project, chain_id: int, execution: Execution) -> int:
    """The effective gas price in the current block (EIP-1559)."""
    most, priority = offered_fees(execution)
    return min(most, fees_of(project, chain_id).base_fee + priority)


def offered_fees(execution: Execution) -> tuple[int, int]:
    """`maxFeePerGas` and `maxPriorityFeePerGas` of an execution."""
    offered = execution.operation if isinstance(execution, UserOperationExecution) else execution.transaction
    return offered.max_fee_per_gas, offered.max_priority_fee_per_gas


def _pay(
    project: Project, row: Transaction, execution: Execution, reservation: Reservation, fee: int
) -> tuple[Payment, list[Log]]:
    """Charge the fee to its payer and the reimbursement to the account; returns the payment and its logs."""
    sponsored = reservation.is_sponsored
    find_account = ledger.paymaster_account if sponsored else ledger.chain_account
    payer = find_account(project, row.chain_id, reservation.payer)
    entry_point, prepaid = _prepaid(project, row, execution, fee)
    if fee - prepaid > payer.balance:
        raise Failure(funding_error(execution, "AA31" if sponsored else "AA21"))
    payment, logs = _bill(project, row, execution, reservation, fee)
    ledger.move(project, row.chain_id, payer, ledger.FEE_RECIPIENT, fee - prepaid)
    if prepaid:
        change_deposit(project, row.chain_id, entry_point, reservation.payer, -prepaid)
        held = ledger.chain_account(project, row.chain_id, entry_point)
        ledger.move(project, row.chain_id, held, ledger.FEE_RECIPIENT, prepaid)
    return payment, logs


def _prepaid(project: Project, row: Transaction, execution: Execution, wei: int) -> tuple[str, int]:
    """The entry point of a user operation, and what of an amount its payer has deposited there."""
    if not isinstance(execution, UserOperationExecution) or row.reservation is None:
        return ledger.FEE_RECIPIENT, 0
    entry_point = ENTRY_POINTS[execution.entry_point_version]
    return entry_point, min(wei, deposit_of(project, row.chain_id, entry_point, row.reservation.payer))


def _bill(
    project: Project, row: Transaction, execution: Execution, reservation: Reservation, fee: int
) -> tuple[Payment, list[Log]]:
    """What pays for a transaction: the budget of a sponsorship, and tokens for its paymaster.

    Failure if the account has too little of them.
    """
    payment, logs = Payment(reservation.payer, fee), []
    if row.fee_sponsorship_id is not None and reservation.is_sponsored:
        payment = payment._replace(sponsorship_id=row.fee_sponsorship_id)
        if row.charge is not None:
            token, amount = row.charge.token, token_fee(project, row.chain_id, row.charge, fee)
            payment = payment._replace(token=token, token_amount=amount)
            charged = Token(project, row.chain_id, token)
            try:
                logs = erc20.transfer(charged, reservation.sender, reservation.payer, amount)
            except CallReverted:
                raise Failure(funding_error(execution, "AA33")) from None
        sponsor_accounts.settle(project, row.chain_id, payment)
    return payment, logs


def _destination(row: Transaction, execution: Execution) -> str | None:
    if isinstance(execution, UserOperationExecution):
        return ENTRY_POINTS[execution.entry_point_version]
    if isinstance(execution, RawExecution):
        to = execution.transaction.to
        return None if to is None else checksum_of(to)
    return execution.transaction.to or row.calls[0].to


def _transaction_hash(row: Transaction, execution: Execution, fate: Fate) -> str:
    """The hash of the signed transaction; for a bundle or a replacement, derived from its content."""
    bundled = isinstance(execution, UserOperationExecution)
    if not bundled and execution.hash is not None and fate.outcome != "replaced":
        return "0x" + execution.hash.hex()
    carried = execution.hash or execution.signing_hash
    return "0x" + keccak256(f"{fate.outcome == 'replaced'}/{row.id}/".encode() + carried).hex()
