"""Values that criteria compare."""

import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

_DECIMAL = re.compile(r"-?[0-9]{1,78}")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,64}")

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

ORDERING = frozenset(_COMPARISONS)
"""The operators that compare numbers."""


def as_number(value: object) -> int | None:
    """A whole number, given as one or as text in decimal or 0x hex; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    if _HEX.fullmatch(value):
        return int(value, 16)
    return int(value) if _DECIMAL.fullmatch(value) else None


def as_text(value: object) -> str:
    """A value as text, which patterns are matched against."""
    match value:
        case bool():
            return "true" if value else "false"
        case bytes():
            return "0x" + value.hex()
        case tuple() | list():
            return f"[{', '.join(map(as_text, value))}]"
        case _:
            return str(value)


def compare(operator: str, left: float | Decimal, right: float | Decimal) -> bool:
    """Compare two numbers by an operator."""
    return _COMPARISONS[operator](left, right)
