"""Blocks that are simulated: what they are beside others, what they refuse, and what moves coins there."""

import json
from typing import Any

import pytest
import rlp
from eth_utils import keccak

from mockserver.api.call import Request
from mockserver.nodes.evm import simulated_blocks
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.edge.app import App
from tests.nodes.node import ALICE, BOB, Node
from tests.tables import cases

ZERO = "0x" + "00" * 20
ECRECOVER, IDENTITY, ELSEWHERE = f"0x{1:040x}", f"0x{4:040x}", "0x" + "77" * 20
COINS = "0x" + "ee" * 20
FUNDED = {ALICE.address: {"balance": hex(10**18)}}
TRANSFER = {"from": ALICE.address, "to": BOB.address, "value": "0x5"}
WORD = "0x" + "00" * 31 + "07"


def simulate(node: Node, *blocks: dict[str, Any], **options: Any) -> Any:
    return node.ask("eth_simulateV1", {"blockStateCalls": list(blocks), **options}, "latest")


def test_a_gap_between_numbers_is_filled_with_empty_blocks(node: Node) -> None:
    latest = node.number("eth_blockNumber")
    third = {"blockOverrides": {"number": hex(latest + 3)}, "stateOverrides": FUNDED, "calls": [TRANSFER]}
    blocks = simulate(node, third, {})
    assert [int(block["number"], 16) - latest for block in blocks] == [1, 2, 3, 4]
    assert [len(block["calls"]) for block in blocks] == [0, 0, 1, 0]
    times = [int(block["timestamp"], 16) for block in blocks]
    before = int(node.ask("eth_getBlockByNumber", hex(latest), False)["timestamp"], 16)
    assert times == [before + 2, before + 4, before + 6, before + 8]
    assert [block["parentHash"] for block in blocks[1:]] == [block["hash"] for block in blocks[:-1]]


@cases(
    "blocks, options, code, message",
    ([{"blockOverrides": {"number": "0x1"}}], {}, -38020, "block numbers must be in order: 1 <= "),
    ([{"blockOverrides": {"time": "0x1"}}], {}, -38021, "block timestamps must be in order: 1 <= "),
    ([{}] * 257, {}, -38026, "too many blocks"),
    ([{"calls": [TRANSFER]}], {}, -38014, "err: insufficient funds for gas * price + value: address "),
    ([{"calls": [{"gas": "0x5"}]}], {}, -38013, "err: intrinsic gas too low: have 5, want 53000"),
    ([{"calls": [{"gas": hex(10**9)}]}], {}, -38015, "block gas limit reached: 0 >= 30000000"),
    ([{"calls": [{"nonce": "0x5"}]}], {"validation": True}, -38011, "err: nonce too high: address "),
    ([{"calls": [{}]}], {"validation": True}, -38012, "err: max fee per gas less than block base fee: "),
    ([{"calls": [{"data": "0x" + "00" * 49_153}]}], {}, -38025, "err: max initcode size exceeded: "),
    (
        [{"stateOverrides": {ZERO: {"nonce": hex(5)}}, "calls": [{"nonce": "0x4"}]}],
        {"validation": True},
        -38010,
        "err: nonce too low: address ",
    ),
    (
        [{"stateOverrides": {ZERO: {"nonce": hex(2**64 - 1)}}, "calls": [{"nonce": hex(2**64 - 1)}]}],
        {"validation": True},
        -32603,
        "err: nonce has max value: ",
    ),
    (
        [{"stateOverrides": {BOB.address: {"movePrecompileToAddress": ELSEWHERE}}}],
        {},
        -32000,
        f"account {BOB.address} is not a precompile",
    ),
    (
        [{"stateOverrides": {BOB.address: {"state": {}, "stateDiff": {}}}}],
        {},
        -32000,
        f"account {BOB.address} has both",
    ),
)
def test_what_cannot_be_in_a_block_has_a_code(
    node: Node, blocks: list[Any], options: dict[str, Any], code: int, message: str
) -> None:
    before = node.ask("eth_blockNumber")
    error = simulate(node, *blocks, **options)
    assert (error["code"], error["message"][: len(message)]) == (code, message)
    assert node.ask("eth_blockNumber") == before


def test_numbers_and_times_go_up_to_their_bounds(node: Node) -> None:
    latest = node.number("eth_blockNumber")
    time = int(node.ask("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
    assert len(simulate(node, *[{}] * 256)) == 256
    for far, found in ((256, 256), (257, -38026)):
        answer = simulate(node, {"blockOverrides": {"number": hex(latest + far)}})
        assert (len(answer) if isinstance(answer, list) else answer["code"]) == found
    for override, code in (("number", -38020), ("time", -38021)):
        first = (latest if override == "number" else time) + 1
        once, twice = ([{"blockOverrides": {override: hex(first)}}] * count for count in (1, 2))
        (block,) = simulate(node, *once)
        assert int(block["number" if override == "number" else "timestamp"], 16) == first
        assert simulate(node, *twice)["code"] == code


def test_transactions_and_logs_of_a_block_are_counted(node: Node) -> None:
    # LOG0 of nothing, twice.
    logging = {"stateOverrides": {ELSEWHERE: {"code": "0x5f5fa05f5fa0"}}, "calls": [{"to": ELSEWHERE}] * 2}
    (block,) = simulate(node, logging, returnFullTransactions=True)
    logs = [log for call in block["calls"] for log in call["logs"]]
    assert [int(log["logIndex"], 16) for log in logs] == [0, 1, 2, 3]
    assert [int(log["transactionIndex"], 16) for log in logs] == [0, 0, 1, 1]
    sent = block["transactions"]
    assert [(each["nonce"], each["transactionIndex"]) for each in sent] == [("0x0", "0x0"), ("0x1", "0x1")]
    for name in ("blockNumber", "blockHash", "blockTimestamp"):
        assert {each[name] for each in (*logs, *sent)} == {logs[0][name]}
    assert (logs[0]["blockNumber"], logs[0]["blockHash"]) == (block["number"], block["hash"])
    assert block["transactionsRoot"] != simulate(node, {})[0]["transactionsRoot"]


def test_coins_that_move_are_logged_as_those_of_a_token(node: Node) -> None:
    # CALL of BOB with the value that came: PUSH0 four times, CALLVALUE, PUSH20, GAS, CALL.
    forwards = {ELSEWHERE: {"code": f"0x5f5f5f5f3473{BOB.address[2:]}5af1"}}
    block = {"stateOverrides": {**FUNDED, **forwards}, "calls": [{**TRANSFER, "to": ELSEWHERE}]}
    (quiet,), (told,) = simulate(node, block), simulate(node, block, traceTransfers=True)
    assert quiet["calls"][0]["logs"] == []
    logs = told["calls"][0]["logs"]
    assert [(log["address"], int(log["data"], 16), int(log["logIndex"], 16)) for log in logs] == [
        (COINS, 5, 0),
        (COINS, 5, 1),
    ]
    assert ["0x" + topic[-40:] for topic in logs[1]["topics"][1:]] == [ELSEWHERE, BOB.address.lower()]
    assert int(told["logsBloom"], 16) == 0
    reverted = {ELSEWHERE: {"code": "0x5f5ffd"}}
    block["stateOverrides"] = {**FUNDED, **reverted}
    assert simulate(node, block, traceTransfers=True)[0]["calls"][0]["logs"] == []


def test_a_simulated_transaction_has_a_hash_and_pays(node: Node) -> None:
    fees = {"maxFeePerGas": hex(10**10), "maxPriorityFeePerGas": hex(10**9), "gas": hex(30_000)}
    pays = {
        "blockOverrides": {"baseFeePerGas": hex(10**9), "feeRecipient": ELSEWHERE},
        "calls": [{**TRANSFER, **fees}],
    }
    asks = {"calls": [{"from": ALICE.address, "data": f"0x73{ELSEWHERE[2:]}315f5260205ff3"}]}
    block, after = simulate(node, {**pays, "stateOverrides": FUNDED}, asks, returnFullTransactions=True)
    (sent,) = block["transactions"]
    assert (sent["from"], sent["blockHash"], sent["v"]) == (ALICE.address.lower(), block["hash"], "0x0")
    assert (sent["gasPrice"], block["miner"]) == (hex(2 * 10**9), ELSEWHERE)
    assert simulate(node, {**pays, "stateOverrides": FUNDED})[0]["transactions"] == [sent["hash"]]
    # The recipient of fees is that of the next block, too.
    assert (int(after["calls"][0]["returnData"], 16), after["miner"]) == (21_000 * 10**9, ELSEWHERE)


def test_a_precompiled_contract_is_moved_for_a_block(node: Node) -> None:
    moved = {"stateOverrides": {IDENTITY: {"movePrecompileToAddress": ELSEWHERE, "code": "0x"}}}
    calls = [{"to": address, "data": WORD} for address in (ELSEWHERE, IDENTITY)]
    blocks = simulate(node, {**moved, "calls": calls}, {"calls": calls})
    assert [[call["returnData"] for call in block["calls"]] for block in blocks] == [
        [WORD, "0x"],
        ["0x", WORD],
    ]
    asked = {"to": ELSEWHERE, "data": WORD}
    assert node.ask("eth_call", asked, "latest", {IDENTITY: {"movePrecompileToAddress": ELSEWHERE}}) == WORD
    overridden = {ECRECOVER: {"movePrecompileToAddress": ELSEWHERE}, ELSEWHERE: {"balance": "0x1"}}
    assert "is already overridden" in node.ask("eth_call", asked, "latest", overridden)["message"]


def test_gas_that_a_block_has_left_is_that_of_the_next_call(node: Node) -> None:
    # An endless loop: JUMPDEST, PUSH0, JUMP.
    endless = {
        "stateOverrides": {ELSEWHERE: {"code": "0x5b5f56"}},
        "blockOverrides": {"gasLimit": hex(60_000)},
    }
    calls = [{"to": BOB.address}, {"to": ELSEWHERE}]
    (block,) = simulate(node, {**endless, "calls": calls})
    assert [call["gasUsed"] for call in block["calls"]] == [hex(21_000), hex(39_000)]
    assert block["calls"][1]["error"] == {"code": -32015, "message": "out of gas"}
    assert block["gasUsed"] == block["gasLimit"] == hex(60_000)


LOOPS = {BOB.address: {"code": "0x5b600056"}}
LOOP = {"to": BOB.address, "gas": hex(10**6)}


@cases(
    "method, params",
    ("eth_call", [LOOP, "latest", LOOPS]),
    ("eth_simulateV1", [{"blockStateCalls": [{"stateOverrides": LOOPS, "calls": [LOOP]}]}, "latest"]),
)
def test_others_are_answered_while_a_changed_state_is_tried(
    app: App, node: Node, method: str, params: list[Any]
) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    waiting = app.pipeline.answer(
        Request("POST", node.path, "", {"content-type": "application/json"}, body=body)
    )
    assert isinstance(waiting, WaitingCall)
    assert node.ask("eth_getCode", BOB.address) == "0x"
    node.fund(BOB.address)
    assert b"out of gas" in app.pipeline.finish(waiting).body
    assert (node.ask("eth_getCode", BOB.address), node.number("eth_getBalance", BOB.address)) == (
        "0x",
        10**18,
    )


def test_all_calls_of_a_simulation_share_a_bound_of_gas(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_blocks, "_MOST_GAS", 50_000)
    once, twice = ({"stateOverrides": FUNDED, "calls": [TRANSFER] * count} for count in (1, 2))
    assert [len(block["calls"]) for block in simulate(node, twice)] == [2]
    assert "have 8000, want 21000" in simulate(node, twice, once)["message"]


def test_a_simulated_transaction_with_blobs_has_its_hash(node: Node) -> None:
    blob = "0x01" + "00" * 31
    fees = {"maxFeePerGas": hex(10**10), "maxPriorityFeePerGas": "0x1", "maxFeePerBlobGas": "0x5"}
    call = {**TRANSFER, **fees, "gas": "0x5208", "blobVersionedHashes": [blob]}
    (block,) = simulate(node, {"stateOverrides": FUNDED, "calls": [call]}, returnFullTransactions=True)
    (shown,) = block["transactions"]
    assert (shown["type"], shown["maxFeePerBlobGas"], shown["blobVersionedHashes"]) == ("0x3", "0x5", [blob])
    to, blobs = bytes.fromhex(BOB.address[2:]), [bytes.fromhex(blob[2:])]
    fields = [int(shown["chainId"], 16), 0, 1, 10**10, 21_000, to, 5, b"", [], 5, blobs, 0, 0, 0]
    assert shown["hash"] == "0x" + keccak(b"\x03" + rlp.encode(fields)).hex()
