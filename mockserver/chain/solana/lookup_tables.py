"""The program of address lookup tables, and the addresses that messages take from them (SIMD-128, Agave)."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mockserver.chain.base58 import base58_decode, base58_encode
from mockserver.chain.solana.messages import Loaded, Lookup
from mockserver.chain.solana.running import Handler, ProgramError, Run, read_number, rent_exempt
from mockserver.chain.solana.tokens import EMPTY, SolanaState, program_address

LOOKUP_TABLE_PROGRAM = "AddressLookupTab1e1111111111111111111111111"
_META_SIZE = 56
_MOST_ADDRESSES = 256
_NEVER = 2**64 - 1
_COOL_DOWN_SLOTS = 513
"""After how many slots a table that was deactivated is of no use, and may be closed."""


class LookupTable(NamedTuple):
    """A table: its addresses, who may change it, and in which slots that was done."""

    authority: str | None
    """None of one that is frozen."""
    addresses: tuple[str, ...] = ()
    deactivated: int = _NEVER
    extended: int = 0
    """The slot in which the addresses from `start` on came; they are of use in the next one."""
    start: int = 0

    def pack(self) -> bytes:
        """Its data."""
        numbers = self.deactivated.to_bytes(8, "little") + self.extended.to_bytes(8, "little")
        authority = b"\0" if self.authority is None else b"\1" + base58_decode(self.authority)
        head = b"\1\0\0\0" + numbers + bytes([self.start]) + authority
        return head.ljust(_META_SIZE, b"\0") + b"".join(map(base58_decode, self.addresses))


def read_lookup_table(account: SolanaState) -> LookupTable | None:
    """The table in an account, or None."""
    data = account.data
    if account.owner != LOOKUP_TABLE_PROGRAM or len(data) < _META_SIZE or (len(data) - _META_SIZE) % 32:
        return None
    return LookupTable(
        base58_encode(data[22:54]) if data[21] else None,
        tuple(base58_encode(data[at : at + 32]) for at in range(_META_SIZE, len(data), 32)),
        int.from_bytes(data[4:12], "little"),
        int.from_bytes(data[12:20], "little"),
        data[20],
    )


class LookupFailed(Exception):
    """A message takes addresses that are not there; in the node's words."""


def look_up(lookups: Sequence[Lookup], state_of: Callable[[str], SolanaState], slot: int) -> Loaded:
    """The addresses of all lookups, as they are in a slot. LookupFailed where there are none."""
    writable, readonly = list[str](), list[str]()
    for each in lookups:
        account = state_of(each.table)
        table = read_lookup_table(account)
        if table is None and account != EMPTY:
            raise LookupFailed("Transaction loads an address table account with an invalid owner")
        if table is None or table.deactivated + _COOL_DOWN_SLOTS <= slot:
            raise LookupFailed("Transaction loads an address table account that doesn't exist")
        usable = table.addresses if slot > table.extended else table.addresses[: table.start]
        if any(place >= len(usable) for place in each.writable + each.readonly):
            raise LookupFailed("Transaction address table lookup uses an invalid index")
        writable += (usable[place] for place in each.writable)
        readonly += (usable[place] for place in each.readonly)
    return tuple(writable), tuple(readonly)


# --- instructions ----------------------------------------------------------------------------------------


def _create(run: Run, program: str, accounts: list[str], data: bytes) -> None:
    address, authority, payer = accounts[0], accounts[1], accounts[2]
    recent, bump = read_number(data), read_number(data, 8, 1)
    run.require_signer(payer)
    if recent > run.slot:
        raise ProgramError("InvalidInstructionData", f"{recent} is not a recent slot")
    if address != program_address((base58_decode(authority), data[:8], bytes([bump])), program):
        raise ProgramError("InvalidArgument", "Table address must match derived address")
    if run.accounts[address].owner == program:
        return
    run.accounts[address] = run.accounts[address]._replace(owner=program)
    _put(run, address, LookupTable(authority), payer)


def _require_table(run: Run, accounts: list[str], *, is_active: bool = True) -> LookupTable:
    """The table in the first account, which the second one may change. ProgramError if it may not."""
    table, authority = read_lookup_table(run.accounts[accounts[0]]), accounts[1]
    if table is None:
        raise ProgramError("InvalidAccountOwner")
    run.require_signer(authority)
    if table.authority != authority:
        raise ProgramError("IncorrectAuthority" if table.authority else "Immutable")
    if is_active and table.deactivated != _NEVER:
        raise ProgramError("InvalidArgument", "Lookup table is deactivated")
    return table


def _freeze(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    table = _require_table(run, accounts)
    if not table.addresses:
        raise ProgramError("InvalidInstructionData", "Empty lookup tables cannot be frozen")
    _put(run, accounts[0], table._replace(authority=None), None)


def _extend(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    table, count = _require_table(run, accounts), read_number(data)
    if not count or len(table.addresses) + count > _MOST_ADDRESSES or len(data) < 8 + 32 * count:
        raise ProgramError("InvalidInstructionData")
    added = tuple(base58_encode(data[at : at + 32]) for at in range(8, 8 + 32 * count, 32))
    if table.extended != run.slot:
        table = table._replace(extended=run.slot, start=len(table.addresses))
    table = table._replace(addresses=table.addresses + added)
    _put(run, accounts[0], table, accounts[2] if len(accounts) > 2 else None)


def _deactivate(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    _put(run, accounts[0], _require_table(run, accounts)._replace(deactivated=run.slot), None)


def _close(run: Run, _: str, accounts: list[str], data: bytes) -> None:
    address, receiver = accounts[0], accounts[2]
    table = _require_table(run, accounts, is_active=False)
    if address == receiver:
        raise ProgramError("InvalidArgument", "Lookup table cannot be the recipient of reclaimed lamports")
    if run.slot < table.deactivated + _COOL_DOWN_SLOTS:
        raise ProgramError("InvalidArgument", "Lookup table is not deactivated long enough")
    run.move(address, receiver, run.accounts[address].lamports)
    # Its owner stays the same, which counts if lamports come to it afterwards.
    run.accounts[address] = run.accounts[address]._replace(data=b"")


def _put(run: Run, address: str, table: LookupTable, payer: str | None) -> None:
    """Store a table; what it lacks for its rent comes from the payer."""
    data = table.pack()
    missing = rent_exempt(len(data)) - run.accounts[address].lamports
    if missing > 0:
        if payer is None:
            raise ProgramError("NotEnoughAccountKeys")
        run.require_signer(payer)
        run.pay(payer, address, missing)
    run.accounts[address] = run.accounts[address]._replace(data=data)


LOOKUP_TABLES: Mapping[int, Handler] = {0: _create, 1: _freeze, 2: _extend, 3: _deactivate, 4: _close}
