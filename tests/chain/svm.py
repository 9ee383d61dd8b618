"""LiteSVM with the accounts that the tests of Solana's programs are about."""

import struct
from functools import cache
from typing import Any

from solders.account import Account
from solders.hash import Hash
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey

from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM, LookupTable
from mockserver.chain.solana.messages import SYSTEM_PROGRAM
from mockserver.chain.solana.running import rent_exempt
from mockserver.chain.solana.system_program import Nonce
from mockserver.chain.solana.tokens import (
    EMPTY,
    NATIVE_MINT,
    TOKEN_PROGRAM,
    Mint,
    SolanaState,
    TokenAccount,
    associated_token_address,
    program_address,
)
from mockserver.chain.solana.transactions import MEMO_PROGRAM

RENT = "SysvarRent111111111111111111111111111111111"
ALICE, BOB, CAROL, MINT, COIN, MINE, THEIRS, COINS, CLOSED, BLANK, PLAN, FAKE, FALSE, NEW = (
    str(Pubkey.from_bytes(bytes([number]) * 32)) for number in range(10, 24)
)
COLD, SOL, SOLS, TABLE, LATE, OLD, GONE, EMPTIED, ENDING, GIVEN = (
    str(Pubkey.from_bytes(bytes([number]) * 32)) for number in range(24, 34)
)
NONCE, UNSET, POOR = (str(Pubkey.from_bytes(bytes([number]) * 32)) for number in range(34, 37))
BLOCKHASHES = "SysvarRecentB1ockHashes11111111111111111111"
SEEDED, SEEDED_TOKEN, SEEDED_LAMPORTS = (
    str(Pubkey.create_with_seed(Pubkey.from_string(ALICE), seed, Pubkey.from_string(owner)))
    for seed, owner in (("new", TOKEN_PROGRAM), ("old", TOKEN_PROGRAM), ("coins", SYSTEM_PROGRAM))
)
SLOT = 1000
RESERVE = rent_exempt(165)
HELD, UNOPENED = associated_token_address(ALICE, MINT), associated_token_address(BOB, MINT)


def listed(authority: str | None, *addresses: str, **others: Any) -> SolanaState:
    data = LookupTable(authority, addresses, **others).pack()
    return SolanaState(rent_exempt(len(data)), LOOKUP_TABLE_PROGRAM, data)


def wrapped(owner: str, amount: int, **others: Any) -> SolanaState:
    held = tokens(NATIVE_MINT, owner, amount, reserve=RESERVE, **others)
    return held._replace(lamports=RESERVE + amount)


def noted(authority: str, value: str) -> SolanaState:
    return SolanaState(RESERVE, data=Nonce(authority, value).pack())


def tokens(mint: str, owner: str, amount: int = 0, **others: Any) -> SolanaState:
    return SolanaState(rent_exempt(165), TOKEN_PROGRAM, TokenAccount(mint, owner, amount, **others).pack())


ACCOUNTS = {
    ALICE: SolanaState(10**9),
    BOB: SolanaState(10**9),
    CAROL: SolanaState(3_000_000),
    MINT: SolanaState(rent_exempt(82), TOKEN_PROGRAM, Mint(ALICE, 1000, 6, BOB).pack()),
    COIN: SolanaState(rent_exempt(82), TOKEN_PROGRAM, Mint(BOB, 2**64 - 10, 2).pack()),
    MINE: tokens(MINT, ALICE, 100, delegate=BOB, delegated=40),
    THEIRS: tokens(MINT, BOB, 50),
    COINS: tokens(COIN, ALICE),
    CLOSED: tokens(MINT, BOB, closer=ALICE),
    BLANK: SolanaState(rent_exempt(165), TOKEN_PROGRAM, bytes(165)),
    PLAN: SolanaState(rent_exempt(82), TOKEN_PROGRAM, bytes(82)),
    HELD: tokens(MINT, ALICE),
    COLD: tokens(MINT, ALICE, 20, is_frozen=True),
    # Lamports were sent to it that it has not counted.
    SOL: wrapped(ALICE, 100, closer=BOB)._replace(lamports=RESERVE + 150),
    SOLS: wrapped(BOB, 50),
    TABLE: listed(ALICE, BOB, CAROL, extended=SLOT - 1, start=1),
    LATE: listed(ALICE, BOB, CAROL, extended=SLOT, start=1),
    OLD: listed(ALICE, BOB, deactivated=1),
    GONE: listed(None, BOB),
    EMPTIED: listed(ALICE),
    ENDING: listed(ALICE, BOB, deactivated=SLOT - 1),
    NATIVE_MINT: SolanaState(rent_exempt(82), TOKEN_PROGRAM, Mint(None, 0, 9).pack()),
    # Of a program that keeps the same bytes.
    FAKE: SolanaState(rent_exempt(82), MEMO_PROGRAM, Mint(ALICE, 1000, 6).pack()),
    FALSE: tokens(MINT, ALICE, 100)._replace(owner=MEMO_PROGRAM),
    GIVEN: SolanaState(10**9, MEMO_PROGRAM),
    NONCE: noted(ALICE, str(Pubkey.from_bytes(bytes(range(32))))),
    UNSET: SolanaState(RESERVE, data=bytes(80)),
    POOR: SolanaState(rent_exempt(80) - 1, data=bytes(80)),
    SEEDED_TOKEN: SolanaState(RESERVE),
    SEEDED_LAMPORTS: SolanaState(10**9),
}
POOL = (*ACCOUNTS, NEW, UNOPENED, SEEDED)


def raw(address: str) -> bytes:
    return bytes(Pubkey.from_string(address))


def derived_table() -> tuple[str, bytes]:
    """Where Alice creates a table, and with what data."""
    recent = struct.pack("<Q", SLOT - 1)
    made = [program_address([raw(ALICE), recent, bytes([n])], LOOKUP_TABLE_PROGRAM) for n in range(256)]
    address, bump = max(((each, n) for n, each in enumerate(made) if each), key=lambda pair: pair[1])
    return address, recent + bytes([bump])


MADE, MADE_BY = derived_table()


@cache
def machine() -> LiteSVM:
    made = LiteSVM().with_sigverify(False).with_blockhash_check(False).with_transaction_history(0)
    made.warp_to_slot(SLOT)
    made.set_slot_hashes([(SLOT - 1, Hash.default())])
    return made


def reset(svm: LiteSVM) -> LiteSVM:
    for key in (*POOL, MADE):
        before = ACCOUNTS.get(key, EMPTY)
        held = Account(before.lamports, before.data, Pubkey.from_string(before.owner))
        svm.set_account(Pubkey.from_string(key), held)
    return svm
