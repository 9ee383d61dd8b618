"""A state in memory, an assembler and compiled contracts, for tests of the machine."""

import json
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.chain.abi.functions import encode_call, encode_values, parse_function
from mockserver.chain.evm.frames import Call
from mockserver.chain.evm.instructions import instructions_of
from mockserver.chain.evm.interpreter import CallTrace, Watch, execute
from mockserver.chain.evm.state import EMPTY, Account, Environment, Fork, Log, Reader, State
from mockserver.chain.evm.transactions import (
    call_of,
    check,
    delegate,
    execute_call,
    floor_gas,
    intrinsic_gas,
    warm_up,
)
from mockserver.chain.transactions import EvmTransaction
from mockserver.kernel.effort import finish

ALICE, BOB, HERE = b"\xaa" * 20, b"\xbb" * 20, b"\xcc" * 20
ENVIRONMENT = Environment(
    chain_id=84532,
    number=1_000,
    timestamp=1_700_000_000,
    coinbase=bytes(20),
    base_fee=0,
    prev_randao=0,
    origin=bytes(20),
    gas_price=0,
)
CONTRACTS = json.loads((Path(__file__).parent / "contracts.json").read_text())["contracts"]
_BYTES = {name: byte for byte, (_, _, name) in enumerate(instructions_of(Fork.OSAKA)) if name != "INVALID"}


class Memory:
    """Accounts and storage in dicts; what an execution writes is taken over by `keep`."""

    def __init__(self, accounts: Mapping[bytes, Account] | None = None) -> None:
        self.accounts = dict(accounts or {})
        self.slots: dict[tuple[bytes, int], int] = {}

    def account(self, address: bytes) -> Account:
        return self.accounts.get(address, EMPTY)

    def storage(self, address: bytes, slot: int) -> int:
        return self.slots.get((address, slot), 0)

    def has_storage(self, address: bytes) -> bool:
        return any(value for (at, _), value in self.slots.items() if at == address)

    def block_hash(self, number: int) -> bytes:
        return number.to_bytes(32, "big")

    def keep(self, accounts: Mapping[bytes, Account | None], slots: Mapping[tuple[bytes, int], int]) -> None:
        for address, account in accounts.items():
            if account is None:
                self.accounts.pop(address, None)
            else:
                self.accounts[address] = account
        self.slots |= slots


def assemble(program: str) -> bytes:
    """Code from mnemonics and hexadecimal numbers, which are pushed in as many bytes as they are written."""
    code = b""
    for word in program.split():
        if word.startswith("0x"):
            data = bytes.fromhex(word[2:].zfill(len(word[2:]) + len(word[2:]) % 2))
            code += bytes([0x5F + len(data)]) + data
        else:
            code += bytes([_BYTES[word]])
    return code


def run(
    code: bytes | str,
    data: bytes = b"",
    *,
    memory: Memory | None = None,
    value: int = 0,
    gas: int = 1_000_000,
    environment: Environment = ENVIRONMENT,
) -> CallTrace:
    """Call code at an address of its own; what it writes is kept in the memory."""
    memory = Memory() if memory is None else memory
    code = assemble(code) if isinstance(code, str) else code
    memory.accounts[HERE] = memory.account(HERE)._replace(code=code)
    return send(memory, HERE, data, value=value, gas=gas, environment=environment)


def send(
    memory: Memory,
    to: bytes,
    data: bytes = b"",
    *,
    sender: bytes = ALICE,
    value: int = 0,
    gas: int = 1_000_000,
    environment: Environment = ENVIRONMENT,
) -> CallTrace:
    """Call a contract, and keep what it writes."""
    state = State(memory)
    call = Call("CALL", sender, to, value, data, gas, memory.account(to).code, to)
    trace = finish(execute(state, environment, call))
    memory.keep(*state.take_writes())
    return trace


def deploy(memory: Memory, name: str, *arguments: object, value: int = 0, sender: bytes = ALICE) -> bytes:
    """Create one of the compiled contracts; returns its address."""
    contract = CONTRACTS[name]
    types = next(
        (
            [one["type"] for one in entry["inputs"]]
            for entry in contract["abi"]
            if entry["type"] == "constructor"
        ),
        [],
    )
    init_code = bytes.fromhex(contract["creation_cancun"].removeprefix("0x")) + encode_values(
        types, arguments
    )
    address = bytes([len(memory.accounts) + 1]) * 20
    state = State(memory)
    trace = finish(execute(state, ENVIRONMENT, Call("CREATE", sender, address, value, b"", 10**7, init_code)))
    assert trace.error is None, trace.error
    memory.keep(*state.take_writes())
    return address


def calldata(name: str, function: str, *arguments: object) -> bytes:
    """The data of a call of a function of a compiled contract."""
    entries: Iterable[Mapping[str, Any]] = CONTRACTS[name]["abi"]
    entry = next(one for one in entries if one.get("name") == function and one["type"] == "function")
    return encode_call(parse_function(entry), arguments)


class Outcome(NamedTuple):
    """What a transaction changes, and what it was."""

    trace: CallTrace
    gas_used: int
    """After refunds."""
    logs: tuple[Log, ...]
    accounts: dict[bytes, Account | None]
    """The accounts that were touched; None for one that does not exist afterwards."""
    storage: dict[tuple[bytes, int], int]
    """The slots that have another value."""


def apply(
    reader: Reader, environment: Environment, transaction: EvmTransaction, watch: Watch | None = None
) -> Generator[None, None, Outcome]:
    """Execute a transaction in a block. InvalidTransaction if it cannot be in this one.

    `environment` is that of the block; what is the transaction's own is filled in here.
    """
    check(reader, environment, transaction)
    fork, sender = environment.fork, transaction.sender
    price = transaction.price_at(environment.base_fee)
    blobs = transaction.blob_hashes or ()
    environment = environment._replace(origin=sender, gas_price=price, blob_hashes=blobs)
    state = State(reader)
    blob_fee = transaction.blob_gas * environment.blob_base_fee
    _pay(state, sender, -transaction.gas * price - blob_fee)
    state.use_nonce(sender)
    warm_up(state, environment, transaction)
    delegate(state, environment.chain_id, transaction)
    gas = transaction.gas - intrinsic_gas(transaction)
    trace = yield from execute_call(state, environment, call_of(state, transaction, gas), watch)
    used = transaction.gas - trace.gas_left
    used -= min(used // 5, state.refunds)
    if fork >= Fork.PRAGUE:
        used = max(used, floor_gas(transaction.data))
    _pay(state, sender, (transaction.gas - used) * price)
    _pay(state, environment.coinbase, used * (price - environment.base_fee))
    return Outcome(trace, used, state.logs, *state.take_writes())


def _pay(state: State, address: bytes, wei: int) -> None:
    account = state.account(address)
    state.put(address, account._replace(balance=account.balance + wei))
