"""Which facts a criterion matches, and what a finding says."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.policies.criteria import KINDS, Criterion, Facts, find_problems, match_criterion
from tests.domain.policies.criteria.helpers import (
    ALICE,
    BOB,
    MINT,
    OPERATIONS_OF,
    OWNER,
    SAMPLES,
    call_of,
    calldata,
    criterion,
    transfer,
)
from tests.tables import cases

# A member that has the name of the message itself.
NESTED = Facts(message={"message": {"value": 7}, "value": 5000, "other": 3})


@cases(
    "wanted, facts, matched",
    (criterion("evmAddress"), Facts(to=ALICE.lower()), True),
    (criterion("evmAddress"), Facts(to=BOB), False),
    (criterion("evmAddress", operator="not in"), Facts(to=BOB), True),
    (criterion("evmAddress", operator="not in"), Facts(to=ALICE.upper().replace("X", "x")), False),
    (criterion("evmAddress", addresses=[]), Facts(to=ALICE), False),
    (criterion("ethValue", operator="<="), Facts(), True),
    (criterion("ethValue", operator="<="), Facts(value="1000"), True),
    (criterion("ethValue", operator="<"), Facts(value="1000"), False),
    (criterion("ethValue", operator=">="), Facts(value=str(2**255)), True),
    (criterion("evmNetwork"), Facts(chainId=84532), True),
    (criterion("evmNetwork", operator="not in"), Facts(chainId=84532), False),
    (criterion("evmMessage"), Facts(evmMessage="Sign this"), True),
    (criterion("evmMessage"), Facts(evmMessage="Please Sign this"), False),
    (criterion("evmMessage", pattern="this"), Facts(evmMessage="Sign this"), True),
    (criterion("evmTypedDataVerifyingContract"), Facts(verifyingContract=ALICE), True),
    (criterion("evmTypedDataVerifyingContract"), Facts(domain={"verifyingContract": ALICE}), True),
    (criterion("evmTypedDataVerifyingContract"), Facts(domain={"name": "x"}), False),
    (criterion("evmTypedDataField"), Facts(message={"value": 1000}), True),
    (criterion("evmTypedDataField"), Facts(message={"value": "0x3e9"}), False),
    (criterion("evmTypedDataField"), Facts(message={"value": "lots"}), False),
    (criterion("evmTypedDataField"), Facts(message={"value": {"value": 1}}), False),
    (criterion("evmTypedDataField", fieldPath="message.value"), Facts(message={"value": 1}), True),
    (criterion("evmTypedDataField", fieldPath="message.value"), NESTED, True),
    (criterion("evmTypedDataField", fieldPath="message.message.value"), NESTED, True),
    (criterion("evmTypedDataField", fieldPath="value"), NESTED, False),
    (criterion("evmTypedDataField", fieldPath="message.other"), NESTED, True),
    (criterion("evmTypedDataField", fieldPath="legs.1.n"), Facts(message={"legs": [{}, {"n": 9}]}), True),
    (criterion("evmTypedDataField", fieldPath="legs.1"), Facts(message={"legs": [9]}), False),
    (criterion("evmTypedDataField", fieldPath="legs.0000000000"), Facts(message={"legs": [9]}), False),
    (criterion("evmTypedDataField", fieldPath="legs.n"), Facts(message={"legs": [9]}), False),
    (criterion("evmTypedDataField", fieldPath="legs.0"), Facts(message={"legs": "9"}), False),
    (criterion("evmTypedDataField", fieldPath="legs.2.n"), Facts(message={"legs": [{}, {"n": 9}]}), False),
    (
        criterion("evmTypedDataField", operator="in", fieldPath="order.buyer", values=[ALICE]),
        Facts(message={"order": {"buyer": ALICE.lower()}}),
        True,
    ),
    (
        criterion("evmTypedDataField", operator="in", fieldPath="order.buyer", values=[ALICE]),
        Facts(message={"order": {"buyer": BOB}}),
        False,
    ),
    (
        criterion("evmTypedDataField", operator="match", fieldPath="kind", value="^safe-"),
        Facts(message={"kind": "safe-swap"}),
        True,
    ),
    (criterion("netUSDChange"), Facts(), True),
    (criterion("solAddress"), Facts(recipients=[MINT, MINT]), True),
    (criterion("solAddress"), Facts(recipients=[MINT, OWNER]), False),
    (criterion("solAddress"), Facts(recipients=[MINT.swapcase()]), False),
    (criterion("solAddress", operator="not in"), Facts(recipients=[OWNER, MINT]), False),
    (criterion("solAddress", operator="not in"), Facts(recipients=[OWNER]), True),
    (criterion("solAddress", operator="not in"), Facts(recipients=[]), False),
    (criterion("solValue"), Facts(solValue="1000"), True),
    (criterion("solValue"), Facts(solValue="1001"), False),
    (criterion("splAddress"), Facts(splRecipients=[MINT]), True),
    (criterion("splValue"), Facts(splValue="999"), False),
    (criterion("mintAddress"), Facts(mintAddress=MINT), True),
    (criterion("mintAddress"), Facts(mintAddress=OWNER), False),
    (criterion("programId", operator="not in"), Facts(programIds=[OWNER]), True),
    (criterion("solNetwork"), Facts(network="devnet"), True),
    (criterion("solNetwork"), Facts(network="testnet"), False),
    (criterion("solMessage"), Facts(solMessage="Sign in"), True),
)
def test_a_criterion_matches_the_facts_it_should(wanted: Criterion, facts: Facts, matched: bool) -> None:
    assert find_problems(wanted, min(OPERATIONS_OF[wanted["type"]])) == {}
    finding = match_criterion(wanted, facts)
    assert finding.matched is matched
    assert finding.reason


KIND = criterion("evmTypedDataField", operator="match", fieldPath="kind", value="^safe-")


@cases(
    "wanted, facts, why",
    (KIND, Facts(message={"kind": "safe-box"}), "kind matches ^safe-"),
    (KIND, Facts(message={"kind": "a box"}), "kind does not match ^safe-"),
    (
        call_of("rename", "match", {"name": "^safe-"}),
        Facts(data=calldata("rename", ["string"], ["safe-box"])),
        "data calls rename(string): name safe-box matches ^safe-",
    ),
    (
        call_of("rename", "match", {"name": "^safe-"}),
        Facts(data=calldata("rename", ["string"], ["a box"])),
        "data calls rename(string): name a box does not match ^safe-",
    ),
    (
        call_of("transfer", "<=", {"value": "7"}),
        Facts(data=transfer(ALICE, 7)),
        "data calls transfer(address,uint256): value 7 is <= 7",
    ),
    (
        call_of("transfer", "<=", {"value": "7"}),
        Facts(data=transfer(ALICE, 8)),
        "data calls transfer(address,uint256): value 8 is not <= 7",
    ),
)
def test_a_finding_says_what_was_held_against_what(wanted: Criterion, facts: Facts, why: str) -> None:
    assert match_criterion(wanted, facts).reason == why


@cases("type_", *sorted(set(SAMPLES) - {"netUSDChange"}))
def test_a_criterion_that_sees_nothing_matches_nothing(type_: str) -> None:
    for operator in KINDS[type_].operators:
        if type_ == "ethValue" and operator in ("<", "<="):
            continue  # No value is a value of zero.
        assert not match_criterion({**criterion(type_), "operator": operator}, Facts()).matched


@given(st.sampled_from([ALICE, BOB]), st.lists(st.sampled_from([ALICE, BOB, ALICE.lower()])))
def test_of_in_and_not_in_exactly_one_matches(to: str, addresses: list[str]) -> None:
    facts = Facts(to=to)
    inside = match_criterion(criterion("evmAddress", addresses=addresses), facts).matched
    outside = match_criterion(criterion("evmAddress", addresses=addresses, operator="not in"), facts).matched
    assert inside is not outside


@given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_amounts_are_compared_as_whole_numbers(value: int, limit: int) -> None:
    expected = {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}
    for operator, matched in expected.items():
        wanted = criterion("ethValue", operator=operator, ethValue=str(limit))
        assert match_criterion(wanted, Facts(value=str(value))).matched is matched


@given(st.integers(0, 2**256 - 1), st.integers(0, 2**256 - 1))
def test_arguments_of_calldata_are_compared_as_whole_numbers(value: int, limit: int) -> None:
    facts = Facts(data=transfer(ALICE, value))
    expected = {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}
    expected |= {"==": value == limit, "in": value == limit, "not in": value != limit}
    for operator, matched in expected.items():
        wanted = call_of("transfer", operator, {"value": str(limit)})
        assert match_criterion(wanted, facts).matched is matched


@cases("given", {"a": 1}, [[ALICE]], [ALICE, {"b": 2}], 5, None, True)
def test_a_verifying_contract_that_is_no_text_is_none(given: Any) -> None:
    wanted = criterion("evmTypedDataVerifyingContract", operator="not in", addresses=[BOB])
    found = match_criterion(wanted, Facts(domain={"verifyingContract": given}))
    assert (found.matched, found.observed) == (False, None)


@cases(
    "observed, values, matched",
    ("USD", ["EUR", "USD"], True),
    ("usd", ["EUR", "USD"], False),
    (True, ["true"], True),
    (True, ["1"], False),
    (16, ["0x10"], True),
    ("0x10", ["16"], True),
    ("16.0", ["16"], False),
)
def test_typed_data_is_text_or_number(observed: object, values: list[str], matched: bool) -> None:
    wanted = criterion("evmTypedDataField", operator="in", value=None, values=values)
    assert find_problems(wanted, "signEvmTypedData") == {}
    assert match_criterion(wanted, Facts(message={"value": observed})).matched is matched
