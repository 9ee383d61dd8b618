"""Rows as JSON data: to show what calls changed, and to compare it byte for byte."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from mockserver.kernel.schema import Row

Members = dict[str, Any]
"""The members of a row by name, as JSON."""

_EXACT = 2**53
"""Beyond it a number is not exact in every client."""


def as_data(value: Any) -> Any:
    """A row, or a value in it, as JSON: named tuples and data classes by their members.

    Bytes are hexadecimal, and integers beyond 2^53 decimal texts. TypeError for what is no data.
    """
    if value is None or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, Mapping):
        return {str(name): as_data(member) for name, member in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: as_data(member) for name, member in zip(value._fields, value, strict=True)}
    if isinstance(value, (tuple, list)):
        return [as_data(member) for member in value]
    if isinstance(value, frozenset):
        return sorted(map(as_data, value))
    if is_dataclass(value):
        return {field.name: as_data(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"{type(value).__name__} is no data")


def changed_members(before: Row | None, after: Row | None) -> tuple[Members | None, Members | None]:
    """A row before and after a change: all members if it was created or removed, else those that differ."""
    was, now = as_data(before), as_data(after)
    if was is None or now is None:
        return was, now
    names = [name for name in now if was[name] != now[name]]
    return {name: was[name] for name in names}, {name: now[name] for name in names}
