from mockserver.chain.entry_point_errors import EXPLANATIONS
from tests.tables import cases


@cases("code", *EXPLANATIONS)
def test_explanations_start_with_a_code_and_are_sentences(code: str) -> None:
    explanation = EXPLANATIONS[code]
    assert explanation.message.startswith(f"{code}: ")
    assert explanation.cause.endswith(".")
    assert explanation.solution.endswith(".")


def test_no_two_codes_share_an_explanation() -> None:
    assert len({(each.message, each.cause) for each in EXPLANATIONS.values()}) == len(EXPLANATIONS)


@cases(
    "message",
    "AA27: outside valid block range",
    "AA37: paymaster inval block range",
    "AA97: should call from EntryPoint",
    "AA98: invalid paymaster",
    "AA99: initCode too small",
)
def test_newer_entry_points_refusals_are_explained(message: str) -> None:
    assert EXPLANATIONS[message[:4]].message == message
