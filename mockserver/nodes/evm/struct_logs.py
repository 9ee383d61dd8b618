"""Struct logs: every instruction that is executed, as geth's default tracer shows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.values import to_json
from mockserver.chain.evm.frames import OUT_OF_GAS, STACK_OVERFLOW, STACK_UNDERFLOW, ExceptionalHalt, Revert
from mockserver.chain.evm.instructions import Instruction
from mockserver.chain.evm.interpreter import WatchedFrame
from mockserver.errors import RpcError
from mockserver.nodes.values import to_hex, to_word

_MOST_BYTES = 16 * 2**20
"""How large the logs of one answer may be as JSON."""


class StructLogOptions(TypedDict, total=False):
    """What is in struct logs. `limit` is how many there are at most; 0 is no limit."""

    enableMemory: bool
    disableStack: bool
    disableStorage: bool
    enableReturnData: bool
    limit: Annotated[int, Field(ge=0)]


class StructLogs:
    """Watches an execution, and has its struct logs. RpcError, where it is executed, for too many."""

    def __init__(self, options: StructLogOptions) -> None:
        self.logs: list[dict[str, Any]] = []
        self.output = b""
        """What the outermost call has returned, or the data of its revert."""
        self._options = options
        self._bytes = 0
        self._slots: dict[bytes, dict[str, str]] = {}
        """The storage that each address has looked at or changed."""

    @contextmanager
    def __call__(self, frame: WatchedFrame, instruction: Instruction) -> Iterator[None]:
        """Log an instruction: what it finds when it begins, and what it has cost when it ends."""
        limit, is_outermost = self._options.get("limit", 0), not frame.call.depth
        # An address without code executes nothing.
        is_logged = bool(frame.call.code) and not (limit and len(self.logs) >= limit)
        log = self._begin(frame, instruction.name) if is_logged else {}
        # The operands of RETURN, which are taken off the stack.
        operands = frame.stack[:-3:-1]
        try:
            yield
            if is_outermost and instruction.name == "RETURN":
                start, size = operands
                self.output = bytes(frame.memory[start : start + size])
        except IndexError:
            log["error"] = STACK_UNDERFLOW
            raise
        except Revert as revert:
            self.output = revert.data if is_outermost else self.output
            raise
        except ExceptionalHalt as halt:
            # Other errors come of executing an instruction, and geth has logged it by then.
            if str(halt) in (OUT_OF_GAS, STACK_OVERFLOW):
                log["error"] = str(halt)
            raise
        finally:
            log["gasCost"] = instruction.gas + frame.charged
            if frame.state.refunds:
                log["refund"] = frame.state.refunds

    def _begin(self, frame: WatchedFrame, name: str) -> dict[str, Any]:
        options, byte = self._options, frame.code[frame.pc]
        is_undefined = name == "INVALID" and byte != 0xFE
        log: dict[str, Any] = {
            "pc": frame.pc,
            "op": f"opcode {byte:#x} not defined" if is_undefined else name,
            "gas": frame.gas,
            "gasCost": 0,
            "depth": frame.call.depth + 1,
        }
        if not options.get("disableStack"):
            log["stack"] = [hex(word) for word in frame.stack]
        if options.get("enableMemory") and frame.memory:
            starts = range(0, len(frame.memory), 32)
            log["memory"] = [to_hex(bytes(frame.memory[start : start + 32])) for start in starts]
        if options.get("enableReturnData") and frame.returned:
            log["returnData"] = to_hex(frame.returned)
        if name in ("SLOAD", "SSTORE") and not options.get("disableStorage"):
            log["storage"] = self._storage(frame, name)
        self._bytes += len(to_json(log))
        if self._bytes > _MOST_BYTES:
            reason = f"the trace is too large after {len(self.logs)} struct logs: set limit, or disableStack"
            raise RpcError(errors.RPC_TOO_MUCH, reason=reason)
        self.logs.append(log)
        return log

    def _storage(self, frame: WatchedFrame, name: str) -> dict[str, str]:
        """The storage that an address has looked at or changed so far, with what it does to it now."""
        here, stack = frame.call.address, frame.stack
        slots = self._slots.setdefault(here, {})
        if len(stack) >= (1 if name == "SLOAD" else 2):
            value = frame.state.load(here, stack[-1]) if name == "SLOAD" else stack[-2]
            slots[to_word(stack[-1])] = to_word(value)
        return dict(slots)
