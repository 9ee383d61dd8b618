"""Mappings without what was not given."""

from collections.abc import Mapping
from typing import TypeVar

V = TypeVar("V")


def without_none(members: Mapping[str, V | None]) -> dict[str, V]:
    """The members that are not None, in the same order."""
    return {name: value for name, value in members.items() if value is not None}
