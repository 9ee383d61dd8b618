"""Transactions and user operations that a node or a bundler is sent, by any account, signed elsewhere."""

from collections.abc import Sequence

from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains import entry_points, ledger
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.transactions import mining
from mockserver.domain.transactions.fates import failure_of, take_fate
from mockserver.domain.transactions.lifecycle import fail, send, use_nonce
from mockserver.state.chains import Execution, UserOperationExecution
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
