"""Transactions that are sent to a node: of every type, by accounts of the project and others."""

from hashlib import sha256
from typing import Any

import orjson
import rlp
from eth_account import Account
from eth_account.typed_transactions import TypedTransaction
from hexbytes import HexBytes
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.api.call import Request
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.world import World
from tests.accounts import account_of
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata
from tests.tables import cases
from tests.transport import InProcessTransport

LOOP = "0x5b600056"
AUTHORIZED = "0x" + "77" * 20
RUNS = 10


@cases(
    "fields",
    {"type": None, "chainId": CHAIN, "gasPrice": 10**9, "maxFeePerGas": None, "maxPriorityFeePerGas": None},
    {"type": None, "chainId": None, "gasPrice": 10**9, "maxFeePerGas": None, "maxPriorityFeePerGas": None},
    {"type": 1, "gasPrice": 10**9, "accessList": [], "maxFeePerGas": None, "maxPriorityFeePerGas": None},
    {"type": 2},
)
def test_a_transaction_of_a_type_is_mined(node: Node, fields: dict[str, Any]) -> None:
    node.fund(ALICE.address)
    signed = node.sign(to=BOB.address, value=5, gas=30_000, **fields)
    sent = node.ask("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    assert sent == signed.hash.to_0x_hex()
    receipt, shown = node.ask("eth_getTransactionReceipt", sent), node.ask("eth_getTransactionByHash", sent)
    assert receipt["status"] == "0x1"
    assert int(receipt["gasUsed"], 16) == 21_000
    assert receipt["type"] == shown["type"] == hex(fields["type"] or 0)
    assert shown.get("chainId") == (None if fields.get("chainId", CHAIN) is None else hex(CHAIN))
    assert (int(shown["r"], 16), int(shown["s"], 16)) == (signed.r, signed.s)
    assert shown["blockNumber"] == receipt["blockNumber"] == node.ask("eth_blockNumber")
    assert node.ask("eth_getRawTransactionByHash", sent) == signed.raw_transaction.to_0x_hex()
    assert node.number("eth_getBalance", BOB.address) == 5
    price = int(receipt["effectiveGasPrice"], 16)
    fee = 21_000 * price + int(receipt["l1Fee"], 16)
    assert node.number("eth_getBalance", ALICE.address) == 10**18 - 5 - fee


def test_an_authorization_delegates_an_account(node: Node) -> None:
    node.fund(ALICE.address)
    authorization = BOB.sign_authorization({"chainId": CHAIN, "address": AUTHORIZED, "nonce": 0})
    receipt = node.transact(
        type=4, to=ALICE.address, gas=100_000, authorizationList=[authorization], data="0x", accessList=[]
    )
    assert receipt["status"] == "0x1"
    assert node.ask("eth_getCode", BOB.address) == "0xef0100" + AUTHORIZED[2:]
    assert node.number("eth_getTransactionCount", BOB.address) == 1


def test_what_the_api_has_sent_is_shown_as_it_was_signed(node: Node) -> None:
    account = account_of(node.project, "plain", chain=CHAIN)
    body = {"chainId": CHAIN, "accountId": account.id, "calls": [{"to": BOB.address, "value": "5"}]}
    sent = node.api.post("/v2/transactions", json=body).json()["receipt"]["transactionHash"]
    signed = node.ask("eth_getRawTransactionByHash", sent)
    assert "0x" + keccak256(bytes.fromhex(signed[2:])).hex() == sent
    assert Account.recover_transaction(signed).lower() == account.address.lower()
    traced = node.ask("debug_traceTransaction", sent, {"tracer": "callTracer"})
    assert (traced["from"], traced["value"], traced["gasUsed"]) == (account.address.lower(), "0x5", "0x5208")


def test_what_has_a_gas_price_is_a_legacy_transaction(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    call = {"from": account.address, "to": BOB.address, "value": "0x5", "gasPrice": hex(3 * 10**9)}
    filled, signed = (node.ask(f"eth_{name}Transaction", call) for name in ("fill", "sign"))
    for shown in (filled["tx"], signed["tx"]):
        assert (shown["type"], shown["gasPrice"], "maxFeePerGas" in shown) == ("0x0", call["gasPrice"], False)
    assert rlp.decode(bytes.fromhex(filled["raw"][2:]))[6:] == [CHAIN.to_bytes(3, "big"), b"", b""]
    receipt = node.ask("eth_getTransactionReceipt", node.ask("eth_sendRawTransaction", signed["raw"]))
    assert (receipt["from"], receipt["type"]) == (account.address.lower(), "0x0")
    assert receipt["effectiveGasPrice"] == call["gasPrice"]


def test_a_gas_price_with_an_access_list_is_of_type_1(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    listed = [{"address": AUTHORIZED, "storageKeys": ["0x" + "00" * 31 + "01"]}]
    call = {"from": account.address, "to": BOB.address, "gasPrice": hex(3 * 10**9), "accessList": listed}
    raw = node.ask("eth_signTransaction", call)["raw"]
    assert Account.recover_transaction(raw) == account.address
    read = TypedTransaction.from_bytes(HexBytes(raw)).as_dict()
    assert (read["type"], read["gasPrice"], read["accessList"][0]["storageKeys"]) == (1, 3 * 10**9, (1,))
    receipt = node.ask("eth_getTransactionReceipt", node.ask("eth_sendRawTransaction", raw))
    assert (receipt["status"], receipt["type"]) == ("0x1", "0x1")


@cases("method", "eth_fillTransaction", "eth_signTransaction", "eth_sendTransaction")
def test_a_blob_transaction_is_not_signed_here(node: Node, method: str) -> None:
    account = account_of(node.project, "plain", backend=True)
    refused = node.ask(
        method, {"from": account.address, "to": BOB.address, "blobVersionedHashes": ["0x01" + "00" * 31]}
    )
    assert (refused["code"], refused["message"].split(":")[0]) == (
        -32000,
        "signing blob transactions not supported",
    )


@cases("method", "eth_fillTransaction", "eth_signTransaction")
def test_what_is_filled_in_has_all_that_was_given(node: Node, method: str) -> None:
    account = account_of(node.project, "plain", backend=True)
    signed = BOB.sign_authorization({"chainId": CHAIN, "address": AUTHORIZED, "nonce": 0})
    numbers = {"chainId": CHAIN, "nonce": 0, "yParity": signed.y_parity, "r": signed.r, "s": signed.s}
    given = {
        "accessList": [{"address": AUTHORIZED, "storageKeys": ["0x" + "00" * 31 + "01"]}],
        "authorizationList": [{"address": AUTHORIZED, **{name: hex(each) for name, each in numbers.items()}}],
    }
    shown = node.ask(method, {"from": account.address, "to": ALICE.address, **given})["tx"]
    assert shown == {**shown, **given, "type": "0x4", "chainId": hex(CHAIN)}


@cases(
    "change, message",
    ({"nonce": 5, "value": 10**19}, "insufficient funds for gas * price + value: have "),
    ({"nonce": 0, "value": 1}, "nonce too low: tx 0 state 1"),
    ({"gas": 20_000}, "intrinsic gas too low: have 20000, want 21000"),
    ({"gas": 2**25}, f"transaction gas limit too high (cap: {2**24}, tx: {2**25})"),
    ({"value": 10**19}, "insufficient funds for gas * price + value: have "),
    ({"chainId": 1}, "invalid chain id for signer: have 1 want 84532"),
    ({"maxFeePerGas": 1, "maxPriorityFeePerGas": 0}, "max fee per gas less than block base fee"),
    ({"maxPriorityFeePerGas": 2 * 10**9}, "max priority fee per gas higher than max fee per gas"),
)
def test_what_cannot_be_in_a_block_is_refused(node: Node, change: dict[str, Any], message: str) -> None:
    node.fund(ALICE.address)
    node.transact(to=BOB.address, gas=21_000)
    before = node.ask("eth_getBalance", ALICE.address)
    signed = node.sign(**{"to": BOB.address, "gas": 21_000, **change})
    error = node.ask("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    assert error["code"] == -32000
    assert error["message"].startswith(message)
    assert node.ask("eth_getBalance", ALICE.address) == before
    assert node.number("eth_getTransactionCount", ALICE.address, "pending") == 1


def test_what_waits_to_be_mined_cannot_be_spent_again(node: Node) -> None:
    # Without fees for data, which the chains above others have.
    node = Node(node.api, node.project, 11155111)
    node.fund(ALICE.address, 21_000 * 10**9 * 2 + 7)
    node.ask("evm_setAutomine", False)
    for nonce, value, is_sent in ((0, 3, True), (1, 5, False), (1, 4, True)):
        signed = node.sign(to=BOB.address, gas=21_000, nonce=nonce, value=value, chainId=node.chain)
        answer = node.ask("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
        assert isinstance(answer, str) == is_sent, answer
        assert is_sent or "insufficient funds for gas * price + value: have" in answer["message"]


@cases("raw", "0x", "0x02", "0xc0", "0x02c0", "0x05c0", "0xf8", "0x" + "ff" * 40)
def test_bytes_that_are_no_transaction_are_refused(node: Node, raw: str) -> None:
    assert node.ask("eth_sendRawTransaction", raw)["code"] == -32000


def test_the_pending_block_is_the_next_one(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    raw = node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex()
    sent = node.ask("eth_sendRawTransaction", raw)
    pending = node.ask("eth_getBlockByNumber", "pending")
    assert int(pending["number"], 16) == node.number("eth_blockNumber") + 1
    assert (pending["transactions"], pending["gasUsed"]) == ([sent], "0x0")
    text = f"{BOB.address}: 0 wei + 21000 gas × 1000000000 wei"
    inspected = {"pending": {ALICE.address.lower(): {"0": text}}, "queued": {}}
    assert node.ask("txpool_inspect") == inspected
    assert node.ask("eth_getBlockTransactionCountByNumber", "pending") == "0x1"
    assert node.ask("eth_getTransactionByBlockNumberAndIndex", "pending", "0x0")["hash"] == sent
    assert node.ask("eth_getBlockReceipts", "pending") is None
    assert node.ask("eth_getBlockByNumber", pending["number"]) is None


def test_a_fate_has_a_node_refuse(node: Node) -> None:
    token = node.deploy_token()
    sent = {"to": token, "data": calldata("transfer", BOB.address, 1), "gas": 100_000}
    raw = node.sign(**sent).raw_transaction.to_0x_hex()
    fate = {"outcome": "failed", "reason": "transaction pool is full"}
    node.api.post(f"/_mock/projects/{node.project.id}/fates", json=fate).raise_for_status()
    assert node.ask("eth_sendRawTransaction", raw) == {"code": -32000, "message": fate["reason"]}
    sent = node.ask("eth_sendRawTransaction", raw)
    assert node.ask("eth_getTransactionReceipt", sent)["status"] == "0x1"


def test_the_same_transaction_is_taken_once(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    raw = node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex()
    node.ask("eth_sendRawTransaction", raw)
    assert node.ask("eth_sendRawTransaction", raw)["message"] == "already known"
    node.ask("evm_mine")
    assert "nonce too low" in node.ask("eth_sendRawTransaction", raw)["message"]


def test_transactions_wait_while_mining_is_left_to_the_clock(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    hashes = [
        node.ask("eth_sendRawTransaction", node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex())
        for _ in range(2)
    ]
    assert node.ask("txpool_status") == {"pending": "0x2", "queued": "0x0"}
    assert [node.number("eth_getTransactionCount", ALICE.address, at) for at in ("latest", "pending")] == [
        0,
        2,
    ]
    assert node.ask("eth_getTransactionReceipt", hashes[0]) is None
    assert node.ask("eth_getTransactionByHash", hashes[1])["blockNumber"] is None
    pending = node.ask("eth_getBlockByNumber", "pending", True)
    node.ask("evm_mine")
    mined = node.ask("eth_getBlockByNumber", "latest", True)
    assert [pending[name] for name in ("number", "hash", "timestamp")] == [
        mined[name] for name in ("number", "hash", "timestamp")
    ]
    assert [each["hash"] for each in pending["transactions"]] == hashes
    receipts = [node.ask("eth_getTransactionReceipt", each) for each in hashes]
    assert [receipt["transactionIndex"] for receipt in receipts] == ["0x0", "0x1"]
    assert [int(receipt["cumulativeGasUsed"], 16) for receipt in receipts] == [21_000, 42_000]
    block = node.ask("eth_getBlockByNumber", "latest", False)
    assert block["transactions"] == hashes
    assert int(block["gasUsed"], 16) == 42_000


def test_a_transaction_is_replaced_by_a_tenth_more(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    first = node.ask(
        "eth_sendRawTransaction", node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex()
    )
    fees = {"maxFeePerGas": 11 * 10**8, "maxPriorityFeePerGas": 11 * 10**5}
    for name, fee in fees.items():
        cheap = node.sign(to=BOB.address, gas=21_000, value=1, nonce=0, **{**fees, name: fee - 1})
        refused = node.ask("eth_sendRawTransaction", cheap.raw_transaction.to_0x_hex())
        assert "underpriced" in refused["message"]
    dear = node.sign(to=BOB.address, gas=21_000, value=2, nonce=0, **fees)
    second = node.ask("eth_sendRawTransaction", dear.raw_transaction.to_0x_hex())
    node.ask("evm_mine")
    assert node.ask("eth_getTransactionByHash", first) is None
    assert node.ask("eth_getTransactionReceipt", second)["status"] == "0x1"
    assert node.number("eth_getBalance", BOB.address) == 2


def test_accounts_in_custody_send_without_a_key(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    assert node.ask("eth_accounts") == [account.address]
    sent = node.ask("eth_sendTransaction", {"from": account.address, "to": BOB.address, "value": "0x5"})
    assert node.ask("eth_getTransactionReceipt", sent)["from"] == account.address.lower()
    refused = node.ask("eth_sendTransaction", {"from": BOB.address, "to": ALICE.address})
    assert refused["message"] == f"unknown account {BOB.address}: its key is not here"
    node.ask("anvil_impersonateAccount", BOB.address)
    node.fund(BOB.address)
    assert node.ask("eth_sendTransaction", {"from": BOB.address, "to": ALICE.address}).startswith("0x")


def test_a_contract_that_is_impersonated_sends(node: Node) -> None:
    token = node.deploy_token()
    node.transact(to=token, data=calldata("transfer", token, 5), gas=100_000)
    node.fund(token)
    node.ask("anvil_impersonateAccount", token)
    call = {"from": token, "to": token, "data": calldata("transfer", BOB.address, 2)}
    receipt = node.ask("eth_getTransactionReceipt", node.ask("eth_sendTransaction", call))
    assert (receipt["status"], receipt["from"]) == ("0x1", token)
    assert node.number("eth_call", {"to": token, "data": calldata("balanceOf", BOB.address)}) == 2
    assert node.number("eth_getTransactionCount", token) == 2
    node.ask("anvil_setCode", ALICE.address, "0x00")
    refused = node.ask(
        "eth_sendRawTransaction", node.sign(gas=21_000, to=BOB.address).raw_transaction.to_0x_hex()
    )
    assert refused["message"] == "sender not an eoa (EIP-3607)"


def test_node_and_api_share_nonces_blocks_and_money(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    body = {"chainId": CHAIN, "accountId": account.id, "calls": [{"to": BOB.address, "value": "7"}]}
    made = node.api.post("/v2/transactions", json=body).json()
    receipt = node.ask("eth_getTransactionReceipt", made["receipt"]["transactionHash"])
    assert (receipt["from"], receipt["status"]) == (account.address.lower(), "0x1")
    assert node.number("eth_getBalance", BOB.address) == 7
    assert node.number("eth_getTransactionCount", account.address) == 1
    node.ask("eth_sendTransaction", {"from": account.address, "to": BOB.address, "value": "0x1"})
    listed = node.api.get("/v2/transactions").json()
    assert [row["id"] for row in listed["data"]] == [made["id"]]
    node.api.post("/v2/transactions", json=body)
    assert node.number("eth_getTransactionCount", account.address) == 3


def test_a_fate_decides_about_raw_transactions_too(node: Node) -> None:
    token = node.deploy_token()
    fates = f"/_mock/projects/{node.project.id}/fates"
    assert node.api.post(fates, json={"outcome": "reverted", "reason": "paused"}).is_success
    receipt = node.transact(to=token, data=calldata("transfer", BOB.address, 1), gas=100_000)
    assert (receipt["status"], receipt["logs"]) == ("0x0", [])
    assert node.api.post(fates, json={"outcome": "dropped"}).is_success
    raw = node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex()
    sent = node.ask("eth_sendRawTransaction", raw)
    assert node.ask("eth_getTransactionByHash", sent) is None


@settings(max_examples=RUNS, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([ALICE, BOB]),
            st.sampled_from(["transfer", "burn", "create", "reverts"]),
            st.integers(0, 10**17),
        ),
        max_size=6,
    )
)
def test_money_is_conserved(steps: list[tuple[Any, str, int]]) -> None:
    world = World()
    project = world.create(name="money")
    from httpx import Client

    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(
        transport=InProcessTransport(assemble(world)), base_url="http://mock", headers=headers
    ) as api:
        node = Node(api, project)
        for account in (ALICE, BOB):
            node.fund(account.address, 10**18)
        for account, what, value in steps:
            to = {"transfer": BOB.address, "burn": "0x" + "00" * 20}.get(what, BOB.address)
            change: dict[str, Any] = {"to": to, "value": value, "gas": 50_000}
            if what == "create":
                change = {"data": "0x5f5ff3", "gas": 90_000, "value": value}
            if what == "reverts":
                change = {"data": "0x5f5ffd", "gas": 90_000, "value": value}
            node.transact(account, **change)
        rows = list(project.chains.accounts)
        assert sum(row.balance for row in rows) == sum(row.issued for row in rows)
        assert all(row.reserved == 0 for row in rows)
        assert ledger.chain_account(project, CHAIN, ALICE.address).balance >= 0


def test_a_transaction_is_taken_with_its_blobs(node: Node) -> None:
    node.fund(ALICE.address)
    fields: dict[str, Any] = {
        "type": 3,
        "chainId": CHAIN,
        "nonce": 0,
        "gas": 21_000,
        "maxFeePerGas": 10**9,
        "maxPriorityFeePerGas": 10**6,
        "maxFeePerBlobGas": 10,
        "to": BOB.address,
        "value": 1,
    }
    commitment = b"\xc0" + bytes(47)
    fields["blobVersionedHashes"] = [b"\x01" + sha256(commitment).digest()[1:]]
    included = bytes(ALICE.sign_transaction(fields).raw_transaction)
    kind, items, blob = included[:1], rlp.decode(included[1:]), bytes(131_072)
    for commitments in ([bytes(48)], b"", [[commitment]]):
        wrong = kind + rlp.encode([items, [blob], commitments, [bytes(48)]])
        refused = node.ask("eth_sendRawTransaction", "0x" + wrong.hex())
        assert "blob versioned hashes" in refused["message"]
    whole = kind + rlp.encode([items, b"\x01", [blob], [commitment], [bytes(48)] * 128])
    sent = node.ask("eth_sendRawTransaction", "0x" + whole.hex())
    # The blobs are no part of what is hashed, and of what is in the block.
    assert sent == "0x" + keccak256(included).hex()
    assert node.ask("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert node.ask("eth_getRawTransactionByHash", sent) == "0x" + included.hex()
    # Of blobs each has 131,072 units of gas, at a wei.
    receipt = node.ask("eth_getTransactionReceipt", sent)
    assert (receipt["blobGasUsed"], receipt["blobGasPrice"]) == ("0x20000", "0x1")
    assert node.ask("eth_getBlockByNumber", "latest")["blobGasUsed"] == "0x20000"
    assert node.ask("eth_feeHistory", "0x2", "latest")["blobGasUsedRatio"] == [0, 1 / 9]
    gas = 21_000 * int(receipt["effectiveGasPrice"], 16) + int(receipt["l1Fee"], 16)
    assert node.number("eth_getBalance", ALICE.address) == 10**18 - 1 - gas - 131_072


@cases("method", "evm_mine", "anvil_mineDetailed", "evm_increaseTime", "hardhat_mine", "AdvanceClock")
def test_other_calls_are_answered_while_a_block_is_made(node: Node, app: App, method: str) -> None:
    node.ask("evm_setAutomine", False)
    node.ask("anvil_setCode", BOB.address, LOOP)
    node.fund(ALICE.address)
    for _ in range(3):
        signed = node.sign(to=BOB.address, gas=150_000).raw_transaction.to_0x_hex()
        assert len(node.ask("eth_sendRawTransaction", signed)) == 66
    outcome, waits, mined = app.pipeline.answer(_advancing(node, method)), 0, list[int]()
    while isinstance(outcome, WaitingCall):
        mined.append(node.number("eth_getTransactionCount", ALICE.address))
        state = node.project.snapshot()
        outcome, waits = app.pipeline.resume(outcome), waits + 1
    assert (outcome.status, waits > 6) == (200, True), waits
    assert mined == sorted(mined)
    assert {*mined} == {0, 1, 2}
    assert node.number("eth_getTransactionCount", ALICE.address) == 3
    assert int(node.ask("eth_getBlockByNumber", "latest", False)["gasUsed"], 16) == 450_000
    assert (node.project.waiting, node.project.ahead.begun) == (0, 0)
    # What was saved in between goes on where it was: no transaction is lost.
    node.project.restore(state, lambda: 0)
    node.ask("evm_mine")
    assert node.number("eth_getTransactionCount", ALICE.address) == 3


def _advancing(node: Node, method: str) -> Request:
    """A request to advance the clock by two seconds."""
    if method == "AdvanceClock":
        return _post(f"/_mock/projects/{node.project.id}/clock/advance", {"seconds": 2})
    return _post(node.path, {"id": 1, "method": method, "params": [2] * (method == "evm_increaseTime")})


def _post(path: str, body: Any) -> Request:
    return Request("POST", path, "", {"content-type": "application/json"}, orjson.dumps(body))


def test_the_clock_is_advanced_after_what_was_sent_before(node: Node, app: App) -> None:
    node.ask("anvil_setCode", BOB.address, LOOP)
    node.fund(ALICE.address)
    signed = node.sign(to=BOB.address, gas=150_000).raw_transaction.to_0x_hex()
    body = {"id": 1, "method": "eth_sendRawTransaction", "params": [signed]}
    sent = app.pipeline.answer(_post(node.path, body))
    assert isinstance(sent, WaitingCall)
    before_ms = node.project.clock.now_ms
    advancing = app.pipeline.answer(_advancing(node, "AdvanceClock"))
    assert isinstance(advancing, WaitingCall)
    assert node.project.clock.now_ms == before_ms
    assert app.pipeline.finish(sent).status == 200
    assert not isinstance(app.pipeline.resume(advancing), WaitingCall)
    assert node.project.clock.now_ms >= before_ms + 2000
