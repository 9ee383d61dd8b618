"""The machine: makes a call and all calls that it makes, one frame on the other."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

from mockserver.chain.evm.frames import (
    COLLISION,
    OUT_OF_GAS,
    REVERTED,
    STACK_LIMIT,
    STACK_OVERFLOW,
    STACK_UNDERFLOW,
    Call,
    ExceptionalHalt,
    Frame,
    Revert,
    Signal,
    Step,
)
from mockserver.chain.evm.instructions import Instruction, instructions_of
from mockserver.chain.evm.precompiles import precompile_at
from mockserver.chain.evm.state import NATIVE_CODE, Environment, State

MAX_CODE_SIZE = 24_576
_STEPS_IN_A_SLICE = 10_000
_WATCHED_STEPS_IN_A_SLICE = 500
"""As long, some milliseconds, if each step is written down."""
_MOST_TRACED = 999
"""How many calls are kept in the trace of one, which bounds its memory."""


@dataclass(slots=True)
class CallTrace:
    """A call that was made, with what came of it and the calls that it made."""

    call: Call
    calls: "list[CallTrace]" = field(default_factory=list)
    output: bytes = b""
    """What it returned, or the data of its revert; of a creation the code."""
    error: str | None = None
    """Why it was undone, in geth's words."""
    gas_left: int = 0
    stopped_at: int | None = None
    """The instruction that undid it, by its place in the code."""

    @property
    def gas_used(self) -> int:
        """The gas it used, calls it made included, before refunds."""
        return self.call.gas - self.gas_left


Execution: TypeAlias = Generator[None, None, CallTrace]
"""An execution, which pauses between slices of some milliseconds."""


class WatchedFrame(Frame):
    """A frame that counts what an instruction charges beyond its constant gas."""

    __slots__ = ("charged",)

    def __init__(self, call: Call, state: State, environment: Environment) -> None:
        super().__init__(call, state, environment)
        self.charged = 0

    def charge(self, gas: int) -> None:
        """Use gas; ExceptionalHalt if there is less."""
        self.charged += gas
        super().charge(gas)


Watch: TypeAlias = Callable[[WatchedFrame, Instruction], AbstractContextManager[object]]
"""Is told of each instruction: what it returns is entered before the instruction, and left after it."""


Amend: TypeAlias = Callable[[CallTrace], None]
"""May change what came of a call, its output or its error, before its caller sees it."""


def execute(
    state: State, environment: Environment, call: Call, watch: Watch | None = None, amend: Amend | None = None
) -> Execution:
    """Make a call and all that follows from it. Changes are in `state`, undone if it has an `error`.

    Unsupported if the execution needs what is not here.
    """
    instructions = instructions_of(environment.fork)
    slice_steps = range(_STEPS_IN_A_SLICE if watch is None else _WATCHED_STEPS_IN_A_SLICE)
    ticks, room = iter(slice_steps), iter(range(_MOST_TRACED))
    traces, frames = [CallTrace(call)], [_enter(state, environment, call, watch)]
    while True:
        trace, frame = traces[-1], frames[-1]
        try:
            signal = _step(frame, instructions, ticks, watch)
            if signal is None:
                yield
                ticks = iter(slice_steps)
                continue
            if isinstance(signal, Call):
                gas_left = 0 if signal.refusal == COLLISION else signal.gas
                made = CallTrace(signal, error=signal.refusal, gas_left=gas_left)
                trace.calls += [made for _ in islice(room, 1)]
                if signal.refusal:
                    _resume(frame, made)
                else:
                    traces.append(made)
                    frames.append(_enter(state, environment, signal, watch))
                continue
            output = signal if isinstance(signal, bytes) else (yield from signal)
            trace.output = _deposit(frame, output) if frame.call.is_creation else output
        except Revert as revert:
            trace.output, trace.error, trace.stopped_at = revert.data, REVERTED, frame.pc - 1
        except ExceptionalHalt as halt:
            trace.error, trace.stopped_at, frame.gas = str(halt), frame.pc - 1, 0
        trace.gas_left = frame.gas
        if frame.destruction is not None:
            trace.calls += [CallTrace(frame.destruction) for _ in islice(room, 1)]
        if amend is not None:
            amend(trace)
        if trace.error is not None:
            while state.savepoint() > frame.savepoint + _STEPS_IN_A_SLICE:
                state.roll_back_to(state.savepoint() - _STEPS_IN_A_SLICE)
                yield
            state.roll_back_to(frame.savepoint)
        traces.pop()
        frames.pop()
        if not frames:
            return trace
        _resume(frames[-1], trace)


def _enter(state: State, environment: Environment, call: Call, watch: Watch | None) -> Frame:
    """Begin a call: its changes start with what it moves."""
    frame = (Frame if watch is None else WatchedFrame)(call, state, environment)
    if call.is_creation:
        state.create(call.address)
    if call.kind in ("CALL", "CREATE", "CREATE2"):
        state.move(call.caller, call.address, call.value)
    return frame


def _step(
    frame: Frame, instructions: tuple[Instruction, ...], ticks: Iterator[int], watch: Watch | None
) -> Signal:
    call = frame.call
    if call.code_address is not None:
        is_native, block = call.code == NATIVE_CODE, frame.environment
        found: Step | None = frame.state.native(call.code_address) if is_native else None
        if not (is_native or call.is_delegated):
            found = precompile_at(block.moved.get(call.code_address, call.code_address), block.fork)
        if found is not None:
            gas = frame.gas
            try:
                return found(frame)
            finally:
                # So many instructions take about as long.
                steps = (gas - frame.gas) // 10 if is_native else 500 + 3 * (gas - frame.gas)
                next(islice(ticks, min(steps, _STEPS_IN_A_SLICE), None), None)
    try:
        if isinstance(frame, WatchedFrame) and watch is not None:
            return _run_watched(frame, instructions, ticks, watch)
        return _run(frame, instructions, ticks)
    except IndexError:
        raise ExceptionalHalt(STACK_UNDERFLOW) from None


def _run(frame: Frame, instructions: tuple[Instruction, ...], ticks: Iterator[int]) -> Signal:
    """Execute instructions until one makes a call or ends; None when the slice is over."""
    code, stack = frame.code, frame.stack
    for _ in ticks:
        step, gas, _ = instructions[code[frame.pc]]
        frame.pc += 1
        frame.gas -= gas
        if frame.gas < 0:
            raise ExceptionalHalt(OUT_OF_GAS)
        signal = step(frame)
        if signal is not None:
            return signal
        if len(stack) > STACK_LIMIT:
            raise ExceptionalHalt(STACK_OVERFLOW)
    return None


def _run_watched(
    frame: WatchedFrame, instructions: tuple[Instruction, ...], ticks: Iterator[int], watch: Watch
) -> Signal:
    """Execute instructions as `_run` does, one by one."""
    for tick in ticks:
        frame.charged = 0
        with watch(frame, instructions[frame.code[frame.pc]]):
            signal = _run(frame, instructions, iter((tick,)))
        if signal is not None:
            return signal
    return None


def _deposit(frame: Frame, code: bytes) -> bytes:
    """Store the code that a creation has returned (EIP-170, EIP-3541)."""
    if code.startswith(b"\xef"):
        raise ExceptionalHalt("invalid code: must not begin with 0xef")
    if len(code) > MAX_CODE_SIZE:
        raise ExceptionalHalt("max code size exceeded")
    frame.charge(200 * len(code))
    state, address = frame.state, frame.call.address
    state.put(address, state.account(address)._replace(code=code))
    return code


def _resume(frame: Frame, made: CallTrace) -> None:
    """Go on after a call: its rest of gas, its output, and whether it went well."""
    frame.gas += made.gas_left
    call = made.call
    if call.is_creation:
        frame.returned = b"" if made.error is None else made.output
        frame.stack.append(0 if made.error else int.from_bytes(call.address, "big"))
        return
    frame.returned = made.output
    frame.stack.append(0 if made.error else 1)
    frame.write(call.output_start, made.output[: call.output_size])
