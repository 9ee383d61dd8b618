"""Struct logs: the instructions that a transaction or a call executes, one by one."""

from typing import Any

import pytest

from mockserver.domain.transactions import repeating
from mockserver.state.onchain import Receipt, Transaction
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.chain.evm.machines import assemble
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata
from tests.tables import cases

RUNTIME = "600043815260200146815260200141815260200148815260200144815260200132815260200134815260200160"
"""As geth has it: block 1 of the chain of the execution API's tests, which begins with so much gas."""
CREATION, GAS = f"0x600d380380600d6000396000f3{RUNTIME}00f3", 23_644
AS_GETH = [
    (0, "PUSH1", 23_644, 3, []),
    (2, "CODESIZE", 23_641, 2, ["0xd"]),
    (3, "SUB", 23_639, 3, ["0xd", "0x3c"]),
    (4, "DUP1", 23_636, 3, ["0x2f"]),
    (5, "PUSH1", 23_633, 3, ["0x2f", "0x2f"]),
    (7, "PUSH1", 23_630, 3, ["0x2f", "0x2f", "0xd"]),
    (9, "CODECOPY", 23_627, 15, ["0x2f", "0x2f", "0xd", "0x0"]),
    (10, "PUSH1", 23_612, 3, ["0x2f"]),
    (12, "RETURN", 23_609, 0, ["0x2f", "0x0"]),
]


def trace(node: Node, program: str | bytes, **options: Any) -> Any:
    """What a call of a program at Bob's address is traced as."""
    code = assemble(program) if isinstance(program, str) else program
    overrides = {BOB.address: {"code": "0x" + code.hex()}}
    asked = {"from": ALICE.address, "to": BOB.address, "gas": hex(121_000)}
    return node.ask("debug_traceCall", asked, "latest", {**options, "stateOverrides": overrides})


def test_instructions_are_logged_as_geth_does(node: Node) -> None:
    asked = {"data": CREATION, "gas": hex(200_000)}
    before = 200_000 - node.ask("debug_traceCall", asked)["structLogs"][0]["gas"]
    traced = node.ask("debug_traceCall", {**asked, "gas": hex(before + GAS)})
    logs = traced["structLogs"]
    shown = [(each["pc"], each["op"], each["gas"], each["gasCost"], each["stack"]) for each in logs]
    assert shown == AS_GETH
    assert {each["depth"] for each in logs} == {1}
    assert (traced["returnValue"], traced["failed"]) == (f"0x{RUNTIME}00f3", False)


def test_memory_and_output_are_there_if_asked_for(node: Node) -> None:
    traced = trace(node, "0x07 0x00 MSTORE 0x20 0x00 RETURN", enableMemory=True, disableStack=True)
    assert [each.get("memory") for each in traced["structLogs"][2:]] == [None, *[[f"0x{7:064x}"]] * 3]
    assert "stack" not in traced["structLogs"][0]
    assert (traced["gas"], traced["returnValue"]) == (21_018, f"0x{7:064x}")
    # The identity, which is a precompiled contract, gives two bytes back.
    called = "0x00 0x00 0x02 0x1e 0x04 GAS STATICCALL POP"
    logs = trace(node, f"0x07 0x00 MSTORE {called}", enableReturnData=True)["structLogs"]
    assert [each.get("returnData") for each in logs[-3:]] == [None, "0x0007", "0x0007"]


def test_storage_is_what_was_seen_of_it_so_far(node: Node) -> None:
    logs = trace(node, "0x05 0x01 SSTORE 0x02 SLOAD")["structLogs"]
    one, two = f"0x{1:064x}", f"0x{2:064x}"
    stored = {one: f"0x{5:064x}"}
    assert [each["storage"] for each in logs if "storage" in each] == [stored, {**stored, two: f"0x{0:064x}"}]
    assert not any("storage" in each for each in trace(node, "0x00 SLOAD", disableStorage=True)["structLogs"])


def test_a_refund_is_told_as_soon_as_it_is_counted(node: Node) -> None:
    logs = trace(node, "0x05 0x01 SSTORE 0x00 0x01 SSTORE")["structLogs"]
    assert [each.get("refund") for each in logs] == [None] * 5 + [19_900] * 2


@cases(
    "program, op, error",
    ("POP", "POP", "stack underflow"),
    ("0x7fffffff MLOAD", "MLOAD", "out of gas"),
    (b"\xfe\x00", "INVALID", None),
    ("0x05 JUMP", "JUMP", None),
    (b"\x0c", "opcode 0xc not defined", None),
    ("0x00 0x00 REVERT", "REVERT", None),
)
def test_the_last_log_of_a_failure_names_it(
    node: Node, program: str | bytes, op: str, error: str | None
) -> None:
    traced = trace(node, program)
    assert traced["failed"] is True
    assert (traced["structLogs"][-1]["op"], traced["structLogs"][-1].get("error")) == (op, error)


@cases("value, depths", ("0x00", [1, 2, 1]), ("0x01", [1, 1]))
def test_a_call_costs_what_it_gives_along(node: Node, value: str, depths: list[int]) -> None:
    token = node.deploy_token()
    logs = trace(node, f"0x00 0x00 0x00 0x00 {value} {token} 0x2710 CALL")["structLogs"]
    at = next(place for place, each in enumerate(logs) if each["op"] == "CALL")
    # A cold account and 10,000 gas; with value 9,000 more. Bob has no coins: that call is not made.
    expected = 2_600 + 10_000 + (9_000 if value == "0x01" else 0)
    assert logs[at]["gasCost"] == expected
    inner = [each for each in logs if each["depth"] == 2]
    assert bool(inner) == (2 in depths)
    assert all(each["gas"] <= 10_000 for each in inner)
    assert logs[-1]["gas"] > logs[at]["gas"] - expected


def test_logs_end_at_the_limit(node: Node) -> None:
    # An endless loop: JUMPDEST, PUSH1 0, JUMP. With a limit it is executed to its end all the same.
    loop = bytes.fromhex("5b600056")
    traced = trace(node, loop, limit=5)
    assert [each["op"] for each in traced["structLogs"]] == ["JUMPDEST", "PUSH1", "JUMP"] * 1 + [
        "JUMPDEST",
        "PUSH1",
    ]
    assert (traced["failed"], traced["gas"]) == (True, 121_000)


def test_too_many_logs_are_refused(node: Node) -> None:
    # MSTORE at 65,536, and the endless loop.
    refused = trace(node, bytes.fromhex("5f62010000525b600656"), enableMemory=True)
    assert refused["code"] == -32005
    assert "set limit, or disableStack" in refused["message"]


def test_an_unknown_tracer_is_refused_and_an_empty_one_is_none(node: Node) -> None:
    assert (
        node.ask("debug_traceCall", {"to": BOB.address}, "latest", {"tracer": "noTracer"})["code"] == -32004
    )
    assert node.ask("debug_traceCall", {"to": BOB.address}, "latest", {"tracer": ""})["structLogs"] == []


def gas_of(logs: list[dict[str, Any]], data: str) -> int:
    """What a transaction with these logs uses."""
    raw = bytes.fromhex(data[2:])
    costs: int = sum(each["gasCost"] for each in logs)
    return costs + 21_000 + 16 * len(raw) - 12 * raw.count(0)


def test_a_transaction_is_traced_in_the_state_before_it(node: Node) -> None:
    token, data = node.deploy_token(), calldata("transfer", BOB.address, 5)
    first = node.transact(to=token, data=data, gas=100_000)
    traced = node.ask("debug_traceTransaction", first["transactionHash"])
    assert (traced["gas"], traced["failed"], traced["returnValue"]) == (
        int(first["gasUsed"], 16),
        False,
        f"0x{1:064x}",
    )
    node.transact(to=token, data=data, gas=100_000)
    assert node.ask("debug_traceTransaction", first["transactionHash"]) == traced
    stored = [each["storage"] for each in traced["structLogs"] if each["op"] == "SSTORE"]
    assert [int(value, 16) for value in stored[-1].values()] == [995, 5]
    assert gas_of(traced["structLogs"], data) == traced["gas"]
    # Nothing has changed by that.
    assert node.number("eth_call", {"to": token, "data": calldata("balanceOf", BOB.address)}) == 10


def test_transactions_of_one_block_are_traced_one_on_the_other(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, data = node.deploy_token(), calldata("transfer", BOB.address, 5)
    node.ask("evm_setAutomine", False)
    sent = [
        node.ask(
            "eth_sendRawTransaction", node.sign(to=token, data=data, gas=100_000).raw_transaction.to_0x_hex()
        )
        for _ in range(3)
    ]
    node.ask("evm_mine")
    receipt = node.ask("eth_getTransactionReceipt", sent[2])
    assert node.ask("eth_getBlockTransactionCountByNumber", receipt["blockNumber"]) == "0x3"
    executed: list[str] = []

    def mine(copy: Project, row: Transaction, watch: Any) -> Receipt:
        executed.append(str(row.chain_hash).partition(":")[2])
        return before(copy, row, watch)

    before = repeating._mine
    monkeypatch.setattr(repeating, "_mine", mine)
    traced = node.ask("debug_traceBlockByNumber", receipt["blockNumber"])
    assert [each["txHash"] for each in traced] == sent
    # Each is begun anew once it was executed in slices.
    assert executed == [each for each in sent for _ in range(2)]
    stored = [[x["storage"] for x in each["result"]["structLogs"] if x["op"] == "SSTORE"] for each in traced]
    assert [[int(value, 16) for value in each[-1].values()] for each in stored] == [
        [995, 5],
        [990, 10],
        [985, 15],
    ]


def test_transactions_of_the_api_are_traced_too(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    token, data = node.deploy_token(), calldata("transfer", BOB.address, 0)
    body = {"chainId": CHAIN, "accountId": account.id, "calls": [{"to": token, "data": data}]}
    sent = node.api.post("/v2/transactions", json=body).json()["receipt"]["transactionHash"]
    traced = node.ask("debug_traceTransaction", sent)
    assert traced["failed"] is False
    assert "SLOAD" in {each["op"] for each in traced["structLogs"]}


def test_what_the_history_has_lost_is_not_traced(node: Node) -> None:
    node.fund(ALICE.address)
    receipt = node.transact(to=BOB.address, gas=21_000)
    assert node.ask("debug_traceTransaction", receipt["transactionHash"])["structLogs"] == []
    node.project.history.clear()
    refused = node.ask("debug_traceTransaction", receipt["transactionHash"])
    assert refused["message"] == "no struct logs: the state before the transaction is not kept any more"
    assert node.ask("debug_traceTransaction", receipt["transactionHash"], {"tracer": "callTracer"})["gas"]


def test_a_transaction_that_there_is_not_has_no_trace(node: Node) -> None:
    for options in ({}, {"tracer": "callTracer"}):
        refused = node.ask("debug_traceTransaction", "0x" + "11" * 32, options)
        assert refused["message"] == "transaction not found"


def test_a_trace_follows_those_before_it_in_its_block(node: Node) -> None:
    token, data = node.deploy_token(), calldata("transfer", BOB.address, 5)
    node.ask("evm_setAutomine", False)
    for nonce in (1, 2):
        signed = node.sign(to=token, data=data, gas=100_000, nonce=nonce)
        sent = node.ask("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    node.ask("evm_mine")
    traced = node.ask("debug_traceTransaction", sent)["structLogs"]
    assert node.ask("eth_getTransactionReceipt", sent)["transactionIndex"] == "0x1"
    stored = [each["storage"] for each in traced if each["op"] == "SSTORE"]
    assert [int(value, 16) for value in stored[-1].values()] == [990, 10]
