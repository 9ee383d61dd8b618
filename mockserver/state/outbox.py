"""What the real service would have sent: e-mails and text messages, and webhooks."""

from typing import Literal, NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.schema import Schema
from mockserver.kernel.secrecy import Secret
from mockserver.state.tables import Tables, table


class Message(NamedTuple):
    """An e-mail or a text message."""

    id: str
    at_ms: int
    channel: Literal["email", "sms"]
    to: str
    kind: str
    text: Secret
    subject: str | None = None
    code: Secret | None = None
    url: Secret | None = None


OUTBOX = Schema(
    Message,
    "channel",
    "kind",
    to=lambda row: row.to.lower(),
    retention=Retention("messages", "messages_kept", one_group),
)

TriggerKind = Literal["webhook", "email"]
DeliveryStatus = Literal["waiting", "due", "held", "lost", "succeeded", "failed"]
DeliveryOutcome = Literal["lost", "late", "twice", "reordered", "corrupted", "answered"]


class Subscription(NamedTuple):
    """What the developer wants to be told about (`sub_`)."""

    id: str
    created_ms: int
    topic: str


class Trigger(NamedTuple):
    """Where a subscription is told to (`tri_`): a URL, or an e-mail address."""

    id: str
    created_ms: int
    subscription_id: str
    topic: str
    kind: TriggerKind
    target: str
    active: bool = True
    failures: int = 0
    """How many attempts failed since the last that did not."""
    updated_ms: int | None = None


class Delivery(NamedTuple):
    """One message of a change to one trigger (`dlv_`)."""

    id: str
    created_ms: int
    topic: str
    resource_id: str
    """The id of the row that changed."""
    subscription_id: str
    trigger_id: str
    kind: TriggerKind
    target: str
    body: str
    """The JSON that is signed."""
    status: DeliveryStatus
    attempts: int = 0
    due_ms: int | None = None
    """When it is sent; None while no timer is set."""
    fate: DeliveryOutcome | None = None


class Attempt(NamedTuple):
    """One attempt to deliver a message, for the logs (`eve_`)."""

    id: str
    at_ms: int
    delivery_id: str
    subscription_id: str
    trigger_id: str
    topic: str
    status: Literal["success", "failed"]
    answered: int | None = None
    """The status of the receiver's answer."""
    error: str | None = None
    """Why there was no answer."""
    response: str = ""
    """The beginning of the answer's body."""


class DeliveryFate(NamedTuple):
    """What becomes of deliveries to come."""

    id: str
    created_ms: int
    outcome: DeliveryOutcome
    topic: str | None = None
    """Only of this topic."""
    target: str | None = None
    """Only to this URL or address."""
    remaining: int | None = 1
    """How many more it takes; None for every one."""
    after_ms: int | None = None
    """How late they are."""
    status: int | None = None
    """What the receiver answers, in place of its own answer."""
    nth: int = 1
    """With which delivery to come it begins, counted from 1."""


class Watch(NamedTuple):
    """What the older API calls an event (`eve_`): a balance that is watched."""

    id: str
    created_ms: int
    name: str
    topic: str
    threshold: int | None = None
    contract_id: str | None = None
    function_name: str | None = None
    function_args: tuple[str, ...] = ()
    developer_account_id: str | None = None
    chain_id: int | None = None
    blocks: int | None = None
    is_below: bool = False
    """Whether the balance was below the threshold when it was last looked at."""


class Webhooks(Tables):
    """The tables of webhooks."""

    subscriptions = table(Subscription, "topic")
    triggers = table(Trigger, "subscription_id", open_topic=lambda row: row.topic if row.active else None)
    deliveries = table(
        Delivery,
        "topic",
        "status",
        "trigger_id",
        "target",
        "resource_id",
        held_back=lambda row: row.trigger_id if row.status == "waiting" and row.due_ms is None else None,
        retention=Retention("webhooks", "messages_kept", one_group),
    )
    attempts = table(
        Attempt,
        "topic",
        "status",
        "subscription_id",
        "trigger_id",
        "delivery_id",
        retention=Retention("attempts to send webhooks", "messages_kept", one_group),
    )
    fates = table(DeliveryFate)
    watches = table(Watch, "name", "topic")
