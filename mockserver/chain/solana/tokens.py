"""Accounts of Solana, and what token programs keep in them (SPL Token, Associated Token Account)."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mockserver.chain.base58 import base58_decode, base58_encode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, TOKEN_PROGRAMS

TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
ASSOCIATED_TOKEN_PROGRAM = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
NATIVE_MINT = "So11111111111111111111111111111111111111112"
"""The mint of wrapped SOL: the tokens of an account are the lamports that it has beyond its rent."""
MINT_SIZE, TOKEN_ACCOUNT_SIZE, _MULTISIG_SIZE = 82, 165, 355
PROGRAM_ADDRESS = b"ProgramDerivedAddress"
"""What is hashed into an address that seeds give a program."""
_FROZEN = 2
_FIELD = 2**255 - 19
_D = -121665 * pow(121666, -1, _FIELD) % _FIELD


class SolanaState(NamedTuple):
    """An account: its lamports, the program that owns it, and its data."""

    lamports: int = 0
    owner: str = SYSTEM_PROGRAM
    data: bytes = b""


EMPTY = SolanaState()


class Mint(NamedTuple):
    """A mint: who may mint, its supply, its decimals."""

    authority: str | None
    supply: int
    decimals: int
    freezer: str | None = None

    def pack(self) -> bytes:
        """Its data."""
        supply = self.supply.to_bytes(8, "little")
        return _option(self.authority) + supply + bytes([self.decimals, 1]) + _option(self.freezer)


class TokenAccount(NamedTuple):
    """A token account: its mint, its owner, its amount, and whom it lets spend how much."""

    mint: str
    owner: str
    amount: int = 0
    delegate: str | None = None
    delegated: int = 0
    is_frozen: bool = False
    reserve: int | None = None
    """Its rent in lamports, if it holds wrapped SOL."""
    closer: str | None = None

    def pack(self) -> bytes:
        """Its data."""
        head = base58_decode(self.mint) + base58_decode(self.owner) + self.amount.to_bytes(8, "little")
        kind = bytes([_FROZEN if self.is_frozen else 1])
        native = bytes(12) if self.reserve is None else b"\1\0\0\0" + self.reserve.to_bytes(8, "little")
        delegated = self.delegated.to_bytes(8, "little")
        return head + _option(self.delegate) + kind + native + delegated + _option(self.closer)


def _is_kind(account: SolanaState, size: int, kind: int) -> bool:
    """Whether an account has what a token program keeps in so many bytes, maybe with extensions behind."""
    data = account.data
    extended = (
        data[TOKEN_ACCOUNT_SIZE : TOKEN_ACCOUNT_SIZE + 1] == bytes([kind]) and len(data) != _MULTISIG_SIZE
    )
    return account.owner in TOKEN_PROGRAMS and (len(data) == size or extended)


def has_more(account: SolanaState) -> bool:
    """Whether a token program keeps extensions in an account, or several signers."""
    return account.owner in TOKEN_PROGRAMS and len(account.data) not in (0, MINT_SIZE, TOKEN_ACCOUNT_SIZE)


def read_mint(account: SolanaState) -> Mint | None:
    """The mint in an account, or None."""
    data = account.data
    if not _is_kind(account, MINT_SIZE, 1) or data[45] != 1:
        return None
    return Mint(
        _read_option(data[:36]), int.from_bytes(data[36:44], "little"), data[44], _read_option(data[46:])
    )


def read_token_account(account: SolanaState) -> TokenAccount | None:
    """The token account in an account, or None."""
    data = account.data
    if not _is_kind(account, TOKEN_ACCOUNT_SIZE, 2) or not data[108]:
        return None
    mint, owner, amount = base58_encode(data[:32]), base58_encode(data[32:64]), data[64:72]
    delegated = int.from_bytes(data[121:129], "little")
    return TokenAccount(
        mint,
        owner,
        int.from_bytes(amount, "little"),
        _read_option(data[72:108]),
        delegated,
        data[108] == _FROZEN,
        int.from_bytes(data[113:121], "little") if data[109] else None,
        _read_option(data[129:]),
    )


def _option(address: str | None) -> bytes:
    return bytes(36) if address is None else b"\x01\0\0\0" + base58_decode(address)


def _read_option(raw: bytes) -> str | None:
    return base58_encode(raw[4:36]) if raw[0] else None


# --- addresses -------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def associated_token_address(owner: str, mint: str, program: str = TOKEN_PROGRAM) -> str:
    """The address of the token account that belongs to an owner and a mint."""
    seeds = [base58_decode(each) for each in (owner, program, mint)]
    return find_program_address(seeds, ASSOCIATED_TOKEN_PROGRAM)


def find_program_address(seeds: Sequence[bytes], program: str) -> str:
    """The address that seeds give a program: the first that is no public key."""
    found = (program_address([*seeds, bytes([bump])], program) for bump in range(255, -1, -1))
    return next(filter(None, found))


def program_address(seeds: Sequence[bytes], program: str) -> str | None:
    """The address of just these seeds; None where it is a public key."""
    raw = hashlib.sha256(b"".join(seeds) + base58_decode(program) + PROGRAM_ADDRESS).digest()
    return None if _is_on_curve(raw) else base58_encode(raw)


def _is_on_curve(raw: bytes) -> bool:
    """Whether 32 bytes are a point of edwards25519 (RFC 8032, 5.1.3)."""
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _FIELD) % _FIELD
    return square == 0 or pow(square, (_FIELD - 1) // 2, _FIELD) == 1
