"""What differs between a recorded line and the one that a replay writes."""

from typing import Any

from mockserver.replay.comparison import ABSENT, Difference, compare, compare_values
from tests.tables import cases

ANSWER: dict[str, Any] = {"status": 200, "headers": [["A", "1"], ["b", "2"]], "body": '{"x":1}'}
LINE: dict[str, Any] = {"n": 1, "answer": ANSWER, "now_ms": 5, "changes": {"pro_1": {"t/1": "aa"}}}


def compared(got: Any, expected: Any = LINE, path: str = "/v1/users") -> list[tuple[str, Any, Any]]:
    """What differs, each as a part with both values."""
    return [tuple(each) for each in compare({"path": path}, expected, got)]


def changed(**members: Any) -> dict[str, Any]:
    """The line with another answer."""
    return LINE | {"answer": ANSWER | members}


@cases(
    "got, found",
    (LINE, []),
    (changed(status=201), [("status", 200, 201)]),
    (changed(headers=[["B", "2"], ["a", "1"]]), []),
    (changed(headers=[["a", "1"]]), [("header b", ["2"], None)]),
    (changed(headers=[*ANSWER["headers"], ["b", "3"]]), [("header b", ["2"], ["2", "3"])]),
    (changed(headers=[*ANSWER["headers"], ["Date", "now"], ["content-length", "7"]]), []),
    (changed(delay_ms=5), [("delay_ms", None, 5)]),
    (changed(fault="reset"), [("fault", None, "reset")]),
    (changed(sent="x"), [("sent", None, "x")]),
    (changed(body='{"x": 1}'), [("body", '{"x":1}', '{"x": 1}')]),
    (changed(body='{"x":2}'), [("body /x", 1, 2)]),
    (changed(body="{"), [("body", '{"x":1}', "{")]),
    (changed(body={"base64": "/w=="}), [("body", '{"x":1}', {"base64": "/w=="})]),
    (LINE | {"now_ms": 6}, [("clock", 5, 6)]),
    (LINE | {"changes": {}}, [("row pro_1 t/1", "aa", ABSENT)]),
    (LINE | {"changes": {"pro_1": {"t/1": "bb"}}}, [("row pro_1 t/1", "aa", "bb")]),
    (LINE | {"changes": LINE["changes"] | {"pro_2": {"t/2": "cc"}}}, [("row pro_2 t/2", ABSENT, "cc")]),
    ({"n": 1, "waits": True}, [("outcome", "answer", "waits")]),
    ({}, [("outcome", "answer", "nothing")]),
)
def test_each_part_that_differs_is_named_with_both_values(got: Any, found: list[Any]) -> None:
    assert compared(got) == found


def test_what_was_withheld_or_undecided_is_not_compared() -> None:
    for path, count in (
        ("/_mock/metrics", 0),
        ("/_mock/health", 0),
        ("/_mock/projects/-/report", 0),
        ("/_mock/ready", 1),
    ):
        assert len(compared(changed(body="other"), path=path)) == count
    assert compared(LINE, {"n": 1, "withheld": "answer"}) == []
    assert compare(None, LINE, changed(status=201)) == [Difference("status", 200, 201)]


@cases("kind", "checkpoint", "end")
def test_digests_are_compared_of_projects_that_both_have(kind: str) -> None:
    expected = {kind: {"digests": {"pro_1": "aa", "pro_2": "bb", "pro_3": "cc"}}}
    got = {kind: {"digests": {"pro_1": "aa", "pro_2": "xx", "pro_4": "dd"}}}
    assert compared(got, expected) == [("digest pro_2", "bb", "xx")]


def test_of_many_differences_the_first_twenty_are_told() -> None:
    rows = {"pro_1": {f"t/{number}": "aa" for number in range(30)}}
    found = compared(LINE | {"changes": {}}, LINE | {"changes": rows})
    assert [part for part, _, _ in found] == [f"row pro_1 t/{number}" for number in range(20)]


@cases(
    "expected, got, found",
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1, "b": 2}, {"a": 1}, [("/b", 2, ABSENT)]),
    ({"a": 1}, {"a": 1, "b": 2}, [("/b", ABSENT, 2)]),
    ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, [("/a~1b/~0", 1, 2)]),
    ([1, 2], [1], [("/1", 2, ABSENT)]),
    ([1], [1, 2], [("/1", ABSENT, 2)]),
    ([{"a": 1}], [{"a": 2}], [("/0/a", 1, 2)]),
    (1, True, [("", 1, True)]),
    (1, 1.0, [("", 1, 1.0)]),
    ({}, [], [("", {}, [])]),
    ([], {}, [("", [], {})]),
    (None, None, []),
)
def test_values_differ_by_their_pointers(expected: Any, got: Any, found: list[Any]) -> None:
    assert [*compare_values("", expected, got)] == [
        Difference(f"body {pointer}", before, after) for pointer, before, after in found
    ]
