"""Answers that many resources share."""

from collections.abc import Callable
from typing import Generic, Literal, Protocol, TypeVar

from typing_extensions import TypedDict

from mockserver.api.call import Call
from mockserver.api.wire import PageQuery
from mockserver.kernel.table import Page, Row

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


def optional(**members: object) -> dict[str, object]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}
