"""Fates: which are refused, in which words, and which transactions meet them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from mockserver.api.wire import findings
from mockserver.domain.transactions.fate_options import OUTCOMES, SELECTORS, FateSpec
from mockserver.domain.transactions.fates import set_fate, take_fate
from mockserver.state.project import Project
from tests.fates import add_fate
from tests.tables import cases

FATE: TypeAdapter[FateSpec] = TypeAdapter(FateSpec)


def refused(fate: object) -> str:
    """What is wrong with a fate that cannot be: a sentence for each member."""
    with pytest.raises(ValidationError) as caught:
        FATE.validate_python(fate)
    return "; ".join(f"{path}: {finding['message']}" for path, finding in findings(caught.value).items())


@cases(
    "fate, sentence",
    ({}, ": a fate has an outcome"),
    ([], ": a fate is a mapping, such as {outcome: reverted}"),
    ({"outcom": "reverted"}, "outcom: 'outcom' is not part of a fate (did you mean outcome?)"),
    ({"outcome": "revertd"}, "outcome: 'revertd' is not an outcome of a transaction (did you"),
    ({"outcome": ["reverted"]}, """outcome: '["reverted"]' is not an outcome of a transaction"""),
    ({"outcome": {"a": None}}, """outcome: '{"a": null}' is not an outcome of a transaction"""),
    ({"outcome": "expired", "kind": "solana"}, "is not a kind of transaction"),
    (
        {"outcome": "confirmed", "kind": "transaction"},
        "outcome: 'confirmed' is not an outcome of a transaction",
    ),
    ({"outcome": "failed", "kind": []}, "kind: '[]' is not a kind of transaction"),
    ({"outcome": "failed", "kind": None}, "kind: 'null' is not a kind of transaction"),
    ({"outcome": "failed", "after_ms": 5}, "'after_ms' is not an option of failed"),
    ({"outcome": "reverted", "reson": "x"}, "did you mean reason?"),
    ({"outcome": "reverted", "reson": None}, "did you mean reason?"),
    ({"outcome": "never_mined", "after_ms": 5}, "is not an option of never_mined"),
    ({"outcome": "reverted", "reason": ""}, "reason: String should have at least 1 character"),
    ({"outcome": "reverted", "reason": "x" * 1001}, "reason: String should have at most 1000"),
    ({"outcome": "reverted", "reason": "\ud800"}, "reason: Input should be a valid string"),
    ({"outcome": "reverted", "reason": 5}, "reason: Input should be a valid string"),
    ({"outcome": "reverted", "panic": "0x11"}, "panic: Input should be a valid integer"),
    ({"outcome": "reverted", "panic": True}, "panic: Input should be a valid integer"),
    ({"outcome": "reverted", "panic": 2**53}, "panic: Input should be less than"),
    ({"outcome": "successful", "after_ms": -1}, "after_ms: Input should be greater than or equal to 0"),
    ({"outcome": "successful", "after_ms": 1.5}, "after_ms: Input should be a valid integer"),
    ({"outcome": "successful", "count": 0}, "count: Input should be greater than or equal to 1"),
    ({"outcome": "successful", "chain_id": 0}, "chain_id: Input should be greater than or equal to 1"),
    ({"outcome": "reverted", "args": [1]}, "args belong to an error"),
    ({"outcome": "reverted", "args": {}, "error": "A"}, "args: Input should be a valid list"),
    ({"outcome": "reverted", "reason": "x", "panic": 1}, "one of reason, error and panic"),
    ({"outcome": "reverted", "reson": "x", "panic": -1}, "panic: Input should be greater"),
    ({"outcome": "reverted", "error": "Bad(uint257)"}, "error: "),
    ({"outcome": "reverted", "error": "Bad(uint256"}, "error: "),
    ({"outcome": "reverted", "error": "Bad(uint8)", "args": [256]}, "args[0]: "),
    ({"outcome": "reverted", "error": "Bad(uint8)"}, "args: Bad(uint8) takes 1 argument, 0 given"),
    ({"outcome": "failed", "code": "AA22", "reason": "x"}, "one of reason and code"),
    ({"outcome": "failed", "code": "AA221"}, "did you mean AA2"),
    ({"outcome": "failed", "kind": "solana_transaction", "code": "AA21"}, "is not an option of failed"),
    ({"outcome": "confirmed", "chain_id": 5}, "is not an option of confirmed"),
    (
        {"outcome": "expired", "kind": "solana_transaction", "transaction_id": "sol_1"},
        "'transaction_id' is not an option of expired",
    ),
)
def test_a_fate_that_cannot_be_is_refused_in_a_sentence(fate: object, sentence: str) -> None:
    assert sentence in refused(fate)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("x" * 5000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = sorted(
    {name for of in OUTCOMES.values() for options in of.values() for name in options.__annotations__}
    - {"outcome"}
)


@given(
    st.dictionaries(st.sampled_from(NAMES), ANYTHING),
    st.sampled_from([*OUTCOMES["transaction"], *OUTCOMES["solana_transaction"], "x" * 5000]) | ANYTHING,
)
def test_whatever_is_said_is_taken_or_refused_in_a_sentence(fate: dict[str, object], outcome: object) -> None:
    refusal = None
    try:
        FATE.validate_python({"outcome": outcome, **fate})
    except ValidationError as error:
        refusal = error
    if refusal is not None:
        assert all(len(str(finding["message"])) < 1500 for finding in findings(refusal).values())


@cases(
    "fate",
    {"outcome": "reverted", "error": "Poor(uint256,address)", "args": ["5", "0x" + "11" * 20]},
    {"outcome": "reverted", "error": "Poor", "args": [5]},
    {"outcome": "failed", "code": "AA50", "count": None},
    {"outcome": "failed", "kind": "solana_transaction", "error_message": "x", "after_ms": 2**53 - 1},
    {"outcome": "expired", "chain_id": 5},
    {"outcome": "expired", "kind": "solana_transaction", "count": None},
)
def test_a_fate_that_can_be_is_taken(fate: dict[str, Any]) -> None:
    assert FATE.validate_python(fate) == fate


def test_what_is_null_counts_as_not_given_but_for_the_count() -> None:
    fate = {"outcome": "reverted", "reason": "x", "error": None, "panic": None, "after_ms": 0, "count": None}
    assert FATE.validate_python(fate) == {"outcome": "reverted", "reason": "x", "after_ms": 0, "count": None}


def test_only_fates_of_transactions_say_which_they_take() -> None:
    for kind, outcomes in OUTCOMES.items():
        for variant in outcomes.values():
            selecting = [name for name in SELECTORS if name in variant.__annotations__]
            assert selecting == ([*SELECTORS] if kind == "transaction" else ["count"])


def test_fates_are_met_in_their_order_and_as_often_as_said(project: Project) -> None:
    add_fate(project, "reverted", count=2)
    add_fate(project, "dropped", count=None)
    met = [take_fate(project, "transaction") for _ in range(4)]
    assert [fate.outcome for fate in met if fate] == ["reverted", "reverted", "dropped", "dropped"]


def test_a_fate_is_met_by_whom_it_is_meant_for(project: Project) -> None:
    add_fate(project, "reverted", chain_id=1)
    add_fate(project, "dropped", account_id="acc_1")
    add_fate(project, "failed", kind="solana_transaction")
    add_fate(project, "replaced", transaction_id="tin_1")
    assert take_fate(project, "transaction", chain_id=2, account_id="acc_2") is None
    solana = take_fate(project, "solana_transaction")
    assert solana is not None
    assert solana.outcome == "failed"
    mine = take_fate(project, "transaction", chain_id=2, account_id="acc_1")
    assert mine is not None
    assert mine.outcome == "dropped"
    named = project.onchain.fates.last("transaction_id", "tin_1")
    assert named is not None
    assert named.outcome == "replaced"
    assert project.onchain.fates.last("transaction_id", "tin_2") is None


def test_the_last_word_about_a_transaction_counts(project: Project) -> None:
    add_fate(project, "reverted", transaction_id="tin_1")
    add_fate(project, "successful", transaction_id="tin_1")
    named = project.onchain.fates.last("transaction_id", "tin_1")
    assert named is not None
    assert named.outcome == "successful"


def test_what_is_null_was_not_said(project: Project) -> None:
    fate = add_fate(project, "reverted", options={"reason": None, "after_ms": 0})
    assert fate.options == {"after_ms": 0}


def test_a_fate_for_the_call_goes_before_those_that_wait(project: Project) -> None:
    waiting = add_fate(project, "dropped")
    for_call = add_fate(project, "reverted", for_call=True)
    assert take_fate(project, "transaction") == for_call
    assert take_fate(project, "transaction") == waiting


def test_a_fate_is_set_by_its_members(project: Project) -> None:
    fate = set_fate(
        project, {"outcome": "failed", "kind": "solana_transaction", "count": None, "error_message": "x"}
    )
    assert (fate.outcome, fate.kind, fate.remaining, fate.options) == (
        "failed",
        "solana_transaction",
        None,
        {"error_message": "x"},
    )
    usual = set_fate(project, {"outcome": "dropped", "chain_id": 5})
    assert (usual.kind, usual.remaining, usual.chain_id, usual.options) == ("transaction", 1, 5, {})
