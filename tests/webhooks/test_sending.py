"""Webhooks that are sent over HTTP."""

import hashlib
import hmac
import json
import socket
import time
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
from httpx import AsyncClient

from mockserver.server.edge.app import App
from mockserver.state.outbox import Delivery
from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from mockserver.webhooks import sending
from tests.live import mock, server
from tests.tables import cases
from tests.webhooks.receivers import receiving

__all__ = ["mock", "server"]


def announce(mock: MockProject) -> None:
    with mock.connect() as api:
        assert api.post("/v1/subscriptions/test").json() == {"sent": True}


def send_to(mock: MockProject, url: str, status: str = "succeeded") -> dict[str, Any]:
    """Announce something to a target; the delivery once it has a status."""
    mock.webhooks.subscribe(url, "test")
    announce(mock)
    return mock.webhooks.wait(status=status)


def test_a_webhook_arrives_with_its_signature(mock: MockProject) -> None:
    with receiving() as receiver:
        sent = send_to(mock, receiver.url)
    ((headers, body),) = receiver.got
    key = mock.env["OPENFORT_WEBHOOK_SECRET"].encode()
    assert headers["openfort-signature"] == hmac.new(key, body, hashlib.sha256).hexdigest()
    assert body.decode() == sent["body"]
    assert sent["attempts"][0]["answered"] == 200


def test_a_corrupted_webhook_arrives_altered(mock: MockProject) -> None:
    mock.webhooks.fate("corrupted")
    with receiving() as receiver:
        send_to(mock, receiver.url)
    ((headers, body),) = receiver.got
    key = mock.env["OPENFORT_WEBHOOK_SECRET"].encode()
    assert headers["openfort-signature"] != hmac.new(key, body, hashlib.sha256).hexdigest()


def test_webhooks_arrive_in_order_of_the_changes(mock: MockProject) -> None:
    with receiving() as receiver:
        mock.webhooks.subscribe(receiver.url, "test")
        for _ in range(10):
            announce(mock)
        while len(mock.webhooks.list(status="succeeded")) < 10:
            mock.webhooks.wait(status="succeeded")
        sent = [entry["body"] for entry in mock.webhooks.list()]
    assert [body.decode() for _, body in receiver.got] == sent


def test_calls_are_answered_while_the_first_webhook_is_prepared(
    mock: MockProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_answered, make = Event(), sending._make_client

    def prepare(tls: bool) -> AsyncClient:
        assert is_answered.wait(30)
        return make(tls)

    monkeypatch.setattr(sending, "_make_client", prepare)
    with receiving() as receiver:
        mock.webhooks.subscribe(receiver.url, "test")
        announce(mock)
        assert [entry["status"] for entry in mock.webhooks.list()] == ["due"]
        is_answered.set()
        mock.webhooks.wait(status="succeeded")
    assert len(receiver.got) == 1


def test_slow_receivers_hold_up_their_own_project_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_MOST_OF_A_PROJECT", 2)
    monkeypatch.setattr(sending, "_MOST_AT_ONCE", 3)
    with socket.create_server(("127.0.0.1", 0)) as silent, receiving() as receiver, LiveServer() as server:
        slow, other = (server.control.create_project() for _ in "12")
        for number in range(3):
            slow.webhooks.subscribe(f"http://127.0.0.1:{silent.getsockname()[1]}/{number}", "test")
        announce(slow)
        assert send_to(other, receiver.url)["attempts"][0]["answered"] == 200
        assert [entry["status"] for entry in slow.webhooks.list()] == ["due"] * 3


def test_a_receiver_has_so_long_to_answer(mock: MockProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        sent = send_to(mock, f"http://127.0.0.1:{silent.getsockname()[1]}/hooks", "waiting")
        assert sent["attempts"][0]["error"] == "no answer in 0.1 s"


def test_a_redirect_is_not_followed(mock: MockProject) -> None:
    with receiving() as other, receiving(302, location=other.url) as receiver:
        assert send_to(mock, receiver.url, "waiting")["attempts"][0]["answered"] == 302
    assert other.got == []


def test_a_status_that_no_standard_has_is_a_failure(mock: MockProject) -> None:
    with receiving(999) as receiver:
        assert send_to(mock, receiver.url, "waiting")["attempts"][0]["answered"] == 999


def test_a_cookie_of_a_receiver_is_not_kept(mock: MockProject) -> None:
    with receiving(set_cookie="seen=1; Path=/") as receiver:
        first = send_to(mock, receiver.url)
        announce(mock)
        while len(mock.webhooks.list(status="succeeded")) < 2:
            mock.webhooks.wait(status="succeeded")
    assert first["attempts"][0]["answered"] == 200
    assert [headers.get("cookie") for headers, _ in receiver.got] == [None, None]


def test_an_endless_answer_is_read_no_further(mock: MockProject) -> None:
    with receiving(is_endless=True) as receiver:
        sent = send_to(mock, receiver.url)
    assert len(sent["attempts"][0]["response"]) == 1000


def test_a_receiver_that_is_not_there_is_tried_again(mock: MockProject) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/hooks"
    assert "ConnectError" in send_to(mock, url, "waiting")["attempts"][0]["error"]
    mock.clock.advance(seconds=5)
    assert len(mock.webhooks.wait(status="waiting")["attempts"]) >= 1


def test_no_proxy_of_the_environment_is_asked(mock: MockProject, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as proxy, receiving() as receiver:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        send_to(mock, receiver.url)
    assert (len(proxy.got), len(receiver.got)) == (0, 1)


def test_a_ticking_clock_retries_without_a_request(server: LiveServer) -> None:
    project = server.control.create_project(clock={"mode": "ticking"}, settings={"webhook_retries_ms": [20]})
    with receiving(503) as receiver:
        assert len(send_to(project, receiver.url, "failed")["attempts"]) == 2
    assert len(receiver.got) == 2


@cases("again", "restore", "fork", "reset")
def test_nothing_is_sent_twice(mock: MockProject, again: str) -> None:
    mock.change(webhook_delay_ms=1000)
    with receiving() as receiver:
        mock.webhooks.subscribe(receiver.url, "test")
        announce(mock)
        snapshot = mock.snapshot()
        moment = mock.journal.last_number
        mock.clock.advance(seconds=1)
        mock.webhooks.wait(status="succeeded")
        other = mock
        if again == "restore":
            mock.restore(snapshot)
        elif again == "fork":
            other = mock.fork(moment)
        else:
            mock.reset()
        other.clock.advance(seconds=1)
        announced = other.webhooks.list()
        other.clock.advance(seconds=1)
        if other is not mock:
            other.delete()
    assert [entry["status"] for entry in announced] == ([] if again == "reset" else ["due"])
    assert len(receiver.got) == 1


@cases("again", "restore", "reset")
def test_an_answer_is_of_the_delivery_that_was_sent(mock: MockProject, again: str) -> None:
    snapshot = mock.snapshot()
    with receiving(is_slow=True) as receiver:
        mock.webhooks.subscribe(receiver.url, "user.created")
        mock.given.user(name="first")
        while not receiver.got:
            time.sleep(0.001)
        if again == "restore":
            mock.restore(snapshot)
        else:
            mock.reset()
        # The project is as before, and gives the same ids again.
        mock.webhooks.subscribe(receiver.url, "user.created")
        mock.given.user(name="second")
        receiver.may_answer.set()
        mock.webhooks.wait(status="succeeded")
    assert [json.loads(body)["data"]["name"] for _, body in receiver.got] == ["first", "second"]


@cases("passed_s", 0, 1)
def test_what_was_restored_is_sent_when_it_is_asked_for(mock: MockProject, passed_s: int) -> None:
    mock.change(webhook_delay_ms=1000)
    with receiving() as receiver:
        mock.webhooks.subscribe(receiver.url, "test")
        announce(mock)
        mock.restore(mock.snapshot())
        mock.clock.advance(seconds=passed_s)
        mock.webhooks.deliver()
        mock.webhooks.wait(status="succeeded")
    assert len(receiver.got) == 1


def test_deliveries_are_known_until_their_end_or_a_restore(app: App, project: Project) -> None:
    sender = sending.Sender(app)
    first, second = (cast(Delivery, SimpleNamespace(id=name)) for name in ("first", "second"))
    sender.forget(project, first)
    sender.know(project, first)
    assert (sender.knows(project, first), sender.knows(project, second)) == (True, False)
    sender.know(project, second)
    sender.forget(project, first)
    assert (sender.knows(project, first), sender.knows(project, second)) == (False, True)
    project.restore(project.snapshot())
    assert not sender.knows(project, second)
    sender.know(project, first)
    assert (sender.knows(project, first), sender.knows(project, second)) == (True, False)
