"""The types of an Anchor IDL (version 0.30 and later), including a program's own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mockserver.chain.base58 import is_address
from mockserver.kernel.spelling import shorten

ArgumentType: TypeAlias = "str | tuple[str, ArgumentType, int] | Struct | Variants"
"""A primitive's name; `("option" | "vec" | "array", element, length)`, the length being an array's; or a
struct or an enum of the program's own."""

MAX_DEPTH = 16
_MAX_ARRAY = 1 << 20
INTEGERS: Mapping[str, tuple[int, bool]] = {
    f"{sign}{bits}": (bits // 8, sign == "i") for sign in "ui" for bits in (8, 16, 32, 64, 128, 256)
}
FLOATS = {"f32": "<f", "f64": "<d"}
_SPELLINGS = {"publicKey": "pubkey"}
_PRIMITIVES = frozenset({*INTEGERS, *FLOATS, "bool", "string", "bytes", "pubkey"})


class IdlError(ValueError):
    """An IDL, or instruction data, is malformed; the message says how."""


@dataclass(frozen=True, slots=True)
class Struct:
    """Fields in order; those of a tuple struct are named by their position. `height` counts levels."""

    name: str
    fields: tuple[tuple[str, ArgumentType], ...]
    height: int


@dataclass(frozen=True, slots=True)
class Variants:
    """An enum: a variant without fields is a struct without any."""

    name: str
    variants: tuple[Struct, ...]
    height: int


class Types:
    """Parses the types of an IDL. Unsupported ones are None, such as a recursive type."""

    def __init__(self, idl: Mapping[str, object]) -> None:
        listed = idl.get("types")
        entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        self._written = {entry["name"]: entry for entry in entries if isinstance(entry.get("name"), str)}
        self._read: dict[str, ArgumentType | None] = {}

    def read(self, written: object, depth: int = 0) -> ArgumentType | None:
        """A type, or None when it is none that can be read."""
        if isinstance(written, str):
            name = _SPELLINGS.get(written, written)
            return name if name in _PRIMITIVES else None
        if not isinstance(written, dict) or len(written) != 1 or depth == MAX_DEPTH:
            return None
        kind, inner = next(iter(written.items()))
        if kind == "defined":
            return self._read_defined(inner, depth)
        length = 0
        if kind == "array":
            if not isinstance(inner, list) or len(inner) != 2 or type(inner[1]) is not int:
                return None
            inner, length = inner
            # Elements of at least one byte bound the work of decoding by the size of the data.
            if not 0 < length <= _MAX_ARRAY:
                return None
        element = self.read(inner, depth + 1) if kind in ("option", "vec", "array") else None
        if element is None or _height(element) >= MAX_DEPTH:
            return None
        return (kind, element, length)

    def _read_defined(self, inner: object, depth: int) -> ArgumentType | None:
        """A type of the program's own, by its name: a text, or since version 0.30 an object with one."""
        name = inner.get("name") if isinstance(inner, dict) else inner
        if not isinstance(name, str) or (isinstance(inner, dict) and inner.get("generics")):
            return None
        if name not in self._read:
            # A lookup while the definition is being parsed means that the type is recursive.
            self._read[name] = None
            self._read[name] = self._define(name, depth)
        return self._read[name]

    def _define(self, name: str, depth: int) -> ArgumentType | None:
        entry = self._written.get(name, {})
        shape = entry.get("type")
        if not isinstance(shape, dict) or entry.get("generics"):
            return None
        match shape.get("kind"):
            case "struct":
                found = self._struct(name, shape.get("fields"), depth)
                # A struct without fields encodes to no bytes: four bytes could claim a list of billions.
                return found if found is not None and found.fields else None
            case "enum":
                return self._variants(name, shape.get("variants"), depth)
            case "type" | "alias":
                return self.read(shape.get("alias") or shape.get("value"), depth + 1)
        return None

    def _struct(self, name: str, written: object, depth: int) -> Struct | None:
        if written is None:
            return Struct(name, (), 1)
        if not isinstance(written, list):
            return None
        fields: list[tuple[str, ArgumentType]] = []
        for position, field in enumerate(written):
            named = isinstance(field, dict) and isinstance(field.get("name"), str) and "type" in field
            found = self.read(field["type"] if named else field, depth + 1)
            if found is None:
                return None
            fields.append((field["name"] if named else str(position), found))
        height = 1 + max((_height(type_) for _, type_ in fields), default=0)
        return None if height > MAX_DEPTH else Struct(name, tuple(fields), height)

    def _variants(self, name: str, written: object, depth: int) -> Variants | None:
        if not isinstance(written, list) or not 0 < len(written) <= 256:
            return None
        variants: list[Struct] = []
        for entry in written:
            if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
                return None
            found = self._struct(entry["name"], entry.get("fields"), depth)
            if found is None:
                return None
            variants.append(found)
        height = 1 + max(variant.height for variant in variants)
        return None if height > MAX_DEPTH else Variants(name, tuple(variants), height)


def _height(type_: ArgumentType) -> int:
    if isinstance(type_, (Struct, Variants)):
        return type_.height
    return 1 + _height(type_[1]) if isinstance(type_, tuple) else 1


def spell_type(type_: ArgumentType) -> str:
    """The name of a type in messages: `vec of u64`."""
    if isinstance(type_, (Struct, Variants)):
        return shorten(type_.name)
    return type_ if isinstance(type_, str) else f"{type_[0]} of {spell_type(type_[1])}"


def read_argument(type_: ArgumentType, value: object) -> object:
    """A JSON value in the same form as decoded values; ValueError when it does not fit the type.

    Integers are also taken as decimal text, bytes as 0x hex; a struct as an object or a list of its
    fields; a variant of an enum as its name or, when it has fields, as an object from its name to them.
    """
    match type_:
        case Struct():
            return _read_struct(type_, value)
        case Variants():
            return _read_variant(type_, value)
        case tuple():
            return _read_compound(type_, value)
    read, fits = _read_primitive(type_, value)
    if not fits:
        raise ValueError(f"is not a value of type {type_}")
    return read


def _read_primitive(type_: str, value: object) -> tuple[object, bool]:
    read = value
    if type_ in INTEGERS:
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,78}", value):
            read = int(value)
        if type(read) is not int:
            return read, False
        size, signed = INTEGERS[type_]
        least = -(1 << 8 * size - 1) if signed else 0
        return read, least <= read < least + (1 << 8 * size)
    if type_ in FLOATS:
        if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,300}(\.[0-9]{1,300})?", value):
            read = float(value)
        return read, isinstance(read, (int, float)) and not isinstance(read, bool) and abs(read) < math.inf
    if type_ == "bool":
        read = {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
        return read, isinstance(read, bool)
    if type_ == "bytes":
        if isinstance(value, str) and re.fullmatch(r"0x([0-9a-fA-F]{2})*", value):
            read = bytes.fromhex(value[2:])
        return read, isinstance(read, bytes)
    return read, isinstance(value, str) and (type_ == "string" or is_address(value))


def _read_compound(type_: tuple[str, ArgumentType, int], value: object) -> object:
    kind, element, length = type_
    if kind == "option":
        return None if value is None else read_argument(element, value)
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or (kind == "array" and len(value) != length)
    ):
        raise ValueError(f"is not a list for {spell_type(type_)}")
    return [read_argument(element, entry) for entry in value]


def _read_struct(type_: Struct, value: object) -> tuple[object, ...]:
    names = [name for name, _ in type_.fields]
    if isinstance(value, Mapping) and set(value) == set(names):
        value = [value[name] for name in names]
    if not isinstance(value, (list, tuple)) or len(value) != len(names):
        known = shorten(", ".join(names) or "no fields")
        raise ValueError(f"is not a {spell_type(type_)}, which has {known}")
    return tuple(read_argument(field, entry) for (_, field), entry in zip(type_.fields, value, strict=True))


def _read_variant(type_: Variants, value: object) -> object:
    name, given = next(iter(value.items())) if isinstance(value, Mapping) and len(value) == 1 else (value, ())
    for variant in type_.variants:
        if variant.name == name:
            fields = _read_struct(variant, given)
            return (name, fields) if variant.fields else name
    known = ", ".join(variant.name for variant in type_.variants)
    raise ValueError(f"is not a {spell_type(type_)}, which is one of {shorten(known)}")
