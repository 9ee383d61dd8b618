from __future__ import annotations

import pytest

from mockserver.chain.entry_point_errors import EXPLANATIONS


@pytest.mark.parametrize("code", EXPLANATIONS)
def test_every_explanation_starts_with_its_code_and_is_made_of_sentences(code: str) -> None:
    explanation = EXPLANATIONS[code]
    assert explanation.message.startswith(f"{code}: ")
    assert explanation.cause.endswith(".")
    assert explanation.solution.endswith(".")


def test_no_two_codes_share_an_explanation() -> None:
    assert len({(each.message, each.cause) for each in EXPLANATIONS.values()}) == len(EXPLANATIONS)


@pytest.mark.parametrize(
    "message",
    [
        "AA27: outside valid block range",
        "AA37: paymaster inval block range",
        "AA97: should call from EntryPoint",
        "AA98: invalid paymaster",
        "AA99: initCode too small",
    ],
)
def test_what_newer_entry_points_refuse_is_explained_in_their_words(message: str) -> None:
    assert EXPLANATIONS[message[:4]].message == message
