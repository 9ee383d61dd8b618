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
from solders.system_program import (
    CreateAccountParams,
    CreateAccountWithSeedParams,
    create_account,
    create_account_with_seed,
)
from solders.sysvar import CLOCK, RENT

from mockserver.chain.solana.running import LOADER, UPGRADEABLE_LOADER
from mockserver.chain.solana.tokens import ASSOCIATED_TOKEN_PROGRAM
from mockserver.chain.solana.transactions import MEMO_PROGRAM
from tests.nodes.cluster import ALICE, ASSOCIATED, BOB, MINT, SOL, TOKEN, Cluster, make_token, token
from tests.tables import cases

PROGRAM = Keypair.from_seed(b"\x61" * 32)
BUFFER = Keypair.from_seed(b"\x62" * 32)
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
LOADER_ID = Pubkey.from_string(UPGRADEABLE_LOADER)
CHUNK = 900


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


def with_seed(seed: str = "first") -> tuple[Instruction, Pubkey]:
    """Makes an account whose address is of Alice's and a seed."""
    base, owner = ALICE.pubkey(), PROGRAM.pubkey()
    made = Pubkey.create_with_seed(base, "first", owner)
    params = CreateAccountWithSeedParams(
        from_pubkey=base, to_pubkey=made, base=base, seed=seed, lamports=SOL, space=5, owner=owner
    )
    return create_account_with_seed(params), made


def test_an_account_with_a_seed_is_created(cluster: Cluster) -> None:
    creates, made = with_seed()
    assert isinstance(cluster.send(creates, signers=[ALICE]), str)
    shown = cluster.ask("getAccountInfo", str(made), {"encoding": "base64"})["value"]
    assert (shown["lamports"], shown["space"], shown["owner"]) == (SOL, 5, str(PROGRAM.pubkey()))


def test_tokens_with_extensions_are_shown(cluster: Cluster) -> None:
    alice, mint, size = ALICE.pubkey(), MINT.pubkey(), 278
    params = CreateAccountParams(
        from_pubkey=alice, to_pubkey=mint, lamports=SOL, space=size, owner=TOKEN_2022
    )
    fee = b"\x1a\0" + b"\0" * 2 + struct.pack("<HQ", 100, 1000)
    steps = [
        Instruction(TOKEN_2022, data, [AccountMeta(mint, False, True)])
        for data in (fee, b"\x14\6" + bytes(alice) + b"\0")
    ]
    assert isinstance(cluster.send(create_account(params), *steps, signers=[ALICE, MINT]), str)
    mine, _ = Pubkey.find_program_address([bytes(alice), bytes(TOKEN_2022), bytes(mint)], ASSOCIATED)
    named = [AccountMeta(mine, False, True), AccountMeta(alice, False, False), AccountMeta(mint, False, True)]
    others = [AccountMeta(each, False, False) for each in (SYSTEM_ID, TOKEN_2022)]
    opens = Instruction(ASSOCIATED, b"\0", [AccountMeta(alice, True, True), *named, *others])
    minting = [named[2], named[0], AccountMeta(alice, True, False)]
    mints = Instruction(TOKEN_2022, b"\7" + struct.pack("<Q", 9), minting)
    assert isinstance(cluster.send(opens, mints, signers=[ALICE]), str)
    assert cluster.ask("getTokenAccountBalance", str(mine))["value"]["amount"] == "9"
    assert cluster.ask("getTokenSupply", str(mint))["value"]["amount"] == "9"


def test_durable_nonces_are_refused(cluster: Cluster) -> None:
    accounts = [AccountMeta(PROGRAM.pubkey(), False, True), AccountMeta(RENT, False, False)]
    advance = Instruction(SYSTEM_ID, struct.pack("<I", 4), accounts)
    refused = cluster.send(advance, signers=[ALICE])
    assert refused["data"]["logs"][1] == "this instruction is not executed here: there are no durable nonces"


def test_the_number_of_a_program_s_own_error_is_shown(cluster: Cluster) -> None:
    (creates, _), (other, _) = with_seed(), with_seed("second")
    refused = cluster.send(Instruction(SYSTEM_ID, other.data, creates.accounts), signers=[ALICE])
    assert refused["data"]["err"] == {"InstructionError": [0, {"Custom": 5}]}
    assert refused["message"].endswith("Error processing Instruction 0: custom program error: 0x5")


def test_the_owners_of_a_multisig_send_its_tokens(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    alice, multisig = ALICE.pubkey(), PROGRAM.pubkey()
    params = CreateAccountParams(from_pubkey=alice, to_pubkey=multisig, lamports=SOL, space=355, owner=TOKEN)
    created = create_account(params)
    owned = token(2, b"\1", (multisig, False, True), (RENT, False, False), (alice, False, False))
    given = token(6, b"\2\1" + bytes(multisig), (mine, False, True), (alice, True, False))
    assert isinstance(cluster.send(created, owned, given, signers=[ALICE, PROGRAM]), str)
    amount, there = struct.pack("<Q", 5), (theirs, False, True)
    sends = token(3, amount, (mine, False, True), there, (multisig, False, False), (alice, True, False))
    assert isinstance(cluster.send(sends, signers=[ALICE]), str)
    assert cluster.ask("getTokenAccountBalance", str(theirs))["value"]["amount"] == "5"


def test_code_that_is_none_is_not_executed(cluster: Cluster) -> None:
    cluster.ask("surfnet_setAccount", str(PROGRAM.pubkey()), {"data": "0x7f454c46", "executable": True})
    refused = cluster.send(memo(b"hello", ALICE), signers=[ALICE])
    assert refused["data"]["err"] == "InvalidProgramForExecution"
    assert refused["message"].endswith("This program may not be used for executing instructions")


def test_without_the_extra_the_error_says_so(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    set_program(cluster, MEMO_PROGRAM)
    raw = cluster.make(memo(b"hello", ALICE), signers=[ALICE])
    monkeypatch.setitem(sys.modules, "solders", None)
    told = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    assert told["err"] == {"InstructionError": [0, "UnsupportedProgramId"]}
    assert "executed with the extra `solana` only" in told["logs"][1]
    raw = cluster.make(with_seed()[0], signers=[ALICE])
    told = cluster.ask("simulateTransaction", raw, {"encoding": "base64"})["value"]
    assert told["err"] == {"InstructionError": [0, "InvalidInstructionData"]}
    assert told["logs"][1] == "this instruction is executed with the extra `solana` only"


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
    options = {"encoding": "jsonParsed", "maxSupportedTransactionVersion": 0}
    (called,) = cluster.ask("getTransaction", sent, options)["meta"]["innerInstructions"]
    assert called["index"] == 0
    kinds = [each["parsed"]["type"] for each in called["instructions"] if "parsed" in each]
    assert kinds[-1] == "initializeAccount3"
    assert {each["stackHeight"] for each in called["instructions"]} == {2}
    raw = cluster.make(Instruction(PROGRAM.pubkey(), b"\1", accounts), signers=[ALICE])
    simulated = {"encoding": "base64", "innerInstructions": True}
    assert cluster.ask("simulateTransaction", raw, simulated)["value"]["innerInstructions"] == []
    again = cluster.send(Instruction(PROGRAM.pubkey(), b"\0", accounts), signers=[ALICE])
    assert again["data"]["err"] == {"InstructionError": [0, "IllegalOwner"]}


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
