"""Conversion of JSON values to values of the contract ABI."""

import json
import re
from collections.abc import Mapping
from typing import Final

import orjson

from mockserver.chain.abi.types import AbiError, AbiType
from mockserver.chain.addresses import is_address
from mockserver.kernel.spelling import nearest, shorten

_DECIMAL = re.compile(r"-?[0-9]+")
_HEX_NUMBER = re.compile(r"-?0[xX][0-9a-fA-F]+")
_HEX_BYTES = re.compile(r"0[xX]((?:[0-9a-fA-F]{2})*)")
_BOOLS = {"true": True, "false": False}
# 2^256 has 78 digits. Python refuses to parse very long decimals, and anything longer is out of range unless
# it is padded with zeros.
_MAX_DIGITS = 78

MOST_VALUES: Final = 20_000
"""The most values of the arguments that are read together: as many as a JSON body may have."""


class Allowance:
    """How many more values may be read, with the elements and components of lists and tuples."""

    # A JSON text is one value of a body, whose limit does not see how many are in the text.

    _left = MOST_VALUES

    def take(self, count: int, path: str) -> None:
        """Count values that are about to be read; AbiError at `path` when they are too many."""
        self._left -= count
        if self._left < 0:
            reason = f"The arguments have more than {MOST_VALUES:,} values, those in JSON texts included."
            raise AbiError(reason, path)


def read_value(shape: AbiType, value: object, path: str, allowance: Allowance) -> object:
    """Return the value in the type's own form: int, bool, bytes, str, or a list or tuple of such.

    Numbers are integers, or texts in decimal or 0x hex; bytes are 0x hex; lists and tuples may also be
    the text of a JSON list, tuples also an object by component name. AbiError names the path of a
    mistake, or of the list or tuple whose values are more than the allowance.
    """
    match shape.kind:
        case "uint" | "int":
            return _integer(shape, value, path)
        case "bool":
            return _bool(value, path)
        case "address":
            if not isinstance(value, str) or not is_address(value):
                raise AbiError(f"{describe(value)} is not an address: 0x and 40 hex digits.", path)
            return value
        case "bytes" | "fixed_bytes":
            return _bytes(shape, value, path)
        case "string":
            return _string(value, path)
        case "array":
            return _array(shape, value, path, allowance)
        case "tuple":
            return _tuple(shape, value, path, allowance)


def describe(value: object) -> str:
    """Describe a JSON value in an error message, shortened however large it is."""
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            return json.dumps(shorten(value))
        case int():
            return str(value) if value.bit_length() <= 300 else f"A number of {value.bit_length()} bits"
        case float():
            return f"The fraction {value}"
        case list() | tuple():
            return f"A list of {len(value)}"
        case Mapping():
            return "An object"
        case _:
            return f"A {type(value).__name__}"


def _integer(shape: AbiType, value: object, path: str) -> int:
    number = _whole_number(value)
    if number is None:
        raise AbiError(f"{describe(value)} is not a whole number for {shape.text}, decimal or 0x hex.", path)
    least, limit = (
        (0, 1 << shape.size) if shape.kind == "uint" else (-1 << shape.size - 1, 1 << shape.size - 1)
    )
    if not least <= number < limit:
        raise AbiError(f"{describe(value)} is out of range for {shape.text}: {least} to {limit - 1}.", path)
    return number


def _whole_number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    if _HEX_NUMBER.fullmatch(value):
        return int(value, 16)
    if not _DECIMAL.fullmatch(value):
        return None
    digits = value.lstrip("-").lstrip("0")
    number = int(digits or "0") if len(digits) <= _MAX_DIGITS else 1 << 260
    return -number if value.startswith("-") else number


def _bool(value: object, path: str) -> bool:
    found = _BOOLS.get(value) if isinstance(value, str) else value
    if not isinstance(found, bool):
        raise AbiError(f"{describe(value)} is not a bool: true or false.", path)
    return found


def _bytes(shape: AbiType, value: object, path: str) -> bytes:
    raw = value
    if isinstance(value, str):
        digits = _HEX_BYTES.fullmatch(value)
        raw = bytes.fromhex(digits[1]) if digits else None
    if not isinstance(raw, bytes):
        raise AbiError(f"{describe(value)} is not {shape.text}: 0x and an even number of hex digits.", path)
    if shape.kind == "fixed_bytes" and len(raw) != shape.size:
        raise AbiError(f"{describe(value)} has {len(raw)} bytes; {shape.text} takes {shape.size}.", path)
    return raw


def _string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise AbiError(f"{describe(value)} is not a string.", path)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise AbiError("The string holds half of a surrogate pair and has no UTF-8.", path) from None
    return value


def _array(shape: AbiType, value: object, path: str, allowance: Allowance) -> list[object]:
    items = read_json_text(value, path)
    if not isinstance(items, list | tuple):
        raise AbiError(f"{describe(value)} is not a list for {shorten(shape.text)}.", path)
    if shape.size not in (-1, len(items)):
        raise AbiError(f"{shorten(shape.text)} takes {shape.size} elements, {len(items)} given.", path)
    allowance.take(len(items), path)
    return [read_value(shape.members[0], item, f"{path}[{i}]", allowance) for i, item in enumerate(items)]


def _tuple(shape: AbiType, value: object, path: str, allowance: Allowance) -> tuple[object, ...]:
    given = read_json_text(value, path)
    if not isinstance(given, list | tuple | Mapping):
        raise AbiError(f"{describe(value)} is not a list or an object for {shorten(shape.text)}.", path)
    allowance.take(len(given), path)
    if isinstance(given, Mapping):
        _check_names(shape, given, path)
        items = [(given[name], f"{path}.{name}") for name in shape.names]
    else:
        items = [(item, f"{path}[{i}]") for i, item in enumerate(given)]
    if len(items) != len(shape.members):
        expected = len(shape.members)
        raise AbiError(f"{shorten(shape.text)} takes {expected} components, {len(items)} given.", path)
    pairs = zip(shape.members, items, strict=True)
    return tuple(read_value(member, item, place, allowance) for member, (item, place) in pairs)


def _check_names(shape: AbiType, given: Mapping[str, object], path: str) -> None:
    if not all(shape.names):
        raise AbiError("The components have no names here: give them as a list.", path)
    for name in shape.names:
        if name not in given:
            raise AbiError(f"The component {name} is missing.", path, nearest(name, map(str, given)))
    for name in given:
        if name not in shape.names:
            raise AbiError(f"There is no component {describe(name)}.", path, nearest(str(name), shape.names))


def read_json_text(value: object, path: str) -> object:
    """Parse a JSON text of a list or object; return other values unchanged. AbiError for invalid JSON."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        # json.loads keeps large integers exact, but recurses until the stack overflows;
        # orjson would make floats of them, so it only checks the nesting first.
        orjson.loads(value)
        return json.loads(value)
    except (ValueError, RecursionError):
        raise AbiError(f"{describe(value)} is not the text of a JSON list or object.", path) from None
