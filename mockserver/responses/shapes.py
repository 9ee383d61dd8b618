"""Answers that many resources share."""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

from typing_extensions import TypedDict

from mockserver.api.call import Call
from mockserver.api.wire import PageQuery
from mockserver.kernel.table import Page, Row, Table

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


class Deleted(TypedDict):
    """The answer to most deletions."""

    id: str
    object: str
    deleted: bool


class Reference(TypedDict):
    """A related object that was not expanded."""

    id: str


DEFAULT_LIMIT = 100
"""The default page size of v2 lists; transactions, contracts and v1 lists have ten."""

SHORT_LIMIT = 10


def page_limit(query: PageQuery, default: int) -> int:
    """How many rows a page may have."""
    return default if query.limit is None else query.limit


def listing(call: Call[None, P], page: Page[R], shape: Callable[[R], T], default_limit: int) -> Listing[T]:
    """A page of a list in its envelope (specification, List envelope).

    `end` is `start` and the page size asked for, cut to `total`.
    """
    query = call.query
    end = min(query.skip + page_limit(query, default_limit), page.total)
    return {
        "object": "list",
        "url": call.request.path,
        "data": [shape(row) for row in page.rows],
        "start": query.skip,
        "end": max(end, query.skip),
        "total": page.total,
    }


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
    query = call.query
    page = table.page(
        skip=query.skip,
        limit=page_limit(query, default_limit),
        order=query.order,
        where=where,
        accept=accept,
    )
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
