"""Which recorded exchange a request belongs to, and what differs from the nearest one."""

from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.replay.comparison import Difference
from mockserver.replay.serving.matching import (
    Form,
    differ_in_placeholders,
    differences,
    find_nearest,
    form_of,
    read_pointer,
)
from tests.tables import cases

MULTIPART = "multipart/form-data; boundary={}; charset=utf-8"


def form(body: bytes = b"", query: str = "", *ignored: str, content_type: str = "") -> Form:
    """The form of a request, with members that are ignored by their pointers."""
    request = Request("POST", "/a", query, {"content-type": content_type}, body)
    return form_of(request, map(read_pointer, ignored))


@cases(
    "one, other, equal",
    (form(b'{"a":1,"b":[1]}'), form(b'{"b": [1], "a": 1}'), True),
    (form(b"[1,2]"), form(b"[2,1]"), False),
    (form(b'{"a":1}'), form(b'{"a":true}'), False),
    (form(b"\xffa"), form(b"\xffa"), True),
    (form(b"\xffa"), form(b"\xffb"), False),
    (form(query="a=1&b=2"), form(query="b=2&a=1"), True),
    (form(query="a="), form(), False),
    (form(query="a=1&a=2"), form(query="a=1"), False),
    (form(query="a=1&b=2"), form(b"", "b=3&a=1", "/query/b"), False),
    (form(b"", "b=4&a=1", "/query/b"), form(b"", "b=3&a=1", "/query/b"), True),
    (
        form(b"--x1\r\n--x1--", content_type=MULTIPART.format("x1")),
        form(b'--"y2\r\n--"y2--'.replace(b'"', b""), content_type=MULTIPART.format('"y2"')),
        True,
    ),
    (form(b"x1 a", content_type="text/plain; boundary=x1"), form(b"x1 b"), False),
    (form(b"a x1", content_type="text/plain; boundary=x1"), form(b"a boundary"), False),
)
def test_requests_are_equal_whose_members_are(one: Form, other: Form, equal: bool) -> None:
    assert (one.key == other.key) is equal


@cases(
    "body, pointer, left",
    (b'{"a":1,"b":2}', "/body/a", {"b": 2}),
    (b'{"a":1}', "/body/c", {"a": 1}),
    (b'{"a":{"b/c":1,"d~e":2}}', "/body/a/b~1c", {"a": {"d~e": 2}}),
    (b'{"a":{"b/c":1,"d~e":2}}', "/body/a/d~0e", {"a": {"b/c": 1}}),
    (b'{"a":[1,2]}', "/body/a/1", {"a": [1, None]}),
    (b'{"a":[1,2]}', "/body/a/2", {"a": [1, 2]}),
    (b'{"a":[1,2]}', "/body/a/x", {"a": [1, 2]}),
    (b'[{"a":1},{"a":2}]', "/body/1/a", [{"a": 1}, {}]),
    (b'[{"a":1},{"a":2}]', "/body/2/a", [{"a": 1}, {"a": 2}]),
    (b'{"a":"text"}', "/body/a/b/c", {"a": "text"}),
    (b"no JSON", "/body/a", "no JSON"),
)
def test_a_member_that_is_ignored_is_left_out_where_it_is(body: bytes, pointer: str, left: Any) -> None:
    assert form(body, "", pointer).body == left


@cases("text", "", "body/a", "/body", "/query", "/headers/a", "x/body/a")
def test_a_pointer_is_to_a_member_of_the_body_or_the_query(text: str) -> None:
    with pytest.raises(ValueError, match="is no JSON pointer to a member of"):
        read_pointer(text)


def test_all_that_differs_is_told_as_expected_and_as_it_came() -> None:
    expected = Form("POST", "/a", [("a", "1")], {"x": 1})
    assert [*differences(expected, expected)] == []
    assert [*differences(expected, Form("GET", "/b", [], {"x": 2}))] == [
        Difference("method", "POST", "GET"),
        Difference("path", "/a", "/b"),
        Difference("query", [("a", "1")], []),
        Difference("body /x", 1, 2),
    ]
    assert [*differences(Form("GET", "/a", [], "x"), Form("GET", "/a", [], "y"))] == [
        Difference("body", "x", "y")
    ]


WANTED = Form("GET", "/v1/users/7", [("a", "1")], {"x": 1, "y": 2})


@cases(
    "nearer, farther",
    (WANTED, WANTED._replace(body={"x": 1})),
    (WANTED._replace(body={"x": 1}), WANTED._replace(body={"x": 2, "y": 3})),
    (WANTED._replace(path="/v1/users/8"), WANTED._replace(path="/v2/users/8", method="PUT")),
    (WANTED._replace(query=[]), WANTED._replace(method="PUT")),
    (WANTED._replace(method="PUT", query=[]), WANTED._replace(path="/v1/users/8")),
    (WANTED._replace(path="/v1/users/8"), WANTED._replace(path="/v1/things/8")),
    (WANTED._replace(path="/v1/users"), WANTED._replace(path="/v1")),
)
def test_the_nearest_differs_the_least(nearer: Form, farther: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    for forms in ([(1, nearer), (2, farther)], [(1, farther), (2, nearer)]):
        found = find_nearest(WANTED, forms)
        assert found is not None
        number, told = found
        if len([*differences(nearer, WANTED)]) < len([*differences(farther, WANTED)]):
            assert dict(forms)[number] == nearer
            assert told == [*differences(nearer, WANTED)]
    monkeypatch.setattr("mockserver.replay.serving.matching._MOST_COMPARED", 1)
    if nearer.body == farther.body:
        for forms in ([(1, nearer), (2, farther)], [(1, farther), (2, nearer)]):
            found = find_nearest(WANTED, forms)
            assert found is not None
            assert dict(forms)[found[0]] == nearer, "of many only those are compared that seem near"


def test_of_equally_near_requests_the_first_is_told() -> None:
    other = WANTED._replace(method="PUT")
    assert find_nearest(WANTED, []) is None
    assert find_nearest(WANTED, [(5, other), (3, other)]) == (3, [Difference("method", "PUT", "GET")])


@cases(
    "recorded, asked, is_the_same",
    (b'{"a":"masked-00001"}', b'{"a":"b"}', True),
    (b'{"a":"masked-00001"}', b'{"a":5}', False),
    (b'{"a":"masked-00001"}', b"{}", False),
    (b'{"a":"masked-00001"}', b'{"a":"b","c":1}', False),
    (b'["masked-00001",1]', b'["b",1]', True),
    (b'["masked-00001",1]', b'["b"]', False),
    (b'{"a":"eyJh.eyJz.unrepeatable-0000001"}', b'{"a":"eyJx.eyJy.z"}', True),
    (b"a=masked-00001&b=masked-00002&c=", b"a=1&b=2&c=", True),
    (b"a=masked-00001&b=masked-00002&c=", b"a=1&c=2&b=", False),
    (b"masked-00001aa", b"a", False),
    (b"a", b"b", False),
)
def test_a_request_may_differ_in_what_is_masked(recorded: bytes, asked: bytes, is_the_same: bool) -> None:
    assert differ_in_placeholders(form(recorded), form(asked)) == is_the_same


def test_many_placeholders_are_compared_in_linear_time() -> None:
    recorded = form(b"a masked-00001 " * 2_000 + b"b")
    assert differ_in_placeholders(recorded, form(b"a " + b"a " * 20_000 + b"b")) is True
    assert differ_in_placeholders(recorded, form(b"a " * 20_000 + b"c")) is False
