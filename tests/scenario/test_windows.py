"""Which calls a rule is about: by their number, and by the project's clock."""

from typing import Any

import pytest
from pydantic import ValidationError

from mockserver.api.wire import adapter
from mockserver.scenario.grammar.when import Nth
from mockserver.scenario.grammar.windows import ClockWindow
from tests.tables import cases

LOADED_MS = 1_767_225_600_000
LATER = "2026-01-01T00:01:00Z"


@cases(
    "members, meant, over_from",
    ({"from": 3}, [3, 4, 5, 6, 7, 8, 9], None),
    ({"to": 3}, [1, 2, 3], 4),
    ({"from": 3, "to": 3}, [3], 4),
    ({"every": 3}, [1, 4, 7], None),
    ({"from": 2, "every": 3}, [2, 5, 8], None),
    ({"from": 2, "to": 7, "every": 3}, [2, 5], 8),
)
def test_a_range_means_the_calls_from_its_first_to_its_last(
    members: dict[str, int], meant: list[int], over_from: int | None
) -> None:
    nth = adapter(Nth).validate_python(members)
    assert [number for number in range(1, 10) if nth.admits(number)] == meant
    over = [number for number in range(1, 10) if nth.is_over(number)]
    assert over == ([] if over_from is None else [*range(over_from, 10)])


@cases("members", {"from": 3, "to": 2}, {"to": 0}, {"from": 0}, {"every": 0}, {})
def test_a_range_without_calls_is_refused(members: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        adapter(Nth).validate_python(members)


@cases(
    "members, contained, over_from",
    ({"after": "60s"}, [60, 61], None),
    ({"before": "60s"}, [0, 59], 60),
    ({"after": "59s", "before": "61s"}, [59, 60], 61),
    ({"after": LATER}, [60, 61], None),
    ({"after": "59s", "before": LATER}, [59], 60),
    ({"after": LATER, "before": "61s"}, [60], 61),
)
def test_a_clocks_span_has_its_first_moment_but_not_its_last(
    members: dict[str, str], contained: list[int], over_from: int | None
) -> None:
    window = adapter(ClockWindow).validate_python(members)
    seconds = (0, 59, 60, 61)
    times = {each: LOADED_MS + each * 1000 for each in seconds}
    assert [each for each in seconds if window.contains(times[each], LOADED_MS)] == contained
    over = [each for each in seconds if window.is_over(times[each], LOADED_MS)]
    assert over == [each for each in seconds if over_from is not None and each >= over_from]


@cases(
    "members, is_refused",
    ({"after": "60s", "before": "60s"}, True),
    ({"after": "61s", "before": "60s"}, True),
    ({"after": "59s", "before": "60s"}, False),
    ({"after": LATER, "before": LATER}, True),
    ({"after": LATER, "before": "1s"}, False),
    ({}, True),
    ({"after": "soon"}, True),
    ({"after": ["60s"]}, True),
)
def test_a_span_without_a_moment_is_refused(members: dict[str, Any], is_refused: bool) -> None:
    if not is_refused:
        assert adapter(ClockWindow).validate_python(members)
        return
    with pytest.raises(ValidationError):
        adapter(ClockWindow).validate_python(members)


@cases(
    "members, text",
    ({"after": "60s"}, "after 60s after loading"),
    ({"before": LATER}, f"before {LATER}"),
    ({"after": "1s", "before": "60s"}, "after 1s after loading and before 60s after loading"),
)
def test_a_span_is_told_as_it_was_written(members: dict[str, str], text: str) -> None:
    assert str(adapter(ClockWindow).validate_python(members)) == text
