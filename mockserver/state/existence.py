"""Lookups of rows that must exist."""

from collections.abc import Callable
from typing import TypeVar

from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel.table import Row, Table

R = TypeVar("R", bound=Row)


def require(
    table: Table[R],
    row_id: str,
    missing: ErrorRow,
    param: str | None = None,
    *,
    accept: Callable[[R], bool] | None = None,
) -> R:
    """The row with this id, or ApiError with `missing`, an error whose message has `{id}`.

    A row for which `accept` returns False, such as a deleted one or another user's, is treated as
    missing.
    """
    row = table.get(row_id)
    if row is None or (accept is not None and not accept(row)):
        raise not_found(missing, row_id, param)
    return row


def not_found(missing: ErrorRow, row_id: str, param: str | None = None) -> ApiError:
    """The error for an unknown id; of a long one the message shows the beginning."""
    return ApiError(missing, param=param, id=row_id[:80])
