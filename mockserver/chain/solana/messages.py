"""A parser of Solana messages, legacy and version 0 (Solana documentation, Transactions)."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from mockserver.chain.base58 import base58_encode

SYSTEM_PROGRAM = "1" * 32
TOKEN_PROGRAMS = frozenset(
    {"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"}
)
COMPUTE_BUDGET_PROGRAM = "ComputeBudget111111111111111111111111111111"
UPGRADEABLE_LOADER = "BPFLoaderUpgradeab1e11111111111111111111111"
_SYSTEM_VARIABLES = re.compile("Sysvar[A-Za-z1-9]+1{9}")

_CREATE_ACCOUNT_WITH_SEED = 3
_RECIPIENTS = {0: 1, 2: 1, _CREATE_ACCOUNT_WITH_SEED: 1, 5: 1, 11: 2}
"""The index of the recipient among the accounts of CreateAccount, Transfer, CreateAccountWithSeed,
WithdrawNonceAccount and TransferWithSeed, by the number of the system instruction."""
_TRANSFER, _TRANSFER_CHECKED = b"\x03", b"\x0c"
_TRANSFER_WITH_FEE = b"\x1a\x01"
"""TransferCheckedWithFee of the Token-2022 program's transfer fee extension."""

_VERSION_MARK = 0x80
_KEY_SIZE = 32
_SIGNATURE_SIZE = 64


class Instruction(NamedTuple):
    """An instruction: its program, accounts and data. An account from an address lookup table is None."""

    program: str | None
    accounts: tuple[str | None, ...]
    data: bytes


class Transfer(NamedTuple):
    """Lamports, or tokens of a mint, that an instruction moves to an account."""

    recipient: str | None
    amount: int
    mint: str | None = None


class Lookup(NamedTuple):
    """What a message takes from a lookup table: the places of addresses to be changed, and to be read."""

    table: str
    writable: bytes
    readonly: bytes


Loaded: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The addresses that lookups have found: those to be changed, and those to be read."""


class Message(NamedTuple):
    """A message: its accounts, of which the first ones sign, its recent block hash and its instructions."""

    keys: tuple[str, ...]
    """The last ones are those that were loaded, if they were looked up."""
    signers: int
    readonly_signers: int
    readonly_others: int
    blockhash: str
    instructions: tuple[Instruction, ...]
    is_versioned: bool
    lookups: tuple[Lookup, ...] = ()
    loaded: Loaded = ((), ())

    @property
    def named(self) -> int:
        """How many of the accounts are in the message itself."""
        return len(self.keys) - sum(map(len, self.loaded))

    def is_writable(self, place: int) -> bool:
        """Whether the account at a place may be changed: of what is called, and of the system, never."""
        if place < self.signers:
            end = self.signers - self.readonly_signers
        elif place >= self.named:
            end = len(self.keys) - len(self.loaded[1])
        else:
            end = self.named - self.readonly_others
        key = self.keys[place]
        if place >= end or key == SYSTEM_PROGRAM or _SYSTEM_VARIABLES.fullmatch(key):
            return False
        return UPGRADEABLE_LOADER in self.keys or all(each.program != key for each in self.instructions)


def read_message(raw: bytes) -> tuple[Instruction, ...]:
    """The instructions of a message. ValueError when the bytes are not exactly one message."""
    return parse_message(raw).instructions


def parse_transaction(
    raw: bytes, look_up: Callable[[Sequence[Lookup]], Loaded] | None = None
) -> tuple[list[bytes], bytes, Message]:
    """The signatures of a transaction, the bytes that are signed, and its message. ValueError for no such."""
    reader = _Reader(raw)
    signatures = [reader.take(_SIGNATURE_SIZE) for _ in range(reader.length())]
    signed = reader.take(reader.remaining)
    message = parse_message(signed, look_up)
    if len(signatures) != message.signers:
        raise ValueError(
            f"the message has {message.signers} signers, and there are {len(signatures)} signatures"
        )
    if any(each.program not in message.keys[1 : message.named] for each in message.instructions):
        raise ValueError("a program is in the message itself, and does not pay")
    return signatures, signed, message


def parse_message(raw: bytes, look_up: Callable[[Sequence[Lookup]], Loaded] | None = None) -> Message:
    """A message. ValueError when the bytes are not exactly one message.

    Only the chain knows what is in lookup tables: without `look_up` such addresses are None.
    """
    reader = _Reader(raw)
    # A legacy message starts with the number of signers, which is below 128, so the high bit marks a version.
    versioned = bool(raw[:1]) and raw[0] >= _VERSION_MARK
    if versioned and reader.byte() != _VERSION_MARK:
        raise ValueError("only messages of version 0 are known")
    signers, readonly_signers, readonly_others = (reader.byte() for _ in range(3))
    keys = [base58_encode(reader.take(_KEY_SIZE)) for _ in range(reader.length())]
    if not 0 < signers <= len(keys) or readonly_signers >= signers:
        raise ValueError("the first signer pays, and has to be writable")
    if readonly_others > len(keys) - signers:
        raise ValueError("there are more read-only accounts than accounts")
    blockhash = base58_encode(reader.take(_KEY_SIZE))
    instructions = [reader.instruction() for _ in range(reader.length())]
    lookups = tuple(reader.lookup() for _ in range(reader.length())) if versioned else ()
    if reader.remaining:
        raise ValueError("there is something after the message")
    loaded: Loaded = ((), ()) if look_up is None else look_up(lookups)
    keys += [*loaded[0], *loaded[1]]
    missing = 0 if look_up else sum(len(each.writable) + len(each.readonly) for each in lookups)
    # Indexes of instructions count the static keys first, then the addresses from lookup tables.
    known: list[str | None] = [*keys, *[None] * missing]
    try:
        read = tuple(
            Instruction(known[program], tuple(known[index] for index in accounts), data)
            for program, accounts, data in instructions
        )
    except IndexError:
        raise ValueError("an instruction names an account that is not there") from None
    counts = signers, readonly_signers, readonly_others
    return Message(tuple(keys), *counts, blockhash, read, versioned, lookups, loaded)


def read_lamport_transfer(instruction: Instruction) -> Transfer | None:
    """The lamports that a system instruction transfers, or None."""
    if instruction.program != SYSTEM_PROGRAM:
        return None
    kind = int.from_bytes(instruction.data[:4], "little")
    place = _RECIPIENTS.get(kind)
    if place is None or len(instruction.accounts) <= place:
        return None
    # Data of system instructions is bincode: the number of the instruction as u32, then its fields.
    at = 4
    if kind == _CREATE_ACCOUNT_WITH_SEED:
        # The base key and the seed, whose length is a u64, come before the amount.
        at = 44 + int.from_bytes(instruction.data[36:44], "little")
    amount = instruction.data[at : at + 8]
    if len(amount) < 8:
        return None
    return Transfer(instruction.accounts[place], int.from_bytes(amount, "little"))


def read_token_transfer(instruction: Instruction) -> Transfer | None:
    """The tokens that a token instruction transfers, or None; only TransferChecked names the mint."""
    data, accounts = instruction.data, instruction.accounts
    if data[:2] == _TRANSFER_WITH_FEE and len(data) >= 11:
        # Behind the second byte it is as TransferChecked.
        data = _TRANSFER_CHECKED + data[2:]
    if instruction.program not in TOKEN_PROGRAMS or len(data) < 9:
        return None
    amount = int.from_bytes(data[1:9], "little")
    # Transfer has source, destination and authority; TransferChecked has the mint second.
    if data[:1] == _TRANSFER and len(accounts) >= 3:
        return Transfer(accounts[1], amount)
    if data[:1] == _TRANSFER_CHECKED and len(accounts) >= 4:
        return Transfer(accounts[2], amount, accounts[1])
    return None


class _Reader:
    """Reads a message from its start."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0

    @property
    def remaining(self) -> int:
        """The number of unread bytes."""
        return len(self._raw) - self._at

    def take(self, size: int) -> bytes:
        if size > self.remaining:
            raise ValueError("the message ends early")
        taken = self._raw[self._at : self._at + size]
        self._at += size
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def length(self) -> int:
        """A compact-u16: seven bits a byte, the lowest first."""
        value = 0
        for shift in (0, 7, 14):
            low = self.byte()
            value |= (low & 0x7F) << shift
            if shift and not low:
                break
            if low < 0x80:
                return value
        raise ValueError("a length is no compact-u16")

    def instruction(self) -> tuple[int, bytes, bytes]:
        program = self.byte()
        accounts = self.take(self.length())
        return program, accounts, self.take(self.length())

    def lookup(self) -> Lookup:
        table = base58_encode(self.take(_KEY_SIZE))
        return Lookup(table, self.take(self.length()), self.take(self.length()))
