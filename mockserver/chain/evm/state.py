"""The state that an execution sees and changes: an overlay of what a reader gives, with a journal."""

from collections.abc import Callable, Hashable, Mapping
from enum import IntEnum
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

_DELEGATION = b"\xef\x01\x00"
COINS = b"\xee" * 20
"""Where the logs of moved coins are from, which is the address that stands for the native coin."""
_TRANSFER = int("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", 16)
"""The first topic of `Transfer(address,address,uint256)`."""
_ABSENT = object()


class Fork(IntEnum):
    """A fork: `fork >= Fork.PRAGUE` says that the rules of Prague hold."""

    CANCUN = 1
    PRAGUE = 2
    OSAKA = 3


class Account(NamedTuple):
    """The state of an address (Yellow Paper, 4.1), without its storage. The balance is wei."""

    nonce: int = 0
    balance: int = 0
    code: bytes = b""

    @property
    def is_empty(self) -> bool:
        """Whether it is as if it did not exist (EIP-161)."""
        return not (self.nonce or self.balance or self.code)

    @property
    def delegate(self) -> bytes | None:
        """The address to whose code it has delegated its own (EIP-7702)."""
        is_designator = len(self.code) == 23 and self.code.startswith(_DELEGATION)
        return self.code[3:] if is_designator else None


EMPTY = Account()
NATIVE_CODE = b"\xfe"
"""The code of a contract that is not executed but does what a function of Python does."""


def delegation_to(address: bytes) -> bytes:
    """The code of an account that delegates to an address, empty for the zero address (EIP-7702)."""
    return _DELEGATION + address if any(address) else b""


class Reader(Protocol):
    """The state before an execution. Addresses are 20 bytes; slots and values are integers."""

    def account(self, address: bytes) -> Account:
        """The account at an address; `EMPTY` where there is none."""

    def storage(self, address: bytes, slot: int) -> int:
        """The value in a slot of storage, 0 where nothing was stored."""

    def has_storage(self, address: bytes) -> bool:
        """Whether any slot of an address has another value than 0."""

    def block_hash(self, number: int) -> bytes:
        """The hash of one of the last 256 blocks."""


class Log(NamedTuple):
    """An event that code has emitted."""

    address: bytes
    topics: tuple[int, ...]
    data: bytes


class Environment(NamedTuple):
    """What code can ask of its block and its transaction. Amounts are wei, the timestamp is in seconds."""

    chain_id: int
    number: int
    timestamp: int
    coinbase: bytes
    base_fee: int
    prev_randao: int
    origin: bytes
    gas_price: int
    gas_limit: int = 30_000_000
    blob_base_fee: int = 1
    blob_hashes: tuple[bytes, ...] = ()
    fork: Fork = Fork.OSAKA
    moved: Mapping[bytes, bytes] = MappingProxyType({})
    """Addresses, and those whose precompiled contracts they have instead; without one it is empty."""


class State:
    """The state during one transaction. Every change is undone by `roll_back_to`, also what has become warm.

    `take_writes` has what is to be stored. `native` gives what a call of an address does whose code is
    `NATIVE_CODE`: a function like that of an instruction, with changes of its own that `when_undone` undoes.
    """

    def __init__(
        self, reader: Reader, native: Callable[[bytes], Callable[[Any], Any] | None] = lambda address: None
    ) -> None:
        self._reader = reader
        self._account = cache(reader.account)
        self.block_hash = reader.block_hash
        self.native = native
        self._journal: list[tuple[dict[Any, Any], Hashable, Any]] = []
        self._accounts: dict[bytes, Account] = {}
        self._storage: dict[tuple[bytes, int], int] = {}
        self._read: dict[tuple[bytes, int], int] = {}
        self._transient: dict[tuple[bytes, int], int] = {}
        self._warm: dict[Hashable, bool] = {}
        self._was_warm: dict[Hashable, bool] = {}
        """What was undone with the call that accessed it."""
        self._created: dict[bytes, bool] = {}
        self._destroyed: dict[bytes, bool] = {}
        self._refunds: dict[None, int] = {}
        self._undone: dict[Any, Any] = {}
        self._logs: dict[int, Log] = {}

    def copy(self, reader: Reader, native: Callable[[bytes], Callable[[Any], Any] | None]) -> Self:
        """The same state over another reader, with nothing to undo."""
        made = type(self)(reader, native)
        vars(made).update((name, dict(value)) for name, value in self._mappings().items())
        return made

    def is_like(self, other: "State") -> bool:
        """Whether another one has the same changes, and the same is warm."""
        return self._mappings() == other._mappings()

    def _mappings(self) -> dict[str, dict[Any, Any]]:
        return {name: value for name, value in vars(self).items() if isinstance(value, dict)}

    # --- accounts --------------------------------------------------------------------------------------

    def account(self, address: bytes) -> Account:
        """The account at an address as it is now."""
        found = self._accounts.get(address)
        return self._account(address) if found is None else found

    def put(self, address: bytes, account: Account) -> None:
        """Change an account; the same one as before counts as touched."""
        if account is not self._accounts.get(address):
            self._set(self._accounts, address, account)

    def move(self, sender: bytes, receiver: bytes, value: int) -> None:
        """Move wei that the sender has; the receiver is touched, even by nothing."""
        for address, wei in ((sender, -value), (receiver, value)):
            here = self.account(address)
            self.put(address, here._replace(balance=here.balance + wei) if wei else here)

    def use_nonce(self, address: bytes) -> None:
        """Count the nonce of an address up."""
        here = self.account(address)
        self.put(address, here._replace(nonce=here.nonce + 1))

    def can_create(self, address: bytes) -> bool:
        """Whether no code is at an address that is executed, no nonce and no storage (EIP-684, EIP-7610)."""
        here = self.account(address)
        is_executed = here.code not in (b"", NATIVE_CODE)
        return not (here.nonce or is_executed or self._reader.has_storage(address))

    def create(self, address: bytes) -> None:
        """Begin a contract, whose first nonce is 1 (EIP-161)."""
        self._set(self._created, address, True)
        self.put(address, self.account(address)._replace(nonce=1))

    def destroy(self, address: bytes, beneficiary: bytes) -> None:
        """SELFDESTRUCT: move all coins; remove the contract if this transaction has created it (EIP-6780)."""
        self.move(address, beneficiary, self.account(address).balance)
        if address in self._created:
            # What it gave to itself is burned.
            self.put(address, self.account(address)._replace(balance=0))
            self._set(self._destroyed, address, True)

    # --- storage ---------------------------------------------------------------------------------------

    def load(self, address: bytes, slot: int) -> int:
        """The value in a slot as it is now."""
        found = self._storage.get((address, slot))
        return self._reader.storage(address, slot) if found is None else found

    def original(self, address: bytes, slot: int) -> int:
        """The value in a slot before the transaction."""
        if address in self._created:
            return 0
        found = self._read.get((address, slot))
        if found is None:
            found = self._read[address, slot] = self._reader.storage(address, slot)
        return found

    def store(self, address: bytes, slot: int, value: int) -> None:
        """Change a slot."""
        self._set(self._storage, (address, slot), value)

    def load_transient(self, address: bytes, slot: int) -> int:
        """The value in a slot of transient storage (EIP-1153)."""
        return self._transient.get((address, slot), 0)

    def store_transient(self, address: bytes, slot: int, value: int) -> None:
        """Change a slot of transient storage."""
        self._set(self._transient, (address, slot), value)

    # --- what lasts as long as the transaction ---------------------------------------------------------

    def warm(self, key: Hashable) -> bool:
        """Whether an address, or an address with a slot, was accessed before; now it was (EIP-2929)."""
        if key in self._warm:
            return True
        self._set(self._warm, key, True)
        return False

    @property
    def warmed(self) -> tuple[Any, ...]:
        """The addresses, and the addresses with a slot, that were accessed, also by what was undone."""
        return tuple(self._was_warm | self._warm)

    def emit(self, log: Log) -> None:
        """Add an event."""
        self._set(self._logs, len(self._logs), log)

    def refund(self, gas: int) -> None:
        """Add to the gas that is given back in the end, or take from it."""
        self._set(self._refunds, None, self.refunds + gas)

    @property
    def refunds(self) -> int:
        """The gas to give back, before its limit (EIP-3529)."""
        return self._refunds.get(None, 0)

    @property
    def logs(self) -> tuple[Log, ...]:
        """The events of what was not reverted, in order."""
        return tuple(self._logs.values())

    # --- undoing, and the end --------------------------------------------------------------------------

    def savepoint(self) -> int:
        """A position to roll back to."""
        return len(self._journal)

    def roll_back_to(self, savepoint: int) -> None:
        """Revert every change since a savepoint."""
        while len(self._journal) > savepoint:
            mapping, key, before = self._journal.pop()
            if mapping is self._undone:
                before()
            elif before is _ABSENT:
                del mapping[key]
                if mapping is self._warm:
                    self._was_warm[key] = True
            else:
                mapping[key] = before

    def when_undone(self, undo: Callable[[], object]) -> None:
        """Call this if what happens now is undone."""
        self._journal.append((self._undone, None, undo))

    def take_writes(self) -> tuple[dict[bytes, Account | None], dict[tuple[bytes, int], int]]:
        """What has changed: accounts, with None for what does not exist now, and slots of those that do.

        The reader has it from now on; what is warm, created or transient stays so for the next call.
        """
        gone = self._destroyed
        accounts = {
            address: None if address in gone or account.is_empty else account
            for address, account in self._accounts.items()
        }
        slots = {
            (address, slot): value
            for (address, slot), value in self._storage.items()
            if address not in gone and value != self._read.get((address, slot), 0)
        }
        self._journal.clear()
        self._account.cache_clear()
        for taken in (self._accounts, self._storage, self._destroyed, self._logs):
            taken.clear()
        return accounts, slots

    def _set(self, mapping: dict[Any, Any], key: Hashable, value: object) -> None:
        self._journal.append((mapping, key, mapping.get(key, _ABSENT)))
        mapping[key] = value


class StateWithTransfers(State):
    """A state in which moving coins emits an event, as that of a token does (eth_simulateV1)."""

    def move(self, sender: bytes, receiver: bytes, value: int) -> None:
        """Move wei that the sender has, and emit the event if there are any."""
        super().move(sender, receiver, value)
        if value:
            topics = (_TRANSFER, int.from_bytes(sender, "big"), int.from_bytes(receiver, "big"))
            self.emit(Log(COINS, topics, value.to_bytes(32, "big")))
