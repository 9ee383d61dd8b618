"""Kora's fees in tokens, which a sponsorship with `splTokens` charges."""

import struct
from base64 import b64decode, b64encode
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.message import to_bytes_versioned
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

from tests.nodes.cluster import ALICE, ASSOCIATED, BOB, MINT, SOL, Cluster, make_token, pay, token
from tests.tables import cases

FEE = 25_000
"""Of two signatures, 10,000 lamports: 2.5 cents where a SOL costs 2,500 dollars, in units of 6 decimals."""
UNKNOWN = str(BOB.pubkey())


def charge(cluster: Cluster, mint: str) -> None:
    """Let a sponsorship charge a token."""
    rule = {"action": "accept", "operation": "sponsorSolTransaction", "criteria": []}
    policy = cluster.api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()
    strategy = {"sponsorSchema": "charge_custom_tokens", "splTokens": [mint]}
    made = cluster.api.post("/v2/fee-sponsorship", json={"policyId": policy["id"], "strategy": strategy})
    assert made.is_success, made.text


@pytest.fixture
def payer(cluster: Cluster) -> Pubkey:
    """Who pays for transactions, and charges a token for it."""
    make_token(cluster)
    charge(cluster, str(MINT.pubkey()))
    return Pubkey.from_string(cluster.kora("getPayerSigner")["payment_address"])


def account(owner: Pubkey) -> Pubkey:
    """The token account of an owner."""
    return get_associated_token_address(owner, MINT.pubkey())


def payment(receiver: Pubkey, amount: int) -> Instruction:
    """The payment as the client of Kora makes it: a Transfer by Alice."""
    accounts = (account(ALICE.pubkey()), False, True), (account(receiver), False, True)
    return token(3, struct.pack("<Q", amount), *accounts, (ALICE.pubkey(), True, False))


def held(cluster: Cluster, owner: Pubkey) -> int:
    """How much an owner has of the token."""
    return int(cluster.ask("getTokenAccountBalance", str(account(owner)))["value"]["amount"])


def test_the_token_and_the_fee_in_it_are_told(cluster: Cluster, payer: Pubkey) -> None:
    mint = str(MINT.pubkey())
    assert cluster.kora("getSupportedTokens") == {"tokens": [mint]}
    told = cluster.kora("getConfig")
    assert len(told["enabled_methods"]) == sum(told["enabled_methods"].values()) == 8
    config = told["validation_config"]
    assert config["allowed_spl_paid_tokens"] == [mint]
    assert config["price"] == {"type": "margin", "margin": 0}
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    fee = cluster.kora("estimateTransactionFee", transaction=raw, fee_token=mint)
    assert (fee["fee_in_lamports"], fee["fee_in_token"]) == (10_000, FEE)
    refused = cluster.kora("estimateTransactionFee", transaction=raw, fee_token=UNKNOWN)
    assert f"must be one of {mint}" in refused["message"]


def test_the_price_of_sol_decides_the_fee(cluster: Cluster, payer: Pubkey) -> None:
    cluster.api.put("/_mock/projects/-/settings", json={"native_price_usd": "0.001"})
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    fee = cluster.kora("estimateTransactionFee", transaction=raw, fee_token=str(MINT.pubkey()))
    assert fee["fee_in_token"] == 1


def test_nothing_is_charged_without_such_a_sponsorship(cluster: Cluster) -> None:
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    fee = cluster.kora("estimateTransactionFee", transaction=raw, fee_token=UNKNOWN)
    assert (fee["fee_in_lamports"], fee["fee_in_token"]) == (10_000, 0)
    assert cluster.kora("getConfig")["validation_config"]["price"] == {"type": "free"}


@cases("is_deleted", False, True)
def test_a_sponsorship_that_is_off_charges_nothing(cluster: Cluster, payer: Pubkey, is_deleted: bool) -> None:
    (row,) = cluster.api.get("/v2/fee-sponsorship").json()["data"]
    path = f"/v2/fee-sponsorship/{row['id']}"
    assert (cluster.api.delete(path) if is_deleted else cluster.api.put(f"{path}/disable")).is_success
    assert cluster.kora("getSupportedTokens") == {"tokens": []}


@cases("is_sent_by_kora", False, True)
def test_a_transaction_that_pays_is_signed(cluster: Cluster, payer: Pubkey, is_sent_by_kora: bool) -> None:
    instructions = pay(ALICE, BOB.pubkey(), SOL), payment(payer, FEE)
    raw = cluster.make(*instructions, signers=[ALICE], payer=payer)
    if is_sent_by_kora:
        assert "signature" in cluster.kora("signAndSendTransaction", transaction=raw)
    else:
        signed = cluster.kora("signTransaction", transaction=raw)["signed_transaction"]
        cluster.ask("sendTransaction", signed, {"encoding": "base64"})
    assert (held(cluster, payer), held(cluster, ALICE.pubkey())) == (FEE, 5_000_000 - FEE)
    assert cluster.balance(BOB.pubkey()) == SOL


@cases("receiver, amount", (None, FEE - 1), (BOB.pubkey(), FEE), (None, 0))
@cases("method", "signTransaction", "signAndSendTransaction")
def test_a_transaction_that_pays_too_little_is_refused(
    cluster: Cluster, payer: Pubkey, method: str, receiver: Pubkey | None, amount: int
) -> None:
    instructions = pay(ALICE, BOB.pubkey(), SOL), payment(receiver or payer, amount)
    refused = cluster.kora(method, transaction=cluster.make(*instructions, signers=[ALICE], payer=payer))
    assert refused["code"] == -32501
    assert f"the fee is {FEE} units of {MINT.pubkey()}" in refused["message"]
    assert cluster.balance(BOB.pubkey()) == 0


def test_a_token_that_the_cluster_lacks_pays_nothing(cluster: Cluster) -> None:
    charge(cluster, UNKNOWN)
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    asked = cluster.kora("estimateTransactionFee", transaction=raw, fee_token=UNKNOWN)
    assert asked["message"].endswith(f"{UNKNOWN} is no mint on devnet")
    refused = cluster.kora("signTransaction", transaction=raw)
    assert "a token that the cluster does not have" in refused["message"]


@cases(
    "receiver, programs", (BOB.pubkey(), [TOKEN]), (Pubkey.from_bytes(bytes(31) + b"\5"), [ASSOCIATED, TOKEN])
)
def test_kora_makes_a_transfer_of_tokens(cluster: Cluster, receiver: Pubkey, programs: list[Any]) -> None:
    make_token(cluster)
    asked = {"amount": 7, "token": str(MINT.pubkey()), "source": str(ALICE.pubkey())}
    made = cluster.kora("transferTransaction", **asked, destination=str(receiver))
    transaction = VersionedTransaction.from_bytes(b64decode(made["transaction"]))
    message = transaction.message
    assert [message.account_keys[each.program_id_index] for each in message.instructions] == programs
    signature = ALICE.sign_message(to_bytes_versioned(message))
    signed = VersionedTransaction.populate(message, [transaction.signatures[0], signature])
    before = held(cluster, receiver) if receiver == BOB.pubkey() else 0
    sent = cluster.kora("signAndSendTransaction", transaction=b64encode(bytes(signed)).decode())
    assert "signature" in sent, sent
    assert held(cluster, receiver) == before + 7


@cases("changes", {"token": UNKNOWN}, {"amount": -1}, {"amount": 2**64}, {"token": "x"})
def test_a_wrong_transfer_is_refused(cluster: Cluster, changes: dict[str, Any]) -> None:
    wallets = {"source": str(ALICE.pubkey()), "destination": str(BOB.pubkey())}
    asked = {"amount": 7, "token": "1" * 32, **wallets, **changes}
    assert cluster.kora("transferTransaction", **asked)["code"] == -32602
