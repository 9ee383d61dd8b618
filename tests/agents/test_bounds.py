"""How much of an answer a tool shows: as much as fits, and it says what is left out."""

import json
from typing import Any

from mockserver.agents.bounds import fit
from tests.tables import cases

MOST = 20_000
LONG = "x" * 30_000


def nested(depth: int, count: int) -> list[Any]:
    """Lists of so many lists of lists, with texts in the innermost."""
    value: Any = "y" * 300
    for _ in range(depth):
        value = [value] * count
    return [LONG, *[value] * count]


@cases(
    "value, longest, most",
    ([LONG, *["y" * 170] * 100], 2_000, 100),
    ([LONG, *["y" * 400] * 100], 600, 40),
    ([LONG, *["y" * 3_000] * 100], 200, 20),
    (nested(1, 12), 80, 8),
    (nested(2, 12), 40, 3),
    (nested(6, 3), 20, 1),
)
def test_texts_and_lists_are_cut_as_little_as_needed(value: list[Any], longest: int, most: int) -> None:
    first, *rest, left = json.loads(fit(value))
    assert (first, len(rest)) == (f"{LONG[:longest]}… (30000 characters)", most - 1)
    assert left == f"… {len(value) - most} more"


@cases("value", "é" * MOST, [["x" * 500] * 500] * 50, {str(n): "y" * 90 for n in range(5_000)})
def test_whatever_is_answered_fits(value: Any) -> None:
    assert len(fit(value).encode()) <= MOST


def test_a_thousand_members_are_shown() -> None:
    assert json.loads(fit([1] * 1_000)) == [1] * 1_000
    assert json.loads(fit([1] * 1_001)) == [*[1] * 1_000, "… 1 more"]
    named = {str(n): n for n in range(1_002)}
    assert [*json.loads(fit(named)).items()][999:] == [("999", 999), ("…", "2 more members")]


def test_an_answer_has_twenty_thousand_bytes_at_most() -> None:
    fitting = ["x" * (MOST - 4)]
    assert fit(fitting) == json.dumps(fitting)
    assert fit(["x" * (MOST - 3)]) == json.dumps([f"{'x' * 2_000}… (19997 characters)"], ensure_ascii=False)
    assert fit({"x" * MOST: 1}) == '{"' + "x" * (MOST - 6) + "…"


def test_a_text_of_wide_characters_shows_a_quarter() -> None:
    assert fit("x" * MOST) == "x" * MOST
    assert fit("é" * (MOST // 2)) == "é" * (MOST // 2)
    assert fit("é" * (MOST // 2) + "x") == f"{'é' * (MOST // 4)}… (10001 characters)"
