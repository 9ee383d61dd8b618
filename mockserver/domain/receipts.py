"""What a transaction leaves on its chain: logs, gas and fees."""

from collections.abc import Mapping, Sequence

from mockserver.chain.abi import decode_values, encode_values, event_topic
from mockserver.chain.user_operations import ENTRY_POINTS, user_operation_event_log
from mockserver.domain import ledger
from mockserver.state.onchain import CallRecord, Execution, Log, PlainExecution, UserOperationExecution

_TRANSFER = "Transfer(address,address,uint256)"
_APPROVAL = "Approval(address,address,uint256)"
_ACCOUNT_DEPLOYED = "AccountDeployed(bytes32,address,address,address)"
_BEFORE_EXECUTION = "BeforeExecution()"
_ZERO_ADDRESS = "0x" + "0" * 40

# The standard calls of ERC-20 that emit an event, by selector: argument types, event, and which
# arguments are its first two addresses and its amount; "self" is the caller and "zero" nobody.
_TOKEN_CALLS: Mapping[str, tuple[tuple[str, ...], str, tuple[int | str, int | str, int]]] = {
    "a9059cbb": (("address", "uint256"), _TRANSFER, ("self", 0, 1)),
    "23b872dd": (("address", "address", "uint256"), _TRANSFER, (0, 1, 2)),
    "095ea7b3": (("address", "uint256"), _APPROVAL, ("self", 0, 1)),
    "40c10f19": (("address", "uint256"), _TRANSFER, ("zero", 0, 1)),
}


def gas_used(execution: Execution, calls: Sequence[CallRecord]) -> int:
    """The gas a transaction uses when it is mined: always the same for the same calls."""
    if isinstance(execution, PlainExecution):
        return ledger.PLAIN_GAS + sum(ledger.call_gas(call.data) for call in calls)
    operation = execution.operation
    return (
        operation.call_gas_limit * 4 // 5
        + operation.verification_gas_limit * 3 // 4
        + operation.pre_verification_gas
    )


def wire_of(execution: Execution) -> bytes:
    """The bytes that a rollup stores on the chain below."""
    if isinstance(execution, PlainExecution):
        return execution.transaction.serialize_unsigned()
    operation = execution.operation
    return operation.call_data + operation.factory_data + operation.paymaster_data + bytes(320)


def logs_of(
    execution: Execution, calls: Sequence[CallRecord], *, success: bool, deploys: bool, fee: int, gas: int
) -> tuple[Log, ...]:
    """The events of a transaction: those of its calls when they succeeded, and the entry point's own.

    `deploys` says whether the account is deployed by it.
    """
    of_calls = [log for call in calls for log in _of_call(execution.sender, call)] if success else []
    if isinstance(execution, PlainExecution):
        return tuple(of_calls)
    return (
        *_before(execution, deploys=deploys),
        *of_calls,
        _at_end(execution, success=success, fee=fee, gas=gas),
    )


def _of_call(sender: str, call: CallRecord) -> list[Log]:
    known = _TOKEN_CALLS.get(call.data[:4].hex())
    if known is None:
        return []
    types, event, (first, second, amount) = known
    try:
        values = decode_values(types, call.data[4:])
    except ValueError:
        return []
    parties = {"self": sender, "zero": _ZERO_ADDRESS}
    addresses = [parties[place] if isinstance(place, str) else values[place] for place in (first, second)]
    topics = [event_topic(event), *(encode_values(["address"], [address]) for address in addresses)]
    data = encode_values(["uint256"], [values[amount]])
    return [_log(call.to, topics, data)]


def _before(execution: UserOperationExecution, *, deploys: bool) -> list[Log]:
    entry_point = ENTRY_POINTS[execution.entry_point_version]
    operation = execution.operation
    logs = []
    if deploys and operation.factory is not None:
        topics = [
            event_topic(_ACCOUNT_DEPLOYED),
            execution.hash,
            encode_values(["address"], [operation.sender]),
        ]
        parties = [operation.factory, operation.paymaster or _ZERO_ADDRESS]
        logs.append(_log(entry_point, topics, encode_values(["address", "address"], parties)))
    logs.append(_log(entry_point, [event_topic(_BEFORE_EXECUTION)], b""))
    return logs


def _at_end(execution: UserOperationExecution, *, success: bool, fee: int, gas: int) -> Log:
    operation = execution.operation
    topics, data = user_operation_event_log(
        execution.hash, operation.sender, operation.paymaster, operation.nonce, success, fee, gas
    )
    return _log(ENTRY_POINTS[execution.entry_point_version], topics, data)


def _log(address: str, topics: Sequence[bytes], data: bytes) -> Log:
    return Log(address=address, topics=tuple("0x" + topic.hex() for topic in topics), data="0x" + data.hex())
