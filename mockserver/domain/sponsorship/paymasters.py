"""The paymaster with which fee sponsorships pay, and its approvals (ERC-4337, ZKsync)."""

from dataclasses import replace

from mockserver.chain.addresses import address_of
from mockserver.chain.user_operations import UserOperation, user_operation_hash
from mockserver.chain.zksync import ZkSyncTransaction, approval_based_input, general_input, inner_input
from mockserver.crypto import secp256k1
from mockserver.domain.chains import ledger
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.sponsorship.sponsors import Sponsor, token_fee
from mockserver.domain.wallets import custody
from mockserver.state.chains import ChainAccount
from mockserver.state.onchain import Execution, UserOperationExecution, ZkSyncExecution
from mockserver.state.project import Project

_PAYMASTER_GAS = 40_000
_PAYMASTER_POST_GAS = 20_000
_VALID_FOR_S = 3600


def paymaster_address(project: Project) -> str:
    """The address of the project's paymaster, on every chain."""
    return address_of(secp256k1.public_key(_secret(project)))


def store_key(project: Project) -> None:
    """Keep the key of the project's paymaster among those that the mock signs transactions with."""
    custody.store_key(project, _secret(project), "EVM")


def approve(
    project: Project, sponsor: Sponsor, operation: UserOperation, entry_point: str, chain_id: int
) -> UserOperation:
    """The operation with a sponsor's paymaster, which signs what it approves for an hour.

    For a paymaster of the developer's own the project's key signs too: theirs is not known here.
    """
    window = _window(project)
    approved = replace(
        operation,
        paymaster=sponsor.paymaster or paymaster_address(project),
        paymaster_verification_gas_limit=_PAYMASTER_GAS,
        paymaster_post_op_gas_limit=_PAYMASTER_POST_GAS,
        paymaster_data=window,
    )
    signature = secp256k1.sign(_secret(project), user_operation_hash(approved, entry_point, chain_id))
    return replace(approved, paymaster_data=window + signature.to_bytes())


def approve_transaction(
    project: Project, sponsor: Sponsor, transaction: ZkSyncTransaction
) -> ZkSyncTransaction:
    """The transaction with a sponsor's paymaster, which signs what it approves for an hour.

    A paymaster that is paid back in tokens has the account allow it the most that can come to.
    """

    charge = sponsor.charge

    def input_with(inner: bytes) -> bytes:
        return general_input(inner) if charge is None else approval_based_input(charge.token, most, inner)

    gas = transaction.gas + _PAYMASTER_GAS + _PAYMASTER_POST_GAS
    fee = gas * transaction.max_fee_per_gas
    most = 0 if charge is None else token_fee(project, transaction.chain_id, charge, fee)
    window = _window(project)
    paymaster = sponsor.paymaster or paymaster_address(project)
    approved = replace(transaction, gas=gas, paymaster=paymaster, paymaster_input=input_with(window))
    signature = secp256k1.sign(_secret(project), approved.signing_hash())
    return replace(approved, paymaster_input=input_with(window + signature.to_bytes()))


def account_at(project: Project, chain_id: int, address: str) -> ChainAccount:
    """What a chain knows of an address, which may be a paymaster's."""
    known = {row.address for row in project.guardrails.paymasters}
    if address in known or address == paymaster_address(project):
        return ledger.paymaster_account(project, chain_id, address)
    return ledger.chain_account(project, chain_id, address)


def require_valid(project: Project, execution: Execution) -> None:
    """Failure once a paymaster's approval is over."""
    approval = _approval(execution)
    if approval is not None and project.clock.now_s > int.from_bytes(approval[:6], "big"):
        raise Failure(funding_error(execution, "AA32"))


def _window(project: Project) -> bytes:
    """Until when an approval holds, and since when, in six bytes each."""
    return (project.clock.now_s + _VALID_FOR_S).to_bytes(6, "big") + bytes(6)


def _approval(execution: Execution) -> bytes | None:
    """What the paymaster of an execution signed, or None without one."""
    if isinstance(execution, UserOperationExecution):
        return execution.operation.paymaster_data if execution.operation.paymaster else None
    if isinstance(execution, ZkSyncExecution) and execution.transaction.paymaster:
        return inner_input(execution.transaction.paymaster_input)
    return None


def _secret(project: Project) -> bytes:
    """The key with which the project's paymaster approves."""
    return secp256k1.secret_from_seed(project.entropy.derive("paymaster", 32))
