"""Instructions of Anchor programs: their IDL (version 0.30 and later) and their data in Borsh."""

import hashlib
import re
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mockserver.chain.abi_types import nearest
from mockserver.chain.solana import address_of, is_address

ArgumentType: TypeAlias = str | tuple[str, "ArgumentType", int]
"""A primitive's name, or `("option" | "vec" | "array", element, length)`; the length is an array's."""

_MAX_DEPTH = 16
_MAX_ARRAY = 1 << 20
_INTEGERS: Mapping[str, tuple[int, bool]] = {
    f"{sign}{bits}": (bits // 8, sign == "i") for sign in "ui" for bits in (8, 16, 32, 64, 128, 256)
}
_FLOATS = {"f32": "<f", "f64": "<d"}
_SPELLINGS = {"publicKey": "pubkey"}
_PRIMITIVES = frozenset({*_INTEGERS, *_FLOATS, "bool", "string", "bytes", "pubkey"})
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


class IdlError(ValueError):
    """What is wrong with an IDL, or with data that should be an instruction of it."""


class Instruction(NamedTuple):
    """An instruction: what its data begins with, and its arguments by name in order.

    A type that cannot be read, such as a struct of the program's own, is None; it and what follows
    it in the data stay unread.
    """

    name: str
    discriminator: bytes
    arguments: tuple[tuple[str, ArgumentType | None], ...]

    @property
    def readable(self) -> tuple[tuple[str, ArgumentType], ...]:
        """The arguments up to the first that cannot be read."""
        found: list[tuple[str, ArgumentType]] = []
        for name, type_ in self.arguments:
            if type_ is None:
                break
            found.append((name, type_))
        return tuple(found)


def find_instruction(idl: object, name: str) -> Instruction:
    """The instruction of this name; IdlError when there is none or the IDL is malformed."""
    entries = idl.get("instructions") if isinstance(idl, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise IdlError("an Anchor IDL is an object with a list of instructions")
    for entry in entries:
        if entry.get("name") == name:
            return _instruction(entry, name)
    close = nearest(name, [str(entry.get("name")) for entry in entries])
    hint = f"; did you mean {close}?" if close else ""
    raise IdlError(f"the IDL has no instruction {name[:80]}{hint}")


def _instruction(entry: Mapping[str, object], name: str) -> Instruction:
    arguments = entry.get("args", [])
    if not isinstance(arguments, list):
        raise IdlError(f"the args of {name[:80]} are not a list")
    return Instruction(name, _discriminator(entry, name), tuple(map(_argument, arguments)))


def _discriminator(entry: Mapping[str, object], name: str) -> bytes:
    given = entry.get("discriminator")
    if given is None:
        # What Anchor computes unless a program chooses its own.
        snake = _CAPITAL.sub(r"_\1", name).lower()
        return hashlib.sha256(f"global:{snake}".encode()).digest()[:8]
    if not isinstance(given, list) or not given or not all(type(n) is int and 0 <= n < 256 for n in given):
        raise IdlError(f"the discriminator of {name[:80]} is not a list of bytes")
    return bytes(given)


def _argument(entry: object) -> tuple[str, ArgumentType | None]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise IdlError("an argument has a name and a type")
    return entry["name"], _type(entry.get("type"), 0)


def _type(written: object, depth: int) -> ArgumentType | None:
    if isinstance(written, str):
        name = _SPELLINGS.get(written, written)
        return name if name in _PRIMITIVES else None
    if not isinstance(written, dict) or len(written) != 1 or depth == _MAX_DEPTH:
        return None
    kind, inner = next(iter(written.items()))
    length = 0
    if kind == "array":
        if not isinstance(inner, list) or len(inner) != 2 or type(inner[1]) is not int:
            return None
        inner, length = inner
        # Every element takes at least a byte, so that reading never outlasts the data.
        if not 0 < length <= _MAX_ARRAY:
            return None
    element = _type(inner, depth + 1) if kind in ("option", "vec", "array") else None
    return None if element is None else (kind, element, length)


def decode_instruction(instruction: Instruction, raw: bytes) -> tuple[object, ...]:
    """The values of its readable arguments; IdlError when the data is not this instruction's.

    Values are int, float, bool, str (public keys in base58), bytes, None for an empty option, lists.
    """
    prefix = instruction.discriminator
    if not raw.startswith(prefix):
        raise IdlError(f"the data does not begin with the discriminator of {instruction.name[:80]}")
    readable = instruction.readable
    reader = _Reader(raw, len(prefix))
    values = tuple(reader.value(type_) for _, type_ in readable)
    if len(readable) == len(instruction.arguments) and reader.at != len(raw):
        raise IdlError(f"{len(raw) - reader.at} bytes follow the last argument")
    return values


class _Reader:
    def __init__(self, raw: bytes, at: int) -> None:
        self._raw = raw
        self.at = at

    def value(self, type_: ArgumentType) -> object:
        if isinstance(type_, tuple):
            return self._compound(type_)
        if type_ in _INTEGERS:
            size, signed = _INTEGERS[type_]
            return int.from_bytes(self._take(size), "little", signed=signed)
        if type_ in _FLOATS:
            return struct.unpack(_FLOATS[type_], self._take(4 if type_ == "f32" else 8))[0]
        match type_:
            case "bool":
                return self._flag("bool")
            case "pubkey":
                return address_of(self._take(32))
            case "bytes":
                return self._take(self._count())
            case _:
                return self._text()

    def _compound(self, type_: tuple[str, ArgumentType, int]) -> object:
        kind, element, length = type_
        if kind == "option":
            return self.value(element) if self._flag("option") else None
        count = self._count() if kind == "vec" else length
        if count > len(self._raw) - self.at:
            raise IdlError(f"the data ends inside {count} elements")
        return [self.value(element) for _ in range(count)]

    def _flag(self, what: str) -> bool:
        byte = self._take(1)[0]
        if byte > 1:
            raise IdlError(f"{byte} is not the flag of a {what}")
        return byte == 1

    def _count(self) -> int:
        return int.from_bytes(self._take(4), "little")

    def _text(self) -> str:
        try:
            return self._take(self._count()).decode()
        except UnicodeDecodeError:
            raise IdlError("a string is not UTF-8") from None

    def _take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self._raw):
            raise IdlError(f"the data has {len(self._raw)} bytes and ends before its last argument")
        taken, self.at = self._raw[self.at : end], end
        return taken


def read_argument(type_: ArgumentType, value: object) -> object:
    """A JSON value in the form of the decoded ones; ValueError when it is none of this type.

    Integers are also taken as decimal text, bytes as 0x hex.
    """
    fits = False
    read = value
    if type_ in _INTEGERS:
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,78}", value):
            read = int(value)
        if type(read) is int:
            size, signed = _INTEGERS[str(type_)]
            least = -(1 << 8 * size - 1) if signed else 0
            fits = least <= read < least + (1 << 8 * size)
    elif type_ in _FLOATS:
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,300}(\.[0-9]{1,300})?", value):
            read = float(value)
        fits = type(read) in (int, float)
    elif type_ == "bool":
        read = {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
        fits = isinstance(read, bool)
    elif type_ == "bytes":
        if isinstance(value, str) and re.fullmatch(r"0x([0-9a-fA-F]{2})*", value):
            read = bytes.fromhex(value[2:])
        fits = isinstance(read, bytes)
    elif isinstance(type_, tuple):
        return _read_compound(type_, value)
    else:
        fits = isinstance(value, str) and (type_ == "string" or is_address(value))
    if not fits:
        raise ValueError(f"is not a value of type {type_}")
    return read


def _read_compound(type_: tuple[str, ArgumentType, int], value: object) -> object:
    kind, element, length = type_
    if kind == "option":
        return None if value is None else read_argument(element, value)
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or (kind == "array" and len(value) != length)
    ):
        raise ValueError(f"is not a list for {spelled(type_)}")
    return [read_argument(element, entry) for entry in value]


def spelled(type_: ArgumentType) -> str:
    """A type in words: `vec of u64`."""
    return type_ if isinstance(type_, str) else f"{type_[0]} of {spelled(type_[1])}"
