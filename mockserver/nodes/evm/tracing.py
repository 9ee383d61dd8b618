"""Traces of calls, and whole blocks that are simulated."""

from collections.abc import Sequence
from typing import Annotated, Any, Required

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.waiting import in_slices
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.domain.chains.execution import REVERTED, Executed
from mockserver.domain.transactions.repeating import Unrepeatable, repeat
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.errors import RpcError
from mockserver.kernel.effort import finish
from mockserver.nodes.doors import NODE
from mockserver.nodes.evm.blocks import rows_in, show_block
from mockserver.nodes.evm.chain import Chain, ask_chain
from mockserver.nodes.evm.simulation import (
    BlockOverride,
    StateOverride,
    execute,
    gas_cap,
    open_session,
    override,
    revert_message,
    simulate,
)
from mockserver.nodes.evm.struct_logs import StructLogOptions, StructLogs
from mockserver.nodes.methods import Methods
from mockserver.nodes.values import Block, Hash, TransactionObject, to_hex
from mockserver.state.chains import TracedCall
from mockserver.state.onchain import Transaction

methods = Methods("JSON-RPC", ask_chain, NODE)

_REVERTED = (errors.RPC_REVERTED,)
_TRACE_ERRORS = (*_REVERTED, errors.RPC_NOT_SUPPORTED, errors.RPC_TOO_MUCH)
_MOST_SIMULATED = 256
"""The most blocks that are simulated at once, as geth has it."""


class Simulated(TypedDict, total=False):
    """A block to simulate."""

    blockOverrides: BlockOverride
    stateOverrides: StateOverride
    calls: Annotated[list[TransactionObject], Field(max_length=1000)]


class Simulation(TypedDict, total=False):
    """Blocks to simulate, each on the one before."""

    blockStateCalls: Required[Annotated[list[Simulated], Field(min_length=1, max_length=_MOST_SIMULATED)]]
    traceTransfers: bool
    validation: bool
    returnFullTransactions: bool


class TracerConfig(TypedDict, total=False):
    """How much is traced."""

    onlyTopCall: bool


class TraceOptions(StructLogOptions, total=False):
    """How something is traced."""

    tracer: str
    tracerConfig: TracerConfig
    stateOverrides: StateOverride
    blockOverrides: BlockOverride


@methods.method("debug_traceCall", errors=_TRACE_ERRORS)
def trace_call(
    chain: Chain,
    transaction: TransactionObject,
    block: Block = "latest",
    options: TraceOptions = {},  # noqa: B006
) -> Any:
    """Execute a call, and retrieve the calls that it makes, or its instructions."""
    chain.require_state(block)
    struct_logs = _struct_logs_for(options)
    overrides, block_overrides = options.get("stateOverrides", {}), options.get("blockOverrides", {})
    gas = gas_cap(chain, transaction)
    work = simulate(chain, transaction, gas, overrides, block_overrides, struct_logs)

    def show(executed: Executed) -> dict[str, Any]:
        if struct_logs is None:
            return _show_trace(chain, executed.trace, options)
        return _show_struct_logs(struct_logs, executed.gas_used, is_failed=executed.error is not None)

    return in_slices(work, show)


@methods.method("debug_traceTransaction", errors=_TRACE_ERRORS)
def trace_transaction(chain: Chain, hash: Hash, options: TraceOptions = {}) -> Any:  # noqa: B006
    """Retrieve the calls that a transaction has made, or the instructions that it has executed."""
    row = chain.find(hash)
    if row is None or row.receipt is None:
        raise RpcError(errors.RPC_NOT_FOUND, reason="transaction not found")
    return _trace_row(chain, row, options)


@methods.method("debug_traceBlockByNumber", "debug_traceBlockByHash", errors=_TRACE_ERRORS)
def trace_block(chain: Chain, block: Block, options: TraceOptions = {}) -> list[dict[str, Any]]:  # noqa: B006
    """Retrieve the calls that the transactions of a block have made, or their instructions."""
    rows = rows_in(chain, chain.number_of(block))
    return [
        {"txHash": row.included.transaction_hash, "result": _trace_row(chain, row, options)}
        for row in rows
        if row.included
    ]


def _trace_row(chain: Chain, row: Transaction, options: TraceOptions) -> dict[str, Any]:
    assert row.receipt is not None
    struct_logs = _struct_logs_for(options)
    if struct_logs is not None:
        return _trace_again(chain, row, struct_logs)
    if row.receipt.trace:
        return _show_trace(chain, row.receipt.trace, options)
    call, error = row.calls[0], row.receipt.error
    sender = row.execution.sender if row.execution else ZERO_ADDRESS
    used = row.receipt.gas_used or 0
    only = TracedCall(
        0, "CALL", sender, call.to, call.value, call.data, b"", used, error and error.reason, used
    )
    return _show_trace(chain, (only,), options)


@methods.method("eth_simulateV1", errors=_REVERTED)
def simulate_blocks(chain: Chain, simulation: Simulation, block: Block = "latest") -> Any:
    """Execute calls in blocks that are not added to the chain."""
    chain.require_state(block)
    return _simulate_blocks(chain, simulation)


# --- simulated blocks ------------------------------------------------------------------------------------


def _simulate_blocks(chain: Chain, simulation: Simulation) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    savepoint = chain.project.undo.savepoint()
    number, time = chain.latest, chain.latest * ledger.BLOCK_TIME_MS // 1000
    try:
        for simulated in simulation["blockStateCalls"]:
            block = simulated.get("blockOverrides", {})
            number, before = block.get("number", number + 1), number
            time = block.get("time", time + ledger.BLOCK_TIME_MS // 1000)
            if number <= before:
                raise RpcError(errors.RPC_INVALID_PARAMS, summary="block numbers must be in order")
            override(chain, simulated.get("stateOverrides", {}))
            here: Any = {**block, "number": number, "time": time}
            calls = [
                _simulate_one(chain, transaction, here, place)
                for place, transaction in enumerate(simulated.get("calls", []))
            ]
            used = sum(int(each["gasUsed"], 16) for each in calls)
            head = show_block(chain, chain.latest)
            head |= {"number": hex(number), "timestamp": hex(time), "gasUsed": hex(used), "transactions": []}
            shown.append({**head, "calls": calls})
    finally:
        chain.project.undo.roll_back_to(savepoint)
    return shown


def _simulate_one(
    chain: Chain, transaction: TransactionObject, block: BlockOverride, place: int
) -> dict[str, Any]:
    project = chain.project
    # Nothing may come in between: the calls before have changed rows.
    session = open_session(chain, transaction, block)
    executed = finish(execute(chain, session, transaction, gas_cap(chain, transaction), {}))
    sender = ledger.chain_account(project, chain.id, transaction.get("from", ZERO_ADDRESS))
    ledger.write(project, sender._replace(nonce=sender.nonce + 1))
    shown: dict[str, Any] = {
        "status": "0x1" if executed.error is None else "0x0",
        "returnData": to_hex(executed.output),
        "gasUsed": hex(executed.gas_used),
        "maxUsedGas": hex(executed.gas_used + executed.refunded),
        "logs": [
            {
                "address": log.address.lower(),
                "topics": list(log.topics),
                "data": log.data,
                "blockNumber": hex(block["number"]),
                "blockHash": chain.hash_of(block["number"]),
                "transactionHash": to_hex(keccak256(f"{chain.id}/{block['number']}/{place}".encode())),
                "transactionIndex": hex(place),
                "logIndex": hex(index),
                "removed": False,
            }
            for index, log in enumerate(executed.logs)
        ],
    }
    if executed.error is not None:
        is_revert = executed.error == REVERTED
        message = revert_message(chain, executed.output, [transaction.get("to") or ZERO_ADDRESS])
        shown["error"] = {
            "code": 3 if is_revert else -32015,
            "message": message if is_revert else executed.error,
            "data": to_hex(executed.output),
        }
    return shown


# --- traces ----------------------------------------------------------------------------------------------


def _struct_logs_for(options: TraceOptions) -> StructLogs | None:
    """What collects struct logs, which are what is traced without a tracer; None for the call tracer."""
    tracer = options.get("tracer")
    if not tracer:
        return StructLogs(options)
    if tracer != "callTracer":
        reason = f"the tracer {tracer!r} is not supported: set tracer to callTracer, or leave it out"
        raise RpcError(errors.RPC_NOT_SUPPORTED, reason=reason)
    return None


def _trace_again(chain: Chain, row: Transaction, struct_logs: StructLogs) -> dict[str, Any]:
    """The struct logs of a transaction, which is executed again for them."""
    receipt = row.receipt
    assert receipt is not None
    try:
        repeat(chain.project, row, struct_logs)
    except Unrepeatable as error:
        raise RpcError(errors.RPC_SERVER_ERROR, reason=f"no struct logs: {error}") from None
    return _show_struct_logs(struct_logs, receipt.gas_used or 0, is_failed=receipt.error is not None)


def _show_struct_logs(struct_logs: StructLogs, gas_used: int, *, is_failed: bool) -> dict[str, Any]:
    return {
        "gas": gas_used,
        "failed": is_failed,
        "returnValue": to_hex(struct_logs.output),
        "structLogs": struct_logs.logs,
    }


def _show_trace(chain: Chain, trace: Sequence[TracedCall], options: TraceOptions) -> dict[str, Any]:
    """Calls as geth's callTracer shows them: each with those that it made."""
    shown: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for call in trace[:1] if options.get("tracerConfig", {}).get("onlyTopCall") else trace:
        frame: dict[str, Any] = {
            "type": call.kind,
            "from": call.sender.lower(),
            "to": call.to.lower(),
            "gas": hex(call.gas),
            "gasUsed": hex(call.gas_used),
            "input": to_hex(call.input),
        }
        if call.kind not in ("STATICCALL", "DELEGATECALL"):
            frame["value"] = hex(call.value)
        if call.output:
            frame["output"] = to_hex(call.output)
        if call.error is not None:
            frame["error"] = call.error
            why = explain_revert(chain.project, chain.id, call.output, [call.to])
            if why:
                frame["revertReason"] = why
        del path[call.depth :]
        (path[-1].setdefault("calls", []) if path else shown).append(frame)
        path.append(frame)
    return shown[0]
