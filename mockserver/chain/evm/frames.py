"""A call that is being executed: its stack, memory, gas and position in the code (Yellow Paper, 9.4)."""

import re
from collections.abc import Callable, Generator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from mockserver.chain.evm.state import Environment, State

OUT_OF_GAS = "out of gas"
STACK_UNDERFLOW = "stack underflow"
STACK_OVERFLOW = "stack limit reached 1024"
INVALID_JUMP = "invalid jump destination"
WRITE_PROTECTION = "write protection"
REVERTED = "execution reverted"
COLLISION = "contract address collision"

MAX_DEPTH = 1024
STIPEND = 2300
"""The gas that a call with a value has besides."""
STACK_LIMIT = 1024


class ExceptionalHalt(Exception):
    """A call ends, all of its gas is gone and its changes are undone; the message is geth's."""


class Revert(Exception):
    """A call has undone itself (REVERT); `data` says why."""

    def __init__(self, data: bytes) -> None:
        super().__init__(REVERTED)
        self.data = data


class Unsupported(Exception):
    """The execution needs a part of the EVM that is not here, so that its result is unknown."""


class Call(NamedTuple):
    """A call to be made, or a contract to be created. Amounts are wei, `gas` is what it may use."""

    kind: str
    """CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE or CREATE2; in traces SELFDESTRUCT, too."""
    caller: bytes
    address: bytes
    """The account that is executing: its storage, its balance."""
    value: int
    data: bytes
    gas: int
    code: bytes
    """What is executed: of a creation its init code."""
    code_address: bytes | None = None
    """Where the code is from; None for a creation."""
    depth: int = 0
    is_static: bool = False
    is_delegated: bool = False
    """Whether the code is that of another account (EIP-7702)."""
    output_start: int = 0
    output_size: int = 0
    """The part of the caller's memory that takes the output."""
    refusal: str | None = None
    """Why it is not made at all, though it is traced: its gas comes back, but of a COLLISION."""

    @property
    def is_creation(self) -> bool:
        """Whether it creates a contract."""
        return self.code_address is None


Slices: TypeAlias = Generator[None, None, bytes]
"""Work that pauses between its slices, and returns the output in the end."""
Signal: TypeAlias = "Call | bytes | Slices | None"
"""What an instruction leads to: a call to be made, the end with its output, or the next instruction."""
Step: TypeAlias = "Callable[[Frame], Signal]"


class Frame:
    """The machine's state of one call."""

    __slots__ = (
        "call",
        "code",
        "destruction",
        "environment",
        "gas",
        "jump_destinations",
        "memory",
        "pc",
        "returned",
        "savepoint",
        "stack",
        "state",
    )

    def __init__(self, call: Call, state: State, environment: Environment) -> None:
        self.call = call
        self.state = state
        self.environment = environment
        self.code, self.jump_destinations = _analyze(call.code)
        self.pc = 0
        self.stack: list[int] = []
        self.memory = bytearray()
        self.gas = call.gas
        self.returned = b""
        """The output of the last call that this one made."""
        self.destruction: Call | None = None
        """What SELFDESTRUCT does, which is traced as a call."""
        self.savepoint = state.savepoint()

    def charge(self, gas: int) -> None:
        """Use gas; ExceptionalHalt if there is less."""
        self.gas -= gas
        if self.gas < 0:
            raise ExceptionalHalt(OUT_OF_GAS)

    def expand(self, start: int, size: int) -> None:
        """Charge for memory up to the end of a range, and make it that large."""
        words = words_of(start + size) if size else 0
        have = len(self.memory) >> 5
        if words > have:
            self.charge(memory_gas(words) - memory_gas(have))
            self.memory += bytes((words - have) << 5)

    def read(self, start: int, size: int) -> bytes:
        """Read memory, for which its gas is charged."""
        self.expand(start, size)
        return bytes(self.memory[start : start + size]) if size else b""

    def write(self, start: int, data: bytes) -> None:
        """Write memory, for which gas was charged before."""
        if data:
            self.memory[start : start + len(data)] = data

    def require_mutable(self) -> None:
        """ExceptionalHalt if nothing may be changed (EIP-214)."""
        if self.call.is_static:
            raise ExceptionalHalt(WRITE_PROTECTION)

    def access(self, address: bytes) -> int:
        """The gas for looking at an account (EIP-2929), which is warm now."""
        return 100 if self.state.warm(address) else 2600


def memory_gas(words: int) -> int:
    """The gas of memory of so many words (Yellow Paper, appendix H)."""
    return 3 * words + words * words // 512


def words_of(size: int) -> int:
    """The number of words of 32 bytes that a size takes."""
    return (size + 31) >> 5


def cut(data: bytes, start: int, size: int) -> bytes:
    """So many bytes of data, with zeros beyond the end."""
    return data[start : start + size].ljust(size, b"\0")


# PUSH1 to PUSH32 with their data, which is no place to jump to, and JUMPDEST.
_PUSHES = (re.escape(bytes([0x5F + size])) + b".{0,%d}" % size for size in range(1, 33))
_PUSH_OR_JUMPDEST = re.compile(b"|".join((*_PUSHES, re.escape(b"\x5b"))), re.DOTALL)


@lru_cache(maxsize=256)
def _analyze(code: bytes) -> tuple[bytes, frozenset[int]]:
    """The code with STOP behind it, as far as PUSH32 can read, and where it may be jumped to."""
    found = _PUSH_OR_JUMPDEST.finditer(code)
    return code + bytes(33), frozenset(match.start() for match in found if match.group() == b"\x5b")
