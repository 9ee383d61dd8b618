"""Lookups of rows that must exist."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel.schema import Row
from mockserver.kernel.spelling import shorten
from mockserver.kernel.table import Table

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
        raise not_found(missing, row_id, param, table)
    return row


def require_kept(table: Table[R], row_id: str, missing: ErrorRow, param: str | None = None) -> R:
    """The row with this id, as of `require`, unless it is flagged as deleted."""
    return require(table, row_id, missing, param, accept=lambda row: not cast(Any, row).deleted)


def not_found(
    missing: ErrorRow, row_id: str, param: str | None = None, table: Table[Any] | None = None
) -> ApiError:
    """The error for an unknown id, which a table may have had; of a long one it shows the beginning."""
    note = "" if table is None or row_id in table else note_dropped(table)
    return ApiError(missing, param=param, note=note, id=shorten(row_id))


def note_dropped(table: Table[Any] | None) -> str:
    """The note of an error about a row that is not there, but may have been dropped; else an empty text."""
    if table is None or table.retention is None or not table.dropped:
        return ""
    retention = table.retention
    settings = retention.setting if retention.expires_ms is None else f"{retention.setting}, expired_kept_ms"
    return note_of_dropped(table.dropped, retention.kind, settings)


def note_of_dropped(count: int, kind: str, settings: str) -> str:
    """The note about some that were dropped, and the settings that made them be."""
    return f"It may be one of the {count} {kind} that were dropped ({settings})." if count else ""
