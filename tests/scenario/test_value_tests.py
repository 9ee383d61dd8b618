"""What must hold of values."""

from typing import Any

import pytest
from pydantic import ValidationError

from mockserver.api.wire import adapter
from mockserver.kernel.effort import Effort
from mockserver.scenario.grammar.value_tests import ValueTest
from mockserver.scenario.reading.tree import ABSENT
from tests.tables import cases


def passes(test: dict[str, Any], value: Any, *, typed: bool = True) -> bool:
    found: bool = adapter(ValueTest).validate_python(test).passes(value, Effort(), typed)
    return found


@cases(
    "test, fitting, others",

        ({"equals": 1}, [1, 1.0], [True, "1", [1], None, ABSENT]),
        ({"equals": True}, [True], [1, "true", False, ABSENT]),
        ({"equals": None}, [None], [False, 0, "", "null", ABSENT]),
        ({"equals": "a"}, ["a"], ["A", ["a"], ABSENT]),
        ({"equals": [1, [True]]}, [[1, [True]]], [[1, [1]], [1], [1, [True], 2], {}, ABSENT]),
        ({"equals": {"a": {"b": 1}}}, [{"a": {"b": 1}}], [{"a": {"b": True}}, {"a": {}}]),
        ({"equals": {"a": 1}}, [{"a": 1}], [{"a": 1, "c": 2}, {"c": 1}, 1]),
        ({"one_of": [1, "a"]}, [1, "a"], [True, "1", ABSENT]),
        ({"subset": {"a": [1, 3]}}, [{"a": [1, 2, 3], "b": 1}], [{"a": [3, 1]}, {"a": [1]}, {"b": [1, 3]}]),
        ({"subset": ["a"]}, [["b", "a"]], ["ab", {"a": 1}, 1, [["a"]], ABSENT]),
        ({"subset": {"a": 1}}, [{"a": 1, "b": 2}], [[{"a": 1}], "a", 1, ABSENT]),
        ({"subset": "a"}, ["a"], [["a"], "ab", {"a": "a"}]),
        ({"contains": "b"}, ["abc", ["a", "b"]], ["ac", "aBc", ["abc"], {"b": 1}, ABSENT]),
        ({"contains": 1}, ["21", [2, 1]], [[True], ["1"], 1]),
        ({"matches": "^a.c$"}, ["abc"], ["abcd", "ac", ABSENT]),
        ({"matches": r'^\{"a":1\}$'}, [{"a": 1}], [{"a": 2}]),
        ({"above": 1, "below": 3}, [2, "2", 1.5, "2.9"], [1, 3, "x", True, [2], None, ABSENT]),
        ({"at_least": 1, "at_most": 3}, [1, 2, 3, "3"], [0, 4, 3.1]),
        ({"length": {"equals": 2}}, ["ab", [1, 2]], ["a", [1], {"a": 1, "b": 2}, 12, ABSENT]),
        ({"any": {"equals": 1}}, [[2, 1]], [[2], [], 1, {"a": 1}, ABSENT]),
        ({"each": {"equals": 1}}, [[1, 1], []], [[1, 2], 1, {}, ABSENT]),
        ({"has": {"a[0].b": {"equals": 1}}}, [{"a": [{"b": 1}]}], [{"a": []}, {"a": [{"b": 2}]}, 1]),
        ({"has": {"a": {"present": False}}}, [{}, {"b": 1}], [{"a": None}, {"a": 1}]),
        ({"present": True}, [None, "", 0, False], [ABSENT]),
        ({"present": False}, [ABSENT], [None, "", 0, False]),
        ({"matches": "a", "length": {"at_most": 2}}, ["a", "ba"], ["abc", "b"]),
)  # fmt: skip
def test_values_pass_all_of_a_test(test: dict[str, Any], fitting: list[Any], others: list[Any]) -> None:
    assert [value for value in fitting if not passes(test, value)] == []
    assert [value for value in others if passes(test, value)] == []


@cases(
    "test, fitting, others",
    ({"equals": 1}, ["1"], ["01", "true"]),
    ({"equals": True}, ["true"], ["True", "1"]),
    ({"equals": None}, ["null"], [""]),
    ({"one_of": [1, None]}, ["1", "null"], ["2"]),
    ({"contains": True}, ["is true"], ["is True"]),
)
def test_what_has_only_text_is_compared_as_text(
    test: dict[str, Any], fitting: list[str], others: list[str]
) -> None:
    assert all(passes(test, value, typed=False) for value in fitting)
    assert not any(passes(test, value, typed=False) for value in others)


@cases(
    "test, is_refused",
    ({"above": 1, "below": 1}, True),
    ({"above": 1, "at_most": 1}, True),
    ({"at_least": 1, "below": 1}, True),
    ({"at_least": 1, "at_most": 1}, False),
    ({"at_least": 2, "at_most": 1}, True),
    ({"above": 1, "below": 2}, False),
    ({"present": False, "equals": 1}, True),
    ({"present": True, "equals": 1}, False),
    ({}, True),
    ({"one_of": []}, True),
    ({"matches": "("}, True),
    ({"above": "x"}, True),
)
def test_a_test_that_nothing_can_pass_is_refused(test: dict[str, Any], is_refused: bool) -> None:
    if not is_refused:
        assert adapter(ValueTest).validate_python(test)
        return
    with pytest.raises(ValidationError):
        adapter(ValueTest).validate_python(test)


def test_every_pattern_of_a_test_is_known_wherever_it_is() -> None:
    inner = [{"matches": letter} for letter in "abcd"]
    test = {"matches": "e", "length": inner[0], "any": inner[1], "each": inner[2], "has": {"x": inner[3]}}
    assert sorted(adapter(ValueTest).validate_python(test).patterns()) == ["a", "b", "c", "d", "e"]
    assert [*adapter(ValueTest).validate_python({"equals": 1}).patterns()] == []
