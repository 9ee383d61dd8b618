"""Rows that must be there."""

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
    """The row with this id; refused with `missing`, a row of the catalogue whose message names `{id}`.

    A row that `accept` answers False for is as good as none: one that was deleted, or is another's.
    """
    row = table.get(row_id)
    if row is None or (accept is not None and not accept(row)):
        raise not_found(missing, row_id, param)
    return row


def not_found(missing: ErrorRow, row_id: str, param: str | None = None) -> ApiError:
    """The refusal of an id that means nothing; of a long one the message shows the beginning."""
    return ApiError(missing, param=param, id=row_id[:80])
