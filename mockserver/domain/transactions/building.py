"""Building executions: nonces, gas, user operations, and whether the payer has the funds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.account_calls import calls_data
from mockserver.chain.implementations import IMPLEMENTATIONS, Implementation, ImplementationType
from mockserver.chain.networks import has_native_accounts
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import UserOperation, user_operation_hash
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.domain.chains import gas, ledger
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.chains.gas import reservation_for
from mockserver.domain.sponsorship import paymasters, sponsor_accounts
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    PlainExecution,
    Reservation,
    Transaction,
    TransactionError,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_DELEGATION_FACTORY = "0x7702"
_CALL_OVERHEAD_GAS = 35_000
_VALUE_TRANSFER_GAS = 9_000
_VALIDATION_GAS = 80_000
_DEPLOYMENT_GAS = 320_000
_BUNDLE_GAS = 45_000


def build(
    project: Project, account: Account, chain_id: int, calls: Sequence[CallRecord], sponsor: Sponsor | None
) -> Execution:
    """Build the unsigned execution of calls, and use a nonce. Failure if the payer lacks the funds."""
    draft = draft_execution(project, account, chain_id, calls, sponsor)
    require_funds(
        project,
        chain_id,
        draft,
        reservation_for(project, chain_id, draft, calls),
        sponsor and sponsor.sponsorship_id,
    )
    use = ledger.use_operation_nonce if isinstance(draft, UserOperationExecution) else ledger.use_nonce
    use(project, chain_id, account.address)
    return draft


def draft_execution(
    project: Project, account: Account, chain_id: int, calls: Sequence[CallRecord], sponsor: Sponsor | None
) -> Execution:
    """The execution as it would be built now, without using a nonce or checking funds."""
    if account.smart_account is None:
        return _plain(project, account, chain_id, calls[0])
    implementation = IMPLEMENTATIONS[cast(ImplementationType, account.smart_account.implementation_type)]
    if has_native_accounts(chain_id):
        return _zksync(project, account, chain_id, calls, implementation, sponsor)
    entry_point = implementation.entry_point_version
    operation = _user_operation(project, account, chain_id, calls, implementation)
    if sponsor is not None:
        operation = paymasters.approve(project, sponsor, operation, entry_point, chain_id)
    return UserOperationExecution(
        entry_point, operation, user_operation_hash(operation, entry_point, chain_id)
    )


def estimate_reservation(
    project: Project, account: Account, chain_id: int, calls: Sequence[CallRecord], sponsor: Sponsor | None
) -> Reservation:
    """The reservation of calls from an account, if they were built now."""
    draft = draft_execution(project, account, chain_id, calls, sponsor)
    return reservation_for(project, chain_id, draft, calls)


def require_funds(
    project: Project,
    chain_id: int,
    execution: Execution,
    reservation: Reservation,
    sponsorship_id: str | None,
) -> None:
    """Failure unless sender, paymaster and budget cover their parts, besides other reservations."""
    # A sponsored account pays only the value of its calls; gas comes from the paymaster's deposit, and counts
    # against the sponsorship's budget as well.
    sponsored = reservation.payer != reservation.sender
    own = reservation.value if sponsored else reservation.value + reservation.gas
    here = ledger.chain_account(project, chain_id, reservation.sender)
    if own + here.reserved > here.balance:
        if isinstance(execution, UserOperationExecution) and not sponsored:
            raise Failure(funding_error(execution, "AA21"))
        shortage = f"balance {here.balance}, tx cost {own}, reserved by pending transactions {here.reserved}"
        raise Failure(TransactionError(f"insufficient funds for gas * price + value: {shortage}"))
    if not sponsored:
        return
    deposit = ledger.paymaster_account(project, chain_id, reservation.payer)
    left = (
        None
        if sponsorship_id is None
        else sponsor_accounts.sponsor_account(project, sponsorship_id).remaining_wei
    )
    if reservation.gas + deposit.reserved > deposit.balance or (left is not None and reservation.gas > left):
        raise Failure(funding_error(execution, "AA31"))


def reserve_funds(project: Project, row: Transaction) -> None:
    """Reserve the most that a sent transaction can cost, in the accounts of its sender and its sponsor."""
    _change_reserved(project, row, 1)


def release_funds(project: Project, row: Transaction) -> None:
    """Release the reservation of a transaction."""
    _change_reserved(project, row, -1)


def _change_reserved(project: Project, row: Transaction, sign: Literal[1, -1]) -> None:
    reservation = row.reservation
    if reservation is None:
        return
    sponsored = reservation.payer != reservation.sender
    own = reservation.value if sponsored else reservation.value + reservation.gas
    ledger.reserve(project, ledger.chain_account(project, row.chain_id, reservation.sender), sign * own)
    if not sponsored:
        return
    paymaster = ledger.paymaster_account(project, row.chain_id, reservation.payer)
    ledger.reserve(project, paymaster, sign * reservation.gas)
    if row.fee_sponsorship_id is not None:
        sponsor_accounts.reserve(project, row.fee_sponsorship_id, sign * reservation.gas)


def _plain(project: Project, account: Account, chain_id: int, call: CallRecord) -> PlainExecution:
    fees = gas.fees_of(project, chain_id)
    used = gas.PLAIN_GAS + gas.call_gas(call.data)
    return PlainExecution(
        sender=account.address,
        transaction=FeeMarketTransaction(
            chain_id=chain_id,
            nonce=ledger.chain_account(project, chain_id, account.address).nonce,
            max_priority_fee_per_gas=fees.priority_fee,
            max_fee_per_gas=fees.max_fee,
            gas=used if not call.data else used * 6 // 5,
            to=call.to,
            value=call.value,
            data=call.data,
        ),
    )


def _zksync(
    project: Project,
    account: Account,
    chain_id: int,
    calls: Sequence[CallRecord],
    implementation: Implementation,
    sponsor: Sponsor | None,
) -> ZkSyncExecution:
    """A ZKsync transaction: a single call directly, several as a batch that the account calls on itself."""
    fees = gas.fees_of(project, chain_id)
    on_chain = ledger.chain_account(project, chain_id, account.address)
    to, value, data = calls[0].to, calls[0].value, calls[0].data
    if len(calls) > 1:
        triples = [(call.to, call.value, call.data) for call in calls]
        to, value, data = account.address, 0, calls_data(implementation.type, triples)
    used = gas.PLAIN_GAS + _VALIDATION_GAS + _gas_of_calls(calls)
    transaction = ZkSyncTransaction(
        chain_id=chain_id,
        nonce=on_chain.nonce,
        max_priority_fee_per_gas=fees.priority_fee,
        max_fee_per_gas=fees.max_fee,
        gas=(used if on_chain.deployed else used + _DEPLOYMENT_GAS) * 6 // 5,
        sender=account.address,
        to=to,
        value=value,
        data=data,
    )
    if sponsor is not None:
        transaction = paymasters.approve_transaction(project, sponsor, transaction)
    return ZkSyncExecution(transaction)


def _gas_of_calls(calls: Sequence[CallRecord]) -> int:
    return sum(gas.call_gas(call.data) + (_VALUE_TRANSFER_GAS if call.value else 0) for call in calls)


def _user_operation(
    project: Project,
    account: Account,
    chain_id: int,
    calls: Sequence[CallRecord],
    implementation: Implementation,
) -> UserOperation:
    fees = gas.fees_of(project, chain_id)
    on_chain = ledger.chain_account(project, chain_id, account.address)
    triples = [(call.to, call.value, call.data) for call in calls]
    call_data = calls_data(implementation.type, triples)
    operation = UserOperation(
        sender=account.address,
        nonce=on_chain.operation_nonce,
        call_data=call_data,
        call_gas_limit=_CALL_OVERHEAD_GAS + _gas_of_calls(calls),
        verification_gas_limit=_VALIDATION_GAS,
        pre_verification_gas=_BUNDLE_GAS + 16 * len(call_data),
        max_fee_per_gas=fees.max_fee,
        max_priority_fee_per_gas=fees.priority_fee,
    )
    if account.account_type == "Delegated Account":
        if on_chain.delegate == implementation.address:
            return operation
        return replace(operation, factory=_DELEGATION_FACTORY, eip7702_auth=implementation.address)
    if on_chain.deployed:
        return operation
    return replace(
        operation,
        factory=implementation.factory_address,
        factory_data=_create_account(account),
        verification_gas_limit=_VALIDATION_GAS + _DEPLOYMENT_GAS,
    )


def _create_account(account: Account) -> bytes:
    """The factory's calldata: the owner of the account to deploy, and the salt."""
    contract = account.smart_account
    owner = contract.first_owner_address if contract else None
    salt = contract.salt if contract else None
    return encode_call(Function.parse("createAccount(address,bytes32)"), [owner, salt])
