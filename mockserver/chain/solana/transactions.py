"""Serialization of legacy Solana transactions with one signer (Solana documentation, Transactions)."""

from collections.abc import Callable, Sequence

from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM

MEMO_PROGRAM = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"


def memo_message(payer: bytes, blockhash: bytes, memo: bytes) -> bytes:
    """The message that the payer of a transaction with one memo instruction signs.

    `payer` is a public key and `blockhash` the recent block hash, 32 bytes each.
    """
    # One signature, no read-only signer, one read-only account: the program.
    header = bytes([1, 0, 1])
    keys = _vector([payer, base58_decode(MEMO_PROGRAM)])
    no_accounts = compact_u16(0)
    instruction = bytes([1]) + no_accounts + compact_u16(len(memo)) + memo
    return header + keys + blockhash + _vector([instruction])


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
    signers = [payer] if sender in (None, payer) else [payer, sender or payer]
    others = [] if receiver in signers else [receiver]
    programs = [base58_decode(SYSTEM_PROGRAM), *([] if memo is None else [base58_decode(MEMO_PROGRAM)])]
    keys = [*signers, *others, *programs]
    places = bytes([2, len(signers) - 1, keys.index(receiver)])
    data = (2).to_bytes(4, "little") + lamports.to_bytes(8, "little")
    instructions = [bytes([keys.index(programs[0])]) + places + compact_u16(len(data)) + data]
    if memo is not None:
        instructions.append(bytes([len(keys) - 1]) + compact_u16(0) + compact_u16(len(memo)) + memo)
    header = bytes([len(signers), 0, len(programs)])
    return header + _vector(keys) + blockhash + _vector(instructions)


def sign_transaction(message: bytes, sign: Callable[[bytes], bytes]) -> tuple[bytes, bytes]:
    """The signature of a message with one signer (64 bytes), and the whole transaction."""
    signature = sign(message)
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
