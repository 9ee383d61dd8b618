"""Criteria about the arguments of calldata, decoded with an ABI."""

import json
from typing import Any

from eth_abi import encode
from eth_utils import function_signature_to_4byte_selector, to_checksum_address

from mockserver.domain.policies.criteria import Criterion, Facts, find_problems, match_criterion
from tests.domain.policies.criteria.helpers import ALICE, BOB, call_of, calldata, criterion, transfer
from tests.tables import cases

RENAME = "0x" + "c47f0027" + encode(["string"], ["x"]).hex()


@cases(
    "wanted, arguments, matched",
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
)
def test_calldata_is_decoded_with_the_abi(wanted: Criterion, arguments: str, matched: bool) -> None:
    assert find_problems(wanted, "sendEvmTransaction") == {}
    assert match_criterion(wanted, Facts(data=arguments)).matched is matched


@cases(
    "function, types, values, operator, args, matched",
    ("rename", ["string"], ["safe-box"], "match", {"name": "^safe-.*"}, True),
    ("rename", ["string"], ["a safe-box"], "match", {"name": "^safe-.*"}, False),
    ("batch", ["uint256[]"], [[1, 2]], "==", {"ids": [1, 2]}, True),
    ("batch", ["uint256[]"], [[1, 2]], "in", {"ids": [[1], ["1", "2"]]}, True),
    ("batch", ["uint256[]"], [[2, 1]], "==", {"ids": [1, 2]}, False),
    ("pick", ["bool"], [True], "==", {"0": True}, True),
    ("pick", ["bool"], [False], "==", {"0": "true"}, False),
)
def test_arguments_of_every_kind_are_held_against_constraints(
    function: str, types: list[str], values: list[Any], operator: str, args: dict[str, Any], matched: bool
) -> None:
    wanted = call_of(function, operator, args)
    assert find_problems(wanted, "sendEvmTransaction") == {}
    assert match_criterion(wanted, Facts(data=calldata(function, types, values))).matched is matched


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


@cases(
    "operator, args, matched",
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
)
def test_constraints_reach_into_tuples_and_lists(operator: str, args: dict[str, Any], matched: bool) -> None:
    wanted = criterion("evmData", operator=operator, abi=ORDERS, functionName="fill", args=args)
    assert find_problems(wanted, "sendEvmTransaction") == {}
    facts = Facts(data=fill(ALICE, [(5, "gift"), (7, "")], [9, 20]))
    assert match_criterion(wanted, facts).matched is matched


@cases(
    "operator, name, constraint",
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
)
def test_a_part_is_checked_like_an_argument(operator: str, name: str, constraint: str) -> None:
    args = {name: constraint}
    wanted = criterion("evmData", operator=operator, abi=ORDERS, functionName="fill", args=args)
    assert list(find_problems(wanted, "sendEvmTransaction")) == [f"args.{name}"]


def test_bytes_in_calldata_are_matched_and_shown_in_hex() -> None:
    store = {"type": "function", "name": "store", "inputs": [{"name": "blob", "type": "bytes"}]}
    wanted = criterion(
        "evmData", abi=json.dumps([store]), functionName="store", operator="match", args={"blob": "^0xdead"}
    )
    assert find_problems(wanted, "sendEvmTransaction") == {}
    verdict = match_criterion(wanted, Facts(data=calldata("store", ["bytes"], [b"\xde\xad\x01"])))
    assert (verdict.matched, verdict.observed) == (True, {"blob": "0xdead01"})
    assert not match_criterion(wanted, Facts(data=calldata("store", ["bytes"], [b"\x00\xde\xad"]))).matched
