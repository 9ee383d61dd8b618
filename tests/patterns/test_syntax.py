"""Patterns mean what RE2 means by them. RE2 itself is the judge where it can be installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.patterns import CompiledPattern, compile_pattern
from mockserver.patterns.syntax import PatternError
from tests.tables import cases

_PARTS = [
    *"abkKsZ09_-.^$|()*+?{}[]&~/:=!<#,éſ語\N{GRINNING FACE}\N{KELVIN SIGN} \n",
    *("(?:", "(?i)", "(?i:", "(?s)", "(?m)", "(?U)", "(?-i:", "(?i-m:", "(?P<n>", "(?<n>", "(?=", "(?x)"),
    *(
        "{2}",
        "{0,3}",
        "{1,}",
        "{,2}",
        "{1001}",
        "{3,2}",
        "[a-z]",
        "[^a-z]",
        "[^",
        "[]a]",
        "[^]a]",
        "[a-]",
        "[-a]",
    ),
    *(
        "[[:alpha:]]",
        "[^[:word:]]",
        "[[:^digit:]]",
        "[[:foo:]]",
        "[z-a]",
        r"[a-\d]",
        "[a--]",
        "[+--]",
        "[[a]",
    ),
    *(
        "[a&&b]",
        r"[\d_]",
        r"[^\W]",
        r"[\S]",
        r"[\w-z]",
        r"[\b]",
        r"[\x41-\x{5a}]",
        r"[\101-z]",
        "a-z",
        "&&",
        "--",
    ),
    *(
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\b",
        r"\A",
        r"\z",
        r"\Z",
        r"\pL",
        r"\PL",
        r"\p{Lu}",
        r"\pX",
    ),
    *(r"\p{Greek}", r"\p{^Greek}", r"\P{^Nd}", r"\p{Any}", r"\p{foo}", r"\p{Alphabetic}", r"\p{Lm}", r"\p"),
    *(
        r"\n",
        r"\t",
        r"\x41",
        r"\x{e9}",
        r"\x4",
        r"\x{110000}",
        r"\101",
        r"\777",
        r"\0",
        r"\1",
        r"\8",
        r"\q",
        r"\é",
    ),
    *(r"\.", r"\*", r"\[", r"\]", "\\", r"\\", r"\Qa*\E", r"\Q", r"\E", r"\<", r"\_", r"\""),
]
_PATTERNS = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=7).map("".join)
_TEXTS = st.text(
    st.sampled_from("abkKsSzZ09_-éÉ語 \n\t\x0b\r.*[]&~\\\x00ΑαſK٣^{,2}<E#\N{GRINNING FACE}"), max_size=6
)


def re2_of(pattern: str) -> Any:
    """What RE2 makes of a pattern, or the text of its error."""
    re2 = import_module("re2")
    options = re2.Options()
    options.log_errors, options.never_capture = False, True
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        return error.args[0].decode()


def compile_or_refuse(pattern: str) -> tuple[CompiledPattern | None, str]:
    """A compiled pattern, or why it is refused."""
    try:
        return compile_pattern(pattern), ""
    except PatternError as error:
        return None, str(error)


@pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")
@given(_PATTERNS, st.lists(_TEXTS, max_size=8))
def test_a_pattern_matches_what_re2_matches(pattern: str, texts: list[str]) -> None:
    judge, (compiled, refusal) = re2_of(pattern), compile_or_refuse(pattern)
    if compiled is None:
        # Of repetitions after flags, such as `a(?i)*`, RE2 takes the character before.
        allowed = "no argument for repetition", "instructions"
        assert isinstance(judge, str) or any(each in refusal for each in allowed)
        return
    assert not isinstance(judge, str), judge
    assert [compiled.matches(text) for text in texts] == [judge.search(text) is not None for text in texts]


@pytest.mark.skipif(find_spec("re2") is None, reason="google-re2 is not installed")
@given(_PATTERNS)
def test_the_size_of_a_pattern_is_about_that_of_re2(pattern: str) -> None:
    judge, (compiled, _) = re2_of(pattern), compile_or_refuse(pattern)
    if compiled is not None:
        assert not isinstance(judge, str)
        assert compiled.size * 3 > judge.programsize


@cases(
    "pattern, found, not_found",
    (r"^\w+$", "ab_9", "é"),
    (r"^\d$", "7", "\N{ARABIC-INDIC DIGIT THREE}"),
    (r"^\s$", "\f", "\v"),
    (r"\bab\b", "éab", "cab"),
    (r"^\D\S\W$", "éé-", "1éa"),
    (r"^[\d\S]+$", "é1", " "),
    ("^(?i)k$", "\N{KELVIN SIGN}", "c"),
    ("^a{,2}$", "a{,2}", "aa"),
    ("^[[a&&b]+$", "[&", "c"),
    (r"^\Q.*\E+$", ".**", ".a"),
    (r"^\101\x{e9}\x2a$", "Aé*", "aé*"),
    (r"^\p{Greek}\P{^Lu}\pN$", "αA1", "aA1"),
    (r"^\PC[^\P{C}]$", "\u0378\n", "\u0378\u0378"),
    (r"^\<\"$", '<"', '"'),
    ("a$", "ba", "a\n"),
    ("(?m)a$", "a\nb", "ab"),
    (r"^[^]a]$", "b", "]"),
    (r"^(?P<n>a)(?:b|c){2,3}?$", "abc", "ab"),
)
def test_a_pattern_is_read_as_re2_reads_it(pattern: str, found: str, not_found: str) -> None:
    matches = compile_pattern(pattern).matches
    assert (matches(found), matches(not_found)) == (True, False)


def test_no_more_than_128_patterns_are_kept() -> None:
    for number in range(130):
        compile_pattern(f"[ab]*a[ab]{{{number}}}")
    assert compile_pattern.cache_info().currsize == 128


@cases(
    "pattern, reason",
    ("(a", "missing ): (a"),
    ("a)", "unexpected ): a)"),
    ("b[a", "missing ]: [a"),
    ("a**", "bad repetition operator: **"),
    ("a{2}{3}", "bad repetition operator: {2}{3}"),
    ("*", "no argument for repetition operator: *"),
    ("a{1001}", "invalid repetition size: {1001}"),
    ("a{3,2}", "invalid repetition size: {3,2}"),
    ("[z-a]", "invalid character class range: z-a"),
    ("[[:foo:]]", "invalid character class range: [:foo:]"),
    (r"\p", r"invalid character class range: \p"),
    (r"\pX", "Unicode property value not found"),
    (r"\p{Foo}", "Unicode property value not found"),
    ("(?=a)", "invalid perl operator: (?="),
    ("(?x)a", "invalid perl operator: (?x"),
    ("\\", "trailing \\"),
    (r"\1", r"invalid escape sequence: \1"),
    (r"\C", r"invalid escape sequence: \C"),
    (r"[\q]", r"invalid escape sequence: \q"),
    (r"\x{110000}", r"invalid escape sequence: \x{110000}"),
    (r"\x{d800}", "hexadecimal literal is not a Unicode scalar value"),
    ("\ud800", "hexadecimal literal is not a Unicode scalar value"),
    ("(" * 250, "missing ): "),
)
def test_a_pattern_that_is_none_says_why(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as refused:
        compile_pattern(pattern)
    assert str(refused.value).startswith("is not a pattern that RE2 reads: ")
    assert reason in str(refused.value)
