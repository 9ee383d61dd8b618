"""The logs of a user operation: those of its calls, and the entry point's own (ERC-4337)."""

from collections.abc import Sequence

from mockserver.chain.abi.functions import encode_values, event_topic
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.chain.user_operations import ENTRY_POINTS, user_operation_event_log
from mockserver.state.onchain import (
    Log,
    UserOperationExecution,
)

_ACCOUNT_DEPLOYED = "AccountDeployed(bytes32,address,address,address)"
_BEFORE_EXECUTION = "BeforeExecution()"
_REVERT_REASON = "UserOperationRevertReason(bytes32,address,uint256,bytes)"


def logs_of(
    execution: UserOperationExecution,
    calls: Sequence[Log],
    *,
    reverted: bytes | None,
    deploys: bool,
    fee: int,
    used: int,
) -> tuple[Log, ...]:
    """The events of a user operation in their order.

    `reverted` is what the calls returned when they reverted; `deploys` says whether the account is
    deployed by it.
    """
    return (
        *_first_logs(execution, deploys=deploys),
        *calls,
        *_revert_logs(execution, reverted),
        _operation_log(execution, success=reverted is None, fee=fee, used=used),
    )


def _first_logs(execution: UserOperationExecution, *, deploys: bool) -> list[Log]:
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


def _revert_logs(execution: UserOperationExecution, reverted: bytes | None) -> list[Log]:
    """UserOperationRevertReason, which the entry point emits only for revert data that is not empty."""
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


def _operation_log(execution: UserOperationExecution, *, success: bool, fee: int, used: int) -> Log:
    operation = execution.operation
    topics, data = user_operation_event_log(
        execution.hash, operation.sender, operation.paymaster, operation.nonce, success, fee, used
    )
    return _log(ENTRY_POINTS[execution.entry_point_version], topics, data)


def _log(address: str, topics: Sequence[bytes], data: bytes) -> Log:
    return Log(address=address, topics=tuple("0x" + topic.hex() for topic in topics), data="0x" + data.hex())
