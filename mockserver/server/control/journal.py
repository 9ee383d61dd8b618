"""The journal: every exchange in order, and the scenario rules that an exchange nearly matched."""

import base64
from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, Any

from pydantic import Field
from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Wait
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.globs import Glob, read_glob
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.scenario import matching
from mockserver.server.control.bodies import (
    ControlQuery,
    DeletedAnswer,
    ListAnswer,
    ListQuery,
    WaitQuery,
    invalid,
    list_answer,
    wait_for_list,
)
from mockserver.server.control.effects import EffectsAnswer, effects_answer, shown_tables
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.past_calls import member_names, view_past_call
from mockserver.server.control_call import ControlCall
from mockserver.server.masking import (
    LONGEST_PARSED,
    mask_body,
    mask_header,
    mask_pairs,
    mask_path,
)
from mockserver.state.journal import Exchange
from mockserver.state.project import Project

journal = ControlGroup("Journal")


class ShowExchange(ControlQuery):
    """How an exchange is shown."""

    unmasked: bool = False
    """Show keys, tokens, passwords and codes too."""


class ListJournal(ShowExchange, WaitQuery):
    """Filters of the list; an exchange must match all of them."""

    operation: str | None = None
    """An operation id; an unknown one is an error."""
    status: Annotated[str, Field(pattern=r"^(0|[1-5]([0-9]{2}|xx))$")] | None = None
    """A status such as `404`, a class such as `4xx`, or `0` for no answer."""
    path: Annotated[str, Field(max_length=1_000)] | None = None
    """A prefix of the path, or a pattern with `*`."""
    method: str | None = None
    since: Annotated[int, Field(ge=0)] = 0
    """Only exchanges with a higher number."""
    request_id: str | None = None
    """The request's `x-request-id`."""


class ListNearMisses(ShowExchange, ListQuery):
    """Which rules to list, and how values are shown."""


class PayloadAnswer(TypedDict):
    """A request or a response; its body is parsed JSON, a text, or `{base64}` if it is neither."""

    headers: dict[str, str]
    body: Any


class ExchangeAnswer(TypedDict):
    """A request and its response."""

    n: int
    at: str
    method: str
    path: str
    query: str
    operation: str | None
    """The operation id; null for a path that does not exist."""
    status: int
    """The status of the response; 0 if a fault prevented one."""
    rule: str | None
    """The scenario rule that changed the response."""
    fault: str | None
    """What a rule made go wrong when the response was sent; the client may have seen none of it."""
    hints: list[str]
    """What was accepted beyond the specification, as in the header `x-mockserver-hint`."""
    request_id: str | None
    request: PayloadAnswer
    response: PayloadAnswer
    effects: EffectsAnswer
    """What the call changed."""


@journal.operation("GET", "/journal", "ListJournal", errors.CONTROL_INVALID, errors.CONTROL_UNKNOWN_PROJECT)
def list_journal(call: ControlCall[None, ListJournal]) -> ListAnswer[ExchangeAnswer] | Wait:
    """List exchanges, oldest first; with `wait`, as soon as one matches."""
    query = call.query
    _check_operation(call)
    # A prefix is a pattern that ends with a wildcard.
    path = None if query.path is None else read_glob(query.path if "*" in query.path else f"{query.path}*")

    def answer() -> ListAnswer[ExchangeAnswer]:
        matching = (exchange for exchange in call.project.journal if _is_match(exchange, query, path))
        return list_answer(
            query, matching, lambda row: _exchange_answer(call, row, query.unmasked), attrgetter("size")
        )

    seen = 0

    def has_match() -> bool:
        nonlocal seen
        journal, before = call.project.journal, seen
        seen = journal.last_number
        return any(_is_match(exchange, query, path) for exchange in journal.since(before))

    return wait_for_list(query, has_match, answer)


@journal.operation("GET", "/journal/{n}", "GetExchange", errors.CONTROL_UNKNOWN_EXCHANGE)
def get_exchange(call: ControlCall[None, ShowExchange]) -> ExchangeAnswer:
    """Retrieve an exchange by its number."""
    return _exchange_answer(call, _find_exchange(call), call.query.unmasked)


@journal.operation("DELETE", "/journal", "ClearJournal")
def clear_journal(call: ControlCall) -> DeletedAnswer:
    """Delete every exchange. Numbers are not used again."""
    count = len(call.project.journal)
    call.project.journal.clear()
    return {"deleted": count}


@journal.operation("GET", "/journal/{n}/near-misses", "ListNearMisses", errors.CONTROL_UNKNOWN_EXCHANGE)
def list_near_misses(call: ControlCall[None, ListNearMisses]) -> ListAnswer[matching.NearMiss]:
    """List the scenario rules that an exchange would nearly match if sent again now, nearest first."""
    view = view_past_call(call, _find_exchange(call), unmasked=call.query.unmasked)
    found = () if view is None else matching.near_misses(view)
    return list_answer(call.query, found, lambda miss: miss)


def _find_exchange(call: ControlCall[Any, Any]) -> Exchange:
    """The exchange with the number in the path."""
    text = call.path["n"]
    return require_exchange(call.project, int(text) if text.isdecimal() and len(text) < 19 else 0, text[:20])


def require_exchange(project: Project, number: int, text: str, param: str | None = None) -> Exchange:
    """The exchange with a number, given as a text; 404 if it never was or is not kept any more."""
    exchange = project.journal.get(number)
    if exchange is None:
        reason = " any more" if 0 < number <= project.journal.last_number else ""
        raise ApiError(errors.CONTROL_UNKNOWN_EXCHANGE, param=param, number=text, reason=reason)
    return exchange


def _check_operation(call: ControlCall[None, ListJournal]) -> None:
    """400 for a misspelt operation: no exchange would ever match it."""
    name, known = call.query.operation, call.routes.by_operation
    if name is not None and name not in known:
        hint = did_you_mean(nearest(name, known))
        raise invalid("operation", f"{name[:80]!r} is not an operation{hint}")


def _is_match(exchange: Exchange, query: ListJournal, path: Glob | None) -> bool:
    return (
        exchange.number > query.since
        and query.operation in (None, exchange.operation)
        and (query.method is None or query.method.upper() == exchange.method)
        and query.status in (None, str(exchange.status), f"{exchange.status // 100}xx")
        and query.request_id in (None, exchange.request_headers.get("x-request-id"))
        and (path is None or path.matches(exchange.path))
    )


def _path_template(call: ControlCall[Any, Any], path: str) -> str:
    """The template of a path, for any method; the path itself if no endpoint has it."""
    methods, _ = call.routes.find(path.rstrip("/"))
    return next((endpoint.path for endpoint in methods.values()), path)


def _exchange_answer(call: ControlCall[Any, Any], exchange: Exchange, unmasked: bool) -> ExchangeAnswer:
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    path = exchange.path if unmasked else mask_path(exchange.path, _path_template(call, exchange.path))
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in exchange.response_headers]
    request_type = exchange.request_headers.get("content-type", "")
    response_type = dict(headers).get("content-type", "")
    if unmasked:
        request_body = _parse_body(exchange.request_body, request_type)
        response_body = _parse_body(exchange.response_body, response_type)
    else:
        request_body = mask_body(
            exchange.request_body, request_type, asked=True, known=member_names(endpoint)
        )
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
        "fault": exchange.fault,
        "hints": [leniency.hint for leniency in exchange.hints],
        "request_id": exchange.request_headers.get("x-request-id"),
        "request": {"headers": _headers(exchange.request_headers.items(), unmasked), "body": request_body},
        "response": {"headers": _headers(headers, unmasked), "body": response_body},
        "effects": effects_answer(shown_tables(call.project), exchange.changes, unmasked=unmasked),
    }


def _headers(headers: Iterable[tuple[str, str]], unmasked: bool) -> dict[str, str]:
    return {name: value if unmasked else mask_header(name, value) for name, value in headers}


def _parse_body(body: bytes, content_type: str) -> object:
    """A body for reading: JSON parsed unless it is long, text as text, anything else as `{base64}`."""
    if not body:
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}
    if content_type.startswith("application/x-www-form-urlencoded") or len(body) > LONGEST_PARSED:
        return text
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
