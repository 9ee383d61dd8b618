"""What a transaction leaves on its chain: logs, gas and fees."""

from collections.abc import Sequence

from mockserver.chain.abi import encode_values, event_topic
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.chain.user_operations import ENTRY_POINTS, user_operation_event_log
from mockserver.domain.chains import gas
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    Log,
    PlainExecution,
    UserOperationExecution,
    ZkSyncExecution,
)

_ACCOUNT_DEPLOYED = "AccountDeployed(bytes32,address,address,address)"
_BEFORE_EXECUTION = "BeforeExecution()"
_REVERT_REASON = "UserOperationRevertReason(bytes32,address,uint256,bytes)"


def gas_used(execution: Execution, calls: Sequence[CallRecord]) -> int:
    """The gas a transaction uses when it is mined: always the same for the same calls."""
    if isinstance(execution, PlainExecution):
        return gas.PLAIN_GAS + sum(gas.call_gas(call.data) for call in calls)
    if isinstance(execution, ZkSyncExecution):
        return execution.transaction.gas * 5 // 6
    operation = execution.operation
    return (
        operation.call_gas_limit * 4 // 5
        + operation.verification_gas_limit * 3 // 4
        + operation.pre_verification_gas
    )


def logs_of(
    execution: Execution, calls: Sequence[Log], *, reverted: bytes | None, deploys: bool, fee: int, used: int
) -> tuple[Log, ...]:
    """The events of a transaction: those of its calls, and the entry point's own.

    `reverted` is what the calls returned when they reverted; `deploys` says whether the account is
    deployed by it.
    """
    if not isinstance(execution, UserOperationExecution):
        return tuple(calls)
    return (
        *_before(execution, deploys=deploys),
        *calls,
        *_of_revert(execution, reverted),
        _at_end(execution, success=reverted is None, fee=fee, used=used),
    )


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
        parties = [operation.factory, operation.paymaster or ZERO_ADDRESS]
        logs.append(_log(entry_point, topics, encode_values(["address", "address"], parties)))
    logs.append(_log(entry_point, [event_topic(_BEFORE_EXECUTION)], b""))
    return logs


def _of_revert(execution: UserOperationExecution, reverted: bytes | None) -> list[Log]:
    """The entry point says what a call returned that reverted, if it returned anything."""
    if not reverted:
        return []
    operation = execution.operation
    topics = [
        event_topic(_REVERT_REASON),
        execution.hash,
        encode_values(["address"], [operation.sender]),
    ]
    data = encode_values(["uint256", "bytes"], [operation.nonce, reverted])
    return [_log(ENTRY_POINTS[execution.entry_point_version], topics, data)]


def _at_end(execution: UserOperationExecution, *, success: bool, fee: int, used: int) -> Log:
    operation = execution.operation
    topics, data = user_operation_event_log(
        execution.hash, operation.sender, operation.paymaster, operation.nonce, success, fee, used
    )
    return _log(ENTRY_POINTS[execution.entry_point_version], topics, data)


def _log(address: str, topics: Sequence[bytes], data: bytes) -> Log:
    return Log(address=address, topics=tuple("0x" + topic.hex() for topic in topics), data="0x" + data.hex())
