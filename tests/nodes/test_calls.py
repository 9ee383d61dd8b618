"""Calls that change nothing: results, gas, traces, logs, blocks."""

from dataclasses import replace
from struct import unpack
from unittest.mock import Mock
from zlib import crc32

import pytest
import rlp
from eth_abi import decode, encode
from eth_utils import keccak

from mockserver.nodes.evm import blocks, logs
from tests.chain.evm.machines import assemble
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata
from tests.tables import cases

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
ENTRY_POINT = "0x0000000071727De22E5E9d8BAf0edAc6f37da032"


def test_a_call_returns_what_the_code_returns(node: Node) -> None:
    token = node.deploy_token(1000)
    assert (
        node.number("eth_call", {"to": token, "data": calldata("balanceOf", ALICE.address)}, "latest") == 1000
    )
    assert node.ask("eth_getCode", token).startswith("0x60")
    assert node.ask("eth_call", {"to": BOB.address, "data": "0x1234"}) == "0x"


def test_a_byte_of_code_is_executed_as_any_other(node: Node) -> None:
    # Contracts without code have the same one for those that look at it.
    invalid = {"code": -32000, "message": "invalid opcode: 0xfe"}
    assert node.ask("eth_call", {"to": BOB.address}, "latest", {BOB.address: {"code": "0xfe"}}) == invalid
    node.ask("anvil_setCode", BOB.address, "0xfe")
    assert node.ask("eth_call", {"to": BOB.address}) == invalid


def test_multicall3_makes_calls_of_code_and_of_simulated_tokens(node: Node) -> None:
    node.fund(ALICE.address, 77)
    coins = keccak(text="getEthBalance(address)")[:4] + encode(["address"], [ALICE.address])
    calls = [
        (node.deploy_token(1000), False, bytes.fromhex(calldata("balanceOf", ALICE.address)[2:])),
        (USDC, False, bytes.fromhex(calldata("balanceOf", BOB.address)[2:])),
        (MULTICALL3, False, coins),
        (node.deploy_token(1), True, bytes.fromhex(calldata("transfer", BOB.address, 5)[2:])),
    ]
    data = keccak(text="aggregate3((address,bool,bytes)[])")[:4] + encode(["(address,bool,bytes)[]"], [calls])
    answer = node.ask("eth_call", {"to": MULTICALL3, "data": "0x" + data.hex()}, "latest")
    (results,) = decode(["(bool,bytes)[]"], bytes.fromhex(answer[2:]))
    assert [succeeded for succeeded, _ in results] == [True, True, True, False]
    assert [int.from_bytes(output) for _, output in results[:2]] == [1000, 0]
    assert int.from_bytes(results[2][1]) == node.number("eth_getBalance", ALICE.address, "latest")


def test_a_revert_has_its_data_and_its_reason(node: Node) -> None:
    token = node.deploy_token(1000)
    asked = {"from": ALICE.address, "to": token, "data": calldata("transfer", BOB.address, 5000)}
    for method in ("eth_call", "eth_estimateGas"):
        error = node.ask(method, asked)
        assert error["code"] == 3
        assert error["data"].startswith("0xe450d38c")
        assert (
            error["message"] == f"execution reverted: ERC20InsufficientBalance({ALICE.address}, 1000, 5000)"
        )


def test_a_reason_that_is_no_text_is_not_told(node: Node) -> None:
    # The selector of Error(string) and nothing behind it: PUSH4, PUSH1 224, SHL, PUSH0, MSTORE, REVERT.
    code = {BOB.address: {"code": "0x6308c379a060e01b5f5260045ffd"}}
    error = node.ask("eth_call", {"to": BOB.address}, "latest", code)
    assert error == {"code": 3, "message": "execution reverted", "data": "0x08c379a0"}


def test_the_estimate_is_enough_and_one_less_is_not(node: Node) -> None:
    token = node.deploy_token()
    data = calldata("transfer", BOB.address, 5)
    gas = node.number("eth_estimateGas", {"from": ALICE.address, "to": token, "data": data})
    assert node.transact(to=token, data=data, gas=gas)["status"] == "0x1"
    gas = node.number("eth_estimateGas", {"from": ALICE.address, "to": token, "data": data})
    receipt = node.transact(to=token, data=data, gas=gas - 1)
    assert (receipt["status"], int(receipt["gasUsed"], 16)) == ("0x0", gas - 1)


def test_creation_code_without_a_target_is_called(node: Node) -> None:
    # PUSH1 7, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
    assert node.number("eth_call", {"data": "0x60075f5260205ff3"}) == 7


def test_code_sees_the_block_that_the_node_shows(node: Node) -> None:
    def seen(name: str) -> int:
        code = assemble(f"{name} PUSH0 MSTORE 0x20 PUSH0 RETURN")
        return int(node.ask("eth_call", {"from": BOB.address, "data": "0x" + code.hex()}), 16)

    block = node.ask("eth_getBlockByNumber", "latest", False)
    shown = {
        "NUMBER": block["number"],
        "TIMESTAMP": block["timestamp"],
        "COINBASE": block["miner"],
        "BASEFEE": block["baseFeePerGas"],
        "PREVRANDAO": block["mixHash"],
        "CHAINID": node.ask("eth_chainId"),
        "ORIGIN": BOB.address,
        "CALLER": BOB.address,
    }
    assert {name: seen(name) for name in shown} == {name: int(value, 16) for name, value in shown.items()}


def test_state_and_block_may_be_otherwise_for_one_call(node: Node) -> None:
    # Returns the balance of itself: SELFBALANCE, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN; and the number.
    asked = {"to": BOB.address}
    changed = {BOB.address: {"code": "0x475f5260205ff3", "balance": "0x64"}}
    assert node.number("eth_call", asked, "latest", changed) == 100
    number, chance = ({BOB.address: {"code": f"0x{code}5f5260205ff3"}} for code in ("43", "44"))
    assert node.number("eth_call", asked, "latest", number, {"number": "0x5"}) == 5
    drawn = {"prevRandao": f"0x{7:064x}"}
    assert node.number("eth_call", asked, "latest", chance, drawn) == 7
    assert node.ask("eth_getCode", BOB.address) == "0x"
    assert node.number("eth_getBalance", BOB.address) == 0


def test_an_earlier_state_is_known(node: Node) -> None:
    token = node.deploy_token()
    before, had = node.ask("eth_blockNumber"), node.number("eth_getBalance", ALICE.address)
    for amount in (5, 6):
        node.transact(to=token, data=calldata("transfer", BOB.address, amount), gas=100_000, value=0)
    held = {"to": token, "data": calldata("balanceOf", BOB.address)}
    assert [node.number("eth_call", held, block) for block in (before, "latest")] == [0, 11]
    between = hex(int(node.ask("eth_blockNumber"), 16) - 1)
    named = {"blockHash": node.ask("eth_getBlockByNumber", between, False)["hash"]}
    assert [node.number("eth_call", held, block) for block in (between, named)] == [5, 5]
    assert node.number("eth_getBalance", ALICE.address, before) == had
    assert node.number("eth_getTransactionCount", ALICE.address, before) == 1
    assert node.ask("eth_getCode", token, "earliest") == "0x"
    assert node.number("eth_getTransactionCount", ALICE.address) == 3


def test_a_call_at_an_earlier_block_finds_that_block(node: Node) -> None:
    node.fund(ALICE.address)
    before = node.ask("eth_blockNumber")
    node.transact(to=BOB.address, gas=21_000)
    assert node.ask("eth_call", {"data": "0x435f5260205ff3"}, before)[-8:] == before[2:]


def test_blocks_between_those_mined_at_once_have_states(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    sent = [node.sign(nonce=nonce, to=BOB.address, gas=21_000, value=5) for nonce in (0, 1)]
    for each in sent:
        node.ask("eth_sendRawTransaction", each.raw_transaction.to_0x_hex())
        node.ask("evm_increaseTime", 1)
    node.ask("anvil_mine", 9)
    blocks = [node.ask("eth_getTransactionByHash", each.hash.to_0x_hex())["blockNumber"] for each in sent]
    assert node.number("eth_getBalance", BOB.address, blocks[0]) == (5 if blocks[0] < blocks[1] else 10)
    assert node.number("eth_getBalance", BOB.address, hex(int(blocks[0], 16) - 1)) == 0


def test_a_reorganization_leaves_earlier_states(node: Node) -> None:
    node.fund(ALICE.address)
    before = node.ask("eth_blockNumber")
    node.transact(to=BOB.address, gas=21_000, value=5)
    node.ask("anvil_reorg", 1)
    assert node.number("eth_getBalance", BOB.address, before) == 0


def test_a_state_that_the_history_has_lost_is_refused(node: Node) -> None:
    node.fund(ALICE.address)
    before = node.ask("eth_blockNumber")
    node.transact(to=BOB.address, gas=21_000)
    node.project.history.clear()
    assert "not kept any more" in node.ask("eth_getBalance", ALICE.address, before)["message"]
    beyond = hex(int(node.ask("eth_blockNumber"), 16) + 9)
    assert node.ask("eth_getBalance", ALICE.address, beyond)["message"] == "header not found"


def test_logs_are_found_by_address_topics_and_blocks(node: Node) -> None:
    token = node.deploy_token()
    receipt = node.transact(to=token, data=calldata("transfer", BOB.address, 5), gas=100_000)
    everything = {"fromBlock": "earliest", "toBlock": "latest"}
    assert receipt["logs"][0]["removed"] is False
    assert (
        node.ask("eth_getLogs", {**everything, "address": token, "topics": [TRANSFER]})[-1]
        == receipt["logs"][0]
    )
    to_bob = "0x" + BOB.address[2:].lower().rjust(64, "0")
    assert len(node.ask("eth_getLogs", {**everything, "topics": [None, None, [to_bob, TRANSFER]]})) == 1
    assert node.ask("eth_getLogs", {**everything, "address": BOB.address}) == []
    assert node.ask("eth_getLogs", {"blockHash": receipt["blockHash"]}) == receipt["logs"]
    assert node.ask("eth_getLogs", {"fromBlock": "latest", "toBlock": "earliest"})["code"] == -32602
    bits = int(receipt["logsBloom"], 16)
    for entry in (token, *receipt["logs"][0]["topics"]):
        words = unpack(">3H", keccak(bytes.fromhex(entry[2:]))[:6])
        assert all(bits >> word % 2048 & 1 for word in words), "three bits an entry (Yellow Paper, 4.4.3)"
    assert int(node.ask("eth_getBlockByHash", receipt["blockHash"])["logsBloom"], 16) == bits


def test_a_filter_has_what_is_new(node: Node) -> None:
    token = node.deploy_token()
    logs, blocks, sent = (
        node.ask("eth_newFilter", {"address": token}),
        node.ask("eth_newBlockFilter"),
        node.ask("eth_newPendingTransactionFilter"),
    )
    assert [node.ask("eth_getFilterChanges", each) for each in (logs, blocks, sent)] == [[], [], []]
    receipt = node.transact(to=token, data=calldata("transfer", BOB.address, 5), gas=100_000)
    assert node.ask("eth_getFilterChanges", logs) == receipt["logs"]
    assert node.ask("eth_getFilterChanges", blocks) == [receipt["blockHash"]]
    assert node.ask("eth_getFilterChanges", sent) == [receipt["transactionHash"]]
    assert node.ask("eth_getFilterChanges", logs) == []
    assert node.ask("eth_uninstallFilter", logs) is True
    assert node.ask("eth_getFilterChanges", logs)["message"] == "filter not found"


@cases("since", "latest", "pending")
def test_a_filter_from_now_on_has_no_older_logs(node: Node, since: str) -> None:
    token, transfer = node.deploy_token(), calldata("transfer", BOB.address, 5)
    old = node.transact(to=token, data=transfer, gas=100_000)
    logs = node.ask("eth_newFilter", {"address": token, "fromBlock": since})
    assert node.ask("eth_getFilterChanges", logs) == []
    new = node.transact(to=token, data=transfer, gas=100_000)
    assert node.ask("eth_getFilterChanges", logs) == new["logs"] != old["logs"]


def test_all_logs_of_a_filter_are_those_of_its_blocks(node: Node) -> None:
    token, transfer = node.deploy_token(), calldata("transfer", BOB.address, 5)
    first, second = (node.transact(to=token, data=transfer, gas=100_000) for _ in range(2))
    last = int(second["blockNumber"], 16)
    since = node.ask("eth_newFilter", {"fromBlock": hex(last), "toBlock": hex(last + 1)})
    third, _ = (node.transact(to=token, data=transfer, gas=100_000) for _ in range(2))
    assert int(third["blockNumber"], 16) == last + 1
    assert node.ask("eth_getFilterLogs", since) == [*second["logs"], *third["logs"]]
    assert node.ask("eth_getFilterChanges", since) == [*second["logs"], *third["logs"]]
    blocks = node.ask("eth_newBlockFilter")
    assert node.ask("eth_getFilterLogs", blocks)["message"] == "filter not found"
    assert first["logs"] not in (second["logs"], third["logs"])


@cases(
    "method, params, why",
    ("eth_call", [{"to": BOB.address}, "latest", {BOB.address: {"balanse": "0x1"}}], "did you mean balance?"),
    ("eth_call", [{"to": BOB.address}, "latest", {}, {"tme": "0x1"}], "did you mean time?"),
    ("eth_simulateV1", [{"blockStateCalls": [{"call": []}]}, "latest"], "did you mean calls?"),
    ("eth_simulateV1", [{"blockStateCalls": [{}], "trace": True}, "latest"], "trace: is not known here"),
    ("eth_signTypedData_v4", [BOB.address, "1"], "must be an object"),
)
def test_what_is_misspelt_is_refused(node: Node, method: str, params: list[object], why: str) -> None:
    error = node.ask(method, *params)
    assert (error["code"], why in error["message"]) == (-32602, True), error["message"]


def test_too_many_logs_are_not_shown(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_MOST_LOGS", 2)
    token, transfer = node.deploy_token(), calldata("transfer", BOB.address, 5)
    first, second = (node.transact(to=token, data=transfer, gas=100_000)["blockNumber"] for _ in range(2))
    assert len(node.ask("eth_getLogs", {"fromBlock": first, "toBlock": second})) == 2
    node.transact(to=token, data=transfer, gas=100_000)
    assert "more than 2 results" in node.ask("eth_getLogs", {"fromBlock": first})["message"]


def test_state_that_is_overridden_takes_the_place_of_all(node: Node) -> None:
    token, balance = node.deploy_token(), {"data": calldata("balanceOf", ALICE.address)}
    for member, held in (("stateDiff", 1000), ("state", 0)):
        assert node.number("eth_call", balance | {"to": token}, "latest", {token: {member: {}}}) == held


def test_the_oldest_of_too_many_filters_is_forgotten(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_MOST_FILTERS", 2)
    first, *others = (node.ask("eth_newBlockFilter") for _ in range(3))
    assert "filter not found" in node.ask("eth_getFilterChanges", first)["message"]
    assert [node.ask("eth_getFilterChanges", each) for each in others] == [[], []]


def test_a_filter_has_new_transactions_while_old_ones_go(node: Node) -> None:
    node.project.settings = replace(node.project.settings, settled_kept=1)
    node.fund(ALICE.address)
    for _ in range(2):
        node.transact(to=BOB.address, gas=21_000)
    sent = node.ask("eth_newPendingTransactionFilter")
    for _ in range(2):
        receipt = node.transact(to=BOB.address, gas=21_000)
        assert node.ask("eth_getFilterChanges", sent) == [receipt["transactionHash"]]


def test_a_trace_shows_the_calls(node: Node) -> None:
    token = node.deploy_token()
    data = calldata("transfer", BOB.address, 5)
    receipt = node.transact(to=token, data=data, gas=100_000)
    options = {"tracer": "callTracer"}
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], options)
    assert (traced["type"], traced["to"], traced["input"]) == ("CALL", token, data)
    again = node.ask("debug_traceCall", {"from": ALICE.address, "to": token, "data": data}, "latest", options)
    assert (again["input"], again["output"]) == (traced["input"], traced["output"])
    for method, block in (("ByNumber", receipt["blockNumber"]), ("ByHash", receipt["blockHash"])):
        of_block = node.ask(f"debug_traceBlock{method}", block, options)
        assert of_block == [{"txHash": receipt["transactionHash"], "result": traced}]


def test_an_access_list_names_what_is_looked_at(node: Node) -> None:
    token = node.deploy_token()
    asked = {"from": ALICE.address, "to": token, "data": calldata("transfer", BOB.address, 5)}
    found = node.ask("eth_createAccessList", asked)
    assert [entry["address"] for entry in found["accessList"]] == [token]
    assert len(found["accessList"][0]["storageKeys"]) == 2


def test_an_access_list_has_what_was_looked_at_before_a_revert(node: Node) -> None:
    # SLOAD of slot 5, and REVERT: PUSH1 5, SLOAD, PUSH0, PUSH0, REVERT.
    deployed = node.ask("anvil_setCode", BOB.address, "0x6005545f5ffd")
    assert deployed is None
    found = node.ask("eth_createAccessList", {"from": ALICE.address, "to": BOB.address})
    listed = {"address": BOB.address.lower(), "storageKeys": [f"0x{5:064x}"]}
    assert (found["error"], found["accessList"]) == ("execution reverted", [listed])


def test_blocks_are_simulated_one_on_the_other(node: Node) -> None:
    token = node.deploy_token(10)
    sent = {"from": ALICE.address, "to": token, "data": calldata("transfer", BOB.address, 6)}
    before = node.ask("eth_blockNumber")
    blocks = node.ask("eth_simulateV1", {"blockStateCalls": [{"calls": [sent]}, {"calls": [sent]}]}, "latest")
    assert [block["calls"][0]["status"] for block in blocks] == ["0x1", "0x0"]
    assert blocks[1]["calls"][0]["error"]["code"] == 3
    # Alice gives away all that she has, which clears a slot: 4,800 gas come back in the end.
    sent["data"] = calldata("transfer", BOB.address, 10)
    (block,) = node.ask("eth_simulateV1", {"blockStateCalls": [{"calls": [sent]}]})
    used, most = (int(block["calls"][0][name], 16) for name in ("gasUsed", "maxUsedGas"))
    assert most - used == 4800
    assert int(blocks[1]["number"], 16) == int(before, 16) + 2
    assert node.ask("eth_blockNumber") == before
    assert node.number("eth_call", {"to": token, "data": calldata("balanceOf", BOB.address)}) == 0
    assert "blockStateCalls: Field required" in node.ask("eth_simulateV1", {})["message"]


def test_receipts_are_encoded_as_they_are_hashed(node: Node) -> None:
    token = node.deploy_token()
    data = calldata("transfer", BOB.address, 5)
    legacy = {"type": None, "maxFeePerGas": None, "maxPriorityFeePerGas": None, "gasPrice": 10**9}
    for fields, kind in (({}, b"\x02"), (legacy, b"")):
        receipt = node.transact(to=token, data=data, gas=100_000, **fields)
        (encoded,) = node.ask("debug_getRawReceipts", receipt["blockNumber"])
        raw = bytes.fromhex(encoded[2:])
        assert raw.startswith(kind)
        status, used, bloom, ((address, topics, logged),) = rlp.decode(raw[len(kind) :])
        assert (status, "0x" + bloom.hex()) == (b"\x01", receipt["logsBloom"])
        assert int.from_bytes(used, "big") == int(receipt["cumulativeGasUsed"], 16)
        (log,) = receipt["logs"]
        assert ["0x" + each.hex() for each in (address, logged)] == [log["address"], log["data"]]
        assert ["0x" + each.hex() for each in topics] == log["topics"]
    assert node.ask("debug_getRawReceipts", "0x0") == []


def test_slots_of_several_addresses_are_retrieved_at_once(node: Node) -> None:
    token, slot = node.deploy_token(1000), f"0x{2:064x}"
    found = node.ask("eth_getStorageValues", {token: [slot, "0x0"], BOB.address: [slot]}, "latest")
    assert found[token][0] == node.ask("eth_getStorageAt", token, slot)
    assert found[BOB.address.lower()] == ["0x" + "00" * 32]
    assert node.ask("eth_getStorageValues", {})["message"] == "empty request"
    assert len(node.ask("eth_getStorageValues", {token: ["0x0"] * 1024})[token]) == 1024
    assert "max 1024" in node.ask("eth_getStorageValues", {token: ["0x0"] * 1025})["message"]


def test_a_node_says_what_it_has(node: Node) -> None:
    config = node.ask("eth_config")
    assert (config["next"], config["current"]["chainId"]) == (None, hex(CHAIN))
    # EIP-7691.
    assert config["current"]["blobSchedule"] == {"target": 6, "max": 9, "baseFeeUpdateFraction": 5_007_716}
    assert config["current"]["activationTime"] == 0
    genesis = node.ask("eth_getBlockByNumber", "0x0")["hash"]
    assert config["current"]["forkId"] == "0x" + crc32(bytes.fromhex(genesis[2:])).to_bytes(4, "big").hex()
    assert config["current"]["precompiles"]["P256VERIFY"] == "0x" + "0" * 37 + "100"
    node.fund(ALICE.address)
    receipt = node.transact(to=BOB.address, gas=21_000)
    node.ask("evm_mine")
    has = node.ask("eth_capabilities")
    assert has["head"]["hash"] == node.ask("eth_getBlockByNumber", "latest")["hash"]
    assert (has["state"]["oldestBlock"], has["stateproofs"]["disabled"]) == (receipt["blockNumber"], True)
    assert has["logs"] == {"disabled": False, "oldestBlock": "0x0"}
    assert node.ask("anvil_metadata")["instanceId"] == genesis


def test_receipts_of_a_block_are_made_in_one_pass(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    for nonce in range(3):
        signed = node.sign(to=BOB.address, gas=21_000, nonce=nonce)
        node.ask("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    node.ask("evm_mine")
    find = Mock(wraps=blocks.rows_in)
    monkeypatch.setattr(blocks, "rows_in", find)
    receipts = node.ask("eth_getBlockReceipts", "latest")
    assert [int(receipt["cumulativeGasUsed"], 16) for receipt in receipts] == [21_000, 42_000, 63_000]
    find.assert_called_once()


def test_blocks_hang_together(node: Node) -> None:
    node.fund(ALICE.address)
    receipt = node.transact(to=BOB.address, gas=21_000)
    block = node.ask("eth_getBlockByNumber", "latest", True)
    parent = node.ask("eth_getBlockByHash", block["parentHash"])
    assert int(block["number"], 16) == int(parent["number"], 16) + 1
    assert int(block["timestamp"], 16) == int(parent["timestamp"], 16) + 2
    assert block["transactions"] == [node.ask("eth_getTransactionByHash", receipt["transactionHash"])]
    assert node.ask("eth_getBlockReceipts", block["hash"]) == [receipt]
    assert node.ask("eth_getTransactionByBlockNumberAndIndex", "latest", "0x0") == block["transactions"][0]
    assert node.ask("eth_getBlockTransactionCountByHash", block["hash"]) == "0x1"
    assert node.ask("eth_getBlockByNumber", hex(2**60)) is None
    history = node.ask("eth_feeHistory", "0x2", "latest", [50])
    assert history["gasUsedRatio"] == [0.0, 21_000 / 30_000_000]
    for name in ("baseFeePerGas", "baseFeePerBlobGas"):
        assert len(history[name]) == 3, "the last one is of the block to come"
    for percentiles in ([50, 10], [101], [-1]):
        refused = node.ask("eth_feeHistory", "0x2", "latest", percentiles)
        assert refused["message"] == "invalid reward percentile"
    node.ask("anvil_mine", hex(1_100))
    assert len(node.ask("eth_feeHistory", "0x401", "latest")["gasUsedRatio"]) == 1024


def test_entry_points_answer_without_code(node: Node) -> None:
    key = 5
    data = "0x35567e1a" + ALICE.address[2:].lower().rjust(64, "0") + f"{key:064x}"
    assert node.number("eth_call", {"to": ENTRY_POINT, "data": data}) == key << 64
    assert node.ask("eth_getCode", ENTRY_POINT) != "0x"


def test_accounts_in_custody_sign_messages_and_typed_data(node: Node) -> None:
    from eth_account import Account
    from eth_account.messages import encode_defunct, encode_typed_data

    from tests.accounts import account_of

    account = account_of(node.project, "plain", backend=True)
    signed = node.ask("personal_sign", "0x" + b"hello".hex(), account.address)
    assert node.ask("eth_sign", account.address, "0x" + b"hello".hex()) == signed
    assert Account.recover_message(encode_defunct(b"hello"), signature=signed) == account.address
    typed = {
        "types": {
            "EIP712Domain": [{"name": "chainId", "type": "uint256"}],
            "Note": [{"name": "text", "type": "string"}],
        },
        "primaryType": "Note",
        "domain": {"chainId": CHAIN},
        "message": {"text": "hello"},
    }
    signed = node.ask("eth_signTypedData_v4", account.address, typed)
    assert Account.recover_message(encode_typed_data(full_message=typed), signature=signed) == account.address


def test_usdc_of_a_known_chain_is_there_with_six_decimals(node: Node) -> None:
    assert node.ask("eth_getCode", USDC) != "0x"
    assert node.number("eth_call", {"to": USDC, "data": calldata("decimals")}) == 6
    assert b"USDC".hex() in node.ask("eth_call", {"to": USDC, "data": calldata("symbol")})
    node.fund(ALICE.address)
    data = calldata("transfer", BOB.address, 5_000_000)
    assert node.transact(to=USDC, data=data)["status"] == "0x1"
    assert node.number("eth_call", {"to": USDC, "data": calldata("balanceOf", BOB.address)}) == 5_000_000


@cases("contract", ENTRY_POINT, USDC, "0x4200000000000000000000000000000000000006")
def test_reading_a_contract_without_code_takes_3000_gas(node: Node, contract: str) -> None:
    data = bytes.fromhex(calldata("balanceOf", BOB.address)[2:])
    needed = 21_000 + 16 * len(data) - 12 * data.count(0) + 3_000
    asked = {"to": contract, "data": "0x" + data.hex()}
    for gas, found in ((needed, "0x" + "00" * 32), (needed - 1, {"code": -32000, "message": "out of gas"})):
        assert node.ask("eth_call", {**asked, "gas": hex(gas)}) == found
