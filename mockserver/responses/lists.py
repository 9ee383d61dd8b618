"""Lists: a page of a table's rows in an envelope (specification, List envelope)."""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Generic, Literal, Protocol, TypeVar

from typing_extensions import TypedDict

from mockserver.api.call import Call
from mockserver.api.waiting import show_rows, weigh_row
from mockserver.api.wire import PageQuery
from mockserver.kernel.schema import Row
from mockserver.kernel.table import Page, Table

R = TypeVar("R", bound=Row)
T = TypeVar("T")
P = TypeVar("P", bound=PageQuery)


class Listing(TypedDict, Generic[T]):
    """The envelope of every list (specification, List envelope)."""

    object: Literal["list"]
    url: str
    data: list[T]
    start: int
    end: int
    total: int


DEFAULT_LIMIT = 100
"""The default page size of v2 lists; transactions, contracts and v1 lists have ten."""

SHORT_LIMIT = 10


def page_limit(query: PageQuery, default: int) -> int:
    """How many rows a page may have."""
    return default if query.limit is None else query.limit


def find_page(
    query: PageQuery,
    table: Table[R],
    default_limit: int,
    *,
    where: Mapping[str, Hashable | Collection[Hashable]] | None = None,
    accept: Callable[[R], bool] | None = None,
) -> Page[R]:
    """The page of a table that a list's query asks for. See `Table.page` for the filters."""
    limit = page_limit(query, default_limit)
    return table.page(skip=query.skip, limit=limit, order=query.order, where=where, accept=accept)


def listing(
    call: Call[None, P],
    page: Page[R],
    shape: Callable[[R], T],
    default_limit: int,
    weigh: Callable[[R], int] = weigh_row,
) -> Listing[T]:
    """A page of a list in its envelope (specification, List envelope); `weigh` as in `show_rows`.

    `end` is `start` and the page size asked for, cut to `total`.
    """
    query = call.query
    end = min(query.skip + page_limit(query, default_limit), page.total)

    def answer(shown: list[T]) -> Listing[T]:
        return {
            "object": "list",
            "url": call.request.path,
            "data": shown,
            "start": query.skip,
            "end": max(end, query.skip),
            "total": page.total,
        }

    return show_rows(page.rows, shape, answer, weigh)


def list_rows(
    call: Call[None, P],
    table: Table[R],
    shape: Callable[[R], T],
    *,
    where: Mapping[str, Hashable | Collection[Hashable]] | None = None,
    accept: Callable[[R], bool] | None = None,
    default_limit: int = SHORT_LIMIT,
) -> Listing[T]:
    """The page of a table that a list's query asks for, in its envelope. See `Table.page` for the filters."""
    page = find_page(call.query, table, default_limit, where=where, accept=accept)
    return listing(call, page, shape, default_limit)


class _Named(Protocol):
    @property
    def name(self) -> str | None: ...


def name_contains(part: str | None) -> Callable[[_Named], bool] | None:
    """A filter for rows with this in their name, in any case; None without a part."""
    if not part:
        return None
    wanted = part.lower()
    return lambda row: row.name is not None and wanted in row.name.lower()
