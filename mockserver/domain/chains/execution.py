"""Contracts with code: calls of them are executed, on the rows of the project.

An address without code stays what it was: an account, or a contract whose calls are simulated. Contracts with
code can call it all the same: see `native_contracts`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mockserver.chain.addresses import address_bytes, checksum_of
from mockserver.domain.chains import ledger
from mockserver.domain.chains.networks import fees_of
from mockserver.kernel.effort import Work, finish
from mockserver.state.chains import ContractCode, TracedCall
from mockserver.state.onchain import Log
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm import frames, interpreter, state
    from mockserver.chain.transactions import EvmTransaction
    from mockserver.domain.chains.native_contracts import NativeContracts

T = TypeVar("T")
REVERTED = "execution reverted"
"""The error of a call that undid itself."""
_MOST_KEPT_BYTES = 4_096
"""How much of the input and of the output of a traced call is kept."""


class Executed(NamedTuple):
    """What came of a call that was executed."""

    gas_used: int
    """Less what was refunded."""
    output: bytes
    """What it returned, or the data of its revert."""
    error: str | None = None
    """Why it was undone."""
    logs: tuple[Log, ...] = ()
    trace: tuple[TracedCall, ...] = ()
    refunded: int = 0
    """The gas that was given back."""

    @property
    def halted(self) -> str | None:
        """Why it was stopped, unless it reverted by itself."""
        return None if self.error == REVERTED else self.error


# --- code and storage ----------------------------------------------------------------------------------


def set_code(project: Project, chain_id: int, address: str, code: bytes) -> None:
    """Put code at an address; without any, its calls are simulated again. Its storage stays."""
    row_id = f"{chain_id}:{address.lower()}"
    if code:
        project.chains.codes.put(ContractCode(row_id, code))
    elif row_id in project.chains.codes:
        project.chains.codes.remove(row_id)


def remove_contract(project: Project, chain_id: int, address: str) -> None:
    """Remove code and storage of an address."""
    set_code(project, chain_id, address, b"")
    for row in project.chains.slots.find("contract", f"{chain_id}:{address.lower()}"):
        project.chains.slots.remove(row.id)


def slots_of(project: Project, chain_id: int, address: str) -> dict[int, int]:
    """The storage of an address: the slots that are not 0."""
    rows = project.chains.slots.find("contract", f"{chain_id}:{address.lower()}")
    return {int(row.id.rpartition(":")[2], 16): row.value for row in rows}


def copy_now(project: Project) -> Project:
    """A copy of a project as it is, with its clock stopped. What is changed in one is not in the other."""
    from mockserver.state.saved.rewinding import copy_of

    copy = copy_of(project, project.snapshot())
    copy.clock.freeze_at(project.clock.now_ms)
    return copy


def try_out(project: Project, attempt: Callable[[Project], Work[T]]) -> Work[T]:
    """What comes of an attempt, which is undone. If it is not over after a slice, a copy has it made anew."""
    with project.undo.undone():
        work = attempt(project)
        try:
            next(work)
        except StopIteration as end:
            made: T = end.value
            return made
    copy = copy_now(project)
    yield
    return (yield from attempt(copy))


class Reader:
    """The rows of a project as the machine reads them."""

    def __init__(self, project: Project, chain_id: int, natives: NativeContracts) -> None:
        self._project = project
        self._chain_id = chain_id
        self._natives = natives

    def account(self, address: bytes) -> state.Account:
        from mockserver.chain.evm.state import NATIVE_CODE, Account, delegation_to

        project, chain_id, text = self._project, self._chain_id, "0x" + address.hex()
        row = ledger.chain_account(project, chain_id, text)
        code = ledger.code_at(project, chain_id, text)
        if not code and row.delegate is not None:
            code = delegation_to(address_bytes(row.delegate))
        elif not code and self._natives.is_contract(text):
            code = NATIVE_CODE
        return Account(row.nonce, row.balance, code)

    def storage(self, address: bytes, slot: int) -> int:
        return ledger.slot_at(self._project, self._chain_id, "0x" + address.hex(), slot)

    def has_storage(self, address: bytes) -> bool:
        return bool(self._project.chains.slots.first("contract", f"{self._chain_id}:0x{address.hex()}"))

    def block_hash(self, number: int) -> bytes:
        block = ledger.block_by_number(self._project, self._chain_id, number)
        return bytes.fromhex(block.hash[2:])


def code_seen(project: Project, chain_id: int, address: str) -> bytes:
    """The code of an address as contracts see it: a designator if it delegates, a byte if it is native."""
    from mockserver.domain.chains.native_contracts import NativeContracts

    reader = Reader(project, chain_id, NativeContracts(project, chain_id))
    return reader.account(address_bytes(address)).code


# --- calls ---------------------------------------------------------------------------------------------


class Executor:
    """Executes the calls of one transaction, one after the other: what one has warmed stays warm."""

    def __init__(
        self,
        project: Project,
        chain_id: int,
        origin: str,
        watch: interpreter.Watch | None = None,
        *,
        logs_transfers: bool = False,
        **changed: Any,
    ) -> None:
        """`watch` is told of each instruction; `changed` members of the block's environment are otherwise.

        With `logs_transfers` coins that are moved are among the logs.
        """
        # On first use: most projects have no contracts with code.
        from mockserver.chain.evm.precompiles import precompiles_of
        from mockserver.chain.evm.state import State, StateWithTransfers
        from mockserver.domain.chains.native_contracts import NativeContracts

        self._project = project
        self._chain_id = chain_id
        self._watch = watch
        self.environment = _environment(project, chain_id, origin)._replace(**changed)
        self.natives = NativeContracts(project, chain_id)
        self.amend: interpreter.Amend | None = None
        """May change what comes of a call, other than of a transaction."""
        self._reader = Reader(project, chain_id, self.natives)
        self.always_warm = {self.environment.coinbase, *precompiles_of(self.environment.fork).values()}
        """What costs nothing to look at, besides the sender and the target."""
        self._state = (StateWithTransfers if logs_transfers else State)(self._reader, self.natives.find)
        for address in (self.environment.origin, *self.always_warm):
            self._state.warm(address)

    def check(self, transaction: EvmTransaction, *, is_signed: bool = True) -> None:
        """InvalidTransaction unless a transaction could be in the current block as its sender's next one.

        One that its sender has not signed may be of a contract.
        """
        from mockserver.chain.evm.transactions import check

        check(self._reader, self.environment, transaction, is_signed)

    def transact(self, transaction: EvmTransaction) -> Work[Executed]:
        """Execute a transaction whose nonce is used and whose gas is paid, as the Yellow Paper has it."""
        from mockserver.chain.evm import transactions

        state, environment = self._state, self.environment
        price = transaction.price_at(environment.base_fee)
        blobs = transaction.blob_hashes or ()
        self.environment = environment._replace(gas_price=price, blob_hashes=blobs)
        transactions.warm_up(state, environment, transaction)
        transactions.delegate(state, self._chain_id, transaction)
        intrinsic = transactions.intrinsic_gas(transaction)
        call = transactions.call_of(state, transaction, transaction.gas - intrinsic)
        return self._execute(call, intrinsic, transactions.floor_gas(transaction.data), transaction)

    def call(
        self, sender: str, to: str, value: int, data: bytes, gas: int, *, is_static: bool = False
    ) -> Work[Executed]:
        """Call an address, and store what that changes; `value` is wei."""
        from mockserver.chain.evm.transactions import call_to

        call = call_to(self._state, address_bytes(sender), address_bytes(to), value, data, gas)
        return self._execute(call._replace(is_static=is_static))

    def create(self, sender: str, address: str, value: int, init_code: bytes, gas: int) -> Work[Executed]:
        """Create a contract at an address, and store its code."""
        from mockserver.chain.evm.frames import Call

        made = Call("CREATE", address_bytes(sender), address_bytes(address), value, b"", gas, init_code)
        return self._execute(made)

    @property
    def accessed(self) -> dict[bytes, list[int]]:
        """The addresses that were looked at, with the slots of their storage."""
        found: dict[bytes, list[int]] = {}
        for key in self._state.warmed:
            address, *slots = key if isinstance(key, tuple) else (key,)
            found.setdefault(address, []).extend(slots)
        return found

    def _execute(
        self, call: frames.Call, intrinsic: int = 0, floor: int = 0, transaction: EvmTransaction | None = None
    ) -> Work[Executed]:
        """Make a call, of a transaction with its intrinsic gas and the least that it costs."""
        from mockserver.chain.evm.frames import Unsupported
        from mockserver.chain.evm.interpreter import execute
        from mockserver.chain.evm.transactions import execute_call

        state = self._state
        state.warm(call.address)
        if state.account(call.caller).balance < call.value:
            return Executed(intrinsic, b"", "insufficient balance for transfer")
        refunds, savepoint = 0 if intrinsic else state.refunds, state.savepoint()
        make = execute_call if intrinsic else partial(execute, amend=self.amend)
        try:
            trace = yield from self._run((call, transaction), call, make)
        except Unsupported as error:
            state.roll_back_to(savepoint)
            return Executed(intrinsic + call.gas, b"", str(error))
        state = self._state
        logs, used = tuple(map(_to_log, state.logs)), intrinsic + trace.gas_used
        # EIP-3529: at most a fifth is refunded.
        peak = used
        used = max(floor, used - max(0, min(used // 5, state.refunds - refunds)))
        self._keep()
        traced = tuple(_flatten(trace, 0))
        return Executed(used, trace.output, trace.error, logs, traced, max(0, peak - used))

    def _run(
        self, key: Hashable, call: frames.Call, make: Callable[..., interpreter.Execution]
    ) -> interpreter.Execution:
        """What comes of a call; `key` is all that it depends on besides what it reads."""
        return make(self._state, self.environment, call, self._watch)

    def _keep(self) -> None:
        """Store what the last call has changed. What a contract destroys with itself is burned."""
        project, chain_id = self._project, self._chain_id
        accounts, slots = self._state.take_writes()
        rows = {raw: ledger.chain_account(project, chain_id, "0x" + raw.hex()) for raw in accounts}
        held = sum(account.balance for account in accounts.values() if account is not None)
        burned = sum(row.balance for row in rows.values()) - held
        for raw, account in accounts.items():
            nonce, balance, code = account or (0, 0, b"")
            row = rows[raw]._replace(nonce=nonce, balance=balance, delegate=_delegate_of(account))
            if account is None and burned:
                row, burned = row._replace(issued=row.issued - burned), 0
            if row != rows[raw]:
                ledger.write(project, row)
            if account is None:
                remove_contract(project, chain_id, "0x" + raw.hex())
            self._keep_code("0x" + raw.hex(), code)
        for (raw, slot), value in slots.items():
            ledger.set_slot(project, chain_id, "0x" + raw.hex(), slot, value)

    def _keep_code(self, address: str, code: bytes) -> None:
        from mockserver.chain.evm.state import NATIVE_CODE

        # Delegations of the project's accounts are theirs, and native code is none.
        if code == NATIVE_CODE or code.startswith(b"\xef"):
            return
        if code != ledger.code_at(self._project, self._chain_id, address):
            set_code(self._project, self._chain_id, address, code)


def ask_contract(project: Project, chain_id: int, sender: str, address: str, data: bytes) -> bytes:
    """What a contract answers to a call that changes nothing; empty if it fails."""
    executor, gas = Executor(project, chain_id, sender), project.settings.contract_gas_limit
    executed = finish(executor.call(sender, address, 0, data, gas, is_static=True))
    return executed.output if executed.error is None else b""


def _delegate_of(account: state.Account | None) -> str | None:
    delegate = account.delegate if account is not None else None
    return None if delegate is None else checksum_of(delegate)


def _environment(project: Project, chain_id: int, origin: str) -> state.Environment:
    from mockserver.chain.evm.state import Environment

    block, fees = ledger.block_at(project, chain_id, project.clock.now_ms), fees_of(project, chain_id)
    return Environment(
        chain_id=chain_id,
        number=block.number,
        timestamp=ledger.block_time_s(project, chain_id, block.number),
        coinbase=address_bytes(ledger.FEE_RECIPIENT),
        base_fee=fees.base_fee,
        prev_randao=int(block.hash, 16),
        origin=address_bytes(origin),
        gas_price=fees.price,
    )


def _to_log(log: state.Log) -> Log:
    topics = tuple("0x" + topic.to_bytes(32, "big").hex() for topic in log.topics)
    return Log(checksum_of(log.address), topics, "0x" + log.data.hex())


def _flatten(trace: interpreter.CallTrace, depth: int) -> Iterator[TracedCall]:
    """A call and those that it made, each before its own."""
    call = trace.call
    yield TracedCall(
        depth=depth,
        kind=call.kind,
        # The account that delegates, whose caller is the sender of the call around this one.
        sender=checksum_of(call.address if call.kind == "DELEGATECALL" else call.caller),
        to=checksum_of(call.code_address or call.address),
        value=call.value,
        input=(call.data or call.code if call.is_creation else call.data)[:_MOST_KEPT_BYTES],
        output=trace.output[:_MOST_KEPT_BYTES],
        gas_used=trace.gas_used,
        error=trace.error,
        gas=call.gas,
        stopped_at=trace.stopped_at,
    )
    for made in trace.calls:
        yield from _flatten(made, depth + 1)
