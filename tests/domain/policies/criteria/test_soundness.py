"""Which criteria are sound, and how the others are refused."""

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.policies.criteria import (
    KINDS,
    OPERATIONS,
    Criterion,
    Facts,
    Operation,
    find_problems,
    match_criterion,
    normalize_criterion,
)
from tests.domain.policies.criteria.helpers import (
    ABI,
    ALICE,
    BOB,
    IDL,
    MINT,
    OPERATIONS_OF,
    SAMPLES,
    criterion,
    pay,
    transfer,
)
from tests.tables import cases


def test_there_are_seventeen_types_and_ten_operations() -> None:
    assert set(KINDS) == set(SAMPLES)
    assert len(KINDS) == 17
    assert set(OPERATIONS) == set(get_args(Operation))
    assert len(OPERATIONS) == 10


@cases("type_", *SAMPLES)
def test_a_type_stands_in_rules_about_its_operations_only(type_: str) -> None:
    fitting = {operation for operation in OPERATIONS if not find_problems(criterion(type_), operation)}
    assert fitting == OPERATIONS_OF[type_]
    wrong = next(operation for operation in OPERATIONS if operation not in fitting)
    assert set(find_problems(criterion(type_), wrong)) == {"type"}


@cases("type_", *SAMPLES)
def test_a_missing_or_unknown_operator_is_named(type_: str) -> None:
    operation = min(OPERATIONS_OF[type_])
    for operator in (None, "~", 5, ["in"]):
        assert "operator" in find_problems(criterion(type_, operator=operator), operation)


@cases(
    "type_, member",
    *[
        (type_, member)
        for type_, sample in SAMPLES.items()
        for member in sample
        if member not in ("operator", "args")
    ],
)
def test_a_missing_or_malformed_member_is_named(type_: str, member: str) -> None:
    operation = min(OPERATIONS_OF[type_])
    for value in (None, 5.5, True, {"a": 1}, "", [5.5]):
        found = find_problems(criterion(type_, **{member: value}), operation)
        assert list(found)
        assert all(path.partition("[")[0] == member for path in found), (value, found)


@cases(
    "wrong, path",
    ({}, "type"),
    ({"type": "evmaddress"}, "type"),
    ({"type": ["evmAddress"]}, "type"),
    (criterion("evmAddress", addresses=[ALICE, "0x12"]), "addresses[1]"),
    (criterion("evmAddress", addresses=[MINT]), "addresses[0]"),
    (criterion("evmNetwork", chainIds=[1, 0]), "chainIds[1]"),
    (criterion("evmNetwork", chainIds=["1"]), "chainIds[0]"),
    (criterion("ethValue", ethValue="-1"), "ethValue"),
    (criterion("ethValue", ethValue="0x10"), "ethValue"),
    (criterion("ethValue", ethValue="9" * 5000), "ethValue"),
    (criterion("ethValue", ethValue=str(2**256)), "ethValue"),
    (criterion("evmNetwork", chainIds=[2**53]), "chainIds[0]"),
    (criterion("evmMessage", pattern="("), "pattern"),
    (criterion("evmMessage", pattern="(?=a)b"), "pattern"),
    (criterion("evmMessage", pattern="(a)\\1"), "pattern"),
    (criterion("evmTypedDataField", operator="in"), "values"),
    (criterion("evmTypedDataField", operator="match", value="("), "value"),
    (criterion("evmTypedDataField", operator="<=", value="ten"), "value"),
    (criterion("netUSDChange", usdValue="$10"), "usdValue"),
    (criterion("solAddress", addresses=[ALICE]), "addresses[0]"),
    (criterion("solNetwork", networks=["mainnet"]), "networks[0]"),
    (criterion("evmData", abi="{}"), "abi"),
    (criterion("evmData", abi="[" * 5000), "abi"),
    (criterion("evmData", abi='[{"type": "function", "name": 5}]'), "abi"),
    (criterion("evmData", abi=ABI[:-1] + ', {"type": "function", "name": 5}]'), "abi"),
    (criterion("evmData", functionName="transfre"), "functionName"),
    (criterion("evmData", args={"amount": "1"}), "args.amount"),
    (criterion("evmData", args={"value": "many"}), "args.value"),
    (criterion("evmData", args={"to": BOB}), "args.to"),
    (criterion("evmData", operator="==", args={"value": str(2**256)}), "args.value"),
    (criterion("evmData", operator="==", args={"value": ["1", "2"]}), "args.value"),
    (criterion("evmData", operator="match", args={"to": "("}), "args.to"),
    (criterion("evmData", operator="in", args={"to": [ALICE, "0x1"]}), "args.to"),
    (criterion("evmData", args=[1]), "args"),
    (criterion("solData", idl="[]"), "idl"),
    (criterion("solData", idl='{"instructions": [5]}'), "instructionName"),
    (criterion("solData", instructionName="pya"), "instructionName"),
    (criterion("solData", args={"lamports": str(2**64)}), "args.lamports"),
    (criterion("solData", instructionName="configure", args={"last": "1"}), "args.last"),
    (criterion("solData", instructionName="weigh", args={"ratio": float("inf")}), "args.ratio"),
)
def test_what_is_wrong_is_named_by_its_place(wrong: Criterion, path: str) -> None:
    operation = min(OPERATIONS_OF.get(str(wrong.get("type")), {"sendEvmTransaction"}))
    assert list(find_problems(wrong, operation)) == [path]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from([ALICE, MINT, ABI, IDL, "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_MEMBERS = sorted({"operator", "type", "args"} | {name for sample in SAMPLES.values() for name in sample})


@given(st.sampled_from(sorted(SAMPLES)), st.dictionaries(st.sampled_from(_MEMBERS), JSON, max_size=3))
def test_no_json_upsets_the_check_and_what_passes_can_be_judged(type_: str, changes: dict[str, Any]) -> None:
    wanted = {"type": type_, **SAMPLES[type_], **changes}
    operation = min(OPERATIONS_OF[type_])
    if not find_problems(wanted, operation):
        facts = Facts(
            data=transfer(ALICE, 5), instructionData=pay(5), message={"value": 5}, to=BOB, value="7"
        )
        assert match_criterion(normalize_criterion(wanted), facts).reason


@cases(
    "operation, given",
    ("sendEvmTransaction", {"type": "evmData", **SAMPLES["evmData"], "operator": "in", "args": None}),
    ("signSolTransaction", {"type": "solData", **SAMPLES["solData"], "operator": "in", "args": None}),
    ("signEvmTypedData", {"type": "evmTypedDataField", **SAMPLES["evmTypedDataField"], "values": None}),
)
def test_null_counts_as_left_out(operation: str, given: Criterion) -> None:
    assert find_problems(given, operation) == {}
    assert normalize_criterion(given) == {name: value for name, value in given.items() if value is not None}


@cases("operator, member", ("in", "values"), ("<=", "value"), ("match", "value"))
def test_what_an_operator_of_fields_needs_is_not_null(operator: str, member: str) -> None:
    given = {
        "type": "evmTypedDataField",
        "operator": operator,
        "fieldPath": "a",
        "values": None,
        "value": None,
    }
    assert find_problems(given, "signEvmTypedData") == {member: f"is required with {operator}"}


def test_unknown_members_are_dropped() -> None:
    assert normalize_criterion({**criterion("ethValue"), "note": "x"}) == criterion("ethValue")
