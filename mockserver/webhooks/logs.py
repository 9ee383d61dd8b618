"""The logs of a project's requests and webhooks (`/v1/logs`): views of its history and of its attempts."""

from typing import Any, cast

from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import PageQuery
from mockserver.kernel import timestamps
from mockserver.kernel.table import Page
from mockserver.responses.lists import SHORT_LIMIT, Listing, list_rows, listing, page_limit
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.history.journal import brief_answer, payload_answers, weigh
from mockserver.state.history.event import Event
from mockserver.state.outbox import Attempt
from mockserver.webhooks.room import Room

logs = Group("Logs (v1)")

_READ = secret_key("logs:read")


class ListRequests(PageQuery):
    """Filters of the list."""

    method: list[str] | None = None
    id: str | None = None


class RequestLogAnswer(TypedDict):
    """A request and its answer, with secrets masked."""

    id: str
    timestamp: str
    event: str
    """Method and path."""
    request_body: Any
    status: int
    """0 where there was no answer."""
    response_time: int
    """How long it took on the project's clock, in milliseconds."""
    response_data: Any


@logs.endpoint("GET /v1/logs", "GetProjectLogs", _READ)
def list_requests(call: Call[None, ListRequests]) -> Listing[RequestLogAnswer]:
    """List the requests to the API that the journal has, newest first."""
    query, methods, wanted = call.query, call.query.method, call.query.id
    # Looking at the logs is left out: each look would hold the one before, and those before it.
    found: list[Any] = [
        event
        for event in call.project.history.answered_since(0)
        if event.operation != "GetProjectLogs"
        and wanted in (None, _id_of(event))
        and (methods is None or event.method in methods)
    ]
    if query.order == "desc":
        found.reverse()
    page: Page[Any] = Page(found[query.skip : query.skip + page_limit(query, SHORT_LIMIT)], len(found))
    # The call as one that may look at the journal, which knows how requests are shown.
    server = cast(Room, call.project.follower).server
    looking = ControlCall(call.project, call.caller, call.path, None, query, call.request, server)
    return listing(call, page, lambda event: _request_answer(looking, event), SHORT_LIMIT, weigh)


@logs.endpoint("GET /v1/logs/webhook", "GetWebhookLogsByProjectId", _READ)
def list_webhooks(call: Call[None, PageQuery]) -> Listing[RequestLogAnswer]:
    """List the attempts to send webhooks, newest first."""
    return list_rows(call, call.project.webhooks.attempts, lambda row: _attempt_answer(call, row))


def _id_of(event: Event) -> str:
    return f"log_{event.number}"


def _request_answer(call: ControlCall[None, ListRequests], event: Event) -> RequestLogAnswer:
    shown, payloads = brief_answer(call, event, False), payload_answers(call, event, False)
    return {
        "id": _id_of(event),
        "timestamp": shown["at"],
        "event": f"{shown['method']} {shown['path']}",
        "request_body": payloads["request"]["body"],
        "status": shown["status"],
        "response_time": shown["took_ms"],
        "response_data": payloads["response"]["body"],
    }


def _attempt_answer(call: Call[None, PageQuery], row: Attempt) -> RequestLogAnswer:
    delivery = call.project.webhooks.deliveries.get(row.delivery_id)
    return {
        "id": row.id,
        "timestamp": timestamps.format_iso(row.at_ms),
        "event": "POST" if delivery is None else f"POST {delivery.target}",
        "request_body": None if delivery is None else from_json(delivery.body),
        "status": row.answered or 0,
        "response_time": 0,
        "response_data": row.error or row.response,
    }
