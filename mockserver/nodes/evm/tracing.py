"""Traces of calls and of transactions."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains.entry_points import BUNDLER
from mockserver.domain.chains.execution import REVERTED
from mockserver.domain.transactions.repeating import Repeated, Unrepeatable, repeat
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.errors import RpcError
from mockserver.kernel.effort import Work
from mockserver.nodes.endpoints import refused
from mockserver.nodes.evm.blocks import bundle_of, rows_in, used_by
from mockserver.nodes.evm.calls import BlockOverride, StateOverride, gas_cap, simulate
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.struct_logs import StructLogOptions, StructLogs
from mockserver.nodes.values import Block, Hash, TransactionObject, to_hex
from mockserver.state.chains import RawExecution, TracedCall, UserOperationExecution
from mockserver.state.onchain import Transaction

methods = NodeMethods()

_REVERTED = (errors.RPC_REVERTED,)
_TRACE_ERRORS = (*_REVERTED, errors.RPC_NOT_SUPPORTED, errors.RPC_TOO_MUCH)


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
    chain: Chain, transaction: TransactionObject, block: Block = "latest", options: TraceOptions = {}
) -> Work[dict[str, Any]]:
    """Execute a call, and retrieve the calls that it makes, or its instructions."""
    chain = chain.at(block)
    struct_logs = _struct_logs_for(options)
    overrides, block_overrides = options.get("stateOverrides", {}), options.get("blockOverrides", {})
    gas = gas_cap(chain, transaction)
    _, executed = yield from simulate(chain, transaction, gas, overrides, block_overrides, struct_logs)
    if not executed.trace:
        raise refused(executed.error or "")
    if struct_logs is not None:
        return _show_struct_logs(struct_logs, executed.gas_used, is_failed=executed.error is not None)
    return _show_trace(chain, executed.trace, options, executed.gas_used)


@methods.method("debug_traceTransaction", errors=_TRACE_ERRORS)
def trace_transaction(chain: Chain, hash: Hash, options: TraceOptions = {}) -> Work[dict[str, Any]]:
    """Retrieve the calls that a transaction has made, or the instructions that it has executed."""
    row = chain.find(hash)
    if row is None or row.receipt is None:
        raise RpcError(errors.RPC_NOT_FOUND, reason="transaction not found")
    return (yield from _trace_row(chain, row, options))[0]


@methods.method("debug_traceBlockByNumber", "debug_traceBlockByHash", errors=_TRACE_ERRORS)
def trace_block(chain: Chain, block: Block, options: TraceOptions = {}) -> Work[list[dict[str, Any]]]:
    """Retrieve the calls that the transactions of a block have made, or their instructions."""
    shown, repeated = [], None
    for row in rows_in(chain, chain.number_of(block)):
        assert row.included is not None
        traced, repeated = yield from _trace_row(chain, row, options, repeated)
        shown.append({"txHash": row.included.transaction_hash, "result": traced})
    return shown


@methods.method("trace_transaction")
def list_calls(chain: Chain, hash: Hash) -> list[dict[str, Any]]:
    """List the calls that a transaction has made, as OpenEthereum has them: each with where it belongs."""
    row = chain.find(hash)
    return [] if row is None or row.receipt is None else _list_calls(row)


@methods.method("trace_block")
def list_calls_in(chain: Chain, block: Block) -> list[dict[str, Any]]:
    """List the calls that the transactions of a block have made, as OpenEthereum has them."""
    return [call for row in rows_in(chain, chain.number_of(block)) for call in _list_calls(row)]


def _list_calls(row: Transaction) -> list[dict[str, Any]]:
    assert row.included is not None
    place, shown, path = row.included.place, [], list[dict[str, Any]]()
    where = {"blockHash": place.block_hash, "blockNumber": place.block_number}
    where |= {
        "transactionHash": row.included.transaction_hash,
        "transactionPosition": place.transaction_index,
    }
    for call in _calls_of(row):
        del path[call.depth :]
        within = [*path[-1]["traceAddress"], path[-1]["subtraces"]] if path else []
        if path:
            path[-1]["subtraces"] += 1
        path.append({**_show_call(call), "subtraces": 0, "traceAddress": within, **where})
        shown.append(path[-1])
    return shown


def _trace_row(
    chain: Chain, row: Transaction, options: TraceOptions, before: Repeated | None = None
) -> Work[tuple[dict[str, Any], Repeated | None]]:
    """The trace of a transaction; and where it was executed again for that, what the next one takes."""
    assert row.receipt is not None
    struct_logs, used = _struct_logs_for(options), used_by(row)
    if struct_logs is not None:
        try:
            repeated = yield from repeat(chain.project, row, struct_logs, before)
        except Unrepeatable as why:
            raise refused(f"no struct logs: {why}") from None
        failed = row.receipt.error is not None
        return _show_struct_logs(struct_logs, used, is_failed=failed), repeated
    return _show_trace(chain, _calls_of(row), options, used), None


def _calls_of(row: Transaction) -> Sequence[TracedCall]:
    """The calls of a transaction: of a bundle, those of the account inside that of the entry point."""
    assert row.receipt is not None
    execution, made = row.execution, row.receipt.trace
    if made and (isinstance(execution, RawExecution) or made[0].sender.lower() == BUNDLER):
        return made
    if not isinstance(execution, UserOperationExecution):
        return tuple(_join(row, deque(made), used_by(row)))
    bundle, entry_point = bundle_of(execution, row.chain_id), ENTRY_POINTS[execution.entry_point_version]
    first = TracedCall(0, "CALL", BUNDLER, entry_point, 0, bundle.data, b"", 0, gas=bundle.gas)
    return first, *(each._replace(depth=each.depth + 1) for each in _join(row, deque(made), 0))


def _join(row: Transaction, executed: deque[TracedCall], gas: int) -> Iterator[TracedCall]:
    """The calls of a transaction in order, up to the one that failed; each without code used this gas."""
    assert row.receipt is not None
    error, sender = row.receipt.error, row.execution.sender if row.execution else ZERO_ADDRESS
    for call in row.calls:
        if executed and executed[0].to.lower() == call.to.lower() and call.data.startswith(executed[0].input):
            failed = executed[0].error
            yield executed.popleft()
            while executed and executed[0].depth:
                yield executed.popleft()
        else:
            is_last = not executed and call is row.calls[-1]
            failed = error.reason if error and is_last else None
            yield TracedCall(0, "CALL", sender, call.to, call.value, call.data, b"", gas, failed, gas)
        if failed is not None:
            return


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


def _show_struct_logs(struct_logs: StructLogs, gas_used: int, *, is_failed: bool) -> dict[str, Any]:
    return {
        "gas": gas_used,
        "failed": is_failed,
        "returnValue": to_hex(struct_logs.output),
        "structLogs": struct_logs.logs,
    }


def _show_trace(
    chain: Chain, trace: Sequence[TracedCall], options: TraceOptions, gas_used: int
) -> dict[str, Any]:
    """Calls as geth's callTracer shows them: each with those that it made, the first with all of the gas."""
    shown: list[dict[str, Any]] = []
    path: list[dict[str, Any]] = []
    for call in trace[:1] if options.get("tracerConfig", {}).get("onlyTopCall") else trace:
        frame: dict[str, Any] = {
            "type": call.kind,
            "from": call.sender.lower(),
            # A contract that was not created is nowhere.
            **({} if call.error and call.kind.startswith("CREATE") else {"to": call.to.lower()}),
            "gas": hex(call.gas),
            "gasUsed": hex(call.gas_used),
            "input": to_hex(call.input),
        }
        if call.kind != "STATICCALL":
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
    return {**shown[0], "gasUsed": hex(gas_used)}


def _show_call(call: TracedCall) -> dict[str, Any]:
    kind, is_new, to = call.kind.lower(), call.kind.startswith("CREATE"), call.to.lower()
    data, output = to_hex(call.input), to_hex(call.output)
    action = {"init": data, "creationMethod": kind} if is_new else {"input": data, "callType": kind, "to": to}
    action |= {"from": call.sender.lower(), "gas": hex(call.gas), "value": hex(call.value)}
    result = {"code": output, "address": to} if is_new else {"output": output}
    shown = {"type": "create" if is_new else "call", "action": action}
    if call.error and call.error != REVERTED:
        return {**shown, "error": call.error, "result": None}
    result |= {"gasUsed": hex(call.gas_used)}
    return {**shown, "result": result, **({"error": "Reverted"} if call.error else {})}
