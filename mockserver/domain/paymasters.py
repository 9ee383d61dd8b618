"""The paymaster with which fee sponsorships pay, and its approvals (ERC-4337)."""

from dataclasses import replace

from mockserver.chain.addresses import address_of
from mockserver.chain.user_operations import UserOperation, user_operation_hash
from mockserver.crypto import secp256k1
from mockserver.domain.failures import Failure, aa_error
from mockserver.state.onchain import Execution, PlainExecution
from mockserver.state.project import Project

_PAYMASTER_GAS = 40_000
_PAYMASTER_POST_GAS = 20_000
_VALID_FOR_S = 3600


def paymaster_address(project: Project) -> str:
    """The address of the project's paymaster, on every chain."""
    return address_of(secp256k1.public_key(_secret(project)))


def approve(project: Project, operation: UserOperation, entry_point: str, chain_id: int) -> UserOperation:
    """The operation with the project's paymaster, which signs what it approves for an hour."""
    valid_until_s = project.clock.now_s + _VALID_FOR_S
    window = valid_until_s.to_bytes(6, "big") + bytes(6)
    approved = replace(
        operation,
        paymaster=paymaster_address(project),
        paymaster_verification_gas_limit=_PAYMASTER_GAS,
        paymaster_post_op_gas_limit=_PAYMASTER_POST_GAS,
        paymaster_data=window,
    )
    signature = secp256k1.sign(_secret(project), user_operation_hash(approved, entry_point, chain_id))
    return replace(approved, paymaster_data=window + signature.to_bytes())


def require_valid(project: Project, execution: Execution) -> None:
    """Failure once a paymaster's approval is over."""
    if isinstance(execution, PlainExecution) or execution.operation.paymaster is None:
        return
    if project.clock.now_s > int.from_bytes(execution.operation.paymaster_data[:6], "big"):
        raise Failure(aa_error("AA32"))


def _secret(project: Project) -> bytes:
    """The key with which the project's paymaster approves."""
    number = int.from_bytes(project.entropy.derive("paymaster", 32), "big") % (secp256k1.N - 1) + 1
    return number.to_bytes(32, "big")
