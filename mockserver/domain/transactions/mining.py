"""Mining a transaction: its calls, its gas, its receipt."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.chain.abi.functions import AbiError, Function, encode_call, parse_function
from mockserver.chain.abi.reverts import decode_revert, encode_panic, encode_reason
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import gas, ledger
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.chains.tokens import erc20
from mockserver.domain.chains.tokens.holdings import MOST, CallReverted, Token, overflow
from mockserver.domain.chains.tokens.standards import make_call
from mockserver.domain.sponsorship import sponsor_accounts
from mockserver.domain.sponsorship.sponsors import token_fee
from mockserver.domain.transactions import receipts
from mockserver.domain.wallets import ownership
from mockserver.domain.wallets.deployments import update_deployments
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.state.onchain import (
    CallRecord,
    Charge,
    Execution,
    Fate,
    Inclusion,
    Log,
    Payment,
    Place,
    PlainExecution,
    Receipt,
    Reservation,
    Transaction,
    TransactionError,
    UserOperationExecution,
)
from mockserver.state.project import Project

_DEFAULT_REASON = "execution reverted"


class Outcome(NamedTuple):
    """The result of the calls: their events, or their revert data."""

    logs: tuple[Log, ...] = ()
    reverted: bytes | None = None
    transferred_ids: tuple[str, ...] = ()
    """The accounts that have another owner now."""


class Mined(NamedTuple):
    """A transaction that got into a block."""

    receipt: Receipt
    transferred_ids: tuple[str, ...]
    """The accounts that have another owner now."""


def is_underpriced(project: Project, row: Transaction, execution: Execution) -> bool:
    """Whether the base fee is more than a transaction offers (EIP-1559)."""
    return gas.fees_of(project, row.chain_id).base_fee > _offered_fees(execution)[0]


def next_place(project: Project, chain_id: int) -> Place:
    """The place of the next transaction in the current block."""
    block = ledger.block_at(project, chain_id, project.clock.now_ms)
    # After the last index, not the count: a provisional inclusion that was reorganized leaves a gap. By rank,
    # not row by row: those that wait for the clock may all be mined in one block.
    last = project.onchain.transactions.highest("block", (chain_id, block.hash))
    if last is None or last.included is None:
        return Place(block.number, block.hash, 0, 0)
    before = last.included.place
    logs = before.first_log_index + len(last.included.logs)
    return Place(block.number, block.hash, before.transaction_index + 1, logs)


def mine_provisionally(
    project: Project, row: Transaction, execution: Execution, fate: Fate
) -> Inclusion | None:
    """Mine a transaction in the current block and roll everything back; only the inclusion is kept.

    Failure as of `mine`.
    """
    # Really mining it and rolling back gives the same logs as the inclusion that is orphaned later.
    savepoint = project.undo.savepoint()
    try:
        return mine(project, row, execution, fate).receipt.included
    finally:
        project.undo.roll_back_to(savepoint)


def mine(project: Project, row: Transaction, execution: Execution, fate: Fate) -> Mined:
    """Execute the calls of a transaction in the current block, or its provisional one, and charge its gas.

    If the calls revert, by fate or for lack of funds, the receipt has an `error` and only the gas is
    charged. Failure when the gas can no longer be paid.
    """
    provisional = row.provisional_inclusion
    stays = provisional is not None and ledger.is_canonical(project, row.chain_id, provisional.place)
    used = gas.gas_used(execution, row.calls)
    reservation = row.reservation or gas.reservation_for(project, row.chain_id, execution, row.calls)
    fee = used * _gas_price(project, row.chain_id, execution)
    fee_with_l1 = fee + (reservation.l1_fee or 0)
    # Pay before the calls: they might spend what is reserved for gas, and a revert must still be paid for.
    payment, charge_logs = _pay(project, row, execution, reservation, fee_with_l1)
    outcome = (
        _revert(project, row, fate) if fate.outcome == "reverted" else _make_calls(project, row, execution)
    )
    logs = (*charge_logs, *outcome.logs)
    transaction_hash = _transaction_hash(row, execution, fate)
    if isinstance(execution, UserOperationExecution):
        logs = receipts.logs_of(
            execution,
            logs,
            reverted=outcome.reverted,
            deploys=_is_deployment(project, row.chain_id, execution),
            fee=fee_with_l1,
            used=used,
        )
    # After the logs were built: they depend on whether the account was deployed before.
    _deploy_or_delegate(project, row, execution, transaction_hash)
    receipt = Receipt(
        created_ms=project.clock.now_ms,
        transaction_hash=transaction_hash,
        place=provisional.place if provisional and stays else next_place(project, row.chain_id),
        to=_destination(row, execution),
        gas_used=used,
        gas_fee=fee,
        l1_gas_used=reservation.l1_gas,
        l1_gas_fee=reservation.l1_fee,
        logs=logs,
        error=None if outcome.reverted is None else _decode_error(project, row, outcome.reverted),
        payment=payment,
        orphaned=() if provisional is None or stays else (provisional,),
    )
    return Mined(receipt, outcome.transferred_ids)


def _offered_fees(execution: Execution) -> tuple[int, int]:
    """`maxFeePerGas` and `maxPriorityFeePerGas` of an execution."""
    offered = execution.operation if isinstance(execution, UserOperationExecution) else execution.transaction
    return offered.max_fee_per_gas, offered.max_priority_fee_per_gas


def _gas_price(project: Project, chain_id: int, execution: Execution) -> int:
    """The effective gas price of an execution in the current block (EIP-1559)."""
    most, priority = _offered_fees(execution)
    return min(most, gas.fees_of(project, chain_id).base_fee + priority)


def _pay(
    project: Project, row: Transaction, execution: Execution, reservation: Reservation, fee: int
) -> tuple[Payment, list[Log]]:
    """Charge the fee to its payer and the reimbursement to the account; returns the payment and its logs."""
    sponsored = reservation.payer != reservation.sender
    if fee > _balance_of_payer(project, row.chain_id, reservation):
        raise Failure(funding_error(execution, "AA31" if sponsored else "AA21"))
    payment, logs = Payment(reservation.payer, fee), []
    if sponsored and row.fee_sponsorship_id is not None:
        payment = payment._replace(sponsorship_id=row.fee_sponsorship_id)
        if row.charge is not None:
            amount = token_fee(project, row.chain_id, row.charge, fee)
            logs = _charge_token(project, row, execution, reservation, row.charge, amount)
            payment = payment._replace(token=row.charge.token, token_amount=amount)
        sponsor_accounts.settle(project, row.chain_id, payment)
    ledger.move(project, row.chain_id, reservation.payer, ledger.FEE_RECIPIENT, fee)
    return payment, logs


def _charge_token(
    project: Project,
    row: Transaction,
    execution: Execution,
    reservation: Reservation,
    charge: Charge,
    amount: int,
) -> list[Log]:
    """Charge the account in tokens for the paymaster's fee; Failure if its balance is too low."""
    try:
        return erc20.transfer(
            Token(project, row.chain_id, charge.token), reservation.sender, reservation.payer, amount
        )
    except CallReverted:
        raise Failure(funding_error(execution, "AA33")) from None


def _balance_of_payer(project: Project, chain_id: int, reservation: Reservation) -> int:
    if reservation.payer == reservation.sender:
        return ledger.chain_account(project, chain_id, reservation.payer).balance
    return ledger.paymaster_account(project, chain_id, reservation.payer).balance


def _make_calls(project: Project, row: Transaction, execution: Execution) -> Outcome:
    """Execute all calls atomically."""
    chain_id, sender = row.chain_id, execution.sender
    logs: list[Log] = []
    transferred_ids: list[str] = []
    savepoint = project.undo.savepoint()
    try:
        for call in row.calls:
            if call.value:
                _send_value(project, chain_id, sender, call)
            if call.data:
                logs += make_call(project, chain_id, sender, call)
                transferred_ids += ownership.settle_ownership(project, chain_id, sender, call)
    except CallReverted as revert:
        project.undo.roll_back_to(savepoint)
        return Outcome(reverted=revert.data)
    return Outcome(tuple(logs), transferred_ids=tuple(transferred_ids))


def _send_value(project: Project, chain_id: int, sender: str, call: CallRecord) -> None:
    if call.value > ledger.chain_account(project, chain_id, sender).balance:
        raise CallReverted("Error(string)", "insufficient balance for transfer")
    # Only control calls can issue that much; a real chain has no such balance.
    if ledger.chain_account(project, chain_id, call.to).balance + call.value > MOST:
        raise overflow()
    ledger.move(project, chain_id, sender, call.to, call.value)


def _destination(row: Transaction, execution: Execution) -> str:
    if isinstance(execution, UserOperationExecution):
        return ENTRY_POINTS[execution.entry_point_version]
    return execution.transaction.to or row.calls[0].to


def _transaction_hash(row: Transaction, execution: Execution, fate: Fate) -> str:
    """The hash of the signed transaction; for a bundle or a replacement, derived from its content."""
    bundled = isinstance(execution, UserOperationExecution)
    if not bundled and execution.hash is not None and fate.outcome != "replaced":
        return "0x" + execution.hash.hex()
    carried = execution.hash or execution.signing_hash
    return "0x" + keccak256(f"{fate.outcome == 'replaced'}/{row.id}/".encode() + carried).hex()


def _is_deployment(project: Project, chain_id: int, execution: UserOperationExecution) -> bool:
    """Whether a user operation deploys its account, unless another one did since it was built."""
    operation = execution.operation
    if operation.factory is None or operation.eip7702_auth is not None:
        return False
    return not ledger.chain_account(project, chain_id, execution.sender).deployed


def _deploy_or_delegate(
    project: Project, row: Transaction, execution: Execution, transaction_hash: str
) -> None:
    """Record that the first execution on a chain deploys a smart account, or delegates (EIP-7702)."""
    on_chain = ledger.chain_account(project, row.chain_id, execution.sender)
    established = on_chain.deployed
    if isinstance(execution, UserOperationExecution):
        operation = execution.operation
        if operation.factory is None:
            return
        if operation.eip7702_auth is not None:
            established = on_chain.delegate == operation.eip7702_auth
            if not established:
                # EIP-7702: a delegation increments the nonce of the authority, so another one that was
                # signed with the same nonce in the meantime is invalid.
                on_chain = on_chain._replace(delegate=operation.eip7702_auth, nonce=on_chain.nonce + 1)
    elif isinstance(execution, PlainExecution):
        return
    if not established:
        on_chain = on_chain._replace(
            deployed=True, deployed_tx=transaction_hash, deployed_ms=project.clock.now_ms
        )
    ledger.write(project, on_chain)
    update_deployments(project, row.chain_id, execution.sender)


def _revert(project: Project, row: Transaction, fate: Fate) -> Outcome:
    """The revert data that a fate asks for, encoded as a contract would."""
    options = fate.options
    if "panic" in options:
        return Outcome(reverted=encode_panic(options["panic"]))
    if "error" in options:
        return Outcome(reverted=_custom_error(options["error"], options.get("args", ()), _abi(project, row)))
    return Outcome(reverted=encode_reason(options.get("reason", _DEFAULT_REASON)))


def _decode_error(project: Project, row: Transaction, reverted: bytes) -> TransactionError:
    """Decode revert data by the ABIs of the called contracts."""
    name, reason = decode_revert(reverted, _abi(project, row))
    return TransactionError(reason=reason, name=name)


def _abi(project: Project, row: Transaction) -> list[Mapping[str, Any]]:
    """The latest registered ABIs of the contracts that a transaction calls."""
    called = [contract_on_chain(project, row.chain_id, call.to) for call in row.calls]
    return [entry for contract in called if contract is not None for entry in contract.abi]


def _custom_error(error: str, args: Sequence[object], abi: Sequence[Mapping[str, Any]]) -> bytes:
    """A custom error, named by its signature or by its name in a called contract's ABI."""
    known = [parse_function(entry) for entry in abi if entry.get("type") == "error"]
    function = next((found for found in known if error in (found.name, found.signature)), None)
    meant = "" if function is not None else did_you_mean(nearest(error, [each.name for each in known]))
    try:
        if function is None:
            function = Function.parse(error if "(" in error else f"{error}()")
        if meant:
            raise AbiError("no called contract has such an error")
        return encode_call(function, args)
    except AbiError as found:
        return encode_reason(f"{error}{meant} could not be encoded: {found}")
