"""Transactions made ready: nonces, gas, user operations, and whether the account can pay."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from mockserver.chain.abi import Function, encode_call
from mockserver.chain.abi_grammar import parse_signature
from mockserver.chain.addresses import address_of
from mockserver.chain.implementations import IMPLEMENTATIONS, Implementation, ImplementationType
from mockserver.chain.reverts import EXPLANATIONS
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import UserOperation, calls_data, user_operation_hash
from mockserver.crypto import secp256k1
from mockserver.domain import ledger, receipts
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    PlainExecution,
    TransactionError,
    UserOperationExecution,
)
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_DELEGATION_FACTORY = "0x7702"
_CALL_OVERHEAD_GAS = 35_000
_VALUE_TRANSFER_GAS = 9_000
_VALIDATION_GAS = 80_000
_DEPLOYMENT_GAS = 320_000
_BUNDLE_GAS = 45_000
_PAYMASTER_GAS = 40_000
_PAYMASTER_POST_GAS = 20_000


class Unbuildable(Exception):
    """A transaction cannot be built; `error` says why."""

    def __init__(self, error: TransactionError) -> None:
        self.error = error
        super().__init__(error.reason)


class Costs(NamedTuple):
    """What a transaction takes from its account at the most, in wei."""

    value: int
    gas: int

    @property
    def total(self) -> int:
        """Value and gas together."""
        return self.value + self.gas


def build(
    project: Project, account: Account, chain_id: int, calls: Sequence[CallRecord], *, sponsored: bool
) -> Execution:
    """The execution of calls from an account, unsigned. Uses up a nonce; Unbuildable if it cannot pay."""
    draft = draft_execution(project, account, chain_id, calls, sponsored=sponsored)
    require_funds(project, account, chain_id, draft, calls)
    use = ledger.use_nonce if isinstance(draft, PlainExecution) else ledger.use_operation_nonce
    use(project, chain_id, account.address)
    return draft


def draft_execution(
    project: Project, account: Account, chain_id: int, calls: Sequence[CallRecord], *, sponsored: bool
) -> Execution:
    """The execution as it would be built now, without using a nonce or looking at funds."""
    if account.smart_account is None:
        return _plain(project, account, chain_id, calls[0])
    implementation = IMPLEMENTATIONS[cast(ImplementationType, account.smart_account.implementation_type)]
    entry_point = implementation.entry_point_version
    operation = _user_operation(project, account, chain_id, calls, implementation)
    if sponsored:
        operation = _sponsored(project, operation, entry_point, chain_id)
    return UserOperationExecution(
        entry_point, operation, user_operation_hash(operation, entry_point, chain_id)
    )


def costs_of(chain_id: int, execution: Execution, calls: Sequence[CallRecord]) -> Costs:
    """What an execution takes from its account at the most; the fee of a rollup counts as gas."""
    value = sum(call.value for call in calls)
    if not execution.pays_gas:
        return Costs(value, 0)
    l1 = ledger.l1_cost(chain_id, receipts.wire_of(execution))
    l1_fee = l1[1] if l1 else 0
    if isinstance(execution, PlainExecution):
        transaction = execution.transaction
        return Costs(value, transaction.gas * transaction.max_fee_per_gas + l1_fee)
    operation = execution.operation
    gas = operation.call_gas_limit + operation.verification_gas_limit + operation.pre_verification_gas
    return Costs(value, gas * operation.max_fee_per_gas + l1_fee)


def require_funds(
    project: Project, account: Account, chain_id: int, execution: Execution, calls: Sequence[CallRecord]
) -> None:
    """Unbuildable unless the account can pay, what its pending transactions may still take counted in."""
    costs = costs_of(chain_id, execution, calls)
    reserved = sum(
        costs_of(chain_id, row.execution, row.calls).total
        for row in ledger.pending(project, chain_id, account.address)
        if row.execution is not None
    )
    balance = ledger.chain_account(project, chain_id, account.address).balance
    if costs.total + reserved <= balance:
        return
    if isinstance(execution, UserOperationExecution) and costs.gas:
        raise Unbuildable(aa_error("AA21"))
    shortage = f"balance {balance}, tx cost {costs.total}, reserved by pending transactions {reserved}"
    raise Unbuildable(TransactionError(f"insufficient funds for gas * price + value: {shortage}"))


def aa_error(code: str) -> TransactionError:
    """A refusal of the entry point, with its explanation (ERC-4337)."""
    explanation = EXPLANATIONS[code]
    return TransactionError(
        reason=explanation.message, name="FailedOp", cause=explanation.cause, solution=explanation.solution
    )


def paymaster_secret(project: Project) -> bytes:
    """The key with which the project's paymaster approves."""
    number = int.from_bytes(project.entropy.derive("paymaster", 32), "big") % (secp256k1.N - 1) + 1
    return number.to_bytes(32, "big")


def _plain(project: Project, account: Account, chain_id: int, call: CallRecord) -> PlainExecution:
    fees = ledger.fees_of(chain_id)
    gas = ledger.PLAIN_GAS + ledger.call_gas(call.data)
    return PlainExecution(
        sender=account.address,
        transaction=FeeMarketTransaction(
            chain_id=chain_id,
            nonce=ledger.chain_account(project, chain_id, account.address).nonce,
            max_priority_fee_per_gas=fees.priority_fee,
            max_fee_per_gas=fees.max_fee,
            gas=gas if not call.data else gas * 6 // 5,
            to=call.to,
            value=call.value,
            data=call.data,
        ),
    )


def _user_operation(
    project: Project,
    account: Account,
    chain_id: int,
    calls: Sequence[CallRecord],
    implementation: Implementation,
) -> UserOperation:
    fees = ledger.fees_of(chain_id)
    on_chain = ledger.chain_account(project, chain_id, account.address)
    triples = [(call.to, call.value, call.data) for call in calls]
    call_data = calls_data(implementation.type, triples)
    operation = UserOperation(
        sender=account.address,
        nonce=on_chain.operation_nonce,
        call_data=call_data,
        call_gas_limit=_CALL_OVERHEAD_GAS
        + sum(ledger.call_gas(call.data) + (_VALUE_TRANSFER_GAS if call.value else 0) for call in calls),
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
    """What the factory is told: whose account to deploy, with which salt."""
    salt = account.smart_account.salt if account.smart_account else None
    return encode_call(
        Function(*parse_signature("createAccount(address,bytes32)")), [account.signing_address, salt]
    )


def _sponsored(project: Project, operation: UserOperation, entry_point: str, chain_id: int) -> UserOperation:
    """The operation with the project's paymaster, which signs what it approves for an hour."""
    secret = paymaster_secret(project)
    valid_until_s = project.clock.now_s + 3600
    window = valid_until_s.to_bytes(6, "big") + bytes(6)
    approved = replace(
        operation,
        paymaster=address_of(secp256k1.public_key(secret)),
        paymaster_verification_gas_limit=_PAYMASTER_GAS,
        paymaster_post_op_gas_limit=_PAYMASTER_POST_GAS,
        paymaster_data=window,
    )
    signature = secp256k1.sign(secret, user_operation_hash(approved, entry_point, chain_id))
    return replace(approved, paymaster_data=window + signature.to_bytes())
