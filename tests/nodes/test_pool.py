"""Transactions that come before others of their senders with the nonces before."""

from typing import Any

import pytest

from mockserver.crypto.keccak import keccak256
from mockserver.nodes.evm import pool
from tests.accounts import account_of
from tests.nodes.node import ALICE, BOB, CHAIN, Node
from tests.tables import cases

LEFT = 10**18


@pytest.fixture(autouse=True)
def funded(node: Node) -> None:
    """Alice can pay."""
    node.fund(ALICE.address, LEFT)


def raw(node: Node, nonce: int, **given: Any) -> str:
    text: str = node.sign(
        **{"to": BOB.address, "gas": 21_000} | given, nonce=nonce
    ).raw_transaction.to_0x_hex()
    return text


def send(node: Node, nonce: int, **given: Any) -> Any:
    return node.ask("eth_sendRawTransaction", raw(node, nonce, **given))


def test_transactions_may_be_sent_in_any_order(node: Node) -> None:
    sent = {nonce: send(node, nonce) for nonce in (3, 1, 2, 0)}
    receipts = [node.ask("eth_getTransactionReceipt", sent[nonce]) for nonce in range(4)]
    assert [receipt["status"] for receipt in receipts] == ["0x1"] * 4
    places = [(receipt["blockNumber"], receipt["transactionIndex"]) for receipt in receipts]
    assert places == sorted(places)
    assert node.ask("txpool_status") == {"pending": "0x0", "queued": "0x0"}


def test_one_that_waits_for_others_is_queued(node: Node) -> None:
    given = raw(node, 2, value=7)
    sent = node.ask("eth_sendRawTransaction", given)
    assert node.ask("txpool_status") == {"pending": "0x0", "queued": "0x1"}
    assert node.ask("eth_sendRawTransaction", given)["message"] == "already known"
    shown = node.ask("eth_getTransactionByHash", sent)
    assert {shown[name] for name in ("blockHash", "blockNumber", "transactionIndex")} == {None}
    assert (shown["nonce"], shown["value"], shown["gasPrice"]) == ("0x2", "0x7", hex(10**9))
    assert node.ask("eth_getRawTransactionByHash", sent) == given
    (told,) = node.api.get(f"/_mock/projects/{node.project.id}/report?sections=transactions").json()[
        "sections"
    ]
    why = f"it has the nonce 2, and {ALICE.address} has not sent all before it"
    assert told["lines"] == [f"{sent}: queued: {why}"]
    sender = ALICE.address.lower()
    assert node.ask("txpool_content") == {"pending": {}, "queued": {sender: {"2": shown}}}
    assert node.ask("txpool_contentFrom", sender)["queued"] == {"2": shown}
    text = f"{BOB.address}: 7 wei + 21000 gas × 1000000000 wei"
    assert node.ask("txpool_inspect")["queued"] == {sender: {"2": text}}
    assert node.ask("eth_getTransactionReceipt", sent) is None
    assert node.number("eth_getTransactionCount", ALICE.address, "pending") == 0


def test_one_that_is_signed_for_any_chain_names_none(node: Node) -> None:
    given = {"type": None, "chainId": None, "gasPrice": 10**9}
    sent = send(node, 1, maxFeePerGas=None, maxPriorityFeePerGas=None, **given)
    assert "chainId" not in node.ask("eth_getTransactionByHash", sent)


def test_it_waits_while_mining_is_left_to_the_clock(node: Node) -> None:
    node.ask("evm_setAutomine", False)
    later, first = send(node, 1), send(node, 0)
    assert node.ask("txpool_status") == {"pending": "0x2", "queued": "0x0"}
    node.ask("evm_mine")
    assert node.ask("eth_getBlockByNumber", "latest")["transactions"] == [first, later]


def test_the_latest_nonce_counts_none_that_is_not_signed(node: Node) -> None:
    account = account_of(node.project, "plain", held_by="User")
    body = {"chainId": CHAIN, "accountId": account.id, "calls": [{"to": BOB.address, "value": "7"}]}
    for _ in range(2):
        assert node.api.post("/v2/transactions", json=body).json()["status"] == "awaiting_signature"
    assert node.number("eth_getTransactionCount", account.address) == 0
    assert node.number("eth_getTransactionCount", account.address, "pending") == 2


def test_one_that_waits_for_the_api_is_sent_with_it(node: Node) -> None:
    account = account_of(node.project, "plain", backend=True)
    body = {"chainId": CHAIN, "accountId": account.id, "calls": [{"to": BOB.address, "value": "7"}]}
    given = {"from": account.address, "to": BOB.address, "value": "0x1", "nonce": "0x1", "gas": "0x5208"}
    sent = node.ask("eth_sendRawTransaction", node.ask("eth_signTransaction", given)["raw"])
    assert node.ask("txpool_status") == {"pending": "0x0", "queued": "0x1"}
    made = [node.api.post("/v2/transactions", json=body).json() for _ in range(2)]
    assert node.ask("txpool_status") == {"pending": "0x0", "queued": "0x0"}
    hashes = [each["receipt"]["transactionHash"] for each in made]
    mined = [node.ask("eth_getTransactionByHash", each) for each in (hashes[0], sent, hashes[1])]
    assert [each["nonce"] for each in mined] == ["0x0", "0x1", "0x2"]
    assert node.number("eth_getBalance", BOB.address) == 15


@cases("offer, is_taken", (11 * 10**8 - 1, False), (11 * 10**8, True))
def test_a_queued_one_is_replaced_by_a_tenth_more(node: Node, offer: int, is_taken: bool) -> None:
    fees = {"maxFeePerGas": offer, "maxPriorityFeePerGas": 11 * 10**5}
    before, after = send(node, 1), send(node, 1, value=1, **fees)
    assert is_taken or after == {"code": -32000, "message": "replacement transaction underpriced"}
    send(node, 0)
    assert (node.ask("eth_getTransactionReceipt", before) is None) == is_taken
    assert node.number("eth_getBalance", BOB.address) == int(is_taken)


@cases("drops", ("anvil_dropTransaction", True), ("anvil_dropAllTransactions", False))
def test_a_queued_one_is_dropped(node: Node, drops: tuple[str, bool]) -> None:
    (method, is_named), sent = drops, send(node, 1)
    node.ask(method, *([sent] if is_named else []))
    assert node.ask("eth_getTransactionByHash", sent) is None
    send(node, 0)
    assert node.number("eth_getTransactionCount", ALICE.address) == 1


def test_what_cannot_be_paid_when_its_turn_comes_is_dropped(node: Node) -> None:
    sent = [send(node, nonce, value=LEFT // 2) for nonce in (2, 1, 0)]
    assert [node.ask("eth_getTransactionByHash", each) is None for each in sent] == [False, True, False]
    assert node.ask("txpool_status") == {"pending": "0x0", "queued": "0x1"}, "the last still waits"


def test_a_snapshot_has_what_is_queued(node: Node) -> None:
    sent, at = send(node, 1), node.ask("evm_snapshot")
    send(node, 0)
    node.ask("evm_revert", at)
    assert node.ask("eth_getTransactionReceipt", sent) is None
    assert node.ask("txpool_status")["queued"] == "0x1"


def test_the_receipt_is_not_waited_for_with_a_gap(node: Node) -> None:
    error = node.ask("eth_sendRawTransactionSync", raw(node, 1))
    assert error == {"code": 6, "message": "nonce too high: tx 1 state 0", "data": "0x0"}
    assert node.ask("txpool_status")["queued"] == "0x0"


@cases("mode", "frozen", "ticking")
def test_a_receipt_is_waited_for_until_a_timeout(node: Node, mode: str) -> None:
    sent = raw(node, 0)
    node.api.put(f"/_mock/projects/{node.project.id}/clock", json={"mode": mode}).raise_for_status()
    error = node.ask("eth_sendRawTransactionSync", sent, hex(100))
    hashed = "0x" + keccak256(bytes.fromhex(sent[2:])).hex()
    assert error == {"code": 4, "message": "the transaction is in no block yet", "data": hashed}
    assert node.ask("txpool_status")["pending"] == "0x1"


def test_only_so_many_are_queued(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_MOST_QUEUED", 2)
    answers = [send(node, nonce) for nonce in (3, 1, 2)]
    assert answers[2] == {"code": -32000, "message": "txpool is full"}
    assert send(node, 1, value=1, maxFeePerGas=2 * 10**9) != answers[1], "it takes the place of another"


def test_a_transaction_of_more_than_128_kib_is_refused(node: Node) -> None:
    node.fund(ALICE.address)
    raw = node.sign(to=BOB.address, gas=2_000_000, data=b"\0" * 2**17).raw_transaction
    refused = node.ask("eth_sendRawTransaction", raw.to_0x_hex())
    assert refused["message"] == f"oversized data: transaction size {len(raw)}, limit 131072"
