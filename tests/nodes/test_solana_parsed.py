"""Wrapped SOL, frozen accounts, lookup tables, and what is `jsonParsed`, of a Solana node."""

import struct
from base64 import b64decode, b64encode
from typing import Any

from solders.address_lookup_table_account import ID as LOOKUP_TABLES
from solders.address_lookup_table_account import (
    AddressLookupTable,
    AddressLookupTableAccount,
    derive_lookup_table_address,
)
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

from mockserver.chain.solana.transactions import MEMO_PROGRAM
from tests.nodes.cluster import (
    ALICE,
    ASSOCIATED,
    BOB,
    MINT,
    SOL,
    SYSTEM,
    TOKEN,
    Cluster,
    make_token,
    move,
    open_account,
    pay,
    set_authority,
    token,
)

NATIVE = Pubkey.from_string("So11111111111111111111111111111111111111112")
PARSED = {"encoding": "jsonParsed", "maxSupportedTransactionVersion": 0}


def sent(cluster: Cluster, *instructions: Instruction, signers: Any = (ALICE,)) -> Any:
    """A transaction that was sent, parsed."""
    signature = cluster.send(*instructions, signers=list(signers))
    assert isinstance(signature, str), signature
    return cluster.ask("getTransaction", signature, PARSED)


def instructions_of(transaction: Any) -> list[Any]:
    found: list[Any] = transaction["transaction"]["message"]["instructions"]
    return found


def info_of(cluster: Cluster, address: Pubkey) -> Any:
    return cluster.ask("getAccountInfo", str(address), PARSED)["value"]["data"]["parsed"]["info"]


def test_instructions_of_known_programs_are_parsed(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    alice, bob, mint = (str(each.pubkey()) for each in (ALICE, BOB, MINT))
    memo = Instruction(Pubkey.from_string(MEMO_PROGRAM), b"hello", [])
    limit = Instruction(Pubkey.from_string("ComputeBudget111111111111111111111111111111"), b"\2\1\0\0\0", [])
    made = (
        pay(ALICE, BOB.pubkey(), SOL),
        move(mine, theirs, 1_500_000),
        memo,
        open_account(ALICE.pubkey(), 1),
        limit,
    )
    shown = instructions_of(sent(cluster, *made))
    amount = {"amount": "1500000", "decimals": 6, "uiAmount": 1.5, "uiAmountString": "1.5"}
    checked = {"source": str(mine), "mint": mint, "destination": str(theirs), "authority": alice}
    assert [each.get("program") for each in shown] == [
        "system",
        "spl-token",
        "spl-memo",
        "spl-associated-token-account",
        None,
    ]
    assert shown[0]["parsed"] == {
        "type": "transfer",
        "info": {"source": alice, "destination": bob, "lamports": SOL},
    }
    assert shown[1]["parsed"] == {"type": "transferChecked", "info": {**checked, "tokenAmount": amount}}
    assert (shown[2]["parsed"], shown[2]["programId"]) == ("hello", MEMO_PROGRAM)
    assert shown[3]["parsed"]["type"] == "createIdempotent"
    assert shown[3]["parsed"]["info"]["wallet"] == alice
    assert {"data", "accounts"} <= shown[4].keys()
    block = cluster.ask("getBlock", cluster.ask("getSlot"), PARSED)
    assert instructions_of(block["transactions"][0]) == shown


def test_instructions_about_authorities_are_parsed(cluster: Cluster) -> None:
    mine, _ = make_token(cluster)
    bob, alice = str(BOB.pubkey()), str(ALICE.pubkey())
    made = (set_authority(3, mine, BOB.pubkey()), set_authority(0, MINT.pubkey(), None))
    first, second = (each["parsed"] for each in instructions_of(sent(cluster, *made)))
    shared = {"authority": alice}
    kinds = (
        {"authorityType": "closeAccount", "newAuthority": bob},
        {"authorityType": "mintTokens", "newAuthority": None},
    )
    assert first == {"type": "setAuthority", "info": {**shared, **kinds[0], "account": str(mine)}}
    assert second == {"type": "setAuthority", "info": {**shared, **kinds[1], "mint": str(MINT.pubkey())}}
    assert info_of(cluster, mine)["closeAuthority"] == bob


def test_an_account_shows_what_its_delegate_may_spend(cluster: Cluster) -> None:
    mine, _ = make_token(cluster)
    assert not {"delegate", "delegatedAmount"} & info_of(cluster, mine).keys()
    bob, alice = BOB.pubkey(), ALICE.pubkey()
    lent = (30).to_bytes(8, "little")
    sent(cluster, token(4, lent, (mine, False, True), (bob, False, False), (alice, True, False)))
    info = info_of(cluster, mine)
    assert (info["delegate"], info["delegatedAmount"]["amount"]) == (str(bob), "30")


def test_sol_is_wrapped_and_unwrapped(cluster: Cluster) -> None:
    alice = ALICE.pubkey()
    mine = get_associated_token_address(alice, NATIVE)
    named = ((alice, True, True), (mine, False, True), (alice, False, False))
    keys = [
        AccountMeta(*each) for each in (*named, *((each, False, False) for each in (NATIVE, SYSTEM, TOKEN)))
    ]
    opening = Instruction(ASSOCIATED, b"\1", keys)
    synced = token(17, b"", (mine, False, True))
    shown = sent(cluster, opening, pay(ALICE, mine, SOL), synced)
    assert instructions_of(shown)[2]["parsed"] == {"type": "syncNative", "info": {"account": str(mine)}}
    info = info_of(cluster, mine)
    assert (info["isNative"], info["tokenAmount"]["uiAmountString"]) == (True, "1")
    assert info["rentExemptReserve"]["amount"] == str(cluster.ask("getMinimumBalanceForRentExemption", 165))
    before = cluster.balance(alice)
    closing = token(9, b"", (mine, False, True), (alice, False, True), (alice, True, False))
    sent(cluster, closing)
    assert cluster.balance(alice) == before + SOL + int(info["rentExemptReserve"]["amount"]) - 5000
    assert info_of(cluster, NATIVE)["decimals"] == 9


def test_a_frozen_account_is_of_no_use_until_it_is_thawed(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    alice, mint = ALICE.pubkey(), MINT.pubkey()
    account = ((mine, False, True), (mint, False, False), (alice, True, False))
    refused = cluster.send(token(10, b"", *account), signers=[ALICE])
    assert refused["message"].endswith("custom program error: 0x10")
    row = cluster.project.chains.solana_accounts[f"devnet:{mint}"]
    lamports, owner, data = row.state
    freezable = data[:46] + b"\1\0\0\0" + bytes(alice)
    cluster.project.chains.solana_accounts.put(row._replace(state=(lamports, owner, freezable)))
    sent(cluster, token(10, b"", *account))
    assert info_of(cluster, mine)["state"] == "frozen"
    assert cluster.send(move(mine, theirs, 1), signers=[ALICE])["message"].endswith("error: 0x11")
    sent(cluster, token(11, b"", *account))
    assert sent(cluster, move(mine, theirs, 1))["meta"]["err"] is None


def use(cluster: Cluster, table: AddressLookupTableAccount, receiver: Pubkey) -> Any:
    """What a transfer to an address of a table is answered."""
    blockhash = Hash.from_string(cluster.ask("getLatestBlockhash")["value"]["blockhash"])
    message = MessageV0.try_compile(ALICE.pubkey(), [pay(ALICE, receiver, SOL)], [table], blockhash)
    raw = b64encode(bytes(VersionedTransaction(message, [ALICE]))).decode()
    return cluster.ask("sendTransaction", raw, {"encoding": "base64"})


def test_addresses_come_from_lookup_tables(cluster: Cluster) -> None:
    alice, bob, slot = ALICE.pubkey(), BOB.pubkey(), cluster.ask("getSlot")
    address, bump = derive_lookup_table_address(alice, slot)
    keys = [
        AccountMeta(*each) for each in ((address, False, True), (alice, True, False), (alice, True, True))
    ]
    keys.append(AccountMeta(SYSTEM, False, False))
    created = Instruction(LOOKUP_TABLES, struct.pack("<IQB", 0, slot, bump), keys)
    added = struct.pack("<IQ", 2, 2) + bytes(MINT.pubkey()) + bytes(bob)
    parsed = instructions_of(sent(cluster, created, Instruction(LOOKUP_TABLES, added, keys)))
    assert [each["parsed"]["type"] for each in parsed] == ["createLookupTable", "extendLookupTable"]
    assert parsed[1]["parsed"]["info"]["newAddresses"] == [str(MINT.pubkey()), str(bob)]
    info = info_of(cluster, address)
    assert (info["addresses"], info["authority"]) == ([str(MINT.pubkey()), str(bob)], str(alice))
    (data, _) = cluster.ask("getAccountInfo", str(address), {"encoding": "base64"})["value"]["data"]
    known = AddressLookupTableAccount(address, [MINT.pubkey(), bob])
    assert AddressLookupTable.deserialize(b64decode(data)).addresses == known.addresses
    used = use(cluster, known, bob)
    assert cluster.balance(bob) == SOL
    shown = cluster.ask("getTransaction", used, {"encoding": "json", "maxSupportedTransactionVersion": 0})
    message = shown["transaction"]["message"]
    lookup = {"accountKey": str(address), "writableIndexes": [1], "readonlyIndexes": []}
    assert message["addressTableLookups"] == [lookup]
    assert shown["meta"]["loadedAddresses"] == {"writable": [str(bob)], "readonly": []}
    assert (message["accountKeys"], message["instructions"][0]["accounts"]) == (
        [str(alice), str(SYSTEM)],
        [0, 2],
    )
    assert shown["meta"]["postBalances"][2] == SOL
    found = cluster.ask("getTransaction", used, PARSED)["transaction"]["message"]["accountKeys"]
    loaded = {"pubkey": str(bob), "signer": False, "writable": True, "source": "lookupTable"}
    assert found[2] == loaded
    assert cluster.ask("getSignaturesForAddress", str(bob))[0]["signature"] == used


def test_a_lookup_that_finds_nothing_is_refused(cluster: Cluster) -> None:
    missing = AddressLookupTableAccount(MINT.pubkey(), [BOB.pubkey()])
    refused = use(cluster, missing, BOB.pubkey())
    assert refused["code"] == -32602
    assert refused["message"].endswith("loads an address table account that doesn't exist")
