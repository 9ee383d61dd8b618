"""Requests that are made again with the values that the answers before them have now."""

from typing import Any

import pytest

from mockserver.replay.filling import fill, signer_of, with_body
from mockserver.replay.links import Answers, Link, LinkTable
from mockserver.replay.places import Place
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.assembly import ROUTES
from mockserver.state.world import World
from tests.replay.made import answer, get, post

THEN, NOW = "con_then12345", "con_now"
DRAWN = Link(1, Place("body", "/id"))


def filled(request: RecordedRequest, first: RecordedAnswer | None) -> RecordedRequest | None:
    """The second request of a run, whose first answer had a drawn value and is another one now."""
    table, answers = LinkTable(), Answers()
    table.add(THEN, DRAWN)
    if first is not None:
        answers.add(1, first)
    return fill(table.link(request, 2), answers, World(), ROUTES)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (get(f"/v1/contracts/{THEN}"), get(f"/v1/contracts/{NOW}")),
        (get(query=f"a={THEN}"), get(query=f"a={NOW}")),
        (get("/v1/contracts", ("x-a", "b"), ("x-b", THEN)), get("/v1/contracts", ("x-a", "b"), ("x-b", NOW))),
        (post({"base64": "/w=="}, path=f"/v1/{THEN}"), post({"base64": "/w=="}, path=f"/v1/{NOW}")),
        (post({"base64": "/w=="}), post({"base64": "/w=="})),
        (post("a", ("content-length", "9")), post("a", ("content-length", "9"))),
        (
            post(f'{{"é": "{THEN}"}}', ("x-a", "24"), ("Content-Length", "24")),
            post(f'{{"é": "{NOW}"}}', ("x-a", "24"), ("Content-Length", "17")),
        ),
    ],
)
def test_the_values_of_answers_are_those_that_they_have_now(
    request_: RecordedRequest, expected: RecordedRequest
) -> None:
    assert filled(request_, answer(body=f'{{"id": "{NOW}"}}')) == expected


@pytest.mark.parametrize(
    "request_",
    [
        get(f"/v1/contracts/{THEN}"),
        get(query=f"a={THEN}"),
        get("/v1/contracts", ("x-a", THEN)),
        post(f'{{"a": "{THEN}"}}'),
    ],
)
@pytest.mark.parametrize("first", [None, answer(404, '{"error": {}}')])
def test_a_request_cannot_be_made_if_an_answer_lacks_its_value(
    request_: RecordedRequest, first: RecordedAnswer | None
) -> None:
    assert filled(request_, first) is None


@pytest.mark.parametrize(("body", "length"), [("", "0"), ("abc", "3"), ("é", "2"), ("\ud800", "1")])
def test_another_body_has_its_length(body: str, length: str) -> None:
    given = post("before", ("Content-Length", "6"), ("x-a", "6"))
    assert with_body(given, body) == post(body, ("Content-Length", length), ("x-a", "6"))


@pytest.mark.parametrize("signature", ["0x" + "00" * 65, "0x" + "ff" * 65])
def test_what_is_no_signature_was_made_by_no_key(signature: Any) -> None:
    assert signer_of(signature, "0x" + "11" * 32) is None
