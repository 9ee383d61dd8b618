"""The journal: every exchange in order, for tests to assert on."""

import base64
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field
from pydantic_core import from_json

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.call import Wait
from mockserver.api.endpoint import Endpoint, Group
from mockserver.api.shapes import DEFAULT_LIMIT
from mockserver.api.wire import field_names
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.server.control.members import ControlQuery
from mockserver.server.control.outbox import Cleared, WaitSeconds
from mockserver.server.control_call import ControlCall
from mockserver.server.masking import mask_body, mask_header, mask_pairs, mask_path, secret_members
from mockserver.state.journal import Exchange

journal = Group("Journal")


class ShowExchange(ControlQuery):
    """How an exchange is shown."""

    unmasked: bool = False
    """Show keys, tokens, passwords and codes too."""


class ListJournal(ShowExchange):
    """Filters of the list; an exchange must fit all of them."""

    operation: str | None = None
    """An operation id; one that does not exist is refused."""
    status: Annotated[str, Field(pattern=r"^[1-5]([0-9]{2}|xx)$")] | None = None
    """A status, or a class of them such as `4xx`."""
    path: str | None = None
    """What the path begins with, or a pattern with `*`."""
    method: str | None = None
    since: Annotated[int, Field(ge=0)] = 0
    """Only exchanges with a higher number."""
    request_id: str | None = None
    """The request's `x-request-id`."""
    limit: Annotated[int, Field(ge=1, le=2**31 - 1)] = DEFAULT_LIMIT
    skip: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    order: Literal["asc", "desc"] = "asc"
    wait: WaitSeconds | None = None


class RequestAnswer(TypedDict):
    """What was sent. A body is parsed if it is JSON, text if it is that, and `{base64}` otherwise."""

    headers: dict[str, str]
    body: Any


class ResponseAnswer(TypedDict):
    """What was answered."""

    headers: dict[str, str]
    body: Any


class ExchangeAnswer(TypedDict):
    """A request and its answer."""

    n: int
    at: str
    method: str
    path: str
    query: str
    operation: str | None
    status: int
    rule: str | None
    """The scenario rule that interfered."""
    request_id: str | None
    request: RequestAnswer
    response: ResponseAnswer


class ExchangeList(TypedDict):
    """Some exchanges, how many fit, and the number of the last one there was: a place to go on from."""

    data: list[ExchangeAnswer]
    total: int
    last: int


@journal.endpoint(
    "GET",
    "/_mock/projects/{p}/journal",
    "ListJournal",
    ANYBODY,
    errors=(errors.CONTROL_INVALID, errors.CONTROL_UNKNOWN_PROJECT),
)
def list_journal(call: ControlCall[None, ListJournal]) -> ExchangeList | Wait:
    """List exchanges, oldest first; with `wait`, as soon as one fits."""
    query = call.query
    _check_operation(call)

    def answer() -> ExchangeList:
        found = _fitting(call)
        if query.order == "desc":
            found.reverse()
        page = found[query.skip : query.skip + query.limit]
        return {
            "data": [_answer(call, exchange, query.unmasked) for exchange in page],
            "total": len(found),
            "last": call.project.journal.last_number,
        }

    if not query.wait:
        return answer()
    return Wait(lambda: bool(_fitting(call)), answer, limit_ms=int(query.wait * 1000))


@journal.endpoint(
    "GET",
    "/_mock/projects/{p}/journal/{n}",
    "GetExchange",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_EXCHANGE,),
)
def get_exchange(call: ControlCall[None, ShowExchange]) -> ExchangeAnswer:
    """Retrieve an exchange by its number."""
    return _answer(call, find_exchange(call), call.query.unmasked)


@journal.endpoint("DELETE", "/_mock/projects/{p}/journal", "ClearJournal", ANYBODY)
def clear_journal(call: ControlCall) -> Cleared:
    """Forget every exchange; numbers go on counting."""
    count = len(call.project.journal)
    call.project.journal.clear()
    return {"cleared": count}


def find_exchange(call: ControlCall[Any, Any]) -> Exchange:
    """The exchange of the number in the path. Refused with 404 when there is none, or none any more."""
    text = call.path["n"]
    exchange = call.project.journal.get(int(text)) if text.isdecimal() and len(text) < 19 else None
    if exchange is None:
        raise ApiError(errors.CONTROL_UNKNOWN_EXCHANGE, number=text[:20])
    return exchange


def _check_operation(call: ControlCall[None, ListJournal]) -> None:
    """Refuse a misspelt operation: nothing would ever fit it."""
    name, known = call.query.operation, call.routes.by_operation
    if name is not None and name not in known:
        summary = f"operation: {name[:80]!r} is not an operation{did_you_mean(nearest(name, known))}"
        raise ApiError(errors.CONTROL_INVALID, param="operation", summary=summary)


def _fitting(call: ControlCall[None, ListJournal]) -> list[Exchange]:
    query = call.query
    return [exchange for exchange in call.project.journal if _fits(exchange, query)]


def _fits(exchange: Exchange, query: ListJournal) -> bool:
    return (
        exchange.number > query.since
        and query.operation in (None, exchange.operation)
        and (query.method is None or query.method.upper() == exchange.method)
        and query.status in (None, str(exchange.status), f"{exchange.status // 100}xx")
        and query.request_id in (None, exchange.request_headers.get("x-request-id"))
        and (query.path is None or _has_path(exchange.path, query.path))
    )


def _template(call: ControlCall[Any, Any], path: str) -> str:
    """The form of a path, whatever method it was asked for with; the path itself where nobody knows it."""
    methods, _ = call.routes.find(path.rstrip("/"))
    return next((endpoint.path for endpoint in methods.values()), path)


def _has_path(path: str, wanted: str) -> bool:
    return fnmatchcase(path, wanted) if "*" in wanted else path.startswith(wanted)


def _answer(call: ControlCall[Any, Any], exchange: Exchange, unmasked: bool) -> ExchangeAnswer:
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    path = exchange.path if unmasked else mask_path(exchange.path, _template(call, exchange.path))
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in exchange.response_headers]
    request_type = exchange.request_headers.get("content-type", "")
    response_type = dict(headers).get("content-type", "")
    if unmasked:
        request_body = _body(exchange.request_body, request_type)
        response_body = _body(exchange.response_body, response_type)
    else:
        request_body = mask_body(exchange.request_body, request_type, asked=True, known=_members(endpoint))
        response_body = mask_body(exchange.response_body, response_type, asked=False)
    return {
        "n": exchange.number,
        "at": timestamps.format_iso(exchange.at_ms),
        "method": exchange.method,
        "path": path,
        "query": exchange.query if unmasked else mask_pairs(exchange.query),
        "operation": exchange.operation,
        "status": exchange.status,
        "rule": exchange.rule,
        "request_id": exchange.request_headers.get("x-request-id"),
        "request": {
            "headers": _headers(exchange.request_headers.items(), unmasked),
            "body": request_body,
        },
        "response": {
            "headers": _headers(headers, unmasked),
            "body": response_body,
        },
    }


def _headers(headers: Iterable[tuple[str, str]], unmasked: bool) -> dict[str, str]:
    return {name: value if unmasked else mask_header(name, value) for name, value in headers}


def _body(body: bytes, content_type: str) -> object:
    """A body as people read it: JSON parsed, text as text, anything else as `{base64}`."""
    if not body:
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}
    if content_type.startswith("application/x-www-form-urlencoded"):
        return text
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text


def _members(endpoint: Endpoint | None) -> frozenset[str] | None:
    """The members of a request to an operation that takes secrets, or None."""
    return None if endpoint is None or endpoint.body is None else secret_members(field_names(endpoint.body))
