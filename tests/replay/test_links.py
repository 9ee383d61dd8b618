"""Which values of a request came from an earlier answer."""

from typing import Any

from mockserver.replay.shrinking.links import Answers, Link, LinkTable, Signed, signatures_in
from mockserver.replay.shrinking.places import ValuePlace
from tests.replay.invented_runs import answer, get, post
from tests.tables import cases

ID = ValuePlace("body", "/id")
FIRST, SECOND = Link(1, ID), Link(2, ID)
SIGNATURE, DIGEST = "0x" + "ab" * 65, "0x" + "1c" * 32


def table(*drawn: tuple[str, Link]) -> LinkTable:
    """A table of values that are drawn."""
    found = LinkTable()
    for value, link in drawn:
        found.add(value, link)
    return found


@cases(
    "value, text, pieces",
    ("con_12", "<con_12>", ("<", FIRST, ">")),
    ("con_12", "con_12", (FIRST,)),
    ("con_12", "con_12/con_12", (FIRST, "/", FIRST)),
    ("con_12", "con_123", ("con_123",)),
    ("con_12", "con_1", ("con_1",)),
    ("con_1", "con_1", ("con_1",)),
    ("a@b.example", "to=a@b.example!", ("to=", FIRST, "!")),
    ("a@b.example", "to=a@b.examples", ("to=a@b.examples",)),
    ("a@b.example", "a%40b.example", (FIRST._replace(form="percent-encoded"),)),
    ("0xABCDEF", "0xabcdef", (FIRST._replace(form="lower-case"),)),
    ("XABCDEF", "xabcdef", ("xabcdef",)),
    ("///////", "///////", ("///////",)),
    ("con_12", "", ()),
)
def test_a_value_is_found_as_a_whole_in_whatever_form(value: str, text: str, pieces: Any) -> None:
    assert table((value, FIRST)).split(text, 5) == pieces


def test_of_two_values_that_begin_alike_the_longer_one_is_meant() -> None:
    found = table(("a@b.example", FIRST), ("a@b.example/path", SECOND))
    assert found.split("a@b.example/path", 5) == (SECOND,)
    assert found.split("a@b.example/other", 5) == (FIRST, "/other")


def test_a_link_leads_to_the_first_answer_that_may_be_meant() -> None:
    found = table(("con_12", FIRST), ("con_12", Link(1, ValuePlace("body", "/other"))), ("con_12", SECOND))
    assert [found.find("con_12", before) for before in (None, 3, 2, 1)] == [FIRST, FIRST, FIRST, None]
    found.available = frozenset({2})
    assert [found.find("con_12", before) for before in (None, 3, 2)] == [SECOND, SECOND, None]
    assert found.find("con_13") is None


def test_the_value_of_a_link_is_written_as_it_was() -> None:
    answers = Answers()
    assert answers.add(1, answer(body='{"id": "0xA/B"}'))[ID] == "0xA/B"
    forms: list[Any] = ["as it is", "percent-encoded", "lower-case"]
    assert [answers.value(FIRST._replace(form=form)) for form in forms] == ["0xA/B", "0xA%2FB", "0xa/b"]
    assert [answers.value(link) for link in (SECOND, Link(1, ValuePlace("body", "/none")))] == [None, None]


@cases(
    "needed, before, expected",
    ([], 9, 4),
    ([2], 9, 2),
    ([2, 4], 9, 4),
    ([7], 9, 4),
    ([], 4, 2),
    ([4], 4, 2),
    ([], 2, None),
)
def test_a_signature_is_of_the_right_hash(needed: list[int], before: int, expected: int | None) -> None:
    found = LinkTable()
    for number in (2, 4):
        found.add_digest(DIGEST, Link(number, ID))
    found.signatures[SIGNATURE] = "acc_1", DIGEST
    pieces = found.split(SIGNATURE, before, frozenset(needed))
    assert pieces == ((SIGNATURE,) if expected is None else (Signed("acc_1", Link(expected, ID)),))


@cases("value, is_one", (DIGEST, True), (DIGEST[:-1], False), (DIGEST + "0", False))
def test_only_32_bytes_may_be_signed(value: str, is_one: bool) -> None:
    found = LinkTable()
    found.add_digest(value, FIRST)
    assert (value in found.digests) is is_one


def test_a_request_is_linked_to_the_exchanges_it_needs() -> None:
    found = table(("con_12", FIRST), ("con_34", SECOND))
    found.add_digest(DIGEST, Link(3, ID))
    found.signatures[SIGNATURE] = Link(4, ID), DIGEST
    request = post(f"con_34 {SIGNATURE}", ("x-a", "b"), path="/v1/con_12")
    linked = found.link(request, 9)
    assert linked.exchanges() == {1, 2, 3, 4}
    assert [*linked.links()] == [FIRST, SECOND, Link(3, ID), Link(4, ID)]
    assert linked.body is not None
    found.signatures[SIGNATURE] = "acc_1", DIGEST
    assert found.link(request, 9).exchanges() == {1, 2, 3}
    assert found.link(post({"base64": "/w=="}), 9).body is None
    assert found.link(get("/v1/other"), 9).exchanges() == frozenset()


@cases(
    "body, found",
    (f'{{"a": "{SIGNATURE}", "b": "{SIGNATURE}"}}', [SIGNATURE, SIGNATURE]),
    (SIGNATURE + "0", []),
    (SIGNATURE[:-1], []),
    ({"base64": "/w=="}, []),
)
def test_a_signature_is_65_bytes_in_hex(body: Any, found: list[str]) -> None:
    assert signatures_in(post(body)) == found
