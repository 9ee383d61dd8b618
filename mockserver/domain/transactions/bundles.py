"""User operations of an entry point with code: it is called, and validates and executes them."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.chain.abi.functions import (
    AbiError,
    Function,
    decode_call,
    decode_values,
    encode_call,
    event_topic,
)
from mockserver.chain.addresses import address_bytes
from mockserver.chain.entry_point_errors import EXPLANATIONS
from mockserver.chain.user_operations import ENTRY_POINTS, EVENT, REVERT_REASON, UserOperation, handle_ops
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.chains import entry_points, ledger
from mockserver.domain.chains.executing_ahead import AheadExecutor
from mockserver.domain.chains.execution import REVERTED, Executed, Executor
from mockserver.domain.chains.failures import Failure
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.domain.transactions.smart_accounts import GasLimits, deploy_or_delegate, limits_for
from mockserver.kernel.effort import finish
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import Log, TransactionError
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Amend, CallTrace, Watch

_BUNDLE_GAS = 300_000
_PREFUND_GAS = 80_000
"""What an account needs to pay the entry point in advance, and the entry point to check it."""
_FAILED_OP = Function.parse("FailedOp(uint256,string)")
_FAILED_OP_WITH_REVERT = Function.parse("FailedOpWithRevert(uint256,string,bytes)")
_DEPOSIT_TO = Function.parse("depositTo(address)")
_MOST_SHOWN = 256
_NOWHERE = "0x" + "00" * 32
_BAD_SIGNATURE = 1
"""The last 20 bytes of what an account or a paymaster returns that does not accept a signature."""


class Bundled(NamedTuple):
    """What came of a user operation that is in a block."""

    executed: Executed
    cost: int
    """What its payer has paid, in wei."""
    gas_used: int
    reverted: bytes | None
    """The revert data of its calls, if they were undone."""


def is_executed(execution: UserOperationExecution, project: Project, chain_id: int) -> bool:
    """Whether a user operation is of an entry point with code."""
    return entry_points.has_code(project, chain_id, execution.entry_point_version)


def digest_to_sign(execution: UserOperationExecution, project: Project, chain_id: int) -> bytes:
    """What the owner signs: for SimpleAccount up to entry point 0.7 a message (EIP-191), if it has code."""
    is_of_messages = (
        is_executed(execution, project, chain_id)
        and execution.entry_point_version in ("0.6", "0.7")
        and ledger.code_at(project, chain_id, execution.sender)
    )
    return personal_message_digest(execution.signing_hash) if is_of_messages else execution.signing_hash


def execute_bundle(
    project: Project,
    chain_id: int,
    execution: UserOperationExecution,
    transaction_hash: str = _NOWHERE,
    *,
    watch: Watch | None = None,
    amend: Amend | None = None,
) -> Bundled:
    """Have the entry point handle an operation. Failure if it refuses: then the caller rolls back."""
    operation, version = execution.operation, execution.entry_point_version
    if operation.eip7702_auth is not None:
        deploy_or_delegate(project, chain_id, execution, transaction_hash)
    executor = AheadExecutor(project, chain_id, entry_points.BUNDLER, watch)
    if operation.paymaster and paymasters.is_native(project, chain_id, operation.paymaster):
        _deposit(executor, project, chain_id, operation.paymaster, ENTRY_POINTS[version])
    executor.amend = amend
    data, gas = handle_ops(operation, version, ledger.FEE_RECIPIENT), _gas_of_bundle(operation)
    gas = min(gas, project.settings.contract_gas_limit)
    executed = finish(executor.call(entry_points.BUNDLER, ENTRY_POINTS[version], 0, data, gas))
    if executed.error is not None:
        raise Failure(_failed(project, chain_id, executed, operation))
    if operation.eip7702_auth is None:
        deploy_or_delegate(project, chain_id, execution, transaction_hash)
    return _read_events(executed, ENTRY_POINTS[version])


def validate(project: Project, chain_id: int, execution: UserOperationExecution) -> None:
    """Failure if the entry point would refuse an operation, once those before it are in a block."""
    operation, entry_point = execution.operation, ENTRY_POINTS[execution.entry_point_version]
    with project.undo.undone():
        entry_points.set_nonce(project, chain_id, entry_point, operation.sender, operation.nonce)
        execute_bundle(project, chain_id, execution)


class Parts(NamedTuple):
    """The parts of an operation's execution, by the addresses of its entry point and its account."""

    entry_point: bytes
    sender: bytes

    @classmethod
    def of(cls, execution: UserOperationExecution) -> Parts:
        """Those of an operation."""
        entry_point = ENTRY_POINTS[execution.entry_point_version]
        return cls(address_bytes(entry_point), address_bytes(execution.sender))

    def find(self, kind: str, depth: int, caller: bytes, address: bytes, data: bytes) -> str | None:
        """Whether a call is part of the validation, or one of its calls."""
        if kind != "CALL" or caller != self.entry_point or address == self.entry_point:
            return None
        # The entry point validates by calls of its own, and executes in a call of itself.
        if depth == 1:
            return "validation" if data else None
        return "calls" if address == self.sender else None

    def find_of(self, trace: CallTrace) -> str | None:
        """That of a call that has just been made."""
        call = trace.call
        return self.find(call.kind, call.depth, call.caller, call.address, call.data)


@dataclass(frozen=True, slots=True)
class RevertCalls:
    """Has the calls of an operation revert with some data."""

    parts: Parts
    data: bytes

    def __call__(self, trace: CallTrace) -> None:
        """Change what comes of a call."""
        if self.parts.find_of(trace) == "calls":
            trace.error, trace.output = REVERTED, self.data


@dataclass(frozen=True, slots=True)
class _AcceptSignature:
    """Has the account of an operation accept its signature, and so a paymaster."""

    parts: Parts

    def __call__(self, trace: CallTrace) -> None:
        """Change what comes of a call."""
        is_refused = int.from_bytes(trace.output[-20:], "big") == _BAD_SIGNATURE
        if is_refused and self.parts.find_of(trace) == "validation":
            trace.output = trace.output[:-20] + bytes(20)


def estimate(project: Project, chain_id: int, execution: UserOperationExecution) -> tuple[GasLimits, Bundled]:
    """The gas limits that an operation needs, and what comes of it; neither its own nor its signature matter.

    Failure if the entry point would refuse it for anything else. Nothing is changed.
    """
    most, operation = project.settings.contract_gas_limit, execution.operation
    parts, used = Parts.of(execution), Counter[str | None]()
    # Without a price it needs no funds.
    tried = replace(
        operation,
        call_gas_limit=most // 4,
        verification_gas_limit=most // 4,
        pre_verification_gas=0,
        max_fee_per_gas=0,
        max_priority_fee_per_gas=0,
    )
    with project.undo.undone():
        again, amend = execution._replace(operation=tried), _AcceptSignature(parts)
        bundled = execute_bundle(project, chain_id, again, amend=amend)
    for call in bundled.executed.trace:
        addresses = address_bytes(call.sender), address_bytes(call.to)
        used[parts.find(call.kind, call.depth, *addresses, call.input)] += call.gas_used
    limits = GasLimits(
        # A call holds back a 64th of its gas, and what the entry point does itself is in the limit as well.
        used["calls"] * 3 // 2 + 10_000,
        used["validation"] * 6 // 5 + (30_000 if operation.paymaster else _PREFUND_GAS),
        limits_for((), operation.call_data).pre_verification_gas,
    )
    return limits, bundled


def _deposit(executor: Executor, project: Project, chain_id: int, paymaster: str, entry_point: str) -> None:
    """Move the deposit of a paymaster without code to an entry point that has some."""
    held = ledger.write(project, ledger.paymaster_account(project, chain_id, paymaster)).balance
    executor.natives.paymasters.add(paymaster.lower())
    if held:
        data = encode_call(_DEPOSIT_TO, [paymaster])
        finish(executor.call(paymaster, entry_point, held, data, _BUNDLE_GAS))


def _gas_of_bundle(operation: UserOperation) -> int:
    # Entry point 0.6 takes the verification limit thrice where there is a paymaster.
    limits = operation.call_gas_limit + 3 * operation.verification_gas_limit + operation.pre_verification_gas
    limits += operation.paymaster_verification_gas_limit + operation.paymaster_post_op_gas_limit
    return _BUNDLE_GAS + limits * 64 // 63


def _failed(
    project: Project, chain_id: int, executed: Executed, operation: UserOperation
) -> TransactionError:
    """Why the entry point has refused an operation, by its code (ERC-4337)."""
    output = executed.output
    text: object = None
    inner: object = b""
    if executed.halted is not None:
        return TransactionError(executed.halted)
    # What is encoded wrong is shown as it is.
    with suppress(AbiError):
        if output[:4] == _FAILED_OP_WITH_REVERT.selector:
            _, text, inner = decode_call(_FAILED_OP_WITH_REVERT, output)
        elif output[:4] == _FAILED_OP.selector:
            _, text = decode_call(_FAILED_OP, output)
    if not isinstance(text, str) or not isinstance(inner, bytes):
        why = explain_revert(project, chain_id, output, [operation.sender])
        return TransactionError(why or f"the entry point reverts with 0x{output[:_MOST_SHOWN].hex()}")
    code, why = text[:4], explain_revert(project, chain_id, inner, [operation.sender])
    # The messages of the project have a colon behind the code.
    reason = f"{code}: {text[5:]}" + (f": {why}" if why else "")
    known = EXPLANATIONS.get(code)
    return TransactionError(
        reason, "FailedOp", cause=known and known.cause, solution=known and known.solution
    )


def _read_events(executed: Executed, entry_point: str) -> Bundled:
    """What the events of the entry point say of its only operation."""
    told = {log.topics[0]: log for log in executed.logs if log.address == entry_point and log.topics}
    event, why = (told.get("0x" + event_topic(each).hex()) for each in (EVENT, REVERT_REASON))
    try:
        _, success, cost, used = _decode(event, "uint256", "bool", "uint256", "uint256")
        # There is no event for revert data that is empty.
        reason = b"" if why is None else _decode(why, "uint256", "bytes")[1]
    except AbiError:
        missing = "the code of the entry point has emitted no UserOperationEvent"
        raise Failure(TransactionError(missing)) from None
    return Bundled(executed, cost, used, None if success else reason)


def _decode(event: Log | None, *types: str) -> tuple[Any, ...]:
    return decode_values(types, bytes.fromhex(event.data[2:]) if event else b"")
