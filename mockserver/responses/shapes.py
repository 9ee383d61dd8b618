"""Answers that many resources share."""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from typing_extensions import TypedDict

T = TypeVar("T")


class Deleted(TypedDict):
    """The answer to most deletions."""

    id: str
    object: str
    deleted: bool


class Reference(TypedDict):
    """A related object that was not expanded."""

    id: str


def deletion_answer(row_id: str, kind: str) -> Deleted:
    """The answer to the deletion of a row."""
    return {"id": row_id, "object": kind, "deleted": True}


ABSENT: Any = object()
"""The value of a member that `present` leaves out. Not None, which is a value: null."""


def optional(value: T | None) -> T:
    """The value of a member of an answer that is left out where there is none: ABSENT for None."""
    return ABSENT if value is None else value


def present(answer: T) -> T:
    """An answer, which is a typed dictionary, without its absent members.

    It takes a microsecond or two, so the answers of transactions assign their members instead.
    """
    members = cast(Mapping[str, object], answer)
    return cast(T, {name: value for name, value in members.items() if value is not ABSENT})
