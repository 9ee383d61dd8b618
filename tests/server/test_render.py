"""Answers and refusals as bytes, in the envelope of their family."""

import json
import tracemalloc
from dataclasses import dataclass
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from mockserver import errors
from mockserver.api.family import API, CONTROL, IAM
from mockserver.api.values import to_json
from mockserver.errors import ApiError
from mockserver.server.answering.render import (
    Docs,
    encode_headers,
    error_response,
    placeholder,
    response_of,
    rpc_error_response,
)
from mockserver.server.assembly import ENDPOINTS
from tests.tables import cases

FAMILIES = {family.name: family for family in (API, IAM, CONTROL)}


@dataclass
class Point:
    """A place."""

    x: int


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    assert json.loads(to_json(value)) == value


@cases("number", 2**63, 2**64, 2**256, -(2**63) - 1, -(2**200))
def test_whole_numbers_of_any_size_are_written_out(number: int) -> None:
    assert json.loads(to_json({"value": number, "at": Point(number)})) == {
        "value": number,
        "at": {"x": number},
    }
    assert to_json(Point(1)) == b'{"x":1}'


@cases("number", float("nan"), float("inf"), float("-inf"))
@cases("beside", 1, 2**70)
def test_a_number_that_json_has_no_word_for_is_null(number: float, beside: int) -> None:
    assert orjson.loads(to_json({"price": number}))["price"] is None
    assert b"NaN" not in (text := to_json([{"price": number}, beside]))
    assert b"Infinity" not in text


def test_half_a_character_does_not_stop_an_answer() -> None:
    assert json.loads(to_json({"name": "a\ud800b"})) == {"name": "a?b"}


@cases("value", "https://shop.example/?name=é", "https://shop.example/☕", "a\r\nset-cookie: b=c", "a\x00b")
def test_a_header_never_carries_what_headers_cannot(value: str) -> None:
    ((name, sent),) = encode_headers((("Location", value),))
    assert name == b"location"
    assert not any(byte < 32 or byte == 127 for byte in sent)


def full(family: str) -> tuple[int, bytes, dict[str, Any]]:
    """A refusal with everything, as a family shows it."""
    found = ApiError(
        errors.PROJECT_NOT_AUTHORIZED,
        param="a.b",
        details={"a.b": {"message": "m", "value": 1}},
        authorization_code="code",
        headers={"Retry-After": "5"},
        project="pro_1",
    )
    response = error_response(found, FAMILIES[family])
    headers = dict(response.headers)
    assert headers[b"retry-after"] == b"5"
    return response.status, headers[b"content-type"], json.loads(response.body)


MESSAGE = errors.PROJECT_NOT_AUTHORIZED.message.format(project="pro_1")


def test_the_api_has_its_envelope() -> None:
    assert full("api") == (
        401,
        b"application/json",
        {
            "error": {
                "type": "invalid_request_error",
                "message": MESSAGE,
                "code": "project_not_authorized",
                "param": "a.b",
                "details": {"a.b": {"message": "m", "value": 1}},
                "authorizationCode": "code",
            }
        },
    )


def test_identity_has_a_code_and_a_message() -> None:
    assert full("iam") == (401, b"application/json", {"code": "PROJECT_NOT_AUTHORIZED", "message": MESSAGE})


def test_the_control_api_answers_problems() -> None:
    status, content_type, body = full("control")
    assert (status, content_type) == (401, b"application/problem+json")
    assert body == {
        "type": "urn:mockserver:project-not-authorized",
        "title": "Project not authorized",
        "status": 401,
        "detail": MESSAGE,
        "param": "a.b",
        "errors": {"a.b": {"message": "m", "value": 1}},
    }


@cases("family", "api", "iam")
def test_what_only_a_test_double_says_is_a_readable_problem(family: str) -> None:
    response = error_response(ApiError(errors.LIVE_KEY_UNDECLARED), FAMILIES[family])
    body = json.loads(response.body)
    assert dict(response.headers)[b"content-type"] == b"application/problem+json"
    shown = body["error"] if family == "api" else body
    assert shown["message"] == body["detail"] == errors.LIVE_KEY_UNDECLARED.message


@cases("status, body", (204, b""), (200, b"null"))
def test_only_an_answer_without_content_has_no_body(status: int, body: bytes) -> None:
    endpoint = next(each for each in ENDPOINTS if each.status == status)
    found = response_of(endpoint, None)
    assert (found.status, found.body) == (status, body)
    assert (placeholder(endpoint).body == b"") is (body == b"")


def test_what_is_not_there_is_left_out() -> None:
    body = json.loads(error_response(ApiError(errors.KEY_MISSING), API).body)
    assert set(body["error"]) == {"type", "message", "code"}


def test_a_body_that_is_kept_takes_no_more_than_its_size() -> None:
    tracemalloc.start()
    kept = [to_json({"object": "list", "number": number}) for number in range(1_000)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < sum(map(len, kept)) + 100 * len(kept)


def test_the_mocks_own_errors_of_json_rpc_name_the_guide() -> None:
    def data(row: errors.ErrorRow, docs: Docs | None) -> Any:
        answer = json.loads(rpc_error_response(ApiError(row, reason="r"), b'{"id": 7}', docs).body)
        assert answer["id"] == 7
        return answer["error"].get("data")

    assert data(errors.INTERNAL, lambda: "/docs") == {"docs": "/docs"}
    assert data(errors.INTERNAL, None) is None
    assert data(errors.RPC_SERVER_ERROR, lambda: "/docs") is None
