"""Handlers in the process of the test."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import httpx
import pytest

from mockserver.testing.connection import ControlApiError
from mockserver.testing.project import MockProject
from mockserver.testing.webhooks import Handler
from tests.live import mock, server

__all__ = ["mock", "server"]

URL = "https://shop.example/hooks"


def announce(mock: MockProject) -> None:
    with mock.connect() as api:
        assert api.post("/v1/subscriptions/test").json() == {"sent": True}


def test_a_function_gets_what_was_signed(mock: MockProject) -> None:
    seen: list[httpx.Request] = []
    mock.webhooks.subscribe(URL, "test", handler=seen.append)
    announce(mock)
    (delivered,) = mock.webhooks.deliver()
    assert delivered["status"] == "succeeded"
    assert json.loads(seen[0].content)["type"] == "test"
    assert seen[0].headers["openfort-signature"] == delivered["headers"]["openfort-signature"]
    assert mock.webhooks.deliver() == []


def test_subscribing_is_no_call_of_the_tested_code(mock: MockProject) -> None:
    mock.load("rules: [{when: CreateSubscription, then: {answer: 503}, optional: true}]")
    (made, _) = mock.webhooks.subscribe(URL, "test", "user.created")
    assert made["topic"] == "test"
    assert list(mock.journal) == []


def test_a_url_without_its_scheme_is_told_so(mock: MockProject) -> None:
    with pytest.raises(ControlApiError, match="target: must be a URL"):
        mock.webhooks.subscribe("shop.example/hooks", "test")


async def _asgi(scope: Any, receive: Any, send: Any) -> None:
    message = await receive()
    status = 200 if b'"test"' in message["body"] else 400
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b"taken"})


def _wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    is_test = b'"test"' in environ["wsgi.input"].read()
    start_response("200 OK" if is_test else "400 Bad Request", [])
    return [b"taken"]


@pytest.mark.parametrize("handler", [_asgi, _wsgi])
def test_an_application_may_be_the_handler(mock: MockProject, handler: Handler) -> None:
    mock.webhooks.subscribe(URL, "test", handler=handler)
    announce(mock)
    (delivered,) = mock.webhooks.deliver()
    (attempt,) = delivered["attempts"]
    assert (attempt["answered"], attempt["response"]) == (200, "taken")


@pytest.mark.parametrize("answer", [503, httpx.Response(503, text="busy")])
def test_what_a_handler_answers_counts(mock: MockProject, answer: int | httpx.Response) -> None:
    mock.webhooks.subscribe(URL, "test", handler=lambda request: answer)
    announce(mock)
    (delivered,) = mock.webhooks.deliver()
    assert (delivered["status"], delivered["attempts"][0]["answered"]) == ("waiting", 503)
    assert len(mock.webhooks.deliver()[0]["attempts"]) == 2


def test_what_a_handler_raises_is_raised_and_noted(mock: MockProject) -> None:
    def fail(request: httpx.Request) -> None:
        raise RuntimeError("no stock")

    mock.webhooks.subscribe(URL, "test", handler=fail)
    announce(mock)
    with pytest.raises(RuntimeError, match="no stock"):
        mock.webhooks.deliver()
    assert mock.webhooks.list()[0]["attempts"][0]["error"] == "RuntimeError: no stock"


def test_a_delivery_is_sent_again_to_its_handler(mock: MockProject) -> None:
    seen: list[bytes] = []
    mock.webhooks.subscribe(URL, "test", handler=lambda request: seen.append(request.content))
    announce(mock)
    (delivered,) = mock.webhooks.deliver()
    mock.webhooks.redeliver(delivered["id"])
    assert seen[0] == seen[1]


def test_a_fate_and_an_inbox_need_no_handler(mock: MockProject) -> None:
    mock.webhooks.subscribe(mock.webhooks.inbox("orders"), "test")
    mock.webhooks.fate("corrupted")
    announce(mock)
    assert [entry["verified"] for entry in mock.webhooks.received("orders")] == [False]
    assert mock.webhooks.wait(status="succeeded")["topic"] == "test"
    assert mock.webhooks.rotate_secret().startswith("whsec_")


def test_a_wait_in_vain_says_what_is_there(mock: MockProject) -> None:
    mock.webhooks.subscribe(URL, "test", handler=lambda request: 401)
    announce(mock)
    for there in ("held: nothing is sent to its URL, deliver.. hands it to a handler", "waiting: 401"):
        with pytest.raises(LookupError, match=rf"there is test \({there}\)$"):
            mock.webhooks.wait(topic="user.created", timeout_s=0)
        mock.webhooks.deliver()


def test_the_environment_has_the_secret(mock: MockProject) -> None:
    key = mock.secret_key.removeprefix("sk_test_").replace("-", "")
    assert mock.env["OPENFORT_WEBHOOK_SECRET"] == key


def test_an_inbox_takes_what_a_fork_delivers(mock: MockProject) -> None:
    mock.webhooks.subscribe(mock.webhooks.inbox("orders"), "test")
    fork = mock.fork(mock.timeline()[-1]["n"])
    announce(fork)
    assert [len(each.webhooks.received("orders")) for each in (mock, fork)] == [0, 1]
