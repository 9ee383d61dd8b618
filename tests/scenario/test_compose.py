"""YAML as a tree: what becomes of scalars, and what is refused."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.scenario.reading.bounds import OF_FILES
from mockserver.scenario.reading.compose import parse
from mockserver.scenario.reading.findings import Findings, ScenarioError
from tests.tables import cases

MAX_DEPTH = 32
MAX_LENGTH = 2 * 1024 * 1024


def plain(text: str) -> Any:
    """The values of a text that is right."""
    findings = Findings("test.yaml")
    value = parse(text, findings).plain()
    findings.stop_if_any()
    return value


def refusal_of(text: str) -> ScenarioError | None:
    """What is wrong with a text, or None."""
    try:
        parse(text, Findings("test.yaml"))
    except ScenarioError as error:
        return error
    return None


def refused(text: str) -> ScenarioError:
    """What is wrong with a text that is wrong."""
    with pytest.raises(ScenarioError) as caught:
        plain(text)
    return caught.value


@cases(
    "text",
    "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    "0x10",
    "0b101",
    "0o17",
    "017",
    "1_000",
    "1e18",
    "1.5e3",
    "12e03",
    "9007199254740993",
    "1000000000000000000",
    "-9007199254740993",
    "+1",
    ".5",
    "1.",
    ".inf",
    ".nan",
    "12:30:45",
    "2026-01-31",
    "2026-01-31T12:00:00Z",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "True",
    "TRUE",
    "Null",
)
def test_what_older_yaml_takes_for_numbers_stays_text(text: str) -> None:
    assert plain(f"a: {text}") == {"a": text}


@cases(
    "text, value",
    ("0", 0),
    ("42", 42),
    ("-7", -7),
    ("9007199254740992", 2**53),
    ("true", True),
    ("false", False),
    ("null", None),
    ("~", None),
    ("", None),
    ('"42"', "42"),
    ("'true'", "true"),
    ('""', ""),
    ("|\n  42", "42"),
)
def test_scalars_are_read_as_json_has_them(text: str, value: Any) -> None:
    found = plain(f"a: {text}")["a"]
    assert found == value
    assert type(found) is type(value)


def test_a_decimal_fraction_stays_as_it_was_written() -> None:
    found = plain("- 1.50\n- -0.25\n")
    assert found == [1.5, -0.25]
    assert [str(number) for number in found] == ["1.50", "-0.25"]


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_whole_numbers_are_exact_or_stay_text(number: int) -> None:
    assert plain(f"- {number}") == [number if abs(number) <= 2**53 else str(number)]


@given(st.text(alphabet="0123456789abcdefABCDEF", max_size=64))
def test_hexadecimal_always_stays_text(digits: str) -> None:
    assert plain(f"- 0x{digits}") == [f"0x{digits}"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**53), max_value=2**53)
    | st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(alphabet="abc def:#-?", min_size=1, max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(
    st.dictionaries(st.text(alphabet="abcdef", min_size=1, max_size=8), json_values, min_size=1, max_size=4)
)
def test_what_another_library_writes_is_read_back(document: dict[str, Any]) -> None:
    # Only words of older YAML that need no quotes in YAML 1.2 could differ; they stay quoted.
    assert plain(yaml.safe_dump(document, allow_unicode=True)) == document


def test_places_count_from_one() -> None:
    tree = parse("a:\n  - b: 1\n    c: [2, {d: 3}]\n", Findings("test.yaml"))
    assert tree.at(("a", 0, "c", 1, "d")).place == (3, 16)
    assert tree.at(("a", 0)).keys["c"] == (3, 5)
    assert tree.at(("a", 0, "nothing")).place == (2, 5)


@cases(
    "text, place, message",
    ("", (1, 1), "empty"),
    ("# only a comment\n", (1, 1), "empty"),
    ("a: 1\nb: 2\na: 3\n", (3, 1), "there twice, first in line 1"),
    ("a: {b: 1, b: 2}\n", (1, 11), "there twice"),
    ("a: 1\n---\nb: 2\n", (2, 1), "a second one begins"),
    ("a: !!python/object:os.system x\n", (1, 4), "no tags"),
    ("a: *nothing\n", (1, 4), "has the anchor &nothing"),
    ("a: &x [*x]\n", (1, 8), "has the anchor &x"),
    ("a: &x {b: 1}\nc:\n  <<: *x\n", (3, 3), "no merge keys"),
    ("a: \x07\n", (1, 4), "not YAML"),
    ("ä: ä\nb: ä\x07\n", (2, 5), "a character that may not be in a text"),
    ('a: "\\UFFFFFFFF"\n', (1, 7), "not YAML"),
    ("[a, b]: 1\n", (1, 1), "a key is text"),
    ("~: 1\n", (1, 1), "a key is text"),
)
def test_what_is_not_read_is_refused_with_its_place(text: str, place: tuple[int, int], message: str) -> None:
    finding = refused(text).findings[0]
    assert (finding.line, finding.column) == place
    assert message in finding.message
    assert finding.source == "test.yaml"


@cases("reader", "SafeLoader", "CSafeLoader")
@cases(
    "text, place, message",
    ("a: [1, 2\nb: 3\n", (1, 4), "this [ is not closed"),
    ("a: [{b: {c: 1}\n", (1, 5), "this { is not closed"),
    ("a: {b: c]\n", (1, 9), "here a comma or the } of column 4 is missing"),
    ("{a: b}}\n", (1, 7), "nothing is open that this } closes"),
    ("a: 'b\n", (1, 4), "this quote is not closed"),
    ("a: 'it's'\n", (1, 8), "the quote before this place ends the value"),
    ('a: "\\q"\n', None, "this escape means nothing within double quotes"),
    ("a: b: c\n", (1, 5), "a second key in one line"),
    ("a: {b: http://c: 3}\n", (1, 16), "a second key in one line"),
    ("a: b\n  c: d\n", (2, 4), "this line is no key"),
    ("a\nb: c\n", (2, 2), "this line is no key"),
    ("- a\nb: c\n", (2, 1), "this line does not go on with what begins in line"),
    ("a: - b\n", (1, 4), "a list begins on a line of its own"),
    ("\ta: 1\n", (1, 1), "a tab: YAML is indented with spaces"),
    ("a:\n\t- b\n", (2, 1), "a tab: YAML is indented with spaces"),
    ("a: b\n\tc: d\n", (2, 1), "a tab: YAML is indented with spaces"),
    ("a: @b\n", (1, 4), "put quotes around a value that begins with @"),
    ("a: {b: c}\nd", None, "the key before this place has no colon"),
)
def test_what_is_not_yaml_is_said_in_plain_words(
    reader: str, text: str, place: tuple[int, int] | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reader == "SafeLoader":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    finding = refused(text).findings[0]
    assert finding.message.startswith(f"not YAML: {message}")
    if place is not None:
        assert (finding.line, finding.column) == place


@cases(
    "text, hint",
    ("a: {data[0].id: x}\n", "'data[0].id'"),
    ("a: {b: 1, data[0].id: x}\n", "'data[0].id'"),
    ("a: {b[1]: 1, data[0].id: x}\n", "'b[1]'"),
    ("x: 1\na: {b[0][1]: x}\n", "'b[0][1]'"),
    ("x: {'b[0]': 1}\na: {c[2]: x}\n", "'c[2]'"),
    ("a: ,b[0]: 1\n", None),
    ("x: a, b[0]: 1\n", None),
    ("a, b[0]: ]\n", None),
    ("a: {'b[0]': 1, c}, d\n", None),
    ("a: [b[0], c: d: e]\n", None),
    ("a: {b: 1, c: ]}\n", None),
)
def test_a_key_with_a_number_within_braces_is_to_be_quoted(text: str, hint: str | None) -> None:
    (finding,) = refused(text).findings
    assert ("put quotes around the key" in finding.message) == (hint is not None)
    assert finding.message.endswith(hint or "")


def test_an_alias_stands_for_its_anchor() -> None:
    assert plain("a: &x {b: [1]}\nc: *x\nd: [*x, *x]\n")["d"] == [{"b": [1]}, {"b": [1]}]


def test_billion_laughs_are_refused_quickly() -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert f"more than {OF_FILES.values} values" in str(refused("\n".join(lines)))


def test_aliases_cannot_nest_deeper_than_the_text_may() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, MAX_DEPTH + 2)]
    assert "levels deep" in str(refused("\n".join(lines)))


@cases(
    "reader, escape, message",
    ("SafeLoader", "uD800", "half of a surrogate pair is no character"),
    ("SafeLoader", "UFFFFFFFF", "not YAML: a number that is none"),
    ("CSafeLoader", "uD800", "not YAML: this escape means nothing"),
)
def test_an_escape_of_no_character_is_refused(
    reader: str, escape: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reader == "SafeLoader":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    (finding,) = refused(f'a: "\\{escape}"\n').findings
    assert finding.line == 1
    assert finding.message.startswith(message)


def test_depth_and_length_are_bounded() -> None:
    assert "levels deep" in str(refused("a: " + "[" * 500))
    assert "levels deep" in str(refused("{" * 500))
    assert refused("[" * 5_000)
    assert plain("[" * (MAX_DEPTH - 1) + "{a: 1}" + "]" * (MAX_DEPTH - 1))
    assert "levels deep" in str(refused("[" * MAX_DEPTH + "{a: 1}" + "]" * MAX_DEPTH))
    assert plain("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
    assert "levels deep" in str(refused("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2)))
    assert plain("a: " + "x" * (MAX_LENGTH - 3))
    assert "longer than" in str(refused("a: " + "x" * (MAX_LENGTH - 2)))
    assert "more than" in str(refused("[" + "1," * (OF_FILES.values + 1) + "]"))


def test_values_are_counted_up_to_the_bound() -> None:
    text = "[1, {a: 1}, &b [], *b]"
    assert parse(text, Findings("test.yaml"), most_values=7).plain()
    with pytest.raises(ScenarioError, match="more than 6 values") as caught:
        parse(text, Findings("test.yaml"), most_values=6)
    assert caught.value.findings[0].column == 20


@given(st.text(max_size=200))
def test_arbitrary_text_raises_nothing_else(text: str) -> None:
    error = refusal_of(text)
    assert error is None or error.findings


@cases("end", "\r", "\x85", "\u2028", "\u2029")
def test_a_mistake_behind_any_end_of_a_line_is_found(end: str) -> None:
    error = refusal_of(f"a: b{end}c: - d")
    assert error is not None
    assert error.findings[0].line == 2


@given(st.text(alphabet="ab01:-?,[]{}&*!|>'\"%@`# \n\t\\xUu.<~", max_size=60))
def test_text_made_of_yaml_punctuation_raises_nothing_else(text: str) -> None:
    error = refusal_of(text)
    assert error is None or error.findings
