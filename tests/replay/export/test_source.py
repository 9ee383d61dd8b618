"""Python source of values, which is what they are and fits in its lines."""

from typing import Any

from mockserver.replay.export.source import Code, join, quote, write, write_call
from tests.tables import cases

LONG = "x" * 60


@cases(
    "value, source",
    (None, "None"),
    (True, "True"),
    (1.5, "1.5"),
    ("it's", '''"it's"'''),
    ('say "so"', """'say "so"'"""),
    ("""it's "so\"""", """'it\\'s "so"'"""),
    ("a\nb", '"a\\nb"'),
    ("\\'", '"\\\\\'"'),
    (Code("answer.json()"), "answer.json()"),
    ([], "[]"),
    ({}, "{}"),
    ({"a": [1, Code("b"), {"c": "d"}]}, '{"a": [1, b, {"c": "d"}]}'),
    ([LONG, LONG], f'[\n    "{LONG}",\n    "{LONG}",\n]'),
    ({"a": LONG, "b": LONG}, f'{{\n    "a": "{LONG}",\n    "b": "{LONG}",\n}}'),
    ("y" * 200, f'"{"y" * 200}"'),
    (
        {"a": {"b": LONG, "c": LONG}, "d": []},
        f'{{\n    "a": {{\n        "b": "{LONG}",\n        "c": "{LONG}",\n    }},\n    "d": [],\n}}',
    ),
)
def test_a_value_is_written_in_one_line_or_by_members(value: Any, source: str) -> None:
    assert write(value) == source


@cases("length, lines", (96, 1), (97, 3))
def test_a_line_has_up_to_a_hundred_characters(length: int, lines: int) -> None:
    assert len(write(["x" * length]).splitlines()) == lines
    assert len(write(["x" * (length - 4)], "    ").splitlines()) == lines
    assert len(write(["x" * (length - 7)], used=7).splitlines()) == lines


@cases(
    "arguments, source",
    ([], "f()"),
    ([("", "a"), ("b", 1)], 'f("a", b=1)'),
    ([("", LONG), ("b", LONG)], f'f(\n    "{LONG}",\n    b="{LONG}",\n)'),
)
def test_a_call_names_its_arguments(arguments: list[tuple[str, Any]], source: str) -> None:
    assert write_call("f", arguments, "") == source


@cases("length, lines", (95, 1), (96, 3))
def test_a_call_fits_in_its_line(length: int, lines: int) -> None:
    assert len(write_call("f", [("", "x" * length)], "").splitlines()) == lines
    assert len(write_call("f", [("", "x" * (length - 4))], "    ").splitlines()) == lines


def test_texts_are_joined_as_expressions() -> None:
    assert join(iter([quote("a"), "b.id"])) == '"a" + b.id'
    assert join(iter([])) == '""'
    assert type(join(iter(["b"]))) is Code
