"""Mappings without what was not given, and JSON values with other texts."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

V = TypeVar("V")


def without_none(members: Mapping[str, V | None]) -> dict[str, V]:
    """The members that are not None, in the same order."""
    return {name: value for name, value in members.items() if value is not None}


def map_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A JSON value with its texts changed; the names of members stay."""
    if isinstance(value, dict):
        return {name: map_texts(member, change) for name, member in value.items()}
    if isinstance(value, list):
        return [map_texts(member, change) for member in value]
    return change(value) if isinstance(value, str) else value
