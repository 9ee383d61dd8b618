"""The outbox: mails and texts that the real service would have sent, with their codes and links."""

from typing import Annotated, Literal, NotRequired, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.call import Wait
from mockserver.api.endpoint import Group
from mockserver.api.shapes import DEFAULT_LIMIT
from mockserver.kernel import timestamps
from mockserver.kernel.table import Page
from mockserver.server.control.members import ControlQuery
from mockserver.server.control_call import ControlCall
from mockserver.state.outbox import Message

outbox = Group("Outbox")

WaitSeconds = Annotated[float, Field(ge=0, le=300)]
"""How many seconds to wait, at the most, for something that fits."""


class ListOutbox(ControlQuery):
    """Filters of the list."""

    to: str | None = None
    channel: Literal["email", "sms"] | None = None
    kind: str | None = None
    latest: bool = False
    """Only the newest that fits."""
    limit: Annotated[int, Field(ge=1, le=2**31 - 1)] = DEFAULT_LIMIT
    skip: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    order: Literal["asc", "desc"] = "asc"
    wait: WaitSeconds | None = None


class MessageAnswer(TypedDict):
    """A mail or a text."""

    id: str
    at: str
    channel: Literal["email", "sms"]
    to: str
    kind: str
    text: str
    subject: NotRequired[str]
    code: NotRequired[str]
    url: NotRequired[str]


class MessageList(TypedDict):
    """Some messages, and how many fit."""

    data: list[MessageAnswer]
    total: int


class Cleared(TypedDict):
    """How much was forgotten."""

    cleared: int


@outbox.endpoint(
    "GET", "/_mock/projects/{p}/outbox", "ListOutbox", ANYBODY, errors=(errors.CONTROL_UNKNOWN_PROJECT,)
)
def list_outbox(call: ControlCall[None, ListOutbox]) -> MessageList | Wait:
    """List mails and texts, oldest first; with `wait`, as soon as one fits."""
    query = call.query

    def answer() -> MessageList:
        page = _page(call)
        rows = page.rows[:1] if query.latest else page.rows
        return {"data": [_answer(row) for row in rows], "total": page.total}

    if not query.wait:
        return answer()
    return Wait(lambda: _page(call).total > 0, answer, limit_ms=int(query.wait * 1000))


@outbox.endpoint("DELETE", "/_mock/projects/{p}/outbox", "ClearOutbox", ANYBODY)
def clear_outbox(call: ControlCall) -> Cleared:
    """Forget every mail and text. Their codes and links stay good."""
    rows = list(call.project.outbox)
    for row in rows:
        call.project.outbox.remove(row.id)
    return {"cleared": len(rows)}


def _page(call: ControlCall[None, ListOutbox]) -> Page[Message]:
    query = call.query
    return call.project.outbox.page(
        skip=query.skip,
        limit=query.limit,
        order="desc" if query.latest else query.order,
        where={
            "to": query.to.lower() if query.to is not None else None,
            "channel": query.channel,
            "kind": query.kind,
        },
    )


def _answer(row: Message) -> MessageAnswer:
    answer: MessageAnswer = {
        "id": row.id,
        "at": timestamps.format_iso(row.at_ms),
        "channel": row.channel,
        "to": row.to,
        "kind": row.kind,
        "text": row.text,
    }
    if row.subject is not None:
        answer["subject"] = row.subject
    if row.code is not None:
        answer["code"] = row.code
    if row.url is not None:
        answer["url"] = row.url
    return answer
