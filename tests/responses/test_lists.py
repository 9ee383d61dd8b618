"""Lists: the envelope of a page, and its size."""

from typing import Any, NamedTuple

from mockserver.api.call import ANONYMOUS_CALLER, Call, Request
from mockserver.api.wire import PageQuery, adapter
from mockserver.kernel.table import Page
from mockserver.responses.lists import listing, page_limit
from mockserver.state.project import Project
from tests.tables import cases


class Thing(NamedTuple):
    """A row like any other."""

    id: str


def listed(project: Project, query: dict[str, int], rows: int, total: int) -> dict[str, Any]:
    """The envelope of a page."""
    asked = adapter(PageQuery).validate_python(query)
    request = Request("GET", "/v2/things", "", {})
    call: Call[None, PageQuery] = Call(project, ANONYMOUS_CALLER, {}, None, asked, request)
    return dict(listing(call, Page([Thing("thi_1")] * rows, total), lambda row: "row", 10))


@cases(
    "query, rows, total, end",
    ({}, 10, 25, 10),
    ({"skip": 20}, 5, 25, 25),
    ({"skip": 3, "limit": 4}, 4, 25, 7),
    ({"limit": 2**31 - 1}, 25, 25, 25),
    ({"skip": 99}, 0, 25, 99),
    ({}, 0, 0, 0),
)
def test_a_page_says_where_it_starts_and_ends(
    project: Project, query: dict[str, int], rows: int, total: int, end: int
) -> None:
    answer = listed(project, query, rows, total)
    assert answer == {
        "object": "list",
        "url": "/v2/things",
        "data": ["row"] * rows,
        "start": query.get("skip", 0),
        "end": end,
        "total": total,
    }


def test_a_page_has_its_usual_size_unless_asked() -> None:
    assert page_limit(PageQuery(), 10) == 10
    assert page_limit(adapter(PageQuery).validate_python({"limit": 3}), 10) == 3
