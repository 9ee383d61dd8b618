"""Queries and forms become the values they stand for."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.api.forms import FormError, read_form, read_query
from tests.tables import cases

MOST_ESCAPES = 50_000

NONE: frozenset[str] = frozenset()
EXPAND = frozenset({"expand"})


@cases(
    "text, value",
    ("", {}),
    ("a=1&b=2", {"a": "1", "b": "2"}),
    ("a=", {"a": ""}),
    ("a", {"a": ""}),
    ("a=1&a=2", {"a": "2"}),
    ("expand=a", {"expand": ["a"]}),
    ("expand=a&expand=b&x=1", {"expand": ["a", "b"], "x": "1"}),
    ("expand[]=a&expand=b&expand%5B%5D=c", {"expand": ["a", "b", "c"]}),
    ("expand[0]=a&expand%5B1%5D=b", {"expand": ["a", "b"]}),
    ("a=1+2%203&b=%C3%A9", {"a": "1 2 3", "b": "é"}),
    ("a=%ff", {"a": "�"}),
)
def test_a_query_is_read(text: str, value: dict[str, Any]) -> None:
    assert read_query(text, EXPAND) == value


@cases(
    "text, value",
    ("a=1&b=2", {"a": "1", "b": "2"}),
    ("strategy[sponsorSchema]=x&strategy[depends]=y", {"strategy": {"sponsorSchema": "x", "depends": "y"}}),
    ("calls[0][to]=a&calls[1][to]=b", {"calls": [{"to": "a"}, {"to": "b"}]}),
    ("calls[1]=b&calls[0]=a", {"calls": ["a", "b"]}),
    ("list[]=a&list[]=b", {"list": ["a", "b"]}),
    ("list[2]=a&list[]=b", {"list": {"2": "a", "1": "b"}}),
    ("list[1]=a&list[]=b", {"list": {"1": "a", "2": "b"}}),
    ("expand=a&expand=b", {"expand": ["a", "b"]}),
    ("expand[]=a&expand=b", {"expand": ["a", "b"]}),
    ("expand[0]=a", {"expand": ["a"]}),
    ("metadata[a b]=", {"metadata": {"a b": ""}}),
    ("list[1]=a", {"list": {"1": "a"}}),
)
def test_a_form_is_read(text: str, value: dict[str, Any]) -> None:
    assert read_form(text, EXPAND) == value


def test_a_form_has_a_bounded_number_of_escapes() -> None:
    assert read_form("a=" + "%41" * MOST_ESCAPES, NONE) == {"a": "A" * MOST_ESCAPES}
    with pytest.raises(FormError, match="there are more than 50000 percent signs"):
        read_form("a=" + "%41" * (MOST_ESCAPES + 1), NONE)


@cases("name", "[a]", "a[b", "a]b", "a[b]c", "a[[b]]", "", "a[b]]")
def test_a_name_with_brackets_astray_is_no_form_key(name: str) -> None:
    with pytest.raises(FormError, match="is not a form key"):
        read_form(f"{quote(name)}=1", NONE)


@cases(
    "text", "a=1&a[b]=2", "a[b]=2&a=1", "a[b]=1&a[b][c]=2", "a[b][c]=2&a[b]=1", "expand[x][y]=1&expand[x]=1"
)
def test_what_is_both_a_value_and_an_object_is_refused(text: str) -> None:
    with pytest.raises(FormError, match="both a value and an object"):
        read_form(text, EXPAND)


def test_a_form_has_limits() -> None:
    assert len(read_form("&".join(f"a{n}=1" for n in range(1_000)), NONE)) == 1_000
    with pytest.raises(FormError, match="more than 1000 fields"):
        read_form("&".join(f"a{n}=1" for n in range(1_001)), NONE)
    with pytest.raises(FormError, match="more than 1000 fields"):
        read_query("&" * 1_000, NONE)
    assert read_form("a" + "[b]" * 19 + "=1", NONE)
    with pytest.raises(FormError, match="nests too deeply"):
        read_form("a" + "[b]" * 20 + "=1", NONE)


# One segment of a key: anything but brackets, and not a number, for those make lists.
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="[]"), min_size=1, max_size=8).filter(
    lambda name: not name.isdecimal()
)
VALUES = st.text(st.characters(codec="utf-8"), max_size=12)
TREES = st.dictionaries(
    NAMES,
    st.recursive(
        VALUES,
        lambda inner: (
            st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3)
        ),
        max_leaves=12,
    ),
    max_size=4,
)


def written(value: Any, name: str) -> list[tuple[str, str]]:
    """A value as form fields."""
    if isinstance(value, str):
        return [(name, value)]
    entries = enumerate(value) if isinstance(value, list) else value.items()
    return [field for key, member in entries for field in written(member, f"{name}[{key}]")]


@given(TREES, st.randoms(use_true_random=False))
def test_a_form_is_read_as_it_was_written_in_any_order(tree: dict[str, Any], order: Any) -> None:
    fields = [field for name, value in tree.items() for field in written(value, name)]
    order.shuffle(fields)
    assert read_form(urlencode(fields), NONE) == tree


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.lists(VALUES, max_size=5))
def test_a_query_is_read_as_it_was_written(values: dict[str, str], many: list[str]) -> None:
    values.pop("expand", None)
    text = urlencode([*values.items(), *(("expand", value) for value in many)])
    assert read_query(text, EXPAND) == values | ({"expand": many} if many else {})


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_text_is_a_form_or_is_refused_as_none(text: str) -> None:
    assert isinstance(read_query(text, EXPAND), dict)
    try:
        found = read_form(text, EXPAND)
    except FormError as error:
        found = {"reason": str(error)}
    assert len(found.get("reason", "")) < 500
