"""Source of values, which is what they are and fits in its lines."""

import ast
import json
from collections.abc import Callable
from typing import Any

from mockserver.replay.export.pytest_file import Pytest
from mockserver.replay.export.source import WIDTH, Code, Joined, Language
from mockserver.replay.export.vitest_file import Vitest
from tests.tables import cases

PYTHON, JAVASCRIPT = Pytest(), Vitest()
LONG = "x" * 60


@cases(
    "value, python, javascript",
    (None, "None", "null"),
    (True, "True", "true"),
    (1.5, "1.5", "1.5"),
    ("it's", '''"it's"''', '''"it's"'''),
    ('say "so"', """'say "so"'""", r'"say \"so\""'),
    ("""it's "so\"""", """'it\\'s "so"'""", r'"it' + "'" + r's \"so\""'),
    ("a\nb", r'"a\nb"', r'"a\nb"'),
    ("é\u2028", r'"é\u2028"', r'"\u00e9\u2028"'),
    ("é", '"é"', '"é"'),
    ("\\'", r'''"\\'"''', r'''"\\'"'''),
    (b"\xff", r"b'\xff'", 'Buffer.from("ff", "hex")'),
    (Code("answer.id"), "answer.id", "answer.id"),
    (Joined(("a", Code("b"))), '"a" + b', '"a" + b'),
    (Joined(()), '""', '""'),
    ([], "[]", "[]"),
    ({}, "{}", "{}"),
    ({"a": [1, Code("b"), {"c-d": "e"}]}, '{"a": [1, b, {"c-d": "e"}]}', '{ a: [1, b, { "c-d": "e" }] }'),
)
def test_a_value_is_written_as_its_language_has_it(value: Any, python: str, javascript: str) -> None:
    assert PYTHON.write(value) == python
    assert JAVASCRIPT.write(value) == javascript


@cases(
    "value, source",
    ([LONG, LONG], f'[\n    "{LONG}",\n    "{LONG}",\n]'),
    ({"a": LONG, "b": LONG}, f'{{\n    "a": "{LONG}",\n    "b": "{LONG}",\n}}'),
    (
        {"a": {"b": LONG, "c": LONG}, "d": []},
        f'{{\n    "a": {{\n        "b": "{LONG}",\n        "c": "{LONG}",\n    }},\n    "d": [],\n}}',
    ),
    (Joined((LONG, Code("b" * 40))), f'(\n    "{LONG}"\n    + {"b" * 40}\n)'),
    (f"{LONG}\n{LONG}", f'(\n    "{LONG}\\n"\n    + "{LONG}"\n)'),
    ("x" * 97, f'(\n    "{"x" * 88}"\n    + "{"x" * 9}"\n)'),
)
def test_a_long_value_is_written_by_members_and_lines(value: Any, source: str) -> None:
    assert PYTHON.write(value) == source


@cases("text", "y" * 2000, "\n" * 200, "\0" * 200, "é'\"\n" * 100, '{"a": "\N{SNOWMAN}"}' * 50)
@cases("language, read", (PYTHON, ast.literal_eval), (JAVASCRIPT, json.loads))
def test_a_long_text_is_what_its_lines_say(language: Language, read: Callable[[str], str], text: str) -> None:
    opening, *lines, closing = language.write(text).splitlines()
    assert (opening, closing) == ("(", ")")
    assert max(map(len, lines)) <= WIDTH
    assert "".join(read(line.strip().removeprefix("+ ")) for line in lines) == text


@cases("text", "z" * 200_000, "\n" * 5000)
def test_a_text_of_too_many_lines_for_a_parser_is_one(text: str) -> None:
    source = PYTHON.write_call("f", [("", text)])
    (call,) = ast.parse(source).body
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert ast.literal_eval(call.value.args[0]) == text


@cases("length, lines", (42, 1), (43, 4))
def test_a_line_is_not_longer_than_its_width(length: int, lines: int) -> None:
    assert len(PYTHON.write(["x" * 46, "x" * length]).splitlines()) == lines
    assert len(PYTHON.write(["x" * 42, "x" * length], "    ").splitlines()) == lines
    assert len(PYTHON.write(["x" * 39, "x" * length], used=7).splitlines()) == lines


@cases(
    "arguments, source",
    ([], "f()"),
    ([("", LONG + LONG)], f'f(\n    "{LONG}{"x" * 28}"\n    + "{"x" * 32}"\n)'),
    ([("", "a"), ("b", 1)], 'f("a", b=1)'),
    ([("", LONG), ("b", LONG)], f'f(\n    "{LONG}",\n    b="{LONG}",\n)'),
)
def test_a_call_names_its_arguments(arguments: list[tuple[str, Any]], source: str) -> None:
    assert PYTHON.write_call("f", arguments) == source


@cases("length, lines", (42, 1), (43, 4))
def test_a_call_fits_in_its_line(length: int, lines: int) -> None:
    assert len(PYTHON.write_call("f", [("", "x" * 45), ("", "x" * length)]).splitlines()) == lines
    assert len(PYTHON.write_call("f", [("", "x" * 38), ("", "x" * length)], used=7).splitlines()) == lines


@cases("length, lines", (82, 3), (83, 4))
def test_a_last_mapping_begins_in_the_line_of_its_call(length: int, lines: int) -> None:
    arguments = [("", "x" * length), ("", {"a": LONG})]
    assert len(PYTHON.write_call("f", arguments, used=7).splitlines()) == lines
