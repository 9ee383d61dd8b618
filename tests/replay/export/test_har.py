"""The entries of an archive, member by member."""

import json
from base64 import b64encode
from typing import Any

import jsonschema

from mockserver.replay.export.har import to_har
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from tests.replay.har_schema import HAR
from tests.replay.invented_runs import answer, get, post, run_of
from tests.tables import cases

JSON = {"name": "content-type", "value": "application/json"}


def entries_of(run: Run) -> Any:
    """The entries of the archive of a run, which is valid."""
    archive = json.loads(to_har(run))
    jsonschema.validate(archive, HAR)
    return archive["log"]["entries"]


def entry_of(request: RecordedRequest, answered: RecordedAnswer | None) -> Any:
    """The one entry of an archive."""
    (entry,) = entries_of(run_of((request, answered)))
    return entry


def test_an_exchange_is_an_entry_with_project_times() -> None:
    request = get("/v1/contracts", ("cookie", "a=1; b=2"), query="c=3&d=")
    assert entry_of(request, answer(201, '{"e": 4}', delay_ms=250)) == {
        "startedDateTime": "1970-01-01T00:00:00.000Z",
        "time": 250,
        "request": {
            "method": "GET",
            "url": "http://mockserver/v1/contracts?c=3&d=",
            "httpVersion": "HTTP/1.1",
            "cookies": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}],
            "headers": [{"name": "cookie", "value": "a=1; b=2"}],
            "queryString": [{"name": "c", "value": "3"}, {"name": "d", "value": ""}],
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": 201,
            "statusText": "Created",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [JSON],
            "content": {"size": 8, "mimeType": "application/json", "text": '{"e": 4}'},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": 8,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 250, "receive": 0},
        "_exchange": 1,
    }


def test_an_exchange_without_an_answer_has_no_times_and_says_so() -> None:
    entry = entry_of(get(), None)
    assert (entry["time"], entry["timings"]) == (0, {"send": 0, "wait": 0, "receive": 0})
    assert entry["response"] == {
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": [],
        "content": {"size": 0, "mimeType": ""},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
        "comment": "The recording has no answer.",
    }


def test_an_exchange_of_no_project_has_the_beginnings_time() -> None:
    (entry,) = entries_of(run_of((get(), answer()), now_ms=None))
    assert entry["startedDateTime"] == "2026-01-01T00:00:00.000Z"


@cases(
    "request_, data",
    (post("a=1", ("Content-Type", "text/plain")), {"mimeType": "text/plain", "text": "a=1"}),
    (post("a=1"), {"mimeType": "", "text": "a=1"}),
    (post(""), None),
)
def test_a_body_that_is_text_is_posted_data(request_: RecordedRequest, data: Any) -> None:
    found = entry_of(request_, answer())["request"]
    assert (found.get("postData"), found["bodySize"]) == (data, len(request_.body))


@cases(
    "headers, member, value",
    ((("content-type", "a/b"), ("content-type", "c/d")), "content", {"mimeType": "a/b"}),
    ((), "content", {"mimeType": ""}),
    ((("x-a", "/there"),), "redirectURL", ""),
    ((("location", "/there"),), "redirectURL", "/there"),
    ((("x-a", "b=c"),), "cookies", []),
    ((("set-cookie", "a=b; Path=/"), ("set-cookie", "c=d")), "cookies", ["a", "c"]),
    ((("set-cookie", "a[=b"),), "cookies", []),
)
def test_the_members_that_repeat_headers_have_what_these_say(headers: Any, member: str, value: Any) -> None:
    found = entry_of(get(), RecordedAnswer(302, headers))["response"][member]
    if member == "cookies":
        assert [cookie["name"] for cookie in found] == value
    elif isinstance(value, dict):
        assert found.items() >= value.items()
    else:
        assert found == value


def test_a_status_without_a_name_has_none() -> None:
    assert entry_of(get(), answer(299))["response"]["statusText"] == ""


def test_an_answer_that_is_no_text_has_its_base64() -> None:
    found = entry_of(get(), answer(200, {"base64": "/wA="}))["response"]
    assert found["content"] == {
        "size": 2,
        "mimeType": "application/json",
        "text": "/wA=",
        "encoding": "base64",
    }
    assert found["bodySize"] == 2


@cases("sent", None, "HTTP/1.1 2")
def test_a_fault_is_named_with_all_that_was_sent(sent: str | None) -> None:
    found = entry_of(get(), answer(fault="empty_response", sent=sent))["response"]
    assert found["_fault"] == "empty_response"
    assert found["comment"] == "A fault spoilt this answer on purpose when it was sent."
    assert found.get("_sent_base64") == (None if sent is None else b64encode(sent.encode()).decode())
    assert "_fault" not in entry_of(get(), answer())["response"]
