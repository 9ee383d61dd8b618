"""Bodies check themselves, become validators when first needed, and say where they are wrong."""

import dataclasses
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from mockserver.api.wire import (
    Address,
    Body,
    ChainId,
    Hex,
    Id,
    Name,
    PageQuery,
    Query,
    Text,
    Wei,
    adapter,
    field_path,
    findings,
    list_fields,
    summary,
)
from tests.tables import cases


class Call(Body):
    """A part of a body."""

    to: Address
    value: Wei = "0"


class Send(Body):
    """A body."""

    chainId: ChainId
    calls: Annotated[list[Call], Field(min_length=1)]
    note: Text | None = None


class SendLater(Send):
    """A body that has all of another one's fields."""

    delay: int
    note: Text | None = "later"


class Lists(PageQuery):
    """A query with several lists."""

    expand: list[Literal["account", "timeline"]] | None = None
    accountId: Annotated[list[Id], Field(max_length=2)] = dataclasses.field(default_factory=list)
    metadata: dict[str, list[str]] | None = None
    status: str | None = None


ADDRESS = "0x" + "aB" * 20


def wrong(shape: Any, value: Any) -> dict[str, dict[str, object]]:
    """The findings about a value."""
    with pytest.raises(ValidationError) as caught:
        adapter(shape).validate_python(value)
    return findings(caught.value)


def test_a_body_becomes_a_dataclass_at_its_first_request() -> None:
    class Late(Body):
        """Not needed yet."""

        size: int = 1

    class Later(Late):
        """Not needed either."""

        color: str

    assert "__dataclass_fields__" not in Late.__dict__
    made = adapter(Later).validate_python({"color": "red"})
    assert (made.size, made.color) == (1, "red")
    assert isinstance(made, Late)
    assert adapter(Late).validate_python({}).size == 1
    assert adapter(Later) is adapter(Later)


def test_a_body_has_its_parents_fields_and_overrides_them() -> None:
    body = adapter(SendLater).validate_python({"chainId": 1, "calls": [{"to": ADDRESS}], "delay": 5})
    assert (body.note, body.delay, body.calls[0].value) == ("later", 5, "0")
    assert adapter(Send).validate_python({"chainId": 1, "calls": [{"to": ADDRESS}]}).note is None
    assert list(wrong(SendLater, {"chainId": 1, "calls": [{"to": ADDRESS}]})) == ["delay"]


def test_unknown_members_are_ignored() -> None:
    body = adapter(Call).validate_python({"to": ADDRESS, "colour": "red", "__class__": 1})
    assert not hasattr(body, "colour")
    assert isinstance(body, Call)


def test_every_wrong_field_is_named_by_its_path() -> None:
    found = wrong(Send, {"chainId": 0, "calls": [{"to": ADDRESS}, {"to": "0x1", "value": "-1"}], "note": 5})
    assert list(found) == ["chainId", "calls[1].to", "calls[1].value", "note"]
    assert found["calls[1].to"] == {"message": "must be 0x followed by 40 hexadecimal digits", "value": "0x1"}
    assert found["chainId"]["value"] == 0
    assert summary(found).startswith("chainId: ")
    assert summary(found).endswith("(and 3 more)")


def test_a_missing_field_has_no_value_and_a_long_one_is_cut() -> None:
    found = wrong(Call, {"value": "x" * 1_000})
    assert "value" not in found["to"]
    assert found["value"]["value"] == "x" * 117 + "..."


def test_one_finding_is_one_sentence() -> None:
    assert summary({"": {"message": "must be an object"}}) == "must be an object"
    assert summary({"a.b": {"message": "is missing"}}) == "a.b: is missing"


@cases(
    "location, path",
    ((), ""),
    (("a",), "a"),
    (("a", 0, "b"), "a[0].b"),
    ((0, "a"), "[0].a"),
    (("a", 0, 1), "a[0][1]"),
)
def test_a_place_is_written_as_clients_write_it(location: tuple[int | str, ...], path: str) -> None:
    assert field_path(location) == path


def test_lists_are_told_from_values_even_when_optional() -> None:
    assert list_fields(Lists) == {"expand", "accountId"}
    assert list_fields(PageQuery) == list_fields(dict[str, Any]) == frozenset()


@cases(
    "kind, good, bad",
    (
        Address,
        [ADDRESS, ADDRESS.lower()],
        ["", "0x", ADDRESS[:-1], ADDRESS + "0", "0x" + "g" * 40, ADDRESS + "\n", "0X" + "00" * 20],
    ),
    (Hex, ["0x", "0xAb"], ["", "ab", "0xa", "0xzz", "0X00", "0x00\n", "0x٠٠"]),
    (Wei, ["0", "007", str(2**256 - 1)], ["", "-1", "1.0", "0x1", str(2**256), "1e3", "٣", "1" * 79, "1\n"]),
    (Text, ["", "two\nlines\tand é 🎉"], ["\x00", "a\x1b[0m", "\x7f", "x" * 4097]),
    (Name, ["x"], ["", "x" * 257, "\x08"]),
    (Id, ["acc_1"], ["", "x" * 129]),
    (ChainId, [1, 2**53 - 1], [0, -1, 2**53]),
)
def test_a_field_type_takes_what_it_should_only(kind: Any, good: list[Any], bad: list[Any]) -> None:
    checks = TypeAdapter(kind)
    for value in good:
        checks.validate_python(value)
    for value in bad:
        with pytest.raises(ValidationError):
            checks.validate_python(value)


def test_a_query_is_a_body_whose_text_is_read() -> None:
    class Filter(Query):
        """A query."""

        deleted: bool = False
        chainId: ChainId | None = None

    found = adapter(Filter).validate_python({"deleted": "true", "chainId": "137"})
    assert (found.deleted, found.chainId) == (True, 137)
