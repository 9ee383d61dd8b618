"""The transactions of bundles: `handleOps` of an entry point with one user operation."""

from typing import Any

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation, packed_fields
from mockserver.domain.chains import ledger
from mockserver.nodes.values import to_hex
from mockserver.state.chains import UserOperationExecution

BUNDLER = "0x" + "b0d1e4" * 6 + "b0d1"
"""The address that sends bundles."""
_HANDLE_OPS = "handleOps({},address)"
_OPERATION_06 = "(address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[]"
_PACKED = "(address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[]"


def handle_ops(operation: UserOperation, version: str) -> bytes:
    """The data of a bundle's transaction."""
    shape = _OPERATION_06 if version == "0.6" else _PACKED
    function = Function.parse(_HANDLE_OPS.format(shape))
    return encode_call(function, [[packed_fields(operation, version)], ledger.FEE_RECIPIENT])


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
        "input": to_hex(handle_ops(operation, execution.entry_point_version)),
        "gas": hex(
            limits + operation.paymaster_verification_gas_limit + operation.paymaster_post_op_gas_limit
        ),
        "maxFeePerGas": hex(operation.max_fee_per_gas),
        "maxPriorityFeePerGas": hex(operation.max_priority_fee_per_gas),
        "accessList": [],
        **dict.fromkeys(("yParity", "v", "r", "s"), "0x0"),
    }
