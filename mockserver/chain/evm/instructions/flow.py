"""Stack, memory, storage, flow and logs (Yellow Paper, appendix H, 50s to a0s)."""

from mockserver.chain.evm.frames import (
    INVALID_JUMP,
    OUT_OF_GAS,
    STIPEND,
    ExceptionalHalt,
    Frame,
    Revert,
    Step,
    words_of,
)
from mockserver.chain.evm.state import Log


def push(size: int) -> Step:
    """PUSH0 to PUSH32: what stands behind the instruction."""

    def push_bytes(frame: Frame) -> None:
        start = frame.pc
        frame.pc = end = start + size
        frame.stack.append(int.from_bytes(frame.code[start:end], "big"))

    return push_bytes


def dup(position: int) -> Step:
    """DUP1 to DUP16."""

    def duplicate(frame: Frame) -> None:
        frame.stack.append(frame.stack[-position])

    return duplicate


def swap(position: int) -> Step:
    """SWAP1 to SWAP16."""
    deep = -position - 1

    def exchange(frame: Frame) -> None:
        stack = frame.stack
        stack[-1], stack[deep] = stack[deep], stack[-1]

    return exchange


def pop(frame: Frame) -> None:
    frame.stack.pop()


def mload(frame: Frame) -> None:
    stack = frame.stack
    start = stack[-1]
    frame.expand(start, 32)
    stack[-1] = int.from_bytes(frame.memory[start : start + 32], "big")


def mstore(frame: Frame) -> None:
    start, word = frame.stack.pop(), frame.stack.pop()
    frame.expand(start, 32)
    frame.memory[start : start + 32] = word.to_bytes(32, "big")


def mstore8(frame: Frame) -> None:
    start, word = frame.stack.pop(), frame.stack.pop()
    frame.expand(start, 1)
    frame.memory[start] = word & 0xFF


def mcopy(frame: Frame) -> None:
    """EIP-5656: the ranges may overlap."""
    target, source, size = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    frame.charge(3 * words_of(size))
    frame.expand(max(target, source), size)
    frame.write(target, frame.read(source, size))


def sload(frame: Frame) -> None:
    stack, here = frame.stack, frame.call.address
    slot = stack[-1]
    frame.charge(100 if frame.state.warm((here, slot)) else 2100)
    stack[-1] = frame.state.load(here, slot)


def sstore(frame: Frame) -> None:
    slot, value = frame.stack.pop(), frame.stack.pop()
    state, here = frame.state, frame.call.address
    frame.require_mutable()
    # What a call with a stipend has must not be enough (EIP-2200).
    if frame.gas <= STIPEND:
        raise ExceptionalHalt(OUT_OF_GAS)
    cold = 0 if state.warm((here, slot)) else 2100
    original, current = state.original(here, slot), state.load(here, slot)
    frame.charge(cold + _storing_gas(original, current, value))
    if value != current:
        state.refund(_storing_refund(original, current, value))
        state.store(here, slot, value)


def _storing_gas(original: int, current: int, value: int) -> int:
    """EIP-2200 with the prices of EIP-2929: 100 for what was changed before in this transaction."""
    if value == current or original != current:
        return 100
    return 2900 if original else 20_000


def _storing_refund(original: int, current: int, value: int) -> int:
    """EIP-3529: for slots that are cleared, and for those that are again as they were."""
    refund = 0
    if original:
        refund = 4800 * ((value == 0) - (current == 0))
    if value == original:
        refund += 2800 if original else 19_900
    return refund


def tload(frame: Frame) -> None:
    frame.stack[-1] = frame.state.load_transient(frame.call.address, frame.stack[-1])


def tstore(frame: Frame) -> None:
    slot, value = frame.stack.pop(), frame.stack.pop()
    frame.require_mutable()
    frame.state.store_transient(frame.call.address, slot, value)


def jump(frame: Frame) -> None:
    target = frame.stack.pop()
    if target not in frame.jump_destinations:
        raise ExceptionalHalt(INVALID_JUMP)
    frame.pc = target


def jumpi(frame: Frame) -> None:
    target, condition = frame.stack.pop(), frame.stack.pop()
    if condition:
        if target not in frame.jump_destinations:
            raise ExceptionalHalt(INVALID_JUMP)
        frame.pc = target


def jumpdest(frame: Frame) -> None:
    """A place to jump to."""


def stop(frame: Frame) -> bytes:
    return b""


def return_(frame: Frame) -> bytes:
    return frame.read(frame.stack.pop(), frame.stack.pop())


def revert(frame: Frame) -> None:
    raise Revert(return_(frame))


def log(count: int) -> Step:
    """LOG0 to LOG4."""

    def emit(frame: Frame) -> None:
        stack = frame.stack
        start, size = stack.pop(), stack.pop()
        topics = tuple(stack.pop() for _ in range(count))
        frame.require_mutable()
        frame.charge(8 * size)
        frame.state.emit(Log(frame.call.address, topics, frame.read(start, size)))

    return emit
