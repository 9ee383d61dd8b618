"""Subscriptions, their triggers, and the logs of what was delivered (`/v1/subscriptions`)."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Id, PageQuery, Text
from mockserver.domain.identity.users import is_email
from mockserver.errors import wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import Deleted, deletion_answer, optional, present
from mockserver.state.existence import require
from mockserver.state.outbox import Attempt, Subscription, Trigger, TriggerKind
from mockserver.webhooks.deliveries import announce
from mockserver.webhooks.targets import check_url
from mockserver.webhooks.topics import TopicName

subscriptions = Group("Subscriptions (v1)")

_READ = secret_key("subscriptions:read")
_WRITE = secret_key("subscriptions:write")
_DELETE = secret_key("subscriptions:delete")
_NO_SUBSCRIPTION = (errors.SUBSCRIPTION_NOT_FOUND,)
_NO_TRIGGER = (errors.SUBSCRIPTION_NOT_FOUND, errors.TRIGGER_NOT_FOUND)
_INVALID = (errors.INVALID_PARAMETERS,)
_NO_TARGET = (*_NO_SUBSCRIPTION, *_INVALID)
_ALL = "/v1/subscriptions"
_ONE = f"{_ALL}/{{id}}"
_TRIGGERS = f"{_ONE}/triggers"
_TRIGGER = f"{_TRIGGERS}/{{triggerId}}"


class CreateTrigger(Body):
    """Where to be told."""

    target: Text
    type: TriggerKind
    subscription: Id | None = None


class CreateSubscription(Body):
    """What to be told about, and where."""

    topic: TopicName
    triggers: Annotated[list[CreateTrigger], Field(max_length=100)]


class ListLogs(PageQuery):
    """Filters of the list; an attempt must match all of them."""

    topic: TopicName | None = None
    status: Literal["success", "failed"] | None = None
    object: str | None = None
    subscription: Id | None = None
    trigger: Id | None = None
    requestID: Id | None = None


class TriggerAnswer(TypedDict):
    """A trigger."""

    id: str
    object: Literal["trigger"]
    createdAt: int
    target: str
    type: TriggerKind
    subscription: str
    active: bool
    """Whether it is told anything: too many failures in a row deactivate it."""
    updatedAt: NotRequired[int]


class SubscriptionAnswer(TypedDict):
    """A subscription with its triggers."""

    id: str
    object: Literal["subscription"]
    createdAt: int
    topic: str
    triggers: list[TriggerAnswer]


class DeliveryLogAnswer(TypedDict):
    """An attempt to deliver."""

    id: str
    object: Literal["log"]
    createdAt: int
    topic: str
    status: Literal["success", "failed"]
    subscription: str
    trigger: str
    requestID: str


class TestSentAnswer(TypedDict):
    """Whether there was a trigger for it."""

    sent: bool


@subscriptions.endpoint(f"GET {_ALL}", "GetSubscriptions", _READ)
def list_subscriptions(call: Call[None, PageQuery]) -> Listing[SubscriptionAnswer]:
    """List subscriptions, newest first."""
    return list_rows(call, call.project.webhooks.subscriptions, lambda row: _answer(call, row))


@subscriptions.endpoint(f"POST {_ALL}", "CreateSubscription", _WRITE, status=201, errors=_INVALID)
def create_subscription(call: Call[CreateSubscription]) -> SubscriptionAnswer:
    """Subscribe to a topic."""
    project, body = call.project, call.body
    row = Subscription(project.new_id("sub"), call.now_ms, body.topic)
    project.webhooks.subscriptions.insert(row)
    for number, trigger in enumerate(body.triggers):
        _add_trigger(call, row, trigger, f"triggers[{number}].")
    return _answer(call, row)


@subscriptions.endpoint(f"GET {_ALL}/logs", "ListSubscriptionLogs", _READ)
def list_logs(call: Call[None, ListLogs]) -> Listing[DeliveryLogAnswer]:
    """List attempts to deliver, newest first."""
    query = call.query
    where = {
        "topic": query.topic,
        "status": query.status,
        "subscription_id": query.subscription,
        "trigger_id": query.trigger,
        "delivery_id": query.requestID,
    }
    accept = None if query.object in (None, "log") else lambda _: False
    return list_rows(call, call.project.webhooks.attempts, _log_answer, where=where, accept=accept)


@subscriptions.endpoint(f"POST {_ALL}/test", "TestTrigger", _WRITE)
def test_trigger(call: Call) -> TestSentAnswer:
    """Deliver a message of the topic `test` to all who subscribed to it."""
    event_id = call.project.new_id("eve")
    return {"sent": announce(call.project, "test", event_id, {"id": event_id, "object": "test"}) > 0}


@subscriptions.endpoint(
    f"POST {_ALL}/triggers/{{triggerId}}/enable", "EnableTrigger", _WRITE, errors=_NO_TRIGGER[1:]
)
def enable_trigger(call: Call) -> TriggerAnswer:
    """Activate a trigger, and forget its failures."""
    triggers = call.project.webhooks.triggers
    row = require(triggers, call.path["triggerId"], errors.TRIGGER_NOT_FOUND)
    return _trigger_answer(triggers.replace(row._replace(active=True, failures=0, updated_ms=call.now_ms)))


@subscriptions.endpoint(f"GET {_ONE}", "GetSubscription", _READ, errors=_NO_SUBSCRIPTION)
def get_subscription(call: Call) -> SubscriptionAnswer:
    """Retrieve a subscription."""
    return _answer(call, _require(call))


@subscriptions.endpoint(f"DELETE {_ONE}", "DeleteSubscription", _DELETE, status=201, errors=_NO_SUBSCRIPTION)
def delete_subscription(call: Call) -> Deleted:
    """Delete a subscription and its triggers. What waits to be delivered fails."""
    row = _require(call)
    for trigger in call.project.webhooks.triggers.find("subscription_id", row.id):
        call.project.webhooks.triggers.remove(trigger.id)
    call.project.webhooks.subscriptions.remove(row.id)
    return deletion_answer(row.id, "subscription")


@subscriptions.endpoint(f"GET {_TRIGGERS}", "GetTriggers", _READ, errors=_NO_SUBSCRIPTION)
def list_triggers(call: Call[None, PageQuery]) -> Listing[TriggerAnswer]:
    """List the triggers of a subscription, newest first."""
    where = {"subscription_id": _require(call).id}
    return list_rows(call, call.project.webhooks.triggers, _trigger_answer, where=where)


@subscriptions.endpoint(f"POST {_TRIGGERS}", "CreateTrigger", _WRITE, status=201, errors=_NO_TARGET)
def create_trigger(call: Call[CreateTrigger]) -> TriggerAnswer:
    """Add a trigger to a subscription."""
    return _trigger_answer(_add_trigger(call, _require(call), call.body, ""))


@subscriptions.endpoint(f"GET {_TRIGGER}", "GetTrigger", _READ, errors=_NO_TRIGGER)
def get_trigger(call: Call) -> TriggerAnswer:
    """Retrieve a trigger."""
    return _trigger_answer(_require_trigger(call))


@subscriptions.endpoint(f"DELETE {_TRIGGER}", "DeleteTrigger", _DELETE, status=201, errors=_NO_TRIGGER)
def delete_trigger(call: Call) -> Deleted:
    """Delete a trigger. What waits to be delivered to it fails."""
    row = _require_trigger(call)
    call.project.webhooks.triggers.remove(row.id)
    return deletion_answer(row.id, "trigger")


def _add_trigger(call: Call[Any], row: Subscription, given: CreateTrigger, place: str) -> Trigger:
    if given.type == "email" and not is_email(given.target):
        raise wrong_field(f"{place}target", "must be an e-mail address")
    if given.type == "webhook":
        try:
            check_url(given.target)
        except ValueError as error:
            raise wrong_field(f"{place}target", str(error)) from None
    return call.project.webhooks.triggers.insert(
        Trigger(
            id=call.project.new_id("tri"),
            created_ms=call.now_ms,
            subscription_id=row.id,
            topic=row.topic,
            kind=given.type,
            target=given.target,
        )
    )


def _require(call: Call[Any, Any]) -> Subscription:
    return require(call.project.webhooks.subscriptions, call.path["id"], errors.SUBSCRIPTION_NOT_FOUND)


def _require_trigger(call: Call) -> Trigger:
    subscription = _require(call)
    return require(
        call.project.webhooks.triggers,
        call.path["triggerId"],
        errors.TRIGGER_NOT_FOUND,
        accept=lambda row: row.subscription_id == subscription.id,
    )


def _answer(call: Call[Any, Any], row: Subscription) -> SubscriptionAnswer:
    triggers = call.project.webhooks.triggers.find("subscription_id", row.id)
    return {
        "id": row.id,
        "object": "subscription",
        "createdAt": to_seconds(row.created_ms),
        "topic": row.topic,
        "triggers": [_trigger_answer(trigger) for trigger in triggers],
    }


def _trigger_answer(row: Trigger) -> TriggerAnswer:
    answer: TriggerAnswer = {
        "id": row.id,
        "object": "trigger",
        "createdAt": to_seconds(row.created_ms),
        "target": row.target,
        "type": row.kind,
        "subscription": row.subscription_id,
        "active": row.active,
        "updatedAt": optional(None if row.updated_ms is None else to_seconds(row.updated_ms)),
    }
    return present(answer)


def _log_answer(row: Attempt) -> DeliveryLogAnswer:
    return {
        "id": row.id,
        "object": "log",
        "createdAt": to_seconds(row.at_ms),
        "topic": row.topic,
        "status": row.status,
        "subscription": row.subscription_id,
        "trigger": row.trigger_id,
        "requestID": row.delivery_id,
    }
