"""User operations as bundlers take and show them (ERC-7769), of entry points 0.6 to 0.9."""

from collections import defaultdict
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from mockserver.chain.account_calls import read_calls
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    VERSIONS,
    UserOperation,
    is_delegation,
    rpc_shape,
    split_address,
    user_operation_hash,
)
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.evm.blocks import show_logs, show_receipt, used_by
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.values import Address, Data, Quantity, SignedAuthorization
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import CallRecord, Transaction

DELEGATION = "0x7702"
"""The marker in place of the factory of an account that delegates (EIP-7702)."""


def _read_factory(value: object) -> object:
    # viem sends the marker short, and others padded to an address.
    return DELEGATION.ljust(42, "0") if isinstance(value, str) and is_delegation(value) else value


class UserOperationObject(TypedDict, total=False):
    """A user operation, which may lack gas limits and signature while it is estimated."""

    sender: Address
    nonce: Quantity
    initCode: Data
    factory: Annotated[Address | None, BeforeValidator(_read_factory)]
    factoryData: Data | None
    callData: Data
    callGasLimit: Quantity | None
    verificationGasLimit: Quantity | None
    preVerificationGas: Quantity | None
    maxFeePerGas: Quantity | None
    maxPriorityFeePerGas: Quantity | None
    paymasterAndData: Data
    paymaster: Address | None
    paymasterVerificationGasLimit: Quantity | None
    paymasterPostOpGasLimit: Quantity | None
    paymasterData: Data | None
    paymasterSignature: Data | None
    signature: Data
    eip7702Auth: SignedAuthorization | None


def read_version(entry_point: str) -> str:
    """The version of an entry point. RpcError for another address."""
    version = VERSIONS.get(entry_point.lower())
    if version is None:
        known = ", ".join(ENTRY_POINTS.values())
        raise invalid(f"EntryPoint {entry_point} is not supported, only {known}")
    return version


def read_operation(chain: Chain, given: UserOperationObject, version: str) -> UserOperation:
    """A user operation. RpcError for one that lacks what it needs.

    What its sender delegates to is in its authorization or, once that was used, in the state of the chain.
    """
    for name in ("sender", "nonce", "callData"):
        if name not in given:
            raise invalid(f"invalid argument 0: {name}: Field required")
    # What is null is not given. Limits and fees that are not given are 0.
    members = defaultdict[str, Any](int, {name: each for name, each in given.items() if each is not None})
    factory, factory_data = given.get("factory"), members.get("factoryData", b"")
    paymaster, paymaster_data = given.get("paymaster"), members.get("paymasterData", b"")
    delegate = members.get("eip7702Auth", {}).get("address")
    if version == "0.6":
        factory, factory_data = _split(given, "initCode")
        paymaster, paymaster_data = _split(given, "paymasterAndData")
    if factory is not None and is_delegation(factory):
        factory = DELEGATION
        delegate = delegate or chain.account(given["sender"]).delegate
    return UserOperation(
        sender=given["sender"],
        nonce=given["nonce"],
        factory=factory,
        factory_data=factory_data,
        call_data=given["callData"],
        call_gas_limit=members["callGasLimit"],
        verification_gas_limit=members["verificationGasLimit"],
        pre_verification_gas=members["preVerificationGas"],
        max_fee_per_gas=members["maxFeePerGas"],
        max_priority_fee_per_gas=members["maxPriorityFeePerGas"],
        paymaster=paymaster,
        paymaster_verification_gas_limit=members["paymasterVerificationGasLimit"],
        paymaster_post_op_gas_limit=members["paymasterPostOpGasLimit"],
        paymaster_data=paymaster_data,
        signature=given.get("signature", b""),
        eip7702_auth=delegate,
        paymaster_signature=members.get("paymasterSignature", b""),
    )


def hash_of(operation: UserOperation, version: str, chain_id: int) -> bytes:
    """The hash that is signed. RpcError for a field out of its range."""
    try:
        return user_operation_hash(operation, version, chain_id)
    except ValueError as error:
        raise invalid(f"invalid argument 0: {error}") from None


def calls_of(operation: UserOperation) -> tuple[CallRecord, ...]:
    """The calls of a user operation; of an account that is not known, one of the account itself."""
    calls = read_calls(operation.call_data)
    if calls is None:
        return (CallRecord(operation.sender, 0, operation.call_data, {}),)
    return tuple(CallRecord(to, value, data, {}) for to, value, data in calls)


def find_operation(chain: Chain, operation_hash: bytes) -> Transaction | None:
    """The transaction of a user operation; the last one if it was sent again."""
    rows = chain.project.onchain.transactions.find("operation_hash", operation_hash)
    return next((row for row in reversed(rows) if row.chain_id == chain.id), None)


def show_operation(row: Transaction) -> dict[str, Any]:
    """A user operation with the block that it is in, if any."""
    execution, included = row.execution, row.included
    assert isinstance(execution, UserOperationExecution)
    return {
        "userOperation": rpc_shape(execution.operation, execution.entry_point_version),
        "entryPoint": ENTRY_POINTS[execution.entry_point_version],
        "blockNumber": hex(included.place.block_number) if included else None,
        "blockHash": included.place.block_hash if included else None,
        "transactionHash": included.transaction_hash if included else None,
    }


def show_operation_receipt(chain: Chain, row: Transaction) -> dict[str, Any]:
    """The receipt of a user operation that is in a block."""
    execution, receipt = row.execution, row.receipt
    assert isinstance(execution, UserOperationExecution)
    assert receipt is not None
    operation = execution.operation
    shown = {
        "userOpHash": "0x" + execution.hash.hex(),
        "entryPoint": ENTRY_POINTS[execution.entry_point_version],
        "sender": operation.sender,
        "nonce": hex(operation.nonce),
        "actualGasCost": hex((receipt.gas_fee or 0) + (receipt.l1_gas_fee or 0)),
        "actualGasUsed": hex(used_by(row)),
        "success": receipt.error is None,
        "logs": show_logs(chain, row),
        "receipt": show_receipt(chain, row),
    }
    if operation.paymaster is not None:
        shown["paymaster"] = operation.paymaster
    if receipt.error is not None:
        shown["reason"] = receipt.error.reason
    return shown


def _split(
    given: UserOperationObject, name: Literal["initCode", "paymasterAndData"]
) -> tuple[str | None, bytes]:
    try:
        return split_address(given.get(name, b""))
    except ValueError:
        raise invalid(f"invalid argument 0: {name}: begins with an address") from None
