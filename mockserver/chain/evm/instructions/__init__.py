"""The instructions by their byte, with what each costs at least."""

from functools import cache
from operator import and_, or_, xor
from typing import NamedTuple

from mockserver.chain.evm.frames import Step
from mockserver.chain.evm.instructions import arithmetic, environment, flow, system
from mockserver.chain.evm.instructions.arithmetic import WORD, binary, signed, ternary, unary
from mockserver.chain.evm.instructions.environment import ask, ask_address
from mockserver.chain.evm.state import Fork


class Instruction(NamedTuple):
    """An instruction: what it does, its constant gas, its name."""

    step: Step
    gas: int
    name: str


_INVALID = Instruction(system.invalid, 0, "INVALID")
_FROM_OSAKA = {0x1E: Instruction(unary(lambda a: 256 - a.bit_length()), 5, "CLZ")}
# As in the Yellow Paper, appendix H, and the EIPs since, with the constant part of the gas. What memory
# or cold accounts cost stands in the functions.
_ALL: dict[int, Instruction] = {
    0x00: Instruction(flow.stop, 0, "STOP"),
    0x01: Instruction(binary(lambda a, b: (a + b) & WORD), 3, "ADD"),
    0x02: Instruction(binary(lambda a, b: (a * b) & WORD), 5, "MUL"),
    0x03: Instruction(binary(lambda a, b: (a - b) & WORD), 3, "SUB"),
    0x04: Instruction(binary(lambda a, b: a // b if b else 0), 5, "DIV"),
    0x05: Instruction(binary(arithmetic.sdiv), 5, "SDIV"),
    0x06: Instruction(binary(lambda a, b: a % b if b else 0), 5, "MOD"),
    0x07: Instruction(binary(arithmetic.smod), 5, "SMOD"),
    0x08: Instruction(ternary(lambda a, b, n: (a + b) % n if n else 0), 8, "ADDMOD"),
    0x09: Instruction(ternary(lambda a, b, n: a * b % n if n else 0), 8, "MULMOD"),
    0x0A: Instruction(arithmetic.exp, 10, "EXP"),
    0x0B: Instruction(binary(arithmetic.signextend), 5, "SIGNEXTEND"),
    0x10: Instruction(binary(lambda a, b: int(a < b)), 3, "LT"),
    0x11: Instruction(binary(lambda a, b: int(a > b)), 3, "GT"),
    0x12: Instruction(binary(lambda a, b: int(signed(a) < signed(b))), 3, "SLT"),
    0x13: Instruction(binary(lambda a, b: int(signed(a) > signed(b))), 3, "SGT"),
    0x14: Instruction(binary(lambda a, b: int(a == b)), 3, "EQ"),
    0x15: Instruction(unary(lambda a: int(not a)), 3, "ISZERO"),
    0x16: Instruction(binary(and_), 3, "AND"),
    0x17: Instruction(binary(or_), 3, "OR"),
    0x18: Instruction(binary(xor), 3, "XOR"),
    0x19: Instruction(unary(lambda a: a ^ WORD), 3, "NOT"),
    0x1A: Instruction(binary(arithmetic.byte), 3, "BYTE"),
    0x1B: Instruction(binary(lambda shift, a: (a << shift) & WORD if shift < 256 else 0), 3, "SHL"),
    0x1C: Instruction(binary(lambda shift, a: a >> shift), 3, "SHR"),
    0x1D: Instruction(binary(lambda shift, a: (signed(a) >> shift) & WORD), 3, "SAR"),
    0x20: Instruction(arithmetic.keccak, 30, "KECCAK256"),
    0x30: Instruction(ask_address(lambda frame: frame.call.address), 2, "ADDRESS"),
    0x31: Instruction(environment.balance, 0, "BALANCE"),
    0x32: Instruction(ask_address(lambda frame: frame.environment.origin), 2, "ORIGIN"),
    0x33: Instruction(ask_address(lambda frame: frame.call.caller), 2, "CALLER"),
    0x34: Instruction(ask(lambda frame: frame.call.value), 2, "CALLVALUE"),
    0x35: Instruction(environment.calldataload, 3, "CALLDATALOAD"),
    0x36: Instruction(ask(lambda frame: len(frame.call.data)), 2, "CALLDATASIZE"),
    0x37: Instruction(environment.calldatacopy, 3, "CALLDATACOPY"),
    0x38: Instruction(ask(lambda frame: len(frame.call.code)), 2, "CODESIZE"),
    0x39: Instruction(environment.codecopy, 3, "CODECOPY"),
    0x3A: Instruction(ask(lambda frame: frame.environment.gas_price), 2, "GASPRICE"),
    0x3B: Instruction(environment.extcodesize, 0, "EXTCODESIZE"),
    0x3C: Instruction(environment.extcodecopy, 0, "EXTCODECOPY"),
    0x3D: Instruction(ask(lambda frame: len(frame.returned)), 2, "RETURNDATASIZE"),
    0x3E: Instruction(environment.returndatacopy, 3, "RETURNDATACOPY"),
    0x3F: Instruction(environment.extcodehash, 0, "EXTCODEHASH"),
    0x40: Instruction(environment.blockhash, 20, "BLOCKHASH"),
    0x41: Instruction(ask_address(lambda frame: frame.environment.coinbase), 2, "COINBASE"),
    0x42: Instruction(ask(lambda frame: frame.environment.timestamp), 2, "TIMESTAMP"),
    0x43: Instruction(ask(lambda frame: frame.environment.number), 2, "NUMBER"),
    0x44: Instruction(ask(lambda frame: frame.environment.prev_randao), 2, "PREVRANDAO"),
    0x45: Instruction(ask(lambda frame: frame.environment.gas_limit), 2, "GASLIMIT"),
    0x46: Instruction(ask(lambda frame: frame.environment.chain_id), 2, "CHAINID"),
    0x47: Instruction(ask(lambda frame: frame.state.account(frame.call.address).balance), 5, "SELFBALANCE"),
    0x48: Instruction(ask(lambda frame: frame.environment.base_fee), 2, "BASEFEE"),
    0x49: Instruction(environment.blobhash, 3, "BLOBHASH"),
    0x4A: Instruction(ask(lambda frame: frame.environment.blob_base_fee), 2, "BLOBBASEFEE"),
    0x50: Instruction(flow.pop, 2, "POP"),
    0x51: Instruction(flow.mload, 3, "MLOAD"),
    0x52: Instruction(flow.mstore, 3, "MSTORE"),
    0x53: Instruction(flow.mstore8, 3, "MSTORE8"),
    0x54: Instruction(flow.sload, 0, "SLOAD"),
    0x55: Instruction(flow.sstore, 0, "SSTORE"),
    0x56: Instruction(flow.jump, 8, "JUMP"),
    0x57: Instruction(flow.jumpi, 10, "JUMPI"),
    0x58: Instruction(ask(lambda frame: frame.pc - 1), 2, "PC"),
    0x59: Instruction(ask(lambda frame: len(frame.memory)), 2, "MSIZE"),
    0x5A: Instruction(ask(lambda frame: frame.gas), 2, "GAS"),
    0x5B: Instruction(flow.jumpdest, 1, "JUMPDEST"),
    0x5C: Instruction(flow.tload, 100, "TLOAD"),
    0x5D: Instruction(flow.tstore, 100, "TSTORE"),
    0x5E: Instruction(flow.mcopy, 3, "MCOPY"),
    0x5F: Instruction(flow.push(0), 2, "PUSH0"),
    **{0x5F + size: Instruction(flow.push(size), 3, f"PUSH{size}") for size in range(1, 33)},
    **{0x7F + position: Instruction(flow.dup(position), 3, f"DUP{position}") for position in range(1, 17)},
    **{0x8F + position: Instruction(flow.swap(position), 3, f"SWAP{position}") for position in range(1, 17)},
    **{0xA0 + count: Instruction(flow.log(count), 375 + 375 * count, f"LOG{count}") for count in range(5)},
    0xF0: Instruction(system.create, 32_000, "CREATE"),
    0xF1: Instruction(system.call, 0, "CALL"),
    0xF2: Instruction(system.callcode, 0, "CALLCODE"),
    0xF3: Instruction(flow.return_, 0, "RETURN"),
    0xF4: Instruction(system.delegatecall, 0, "DELEGATECALL"),
    0xF5: Instruction(system.create2, 32_000, "CREATE2"),
    0xFA: Instruction(system.staticcall, 0, "STATICCALL"),
    0xFD: Instruction(flow.revert, 0, "REVERT"),
    0xFF: Instruction(system.selfdestruct, 5000, "SELFDESTRUCT"),
}


@cache
def instructions_of(fork: Fork) -> tuple[Instruction, ...]:
    """The instruction of each byte under the rules of a fork."""
    table = _ALL | _FROM_OSAKA if fork >= Fork.OSAKA else _ALL
    return tuple(table.get(byte, _INVALID) for byte in range(256))
