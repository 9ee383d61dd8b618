"""The System program: accounts, lamports, addresses with seeds, and durable nonces (Agave's instructions)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from typing import NamedTuple

from mockserver.chain.base58 import base58_decode, base58_encode
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, Message
from mockserver.chain.solana.running import (
    Handler,
    ProgramError,
    Run,
    custom_error,
    read_key,
    read_number,
    rent_exempt,
)
from mockserver.chain.solana.tokens import PROGRAM_ADDRESS, SolanaState

_ADVANCE = 4
_NONCE = Struct("<II32s32sQ")
_CURRENT, _INITIALIZED = 1, 1
_UNUSED = b"\1\0\0\0\0\0\0\0"
"""What the data of an account begin with whose nonce is given up."""
LAMPORTS_PER_SIGNATURE = 5_000
_RECENT_BLOCKHASHES = "SysvarRecentB1ockHashes11111111111111111111"
_RENT = "SysvarRent111111111111111111111111111111111"
_MOST_SEED = 32


class Nonce(NamedTuple):
    """A durable nonce: who may use it, and what a transaction names in the place of a recent block hash."""

    authority: str
    value: str

    @classmethod
    def next(cls, authority: str, blockhash: bytes) -> "Nonce":
        """What it is after a block hash."""
        return cls(authority, base58_encode(hashlib.sha256(b"DURABLE_NONCE" + blockhash).digest()))

    def pack(self) -> bytes:
        """The data of its account."""
        keys = base58_decode(self.authority), base58_decode(self.value)
        return _NONCE.pack(_CURRENT, _INITIALIZED, *keys, LAMPORTS_PER_SIGNATURE)


def read_nonce(account: SolanaState) -> Nonce | None:
    """The nonce in an account, or None."""
    if account.owner != SYSTEM_PROGRAM or len(account.data) != _NONCE.size:
        return None
    _, state, authority, value, _ = _NONCE.unpack(account.data)
    return Nonce(base58_encode(authority), base58_encode(value)) if state == _INITIALIZED else None


def find_nonce(message: Message, find_state: Callable[[str], SolanaState]) -> tuple[str, Nonce] | None:
    """The account whose nonce a message names and advances by its first instruction, and the nonce."""
    if not message.instructions:
        return None
    first = message.instructions[0]
    named = [each for each in first.accounts if each is not None]
    if not named or (first.program, first.data[:4]) != (SYSTEM_PROGRAM, _ADVANCE.to_bytes(4, "little")):
        return None
    held, is_writable = read_nonce(find_state(named[0])), message.is_writable(message.keys.index(named[0]))
    if held is None or held.value != message.blockhash or not is_writable:
        return None
    has_signed = held.authority in named and held.authority in message.keys[: message.signers]
    return (named[0], held) if has_signed else None


# --- accounts and lamports -------------------------------------------------------------------------------


def _create_account(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.require_signer(accounts[1])
    run.create(accounts[0], accounts[1], read_number(data), read_number(data, 8), read_key(data, 16))


def _assign(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.assign(accounts[0], read_key(data))


def _transfer(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.pay(accounts[0], accounts[1], read_number(data))


def _allocate(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    run.require_signer(accounts[0])
    run.allocate(accounts[0], read_number(data))


# --- addresses with seeds --------------------------------------------------------------------------------


def _read_seed(data: bytes, at: int) -> tuple[bytes, bytes]:
    """A seed at a place, and what is behind it."""
    end = at + 8 + read_number(data, at)
    return data[at + 8 : end], data[end:]


def _require_derived(address: str, base: str, seed: bytes, owner: str) -> None:
    if len(seed) > _MOST_SEED:
        raise custom_error(0)
    raw = base58_decode(owner)
    if raw.endswith(PROGRAM_ADDRESS):
        raise custom_error(2)
    derived = base58_encode(hashlib.sha256(base58_decode(base) + seed + raw).digest())
    if address != derived:
        raise custom_error(5, f"Create: address {address} does not match derived address {derived}")


def _read_derived(
    run: Run, accounts: list[str], place: int, data: bytes, count: int
) -> tuple[list[int], str]:
    """The numbers and the program behind a base and a seed, which have to give the address at a place."""
    base, (seed, rest) = read_key(data), _read_seed(data, 32)
    numbers, owner = [read_number(rest, 8 * each) for each in range(count)], read_key(rest, 8 * count)
    _require_derived(accounts[place], base, seed, owner)
    _require_signing(run, accounts, base)
    return numbers, owner


def _create_with_seed(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    (lamports, size), owner = _read_derived(run, accounts, 1, data, 2)
    run.require_signer(accounts[0])
    run.create(accounts[0], accounts[1], lamports, size, owner)


def _allocate_with_seed(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    (size,), owner = _read_derived(run, accounts, 0, data, 1)
    run.allocate(accounts[0], size)
    run.assign(accounts[0], owner)


def _assign_with_seed(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    run.assign(accounts[0], _read_derived(run, accounts, 0, data, 0)[1])


def _transfer_with_seed(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    lamports, (seed, rest) = read_number(data), _read_seed(data, 8)
    sender, base, receiver = accounts[0], accounts[1], accounts[2]
    run.require_signer(base)
    _require_derived(sender, base, seed, read_key(rest))
    run.pay(sender, receiver, lamports)


# --- durable nonces --------------------------------------------------------------------------------------


def _require_signing(run: Run, accounts: Sequence[str], address: str) -> None:
    """Refuse an instruction that does not name its authority, or which that has not signed."""
    if address not in accounts:
        raise ProgramError("MissingRequiredSignature")
    run.require_signer(address)


def _require_variables(accounts: Sequence[str], start: int, *variables: str) -> None:
    for place, variable in enumerate(variables, start):
        if accounts[place] != variable:
            raise ProgramError("InvalidArgument")


def _nonce_at(run: Run, address: str) -> Nonce | None:
    """The nonce of an account that is to be changed; None of one that is to be initialized."""
    if not run.message.is_writable(run.message.keys.index(address)):
        raise ProgramError("InvalidArgument")
    account = run.accounts[address]
    found = read_nonce(account)
    is_new = account.owner == SYSTEM_PROGRAM and len(account.data) == _NONCE.size
    if found is None and (not is_new or account.data[:8] not in (bytes(8), _UNUSED)):
        raise ProgramError("InvalidAccountData")
    return found


def _require_nonce(run: Run, address: str) -> Nonce:
    found = _nonce_at(run, address)
    if found is None:
        raise ProgramError("InvalidAccountData")
    return found


def _next(run: Run, found: Nonce) -> Nonce:
    after = Nonce.next(found.authority, run.blockhash)
    if after == found:
        raise custom_error(7, "Advance nonce account: nonce can only advance once per slot")
    return after


def _advance(run: Run, _: str, accounts: list[str], __: bytes) -> None:
    _require_variables(accounts, 1, _RECENT_BLOCKHASHES)
    found = _require_nonce(run, accounts[0])
    _require_signing(run, accounts, found.authority)
    run.put(accounts[0], _next(run, found))


def _withdraw(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    address, receiver, lamports = accounts[0], accounts[1], read_number(data)
    _require_variables(accounts, 2, _RECENT_BLOCKHASHES, _RENT)
    found, held = _nonce_at(run, address), run.accounts[address].lamports
    is_all = lamports == held
    if found is not None and is_all:
        _next(run, found)
        here = run.accounts[address]
        run.accounts[address] = here._replace(data=_UNUSED + here.data[len(_UNUSED) :])
    if lamports > (held if found is None or is_all else held - rent_exempt(_NONCE.size)):
        raise ProgramError("InsufficientFunds", f"Withdraw nonce account: insufficient lamports {held}")
    _require_signing(run, accounts, address if found is None else found.authority)
    run.move(address, receiver, lamports)


def _initialize(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    _require_variables(accounts, 1, _RECENT_BLOCKHASHES, _RENT)
    if _nonce_at(run, accounts[0]) is not None:
        raise ProgramError("InvalidAccountData")
    held, needed = run.accounts[accounts[0]].lamports, rent_exempt(_NONCE.size)
    if held < needed:
        log = f"Initialize nonce account: insufficient lamports {held}, need {needed}"
        raise ProgramError("InsufficientFunds", log)
    run.put(accounts[0], Nonce.next(read_key(data), run.blockhash))


def _authorize(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    found = _require_nonce(run, accounts[0])
    _require_signing(run, accounts, found.authority)
    run.put(accounts[0], found._replace(authority=read_key(data)))


SYSTEM: Mapping[int, Handler] = {
    0: _create_account,
    1: _assign,
    2: _transfer,
    3: _create_with_seed,
    _ADVANCE: _advance,
    5: _withdraw,
    6: _initialize,
    7: _authorize,
    8: _allocate,
    9: _allocate_with_seed,
    10: _assign_with_seed,
    11: _transfer_with_seed,
}
