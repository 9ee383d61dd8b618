"""JSON with sorted members, serialized as JavaScript does: what the official clients hash.

They sort the names by UTF-16 code units, put them into an object and call `JSON.stringify` (ECMAScript,
Number::toString and OrdinaryOwnPropertyKeys), so names that are array indexes come first, as numbers.
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite

import orjson

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_INDEX_LIMIT = 2**32 - 1
_EXACT = 2**53
_MAX_PLAIN_EXPONENT = 21
_MIN_PLAIN_EXPONENT = -6


def write_sorted(value: object) -> str:
    """The text of a JSON value; RecursionError when it is nested deeper than the stack."""
    match value:
        case dict():
            members = (f"{_text(name)}:{write_sorted(value[name])}" for name in sorted(value, key=_place))
            return "{" + ",".join(members) + "}"
        case list():
            return "[" + ",".join([write_sorted(item) for item in value]) + "]"
        case bool() | None:
            return _text(value)
        case int() | float():
            return _number(value)
    return _text(value)


def _text(value: object) -> str:
    return orjson.dumps(value).decode()


def _place(name: str) -> tuple[bool, int, bytes]:
    if _INDEX.fullmatch(name) and int(name) < _INDEX_LIMIT:
        return False, int(name), b""
    return True, 0, name.encode("utf-16-be")


def _number(value: float) -> str:
    """A number as a double, in its shortest digits."""
    if isinstance(value, int) and abs(value) <= _EXACT:
        return str(value)
    number = float(value)
    if not isfinite(number):
        return "null"
    sign, figures, exponent = Decimal(repr(number)).normalize().as_tuple()
    if not number:
        return "0"
    assert isinstance(exponent, int)
    return "-" * sign + _spell("".join(map(str, figures)), len(figures) + exponent)


def _spell(digits: str, point: int) -> str:
    """Decimal digits with the point after `point` of them."""
    if len(digits) <= point <= _MAX_PLAIN_EXPONENT:
        return digits.ljust(point, "0")
    if 0 < point <= _MAX_PLAIN_EXPONENT:
        return f"{digits[:point]}.{digits[point:]}"
    if _MIN_PLAIN_EXPONENT < point <= 0:
        return "0." + "0" * -point + digits
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
