"""Programs that are deployed to a Solana cluster: the code of the SPL's own, at addresses of the tests."""

import struct
import sys
from base64 import b64encode
from functools import cache
from typing import Any

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_ID
from solders.system_program import CreateAccountParams, create_account
from solders.sysvar import CLOCK, RENT
from solders.token.associated import get_associated_token_address

from mockserver.chain.solana.messages import UPGRADEABLE_LOADER
from mockserver.chain.solana.running import LOADER
from mockserver.chain.solana.tokens import ASSOCIATED_TOKEN_PROGRAM
from mockserver.chain.solana.transactions import MEMO_PROGRAM
from tests.nodes.cluster import ALICE, ASSOCIATED, BOB, MINT, SOL, TOKEN, Cluster, make_token, pay
from tests.tables import cases

PROGRAM = Keypair.from_seed(b"\x61" * 32)
BUFFER = Keypair.from_seed(b"\x62" * 32)
LOADER_ID = Pubkey.from_string(UPGRADEABLE_LOADER)
CHUNK = 900
BASE64 = {"encoding": "base64"}
PARSED = {"encoding": "jsonParsed", "maxSupportedTransactionVersion": 0}


@cache
def code_of(program: str) -> bytes:
    """The code of a program that LiteSVM has."""
    found = LiteSVM().get_account(Pubkey.from_string(program))
    assert found is not None
    return bytes(found.data)


def set_program(cluster: Cluster, program: str) -> None:
    """Deploy the code of a program at the tests' own address, as Surfpool does."""
    update = {"data": code_of(program).hex(), "executable": True}
    assert cluster.ask("surfnet_setAccount", str(PROGRAM.pubkey()), update)["value"] is None


def memo(text: bytes, *signers: Keypair) -> Instruction:
    return Instruction(PROGRAM.pubkey(), text, [AccountMeta(each.pubkey(), True, False) for each in signers])


def test_a_program_that_was_set_is_called(cluster: Cluster) -> None:
    set_program(cluster, MEMO_PROGRAM)
    shown = cluster.ask("getAccountInfo", str(PROGRAM.pubkey()), {"encoding": "base64"})["value"]
    assert (shown["executable"], shown["owner"]) == (True, LOADER)
    sent = cluster.send(memo(b"hello", ALICE), signers=[ALICE])
    meta = cluster.ask("getTransaction", sent, {"maxSupportedTransactionVersion": 0})["meta"]
    assert "Program log: hello" in meta["logMessages"]
    (consumed,) = (log.split()[3] for log in meta["logMessages"] if " consumed " in log)
    assert (meta["err"], meta["fee"], meta["computeUnitsConsumed"]) == (None, 5000, int(consumed))
    assert cluster.balance(ALICE.pubkey()) == 10 * SOL - 5000


def test_an_error_of_a_deployed_program_is_its_own(cluster: Cluster) -> None:
    set_program(cluster, MEMO_PROGRAM)
    refused = cluster.send(memo(b"\xff", ALICE), signers=[ALICE])
    assert refused["data"]["err"] == {"InstructionError": [0, "ProgramFailedToComplete"]}
    assert refused["message"].endswith("ProgramFailedToComplete")
    raw = cluster.make(memo(b"\xff", ALICE), signers=[ALICE])
    sent = cluster.ask("sendTransaction", raw, {"encoding": "base64", "skipPreflight": True})
    meta = cluster.ask("getTransaction", sent, {"maxSupportedTransactionVersion": 0})["meta"]
    assert meta["err"] == {"InstructionError": [0, "ProgramFailedToComplete"]}
    assert cluster.balance(ALICE.pubkey()) == 10 * SOL - 5000


def test_code_that_is_none_is_not_executed(cluster: Cluster) -> None:
    cluster.ask("surfnet_setAccount", str(PROGRAM.pubkey()), {"data": "0x7f454c46", "executable": True})
    refused = cluster.send(memo(b"hello", ALICE), signers=[ALICE])
    assert refused["data"]["err"] == "InvalidProgramForExecution"
    assert refused["message"].endswith("This program may not be used for executing instructions")


def test_a_program_whose_code_is_nowhere_is_not_called(cluster: Cluster) -> None:
    address = str(PROGRAM.pubkey())
    for data in ("0x02000000", "0x02000000" + "07" * 31, "0x02000000" + "07" * 32):
        cluster.ask("surfnet_setAccount", address, {"data": data, "owner": UPGRADEABLE_LOADER})
        told = cluster.send(memo(b"hello", ALICE), signers=[ALICE])
        assert told["data"]["err"] in (
            "InvalidProgramForExecution",
            {"InstructionError": [0, "UnsupportedProgramId"]},
        )


def test_a_program_is_called_in_the_first_slot_there_is(cluster: Cluster) -> None:
    cluster.project.clock.freeze_at(0)
    set_program(cluster, MEMO_PROGRAM)
    raw = cluster.make(memo(b"hello", ALICE), signers=[ALICE])
    assert cluster.ask("simulateTransaction", raw, BASE64)["value"]["err"] is None


def test_the_clock_of_a_cluster_is_kept_by_no_transaction(cluster: Cluster) -> None:
    called = Instruction(ED25519, b"\0\0", [AccountMeta(CLOCK, False, True)])
    assert isinstance(cluster.send(called, signers=[ALICE]), str)
    assert cluster.balance(CLOCK) == 0


def test_lamports_for_a_program_leave_it_a_program(cluster: Cluster) -> None:
    called = Instruction(ED25519, b"\0\0", [])
    assert isinstance(cluster.send(pay(ALICE, TOKEN, SOL), signers=[ALICE]), str)
    made = cluster.send(called, ask_token(TOKEN, b"\x15", MINT.pubkey()), signers=[ALICE])
    assert made["data"]["err"] == {"InstructionError": [1, "IncorrectProgramId"]}


def test_without_the_extra_the_error_says_so(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    set_program(cluster, MEMO_PROGRAM)
    raw = cluster.make(memo(b"hello", ALICE), signers=[ALICE])
    monkeypatch.setitem(sys.modules, "solders", None)
    told = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    assert told["err"] == {"InstructionError": [0, "UnsupportedProgramId"]}
    assert "executed with the extra `solana` only" in told["logs"][1]
    refused = cluster.send(ask_token(TOKEN, b"\x13\1", MINT.pubkey(), BOB.pubkey()), signers=[ALICE])
    assert "executed with the extra `solana` only" in refused["data"]["logs"][-2]


def test_a_deployed_program_calls_others_for_its_own_addresses(cluster: Cluster) -> None:
    make_token(cluster)
    set_program(cluster, ASSOCIATED_TOKEN_PROGRAM)
    owner, mint = Keypair.from_seed(b"\x63" * 32).pubkey(), MINT.pubkey()
    address, _ = Pubkey.find_program_address([bytes(owner), bytes(TOKEN), bytes(mint)], PROGRAM.pubkey())
    accounts = [
        AccountMeta(ALICE.pubkey(), True, True),
        AccountMeta(address, False, True),
        *(AccountMeta(each, False, False) for each in (owner, mint, SYSTEM_ID, TOKEN)),
    ]
    sent = cluster.send(Instruction(PROGRAM.pubkey(), b"\0", accounts), signers=[ALICE])
    assert isinstance(sent, str), sent
    assert cluster.ask("getTokenAccountBalance", str(address))["value"]["amount"] == "0"
    parsed = cluster.ask("getTransaction", sent, PARSED)["meta"]["innerInstructions"]
    [(place, called)] = [(each["index"], each["instructions"]) for each in parsed]
    assert (place, [each["parsed"]["type"] for each in called][1:]) == (
        0,
        ["createAccount", "initializeImmutableOwner", "initializeAccount3"],
    )
    assert (called[1]["program"], called[1]["stackHeight"]) == ("system", 2)
    shown = cluster.ask("getTransaction", sent, {**PARSED, "encoding": "json"})
    keys = shown["transaction"]["message"]["accountKeys"]
    inner = shown["meta"]["innerInstructions"][0]["instructions"][1]
    assert keys[inner["programIdIndex"]] == str(SYSTEM_ID)
    assert [keys[each] for each in inner["accounts"]] == [str(ALICE.pubkey()), str(address)]
    again = cluster.send(Instruction(PROGRAM.pubkey(), b"\0", accounts), signers=[ALICE])
    assert again["data"]["err"] == {"InstructionError": [0, "IllegalOwner"]}


def test_a_simulation_shows_inner_instructions_on_request(cluster: Cluster) -> None:
    make_token(cluster)
    set_program(cluster, ASSOCIATED_TOKEN_PROGRAM)
    owner, mint = Keypair.from_seed(b"\x63" * 32).pubkey(), MINT.pubkey()
    address, _ = Pubkey.find_program_address([bytes(owner), bytes(TOKEN), bytes(mint)], PROGRAM.pubkey())
    made = ask_token(
        PROGRAM.pubkey(),
        b"\0",
        ALICE.pubkey(),
        address,
        owner,
        mint,
        SYSTEM_ID,
        TOKEN,
        signers=(ALICE.pubkey(),),
    )
    raw = cluster.make(made, signers=[ALICE])
    assert cluster.ask("simulateTransaction", raw, BASE64)["value"]["innerInstructions"] is None
    asked = cluster.ask("simulateTransaction", raw, {**BASE64, "innerInstructions": True})["value"]
    [shown] = asked["innerInstructions"]
    assert [each["parsed"]["type"] for each in shown["instructions"]][1] == "createAccount"


def test_a_simulation_has_what_a_program_returns(cluster: Cluster) -> None:
    make_token(cluster)
    # The program's account has the address of its code, which comes after 45 bytes.
    code = code_of(str(Pubkey.from_bytes(code_of(str(TOKEN))[4:36])))[45:]
    update = {"data": code.hex(), "executable": True}
    cluster.ask("surfnet_setAccount", str(PROGRAM.pubkey()), update)
    size_of = Instruction(PROGRAM.pubkey(), b"\x15", [AccountMeta(MINT.pubkey(), False, False)])
    raw = cluster.make(size_of, signers=[ALICE])
    told = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    returned = {
        "programId": str(PROGRAM.pubkey()),
        "data": [b64encode(struct.pack("<Q", 165)).decode(), "base64"],
    }
    assert (told["err"], told["returnData"]) == (None, returned)


@cases(
    "update, finding",
    ({"data": "0xz"}, "data: must be hexadecimal digits"),
    ({"owner": "me"}, "owner"),
    ({"lamports": -1}, "lamports"),
)
def test_an_account_is_set_to_what_there_can_be(cluster: Cluster, update: Any, finding: str) -> None:
    assert finding in cluster.ask("surfnet_setAccount", str(BOB.pubkey()), update)["message"]
    assert cluster.balance(BOB.pubkey()) == 0


def loader(kind: int, data: bytes, *accounts: tuple[Pubkey, bool, bool]) -> Instruction:
    return Instruction(LOADER_ID, struct.pack("<I", kind) + data, [AccountMeta(*each) for each in accounts])


def test_a_program_is_deployed_by_the_loader(cluster: Cluster) -> None:
    alice, buffer, program = ALICE.pubkey(), BUFFER.pubkey(), PROGRAM.pubkey()
    data, _ = Pubkey.find_program_address([bytes(program)], LOADER_ID)
    code = code_of(MEMO_PROGRAM)

    def account(address: Pubkey, size: int) -> Instruction:
        rent = cluster.ask("getMinimumBalanceForRentExemption", size)
        wanted = CreateAccountParams(
            from_pubkey=alice, to_pubkey=address, lamports=rent, space=size, owner=LOADER_ID
        )
        return create_account(wanted)

    def write(address: Pubkey) -> None:
        for at in range(0, len(code), CHUNK):
            part = code[at : at + CHUNK]
            bytes_of = struct.pack("<IQ", at, len(part)) + part
            sent = cluster.send(
                loader(1, bytes_of, (address, False, True), (alice, True, False)), signers=[ALICE]
            )
            assert isinstance(sent, str), sent

    begun = loader(0, b"", (buffer, False, True), (alice, False, False))
    assert isinstance(cluster.send(account(buffer, 37 + len(code)), begun, signers=[ALICE, BUFFER]), str)
    write(buffer)
    accounts = (
        (alice, True, True),
        (data, False, True),
        (program, False, True),
        (buffer, False, True),
        *((each, False, False) for each in (RENT, CLOCK, SYSTEM_ID)),
        (alice, True, False),
    )
    deployed = loader(2, struct.pack("<Q", len(code)), *accounts)
    sent = cluster.send(account(program, 36), deployed, signers=[ALICE, PROGRAM])
    assert isinstance(sent, str), sent
    shown = cluster.ask("getAccountInfo", str(program), {"encoding": "base64"})["value"]
    assert (shown["executable"], shown["owner"], shown["space"]) == (True, UPGRADEABLE_LOADER, 36)
    assert not cluster.ask("getAccountInfo", str(data), {"encoding": "base64"})["value"]["executable"]
    assert isinstance(cluster.send(memo(b"hello", ALICE), signers=[ALICE]), str)
    assert isinstance(cluster.send(memo(b"hello", ALICE, BOB), signers=[ALICE, BOB]), str)


ED25519 = Pubkey.from_string("Ed25519SigVerify111111111111111111111111111")
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")


def ask_token(
    program: Pubkey, data: bytes, *accounts: Pubkey, signers: tuple[Pubkey, ...] = ()
) -> Instruction:
    return Instruction(program, data, [AccountMeta(each, each in signers, True) for each in accounts])


def create(cluster: Cluster, key: Keypair, space: int, owner: Pubkey) -> Instruction:
    rent = cluster.ask("getMinimumBalanceForRentExemption", space)
    params = CreateAccountParams(
        from_pubkey=ALICE.pubkey(), to_pubkey=key.pubkey(), lamports=rent, space=space, owner=owner
    )
    return create_account(params)


def test_extensions_of_token_2022_are_executed(cluster: Cluster) -> None:
    alice, bob, mint = (each.pubkey() for each in (ALICE, BOB, MINT))
    mine, theirs = (get_associated_token_address(each, mint, TOKEN_2022) for each in (alice, bob))
    fee = b"\x1a\0" + bytes(2) + struct.pack("<HQ", 250, 10**6)
    sent = cluster.send(
        create(cluster, MINT, 278, TOKEN_2022),
        ask_token(TOKEN_2022, fee, mint),
        ask_token(TOKEN_2022, b"\x14\6" + bytes(alice) + b"\0", mint),
        signers=[ALICE, MINT],
    )
    assert isinstance(sent, str), sent
    opened = (
        ask_token(ASSOCIATED, b"\0", alice, address, owner, mint, SYSTEM_ID, TOKEN_2022, signers=(alice,))
        for address, owner in ((mine, alice), (theirs, bob))
    )
    minted = ask_token(TOKEN_2022, b"\7" + struct.pack("<Q", 5_000_000), mint, mine, alice, signers=(alice,))
    assert isinstance(cluster.send(*opened, minted, signers=[ALICE]), str)
    data = b"\x1a\1" + struct.pack("<QBQ", 1_000_000, 6, 25_000)
    moved = cluster.send(
        ask_token(TOKEN_2022, data, mine, mint, theirs, alice, signers=(alice,)), signers=[ALICE]
    )
    assert isinstance(moved, str), moved
    balances = [
        cluster.ask("getTokenAccountBalance", str(each))["value"]["amount"] for each in (mine, theirs)
    ]
    assert balances == ["4000000", "975000"]
    after = cluster.ask("getTransaction", moved, {"maxSupportedTransactionVersion": 0})["meta"][
        "postTokenBalances"
    ]
    assert sorted(each["uiTokenAmount"]["uiAmountString"] for each in after) == ["0.975", "4"]
    assert cluster.ask("getTokenSupply", str(mint))["value"]["amount"] == "5000000"
    data = b"\x1a\1" + struct.pack("<QBQ", 9_000_000, 6, 225_000)
    too_much = ask_token(TOKEN_2022, data, mine, mint, theirs, alice, signers=(alice,))
    refused = cluster.send(too_much, signers=[ALICE])
    assert refused["data"]["err"] == {"InstructionError": [0, {"Custom": 1}]}
    assert refused["message"].endswith("Error processing Instruction 0: custom program error: 0x1")
    shown = cluster.ask("getAccountInfo", str(theirs), {"encoding": "jsonParsed"})["value"]
    assert shown["data"]["program"] == "spl-token-2022"
    assert shown["data"]["parsed"]["info"]["owner"] == str(bob)


def test_a_signature_is_checked_by_a_program(cluster: Cluster) -> None:
    signed, other = BOB.sign_message(b"hello"), BOB.sign_message(b"other")
    head = struct.pack("<BBHHHHHHH", 1, 0, 48, 0xFFFF, 16, 0xFFFF, 112, 5, 0xFFFF)
    checks, fails = (
        Instruction(ED25519, head + bytes(BOB.pubkey()) + bytes(each) + b"hello", [])
        for each in (signed, other)
    )
    assert isinstance(cluster.send(checks, signers=[ALICE]), str)
    assert cluster.send(fails, signers=[ALICE])["data"]["err"] == {"InstructionError": [0, {"Custom": 2}]}


def test_several_signers_own_a_token_account(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    alice, bob, group = ALICE.pubkey(), BOB.pubkey(), PROGRAM.pubkey()
    made = (create(cluster, PROGRAM, 355, TOKEN), ask_token(TOKEN, b"\x13\2", group, alice, bob))
    given = ask_token(TOKEN, b"\6\2\1" + bytes(group), mine, alice, signers=(alice,))
    assert isinstance(cluster.send(*made, given, signers=[ALICE, PROGRAM]), str)
    data = b"\3" + struct.pack("<Q", 1)
    refused = cluster.send(
        ask_token(TOKEN, data, mine, theirs, group, alice, signers=(alice,)), signers=[ALICE]
    )
    assert refused["data"]["err"] == {"InstructionError": [0, "MissingRequiredSignature"]}
    both = ask_token(TOKEN, data, mine, theirs, group, alice, bob, signers=(alice, bob))
    assert isinstance(cluster.send(both, signers=[ALICE, BOB]), str)
    assert cluster.ask("getTokenAccountBalance", str(theirs))["value"]["amount"] == "1"
