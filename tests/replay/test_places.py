"""Where the values of an answer are, and the URLs of recorded requests."""

from typing import Any

from mockserver.replay.shrinking.places import ValuePlace, body_of, texts_of, values_of
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.replay.urls import header_of, quote_path, target_of, url_of
from mockserver.scenario.reading.tree import read_json_path
from tests.tables import cases


def test_the_texts_of_a_body_are_found_by_their_pointers() -> None:
    value = {"a": "1", "b": [{"c/d": "2"}, 3, None], "e~f": {"g": "4"}}
    found = [("/a", "1"), ("/b/0/c~1d", "2"), ("/e~0f/g", "4")]
    assert [*texts_of("", value)] == found
    assert [*map(read_json_path, dict(found))] == [("a",), ("b", "0", "c/d"), ("e~f", "g")]
    assert (read_json_path(""), [*texts_of("", "x")]) == ((), [("", "x")])


@cases(
    "headers, body, found",
    ((), '{"url":"https://a.example/?code=1&x="}', {"body /url": "https://a.example/?code=1&x="}),
    ((), '{"url":"http://a/?b=c%20d"}', {"body /url ?b": "c d"}),
    ((), '{"url":"http://a/reset/c?b=d"}', {"body /url ?b": "d"}),
    ((), '{"url":"/reset/c"}', {"body /url": "/reset/c"}),
    ((), '["ftp://a.example/?code=1"]', {"body /0": "ftp://a.example/?code=1"}),
    ((("x-a", "1"), ("x-a", "2")), "", {"header x-a": "1"}),
    ((("set-cookie", "a=b=c; Path=/"), ("set-cookie", "a=d")), "", {"cookie a": "b=c"}),
    ((), {"base64": "/w=="}, {}),
    ((), "no JSON", {}),
)
def test_each_value_of_an_answer_has_a_place(headers: Any, body: Any, found: dict[str, str]) -> None:
    places = {str(place): text for place, text in values_of(RecordedAnswer(200, headers, body)).items()}
    assert found.items() <= places.items()
    assert all("ftp" not in text or "?" not in place for place, text in places.items())
    assert len(places) == len(found) + ("?" in str(body) and "http" in str(body))


def test_an_answer_without_json_has_no_value() -> None:
    assert [body_of(RecordedAnswer(200, (), body)) for body in ('{"a":1}', "", {"base64": "/w=="})] == [
        {"a": 1},
        None,
        None,
    ]
    assert str(ValuePlace("cookie", "a")) == "cookie a"


@cases(
    "path, shown",
    ("/a/b", "/a/b"),
    ("/a%2Fb", "/a%2Fb"),
    ("/a%2fb", "/a%2Fb"),
    ("/a b%", "/a%20b%25"),
    ("/a/../b/.", "/a/%2E%2E/b/%2E"),
    ("/a../.b/...", "/a../.b/..."),
    ("/é?#", "/%C3%A9%3F%23"),
    ("/a:@!$&'()*+,;=~", "/a:@!$&'()*+,;=~"),
)
def test_a_path_travels_as_it_came(path: str, shown: str) -> None:
    assert quote_path(path) == shown


def test_a_url_has_the_host_that_the_request_named() -> None:
    request = RecordedRequest("GET", "/a", (("Host", "a.example"), ("Accept", "x"), ("accept", "y")), "b=c")
    assert url_of(request) == "http://a.example/a?b=c"
    bare = RecordedRequest("GET", "/a", (), root_path="/mock", scheme="https")
    assert (url_of(bare), target_of(bare)) == ("https://mockserver/mock/a", "/mock/a")
    assert [header_of(request, name) for name in ("accept", "host", "cookie")] == ["x", "a.example", None]
