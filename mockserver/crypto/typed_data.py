"""hashStruct of EIP-712 for typed data given as parsed JSON, with errors that name the place.

Values are read as wallets read them: numbers as integers or as decimal or 0x strings, bytes and
addresses as 0x strings. A struct that is null or absent counts as zero, so that recursive types can
end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from mockserver.crypto.keccak import keccak256

Fields: TypeAlias = Sequence[tuple[str, str]]
"""The (name, type) of each field of a struct, in order."""

_DOMAIN: Final = "EIP712Domain"
_DEEPEST: Final = 100
_MOST_TYPES: Final = 100
_MOST_DECLARED: Final = 64 * 1024
"""The most characters of all declarations. Each type is hashed with all those that it uses."""
_MOST_VALUES: Final = 20_000
"""The most values that are encoded, those of absent structs included."""
_DOMAIN_FIELDS: Final[Mapping[str, str]] = {
    "name": "string",
    "version": "string",
    "chainId": "uint256",
    "verifyingContract": "address",
    "salt": "bytes32",
}
_ARRAY: Final = re.compile(r"(.+)\[([0-9]*)\]")
_INTEGER: Final = re.compile(r"(u?)int([0-9]*)")
_INTEGER_SIZES: Final = frozenset(["", *(str(bits) for bits in range(8, 257, 8))])
_FIXED_BYTES: Final = re.compile(r"bytes([1-9][0-9]?)")
_NUMERAL: Final = re.compile(r"-?[0-9]{1,78}|0x[0-9a-fA-F]{1,64}")
_HEX: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


def hash_domain(typed_data: Mapping[str, object]) -> bytes:
    """Return the domain separator of the document; ValueError if types or domain are malformed."""
    types = _read_types(typed_data)
    domain = _mapping(typed_data.get("domain", {}), "domain")
    if _DOMAIN not in types:
        for name in domain:
            if name not in _DOMAIN_FIELDS:
                raise ValueError(f"domain.{name}: no field of {_DOMAIN}.")
        types[_DOMAIN] = [(name, type_) for name, type_ in _DOMAIN_FIELDS.items() if name in domain]
    return _Encoder(types).hash_struct(_DOMAIN, domain, "domain")


def hash_message(typed_data: Mapping[str, object]) -> bytes:
    """Return hashStruct of the document's message; ValueError if anything in it is malformed."""
    types = _read_types(typed_data)
    primary = typed_data.get("primaryType")
    if not isinstance(primary, str):
        raise ValueError("primaryType: missing, or not a string.")
    if primary not in types:
        raise ValueError(f"primaryType: types does not define {primary}.")
    return _Encoder(types).hash_struct(primary, _mapping(typed_data.get("message"), "message"), "message")


def _mapping(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{place}: expected an object.")
    return value


def _read_types(typed_data: Mapping[str, object]) -> dict[str, Fields]:
    declared = _mapping(typed_data.get("types"), "types")
    if len(declared) > _MOST_TYPES:
        raise ValueError(f"types: more than {_MOST_TYPES} types.")
    types: dict[str, Fields] = {}
    for name, fields in declared.items():
        if not isinstance(fields, list):
            raise ValueError(f"types.{name}: expected a list of fields.")
        types[name] = [_read_field(field, f"types.{name}[{at}]") for at, field in enumerate(fields)]
    declared_size = sum(len(field) + len(type_) for fields in types.values() for field, type_ in fields)
    if declared_size + sum(map(len, types)) > _MOST_DECLARED:
        raise ValueError(f"types: more than {_MOST_DECLARED:,} characters of names and types.")
    return types


def _read_field(field: object, place: str) -> tuple[str, str]:
    declared = _mapping(field, place)
    name, type_ = declared.get("name"), declared.get("type")
    if not isinstance(name, str) or not isinstance(type_, str):
        raise ValueError(f"{place}: a field has a name and a type, both strings.")
    return name, type_


class _Encoder:
    """Encodes values of one document's types, hashing each type once."""

    def __init__(self, types: Mapping[str, Fields]) -> None:
        self._types = types
        self._type_hashes: dict[str, bytes] = {}
        self._left = _MOST_VALUES

    def hash_struct(self, name: str, value: Mapping[str, object], place: str, depth: int = 0) -> bytes:
        encoded = [self._hash_type(name)]
        for field, type_ in self._types[name]:
            if field not in value and type_ not in self._types:
                raise ValueError(f"{place}.{field}: missing, {name} declares it as {type_}.")
            encoded.append(self._encode(type_, value.get(field), f"{place}.{field}", depth + 1))
        return keccak256(b"".join(encoded))

    def _hash_type(self, name: str) -> bytes:
        if name not in self._type_hashes:
            used = self._types_used(name) - {name}
            self._type_hashes[name] = keccak256("".join(map(self._declare, [name, *sorted(used)])).encode())
        return self._type_hashes[name]

    def _declare(self, name: str) -> str:
        return f"{name}({','.join(f'{type_} {field}' for field, type_ in self._types[name])})"

    def _types_used(self, name: str) -> set[str]:
        found, ahead = {name}, [name]
        while ahead:
            for _, type_ in self._types[ahead.pop()]:
                element = type_.partition("[")[0]
                if element in self._types and element not in found:
                    found.add(element)
                    ahead.append(element)
        return found

    def _encode(self, type_: str, value: object, place: str, depth: int) -> bytes:
        """Return the 32 bytes that encode the value (EIP-712, encodeData)."""
        if depth > _DEEPEST:
            raise ValueError(f"{place}: nested more than {_DEEPEST} levels deep.")
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"{place}: comes after {_MOST_VALUES:,} other values, which are the most.")
        if type_ in self._types:
            return (
                bytes(32) if value is None else self.hash_struct(type_, _mapping(value, place), place, depth)
            )
        if array := _ARRAY.fullmatch(type_):
            element, length = array.groups()
            if not isinstance(value, list) or (length and len(value) != int(length)):
                raise ValueError(f"{place}: expected a list{f' of {length}' if length else ''} for {type_}.")
            items = (
                self._encode(element, item, f"{place}[{at}]", depth + 1) for at, item in enumerate(value)
            )
            return keccak256(b"".join(items))
        return _encode_atom(type_, value, place)


def _encode_atom(type_: str, value: object, place: str) -> bytes:
    if type_ == "string":
        if not isinstance(value, str):
            raise ValueError(f"{place}: expected a string.")
        return keccak256(value.encode())
    if type_ == "bool":
        if not isinstance(value, bool):
            raise ValueError(f"{place}: expected true or false.")
        return int(value).to_bytes(32, "big")
    if type_ == "bytes":
        return keccak256(_read_bytes(value, place))
    if type_ == "address":
        return _read_bytes(value, place, 20).rjust(32, b"\0")
    if (fixed := _FIXED_BYTES.fullmatch(type_)) and int(fixed[1]) <= 32:
        return _read_bytes(value, place, int(fixed[1])).ljust(32, b"\0")
    if (integer := _INTEGER.fullmatch(type_)) and integer[2] in _INTEGER_SIZES:
        return _encode_integer(value, int(integer[2] or 256), not integer[1], place, type_)
    raise ValueError(f"{place}: types does not define {type_}.")


def _encode_integer(value: object, bits: int, signed: bool, place: str, type_: str) -> bytes:
    if isinstance(value, str) and _NUMERAL.fullmatch(value):
        value = int(value, 16 if value.startswith("0x") else 10)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{place}: expected an integer, or a decimal or 0x string, for {type_}.")
    low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    if not low <= value < high:
        raise ValueError(f"{place}: {value} does not fit in {type_}.")
    return value.to_bytes(32, "big", signed=signed)


def _read_bytes(value: object, place: str, length: int | None = None) -> bytes:
    raw = bytes.fromhex(value[2:]) if isinstance(value, str) and _HEX.fullmatch(value) else None
    if raw is None or (length is not None and len(raw) != length):
        digits = "an even number of" if length is None else str(2 * length)
        raise ValueError(f"{place}: expected 0x and {digits} hex digits.")
    return raw
