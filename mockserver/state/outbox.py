"""E-mails and text messages that the real service would have sent."""

from typing import Literal, NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.schema import Schema
from mockserver.kernel.secrecy import Secret


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
