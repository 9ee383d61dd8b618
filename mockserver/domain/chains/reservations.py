"""What a transaction may take at most, which is reserved for it while it is sent."""

from collections.abc import Sequence

from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.domain.chains import gas
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    PlainExecution,
    Reservation,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.project import Project


def reservation_for(
    project: Project, chain_id: int, execution: Execution, calls: Sequence[CallRecord]
) -> Reservation:
    """What an execution takes at the most, and from whom; the fee of a rollup counts as gas."""
    if isinstance(execution, UserOperationExecution):
        operation = execution.operation
        limit = operation.call_gas_limit + operation.verification_gas_limit + operation.pre_verification_gas
        paymaster, most = operation.paymaster, limit * operation.max_fee_per_gas
    else:
        transaction = execution.transaction
        paymaster = transaction.paymaster if isinstance(transaction, ZkSyncTransaction) else None
        most = transaction.gas * transaction.max_fee_per_gas
    l1 = gas.l1_cost(project, chain_id, raw_transaction(execution))
    return Reservation(
        sender=execution.sender,
        value=sum(call.value for call in calls),
        payer=paymaster or execution.sender,
        gas=most + (l1.fee if l1 else 0),
        l1_gas=l1.gas if l1 else None,
        l1_fee=l1.fee if l1 else None,
    )


def raw_transaction(execution: Execution) -> bytes:
    """The bytes that a rollup stores on the chain below."""
    if isinstance(execution, PlainExecution):
        return execution.transaction.serialize_unsigned()
    if isinstance(execution, ZkSyncExecution):
        return execution.transaction.serialize()
    operation = execution.operation
    return operation.call_data + operation.factory_data + operation.paymaster_data + bytes(320)
