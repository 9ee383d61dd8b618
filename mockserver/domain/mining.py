"""What happens when a transaction is mined: its calls, its gas, its receipt."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.chain.abi import AbiError, Function, encode_call, parse_function
from mockserver.chain.abi_grammar import parse_signature
from mockserver.chain.reverts import decode_revert, encode_panic, encode_reason
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.keccak import keccak256
from mockserver.domain import ledger, ownership, receipts
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    Fate,
    PlainExecution,
    Receipt,
    Transaction,
    TransactionError,
    UserOperationExecution,
)
from mockserver.state.project import Project

_DEFAULT_REASON = "execution reverted"


def mine(project: Project, row: Transaction, execution: Execution, fate: Fate) -> Receipt:
    """Make the calls of a transaction in the block of now, and charge its gas.

    When they revert, by fate or for want of funds, the receipt has an `error` and only the gas is gone.
    """
    error = (
        _revert_of(project, row, fate) if fate.outcome == "reverted" else _make_calls(project, row, execution)
    )
    now_ms = project.clock.now_ms
    block = ledger.block_at(project, row.chain_id, now_ms)
    gas = receipts.gas_used(execution, row.calls)
    fee = gas * ledger.fees_of(row.chain_id).price
    l1_gas, l1_fee = ledger.l1_cost(row.chain_id, receipts.wire_of(execution)) or (None, None)
    if execution.pays_gas:
        ledger.debit(project, row.chain_id, execution.sender, fee + (l1_fee or 0))
    transaction_hash = _hash_of(row, execution, fate)
    deploys = _deploys(project, row.chain_id, execution)
    if isinstance(execution, UserOperationExecution):
        _establish(project, row, execution, transaction_hash)
    before = project.onchain.transactions.find("block", (row.chain_id, block.number))
    return Receipt(
        created_ms=now_ms,
        transaction_hash=transaction_hash,
        block_number=block.number,
        block_hash=block.hash,
        transaction_index=len(before),
        first_log_index=sum(len(other.receipt.logs) for other in before if other.receipt),
        to=_destination(row, execution),
        gas_used=gas,
        gas_fee=fee,
        l1_gas_used=l1_gas,
        l1_gas_fee=l1_fee,
        logs=receipts.logs_of(execution, row.calls, success=error is None, deploys=deploys, fee=fee, gas=gas),
        error=error,
    )


def _make_calls(project: Project, row: Transaction, execution: Execution) -> TransactionError | None:
    """Move what the calls move: all of it, or nothing."""
    needed = sum(call.value for call in row.calls)
    if needed > ledger.chain_account(project, row.chain_id, execution.sender).balance:
        return TransactionError("insufficient balance for transfer")
    for call in row.calls:
        if call.value:
            ledger.move(project, row.chain_id, execution.sender, call.to, call.value)
        ownership.settle_ownership(project, row.chain_id, execution.sender, call)
    return None


def _destination(row: Transaction, execution: Execution) -> str:
    if isinstance(execution, UserOperationExecution):
        return ENTRY_POINTS[execution.entry_point_version]
    return row.calls[0].to


def _hash_of(row: Transaction, execution: Execution, fate: Fate) -> str:
    """The transaction's own hash. A bundler's, or a replacement's, follows from what it carries."""
    if isinstance(execution, PlainExecution) and execution.hash is not None and fate.outcome != "replaced":
        return "0x" + execution.hash.hex()
    carried = execution.hash or execution.signing_hash
    return "0x" + keccak256(f"{fate.outcome == 'replaced'}/{row.id}/".encode() + carried).hex()


def _deploys(project: Project, chain_id: int, execution: Execution) -> bool:
    """Whether a user operation deploys its account, which another may have done since it was built."""
    if isinstance(execution, PlainExecution):
        return False
    operation = execution.operation
    if operation.factory is None or operation.eip7702_auth is not None:
        return False
    return not ledger.chain_account(project, chain_id, execution.sender).deployed


def _establish(
    project: Project, row: Transaction, execution: UserOperationExecution, transaction_hash: str
) -> None:
    """An account's first user operation on a chain deploys it, or delegates it (EIP-7702)."""
    operation = execution.operation
    if operation.factory is None:
        return
    on_chain = ledger.chain_account(project, row.chain_id, execution.sender)
    # A delegation uses up a nonce of the account that signs it (EIP-7702).
    nonce = on_chain.nonce if operation.eip7702_auth is None else on_chain.nonce + 1
    ledger.write(project, on_chain._replace(deployed=True, delegate=operation.eip7702_auth, nonce=nonce))
    accounts = project.wallets.accounts
    account = accounts.get(row.account_id)
    if account is None or account.smart_account is None or account.smart_account.deployed_tx is not None:
        return
    now_ms = project.clock.now_ms
    smart = account.smart_account._replace(deployed_tx=transaction_hash, deployed_ms=now_ms)
    accounts.replace(account._replace(smart_account=smart, updated_ms=now_ms))


def _revert_of(project: Project, row: Transaction, fate: Fate) -> TransactionError:
    """The error of a fate, encoded as a contract would return it and decoded with the called ABIs."""
    options = fate.options
    abi = [entry for call in row.calls for entry in _abi_of(project, row.chain_id, call)]
    if "panic" in options:
        data = encode_panic(options["panic"])
    elif "error" in options:
        data = _custom_error(options["error"], options.get("args", ()), abi)
    else:
        data = encode_reason(options.get("reason", _DEFAULT_REASON))
    name, reason = decode_revert(data, abi)
    return TransactionError(reason=reason, name=name)


def _abi_of(project: Project, chain_id: int, call: CallRecord) -> Sequence[Mapping[str, Any]]:
    """The ABI that was last registered for the address that is called."""
    there = project.onchain.contracts.find("address", call.to.lower())
    known = [row.abi for row in there if row.chain_id == chain_id]
    return known[-1] if known else ()


def _custom_error(error: str, args: Sequence[object], abi: Sequence[Mapping[str, Any]]) -> bytes:
    """A custom error, named by its signature or by its name in a called contract's ABI."""
    known = [parse_function(entry) for entry in abi if entry.get("type") == "error"]
    function = next((found for found in known if error in (found.name, found.signature)), None)
    try:
        if function is None:
            function = Function(*parse_signature(error if "(" in error else f"{error}()"))
        return encode_call(function, args)
    except AbiError as found:
        return encode_reason(f"{error} could not be encoded: {found}")
