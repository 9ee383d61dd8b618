"""Base classes of the control API's requests, and the shape of its lists."""

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.waiting import Until, later, show_rows, weigh_row
from mockserver.api.wire import Body, PageQuery, Query
from mockserver.errors import ApiError
from mockserver.kernel.schema import Row
from mockserver.kernel.spelling import MOST_EXPLAINED, did_you_mean, nearest, shorten
from mockserver.kernel.table import Table
from mockserver.responses.lists import DEFAULT_LIMIT, page_limit
from mockserver.state.existence import note_dropped

R = TypeVar("R")
T = TypeVar("T")
RowT = TypeVar("RowT", bound=Row)


class ControlBody(Body):
    """The base of the control API's bodies. An unknown member is an error: it is a slip in the test."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    example: ClassVar[str | None] = None
    """A body in JSON, for the error about what is no object."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = super().__get_pydantic_core_schema__(source, handler)
        names = [field.name for field in dataclasses.fields(source)]
        shape = f"such as {cls.example}" if cls.example else f"of {', '.join(names)}"
        return known_only(inner, names, f"must be an object {shape}")


def known_only(inner: CoreSchema, names: Sequence[str], description: str) -> CoreSchema:
    """The schema of an object that has no other members than these."""

    def refuse_unknown(value: object) -> object:
        if not isinstance(value, dict):
            raise ValueError(description)
        unknown = [name for name in value if name not in names]
        if unknown:
            found = [_unknown(name, names) for name in unknown[:MOST_EXPLAINED]]
            raise ValidationError.from_exception_data("object", found)
        return value

    return core_schema.no_info_before_validator_function(refuse_unknown, inner)


def _unknown(name: str, names: Sequence[str]) -> InitErrorDetails:
    hint = did_you_mean(nearest(name, names)) or f"; there is {', '.join(names)}"
    problem = PydanticCustomError("unknown_member", f"is not known here{hint}")
    return InitErrorDetails(type=problem, loc=(name,), input=None)


class ControlQuery(ControlBody, Query):
    """The base of the control API's queries."""


class ListQuery(ControlQuery, PageQuery):
    """How every list of the control API is paged: 100 entries unless `limit` is given."""

    order: Literal["asc", "desc"] = "asc"


class WaitQuery(ListQuery):
    """The same, for a list that can be waited for."""

    wait: Annotated[float, Field(ge=0, le=300)] | None = None
    """Seconds of real time to wait for a first match."""


class ListAnswer(TypedDict, Generic[T]):
    """The envelope of every list of the control API: a page of it, and how many entries match in all."""

    data: list[T]
    total: int


class DeletedAnswer(TypedDict):
    """What every DELETE of the control API answers: how many entries it deleted."""

    deleted: int
    """How many were deleted."""


def list_answer(
    query: ListQuery, rows: Iterable[R], show: Callable[[R], T], weigh: Callable[[R], int] = weigh_row
) -> ListAnswer[T]:
    """A page of a list; `rows` are all that match, in ascending order. `weigh` as in `show_rows`."""
    found = list(rows)
    if query.order == "desc":
        found.reverse()
    page = found[query.skip : query.skip + page_limit(query, DEFAULT_LIMIT)]

    def answer(shown: list[T]) -> ListAnswer[T]:
        return {"data": shown, "total": len(found)}

    return show_rows(page, show, answer, weigh)


def wait_for_list(
    query: WaitQuery, has_entry: Callable[[], bool], answer: Callable[[], ListAnswer[T]]
) -> ListAnswer[T]:
    """The list as it is, or with `wait` as soon as it has an entry.

    `has_entry` is asked again after each request to the project, and should look only at what is new.
    """
    if not query.wait:
        return answer()
    return later(Until(has_entry, real_ms=int(query.wait * 1000)), answer)


def require_row(table: Table[RowT], row_id: str, kind: str) -> RowT:
    """The row with this id; 404 without one. `kind` is what the message calls it."""
    row = table.get(row_id)
    if row is None:
        raise row_not_found(kind, row_id, table)
    return row


def invalid(param: str, problem: object) -> ApiError:
    """The 400 for a member, which is named by its path, with what is wrong with it."""
    return ApiError(errors.CONTROL_INVALID, param=param, summary=f"{param}: {problem}")


def row_not_found(
    kind: str, row_id: str, table: Table[Any] | None = None, param: str | None = None
) -> ApiError:
    """The 404 for an unknown id; of a long one the message shows the beginning."""
    return ApiError(
        errors.CONTROL_UNKNOWN_ROW, param=param, note=note_dropped(table), kind=kind, id=shorten(row_id)
    )
