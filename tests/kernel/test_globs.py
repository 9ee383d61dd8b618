"""Globs match as regular expressions of the same meaning do, without their cost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.globs import read_glob
from tests.tables import cases

_WILD = re.compile(r"\*|\{[^{}]*\}")


def as_expression(pattern: str) -> str:
    """The regular expression that means the same."""
    parts = re.split(r"(\*|\{[^{}]*\})", pattern)
    forms = {"*": ".*"}
    return "".join(
        forms.get(part, ".+") if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )


@given(
    st.lists(st.sampled_from(["a", "b", "ab", "*", "{id}"]), max_size=8).map("".join),
    st.text("ab", max_size=12),
)
def test_a_glob_is_the_regular_expression_of_its_form(pattern: str, text: str) -> None:
    expected = re.fullmatch(as_expression(pattern), text, re.DOTALL) is not None
    assert read_glob(pattern, _WILD).matches(text) is expected


@cases(
    "pattern, text, matches",
    ("", "", True),
    ("", "a", False),
    ("*", "", True),
    ("/v1/*/read", "/v1/a/b/read", True),
    ("/v1/*/read", "/v1/read", False),
    ("a*a", "a", False),
    ("?[ab]", "?[ab]", True),
    ("{id}", "x", False),
)
def test_only_stars_are_wildcards(pattern: str, text: str, matches: bool) -> None:
    assert read_glob(pattern).matches(text) is matches


def test_many_stars_and_a_long_near_match_take_no_time() -> None:
    assert not read_glob("*a" * 5_000 + "*b").matches("a" * 50_000)
