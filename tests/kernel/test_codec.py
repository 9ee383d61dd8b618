"""Values of annotated types as JSON, and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.codec import Malformed, codec_of
from tests.tables import cases


class Inner(NamedTuple):
    """A record."""

    number: int
    raw: bytes = b""


@dataclass(frozen=True)
class Other:
    """Another record."""

    kind: Literal["a", "b"]
    of: frozenset[str] = frozenset()


class Outer(NamedTuple):
    """A record of records."""

    which: Inner | Other
    pair: tuple[int, str] = (0, "")
    rows: tuple[Inner, ...] = ()
    free: Mapping[str, Any] = {}
    mixed: Mapping[str, str | int | float | bool] | None = None


def there_and_back(kind: Any, value: Any) -> Any:
    codec = codec_of(kind)
    return codec.decode(json.loads(json.dumps(codec.encode(value))))


FREE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.sampled_from(["$", "$int", "$map"]), inner)
    ),
    max_leaves=8,
)


@given(FREE)
def test_what_has_no_type_of_its_own_goes_and_comes_back(value: Any) -> None:
    assert repr(there_and_back(Any, value)) == repr(value)


@given(
    st.builds(
        Outer,
        st.builds(Inner, st.integers(), st.binary()) | st.builds(Other, st.sampled_from("ab")),
        rows=st.lists(st.builds(Inner, st.integers())).map(tuple),
        free=st.dictionaries(st.text(), FREE),
        mixed=st.none() | st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()),
    )
)
def test_records_go_and_come_back(value: Outer) -> None:
    assert there_and_back(Outer, value) == value


@cases(
    "number, written",
    (2**63 - 1, 2**63 - 1),
    (-(2**63), -(2**63)),
    (2**63, {"$int": "9223372036854775808"}),
    (-(2**63) - 1, {"$int": "-9223372036854775809"}),
)
def test_an_integer_of_more_than_64_bits_is_a_text(number: int, written: object) -> None:
    assert codec_of(Any).encode(number) == written


def test_default_members_are_left_out_and_sets_are_sorted() -> None:
    assert codec_of(Inner).encode(Inner(3)) == {"number": 3}
    assert codec_of(Other).encode(Other("a", frozenset("cab"))) == {"kind": "a", "of": ["a", "b", "c"]}


@cases(
    "kind, value, message",
    (Inner, [], "is to be an object"),
    (Inner, {}, "number: is missing"),
    (Inner, {"number": True}, "number: is to be a whole number"),
    (Inner, {"number": "1" * 2000}, "number: is to be a whole number"),
    (Inner, {"number": 1, "raw": "é"}, "raw: is to be base64"),
    (Inner, {"number": 1, "__class__": 1}, "__class__: is no member of Inner"),
    (Other, {"kind": ["a"]}, "kind: is to be one of a, b"),
    (Outer, {"which": {"$": "os.system"}}, "which: is to be one of Inner, Other"),
    (Outer, {"which": {"$": ["Inner"]}}, "which: is to be one of Inner, Other"),
    (
        Outer,
        {"which": {"$": "Inner", "number": 1}, "rows": [{"number": 1}, 2]},
        "rows[1]: is to be an object",
    ),
    (Outer, {"which": {"$": "Inner", "number": 1}, "pair": [1]}, "pair: is to be a list of 2"),
    (Outer, {"which": {"$": "Inner", "number": 1}, "mixed": {"a": []}}, "mixed.a: has the wrong type"),
    (Mapping[str, int], [], "is to be an object"),
    (list[int], {}, "is to be a list"),
    (tuple[int, ...], "ab", "is to be a list"),
    (float, "1.5", "is to be a number"),
    (float, True, "is to be a number"),
    (None, 0, "is to be null"),
    (Any, {"a": {"$code": "1"}}, "a.$code: is no tagged value"),
    (Any, {"a": {"$int": "1", "b": 1}}, "a.$int: is no tagged value"),
    (Any, {"$map": [[{}, 1]]}, "$map: is to be a list of pairs"),
    (Any, {"$map": [["a", 1, 2]]}, "$map: is to be a list of pairs"),
    (Any, {"$map": [["a", 1], {"a": 1}]}, "$map: is to be a list of pairs"),
)
def test_what_has_another_form_is_refused_with_its_place(kind: Any, value: Any, message: str) -> None:
    with pytest.raises(Malformed) as refused:
        codec_of(kind).decode(value)
    assert str(refused.value) == message


def test_what_no_file_can_hold_is_not_written() -> None:
    with pytest.raises(TypeError, match="a value of object cannot be written"):
        codec_of(Any).encode({"a": [object()]})


@cases("kind", set, dict[bytes, int], Inner | int, type)
def test_an_unwritable_type_is_refused_when_declared(kind: Any) -> None:
    with pytest.raises(TypeError, match="cannot be written"):
        codec_of(kind)
