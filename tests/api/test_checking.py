"""Bytes become checked bodies: JSON as it stands, forms and queries as their text is meant."""

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from mockserver.api.family import API, family_of
from mockserver.api.wire import Body, PageQuery, check_body, check_query
from mockserver.errors import ApiError
from tests.tables import cases

JSON_TYPE = "application/json"
FORM_TYPE = "application/x-www-form-urlencoded"


class Strategy(Body):
    """A part of a body."""

    sponsorSchema: Literal["pay_for_user", "fixed_rate"]
    amount: int | None = None


class Create(Body):
    """A body."""

    name: Annotated[str, Field(min_length=1)]
    count: int = 1
    enabled: bool = False
    strategy: Strategy | None = None
    expand: list[str] | None = None
    price: float | None = None
    extra: dict[str, Any] | None = None


class Nothing(Body):
    """A body without required members."""


def refused(body: bytes, content_type: str = JSON_TYPE, path: str = "/v2/things") -> ApiError:
    """The refusal of a body."""
    with pytest.raises(ApiError) as caught:
        check_body(Create, family_of(path), body, content_type)
    return caught.value


@cases("content_type", "", JSON_TYPE, "Application/JSON; charset=utf-8", "application/ld+json")
def test_json_is_read(content_type: str) -> None:
    assert check_body(Create, API, b'{"name": "a", "count": 2}', content_type).count == 2


@cases("content_type", FORM_TYPE, "APPLICATION/x-www-form-urlencoded; charset=utf-8")
def test_a_form_is_read_and_its_text_is_meant(content_type: str) -> None:
    strategy = b"strategy[sponsorSchema]=fixed_rate&strategy[amount]=5"
    text = b"name=a&count=2&enabled=true&expand=x&price=1.5&" + strategy
    body = check_body(Create, API, text, content_type)
    assert (body.count, body.enabled, body.expand, body.price) == (2, True, ["x"], 1.5)
    assert (body.strategy.sponsorSchema, body.strategy.amount) == ("fixed_rate", 5)


@cases(
    "members, path",
    ({"name": 5}, "name"),
    ({"name": None}, "name"),
    ({}, "name"),
    ({"name": ""}, "name"),
    ({"name": "a", "count": "2"}, "count"),
    ({"name": "a", "count": 2.5}, "count"),
    ({"name": "a", "count": True}, "count"),
    ({"name": "a", "enabled": "true"}, "enabled"),
    ({"name": "a", "enabled": 1}, "enabled"),
    ({"name": "a", "expand": "x"}, "expand"),
    ({"name": "a", "expand": ["x", 1]}, "expand[1]"),
    ({"name": "a", "strategy": {}}, "strategy.sponsorSchema"),
    ({"name": "a", "strategy": {"sponsorSchema": "free"}}, "strategy.sponsorSchema"),
    ({"name": "a", "strategy": []}, "strategy"),
)
def test_json_of_the_wrong_type_is_refused_where_it_is_wrong(members: dict[str, Any], path: str) -> None:
    found = refused(json.dumps(members).encode())
    assert (found.row.code, found.row.status, found.param) == ("invalid_parameters", 400, path)
    assert found.details is not None
    assert path in found.details


@cases(
    "body",
    b"{",
    b"{'name': 'a'}",
    b'{"name": "a",}',
    b'{"name": "a"} more',
    b"\xff\xfe",
    b'{"name": "\xff"}',
    b'{"name": "\\ud800"}',
    b'{"name": "a\x00"}',
    b"   ",
    b"[" * 10_000,
    b'{"a":' * 10_000,
    b'{"name": "a", "price": NaN}',
    b'{"name": "a", "extra": {"deep": [Infinity]}}',
    b'{"name": "a", "extra": {"x": -Infinity}}',
    b'{"name": "a", "count": ' + b"9" * 5_000 + b"}",
)
def test_what_is_not_json_is_refused_as_such(body: bytes) -> None:
    found = refused(body)
    assert (found.row.code, found.row.status) == ("invalid_json", 400)
    assert len(found.message) < 300


@cases("body", b"null", b"[]", b'"text"', b"5", b"true")
def test_json_that_is_no_object_is_refused_without_a_field(body: bytes) -> None:
    found = refused(body)
    assert (found.row.code, found.param, found.details) == ("invalid_parameters", None, {})


@cases("text", b"a[b=1", b"name=a&name[x]=1", b"\xff", b"&" * 1_001)
def test_what_is_not_a_form_is_refused(text: bytes) -> None:
    assert refused(text, FORM_TYPE).row.code == "invalid_parameters"


def test_no_body_is_an_empty_object_whatever_it_calls_itself() -> None:
    for content_type in ("", JSON_TYPE, FORM_TYPE, "text/plain"):
        assert refused(b"", content_type).param == "name"


def test_another_content_type_is_refused_but_by_identity() -> None:
    assert (refused(b"x", "text/plain").row.status, refused(b"x", "multipart/form-data").row.status) == (
        415,
        415,
    )
    found = refused(b"x", "text/plain", "/iam/v2/auth/things")
    assert (found.row.code, found.row.status) == ("VALIDATION_ERROR", 400)


@cases(
    "path, malformed, wrong",
    ("/v2/things", "invalid_json", "invalid_parameters"),
    ("/iam/v2/auth/things", "BAD_REQUEST", "VALIDATION_ERROR"),
    ("/_mock/things", "invalid_json", "invalid_request"),
)
def test_each_family_has_its_own_words(path: str, malformed: str, wrong: str) -> None:
    assert refused(b"{", path=path).row.code == malformed
    assert refused(b"{}", path=path).row.code == wrong


def test_without_models_neither_body_nor_query_is_read() -> None:
    assert check_body(None, API, b"{not json", "text/plain") is None
    assert check_query(None, API, "limit=x") is None


def test_a_query_is_checked() -> None:
    query = check_query(PageQuery, API, "limit=5&order=asc&unknown=1")
    assert (query.limit, query.skip, query.order) == (5, 0, "asc")
    assert check_query(PageQuery, API, "").limit is None
    for text, param in [
        ("limit=0", "limit"),
        ("limit=1_0", "limit"),
        ("limit=1.0", "limit"),
        ("limit=2147483648", "limit"),
        ("skip=x", "skip"),
        ("skip=-1", "skip"),
        ("skip=%201", "skip"),
        ("order=", "order"),
        ("&" * 1_001, None),
    ]:
        with pytest.raises(ApiError) as caught:
            check_query(PageQuery, API, text)
        assert (caught.value.row.status, caught.value.param) == (400, param)


def test_a_body_has_no_more_than_so_many_values() -> None:
    few = json.dumps({"name": "a", "extra": {"list": [1] * 19_990}}).encode()
    assert len(check_body(Create, API, few, JSON_TYPE).extra["list"]) == 19_990
    lists: tuple[object, ...] = ([1] * 20_000, [{}] * 20_000, {str(number): 1 for number in range(20_000)})
    for many in lists:
        error = refused(json.dumps({"name": "a", "extra": {"list": many}}).encode())
        assert error.message == "the body has more than 20,000 values"


def test_commas_and_brackets_in_a_text_are_no_values() -> None:
    body = json.dumps({"name": "a", "extra": {"text": "[{," * 20_000}}).encode()
    assert check_body(Create, API, body, JSON_TYPE).name == "a"


def test_of_many_members_that_are_wrong_the_first_are_found() -> None:
    body = json.dumps({"name": "a", "expand": list(range(15_000))}).encode()
    error = refused(body)
    assert len(error.details or {}) == 100
    assert error.message.endswith("(and at least 99 more)")
