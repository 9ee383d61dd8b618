"""Serialization of legacy Solana transactions (Solana documentation, Transactions)."""

from collections.abc import Sequence
from typing import NamedTuple

from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM
from mockserver.crypto import ed25519

MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
FIRST_MEMO_PROGRAM = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"
MEMO_PROGRAMS = frozenset({FIRST_MEMO_PROGRAM, MEMO_PROGRAM, "Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH"})


class Meta(NamedTuple):
    """An account of an instruction, 32 bytes, and whether it signs and may be changed."""

    key: bytes
    signs: bool = False
    changes: bool = False


class Call(NamedTuple):
    """An instruction to be put into a message."""

    program: bytes
    accounts: tuple[Meta, ...]
    data: bytes


def transfer_message(
    payer: bytes,
    receiver: bytes,
    lamports: int,
    blockhash: bytes,
    memo: bytes | None = None,
    *,
    sender: bytes | None = None,
) -> bytes:
    """The message of a transfer of lamports by a sender, the payer unless given, with a memo if any."""
    metas = (Meta(sender or payer, signs=True, changes=True), Meta(receiver, changes=True))
    data = (2).to_bytes(4, "little") + lamports.to_bytes(8, "little")
    transfer = Call(base58_decode(SYSTEM_PROGRAM), metas, data)
    return compile_message(payer, [transfer] if memo is None else [transfer, memo_call(memo)], blockhash)


def memo_call(memo: bytes) -> Call:
    """An instruction that only says something."""
    return Call(base58_decode(MEMO_PROGRAM), (), memo)


def compile_message(payer: bytes, calls: Sequence[Call], blockhash: bytes) -> bytes:
    """A legacy message: accounts that sign come first, and of each kind those that may be changed."""
    found = {payer: (True, True)}
    for each in calls:
        for key, signs, changes in (*each.accounts, Meta(each.program)):
            signed, changed = found.get(key, (False, False))
            found[key] = (signed or signs, changed or changes)
    keys = sorted(found, key=lambda key: (not found[key][0], not found[key][1]))
    kinds = list(found.values())
    signers = sum(signs for signs, _ in kinds)
    header = bytes([signers, kinds.count((True, False)), kinds.count((False, False))])
    instructions = [
        bytes([keys.index(each.program)])
        + _vector([bytes([keys.index(meta.key)]) for meta in each.accounts])
        + compact_u16(len(each.data))
        + each.data
        for each in calls
    ]
    return header + _vector(keys) + blockhash + _vector(instructions)


def sign_transaction(message: bytes, seed: bytes) -> tuple[bytes, bytes]:
    """The signature of a message with one signer (64 bytes), and the whole transaction."""
    signature = ed25519.sign(seed, message)
    return signature, _vector([signature]) + message


def first_signature(raw: bytes) -> bytes:
    """The first signature of a signed transaction, which is also its id."""
    # After the number of signatures, a compact-u16 of one byte here.
    return raw[1:65]


def _vector(items: Sequence[bytes]) -> bytes:
    return compact_u16(len(items)) + b"".join(items)


def compact_u16(value: int) -> bytes:
    """A length as Solana writes it: seven bits a byte, the lowest first."""
    if not 0 <= value < 1 << 16:
        raise ValueError("a compact-u16 is below 65536")
    encoded = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        if not value:
            return bytes([*encoded, low])
        encoded.append(low | 0x80)
