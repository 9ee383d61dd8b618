"""Struct logs: the instructions that a transaction or a call executes, one by one."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.chain.evm.machines import assemble
from tests.nodes.node import ALICE, BOB, Node, calldata
from tests.tables import cases

RECORDED = os.environ.get("MOCKSERVER_RPC_TESTS")
WHOLE = {"enableMemory": True, "enableReturnData": True}


def trace(node: Node, program: str, options: dict[str, Any] | None = None, **given: Any) -> Any:
    """What a call of a program at Bob's address is traced as."""
    code = {BOB.address: {"code": "0x" + assemble(program).hex()}}
    asked = {"from": ALICE.address, "to": BOB.address, **given}
    return node.ask("debug_traceCall", asked, "latest", {**(options or {}), "stateOverrides": code})


def test_an_instruction_shows_what_it_finds_and_what_it_costs(node: Node) -> None:
    traced = trace(node, "0x07 0x00 MSTORE 0x20 0x00 RETURN", WHOLE, gas="0x10000")
    logs, gas = traced["structLogs"], 0x10000 - 21_000
    assert [each["op"] for each in logs] == ["PUSH1", "PUSH1", "MSTORE", "PUSH1", "PUSH1", "RETURN"]
    assert [each["pc"] for each in logs] == [0, 2, 4, 5, 7, 9]
    assert [each["gasCost"] for each in logs] == [3, 3, 6, 3, 3, 0]
    assert [each["gas"] for each in logs[:3]] == [gas, gas - 3, gas - 6]
    assert (logs[2]["stack"], "memory" in logs[2]) == (["0x7", "0x0"], False)
    assert logs[3]["memory"] == [f"0x{7:064x}"] == [traced["returnValue"]]
    assert (traced["gas"], traced["failed"]) == (21_018, False)


def test_a_transaction_is_traced_in_the_state_before_it(node: Node) -> None:
    token = node.deploy_token()
    first = node.transact(to=token, data=calldata("transfer", BOB.address, 5), gas=100_000)
    traced = node.ask("debug_traceTransaction", first["transactionHash"])
    assert (traced["gas"], traced["failed"]) == (int(first["gasUsed"], 16), False)
    node.transact(to=token, data=calldata("transfer", BOB.address, 5), gas=100_000)
    assert node.ask("debug_traceTransaction", first["transactionHash"]) == traced
    stored = [each["storage"] for each in traced["structLogs"] if each["op"] == "SSTORE"]
    assert [int(value, 16) for value in stored[-1].values()] == [995, 5]
    costs = sum(each["gasCost"] for each in traced["structLogs"])
    data = bytes.fromhex(calldata("transfer", BOB.address, 5)[2:])
    assert costs == traced["gas"] - 21_000 - 16 * len(data) + 12 * data.count(0)
