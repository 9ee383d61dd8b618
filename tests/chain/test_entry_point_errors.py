from __future__ import annotations

import pytest

from mockserver.chain.entry_point_errors import EXPLANATIONS, explain


@pytest.mark.parametrize(
    "spelling",
    ["AA31: paymaster deposit too low", "AA31 paymaster deposit too low", "AA31", "FailedOp(0, AA31 low)"],
)
def test_a_reason_that_mentions_a_code_is_explained(spelling: str) -> None:
    found = explain(spelling)
    assert found is EXPLANATIONS["AA31"]
    assert found.message == "AA31: paymaster deposit too low"


@pytest.mark.parametrize("reason", ["", "out of gas", "AA00", "AA311", "BAA31", "aa31"])
def test_a_reason_without_a_known_code_is_not(reason: str) -> None:
    assert explain(reason) is None


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_every_explanation_starts_with_its_code_and_is_made_of_sentences(code: str) -> None:
    explanation = EXPLANATIONS[code]
    assert explanation.message.startswith(f"{code}: ")
    assert explanation.cause.endswith(".")
    assert explanation.solution.endswith(".")
    assert explain(explanation.message) is explanation


def test_no_two_codes_share_an_explanation() -> None:
    assert len({(each.message, each.cause) for each in EXPLANATIONS.values()}) == len(EXPLANATIONS)
