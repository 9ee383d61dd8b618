"""The transactions of bundles: `handleOps` of an entry point with one user operation."""

from typing import Any

from mockserver.chain.user_operations import ENTRY_POINTS, handle_ops
from mockserver.domain.chains import ledger
from mockserver.domain.chains.entry_points import BUNDLER
from mockserver.nodes.values import to_hex
from mockserver.state.chains import UserOperationExecution


def bundle_fields(execution: UserOperationExecution) -> dict[str, Any]:
    """What the transaction of a bundle is, without a signature: it was never sent anywhere."""
    operation = execution.operation
    limits = operation.call_gas_limit + operation.verification_gas_limit + operation.pre_verification_gas
    return {
        "type": "0x2",
        "from": BUNDLER,
        "to": ENTRY_POINTS[execution.entry_point_version].lower(),
        "nonce": "0x0",
        "value": "0x0",
        "input": to_hex(handle_ops(operation, execution.entry_point_version, ledger.FEE_RECIPIENT)),
        "gas": hex(
            limits + operation.paymaster_verification_gas_limit + operation.paymaster_post_op_gas_limit
        ),
        "maxFeePerGas": hex(operation.max_fee_per_gas),
        "maxPriorityFeePerGas": hex(operation.max_priority_fee_per_gas),
        "accessList": [],
        **dict.fromkeys(("yParity", "v", "r", "s"), "0x0"),
    }
