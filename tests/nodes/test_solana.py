"""A Solana node and Kora, asked with transactions that solders makes and signs."""

import struct
from base64 import b64decode, b64encode
from dataclasses import replace
from typing import Any

from solders.compute_budget import set_compute_unit_price
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.null_signer import NullSigner
from solders.pubkey import Pubkey
from solders.rpc.config import RpcContextConfig
from solders.rpc.requests import GetBalance
from solders.token import ID as TOKEN_PROGRAM_ID
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

from mockserver.chain.solana.tokens import associated_token_address
from mockserver.chain.solana.transactions import MEMO_PROGRAM, MEMO_PROGRAMS
from mockserver.nodes.solana.cluster import SLOT_MS
from tests.nodes.cluster import (
    ALICE,
    BOB,
    MINT,
    SOL,
    SYSTEM,
    TOKEN,
    Cluster,
    make_token,
    move,
    pay,
    set_authority,
    token,
)
from tests.tables import cases

VERSIONED = {"maxSupportedTransactionVersion": 0}
RULE = {"action": "accept", "operation": "signSolTransaction", "criteria": []}


def test_lamports_are_moved_and_the_fee_is_paid(cluster: Cluster) -> None:
    sent = cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert (cluster.balance(ALICE.pubkey()), cluster.balance(BOB.pubkey())) == (9 * SOL - 5000, SOL)
    (status,) = cluster.ask("getSignatureStatuses", [sent])["value"]
    assert (status["err"], status["confirmationStatus"]) == (None, "finalized")
    found = cluster.ask("getTransaction", sent, {"encoding": "json", "maxSupportedTransactionVersion": 0})
    assert (found["meta"]["fee"], found["version"], found["slot"]) == (5000, 0, status["slot"])
    assert found["transaction"]["signatures"] == [sent]
    assert [each["signature"] for each in cluster.ask("getSignaturesForAddress", str(BOB.pubkey()))] == [sent]


def make_account(cluster: Cluster) -> Keypair:
    """The key of a user's account, which the project has made."""
    body = {"email": "grace@example.com", "accounts": [{"chainType": "SVM"}]}
    made = cluster.api.post("/v2/users/pregenerate", json=body).raise_for_status().json()["accounts"]
    return Keypair.from_seed(cluster.project.wallets.keys[made[0]["address"]].secret)


@cases("wei, lamports", (2 * 10**18, 2 * SOL), (0, 0))
def test_accounts_of_a_project_start_with_coins(cluster: Cluster, wei: int, lamports: int) -> None:
    cluster.project.settings = replace(cluster.project.settings, starting_balance_wei=wei)
    assert cluster.balance(make_account(cluster).pubkey()) == lamports


def test_a_coin_to_start_with_is_spent_once(cluster: Cluster) -> None:
    grace = make_account(cluster)
    cluster.send(pay(grace, BOB.pubkey(), SOL - 5000), signers=[grace])
    assert (cluster.balance(grace.pubkey()), cluster.balance(BOB.pubkey())) == (0, SOL - 5000)
    assert cluster.ask("getAccountInfo", str(grace.pubkey()))["value"] is None
    cluster.ask("requestAirdrop", str(grace.pubkey()), SOL)
    assert cluster.balance(grace.pubkey()) == SOL


def test_tokens_are_minted_and_moved(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    sent = cluster.send(move(mine, theirs, 1_500_000), signers=[ALICE])
    assert cluster.ask("getTokenAccountBalance", str(theirs))["value"]["uiAmountString"] == "1.5"
    assert cluster.ask("getTokenSupply", str(MINT.pubkey()))["value"]["amount"] == "5000000"
    held = cluster.ask(
        "getTokenAccountsByOwner", str(BOB.pubkey()), {"mint": str(MINT.pubkey())}, {"encoding": "jsonParsed"}
    )
    assert [each["pubkey"] for each in held["value"]] == [str(theirs)]
    moved = cluster.ask("getTransaction", sent, VERSIONED)["meta"]
    assert {each["uiTokenAmount"]["amount"] for each in moved["postTokenBalances"]} == {"3500000", "1500000"}
    closing = token(9, b"", (theirs, False, True), (BOB.pubkey(), False, True), (BOB.pubkey(), True, False))
    refused = cluster.send(closing, signers=[ALICE, BOB])
    assert refused["data"]["err"] == {"InstructionError": [0, {"Custom": 11}]}


def program_accounts(cluster: Cluster, **options: Any) -> Any:
    return cluster.ask("getProgramAccounts", str(TOKEN), options)


def test_the_accounts_of_a_program_are_listed_by_filters(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    mint = MINT.pubkey()
    everything = program_accounts(cluster, encoding="base64")
    keys = [Pubkey.from_string(each["pubkey"]) for each in everything]
    assert set(keys) == {mine, theirs, mint}
    assert keys == sorted(keys, key=bytes)
    held = [{"dataSize": 165}, {"memcmp": {"offset": 32, "bytes": str(BOB.pubkey())}}]
    (found,) = program_accounts(cluster, filters=held, encoding="jsonParsed")
    assert (found["pubkey"], found["account"]["data"]["parsed"]["info"]["mint"]) == (str(theirs), str(mint))
    raw = b64encode(bytes(ALICE.pubkey())).decode()
    of_alice = [{"memcmp": {"offset": 32, "bytes": raw, "encoding": "base64"}}]
    part = program_accounts(
        cluster, filters=of_alice, encoding="base64", withContext=True, dataSlice={"offset": 64, "length": 8}
    )
    assert part["context"]["slot"] == cluster.ask("getSlot")
    ((amount, _),) = (each["account"]["data"] for each in part["value"])
    assert (part["value"][0]["pubkey"], b64decode(amount)) == (str(mine), struct.pack("<Q", 5_000_000))


@cases(
    "filters, why",
    ([{"dataSize": -1}], "dataSize"),
    ([{}], "dataSize or memcmp"),
    ([{"dataSize": 1}] * 5, "4 or fewer"),
    ([{"memcmp": {"offset": 0, "bytes": "0"}}], "must be base58"),
    ([{"memcmp": {"offset": 0, "bytes": "?", "encoding": "base64"}}], "must be base64"),
    ([{"memcmp": {"offset": 0, "bytes": "1" * 129}}], "at most 128 bytes"),
)
def test_what_is_no_filter_is_refused(cluster: Cluster, filters: Any, why: str) -> None:
    refused = program_accounts(cluster, filters=filters)
    assert refused["code"] == -32602
    assert why in refused["message"]


@cases("options", {}, {"encoding": "base58"})
def test_only_short_data_are_shown_in_base58(cluster: Cluster, options: dict[str, Any]) -> None:
    # It takes time by the square of their length: of 200 kB a quarter of a minute.
    address = str(BOB.pubkey())
    cluster.ask("surfnet_setAccount", address, {"data": "00" * 129, "owner": str(TOKEN)})
    refused = cluster.ask("getAccountInfo", address, options)
    assert (refused["code"], "please use Base64" in refused["message"]) == (-32600, True)
    part = {**options, "dataSlice": {"offset": 1, "length": 128}}
    assert "1" * 128 in cluster.ask("getAccountInfo", address, part)["value"]["data"]


def test_associated_addresses_are_those_of_the_program() -> None:
    for digit in range(20):
        owner = Keypair.from_seed(bytes([digit]) * 32).pubkey()
        found = associated_token_address(str(owner), str(MINT.pubkey()))
        assert found == str(get_associated_token_address(owner, MINT.pubkey()))


@cases(
    "lamports, error, message",
    (20 * SOL, {"InstructionError": [0, {"Custom": 1}]}, "custom program error: 0x1"),
    (
        10 * SOL - 5001,
        {"InsufficientFundsForRent": {"account_index": 0}},
        "an account (0) with insufficient funds for rent",
    ),
)
def test_what_would_fail_is_refused(cluster: Cluster, lamports: int, error: Any, message: str) -> None:
    refused = cluster.send(pay(ALICE, BOB.pubkey(), lamports), signers=[ALICE])
    assert (refused["code"], refused["data"]["err"]) == (-32002, error)
    assert message in refused["message"]
    assert cluster.balance(ALICE.pubkey()) == 10 * SOL


def test_a_price_of_compute_units_is_set_once(cluster: Cluster) -> None:
    prices = [set_compute_unit_price(price) for price in (1, 2)]
    refused = cluster.send(*prices, pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert refused["data"]["err"] == {"DuplicateInstruction": 1}
    assert refused["message"].endswith("Transaction contains a duplicate instruction (1) that is not allowed")


def test_a_failure_that_is_sent_all_the_same_costs_the_fee(cluster: Cluster) -> None:
    raw = cluster.make(pay(ALICE, BOB.pubkey(), 20 * SOL), signers=[ALICE])
    sent = cluster.ask("sendTransaction", raw, {"encoding": "base64", "skipPreflight": True})
    (status,) = cluster.ask("getSignatureStatuses", [sent])["value"]
    assert status["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert (cluster.balance(ALICE.pubkey()), cluster.balance(BOB.pubkey())) == (10 * SOL - 5000, 0)


def test_what_no_block_takes_is_lost_without_preflight(cluster: Cluster) -> None:
    options = {"encoding": "base64", "skipPreflight": True}
    poor = cluster.make(pay(BOB, ALICE.pubkey(), SOL), signers=[BOB])
    late = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    slot = cluster.ask("getSlot")
    lost = [cluster.ask("sendTransaction", poor, options)]
    assert cluster.ask("getSlot") == slot
    cluster.api.post(f"/_mock/projects/{cluster.project.id}/clock/advance", json={"seconds": 61})
    lost.append(cluster.ask("sendTransaction", late, options))
    assert cluster.ask("getSignatureStatuses", lost)["value"] == [None, None]
    twice = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    first, second = (cluster.ask("sendTransaction", twice, options) for _ in range(2))
    assert (first, cluster.balance(BOB.pubkey())) == (second, SOL)


@cases("program", *sorted(MEMO_PROGRAMS))
def test_memos_are_listed_with_their_transaction(cluster: Cluster, program: str) -> None:
    memos = [Instruction(Pubkey.from_string(program), text, []) for text in (b"order 17", b"\xc3\xa9")]
    raw = cluster.make(*memos, signers=[ALICE])
    simulated = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    sent = cluster.ask("sendTransaction", raw, {"encoding": "base64"})
    meta = cluster.ask("getTransaction", sent, VERSIONED)["meta"]
    assert meta["computeUnitsConsumed"] == simulated["unitsConsumed"]
    (latest, *_) = cluster.ask("getSignaturesForAddress", str(ALICE.pubkey()))
    assert latest["memo"] == "[8] order 17; [2] é"


def test_a_transaction_without_instructions_pays_its_fee(cluster: Cluster) -> None:
    raw = cluster.make(signers=[ALICE])
    message = b64encode(to_bytes_versioned(VersionedTransaction.from_bytes(b64decode(raw)).message)).decode()
    assert cluster.ask("getFeeForMessage", message)["value"] == 5000
    before = cluster.balance(ALICE.pubkey())
    sent = cluster.ask("sendTransaction", raw, {"encoding": "base64"})
    assert cluster.ask("getTransaction", sent, VERSIONED)["meta"]["err"] is None
    assert before - cluster.balance(ALICE.pubkey()) == 5000


def test_signatures_block_hashes_and_repetition_are_looked_at(cluster: Cluster) -> None:
    options = {"encoding": "base64"}
    unsigned = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[NullSigner(ALICE.pubkey())])
    assert cluster.ask("sendTransaction", unsigned, options)["code"] == -32003
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert isinstance(cluster.ask("sendTransaction", raw, options), str)
    assert "already been processed" in cluster.ask("sendTransaction", raw, options)["message"]
    late = cluster.make(pay(ALICE, BOB.pubkey(), 2 * SOL), signers=[ALICE])
    cluster.api.post(f"/_mock/projects/{cluster.project.id}/clock/advance", json={"seconds": 61})
    assert cluster.ask("sendTransaction", late, options)["data"]["err"] == "BlockhashNotFound"
    assert cluster.ask("sendTransaction", "AAAA", options)["code"] == -32602
    for encoding in ("base58", "base64"):
        refused = cluster.ask("sendTransaction", "0!", {"encoding": encoding})
        assert refused["message"].startswith(f"invalid {encoding} encoding")


@cases("length, refused", (1060, ""), (1061, "VersionedTransaction too large: 1233 bytes (max: 1232 bytes)"))
def test_a_transaction_is_no_larger_than_a_packet(cluster: Cluster, length: int, refused: str) -> None:
    memo = Instruction(Pubkey.from_string(MEMO_PROGRAM), b"a" * length, [])
    raw = cluster.make(memo, signers=[ALICE])
    for method in ("simulateTransaction", "sendTransaction"):
        answer = cluster.ask(method, raw, {"encoding": "base64"})
        assert ("code" in answer) == bool(refused)
        assert refused in str(answer)


def test_a_versioned_transaction_is_shown_to_who_knows_it(cluster: Cluster) -> None:
    sent = cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    asked = ("getTransaction", sent), ("getBlock", cluster.ask("getSlot"))
    for method, named in asked:
        assert cluster.ask(method, named, {"encoding": "json"}) == {
            "code": -32015,
            "message": "Transaction version (0) is not supported by the requesting client. Please try the "
            'request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
        }
    assert cluster.ask(*asked[1], {"transactionDetails": "signatures"})["signatures"] == [sent]
    assert cluster.ask(*asked[0], VERSIONED)["version"] == 0


def test_a_simulation_changes_nothing(cluster: Cluster) -> None:
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[NullSigner(ALICE.pubkey())])
    shown = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    assert (shown["err"], shown["unitsConsumed"]) == (None, 150)
    assert cluster.balance(BOB.pubkey()) == 0


def test_what_was_sent_is_not_simulated_as_if_it_were_new(cluster: Cluster) -> None:
    raw, options = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE]), {"encoding": "base64"}
    assert isinstance(cluster.ask("sendTransaction", raw, options), str)
    assert cluster.ask("simulateTransaction", raw, options)["value"]["err"] == "AlreadyProcessed"
    replaced = {**options, "replaceRecentBlockhash": True}
    assert cluster.ask("simulateTransaction", raw, replaced)["value"]["err"] is None


def test_a_transaction_that_is_written_in_another_way_is_none(cluster: Cluster) -> None:
    # It would be another transaction with the same signature.
    raw = b64decode(cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE]))
    refused = cluster.ask("sendTransaction", b64encode(b"\x81\0" + raw[1:]).decode(), {"encoding": "base64"})
    assert "a length is no compact-u16" in refused["message"]


@cases("is_sent_by_kora", False, True)
def test_kora_pays_for_a_user(cluster: Cluster, is_sent_by_kora: bool) -> None:
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    before = cluster.balance(payer)
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    if is_sent_by_kora:
        sent = cluster.kora("signAndSendTransaction", transaction=raw, externalId="one")["signature"]
    else:
        signed = cluster.kora("signTransaction", transaction=raw, externalId="one")["signed_transaction"]
        sent = cluster.ask("sendTransaction", signed, {"encoding": "base64"})
    assert cluster.balance(ALICE.pubkey()) == 9 * SOL
    assert cluster.balance(payer) == before - 10_000
    headers = {"authorization": f"Bearer {cluster.project.publishable_key}"}
    row = cluster.api.get("/v1/solana/transactions?externalId=one", headers=headers).json()
    assert (row["status"], row["txSignature"]) == ("confirmed", sent)


def test_kora_signs_what_policies_let_through(cluster: Cluster) -> None:
    policy = {"scope": "project", "rules": [{**RULE, "action": "reject"}]}
    assert cluster.api.post("/v2/policies", json=policy).is_success
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    assert cluster.kora("signTransaction", transaction=raw)["code"] == -32501
    own = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert "is not to sign it" in cluster.kora("signTransaction", transaction=own)["message"]


@cases("scope", "project", "account", "transaction")
def test_kora_pays_for_what_the_sponsorship_accepts(cluster: Cluster, scope: str) -> None:
    limit = {"type": "solValue", "operator": "<=", "value": str(SOL)}
    rule = {"action": "accept", "operation": "sponsorSolTransaction", "criteria": [limit]}
    policy = cluster.api.post("/v2/policies", json={"scope": scope, "rules": [rule]}).json()["id"]
    strategy = {"sponsorSchema": "pay_for_user"}
    assert cluster.api.post("/v2/fee-sponsorship", json={"policyId": policy, "strategy": strategy}).is_success
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    small, large = [
        cluster.make(pay(ALICE, BOB.pubkey(), amount), signers=[ALICE], payer=payer)
        for amount in (SOL, SOL + 1)
    ]
    refused = cluster.kora("signTransaction", transaction=large)
    assert (refused["code"], f"{SOL + 1} is not <= {SOL}" in refused["message"]) == (-32501, True)
    assert "signature" in cluster.kora("signAndSendTransaction", transaction=small)


def test_a_sponsorship_on_evm_does_not_bind_kora(cluster: Cluster) -> None:
    rule = {"action": "accept", "operation": "sponsorEvmTransaction"}
    policy = cluster.api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    body = {"policyId": policy, "strategy": {"sponsorSchema": "pay_for_user"}}
    assert cluster.api.post("/v2/fee-sponsorship", json=body).is_success
    payer = Pubkey.from_string(cluster.kora("getPayerSigner")["signer_address"])
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE], payer=payer)
    assert "signature" in cluster.kora("signAndSendTransaction", transaction=raw)


def test_kora_makes_a_transfer(cluster: Cluster) -> None:
    asked = {
        "amount": SOL,
        "token": str(SYSTEM),
        "source": str(ALICE.pubkey()),
        "destination": str(BOB.pubkey()),
    }
    made = cluster.kora("transferTransaction", **asked)
    transaction = VersionedTransaction.from_bytes(b64decode(made["transaction"]))
    signature = ALICE.sign_message(to_bytes_versioned(transaction.message))
    signed = VersionedTransaction.populate(transaction.message, [transaction.signatures[0], signature])
    raw = b64encode(bytes(signed)).decode()
    assert cluster.kora("estimateTransactionFee", transaction=raw)["fee_in_lamports"] == 10_000
    assert "signature" in cluster.kora("signAndSendTransaction", transaction=raw)
    assert cluster.balance(BOB.pubkey()) == SOL


def test_a_block_has_the_transactions_of_its_slot(cluster: Cluster) -> None:
    sent = cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    slot = cluster.ask("getTransaction", sent, VERSIONED)["slot"]
    block = cluster.ask("getBlock", slot, VERSIONED)
    assert (block["parentSlot"], block["blockHeight"]) == (slot - 1, slot)
    (found,) = block["transactions"]
    assert found["transaction"]["signatures"] == [sent]
    assert found["meta"]["err"] is None
    named = cluster.ask("getBlock", slot, {"transactionDetails": "signatures", "rewards": False})
    assert named["signatures"] == [sent]
    assert not {"transactions", "rewards"} & named.keys()
    assert block["previousBlockhash"] == cluster.ask("getBlock", slot - 1)["blockhash"]
    (brief,) = cluster.ask("getBlock", slot, {**VERSIONED, "transactionDetails": "accounts"})["transactions"]
    alice = {"pubkey": str(ALICE.pubkey()), "signer": True, "writable": True, "source": "transaction"}
    assert brief["transaction"]["accountKeys"][0] == alice
    assert brief["meta"].keys() < found["meta"].keys()
    assert "logMessages" not in brief["meta"]


KEY, UNSETTLED = str(ALICE.pubkey()), {"commitment": "processed"}


@cases(
    "method, params, message",
    ("getBalance", [KEY, {"commitment": "recent"}], "commitment: Input should be 'processed', "),
    ("getAccountInfo", [KEY, {"dataSlice": {"offset": 0}}], "dataSlice.length: Field required"),
    ("getSignatureStatuses", [[KEY]], "signatures: [0]: must be a signature"),
    ("getTransaction", ["1" * 88], "must be a signature"),
    ("getTransaction", ["1" * 64, UNSETTLED], "commitment below `confirmed`"),
    ("getBlock", [0, UNSETTLED], "commitment below `confirmed`"),
    ("getBlocks", [0, UNSETTLED], "commitment below `confirmed`"),
    ("getBlocksWithLimit", [0, 500_001], "Limit too large; max 500000"),
    ("getSignaturesForAddress", [KEY, UNSETTLED], "commitment below `confirmed`"),
    ("getSignaturesForAddress", [KEY, {"before": "x"}], "before: must be a signature"),
    ("getRecentPrioritizationFees", [[KEY] * 129], "128 or fewer"),
    ("getTokenAccountsByOwner", [KEY, {}], "must have either mint or programId"),
    ("getTokenAccountsByOwner", [KEY, {"mint": str(MINT.pubkey())}], "Invalid param: could not find mint"),
    ("getTokenAccountsByOwner", [KEY, {"programId": KEY}], "unrecognized Token program id"),
    ("getTokenAccountBalance", [str(MINT.pubkey())], "Invalid param: could not find account"),
    ("getTokenSupply", [KEY], "Invalid param: not a Token mint"),
)
def test_wrong_arguments_are_refused(cluster: Cluster, method: str, params: list[Any], message: str) -> None:
    refused = cluster.ask(method, *params)
    assert refused["code"] == -32602
    assert message in refused["message"]


def test_every_slot_until_now_has_a_block(cluster: Cluster) -> None:
    slot = cluster.ask("getSlot")
    assert cluster.ask("getBlocks", slot - 2, slot + 5) == [slot - 2, slot - 1, slot]
    assert cluster.ask("getBlocks", slot - 1) == [slot - 1, slot]
    assert cluster.ask("getBlocksWithLimit", slot - 5, 2) == [slot - 5, slot - 4]
    assert cluster.ask("getBlocks", 0)["message"].endswith("Slot range too large; max 500000")
    for method in ("getBlock", "getBlockTime"):
        refused = cluster.ask(method, slot + 1)
        assert (refused["code"], refused["message"]) == (-32004, f"Block not available for slot {slot + 1}")


def test_requests_of_clients_in_rust_are_understood(cluster: Cluster) -> None:
    # They have every member of their options, those that are not set as null.
    body = GetBalance(ALICE.pubkey(), RpcContextConfig()).to_json()
    assert "null" in body
    path = f"/_mock/projects/{cluster.project.id}/solana/devnet/rpc"
    headers = {"content-type": "application/json"}
    assert cluster.api.post(path, content=body, headers=headers).json()["result"]["value"] == 10 * SOL


def test_a_mint_is_given_to_another_and_then_fixed(cluster: Cluster) -> None:
    mine, _ = make_token(cluster)
    mint, bob = MINT.pubkey(), BOB.pubkey()
    cluster.ask("requestAirdrop", str(bob), SOL)
    assert isinstance(cluster.send(set_authority(0, mint, bob), signers=[ALICE]), str)
    refused = cluster.send(set_authority(0, mint, ALICE.pubkey()), signers=[ALICE])
    assert refused["message"].endswith("custom program error: 0x4")
    assert isinstance(cluster.send(set_authority(0, mint, None, BOB), signers=[BOB]), str)
    refused = cluster.send(set_authority(0, mint, bob, BOB), signers=[BOB])
    assert refused["message"].endswith("custom program error: 0x5")
    parsed = cluster.ask("getAccountInfo", str(mint), {"encoding": "jsonParsed"})["value"]["data"]["parsed"]
    assert (parsed["info"]["mintAuthority"], parsed["info"]["isInitialized"]) == (None, True)
    refused = cluster.send(set_authority(4, mine, bob), signers=[ALICE])
    assert refused["message"].endswith("custom program error: 0xc")


def test_a_token_account_gets_another_owner(cluster: Cluster) -> None:
    mine, _ = make_token(cluster)
    assert isinstance(cluster.send(set_authority(3, mine, BOB.pubkey()), signers=[ALICE]), str)
    assert isinstance(cluster.send(set_authority(2, mine, BOB.pubkey()), signers=[ALICE]), str)
    parsed = cluster.ask("getAccountInfo", str(mine), {"encoding": "jsonParsed"})["value"]["data"]["parsed"]
    assert parsed["info"]["owner"] == str(BOB.pubkey())


def test_an_account_s_transactions_are_listed_in_pages(cluster: Cluster) -> None:
    sent = [cluster.send(pay(ALICE, BOB.pubkey(), SOL + n), signers=[ALICE]) for n in range(4)]

    def listed(**options: Any) -> list[int]:
        found = cluster.ask("getSignaturesForAddress", str(BOB.pubkey()), options)
        return [sent.index(each["signature"]) for each in found]

    assert listed() == [3, 2, 1, 0]
    assert listed(limit=2) == [3, 2]
    assert listed(before=sent[3], limit=2) == [2, 1]
    assert listed(until=sent[1]) == [3, 2]
    assert listed(before=sent[2], until=sent[0]) == [1]
    assert cluster.ask("getSignaturesForAddress", str(MINT.pubkey())) == []
    first, last = (cluster.ask("getSignatureStatuses", [each])["value"][0] for each in (sent[0], sent[3]))
    assert (last["confirmations"], last["confirmationStatus"]) == (None, "finalized")
    assert last["slot"] > first["slot"]
    (shown, *_) = cluster.ask("getSignaturesForAddress", str(BOB.pubkey()))
    wanted = {
        "err": None,
        "memo": None,
        "blockTime": last["slot"] * 4 // 10,
        "confirmationStatus": "finalized",
    }
    assert shown == {"signature": sent[3], "slot": last["slot"], **wanted}


@cases("encoding", "json", "jsonParsed", "base64")
def test_a_transaction_is_shown_with_what_it_changed(cluster: Cluster, encoding: str) -> None:
    alice, bob = str(ALICE.pubkey()), str(BOB.pubkey())
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    sent = cluster.ask("sendTransaction", raw, {"encoding": "base64"})
    found = cluster.ask("getTransaction", sent, {"encoding": encoding, "maxSupportedTransactionVersion": 0})
    meta = found["meta"]
    assert (meta["err"], meta["status"], meta["fee"]) == (None, {"Ok": None}, 5000)
    assert (meta["preBalances"], meta["postBalances"]) == ([10 * SOL, 0, 0], [9 * SOL - 5000, SOL, 0])
    assert meta["computeUnitsConsumed"] == 150
    assert found["blockTime"] == found["slot"] * 4 // 10
    if encoding == "base64":
        assert found["transaction"] == [raw, "base64"]
        return
    message = found["transaction"]["message"]
    counts = {"numRequiredSignatures": 1, "numReadonlySignedAccounts": 0, "numReadonlyUnsignedAccounts": 1}
    assert (message["header"], message["addressTableLookups"]) == (counts, [])
    (instruction,) = message["instructions"]
    if encoding == "json":
        assert message["accountKeys"] == [alice, bob, str(SYSTEM)]
        assert (instruction["programIdIndex"], instruction["accounts"]) == (2, [0, 1])
    else:
        shown = [(each["pubkey"], each["signer"], each["writable"]) for each in message["accountKeys"]]
        assert shown == [(alice, True, True), (bob, False, True), (str(SYSTEM), False, False)]
        assert (instruction["programId"], instruction["program"]) == (str(SYSTEM), "system")


def test_a_simulation_is_of_what_is_asked(cluster: Cluster) -> None:
    late = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[NullSigner(ALICE.pubkey())])
    cluster.api.post(f"/_mock/projects/{cluster.project.id}/clock/advance", json={"seconds": 61})
    base64 = {"encoding": "base64"}
    assert cluster.ask("simulateTransaction", late, base64)["value"]["err"] == "BlockhashNotFound"
    assert cluster.ask("simulateTransaction", late, {**base64, "sigVerify": True})["code"] == -32003
    both = {**base64, "sigVerify": True, "replaceRecentBlockhash": True}
    refused = cluster.ask("simulateTransaction", late, both)
    assert refused == {"code": -32602, "message": "sigVerify may not be used with replaceRecentBlockhash"}
    # Clients written in Rust send what they do not set.
    addresses = {"addresses": [str(BOB.pubkey()), str(MINT.pubkey())], "encoding": None}
    options = {**base64, "replaceRecentBlockhash": True, "accounts": addresses}
    shown = cluster.ask("simulateTransaction", late, options)["value"]
    assert shown["replacementBlockhash"] == cluster.ask("getLatestBlockhash")["value"]
    bob = {"lamports": SOL, "owner": str(SYSTEM), "data": ["", "base64"], "executable": False, "space": 0}
    assert (shown["err"], shown["accounts"]) == (None, [{**bob, "rentEpoch": 2**64 - 1}, None])
    assert cluster.ask("getAccountInfo", str(BOB.pubkey()))["value"] is None


@cases(
    "accounts, named",
    ({"addresses": 5}, "invalid argument 1: options: accounts.addresses: "),
    ({"addresses": [[1]]}, "invalid argument 1: options: accounts.addresses[0]: "),
    ({"encoding": 7}, "invalid argument 1: options: accounts.encoding: "),
    ({"addresses": [str(SYSTEM)] * 4}, "Too many accounts provided; max 3"),
    ({"addresses": [str(SYSTEM)], "encoding": "base58"}, "base58 encoding not supported"),
)
def test_accounts_that_are_none_are_not_simulated(cluster: Cluster, accounts: Any, named: str) -> None:
    raw = cluster.make(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    options = {"encoding": "base64", "accounts": accounts}
    refused = cluster.ask("simulateTransaction", raw, options)
    assert refused["message"].startswith(named)


def test_programs_that_are_executed_are_there(cluster: Cluster) -> None:
    addresses = [str(SYSTEM), str(TOKEN_PROGRAM_ID), str(BOB.pubkey())]
    shown = cluster.ask("getMultipleAccounts", addresses)["value"]
    assert [each and (each["executable"], each["lamports"], each["owner"]) for each in shown] == [
        (True, 1, "NativeLoader1111111111111111111111111111111"),
        (True, 1, "BPFLoader2111111111111111111111111111111111"),
        None,
    ]
    assert [str(Pubkey.from_string(each["owner"])) for each in shown[:2]] == [
        each["owner"] for each in shown[:2]
    ]
    assert cluster.ask("getAccountInfo", str(SYSTEM))["value"] == shown[0]


def test_the_cluster_tells_slots_and_fees(cluster: Cluster) -> None:
    slot = cluster.ask("getSlot")
    latest = cluster.ask("getLatestBlockhash")["value"]
    assert latest["lastValidBlockHeight"] == slot + 150
    assert cluster.ask("isBlockhashValid", latest["blockhash"])["value"] is True
    assert cluster.ask("isBlockhashValid", str(SYSTEM))["value"] is False
    for later, is_valid in ((150, True), (151, False)):
        cluster.project.clock.freeze_at((slot + later) * SLOT_MS)
        assert cluster.ask("isBlockhashValid", latest["blockhash"])["value"] is is_valid
    assert cluster.ask("getBlock", slot + 151)["parentSlot"] == slot + 150
    slot += 151
    assert cluster.ask("getBlockTime", slot) == slot * 4 // 10
    epoch = cluster.ask("getEpochInfo")
    assert (epoch["epoch"], epoch["slotIndex"], epoch["transactionCount"]) == (*divmod(slot, 432_000), 1)
    raw = VersionedTransaction.from_bytes(
        b64decode(cluster.make(pay(ALICE, BOB.pubkey(), 1), signers=[ALICE, BOB], payer=BOB.pubkey()))
    )
    message = b64encode(to_bytes_versioned(raw.message)).decode()
    assert cluster.ask("getFeeForMessage", message)["value"] == 10_000
    assert cluster.ask("getFeeForMessage", "AAAA")["code"] == -32602
    assert cluster.ask("getRecentPrioritizationFees") == [{"slot": slot, "prioritizationFee": 0}]
    for lamports in (0, 10**15 + 1):
        assert cluster.ask("requestAirdrop", str(BOB.pubkey()), lamports)["code"] == -32602
    assert isinstance(cluster.ask("requestAirdrop", str(BOB.pubkey()), 10**15), str)
    assert cluster.balance(BOB.pubkey()) == 10**15
