"""Policies that decide what a Solana wallet signs."""

import base64
import json
from typing import Any

from httpx import Client
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from tests.operations.policies_bind.helpers import Allow, refused, sign, wallet
from tests.tables import cases


def test_solana_transactions_and_messages_are_told_apart(backend: Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, there = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([9] * 32))
    allow(
        "signSolTransaction",
        {"type": "solAddress", "operator": "in", "addresses": [str(there)]},
        {"type": "solValue", "operator": "<=", "value": "100"},
    )

    def moving(*moves: tuple[Pubkey, int]) -> str:
        steps = [
            transfer(TransferParams(from_pubkey=me, to_pubkey=whom, lamports=amount))
            for whom, amount in moves
        ]
        return "0x" + bytes(Message.new_with_blockhash(steps, me, Hash.default())).hex()

    assert sign(backend, account, moving((there, 100))).status_code == 200
    assert sign(backend, account, moving((there, 60), (there, 40))).status_code == 200
    assert "signSolTransaction" in refused(sign(backend, account, moving((there, 60), (there, 41))))
    refused(sign(backend, account, moving((there, 1), (me, 1))))
    assert sign(backend, account, "0x" + b"other".hex()).status_code == 200
    allow("signSolMessage", {"type": "solMessage", "operator": "match", "pattern": "^hello$"}, priority=1)
    assert sign(backend, account, "0x" + b"hello".hex()).status_code == 200
    assert "signSolMessage" in refused(sign(backend, account, "0x" + b"other".hex()))


def test_the_programs_of_a_solana_transaction_are_seen(backend: Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, program = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([8] * 32))
    allow("signSolTransaction", {"type": "programId", "operator": "in", "programIds": [str(program)]})
    call = Instruction(program, b"go", [AccountMeta(me, True, True)])
    raw = "0x" + bytes(Message.new_with_blockhash([call], me, Hash.default())).hex()
    assert sign(backend, account, raw).status_code == 200
    both = [call, transfer(TransferParams(from_pubkey=me, to_pubkey=me, lamports=1))]
    refused(sign(backend, account, "0x" + bytes(Message.new_with_blockhash(both, me, Hash.default())).hex()))


LOOKED_UP = [
    ("solAddress", {"addresses": [str(Pubkey(bytes([7] * 32)))]}),
    ("programId", {"programIds": [str(Pubkey(bytes([7] * 32)))]}),
]


@cases("type_, members", *LOOKED_UP)
def test_lookup_tables_hide_nothing(
    backend: Client, allow: Allow, type_: str, members: dict[str, Any]
) -> None:
    account = wallet(backend, "SVM")
    me, hidden = Pubkey.from_string(account["address"]), Pubkey(bytes([7] * 32))
    allow("signSolTransaction", {"type": type_, "operator": "not in", **members})
    step = transfer(TransferParams(from_pubkey=me, to_pubkey=hidden, lamports=1))
    table = AddressLookupTableAccount(Pubkey(bytes([6] * 32)), [hidden])
    # The last byte of the keys' indexes: the recipient, or the program, is the one of the table.
    raw = bytearray(to_bytes_versioned(MessageV0.try_compile(me, [step], [table], Hash.default())))
    if type_ == "programId":
        place = raw.index(bytes(Hash.default()), 5 + 2 * 32) + 33
        raw[place] = 2
    refused(sign(backend, account, "0x" + raw.hex()))


def test_a_transfer_without_a_mint_does_not_hide_behind_another(backend: Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, mint, there = Pubkey.from_string(account["address"]), Pubkey(bytes([5] * 32)), Pubkey(bytes([9] * 32))
    tokens = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    allow("signSolTransaction", {"type": "mintAddress", "operator": "in", "addresses": [str(mint)]})
    amount = (1).to_bytes(8, "little")
    plain = [AccountMeta(key, key == me, True) for key in (there, there, me)]
    named = [AccountMeta(key, key == me, key != mint) for key in (there, mint, there, me)]
    checked = Instruction(tokens, b"\x0c" + amount + b"\x06", named)
    unchecked = Instruction(tokens, b"\x03" + amount, plain)

    def raw(*steps: Instruction) -> str:
        return "0x" + bytes(Message.new_with_blockhash(list(steps), me, Hash.default())).hex()

    assert sign(backend, account, raw(checked)).status_code == 200
    refused(sign(backend, account, raw(checked, unchecked)))


def test_instruction_data_is_held_against_an_idl(backend: Client, allow: Allow) -> None:
    account = wallet(backend, "SVM")
    me, program = Pubkey.from_string(account["address"]), Pubkey.from_bytes(bytes([8] * 32))
    discriminator = list(range(8))
    instruction = {"name": "deposit", "discriminator": discriminator, "accounts": []}
    instruction["args"] = [{"name": "amount", "type": "u64"}]
    idl = json.dumps({"instructions": [instruction]})
    deposit = {"type": "solData", "operator": "<=", "idl": idl, "instructionName": "deposit"}
    allow("signSolTransaction", {**deposit, "args": {"amount": "50"}})

    def depositing(amount: int) -> str:
        data = bytes(discriminator) + amount.to_bytes(8, "little")
        call = Instruction(program, data, [AccountMeta(me, True, True)])
        return "0x" + bytes(Message.new_with_blockhash([call], me, Hash.default())).hex()

    assert sign(backend, account, depositing(50)).status_code == 200
    refused(sign(backend, account, depositing(51)))
    evaluated = {
        "operation": "signSolTransaction",
        "payload": {
            "instructionData": base64.b64encode(bytes(discriminator) + (51).to_bytes(8, "little")).decode()
        },
    }
    assert backend.post("/v2/policies/evaluate", json=evaluated).json()["allowed"] is False
