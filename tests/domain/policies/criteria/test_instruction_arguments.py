"""Criteria about the arguments of instructions, decoded with an IDL."""

import base64
import json

from mockserver.domain.policies.criteria import Criterion, Effort, Facts, find_problems, match_criterion
from tests.domain.policies.criteria.helpers import MINT, OWNER, criterion, pay
from tests.tables import cases


def pay_of(operator: str, args: object = None, instruction: str = "pay") -> Criterion:
    return criterion("solData", instructionName=instruction, operator=operator, args=args)


@cases(
    "wanted, data, matched",
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
    (pay_of("<=", {"limit": "0"}, "configure"), base64.b64encode(b"\x09\xff\xff\xff\xffrest").decode(), True),
)
def test_instruction_data_is_decoded_with_the_idl(wanted: Criterion, data: str, matched: bool) -> None:
    assert find_problems(wanted, "sendSolTransaction") == {}
    assert match_criterion(wanted, Facts(instructionData=data)).matched is matched


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


@cases("operator", "in", "not in")
def test_instruction_data_that_is_not_base64_matches_nothing(operator: str) -> None:
    verdict = match_criterion(pay_of(operator), Facts(instructionData="%%%"))
    assert (verdict.matched, verdict.reason) == (False, "instructionData is not base64")


@cases("operator", "in", "not in")
def test_instruction_data_matches_nothing_once_work_is_spent(operator: str) -> None:
    verdict = match_criterion(pay_of(operator), Facts(instructionData=pay(5)), Effort(left=0))
    assert not verdict.matched
    assert "after too much other work" in verdict.reason
