"""Instructions of Anchor programs: their IDL (version 0.30 and later) and their Borsh-encoded data."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Mapping
from typing import NamedTuple

from mockserver.chain.base58 import address_of
from mockserver.chain.solana.anchor_types import (
    FLOATS,
    INTEGERS,
    ArgumentType,
    IdlError,
    Struct,
    Types,
    Variants,
)
from mockserver.kernel.spelling import did_you_mean, nearest, shorten

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


class IdlInstruction(NamedTuple):
    """An instruction as an IDL declares it: its discriminator, and its arguments by name in order.

    A type that is not supported, such as one with generics, is None. Borsh has no lengths to skip by,
    so decoding ends before it.
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


def find_instruction(idl: object, name: str) -> IdlInstruction:
    """The instruction of this name; IdlError when there is none or the IDL is malformed."""
    entries = idl.get("instructions") if isinstance(idl, dict) else None
    if (
        not isinstance(idl, dict)
        or not isinstance(entries, list)
        or not all(isinstance(entry, dict) for entry in entries)
    ):
        raise IdlError("an Anchor IDL is an object with a list of instructions")
    for entry in entries:
        if entry.get("name") == name:
            return _instruction(Types(idl), entry, name)
    close = nearest(name, [str(entry.get("name")) for entry in entries])
    raise IdlError(f"the IDL has no instruction {shorten(name)}{did_you_mean(close)}")


def _instruction(types: Types, entry: Mapping[str, object], name: str) -> IdlInstruction:
    arguments = entry.get("args", [])
    if not isinstance(arguments, list):
        raise IdlError(f"the args of {shorten(name)} are not a list")
    read = tuple(_argument(types, argument) for argument in arguments)
    return IdlInstruction(name, _discriminator(entry, name), read)


def _discriminator(entry: Mapping[str, object], name: str) -> bytes:
    given = entry.get("discriminator")
    if given is None:
        # Anchor's default: the first 8 bytes of SHA-256 of `global:` and the name in snake case.
        snake = _CAPITAL.sub(r"_\1", name).lower()
        return hashlib.sha256(f"global:{snake}".encode()).digest()[:8]
    if not isinstance(given, list) or not given or not all(type(n) is int and 0 <= n < 256 for n in given):
        raise IdlError(f"the discriminator of {shorten(name)} is not a list of bytes")
    return bytes(given)


def _argument(types: Types, entry: object) -> tuple[str, ArgumentType | None]:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise IdlError("an argument has a name and a type")
    return entry["name"], types.read(entry.get("type"))


def decode_instruction(instruction: IdlInstruction, raw: bytes) -> tuple[object, ...]:
    """The values of its readable arguments; IdlError when the data is not this instruction's.

    Values are int, float, bool, str (public keys in base58), bytes, None for an empty option, lists;
    tuples for structs; and for enums the variant's name, in a pair with its fields if it has any.
    """
    prefix = instruction.discriminator
    if not raw.startswith(prefix):
        raise IdlError(f"the data does not begin with the discriminator of {shorten(instruction.name)}")
    readable = instruction.readable
    reader = _Reader(raw, len(prefix))
    values = tuple(reader.value(type_) for _, type_ in readable)
    # With an unsupported type the rest was not decoded, so nothing can be said about trailing bytes.
    if len(readable) == len(instruction.arguments) and reader.at != len(raw):
        raise IdlError(f"{len(raw) - reader.at} bytes follow the last argument")
    return values


class _Reader:
    def __init__(self, raw: bytes, at: int) -> None:
        self._raw = raw
        self.at = at

    def value(self, type_: ArgumentType) -> object:
        match type_:
            case tuple():
                return self._compound(type_)
            case Struct():
                return tuple(self.value(field) for _, field in type_.fields)
            case Variants():
                return self._variant(type_)
        if type_ in INTEGERS:
            size, signed = INTEGERS[type_]
            return int.from_bytes(self._take(size), "little", signed=signed)
        if type_ in FLOATS:
            return struct.unpack(FLOATS[type_], self._take(4 if type_ == "f32" else 8))[0]
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

    def _variant(self, type_: Variants) -> object:
        # Borsh numbers variants in one byte, in the order of declaration.
        number = self._take(1)[0]
        if number >= len(type_.variants):
            raise IdlError(f"{shorten(type_.name)} has no variant {number}")
        variant = type_.variants[number]
        return (variant.name, self.value(variant)) if variant.fields else variant.name

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
