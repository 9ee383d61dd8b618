"""The outbox: e-mails and text messages that the real service would have sent, with codes and links."""

import re
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Secret
from mockserver.kernel.table import Page
from mockserver.responses.shapes import optional, present
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import DeletedAnswer, ListAnswer, WaitQuery, list_answer, wait_for_list
from mockserver.server.control.groups import ControlGroup
from mockserver.state.outbox import Message

outbox = ControlGroup("Outbox")


class ListOutbox(WaitQuery):
    """Filters of the list; a message must match all of them."""

    to: str | None = None
    """The recipient's e-mail address or phone number."""
    channel: Literal["email", "sms"] | None = None
    kind: str | None = None
    """What the message is for, such as `verify-email`."""


class MessageAnswer(TypedDict):
    """An e-mail or a text message."""

    id: str
    at: str
    channel: Literal["email", "sms"]
    to: str
    """The recipient's e-mail address or phone number."""
    kind: str
    """What the message is for, such as `verify-email`."""
    text: Secret
    subject: NotRequired[str]
    code: NotRequired[Secret]
    """The one-time code in it, if there is one."""
    url: NotRequired[Secret]
    """The link in it, if there is one."""
    token: NotRequired[Secret]
    """The token of the link, which an application sends that takes the link itself."""


_TOKEN = re.compile(r"(?:/reset-password/|[?&]token=)([^/?&#]+)")


@outbox.operation("GET /outbox", "ListOutbox", errors.CONTROL_UNKNOWN_PROJECT)
def list_outbox(call: ControlCall[None, ListOutbox]) -> ListAnswer[MessageAnswer]:
    """List messages, oldest first; with `wait`, as soon as one matches."""
    return wait_for_list(
        call.query,
        lambda: _page(call, limit=1).total > 0,
        lambda: list_answer(call.query, _page(call, limit=len(call.project.outbox)).rows, _message_answer),
    )


@outbox.operation("DELETE /outbox", "ClearOutbox")
def clear_outbox(call: ControlCall) -> DeletedAnswer:
    """Delete every message. Their codes and links stay valid."""
    rows = list(call.project.outbox)
    for row in rows:
        call.project.outbox.remove(row.id)
    return {"deleted": len(rows)}


def _page(call: ControlCall[None, ListOutbox], *, limit: int) -> Page[Message]:
    query = call.query
    to = None if query.to is None else query.to.lower()
    where = {"to": to, "channel": query.channel, "kind": query.kind}
    return call.project.outbox.page(limit=limit, order="asc", where=where)


def _message_answer(row: Message) -> MessageAnswer:
    token = row.url and _TOKEN.search(row.url)
    answer: MessageAnswer = {
        "id": row.id,
        "at": timestamps.format_iso(row.at_ms),
        "channel": row.channel,
        "to": row.to,
        "kind": row.kind,
        "text": row.text,
        "subject": optional(row.subject),
        "code": optional(row.code),
        "url": optional(row.url),
        "token": optional(token[1] if token else None),
    }
    return present(answer)
