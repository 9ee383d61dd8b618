"""The control API of webhooks: what was and will be delivered, how it ends, and inboxes that take it."""

import hmac
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Text
from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER, sign_webhook
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Secret
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import (
    ControlBody,
    DeletedAnswer,
    ListAnswer,
    ListQuery,
    WaitQuery,
    invalid,
    list_answer,
    require_row,
    wait_for_list,
)
from mockserver.server.control.groups import ControlGroup
from mockserver.state.outbox import (
    Attempt,
    Delivery,
    DeliveryFate,
    DeliveryOutcome,
    DeliveryStatus,
    TriggerKind,
)
from mockserver.webhooks import deliveries
from mockserver.webhooks.deliveries import LIFECYCLE, Result
from mockserver.webhooks.signing import key_of, sent_body
from mockserver.webhooks.targets import inbox_of
from mockserver.webhooks.topics import TopicName

webhooks = ControlGroup("Webhooks")

_DELIVERY = "webhooks/deliveries/{d}"


class ListDeliveries(WaitQuery):
    """Filters of the list; a delivery must match all of them."""

    topic: TopicName | None = None
    status: DeliveryStatus | None = None
    target: str | None = None
    resource: str | None = None
    trigger: str | None = None


class DeliverNow(ControlBody):
    """Which deliveries are sent at once that wait."""

    id: str | None = None
    """The id of one; every one unless it is given."""


class ReportResult(ControlBody):
    """What came of an attempt: exactly one of `status` and `error`."""

    example = '{"status": 200}'

    # Receivers may answer what no standard has.
    status: Annotated[int, Field(ge=100, le=999)] | None = None
    """The status of the receiver's answer."""
    error: Annotated[str, Field(max_length=1_000)] | None = None
    """Why there was no answer."""
    body: Annotated[str, Field(max_length=1_000)] = ""
    """The beginning of the answer's body."""


class SetDeliveryFate(ControlBody):
    """What becomes of deliveries to come."""

    example = '{"outcome": "lost"}'

    outcome: DeliveryOutcome
    """`lost`, `late` by `after_ms`, `twice`, `reordered` with the next one, `corrupted`, or `answered`."""
    topic: TopicName | None = None
    target: Text | None = None
    count: Annotated[int, Field(ge=1, le=10**6)] | None = 1
    """How many it takes; null for every one."""
    nth: Annotated[int, Field(ge=1, le=10**6)] = 1
    """With which of them it begins; those before it are delivered as always."""
    after_ms: Annotated[int, Field(ge=1, le=10**12)] | None = None
    """How late they are."""
    status: Annotated[int, Field(ge=100, le=599)] | None = None
    """What is answered in place of the receiver."""


class AttemptAnswer(TypedDict):
    """An attempt to deliver."""

    at: str
    status: Literal["success", "failed"]
    answered: int | None
    error: str | None
    response: str


class DeliveryAnswer(TypedDict):
    """A delivery, as it is or would be sent."""

    id: str
    at: str
    """When the change happened."""
    topic: str
    resource: str
    subscription: str
    trigger: str
    type: TriggerKind
    target: str
    status: DeliveryStatus
    """`held` is not sent: its host is not one that webhooks are sent to."""
    due: str | None
    fate: DeliveryOutcome | None
    payload: dict[str, object]
    """What `body` says."""
    body: str
    """What is sent."""
    headers: dict[str, str]
    verified: bool
    """Whether the signature is that of what is sent."""
    attempts: list[AttemptAnswer]


class DeliveryFateAnswer(TypedDict):
    """What becomes of deliveries to come."""

    id: str
    created_at: str
    outcome: DeliveryOutcome
    topic: str | None
    target: str | None
    count: int | None
    """How many more it takes; null for every one."""
    nth: int
    """With which delivery to come it begins."""
    after_ms: int | None
    status: int | None


class WebhookSecretAnswer(TypedDict):
    """The new secret."""

    signingSecret: Secret
    hint: str
    """Its last four characters."""
    updatedAt: int
    livemode: bool


@webhooks.operation("GET /webhooks/deliveries", "ListDeliveries")
def list_deliveries(call: ControlCall[None, ListDeliveries]) -> ListAnswer[DeliveryAnswer]:
    """List deliveries, oldest first; with `wait`, as soon as one matches."""
    query, rows = call.query, call.project.webhooks.deliveries
    where = {
        "topic": query.topic,
        "status": query.status,
        "target": query.target,
        "resource_id": query.resource,
        "trigger_id": query.trigger,
    }
    return wait_for_list(
        query,
        lambda: rows.page(limit=1, where=where).total > 0,
        lambda: list_answer(
            query, rows.page(limit=len(rows), order="asc", where=where).rows, lambda row: _answer(call, row)
        ),
    )


@webhooks.operation("POST /webhooks/deliver", "DeliverWebhooks", errors.CONTROL_UNKNOWN_ROW)
def deliver(call: ControlCall[DeliverNow]) -> ListAnswer[DeliveryAnswer]:
    """Send what waits now; lists what is still to be sent, for handlers in the process of the test."""
    rows, named = call.project.webhooks.deliveries, call.body.id
    chosen = list(rows) if named is None else [require_row(rows, named, "delivery")]
    for row in chosen:
        if row.status == "waiting":
            deliveries.send_now(call.project, row)
        elif row.status == "due":
            # One that came with a restored state is not on its way: what follows the changes sends it.
            rows.replace(row)
    found = [
        row for each in chosen if (row := rows[each.id]).status in ("due", "held") and row.kind == "webhook"
    ]
    return {"data": [_answer(call, row) for row in found], "total": len(found)}


@webhooks.operation(
    f"POST /{_DELIVERY}/redeliver", "RedeliverWebhook", errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_NOT_ENDED
)
def redeliver(call: ControlCall) -> DeliveryAnswer:
    """Deliver again what was delivered, lost or failed: the same body with the same id."""
    row = _require(call)
    if row.status not in LIFECYCLE.terminal:
        raise ApiError(errors.CONTROL_NOT_ENDED, id=row.id, status=row.status)
    return _answer(call, deliveries.redeliver(call.project, row))


@webhooks.operation(
    f"POST /{_DELIVERY}/result",
    "ReportDelivery",
    errors.CONTROL_INVALID,
    errors.CONTROL_UNKNOWN_ROW,
    errors.CONTROL_NOT_DUE,
)
def report_result(call: ControlCall[ReportResult]) -> DeliveryAnswer:
    """Report what a receiver answered to a delivery that is due or held."""
    row, body = _require(call), call.body
    if (body.status is None) == (body.error is None):
        raise invalid("status", "give exactly one of status and error")
    if row.status not in ("due", "held"):
        raise ApiError(errors.CONTROL_NOT_DUE, id=row.id, status=row.status)
    return _answer(call, deliveries.finish(call.project, row, Result(body.status, body.error, body.body)))


@webhooks.operation("POST /webhooks/secret", "RotateWebhookSecret")
def rotate_secret(call: ControlCall) -> WebhookSecretAnswer:
    """Sign webhooks with a new secret, which the setting `webhook_secret` then has."""
    project = call.project
    secret = f"whsec_{project.entropy.text('webhook_secret')}"
    project.change_settings(replace(project.settings, webhook_secret=secret))
    now_s = project.clock.now_s
    return {"signingSecret": secret, "hint": secret[-4:], "updatedAt": now_s, "livemode": project.livemode}


@webhooks.operation("POST /webhooks/fates", "SetDeliveryFate", errors.CONTROL_INVALID, status=201)
def set_fate(call: ControlCall[SetDeliveryFate]) -> DeliveryFateAnswer:
    """Set the fate of deliveries to come."""
    body, project = call.body, call.project
    for name, outcome in (("after_ms", "late"), ("status", "answered")):
        if (getattr(body, name) is not None) != (body.outcome == outcome):
            raise invalid(name, f"is for the outcome {outcome}, which needs it")
    fate = DeliveryFate(
        id=project.new_id("dfa"),
        created_ms=call.project.clock.now_ms,
        outcome=body.outcome,
        topic=body.topic,
        target=body.target,
        remaining=body.count,
        after_ms=body.after_ms,
        status=body.status,
        nth=body.nth,
    )
    return _fate_answer(project.webhooks.fates.insert(fate))


@webhooks.operation("GET /webhooks/fates", "ListDeliveryFates")
def list_fates(call: ControlCall[None, ListQuery]) -> ListAnswer[DeliveryFateAnswer]:
    """List the fates of deliveries that are not used up, oldest first."""
    return list_answer(call.query, call.project.webhooks.fates, _fate_answer)


@webhooks.operation("DELETE /webhooks/fates", "ClearDeliveryFates")
def clear_fates(call: ControlCall) -> DeletedAnswer:
    """Delete every fate of deliveries."""
    found = list(call.project.webhooks.fates)
    for fate in found:
        call.project.webhooks.fates.remove(fate.id)
    return {"deleted": len(found)}


@webhooks.operation("GET /inbox/{name}", "ListInbox")
def list_inbox(call: ControlCall[None, WaitQuery]) -> ListAnswer[DeliveryAnswer]:
    """List what came to an inbox: the webhooks whose target ends with its path. It needs no handler."""
    found: list[Delivery] = []

    def has_any() -> bool:
        project = call.project
        rows = (row for row in project.webhooks.deliveries if row.attempts and row.kind == "webhook")
        found[:] = [row for row in rows if inbox_of(project, row.target) == call.path["name"]]
        return bool(found)

    has_any()
    return wait_for_list(
        call.query, has_any, lambda: list_answer(call.query, found, lambda row: _answer(call, row))
    )


def _require(call: ControlCall[Any, Any]) -> Delivery:
    return require_row(call.project.webhooks.deliveries, call.path["d"], "delivery")


def _answer(call: ControlCall[Any, Any], row: Delivery) -> DeliveryAnswer:
    project, sent = call.project, sent_body(row)
    key = key_of(call.world, project)
    signature = sign_webhook(key, row.body.encode())
    headers = {"content-type": "application/json", SIGNATURE_HEADER: signature}
    return {
        "id": row.id,
        "at": timestamps.format_iso(row.created_ms),
        "topic": row.topic,
        "resource": row.resource_id,
        "subscription": row.subscription_id,
        "trigger": row.trigger_id,
        "type": row.kind,
        "target": row.target,
        "status": row.status,
        "due": None if row.due_ms is None else timestamps.format_iso(row.due_ms),
        "fate": row.fate,
        "payload": from_json(row.body),
        "body": sent.decode(),
        "headers": headers,
        "verified": hmac.compare_digest(signature, sign_webhook(key, sent)),
        "attempts": [_attempt_answer(each) for each in project.webhooks.attempts.find("delivery_id", row.id)],
    }


def _attempt_answer(row: Attempt) -> AttemptAnswer:
    return {
        "at": timestamps.format_iso(row.at_ms),
        "status": row.status,
        "answered": row.answered,
        "error": row.error,
        "response": row.response,
    }


def _fate_answer(row: DeliveryFate) -> DeliveryFateAnswer:
    return {
        "id": row.id,
        "created_at": timestamps.format_iso(row.created_ms),
        "outcome": row.outcome,
        "topic": row.topic,
        "target": row.target,
        "count": row.remaining,
        "nth": row.nth,
        "after_ms": row.after_ms,
        "status": row.status,
    }
