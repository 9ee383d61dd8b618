"""Rows that must be there."""

from typing import TypeVar

from mockserver.errors import ErrorRow, Refusal
from mockserver.kernel.table import Row, Table

R = TypeVar("R", bound=Row)


def require(table: Table[R], row_id: str, missing: ErrorRow, param: str | None = None) -> R:
    """The row with this id; refused with `missing`, a row whose message names `{id}`."""
    row = table.get(row_id)
    if row is None:
        raise Refusal(missing, param=param, id=row_id[:80])
    return row
