"""The types of the contract ABI as a tree (Solidity documentation, "Contract ABI Specification")."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mockserver.kernel.spelling import did_you_mean, nearest, shorten

Kind = Literal["uint", "int", "address", "bool", "fixed_bytes", "bytes", "string", "array", "tuple"]

# Limits that no compiled contract reaches; they bound recursion and memory for hostile types.
MAX_DEPTH = 24
MAX_SIZE_BYTES = 1 << 20


class AbiError(ValueError):
    """What is wrong with a type, a value or encoded bytes, and where (`functionArgs[1]`, `abi[0].name`)."""

    def __init__(self, message: str, path: str = "", nearest: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.nearest = nearest

    def __str__(self) -> str:
        if self.nearest is None:
            return self.message
        return f"{self.message.removesuffix('.')}{did_you_mean(self.nearest)}."


@dataclass(frozen=True, slots=True)
class AbiType:
    """One type. `size` counts bits (numbers), bytes (`bytesN`) or elements (arrays, -1 when open)."""

    kind: Kind
    text: str
    size: int = 0
    members: tuple["AbiType", ...] = ()
    names: tuple[str, ...] = ()
    is_dynamic: bool = False
    depth: int = 0
    least_bytes: int = 32

    @property
    def head_bytes(self) -> int:
        """The bytes of the type in the head part: 32 for the offset of a dynamic type, else its own size."""
        return 32 if self.is_dynamic else self.least_bytes


ELEMENTARY: Mapping[str, AbiType] = {
    "address": AbiType("address", "address", 160),
    "bool": AbiType("bool", "bool", 1),
    "bytes": AbiType("bytes", "bytes", is_dynamic=True, least_bytes=64),
    "string": AbiType("string", "string", is_dynamic=True, least_bytes=64),
    "function": AbiType("fixed_bytes", "function", 24),
    "uint": AbiType("uint", "uint256", 256),
    "int": AbiType("int", "int256", 256),
    **{f"uint{bits}": AbiType("uint", f"uint{bits}", bits) for bits in range(256, 0, -8)},
    **{f"int{bits}": AbiType("int", f"int{bits}", bits) for bits in range(256, 0, -8)},
    **{f"bytes{size}": AbiType("fixed_bytes", f"bytes{size}", size) for size in range(32, 0, -1)},
}


def elementary_type(word: str) -> AbiType:
    """Return the type of this name; AbiError, with the nearest name there is, when there is none."""
    found = ELEMENTARY.get(word)
    if found is None:
        close = nearest(word, ELEMENTARY)
        raise AbiError(f"{shorten(word)} is not a type of the contract ABI.", nearest=close)
    return found


def array_type(item: AbiType, length: int) -> AbiType:
    """Return the array of `length` items, or of any number of them when it is -1."""
    text = f"{item.text}[{'' if length < 0 else length}]"
    dynamic = length < 0 or item.is_dynamic
    least = 64 if length < 0 else length * item.least_bytes + (32 if dynamic else 0)
    return _within_limits(AbiType("array", text, length, (item,), (), dynamic, item.depth + 1, least))


def tuple_type(members: Sequence[AbiType], names: Sequence[str]) -> AbiType:
    """Return the tuple of these members; a component without a name has the name ``""``."""
    if not members:
        raise AbiError("A tuple has at least one component.")
    dynamic = any(member.is_dynamic for member in members)
    least = sum(member.least_bytes for member in members) + (32 if dynamic else 0)
    depth = 1 + max(member.depth for member in members)
    text = f"({','.join(member.text for member in members)})"
    return _within_limits(AbiType("tuple", text, 0, tuple(members), tuple(names), dynamic, depth, least))


def _within_limits(found: AbiType) -> AbiType:
    if found.depth > MAX_DEPTH:
        raise AbiError(f"Types are nested deeper than {MAX_DEPTH}.")
    if found.least_bytes > MAX_SIZE_BYTES:
        raise AbiError(f"A value of {shorten(found.text)} takes more than {MAX_SIZE_BYTES} bytes.")
    return found
