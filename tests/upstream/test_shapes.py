"""What differs between two answers, and the forms by which drawn texts agree."""

import json
from typing import Any

from mockserver.replay.steps import RecordedAnswer
from mockserver.upstream.forms import are_alike, form_of, is_determined, is_linkable, is_time, without_drawn
from mockserver.upstream.shapes import Known, code_of, compare_answers
from tests.tables import cases

ID, OTHER_ID, THIRD_ID = (f"con_{digit * 20}" for digit in "234")
KNOWN = Known(
    expect=lambda text: [OTHER_ID] if text == ID else (),
    sent=("7", "https://shop.example"),
    enums=lambda: {"/kind": ("a", "b")},
)


def answer(body: Any, status: int = 200, *headers: tuple[str, str]) -> RecordedAnswer:
    return RecordedAnswer(status, headers, body if isinstance(body, str) else json.dumps(body))


def told(real: RecordedAnswer, mock: RecordedAnswer) -> list[tuple[str, str, str]]:
    return [(drift.kind, drift.member, drift.told) for drift in compare_answers(real, mock, KNOWN)]


LONG = "x" * 121
ONE_SIDED = "the service has the member, {}; the mock has not"
SWAPPED = "the mock has the service's entries in the order {}"


@cases(
    "real, mock, drifts",
    ({"a": 1}, {"a": 1}, []),
    ({"a": 1}, {"a": "1"}, [("type", "/a", "the service has 1, the mock '1'")]),
    ({"a": {}}, {"a": []}, [("type", "/a", "the service has an object, the mock a list")]),
    ({"a": True}, {"a": 1}, [("type", "/a", "the service has true, the mock 1")]),
    ({"a": None}, {"a": 1.5}, [("type", "/a", "the service has null, the mock 1.5")]),
    ({"a": True}, {"a": False}, [("value", "/a", "the service has true, the mock false")]),
    ({"a": 9_999}, {"a": 9_998}, [("value", "/a", "the service has 9999, the mock 9998")]),
    ({"a": 10_000}, {"a": 9_999}, [("value", "/a", "the service has 10000, the mock 9999")]),
    ({"a": 9_999}, {"a": 10_000}, [("value", "/a", "the service has 9999, the mock 10000")]),
    ({"a": 10_000}, {"a": -10_000}, []),
    ({"a": 7}, {"a": 70_000}, [("value", "/a", "the service has 7, the mock 70000")]),
    ({"a": 1_000_000_001}, {"a": 1_700_000_000_000}, []),
    ({"a": 1}, {}, [("missing", "/a", ONE_SIDED.format(1))]),
    ({}, {"a": [1]}, [("added", "/a", "the mock has the member, a list; the service has not")]),
    ({"message": "No."}, {"message": "Not at all."}, []),
    ({"message": "No."}, {}, [("missing", "/message", ONE_SIDED.format("'No.'"))]),
    (
        [1, 2],
        [1, 3, 4],
        [
            ("length", "", "the service has 2 entries, the mock 3"),
            ("value", "/*", "the service has 2, the mock 3"),
        ],
    ),
    ([1, 2, 3], [1, 8, 9], [("value", "/*", "the service has 2, the mock 8")]),
    ([1, 2], [1], [("length", "", "the service has 2 entries, the mock 1")]),
    (
        [{"id": ID}, {"n": 3}],
        [{"id": THIRD_ID}, {"id": OTHER_ID, "n": 3}],
        [
            ("added", "/*/n", "the mock has the member, 3; the service has not"),
            ("added", "/*/id", f"the mock has the member, '{OTHER_ID}'; the service has not"),
        ],
    ),
    ({"a": "one"}, {"a": "two"}, [("value", "/a", "the service has 'one', the mock 'two'")]),
    ({"a": f"made {ID}"}, {"a": f"made {OTHER_ID}"}, []),
    (
        {"a": f"made {ID}"},
        {"a": f"lost {OTHER_ID}"},
        [("value", "/a", f"the service has 'made {ID}', the mock 'lost {OTHER_ID}'")],
    ),
    (
        {"kind": "c"},
        {"kind": "a"},
        [("enum", "/kind", "the service has 'c', which the mock does not know; it has 'a'")],
    ),
    ({"kind": "b"}, {"kind": "a"}, [("value", "/kind", "the service has 'b', the mock 'a'")]),
    (
        {"a": ID},
        {"a": "word"},
        [("form", "/a", f"the service has '{ID}' (id con_…), the mock 'word' (words)")],
    ),
    (
        {"a": "word"},
        {"a": ID},
        [("form", "/a", f"the service has 'word' (words), the mock '{ID}' (id con_…)")],
    ),
    ({"a": "masked-1"}, {"a": ID}, []),
    ({"a": ID}, {"a": OTHER_ID}, []),
    (
        {"a": ID},
        {"a": THIRD_ID},
        [
            (
                "value",
                "/a",
                f"the service repeats a value of an earlier answer, '{ID}'; the mock has another one",
            )
        ],
    ),
    ({"a": THIRD_ID}, {"a": ID}, []),
    (
        {"a": "https://shop.example"},
        {"a": "https://other.example"},
        [("value", "/a", "the service has 'https://shop.example', the mock 'https://other.example'")],
    ),
    ({"a": LONG}, {"a": 1}, [("type", "/a", f"the service has '{LONG[:117]}...', the mock 1")]),
    ({"a": LONG[:120]}, {"a": 1}, [("type", "/a", f"the service has '{LONG[:120]}', the mock 1")]),
)
def test_bodies_differ_in_members_types_forms_and_values(
    real: Any, mock: Any, drifts: list[tuple[str, str, str]]
) -> None:
    assert told(answer(real), answer(mock)) == drifts


@cases("count, order", (2, "2, 1"), (12, "12, 11, 10, 9, 8, 7, 6, 5, 4, 3"))
def test_the_order_of_rows_is_told_by_ten_places(count: int, order: str) -> None:
    rows = [{"id": f"row{n}"} for n in range(count)]
    known = KNOWN._replace(expect=lambda text: [text])
    found = list(compare_answers(answer(rows[::-1]), answer(rows), known))
    assert [(drift.kind, drift.told) for drift in found] == [("order", SWAPPED.format(order))]


ERROR = {"error": {"code": "gone", "type": "t", "param": 3, "message": "Gone."}}


@cases(
    "real, mock, drifts",
    (
        answer({}, 200),
        answer(ERROR, 404),
        [("status", "status", "the service answers 200, the mock 404 (gone, t)")],
    ),
    (
        answer("x", 200),
        answer({}, 200),
        [("type", "", "the service answers no body of JSON, the mock does not")],
    ),
    (
        answer({}, 200),
        answer("x", 200),
        [("type", "", "the service answers a body of JSON, the mock does not")],
    ),
    (answer("x", 200), answer("y", 200), []),
    (answer({"a": 1}, 399), answer({"a": 2}, 399), [("value", "/a", "the service has 1, the mock 2")]),
    (answer({"a": 1}, 400), answer({"a": 2}, 400), []),
    (
        answer(ERROR, 404),
        answer({"error": "lost"}, 404),
        [
            ("error", "/error/code", "the service says 'gone', the mock None"),
            ("error", "/error/type", "the service says 't', the mock None"),
            ("error", "/error/error", "the service says None, the mock 'lost'"),
        ],
    ),
    (
        answer({"code": "A"}, 401),
        answer({"code": "A", "error": {"code": "B"}}, 401),
        [("error", "/error/code", "the service says 'A', the mock 'B'")],
    ),
    (
        answer({}, 200, ("location", f"/a/{ID}?b=1&a=2"), ("x-other", "1")),
        answer({}, 200, ("location", f"https://x.example/a/{OTHER_ID}?a=3&b=4")),
        [],
    ),
    (
        answer({}, 200, ("location", "/a?b=1")),
        answer({}, 200, ("location", "/a")),
        [("header", "location", "the service leads to /a?b, the mock to /a?")],
    ),
    (
        answer({}, 200, ("content-type", "text/html; charset=utf-8"), ("retry-after", "1")),
        answer({}, 200, ("content-type", "text/plain")),
        [
            ("header", "retry-after", "the service has the header retry-after; the mock has not"),
            ("header", "content-type", "the service sends text/html, the mock text/plain"),
        ],
    ),
    (
        answer({}, 200, ("content-type", "text/html; charset=utf-8")),
        answer({}, 200, ("content-type", "text/html"), ("allow", "GET")),
        [("header", "allow", "the mock has the header allow; the service has not")],
    ),
    (
        answer({}, 200, ("set-cookie", "__Secure-s=1; Path=/; HttpOnly; Domain=a"), ("set-cookie", "t=1")),
        answer({}, 200, ("set-cookie", "s=2; path=/; Secure"), ("set-cookie", "__Host-u=1")),
        [
            ("header", "set-cookie s", "the service sets httponly; path=/, the mock path=/"),
            ("header", "set-cookie t", "the service has the cookie t; the mock has not"),
            ("header", "set-cookie u", "the mock has the cookie u; the service has not"),
        ],
    ),
)
def test_answers_differ_in_status_errors_and_headers(
    real: RecordedAnswer, mock: RecordedAnswer, drifts: list[tuple[str, str, str]]
) -> None:
    assert told(real, mock) == drifts


@cases("body, code", (ERROR, " (gone, t)"), ({"error": "lost"}, " (lost)"), ([], ""), ({}, ""), ("text", ""))
def test_programs_read_codes_of_an_error(body: Any, code: str) -> None:
    assert code_of(answer(body, 400)) == code


@cases(
    "text, form",
    ("word", None),
    ("sk_test_masked-12xx", "secret"),
    ("-----BEGIN KEY\nabc", "secret"),
    ("0x" + "ab" * 20, "20 bytes in hex"),
    ("0x" + "ab" * 32, "32 bytes in hex"),
    ("0x" + "ab" * 65, "65 bytes in hex"),
    ("0x" + "ab" * 21, "bytes in hex"),
    ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "UUID"),
    ("2026-01-01T00:00:00.000Z", "time with milliseconds"),
    ("2026-01-01T00:00:00+01:00", "time in seconds"),
    ("Thu, 01 Jan 2026 00:00:00 GMT", "date of HTTP"),
    ("eyJhbGciOiJ9.eyJhIjoxfQ.", "JWT"),
    ("http://a.example/b", "URL"),
    ("-1.50", "decimal number"),
    ("con_word", None),
    (ID, "id con_…"),
    (f"anonymous-{'a1' * 10}@example.com", "made-up e-mail address"),
    (f"{'a' * 19}@example.com", None),
    ("aBcDeFgHiJkLmNoP", "drawn text"),
    ("aBcDeFgHiJkLmNo", None),
    ("abcdefgh1ijklmnop", "drawn text"),
    ("1abcdefghijklmnop", None),
    ("abcdefghijklmnop1", None),
    ("ABCdefGHIjklMNOpqr", "drawn text"),
    ("ABCdefGHIjklMNOpqrs", None),
    ("/aBcDeFgHiJkLmNoP", None),
)
def test_a_drawn_text_has_a_form_and_words_have_none(text: str, form: str | None) -> None:
    assert form_of(text) == form


def test_drawn_words_of_a_sentence_agree() -> None:
    assert (
        without_drawn(f"the user {ID} is gone, 7 stay.") == "the user id con_… is gone, decimal number stay."
    )


def test_long_texts_take_no_long_time() -> None:
    # Both took time by the square of their length, and the first a call for each prefix.
    assert form_of("ab_" * 20_000 + "1" * 30) == "id ab_…"
    assert without_drawn("-" * 100_000) == "-" * 100_000


@cases(
    "text, linkable",
    (ID, True),
    ("http://a.example", True),
    ("1" * 17, False),
    ("1" * 18, True),
    ("word", False),
    ("2026-01-01T00:00:00Z", False),
    ("Thu, 01 Jan 2026 00:00:00 GMT", False),
    ("0x" + "ab" * 21, False),
    ("0x" + "ab" * 20, True),
)
def test_what_names_one_thing_stands_for_it_everywhere(text: str, linkable: bool) -> None:
    assert is_linkable(text) is linkable


@cases(
    "form, other, alike",
    ("a", "a", 1),
    (None, None, 1),
    ("a", "b", 0),
    ("secret", "b", 1),
    ("b", "secret", 1),
)
def test_a_secret_is_like_every_form(form: str | None, other: str | None, alike: int) -> None:
    assert are_alike(form, other) == bool(alike)
    assert not are_alike("secret", None)
    assert not are_alike(None, "secret")


def test_small_numbers_are_determined_and_large_ones_times() -> None:
    assert [is_determined(each) for each in (9_999, 10_000, -9_999, -10_000)] == [True, False, True, False]
    assert [is_time(each) for each in (1_000_000_000, 1_000_000_001)] == [False, True]
