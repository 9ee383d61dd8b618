"""Transactions and user operations that a node or a bundler is sent, by any account, signed elsewhere."""

from collections.abc import Sequence
from contextlib import suppress

from mockserver.chain.addresses import checksum_of, create_address
from mockserver.chain.transactions import EvmTransaction
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains import entry_points, ledger
from mockserver.domain.chains.execution import Executor
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.transactions import mining
from mockserver.domain.transactions.fates import failure_of, take_fate
from mockserver.domain.transactions.lifecycle import fail, send, use_nonce
from mockserver.state.chains import Execution, NodeState, RawExecution, UserOperationExecution
from mockserver.state.onchain import CallRecord, Charge, Transaction, TransactionError
from mockserver.state.project import Project


def send_signed(
    project: Project,
    chain_id: int,
    execution: Execution,
    calls: Sequence[CallRecord],
    *,
    fee_sponsorship_id: str | None = None,
    charge: Charge | None = None,
) -> Transaction:
    """Send what a node or a bundler was sent. It may take the fate of an account of the project.

    Failure if its fate is to be refused.
    """
    now_ms = project.clock.now_ms
    account = project.wallets.accounts.first("address", execution.sender.lower())
    whose = account and account.id
    fate = take_fate(project, mining.KIND, chain_id=chain_id, account_id=whose, refuses=True)
    if fate is not None and fate.outcome == "failed":
        raise Failure(failure_of(fate))
    row = Transaction(
        id=project.new_id("raw"),
        created_ms=now_ms,
        updated_ms=now_ms,
        chain_id=chain_id,
        status="new",
        account_id="",
        wallet_id=None,
        user_id=None,
        calls=tuple(calls),
        execution=execution,
        fee_sponsorship_id=fee_sponsorship_id,
        is_raw=True,
        charge=charge,
        fate=fate,
        reservation=reservation_for(project, chain_id, execution, calls),
    )
    if isinstance(execution, UserOperationExecution):
        _set_operation_nonce(project, chain_id, execution, execution.operation.nonce + 1)
        return send(project, row, ledger.chain_account(project, chain_id, execution.sender))
    here = ledger.chain_account(project, chain_id, execution.sender)
    return send(project, row, use_nonce(here, execution))


def send_raw(project: Project, chain_id: int, execution: RawExecution) -> Transaction:
    """Send a signed transaction that a node was sent. Failure if its fate is to be refused."""
    signed, sender = execution.transaction, execution.sender
    to = create_address(sender, signed.nonce) if signed.to is None else checksum_of(signed.to)
    return send_signed(project, chain_id, execution, (CallRecord(to, signed.value, signed.data, {}),))


def send_queued(project: Project, chain_id: int, sender: str) -> None:
    """Send what waits for no other of its sender any more: of it goes what cannot be in a block."""
    while (execution := _take_due(project, chain_id, sender)) is not None:
        # Imported here: most transactions have none that waits for them.
        from mockserver.chain.evm.transactions import InvalidTransaction

        with suppress(InvalidTransaction, Failure):
            require_sendable(project, chain_id, execution.transaction)
            send_raw(project, chain_id, execution)


def _take_due(project: Project, chain_id: int, sender: str) -> RawExecution | None:
    node = project.chains.nodes.get(str(chain_id))
    if node is None or not node.queued:
        return None
    nonce = ledger.chain_account(project, chain_id, sender).nonce
    due = (each for each in node.queued if each.sender == sender and each.transaction.nonce <= nonce)
    execution = next(due, None)
    if execution is not None:
        take_queued(project, node, execution.hash)
    return execution


def take_queued(project: Project, node: NodeState, hash: bytes) -> None:
    """Take a transaction out of those that wait for others at a node."""
    others = tuple(each for each in node.queued if each.hash != hash)
    project.chains.nodes.put(node._replace(queued=others))


def require_sendable(
    project: Project, chain_id: int, transaction: EvmTransaction, *, is_signed: bool = True
) -> None:
    """InvalidTransaction, in geth's words, for one that cannot be in a block as its sender's next."""
    from mockserver.chain.evm.transactions import InvalidTransaction

    sender = checksum_of(transaction.sender)
    Executor(project, chain_id, sender).check(transaction, is_signed=is_signed)
    here = ledger.chain_account(project, chain_id, sender)
    most = transaction.most_wei + here.reserved
    if most > here.balance:
        have = f"have {here.balance} want {most}"
        raise InvalidTransaction(f"insufficient funds for gas * price + value: {have}")


def drop(project: Project, row: Transaction, reason: str) -> Transaction:
    """Take a transaction out of the mempool that a node or a bundler was sent. Its nonce is free again."""
    execution = row.execution
    assert execution is not None
    row = fail(project, row, TransactionError(reason))
    if isinstance(execution, UserOperationExecution):
        _set_operation_nonce(project, row.chain_id, execution, execution.operation.nonce)
    else:
        here = ledger.chain_account(project, row.chain_id, execution.sender)
        ledger.write(project, here._replace(nonce=here.nonce - 1))
    return row


def _set_operation_nonce(
    project: Project, chain_id: int, execution: UserOperationExecution, nonce: int
) -> None:
    version = execution.entry_point_version
    # One with code counts by itself, once it executes the operation.
    if not entry_points.has_code(project, chain_id, version):
        entry_points.set_nonce(project, chain_id, ENTRY_POINTS[version], execution.sender, nonce)
