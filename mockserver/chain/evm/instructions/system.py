"""Instructions that call other accounts, create contracts and destroy them (appendix H, f0s)."""

from typing import TypeAlias

from mockserver.chain.addresses import address_bytes, create2_address, create_address
from mockserver.chain.evm.frames import COLLISION, MAX_DEPTH, STIPEND, Call, ExceptionalHalt, Frame, words_of
from mockserver.chain.evm.instructions.environment import to_address
from mockserver.crypto.keccak import keccak256

MAX_INIT_CODE_SIZE = 49_152
MAX_NONCE = 2**64 - 1
_TOO_DEEP, _TOO_POOR = "max call depth exceeded", "insufficient balance for transfer"
_Ranges: TypeAlias = tuple[int, int, int, int]


def create(frame: Frame) -> Call:
    value, start, size = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    init_code = _read_init_code(frame, start, size)
    here = frame.call.address
    address = create_address("0x" + here.hex(), frame.state.account(here).nonce)
    return _create(frame, "CREATE", value, init_code, address_bytes(address))


def create2(frame: Frame) -> Call:
    value, start, size = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    salt = frame.stack.pop().to_bytes(32, "big")
    frame.charge(6 * words_of(size))
    init_code = _read_init_code(frame, start, size)
    address = create2_address("0x" + frame.call.address.hex(), salt, keccak256(init_code))
    return _create(frame, "CREATE2", value, init_code, address_bytes(address))


def call(frame: Frame) -> Call:
    gas, there, value, ranges = _read_call(frame, has_value=True)
    if value:
        frame.require_mutable()
    is_new = value and frame.state.account(there).is_empty
    extra = frame.access(there) + (9000 if value else 0) + (25_000 if is_new else 0)
    return _call(frame, Call("CALL", frame.call.address, there, value, b"", gas, b"", there), extra, ranges)


def callcode(frame: Frame) -> Call:
    gas, there, value, ranges = _read_call(frame, has_value=True)
    here = frame.call.address
    extra = frame.access(there) + (9000 if value else 0)
    return _call(frame, Call("CALLCODE", here, here, value, b"", gas, b"", there), extra, ranges)


def delegatecall(frame: Frame) -> Call:
    gas, there, _, ranges = _read_call(frame, has_value=False)
    outer = frame.call
    made = Call("DELEGATECALL", outer.caller, outer.address, outer.value, b"", gas, b"", there)
    return _call(frame, made, frame.access(there), ranges)


def staticcall(frame: Frame) -> Call:
    gas, there, _, ranges = _read_call(frame, has_value=False)
    made = Call("STATICCALL", frame.call.address, there, 0, b"", gas, b"", there, is_static=True)
    return _call(frame, made, frame.access(there), ranges)


def selfdestruct(frame: Frame) -> bytes:
    beneficiary, here = to_address(frame.stack.pop()), frame.call.address
    frame.require_mutable()
    state = frame.state
    value = state.account(here).balance
    is_new = state.account(beneficiary).is_empty and value
    # Unlike elsewhere, a warm address costs nothing (EIP-2929).
    cold = 0 if state.warm(beneficiary) else 2600
    frame.charge(cold + (25_000 if is_new else 0))
    state.destroy(here, beneficiary)
    depth = frame.call.depth + 1
    frame.destruction = Call("SELFDESTRUCT", here, beneficiary, value, b"", 0, b"", beneficiary, depth)
    return b""


def invalid(frame: Frame) -> None:
    """Any byte that is no instruction, and INVALID."""
    raise ExceptionalHalt(f"invalid opcode: 0x{frame.code[frame.pc - 1]:02x}")


def _read_call(frame: Frame, *, has_value: bool) -> tuple[int, bytes, int, _Ranges]:
    """What is on the stack: gas, address, value, and the ranges of input and output."""
    pop = frame.stack.pop
    gas, there, value = pop(), to_address(pop()), pop() if has_value else 0
    return gas, there, value, (pop(), pop(), pop(), pop())


def _call(frame: Frame, made: Call, extra: int, ranges: _Ranges) -> Call:
    """Charge for a call and make it: `extra` and all but a 64th of the rest at most (EIP-150)."""
    input_start, input_size, output_start, output_size = ranges
    # Memory first: both ranges are charged for at once, and what is left limits the gas of the call.
    frame.expand(input_start, input_size)
    frame.expand(output_start, output_size)
    state = frame.state
    target = state.account(made.code_address or b"")
    code, delegate = target.code, target.delegate
    if delegate is not None:
        extra += frame.access(delegate)
        code = state.account(delegate).code
    frame.charge(extra)
    gas = min(made.gas, _all_but_a_64th(frame.gas))
    frame.charge(gas)
    if made.value and made.kind in ("CALL", "CALLCODE"):
        gas += STIPEND
    frame.returned = b""
    refusal = _TOO_DEEP if frame.call.depth >= MAX_DEPTH else None
    if made.kind in ("CALL", "CALLCODE") and state.account(frame.call.address).balance < made.value:
        refusal = refusal or _TOO_POOR
    return made._replace(
        data=frame.read(input_start, input_size),
        gas=gas,
        code=code,
        depth=frame.call.depth + 1,
        is_static=made.is_static or frame.call.is_static,
        is_delegated=delegate is not None,
        output_start=output_start,
        output_size=output_size,
        refusal=refusal,
    )


def _read_init_code(frame: Frame, start: int, size: int) -> bytes:
    frame.require_mutable()
    if size > MAX_INIT_CODE_SIZE:
        raise ExceptionalHalt("max initcode size exceeded")
    frame.charge(2 * words_of(size))
    return frame.read(start, size)


def _create(frame: Frame, kind: str, value: int, init_code: bytes, address: bytes) -> Call:
    state, here = frame.state, frame.call.address
    gas = _all_but_a_64th(frame.gas)
    frame.returned = b""
    creator = state.account(here)
    # Not charged: it is no cost of the instruction, but what the new contract may use.
    frame.gas -= gas
    made = Call(kind, here, address, value, b"", gas, init_code, depth=frame.call.depth + 1)
    if frame.call.depth >= MAX_DEPTH:
        return made._replace(refusal=_TOO_DEEP)
    if creator.balance < value:
        return made._replace(refusal=_TOO_POOR)
    if creator.nonce >= MAX_NONCE:
        return made._replace(refusal="nonce uint64 overflow")
    state.warm(address)
    can_create = state.can_create(address)
    state.use_nonce(here)
    return made if can_create else made._replace(refusal=COLLISION)


def _all_but_a_64th(gas: int) -> int:
    return gas - gas // 64
