"""The paymaster of fee sponsorships, and its signed approvals (ERC-4337, ZKsync)."""

from dataclasses import replace

from mockserver.chain.user_operations import UserOperation, user_operation_hash
from mockserver.chain.zksync import ZkSyncTransaction, approval_based_input, general_input, inner_input
from mockserver.crypto import secp256k1
from mockserver.domain.chains import ledger
from mockserver.domain.chains.account_signatures import find_signer
from mockserver.domain.chains.deposits import is_paymaster, paymaster_address, paymaster_secret
from mockserver.domain.chains.failures import Failure, funding_error
from mockserver.domain.sponsorship.sponsors import Sponsor, token_fee
from mockserver.state.chains import Execution, UserOperationExecution, ZkSyncExecution
from mockserver.state.project import Project

_PAYMASTER_GAS = 40_000
_PAYMASTER_POST_GAS = 20_000
_VALID_FOR_S = 3600
_WINDOW_BYTES = 12
_NAME_AT = _WINDOW_BYTES + 65


def approve(
    project: Project,
    sponsor: Sponsor,
    operation: UserOperation,
    entry_point: str,
    chain_id: int,
    *,
    is_named: bool = False,
) -> UserOperation:
    """Add a paymaster and its approval, valid for an hour, to a user operation.

    For the developer's own contract the project's key signs, too: the mock does not have its key. The
    approval ends with the id of the sponsorship if it `is_named`, for a bundler to find it.
    """
    window = _window(project)
    approved = replace(
        operation,
        paymaster=sponsor.paymaster or paymaster_address(project),
        paymaster_verification_gas_limit=_PAYMASTER_GAS,
        paymaster_post_op_gas_limit=_PAYMASTER_POST_GAS,
        paymaster_data=window,
    )
    # The paymaster signs the operation with its own data less the signature, as VerifyingPaymaster does. The
    # owner then signs the operation with both.
    signature = secp256k1.sign(
        paymaster_secret(project), user_operation_hash(approved, entry_point, chain_id)
    )
    name = sponsor.sponsorship_id.encode() if is_named else b""
    return replace(approved, paymaster_data=window + signature.to_bytes() + name)


def is_native(project: Project, chain_id: int, address: str) -> bool:
    """Whether a paymaster is the project's, or one of the developer's, and has no code."""
    return is_paymaster(project, address) and not ledger.code_at(project, chain_id, address)


def is_approved(project: Project, operation: UserOperation, entry_point: str, chain_id: int) -> bool:
    """Whether the project's paymaster has signed this operation."""
    window, raw = operation.paymaster_data[:_WINDOW_BYTES], operation.paymaster_data[_WINDOW_BYTES:_NAME_AT]
    signed = user_operation_hash(replace(operation, paymaster_data=window), entry_point, chain_id)
    return find_signer(signed, raw) == paymaster_address(project)


def sponsorship_of(project: Project, operation: UserOperation) -> str | None:
    """The sponsorship that an approval names."""
    name = operation.paymaster_data[_NAME_AT:].decode("ascii", "replace")
    return name if name in project.guardrails.fee_sponsorships else None


def approve_transaction(
    project: Project, sponsor: Sponsor, transaction: ZkSyncTransaction
) -> ZkSyncTransaction:
    """Add a paymaster and its approval, valid for an hour, to a ZKsync transaction.

    If the account reimburses it in tokens, the approval-based flow allows it the most that the fee can
    be.
    """

    charge = sponsor.charge

    def input_with(inner: bytes) -> bytes:
        return general_input(inner) if charge is None else approval_based_input(charge.token, most, inner)

    # On ZKsync the paymaster's gas is part of the transaction's one limit, so the allowance covers it, too.
    gas = transaction.gas + _PAYMASTER_GAS + _PAYMASTER_POST_GAS
    fee = gas * transaction.max_fee_per_gas
    most = 0 if charge is None else token_fee(project, transaction.chain_id, charge, fee)
    window = _window(project)
    paymaster = sponsor.paymaster or paymaster_address(project)
    approved = replace(transaction, gas=gas, paymaster=paymaster, paymaster_input=input_with(window))
    signature = secp256k1.sign(paymaster_secret(project), approved.signing_hash())
    return replace(approved, paymaster_input=input_with(window + signature.to_bytes()))


def require_valid(project: Project, execution: Execution) -> None:
    """Failure if the paymaster's approval has expired (AA32)."""
    approval = _approval(execution)
    if approval is not None and project.clock.now_s > int.from_bytes(approval[:6], "big"):
        raise Failure(funding_error(execution, "AA32"))


def _window(project: Project) -> bytes:
    """`validUntil` and `validAfter` of an approval, as uint48 each."""
    return (project.clock.now_s + _VALID_FOR_S).to_bytes(6, "big") + bytes(6)


def _approval(execution: Execution) -> bytes | None:
    """The paymaster data of an execution, or None without a paymaster."""
    if isinstance(execution, UserOperationExecution):
        return execution.operation.paymaster_data if execution.operation.paymaster else None
    if isinstance(execution, ZkSyncExecution) and execution.transaction.paymaster:
        return inner_input(execution.transaction.paymaster_input)
    return None
