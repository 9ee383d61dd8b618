"""Exchanges of a recording's file, shown as the journal shows its own."""

import json
from typing import Any

from httpx import Client, Response

from tests.tables import cases

SHOW = "/_mock/recording/exchanges"
LINE: dict[str, Any] = {
    "n": 7,
    "request": {
        "method": "POST",
        "path": "/iam/v2/auth/sign-up/email",
        "headers": [["Content-Type", "application/json"], ["x-project-key", "pk_test_x"]],
        "body": json.dumps({"name": "Ada", "email": "ada@example.com", "password": "long enough"}),
    },
    "answer": {"status": 200, "headers": [["set-auth-token", "a-secret-token-of-ada"]], "fault": "reset"},
    "now_ms": 1_767_225_600_000,
}


def show(api: Client, line: Any = LINE, **how: bool) -> Response:
    return api.post(SHOW, json={"exchanges": [line], **how})


def test_an_exchange_is_shown_with_its_secrets_masked(api: Client) -> None:
    answer = show(api)
    (shown,) = answer.json()["data"]
    assert (shown["n"], shown["at"]) == (7, "2026-01-01T00:00:00.000Z")
    assert (shown["operation"], shown["status"], shown["fault"]) == ("signUpEmail", 200, "reset")
    assert shown["request"]["body"]["name"] == "Ada"
    assert "long enough" not in answer.text
    assert "a-secret-token-of-ada" not in answer.text


def test_secrets_are_shown_where_that_is_asked_for(api: Client) -> None:
    assert show(api, unmasked=True).json()["data"][0]["request"]["body"]["password"] == "long enough"


def test_a_brief_one_has_no_headers_and_bodies(api: Client) -> None:
    assert not {"request", "response"} & show(api, brief=True).json()["data"][0].keys()


def test_without_an_answer_there_is_no_status(api: Client) -> None:
    (shown,) = show(api, {**LINE, "answer": None}).json()["data"]
    assert (shown["status"], shown["response"]["body"]) == (0, None)


def test_bytes_that_are_no_text_are_base64(api: Client) -> None:
    request = {**LINE["request"], "headers": [], "body": {"base64": "/w=="}}
    (shown,) = show(api, {**LINE, "request": request}, unmasked=True).json()["data"]
    assert shown["request"]["body"] == {"base64": "/w=="}


@cases(
    "member, value",
    ("method", 1),
    ("path", None),
    ("headers", {"a": "b"}),
    ("headers", ""),
    ("headers", 5),
    ("headers", [["a"]]),
    ("headers", [["a", "\u20ac"]]),
    ("body", {"base64": "?"}),
    ("body", {"base64": "/w!=="}),
    ("body", 7),
    ("unknown", 1),
)
def test_what_is_no_exchange_is_refused_by_its_place(api: Client, member: str, value: Any) -> None:
    line = {**LINE, "request": {**LINE["request"], member: value}}
    refused = show(api, line)
    assert refused.status_code == 400
    assert refused.json()["param"].startswith("exchanges")


@cases(
    "headers, problem",
    ([["a"]], "must be a list of pairs of a name and a value"),
    ([["a", 1]], "must be a list of pairs of a name and a value"),
    ([["a", "\u20ac"]], "has a character that is no byte"),
)
def test_headers_that_are_none_are_refused_with_the_reason(api: Client, headers: Any, problem: str) -> None:
    refused = show(api, {**LINE, "request": {**LINE["request"], "headers": headers}})
    assert problem in refused.json()["detail"]


def test_no_more_than_a_hundred_are_shown_at_once(api: Client) -> None:
    assert api.post(SHOW, json={"exchanges": [LINE] * 101}).status_code == 400
