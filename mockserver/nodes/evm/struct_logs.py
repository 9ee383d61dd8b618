"""Struct logs: every instruction that is executed, as geth's default tracer shows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.evm.frames import OUT_OF_GAS, STACK_OVERFLOW, STACK_UNDERFLOW, ExceptionalHalt
from mockserver.chain.evm.instructions import Instruction
from mockserver.chain.evm.interpreter import WatchedFrame
from mockserver.errors import RpcError
from mockserver.nodes.values import to_hex

_MOST_BYTES = 32 * 2**20
"""How large the logs of one answer may be, as JSON and roughly."""
_LOG_BYTES, _WORD_BYTES = 90, 70
"""What a log amounts to without its words, and a word at most."""


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
        """What the first call has returned, or the data of its revert."""
        self._options = options
        self._bytes = 0
        self._slots: dict[bytes, dict[str, str]] = {}
        """The storage that each address has looked at or changed."""

    @contextmanager
    def __call__(self, frame: WatchedFrame, instruction: Instruction) -> Iterator[None]:
        """Log an instruction: what it finds when it begins, and what it has cost when it ends."""
        if instruction.name in ("RETURN", "REVERT") and not frame.call.depth:
            self._read_output(frame)
        limit = self._options.get("limit", 0)
        # An address without code executes nothing.
        if not frame.call.code or (limit and len(self.logs) >= limit):
            yield
            return
        log = self._begin(frame, instruction.name)
        try:
            yield
        except IndexError:
            log["error"] = STACK_UNDERFLOW
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

    def _read_output(self, frame: WatchedFrame) -> None:
        start, size = (*frame.stack[:-3:-1], 0, 0)[:2]
        self.output = bytes(frame.memory[start : start + size]).ljust(min(size, _MOST_BYTES), b"\0")

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
        words = 0
        if not options.get("disableStack"):
            log["stack"] = [hex(word) for word in frame.stack]
            words += len(frame.stack)
        if options.get("enableMemory") and frame.memory:
            starts = range(0, len(frame.memory), 32)
            log["memory"] = [to_hex(bytes(frame.memory[start : start + 32])) for start in starts]
            words += len(starts)
        if options.get("enableReturnData") and frame.returned:
            log["returnData"] = to_hex(frame.returned)
            words += len(frame.returned) // 32
        if name in ("SLOAD", "SSTORE") and not options.get("disableStorage"):
            log["storage"] = self._storage(frame, name)
            words += 2 * len(log["storage"])
        self._bytes += _LOG_BYTES + words * _WORD_BYTES
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
            slots[_word(stack[-1])] = _word(value)
        return dict(slots)


def _word(value: int) -> str:
    return f"0x{value:064x}"
