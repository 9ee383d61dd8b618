"""YAML of exports: any value can be read again, and no line is long."""

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from mockserver.replay.export.yaml_text import comment, to_yaml

TEXTS = st.text(max_size=300)
VALUES = st.recursive(
    TEXTS | st.text("ab \n", max_size=300) | st.integers() | st.booleans() | st.none(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=20), values, max_size=3),
)


@given(VALUES)
def test_any_value_is_read_again(value: Any) -> None:
    assert yaml.safe_load(to_yaml(value)) == value


@given(st.text(min_size=1, max_size=400), st.integers(0, 10))
def test_no_line_is_long(text: str, depth: int) -> None:
    value: Any = text
    for _ in range(depth):
        value = {"a": value}
    assert max(map(len, to_yaml(value).splitlines())) <= 110


def test_long_data_is_divided_and_a_text_of_lines_is_not() -> None:
    data, lines = to_yaml({"data": "0x" + "12" * 100}), to_yaml({"text": "one\ntwo\n"})
    assert [line[-1] for line in data.splitlines()] == ["\\", "\\", '"']
    assert lines == "text: |\n  one\n  two\n"


def test_a_long_comment_is_several_lines() -> None:
    assert [len(line) <= 102 for line in comment("word " * 30).splitlines()] == [True, True]
