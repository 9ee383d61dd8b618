"""Requests, answers and withheld lines as a recording has them."""

import json
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.server.answering.render import Response
from mockserver.server.recording.lines import encode_answer, encode_request, to_line, withhold

PLAIN = {"method": "GET", "path": "/v2/users", "headers": []}


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({}, {}),
        ({"query": "a=%20"}, {"query": "a=%20"}),
        ({"client": "10.0.0.7"}, {"client": "10.0.0.7"}),
        ({"server": "127.0.0.1"}, {"server": "127.0.0.1"}),
        ({"root_path": "/mock"}, {"root_path": "/mock"}),
        ({"scheme": "https"}, {"scheme": "https"}),
        ({"body": "é".encode()}, {"body": "é"}),
        ({"body": b"\xff"}, {"body": {"base64": "/w=="}}),
        ({"raw_headers": [(b"a", b"1"), (b"a", b"\xe9")]}, {"headers": [("a", "1"), ("a", "é")]}),
    ],
)
def test_of_a_request_only_that_is_written_which_it_has(given: dict[str, Any], written: Any) -> None:
    request = Request(**{"method": "GET", "path": "/v2/users", "query": "", "headers": {}} | given)
    assert encode_request(request, None) == PLAIN | written


@pytest.mark.parametrize(
    ("token", "name", "value", "written"),
    [
        ("right", b"x-mockserver-token", b"right", "control-token"),
        ("right", b"x-mockserver-token", b"wrong", "wrong"),
        ("right", b"x-note", b"right", "right"),
        (None, b"x-mockserver-token", b"right", "right"),
    ],
)
def test_of_tokens_only_the_right_one_of_the_control_api_has_a_stand_in(
    token: str | None, name: bytes, value: bytes, written: str
) -> None:
    request = Request("GET", "/v2/users", "", {}, raw_headers=[(name, value)])
    assert encode_request(request, token)["headers"] == [(name.decode(), written)]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({}, {}),
        ({"body": b"{}"}, {"body": "{}"}),
        ({"body": b"\xff"}, {"body": {"base64": "/w=="}}),
        ({"delay_ms": 5}, {"delay_ms": 5}),
    ],
)
def test_of_an_answer_only_that_is_written_which_it_has(given: dict[str, Any], written: Any) -> None:
    plain: dict[str, Any] = {"status": 204, "headers": ((b"a", b"1"),), "body": b""}
    response = Response(**plain | given)
    assert encode_answer(response) == {"status": 204, "headers": [("a", "1")]} | written


def test_a_withheld_line_says_its_number_its_kind_and_the_real_time_only() -> None:
    line = {"n": 7, "answer": {"body": "secret"}, "now_ms": 3, "real_ms": 5, "changes": {}}
    assert withhold(line) == {"n": 7, "real_ms": 5, "withheld": "answer"}
    assert withhold({"row": ["t", 1, {}]}) == {"withheld": "row"}
    assert withhold({"n": 7}) == {"n": 7, "withheld": ""}


def test_half_of_a_surrogate_pair_is_written_as_a_question_mark() -> None:
    assert to_line({"a": "é"}) == '{"a":"é"}\n'.encode()
    assert json.loads(to_line({"a": "\ud800é", "b": 1})) == {"a": "?é", "b": 1}
    assert to_line({"a": "\ud800", "b": 1}) == b'{"a":"?","b":1}\n'
