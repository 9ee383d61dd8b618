"""What only smart and delegated accounts have: user operations, ZKsync transactions, deployment, logs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.account_calls import calls_data
from mockserver.chain.addresses import ZERO_ADDRESS, checksum_of
from mockserver.chain.implementations import Implementation
from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    EVENT,
    REVERT_REASON,
    UserOperation,
    user_operation_hash,
)
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.domain.chains import entry_points, ledger
from mockserver.domain.chains.networks import CALL_OVERHEAD_GAS, PLAIN_GAS, Fees, gas_to_reserve
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.wallets.accounts import implementation_of
from mockserver.domain.wallets.deployments import update_deployments
from mockserver.state.chains import ChainAccount, TracedCall, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import CallRecord, Log
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_DELEGATION_FACTORY = "0x7702"
_VALUE_TRANSFER_GAS = 9_000
_VALIDATION_GAS = 80_000
_DEPLOYMENT_GAS = 320_000
_BUNDLE_GAS = 45_000

_CREATE_ACCOUNT = Function.parse("createAccount(address,bytes32)")
_ACCOUNT_DEPLOYED = "AccountDeployed(bytes32,address,address,address)"
_BEFORE_EXECUTION = "BeforeExecution()"


class Sender(NamedTuple):
    """The account that makes calls, as it is on its chain."""

    account: Account
    chain_id: int
    here: ChainAccount
    """Its nonces, its balance and what is deployed there."""
    fees: Fees
    """The gas fees of the chain."""


# --- building ------------------------------------------------------------------------------------------


def build_smart_execution(
    project: Project, sender: Sender, calls: Sequence[CallRecord], sponsor: Sponsor | None
) -> UserOperationExecution | ZkSyncExecution:
    """The execution of a smart or delegated account, with the approval of the sponsor's paymaster."""
    implementation = implementation_of(sender.account)
    if NETWORKS[sender.chain_id].native_accounts:
        transaction = _zksync(sender, calls, implementation)
        if sponsor is not None:
            transaction = paymasters.approve_transaction(project, sponsor, transaction)
        return ZkSyncExecution(transaction)
    entry_point = implementation.entry_point_version
    where = (sender.chain_id, ENTRY_POINTS[entry_point], sender.account.address)
    nonce = entry_points.find_nonce(project, *where, key=0)
    operation = _user_operation(sender, calls, implementation, nonce)
    if sponsor is not None:
        operation = paymasters.approve(project, sponsor, operation, entry_point, sender.chain_id)
    signed = user_operation_hash(operation, entry_point, sender.chain_id)
    return UserOperationExecution(entry_point, operation, signed)


def _zksync(sender: Sender, calls: Sequence[CallRecord], implementation: Implementation) -> ZkSyncTransaction:
    """A single call directly, several as a batch that the account calls on itself."""
    address, fees = sender.account.address, sender.fees
    to, value, data = calls[0].to, calls[0].value, calls[0].data
    if len(calls) > 1:
        to, value, data = address, 0, _encode_batch(calls, implementation)
    used = PLAIN_GAS + _VALIDATION_GAS + _gas_of_calls(calls)
    return ZkSyncTransaction(
        chain_id=sender.chain_id,
        nonce=sender.here.nonce,
        max_priority_fee_per_gas=fees.priority_fee,
        max_fee_per_gas=fees.max_fee,
        gas=(used if sender.here.deployed else used + _DEPLOYMENT_GAS) * 6 // 5,
        sender=address,
        to=to,
        value=value,
        data=data,
    )


def _user_operation(
    sender: Sender, calls: Sequence[CallRecord], implementation: Implementation, nonce: int
) -> UserOperation:
    account, here = sender.account, sender.here
    call_data = _encode_batch(calls, implementation)
    limits = limits_for(calls, call_data)
    operation = UserOperation(
        sender=account.address,
        nonce=nonce,
        call_data=call_data,
        **limits._asdict(),
        max_fee_per_gas=sender.fees.max_fee,
        max_priority_fee_per_gas=sender.fees.priority_fee,
    )
    if account.account_type == "Delegated Account":
        if here.delegate == implementation.address:
            return operation
        return replace(operation, factory=_DELEGATION_FACTORY, eip7702_auth=implementation.address)
    if here.deployed:
        return operation
    return replace(
        operation,
        factory=implementation.factory_address,
        factory_data=_create_account(account),
        verification_gas_limit=limits_for(calls, call_data, deploys=True).verification_gas_limit,
    )


class GasLimits(NamedTuple):
    """The gas limits of a user operation."""

    call_gas_limit: int
    verification_gas_limit: int
    pre_verification_gas: int


def limits_for(calls: Sequence[CallRecord], call_data: bytes, *, deploys: bool = False) -> GasLimits:
    """The gas limits that a user operation needs for its calls."""
    return GasLimits(
        CALL_OVERHEAD_GAS + _gas_of_calls(calls),
        _VALIDATION_GAS + (_DEPLOYMENT_GAS if deploys else 0),
        _BUNDLE_GAS + 16 * len(call_data),
    )


def _encode_batch(calls: Sequence[CallRecord], implementation: Implementation) -> bytes:
    return calls_data(implementation.type, [(call.to, call.value, call.data) for call in calls])


def _gas_of_calls(calls: Sequence[CallRecord]) -> int:
    return sum(gas_to_reserve(call) + (_VALUE_TRANSFER_GAS if call.value else 0) for call in calls)


def _create_account(account: Account) -> bytes:
    """The factory's calldata: the owner of the account to deploy, and the salt."""
    contract = account.smart_account
    owner = contract.first_owner_address if contract else None
    salt = contract.salt if contract else None
    return encode_call(_CREATE_ACCOUNT, [owner, salt])


# --- mining --------------------------------------------------------------------------------------------


def deploy_or_delegate(
    project: Project,
    chain_id: int,
    execution: UserOperationExecution | ZkSyncExecution,
    transaction_hash: str,
) -> None:
    """Record that the first execution on a chain deploys a smart account, or delegates (EIP-7702)."""
    here = ledger.chain_account(project, chain_id, execution.sender)
    established = here.deployed_tx is not None
    if isinstance(execution, UserOperationExecution):
        operation = execution.operation
        if operation.factory is None and operation.eip7702_auth is None:
            return
        if operation.eip7702_auth is not None:
            established = here.delegate == operation.eip7702_auth
            if not established:
                # EIP-7702: a delegation increments the nonce of the authority, so another one that was
                # signed with the same nonce in the meantime is invalid.
                here = here._replace(delegate=operation.eip7702_auth, nonce=here.nonce + 1)
    if not established:
        here = here._replace(deployed=True, deployed_tx=transaction_hash, deployed_ms=project.clock.now_ms)
    ledger.write(project, here)
    update_deployments(project, chain_id, execution.sender)


def note_deployments(project: Project, chain_id: int, trace: Sequence[TracedCall], hash: str) -> None:
    """Record that the transaction with a hash has deployed accounts, by factories that it has called."""
    for call in trace:
        if entry_points.is_factory(call.to.lower()) and len(call.output) == 32:
            account, now_ms = checksum_of(call.output[-20:]), project.clock.now_ms
            here = ledger.chain_account(project, chain_id, account)
            if here.deployed and here.deployed_tx is None:
                ledger.write(project, here._replace(deployed_tx=hash, deployed_ms=now_ms))
                update_deployments(project, chain_id, account)


def operation_logs(
    project: Project,
    chain_id: int,
    execution: UserOperationExecution,
    calls: Sequence[Log],
    *,
    reverted: bytes | None,
    fee: int,
    used: int,
) -> tuple[Log, ...]:
    """The events of a user operation in order: the entry point's own (ERC-4337), and those of its calls.

    `reverted` is what the calls returned when they reverted. The account must not have been deployed by
    this operation yet.
    """
    entry_point, operation = ENTRY_POINTS[execution.entry_point_version], execution.operation
    subject, paymaster = [execution.hash, operation.sender], operation.paymaster or ZERO_ADDRESS
    logs: list[Log] = []
    # Another operation may have deployed the account since this one was built.
    deploys = operation.factory is not None and operation.eip7702_auth is None
    if deploys and not ledger.chain_account(project, chain_id, execution.sender).deployed:
        logs.append(event_log(entry_point, _ACCOUNT_DEPLOYED, subject, [operation.factory, paymaster]))
    logs += [event_log(entry_point, _BEFORE_EXECUTION, []), *calls]
    # The entry point has no event for revert data that is empty.
    if reverted:
        logs.append(event_log(entry_point, REVERT_REASON, subject, [operation.nonce, reverted]))
    outcome = [operation.nonce, reverted is None, fee, used]
    return (*logs, event_log(entry_point, EVENT, [*subject, paymaster], outcome))
