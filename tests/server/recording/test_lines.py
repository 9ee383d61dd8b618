"""Requests, answers and withheld lines as a recording has them."""

import json
from typing import Any

from mockserver.api.call import Request
from mockserver.server.answering.render import Response
from mockserver.server.recording.lines import (
    encode_answer,
    encode_request,
    encode_request_headers,
    in_blocks,
    to_line,
    withhold,
)
from tests.tables import cases

PLAIN = {"method": "GET", "path": "/v2/users", "headers": []}


@cases(
    "given, written",
    ({}, {}),
    ({"query": "a=%20"}, {"query": "a=%20"}),
    ({"client": "10.0.0.7"}, {"client": "10.0.0.7"}),
    ({"server": "127.0.0.1"}, {"server": "127.0.0.1"}),
    ({"root_path": "/mock"}, {"root_path": "/mock"}),
    ({"scheme": "https"}, {"scheme": "https"}),
    ({"body": "é".encode()}, {"body": "é"}),
    ({"body": b"\xff"}, {"body": {"base64": "/w=="}}),
    ({"raw_headers": [(b"a", b"1"), (b"a", b"\xe9")]}, {"headers": [("a", "1"), ("a", "é")]}),
)
def test_of_a_request_only_that_is_written_which_it_has(given: dict[str, Any], written: Any) -> None:
    request = Request(**{"method": "GET", "path": "/v2/users", "query": "", "headers": {}} | given)
    assert encode_request(request, encode_request_headers(request, None)) == PLAIN | written


@cases(
    "token, name, value, written",
    ("right", b"x-mockserver-token", b"right", "control-token"),
    ("right", b"x-mockserver-token", b"wrong", "other-token"),
    ("right", b"x-note", b"right", "right"),
    (None, b"x-mockserver-token", b"right", "other-token"),
)
def test_only_the_right_token_is_replaced(token: str | None, name: bytes, value: bytes, written: str) -> None:
    headers = {name.decode(): value.decode()}
    request = Request("GET", "/v2/users", "", headers, raw_headers=[(name, value)])
    assert encode_request_headers(request, token) == [(name.decode(), written)]


@cases(
    "given, written",
    ({}, {}),
    ({"body": b"{}"}, {"body": "{}"}),
    ({"body": b"\xff"}, {"body": {"base64": "/w=="}}),
    ({"delay_ms": 5}, {"delay_ms": 5}),
)
def test_of_an_answer_only_that_is_written_which_it_has(given: dict[str, Any], written: Any) -> None:
    plain: dict[str, Any] = {"status": 204, "headers": ((b"a", b"1"),), "body": b""}
    assert encode_answer(Response(**plain | given)) == {"status": 204, "headers": [("a", "1")]} | written


def test_what_has_no_secret_stays_in_a_line_that_is_withheld() -> None:
    def has_secret(raw: bytes) -> bool:
        return b"secret" in raw

    line = {"n": 7, "request": {"path": "/"}, "answer": {"body": "secret"}, "now_ms": 3, "real_ms": 5}
    assert withhold(line, has_secret) == {
        "n": 7, "real_ms": 5, "request": {"path": "/"}, "withheld": "answer"
    }  # fmt: skip
    asked = line | {"request": {"path": "/secret"}}
    assert withhold(asked, has_secret) == {"n": 7, "real_ms": 5, "withheld": "request"}
    resumed = {"n": 7, "resume": True, "answer": {"body": "secret"}}
    assert withhold(resumed, has_secret) == {"n": 7, "resume": True, "withheld": "answer"}
    assert withhold({"row": ["t", 1, {}]}, has_secret) == {"withheld": "row"}


def test_half_of_a_surrogate_pair_is_written_as_a_question_mark() -> None:
    assert to_line({"a": "é"}) == '{"a":"é"}\n'.encode()
    assert json.loads(to_line({"a": "\ud800é", "b": 1})) == {"a": "?é", "b": 1}
    assert to_line({"a": "\ud800", "b": 1}) == b'{"a":"?","b":1}\n'


@cases(
    "sizes, blocks",
    ([], []),
    ([9_000], [[9_000]]),
    ([4_096, 4_096, 1], [[4_096, 4_096], [1]]),
    ([4_096, 4_097, 4_095, 1], [[4_096], [4_097, 4_095], [1]]),
    ([9_000, 1, 9_000], [[9_000], [1], [9_000]]),
)
def test_lines_are_looked_into_eight_kibibytes_at_a_time(sizes: list[int], blocks: list[list[int]]) -> None:
    assert [*in_blocks(sizes, lambda size: size)] == blocks
