"""Asking a Solana node, and transactions for it, which solders makes and signs."""

import struct
from base64 import b64encode
from typing import Any

from httpx import Client
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.null_signer import NullSigner
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer
from solders.token import ID as TOKEN_ID
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

from mockserver.state.project import Project
from tests.nodes.node import ask_rpc

ALICE, BOB, MINT = (Keypair.from_seed(bytes([digit]) * 32) for digit in (7, 8, 9))
SOL = 10**9
ASSOCIATED = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
SYSTEM = Pubkey.from_string("1" * 32)
TOKEN = TOKEN_ID


class Cluster:
    """The node of a cluster."""

    def __init__(self, api: Client, project: Project) -> None:
        self.api, self.project = api, project

    def ask(self, method: str, *params: Any) -> Any:
        path = f"/_mock/projects/{self.project.id}/solana/devnet/rpc"
        return ask_rpc(self.api, path, method, params)

    def kora(self, method: str, **params: Any) -> Any:
        return ask_rpc(self.api, "/rpc/solana/devnet", method, params, self.project.publishable_key)

    def balance(self, key: Any) -> int:
        return int(self.ask("getBalance", str(key))["value"])

    def make(self, *instructions: Instruction, signers: list[Any], payer: Pubkey | None = None) -> str:
        blockhash = Hash.from_string(self.ask("getLatestBlockhash")["value"]["blockhash"])
        message = MessageV0.try_compile(payer or signers[0].pubkey(), list(instructions), [], blockhash)
        keys = message.account_keys[: message.header.num_required_signatures]
        given = {signer.pubkey(): signer for signer in signers}
        transaction = VersionedTransaction(message, [given.get(key, NullSigner(key)) for key in keys])
        return b64encode(bytes(transaction)).decode()

    def send(self, *instructions: Instruction, signers: list[Any]) -> Any:
        return self.ask("sendTransaction", self.make(*instructions, signers=signers), {"encoding": "base64"})


def pay(sender: Keypair, receiver: Pubkey, lamports: int) -> Instruction:
    return transfer(TransferParams(from_pubkey=sender.pubkey(), to_pubkey=receiver, lamports=lamports))


def token(kind: int, data: bytes, *accounts: tuple[Pubkey, bool, bool]) -> Instruction:
    return Instruction(TOKEN, bytes([kind]) + data, [AccountMeta(*each) for each in accounts])


def open_account(owner: Pubkey, kind: int = 0) -> Instruction:
    address = get_associated_token_address(owner, MINT.pubkey())
    named = (ALICE.pubkey(), True, True), (address, False, True), (owner, False, False)
    others = ((each, False, False) for each in (MINT.pubkey(), SYSTEM, TOKEN))
    keys = [AccountMeta(*each) for each in (*named, *others)]
    return Instruction(ASSOCIATED, bytes([kind]), keys)


def make_token(cluster: Cluster) -> tuple[Pubkey, Pubkey]:
    """A mint of six decimals, of which Alice has five; the token accounts of Alice and Bob."""
    mint, alice = MINT.pubkey(), ALICE.pubkey()
    rent = cluster.ask("getMinimumBalanceForRentExemption", 82)
    created = create_account(
        CreateAccountParams(from_pubkey=alice, to_pubkey=mint, lamports=rent, space=82, owner=TOKEN)
    )
    initialized = token(20, bytes([6]) + bytes(alice) + b"\0", (mint, False, True))
    assert isinstance(cluster.send(created, initialized, signers=[ALICE, MINT]), str)
    mine, theirs = (get_associated_token_address(each.pubkey(), mint) for each in (ALICE, BOB))
    minted = token(
        7, struct.pack("<Q", 5_000_000), (mint, False, True), (mine, False, True), (alice, True, False)
    )
    sent = cluster.send(open_account(alice), open_account(BOB.pubkey()), minted, signers=[ALICE])
    assert isinstance(sent, str)
    return mine, theirs


def move(mine: Pubkey, theirs: Pubkey, amount: int, decimals: int = 6) -> Instruction:
    data = struct.pack("<QB", amount, decimals)
    accounts = (
        (mine, False, True),
        (MINT.pubkey(), False, False),
        (theirs, False, True),
        (ALICE.pubkey(), True, False),
    )
    return token(12, data, *accounts)


def set_authority(kind: int, account: Pubkey, new: Pubkey | None, now: Keypair = ALICE) -> Instruction:
    data = bytes([kind, new is not None]) + bytes(new or b"")
    return token(6, data, (account, False, True), (now.pubkey(), True, False))
