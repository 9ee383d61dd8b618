"""Criteria: what makes one sound, and what it matches."""

import base64
import json
import struct
import time
from typing import Any, get_args

import pytest
from eth_abi import encode
from eth_utils import function_signature_to_4byte_selector, to_checksum_address
from hypothesis import given
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from mockserver.domain.policies.criteria import (
    KINDS,
    OPERATIONS,
    Criterion,
    Effort,
    Facts,
    Operation,
    calls,
    find_problems,
    match_criterion,
    normalize_criterion,
    patterns,
)
from mockserver.domain.policies.criteria.effort import ALLOWED

ALICE = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
BOB = "0x00000000000000000000000000000000000000b0"
MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
OWNER = str(Pubkey(bytes(range(32))))

ABI = json.dumps(
    [
        {
            "type": "function",
            "name": "transfer",
            "inputs": [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}],
        },
        {"type": "function", "name": "rename", "inputs": [{"name": "name", "type": "string"}]},
        {"type": "function", "name": "batch", "inputs": [{"name": "ids", "type": "uint256[]"}]},
        {"type": "function", "name": "pick", "inputs": [{"name": "", "type": "bool"}]},
    ]
)
IDL = json.dumps(
    {
        "address": MINT,
        "instructions": [
            {
                "name": "pay",
                "discriminator": [1, 2, 3, 4, 5, 6, 7, 8],
                "args": [
                    {"name": "lamports", "type": "u64"},
                    {"name": "memo", "type": "string"},
                    {"name": "owner", "type": "pubkey"},
                ],
            },
            {"name": "initialize", "args": []},
            {"name": "weigh", "args": [{"name": "ratio", "type": "f64"}]},
            {
                "name": "configure",
                "discriminator": [9],
                "args": [
                    {"name": "limit", "type": "i32"},
                    {"name": "shape", "type": {"defined": {"name": "Shape"}}},
                    {"name": "last", "type": "u8"},
                ],
            },
        ],
    }
)

SAMPLES: dict[str, dict[str, Any]] = {
    "evmAddress": {"operator": "in", "addresses": [ALICE]},
    "ethValue": {"operator": ">", "ethValue": "1000"},
    "evmNetwork": {"operator": "in", "chainIds": [84532]},
    "evmData": {"operator": "<=", "abi": ABI, "functionName": "transfer", "args": {"value": "1000"}},
    "evmMessage": {"operator": "match", "pattern": "^Sign"},
    "evmTypedDataVerifyingContract": {"operator": "in", "addresses": [ALICE]},
    "evmTypedDataField": {"operator": "<=", "fieldPath": "value", "value": "1000"},
    "netUSDChange": {"operator": "<=", "usdValue": "1000.00"},
    "solAddress": {"operator": "in", "addresses": [MINT]},
    "solValue": {"operator": "<=", "value": "1000"},
    "splAddress": {"operator": "in", "addresses": [MINT]},
    "splValue": {"operator": ">=", "value": "1000"},
    "mintAddress": {"operator": "==", "addresses": [MINT]},
    "solData": {"operator": "<=", "idl": IDL, "instructionName": "pay", "args": {"lamports": "1000"}},
    "programId": {"operator": "in", "programIds": [MINT]},
    "solNetwork": {"operator": "in", "networks": ["devnet"]},
    "solMessage": {"operator": "match", "pattern": "^Sign"},
}
OPERATIONS_OF = {
    "evmAddress": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "ethValue": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "evmNetwork": {"sendEvmTransaction", "sponsorEvmTransaction"},
    "evmData": {"signEvmTransaction", "sendEvmTransaction", "sponsorEvmTransaction"},
    "evmMessage": {"signEvmMessage"},
    "evmTypedDataVerifyingContract": {"signEvmTypedData"},
    "evmTypedDataField": {"signEvmTypedData"},
    "netUSDChange": {"sendEvmTransaction", "sponsorEvmTransaction"},
    "solAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solValue": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "splAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "splValue": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "mintAddress": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solData": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "programId": {"signSolTransaction", "sendSolTransaction", "sponsorSolTransaction"},
    "solNetwork": {"sendSolTransaction", "sponsorSolTransaction"},
    "solMessage": {"signSolMessage"},
}


def criterion(type_: str, **changes: Any) -> Criterion:
    """A sound criterion of a type, with some members changed; None takes one away."""
    members = {"type": type_, **SAMPLES[type_], **changes}
    return {name: value for name, value in members.items() if value is not None}


def transfer(to: str, value: int) -> str:
    return "0xa9059cbb" + encode(["address", "uint256"], [to, value]).hex()


def calldata(function: str, types: list[str], values: list[Any]) -> str:
    selector = function_signature_to_4byte_selector(f"{function}({','.join(types)})")
    return "0x" + (selector + encode(types, values)).hex()


def pay(lamports: int, memo: str = "rent", owner: str = OWNER) -> str:
    text = memo.encode()
    tail = struct.pack("<QI", lamports, len(text)) + text + bytes(Pubkey.from_string(owner))
    return base64.b64encode(bytes(range(1, 9)) + tail).decode()


def call_of(function: str, operator: str, args: object = None) -> Criterion:
    return criterion("evmData", functionName=function, operator=operator, args=args)


def pay_of(operator: str, args: object = None, instruction: str = "pay") -> Criterion:
    return criterion("solData", instructionName=instruction, operator=operator, args=args)


# --- what is sound ---------------------------------------------------------------------------------


def test_there_are_seventeen_types_and_ten_operations() -> None:
    assert set(KINDS) == set(SAMPLES)
    assert len(KINDS) == 17
    assert set(OPERATIONS) == set(get_args(Operation))
    assert len(OPERATIONS) == 10


@pytest.mark.parametrize("type_", SAMPLES)
def test_a_type_stands_in_rules_about_its_operations_only(type_: str) -> None:
    fitting = {operation for operation in OPERATIONS if not find_problems(criterion(type_), operation)}
    assert fitting == OPERATIONS_OF[type_]
    wrong = next(operation for operation in OPERATIONS if operation not in fitting)
    assert set(find_problems(criterion(type_), wrong)) == {"type"}


@pytest.mark.parametrize("type_", SAMPLES)
def test_a_missing_or_unknown_operator_is_named(type_: str) -> None:
    operation = min(OPERATIONS_OF[type_])
    for operator in (None, "~", 5, ["in"]):
        assert "operator" in find_problems(criterion(type_, operator=operator), operation)


@pytest.mark.parametrize(
    ("type_", "member"),
    [
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


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
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
        (criterion("evmData", functionName="transfre"), "functionName"),
        (criterion("evmData", args={"amount": "1"}), "args.amount"),
        (criterion("evmData", args={"value": "many"}), "args.value"),
        (criterion("evmData", args={"to": BOB}), "args.to"),
        (criterion("evmData", operator="==", args={"value": str(2**256)}), "args.value"),
        (criterion("evmData", operator="match", args={"to": "("}), "args.to"),
        (criterion("evmData", operator="in", args={"to": [ALICE, "0x1"]}), "args.to"),
        (criterion("evmData", args=[1]), "args"),
        (criterion("solData", idl="[]"), "idl"),
        (criterion("solData", idl='{"instructions": [5]}'), "instructionName"),
        (criterion("solData", instructionName="pya"), "instructionName"),
        (criterion("solData", args={"lamports": str(2**64)}), "args.lamports"),
        (criterion("solData", instructionName="configure", args={"last": "1"}), "args.last"),
        (criterion("solData", instructionName="weigh", args={"ratio": float("inf")}), "args.ratio"),
    ],
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


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("sendEvmTransaction", {"type": "evmData", **SAMPLES["evmData"], "operator": "in", "args": None}),
        ("signSolTransaction", {"type": "solData", **SAMPLES["solData"], "operator": "in", "args": None}),
        ("signEvmTypedData", {"type": "evmTypedDataField", **SAMPLES["evmTypedDataField"], "values": None}),
    ],
)
def test_null_counts_as_left_out(operation: str, given: Criterion) -> None:
    assert find_problems(given, operation) == {}
    assert normalize_criterion(given) == {name: value for name, value in given.items() if value is not None}


@pytest.mark.parametrize(("operator", "member"), [("in", "values"), ("<=", "value"), ("match", "value")])
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


# --- what matches ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "facts", "matched"),
    [
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
        (criterion("evmTypedDataField", fieldPath="legs.1.n"), Facts(message={"legs": [{}, {"n": 9}]}), True),
        (
            criterion("evmTypedDataField", fieldPath="legs.2.n"),
            Facts(message={"legs": [{}, {"n": 9}]}),
            False,
        ),
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
    ],
)
def test_a_criterion_matches_the_facts_it_should(wanted: Criterion, facts: Facts, matched: bool) -> None:
    assert find_problems(wanted, min(OPERATIONS_OF[wanted["type"]])) == {}
    finding = match_criterion(wanted, facts)
    assert finding.matched is matched
    assert finding.reason


KIND = criterion("evmTypedDataField", operator="match", fieldPath="kind", value="^safe-")


@pytest.mark.parametrize(
    ("wanted", "facts", "reason"),
    [
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
    ],
)
def test_a_finding_says_what_was_held_against_what(wanted: Criterion, facts: Facts, reason: str) -> None:
    assert match_criterion(wanted, facts).reason == reason


@pytest.mark.parametrize("type_", sorted(set(SAMPLES) - {"netUSDChange"}))
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


RENAME = "0x" + "c47f0027" + encode(["string"], ["x"]).hex()


@pytest.mark.parametrize(
    ("wanted", "arguments", "matched"),
    [
        (call_of("transfer", "in"), transfer(ALICE, 1), True),
        (call_of("transfer", "not in"), transfer(ALICE, 1), False),
        (call_of("transfer", "not in"), RENAME, True),
        (call_of("transfer", "in"), RENAME, False),
        (call_of("transfer", "in"), "0x", False),
        (call_of("transfer", "in"), "0xa9059cbb00", False),
        (call_of("transfer(address,uint256)", "in"), transfer(ALICE, 1), True),
        (call_of("transfer", "not in", {"value": "5"}), RENAME, False),
        (call_of("transfer", "in", {"value": ["1", "2"]}), transfer(ALICE, 2), True),
        (call_of("transfer", "in", {"value": ["1", "2"]}), transfer(ALICE, 3), False),
        (call_of("transfer", "==", {"to": ALICE.lower(), "value": 7}), transfer(ALICE, 7), True),
        (call_of("transfer", "==", {"to": ALICE, "value": 7}), transfer(BOB, 7), False),
        (call_of("transfer", "in", {"0": [ALICE, BOB]}), transfer(BOB, 7), True),
        (call_of("transfer", "match", {"to": f"^{to_checksum_address(ALICE)}$"}), transfer(ALICE, 7), True),
    ],
)
def test_calldata_is_decoded_with_the_abi(wanted: Criterion, arguments: str, matched: bool) -> None:
    assert find_problems(wanted, "sendEvmTransaction") == {}
    assert match_criterion(wanted, Facts(data=arguments)).matched is matched


@pytest.mark.parametrize(
    ("function", "types", "values", "operator", "args", "matched"),
    [
        ("rename", ["string"], ["safe-box"], "match", {"name": "^safe-.*"}, True),
        ("rename", ["string"], ["a safe-box"], "match", {"name": "^safe-.*"}, False),
        ("batch", ["uint256[]"], [[1, 2]], "==", {"ids": [1, 2]}, True),
        ("batch", ["uint256[]"], [[1, 2]], "in", {"ids": [[1], ["1", "2"]]}, True),
        ("batch", ["uint256[]"], [[2, 1]], "==", {"ids": [1, 2]}, False),
        ("pick", ["bool"], [True], "==", {"0": True}, True),
        ("pick", ["bool"], [False], "==", {"0": "true"}, False),
    ],
)
def test_arguments_of_every_kind_are_held_against_constraints(
    function: str, types: list[str], values: list[Any], operator: str, args: dict[str, Any], matched: bool
) -> None:
    wanted = call_of(function, operator, args)
    assert find_problems(wanted, "sendEvmTransaction") == {}
    assert match_criterion(wanted, Facts(data=calldata(function, types, values))).matched is matched


@pytest.mark.parametrize(
    ("wanted", "data", "matched"),
    [
        (pay_of("in"), pay(5), True),
        (pay_of("not in"), pay(5), False),
        (pay_of("<=", {"lamports": "1000"}), pay(1000), True),
        (pay_of("<=", {"lamports": 1000}), pay(1001), False),
        (pay_of("==", {"memo": "rent", "owner": OWNER}), pay(5), True),
        (pay_of("in", {"owner": [MINT, OWNER]}), pay(5), True),
        (pay_of("in", {"owner": [MINT]}), pay(5), False),
        (pay_of("match", {"memo": "^re"}), pay(5), True),
        (pay_of("in", instruction="initialize"), "r69tHw2Ym+0=", True),
        (pay_of("in", instruction="initialize"), pay(5), False),
        (pay_of("not in", instruction="initialize"), pay(5), True),
        (pay_of("in"), base64.b64encode(bytes(range(1, 9))).decode(), False),
        (
            pay_of("<=", {"limit": "0"}, "configure"),
            base64.b64encode(b"\x09\xff\xff\xff\xffrest").decode(),
            True,
        ),
    ],
)
def test_instruction_data_is_decoded_with_the_idl(wanted: Criterion, data: str, matched: bool) -> None:
    assert find_problems(wanted, "sendSolTransaction") == {}
    assert match_criterion(wanted, Facts(instructionData=data)).matched is matched


def test_a_pattern_that_would_hang_a_backtracking_engine_answers_at_once() -> None:
    started = time.process_time()
    finding = match_criterion(criterion("evmMessage", pattern="^(a+)+$"), Facts(evmMessage="a" * 8_000 + "!"))
    assert finding.reason == "evmMessage does not match ^(a+)+$"
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("pattern", "limit"),
    [
        ("a" * 501, "500"),
        ("(?:[ab]{50}){19}[ab]{999}[ab]{999}[ab]{999}", "3,000"),
        (r"\pL{900}", "3,000"),
        (".{1,400}", "3,000"),
    ],
)
@pytest.mark.parametrize("kind", ["message", "field", "argument"])
def test_a_pattern_that_is_too_large_is_refused_with_the_limit(kind: str, pattern: str, limit: str) -> None:
    operation, given, member = {
        "message": ("signEvmMessage", criterion("evmMessage", pattern=pattern), "pattern"),
        "field": (
            "signEvmTypedData",
            criterion("evmTypedDataField", operator="match", value=pattern),
            "value",
        ),
        "argument": ("sendEvmTransaction", call_of("rename", "match", {"name": pattern}), "args.name"),
    }[kind]
    found = find_problems(given, operation)
    assert list(found) == [member]
    assert limit in found[member]


@pytest.mark.parametrize("pattern", [r"^\p{L}[\p{L}\p{N}]*$", ".{1,200}", "^0x[0-9a-fA-F]{64}$", "a" * 500])
def test_a_pattern_of_a_usual_size_is_sound(pattern: str) -> None:
    assert find_problems(criterion("evmMessage", pattern=pattern), "signEvmMessage") == {}


def test_a_text_that_is_too_long_for_patterns_matches_none_and_the_finding_says_so() -> None:
    wanted = criterion("evmMessage", pattern="^é")
    assert match_criterion(wanted, Facts(evmMessage="é" * 4_096)).matched
    finding = match_criterion(wanted, Facts(evmMessage="é" * 4_096 + "!"))
    assert not finding.matched
    assert finding.reason == "evmMessage has 8,193 bytes, and only 8,192 are held against ^é"


def test_the_patterns_of_one_request_take_no_more_work_than_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[int] = []

    class Program:
        programsize = patterns.LARGEST_PROGRAM

        def search(self, text: str) -> None:
            steps.append(len(text) * self.programsize)

    monkeypatch.setattr(patterns, "compile_pattern", lambda pattern: Program())
    effort, facts = Effort(), Facts(evmMessage="a" * 2_000)
    findings = [
        match_criterion(criterion("evmMessage", pattern=f"a{at}"), facts, effort) for at in range(100)
    ]
    assert 0 < sum(steps) <= ALLOWED
    assert findings[0].reason == "evmMessage does not match a0"
    assert findings[99].reason == "evmMessage comes after too much other work to be held against a99"
    assert not any(finding.matched for finding in findings)


def test_many_patterns_are_not_compiled_for_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = patterns.compile_pattern
    monkeypatch.setattr(
        patterns, "compile_pattern", lambda pattern: compiled.append(pattern) or compile_pattern(pattern)
    )
    effort = Effort()
    for at in range(1_000):
        match_criterion(criterion("evmMessage", pattern="a" * 100 + str(at)), Facts(evmMessage="a"), effort)
    assert sum(map(len, compiled)) < 20_000


def test_a_large_text_is_decoded_for_so_many_criteria_and_no_more() -> None:
    data = calldata("rename", ["string"], ["a" * 400_000])
    effort = Effort()
    wanted = call_of("rename", "==", {"name": "b"})
    reasons = [match_criterion(wanted, Facts(data=data), effort).reason for _ in range(30)]
    assert reasons[0].startswith("data calls rename(string): name aaa")
    assert reasons[29] == "data comes after too much other work to be read as rename(string)"


def test_an_abi_is_read_once_for_all_calls_of_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    find_function = calls.find_function
    monkeypatch.setattr(
        calls, "find_function", lambda abi, name, count: reads.append(name) or find_function(abi, name, count)
    )
    effort, wanted = Effort(), call_of("transfer", "in", {"to": [ALICE]})
    for value in range(256):
        assert match_criterion(wanted, Facts(data=transfer(ALICE, value)), effort).matched
    assert reads == ["transfer"]


ORDERS = json.dumps(
    [
        {
            "type": "function",
            "name": "fill",
            "inputs": [
                {
                    "name": "order",
                    "type": "tuple",
                    "components": [
                        {"name": "buyer", "type": "address"},
                        {
                            "name": "items",
                            "type": "tuple[]",
                            "components": [
                                {"name": "id", "type": "uint256"},
                                {"name": "note", "type": "string"},
                            ],
                        },
                    ],
                },
                {"name": "", "type": "uint256[]"},
            ],
        }
    ]
)


def fill(buyer: str, items: list[tuple[int, str]], numbers: list[int]) -> str:
    types = ["(address,(uint256,string)[])", "uint256[]"]
    selector = function_signature_to_4byte_selector(f"fill({','.join(types)})")
    return "0x" + (selector + encode(types, [(buyer, items), numbers])).hex()


@pytest.mark.parametrize(
    ("operator", "args", "matched"),
    [
        ("in", {"order.buyer": [BOB, ALICE.lower()]}, True),
        ("not in", {"order.buyer": BOB}, True),
        ("<=", {"order.items[1].id": "7"}, True),
        ("<=", {"order.items.1.id": "6"}, False),
        ("<", {"1[0]": 10, "1.1": 21}, True),
        ("match", {"order.items[0].note": "^gift"}, True),
        ("==", {"order.1[0]": {"id": "5", "note": "gift"}}, True),
        # What is not there matches nothing.
        ("not in", {"order.items[2].id": "1"}, False),
        ("<=", {"1[9]": "1"}, False),
    ],
)
def test_constraints_reach_into_tuples_and_lists(operator: str, args: dict[str, Any], matched: bool) -> None:
    wanted = criterion("evmData", operator=operator, abi=ORDERS, functionName="fill", args=args)
    assert find_problems(wanted, "sendEvmTransaction") == {}
    facts = Facts(data=fill(ALICE, [(5, "gift"), (7, "")], [9, 20]))
    assert match_criterion(wanted, facts).matched is matched


@pytest.mark.parametrize(
    ("operator", "name", "constraint"),
    [
        ("<=", "order.buyer", "1"),
        ("==", "order.seller", "1"),
        ("==", "order.", "1"),
        ("==", "order..buyer", "1"),
        ("==", "order.items.id", "1"),
        ("==", "order.items[x].id", "1"),
        ("==", "order.buyer.name", "1"),
        ("==", "order.items[0].id", "many"),
        ("match", "order.items", ".*"),
        ("match", "order.items[0].note", "(?=x)"),
    ],
)
def test_a_constraint_on_a_part_is_checked_like_one_on_an_argument(
    operator: str, name: str, constraint: str
) -> None:
    args = {name: constraint}
    wanted = criterion("evmData", operator=operator, abi=ORDERS, functionName="fill", args=args)
    assert list(find_problems(wanted, "sendEvmTransaction")) == [f"args.{name}"]


def test_constraints_reach_into_structs_of_a_program() -> None:
    swap = {
        "kind": "struct",
        "fields": [{"name": "amount", "type": "u64"}, {"name": "path", "type": {"vec": "u8"}}],
    }
    args = [{"name": "params", "type": {"option": {"defined": {"name": "Swap"}}}}]
    instruction = {"name": "swap", "discriminator": [1], "args": args}
    idl = json.dumps({"instructions": [instruction], "types": [{"name": "Swap", "type": swap}]})
    there = base64.b64encode(b"\x01\x01" + (9).to_bytes(8, "little") + b"\x02\0\0\0\x03\x04").decode()
    absent = base64.b64encode(b"\x01\x00").decode()
    for constraints, matched in (
        ({"params.amount": "9"}, True),
        ({"params.amount": "8"}, False),
        ({"params.path[1]": "4"}, True),
    ):
        wanted = criterion("solData", operator="<=", idl=idl, instructionName="swap", args=constraints)
        assert find_problems(wanted, "sendSolTransaction") == {}
        assert match_criterion(wanted, Facts(instructionData=there)).matched is matched
        assert not match_criterion(wanted, Facts(instructionData=absent)).matched


@pytest.mark.parametrize("given", [{"a": 1}, [[ALICE]], [ALICE, {"b": 2}], 5, None, True])
def test_a_verifying_contract_that_is_no_text_is_none(given: Any) -> None:
    wanted = criterion("evmTypedDataVerifyingContract", operator="not in", addresses=[BOB])
    found = match_criterion(wanted, Facts(domain={"verifyingContract": given}))
    assert (found.matched, found.observed) == (False, None)
