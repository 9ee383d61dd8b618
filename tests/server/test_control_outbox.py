"""The outbox: what would have been sent."""

import pytest
from httpx import Client

from mockserver.state.outbox import Message
from mockserver.state.project import Project
from tests.tables import cases

OUTBOX = "/_mock/projects/-/outbox"


@pytest.fixture
def full(api: Client, project: Project) -> Client:
    """A project that sent two mails and a text."""
    project.outbox.insert(
        Message(
            id="msg_1",
            at_ms=project.clock.now_ms,
            channel="email",
            to="Ada@example.com",
            kind="verify-email",
            text="Follow https://mock/verify?token=abc",
            subject="Verify your address",
            url="https://mock/verify?token=abc",
        )
    )
    project.outbox.insert(
        Message(
            "msg_2", project.clock.now_ms, "sms", "+15550100", "otp", "Your code is 123456.", code="123456"
        )
    )
    project.outbox.insert(
        Message(
            "msg_3", project.clock.now_ms, "email", "ada@example.com", "otp", "It is 654321.", code="654321"
        )
    )
    project.undo.mark()
    return api


def _ids(api: Client, **filters: object) -> list[str]:
    found = api.get(OUTBOX, params={name: str(value) for name, value in filters.items()}).json()
    return [message["id"] for message in found["data"]]


def test_a_message_is_shown_with_what_it_has(full: Client) -> None:
    mail, text, _ = full.get(OUTBOX).json()["data"]
    assert mail == {
        "id": "msg_1",
        "at": "2026-01-01T00:00:00.000Z",
        "channel": "email",
        "to": "Ada@example.com",
        "kind": "verify-email",
        "subject": "Verify your address",
        "text": "Follow https://mock/verify?token=abc",
        "url": "https://mock/verify?token=abc",
        "token": "abc",
    }
    assert text["code"] == "123456"
    assert "subject" not in text


@cases(
    "filters, ids",
    ({}, ["msg_1", "msg_2", "msg_3"]),
    ({"to": "ADA@example.com"}, ["msg_1", "msg_3"]),
    ({"channel": "sms"}, ["msg_2"]),
    ({"kind": "otp"}, ["msg_2", "msg_3"]),
    ({"kind": "otp", "channel": "email"}, ["msg_3"]),
    ({"order": "desc", "limit": 1}, ["msg_3"]),
    ({"order": "desc", "limit": 1, "to": "+15550100"}, ["msg_2"]),
    ({"order": "desc", "limit": 2}, ["msg_3", "msg_2"]),
    ({"to": "nobody@example.com"}, []),
)
def test_messages_are_found(full: Client, filters: dict[str, object], ids: list[str]) -> None:
    assert _ids(full, **filters) == ids


def test_the_total_counts_messages_beyond_the_page(full: Client) -> None:
    assert full.get(OUTBOX, params={"limit": 1}).json()["total"] == 3


def test_a_cleared_outbox_is_empty(full: Client) -> None:
    assert full.delete(OUTBOX).json() == {"deleted": 3}
    assert _ids(full) == []


def test_a_wait_ends_empty_handed_when_its_time_is_up(full: Client) -> None:
    assert full.get(OUTBOX, params={"to": "nobody@example.com", "wait": "0.01"}).json() == {
        "data": [],
        "total": 0,
    }


def test_clearing_outlives_a_call_that_is_refused_later(full: Client) -> None:
    full.delete(OUTBOX)
    assert full.get("/v1/contracts/con_none").status_code == 404
    assert _ids(full) == []
