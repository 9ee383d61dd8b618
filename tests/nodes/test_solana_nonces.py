"""Durable nonces and addresses with seeds of a Solana node, by transactions that solders makes."""

from base64 import b64encode
from typing import Any

import pytest
from solders import system_program
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.system_program import AdvanceNonceAccountParams
from solders.transaction import Transaction

from mockserver.chain.solana.transactions import MEMO_PROGRAM
from mockserver.nodes.solana.cluster import BLOCKHASH_SLOTS, SLOT_MS
from tests.nodes.cluster import ALICE, BOB, SOL, SYSTEM, TOKEN, Cluster, pay
from tests.nodes.test_solana_deployed import memo, set_program

NONCE = Keypair.from_seed(b"\x0a" * 32)
RENT = 1_447_680
PARSED = {"encoding": "jsonParsed", "maxSupportedTransactionVersion": 0}
MEMO = Pubkey.from_string(MEMO_PROGRAM)
BASE64 = {"encoding": "base64"}
CAROL = Keypair.from_seed(b"\x0b" * 32).pubkey()


@pytest.fixture
def offline(cluster: Cluster) -> Cluster:
    """A cluster on which Bob may use a nonce that Alice has paid for."""
    made = system_program.create_nonce_account(ALICE.pubkey(), NONCE.pubkey(), BOB.pubkey(), RENT)
    assert isinstance(cluster.send(*made, signers=[ALICE, NONCE]), str)
    return cluster


def show_nonce(cluster: Cluster) -> Any:
    return cluster.ask("getAccountInfo", str(NONCE.pubkey()), PARSED)["value"]["data"]


def value_of(cluster: Cluster) -> str:
    return str(show_nonce(cluster)["parsed"]["info"]["blockhash"])


def advance(authority: Keypair = BOB) -> Instruction:
    params = AdvanceNonceAccountParams(nonce_pubkey=NONCE.pubkey(), authorized_pubkey=authority.pubkey())
    return system_program.advance_nonce_account(params)


def sign(cluster: Cluster, *instructions: Instruction, signers: tuple[Keypair, ...] = (ALICE, BOB)) -> str:
    """A transaction that names the nonce in the place of a block hash."""
    message = Message(instructions, ALICE.pubkey())
    made = Transaction(list(signers), message, Hash.from_string(value_of(cluster)))
    return b64encode(bytes(made)).decode()


def send(cluster: Cluster, raw: str, **options: Any) -> Any:
    return cluster.ask("sendTransaction", raw, {**BASE64, **options})


def test_a_nonce_is_shown_with_who_may_use_it(offline: Cluster) -> None:
    shown = show_nonce(offline)
    assert (shown["program"], shown["space"], shown["parsed"]["type"]) == ("nonce", 80, "initialized")
    info = shown["parsed"]["info"]
    assert info.keys() == {"authority", "blockhash", "feeCalculator"}
    assert (info["authority"], info["feeCalculator"]) == (
        str(BOB.pubkey()),
        {"lamportsPerSignature": "5000"},
    )


def test_what_names_a_nonce_is_sent_later_and_once(offline: Cluster) -> None:
    raw, before = sign(offline, advance(), pay(ALICE, CAROL, SOL)), value_of(offline)
    later = offline.ask("getSlot")
    offline.project.clock.freeze_at((later + 2 * BLOCKHASH_SLOTS) * SLOT_MS)
    sent = send(offline, raw)
    assert offline.balance(CAROL) == SOL
    transaction = offline.ask("getTransaction", sent, PARSED)["transaction"]["message"]
    assert transaction["recentBlockhash"] == before
    assert transaction["instructions"][0]["parsed"] == {
        "type": "advanceNonce",
        "info": {
            "nonceAccount": str(NONCE.pubkey()),
            "recentBlockhashesSysvar": "SysvarRecentB1ockHashes11111111111111111111",
            "nonceAuthority": str(BOB.pubkey()),
        },
    }
    assert value_of(offline) != before
    refused = send(offline, raw)
    assert refused["data"]["err"] == "BlockhashNotFound"
    assert offline.balance(CAROL) == SOL


def test_what_fails_has_used_its_nonce(offline: Cluster) -> None:
    raw, before = sign(offline, advance(), pay(ALICE, CAROL, 100 * SOL)), value_of(offline)
    assert send(offline, raw)["data"]["err"] == {"InstructionError": [1, {"Custom": 1}]}
    assert value_of(offline) == before
    send(offline, raw, skipPreflight=True)
    assert value_of(offline) != before
    assert offline.balance(CAROL) == 0
    assert send(offline, raw)["data"]["err"] == "BlockhashNotFound"


def test_each_transaction_of_a_slot_finds_another_nonce(offline: Cluster) -> None:
    # Where the clock is frozen each transaction goes on to the next slot.
    path = f"/_mock/projects/{offline.project.id}/clock"
    offline.api.put(path, json={"mode": "ticking"}).raise_for_status()
    values = set()
    for _ in range(3):
        assert isinstance(send(offline, sign(offline, advance())), str)
        values.add(value_of(offline))
    assert len(values) == 3


def test_a_nonce_stands_for_a_block_hash_where_it_is_advanced(offline: Cluster) -> None:
    advances, pays = advance(), pay(ALICE, CAROL, SOL)
    (nonce, *others), bob = advances.accounts, AccountMeta(BOB.pubkey(), True, False)
    unwritable = AccountMeta(nonce.pubkey, False, False)
    for raw in (
        sign(offline, pays, signers=(ALICE,)),
        sign(offline, pays, advances),
        sign(offline, advance(ALICE), pays, signers=(ALICE,)),
        # Who may use it signs, but not for this instruction.
        sign(offline, advance(ALICE), Instruction(MEMO, b"hello", [bob])),
        sign(offline, Instruction(SYSTEM, advances.data, [unwritable, *others])),
        sign(offline, Instruction(SYSTEM, advances.data, []), signers=(ALICE,)),
        sign(offline, Instruction(MEMO, advances.data, advances.accounts)),
        sign(offline, Instruction(SYSTEM, b"\5\0\0\0" + bytes(8), advances.accounts)),
    ):
        assert send(offline, raw)["data"]["err"] == "BlockhashNotFound"


def test_the_fee_of_what_names_a_nonce_is_known(offline: Cluster) -> None:
    message = Message.new_with_blockhash([advance()], ALICE.pubkey(), Hash.from_string(value_of(offline)))
    assert offline.ask("getFeeForMessage", b64encode(bytes(message)).decode())["value"] == 10_000


def test_a_deployed_program_is_called_by_a_nonce(offline: Cluster) -> None:
    set_program(offline, MEMO_PROGRAM)
    raw, before = sign(offline, advance(), memo(b"hello", ALICE)), value_of(offline)
    assert isinstance(send(offline, raw), str)
    after = value_of(offline)
    assert isinstance(send(offline, sign(offline, advance(), memo(b"hello", ALICE))), str)
    assert len({before, after, value_of(offline)}) == 3


def test_an_account_is_made_at_an_address_with_a_seed(cluster: Cluster) -> None:
    alice = ALICE.pubkey()
    address = Pubkey.create_with_seed(alice, "savings", TOKEN)
    params = system_program.CreateAccountWithSeedParams(
        from_pubkey=alice,
        to_pubkey=address,
        base=alice,
        seed="savings",
        lamports=2_039_280,
        space=165,
        owner=TOKEN,
    )
    sent = cluster.send(system_program.create_account_with_seed(params), signers=[ALICE])
    shown = cluster.ask("getTransaction", sent, PARSED)["transaction"]["message"]["instructions"]
    assert shown[0]["parsed"] == {
        "type": "createAccountWithSeed",
        "info": {
            "source": str(alice),
            "newAccount": str(address),
            "base": str(alice),
            "seed": "savings",
            "lamports": 2_039_280,
            "space": 165,
            "owner": str(TOKEN),
        },
    }
    made = cluster.ask("getAccountInfo", str(address), BASE64)["value"]
    assert (made["owner"], made["space"], made["lamports"]) == (str(TOKEN), 165, 2_039_280)
