"""The journal: every exchange in order, and the scenario rules that an exchange nearly matched."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any, NotRequired

from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.values import find_rpc_error
from mockserver.api.waiting import weigh_row
from mockserver.errors import ApiError, is_error
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Plan
from mockserver.kernel.spelling import say_unknown
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.docs_links import docs_link
from mockserver.server.answering.envelopes import find_code
from mockserver.server.answering.masking import (
    LONGEST_PARSED,
    Walker,
    endpoint_at,
    plan_of_request,
    plan_of_shape,
)
from mockserver.server.control.bodies import DeletedAnswer, ListAnswer, invalid, list_answer, wait_for_list
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import EffectsAnswer, effects_answer, shown_by, shown_tables
from mockserver.server.control.history.journal_filters import ListJournal, ShowExchange, exchange_filter
from mockserver.server.control.history.lost_ids import explain_lost_ids
from mockserver.server.control.history.unknown_members import unknown_members
from mockserver.state.history.changes import merge_changes
from mockserver.state.history.event import LOSE_ANSWER, Event
from mockserver.state.history.history import measure, size_of_changes

journal = ControlGroup("Journal")


class PayloadAnswer(TypedDict):
    """A request or a response; its body is parsed JSON, a text, or `{base64}` if it is neither."""

    headers: dict[str, str]
    body: Any


class ExchangeAnswer(TypedDict):
    """A request and its response; of a brief list without headers and bodies."""

    n: int
    at: str
    method: str
    path: str
    query: str
    operation: str | None
    """The operation id; null for a path that does not exist."""
    docs: NotRequired[str]
    """Where the server shows the operation."""
    status: int
    """The status of the response; 0 if a fault prevented one."""
    rpc_error: int | None
    """The code of the JSON-RPC error in a response whose status is 200; of a batch the first."""
    rule: str | None
    """The scenario rule that changed the response."""
    fault: str | None
    """What a rule made go wrong when the response was sent."""
    lost: bool
    """Whether the client got nothing of the response, because of a fault."""
    took_ms: int
    """How long the call took on the project's clock: what it waited for, not how long the server worked."""
    hints: list[str]
    """What was accepted beyond the specification, as in the header `x-mockserver-hint`."""
    request_id: str | None
    request: NotRequired[PayloadAnswer]
    response: NotRequired[PayloadAnswer]
    effects: NotRequired[EffectsAnswer]
    """What the call changed."""
    findings: NotRequired[list[str]]
    """What else may explain the answer: members that were ignored, and where ids are that were not found."""


@journal.operation("GET /journal", "ListJournal", errors.CONTROL_INVALID, errors.CONTROL_UNKNOWN_PROJECT)
def list_journal(call: ControlCall[None, ListJournal]) -> ListAnswer[ExchangeAnswer]:
    """List exchanges, oldest first; with `wait`, as soon as one matches."""
    query = call.query
    _check_operation(call)
    matches = exchange_filter(query, Walker(call.server.names))

    def show(exchange: Event) -> ExchangeAnswer:
        return (brief_answer if query.brief else _exchange_answer)(call, exchange, query.unmasked)

    def answer() -> ListAnswer[ExchangeAnswer]:
        kept = call.project.history.answered_since(query.since)
        matching = kept if matches is None else [*filter(matches, kept)]
        return list_answer(query, matching, show, weigh_row if query.brief else weigh)

    seen = 0

    def has_match() -> bool:
        nonlocal seen
        history, before = call.project.history, max(seen, query.since)
        seen = history.last_number
        return any(matches is None or matches(exchange) for exchange in history.answered_since(before))

    return wait_for_list(query, has_match, answer)


@journal.operation("GET /journal/{n}", "GetExchange", errors.CONTROL_UNKNOWN_EXCHANGE)
def get_exchange(call: ControlCall[None, ShowExchange]) -> ExchangeAnswer:
    """Retrieve an exchange by its number."""
    exchange = find_exchange(call)
    answer = _exchange_answer(call, exchange, call.query.unmasked)
    return {**answer, "findings": [*find_explanations(call, exchange, answer)]}


@journal.operation("DELETE /journal", "ClearJournal")
def clear_journal(call: ControlCall) -> DeletedAnswer:
    """Delete the history of a project, exchanges and all else. Numbers are not used again."""
    history = call.project.history
    count = len(history.answered_since(0))
    history.clear()
    return {"deleted": count}


def find_exchange(call: ControlCall[Any, Any]) -> Event:
    """The exchange with the number in the path; 404 if there is none or it is not kept any more."""
    text, history = call.path["n"], call.project.history
    number = int(text) if text.isdecimal() and len(text) < 19 else 0
    event = history.get(number)
    if event is None or event.status is None:
        reason = " any more" if event is None and 0 < number <= history.last_number else ""
        raise ApiError(errors.CONTROL_UNKNOWN_EXCHANGE, number=text[:20], reason=reason)
    return event


def _check_operation(call: ControlCall[None, ListJournal]) -> None:
    """400 for a misspelt operation: no exchange would ever match it."""
    name, known = call.query.operation, call.routes.by_operation
    if name is not None and name not in known:
        raise invalid("operation", say_unknown("an operation", name, known))


def brief_answer(call: ControlCall[Any, Any, Any], exchange: Event, unmasked: bool) -> ExchangeAnswer:
    """An exchange without headers, bodies and effects."""
    path, query, request_id = exchange.path, exchange.query, exchange.request_headers.get("x-request-id")
    if not unmasked:
        endpoint, template = endpoint_at(call.routes, exchange.method, path)
        walker, shape = Walker(call.server.names), None if endpoint is None else endpoint.query
        path, query = walker.path(path, template), walker.pairs(query, plan_of_shape(shape))
        request_id = request_id and walker.text(request_id)
    return {
        "n": exchange.number,
        "at": timestamps.format_iso(exchange.at_ms),
        "method": exchange.method,
        "path": path,
        "query": query,
        "operation": exchange.operation,
        "status": exchange.known_status,
        "rpc_error": find_rpc_error(exchange.response_body),
        "rule": exchange.rule,
        "fault": exchange.fault,
        "lost": exchange.fault in LOSE_ANSWER,
        "took_ms": exchange.took_ms,
        "hints": [leniency.hint for leniency in exchange.hints],
        "request_id": request_id,
    }


def weigh(event: Event) -> int:
    """About how many bytes an event is shown with."""
    return measure(event) + size_of_changes(event.changes)


def _exchange_answer(call: ControlCall[Any, Any], exchange: Event, unmasked: bool) -> ExchangeAnswer:
    project = call.project
    parts = project.history.parts_of(exchange)
    changes = merge_changes([*map(project.changes_of, parts)])
    fired = [each for part in parts for each in part.fired]
    answer: ExchangeAnswer = {
        **brief_answer(call, exchange, unmasked),
        **payload_answers(call, exchange, unmasked),
        "effects": effects_answer(shown_tables(project), changes, fired, shown_by(call, unmasked)),
    }
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    if endpoint is not None:
        code = find_code(parse_body(exchange.response_body, "")) if is_error(exchange.known_status) else None
        answer["docs"] = docs_link(endpoint, endpoint.family, call.request.root_path, code)
    return answer


class PayloadAnswers(TypedDict):
    """Headers and bodies of both sides."""

    request: PayloadAnswer
    response: PayloadAnswer


def find_explanations(
    call: ControlCall[Any, Any, Any], exchange: Event, shown: ExchangeAnswer | PayloadAnswers
) -> Iterator[str]:
    """What may explain the answer to a call, by what is shown of both bodies."""
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    for name in unknown_members(endpoint, shown["request"]["body"]):
        yield f"the body has no member {name}: it is ignored"
    yield from explain_lost_ids(call.world, call.project, shown["response"]["body"])


def payload_answers(call: ControlCall[Any, Any, Any], exchange: Event, unmasked: bool) -> PayloadAnswers:
    """Headers and bodies of an exchange, with secrets masked."""
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in exchange.response_headers]
    walker = None if unmasked else Walker(call.server.names)
    endpoint = call.routes.by_operation.get(exchange.operation or "")
    asked = plan_of_request(endpoint)
    answered = plan_of_shape(None if endpoint is None or is_error(exchange.known_status) else endpoint.answer)
    request = _payload(exchange.request_headers, exchange.request_body, walker, asked)
    walker = walker and walker._replace(asked=False, request=asked)
    return {"request": request, "response": _payload(dict(headers), exchange.response_body, walker, answered)}


def _payload(headers: Mapping[str, str], body: bytes, walker: Walker | None, plan: Plan) -> PayloadAnswer:
    content_type = headers.get("content-type", "")
    if walker is None:
        return {"headers": dict(headers), "body": parse_body(body, content_type)}
    return {
        "headers": {name: walker.header(name, value) for name, value in headers.items()},
        "body": walker.payload(body, content_type, plan),
    }


def parse_body(body: bytes, content_type: str) -> object:
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
