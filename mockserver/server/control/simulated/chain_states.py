"""States of chains: in the form in which Anvil and geth dump them."""

import gzip
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, Discriminator, Tag
from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.addresses import is_address, to_checksum
from mockserver.domain.chains import execution, ledger
from mockserver.kernel.spelling import quote, shorten
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.simulated.chains import parse_chain_id
from mockserver.server.control.simulated.contracts import MOST_BYTES
from mockserver.state.project import Project

chain_states = ControlGroup("Chains")

_MOST_ACCOUNTS = 10_000
_PASSED_OVER = ConfigDict(extra="ignore")


class DumpedAccount(TypedDict, total=False):
    """An account in a dump. Numbers are decimal, or hexadecimal with 0x."""

    __pydantic_config__ = _PASSED_OVER  # type: ignore[misc]
    nonce: int | str
    balance: int | str
    """In wei."""
    code: str | None
    """The code that is executed."""
    storage: dict[str, str] | None
    """The slots of its storage and their values, in hexadecimal."""


class ChainDump(TypedDict, total=False):
    """A dump; what else it has is passed over."""

    __pydantic_config__ = _PASSED_OVER  # type: ignore[misc]
    accounts: dict[str, DumpedAccount]
    """The accounts by address, as Anvil and `geth dump` write them."""
    alloc: dict[str, DumpedAccount]
    """The accounts of a genesis file."""


class LoadChainState(ControlBody):
    """A state of Anvil (`--dump-state`, `anvil_dumpState`) or of geth (`geth dump`, a genesis file)."""

    state: Annotated[
        Annotated[ChainDump, Tag("dict")] | Annotated[str, Tag("str")],
        Discriminator(lambda given: "dict" if isinstance(given, dict) else "str"),
    ]
    """The dump as JSON, or the hexadecimal text that `anvil_dumpState` answers."""


class ChainBlockAnswer(TypedDict):
    """The latest block of a chain; numbers in hexadecimal."""

    number: str
    """Its number."""
    timestamp: str
    """Its time in seconds since the Unix epoch."""
    coinbase: str
    """The address to which gas fees are paid."""


class ChainStateAnswer(TypedDict):
    """The state of a chain in the form of Anvil's dumps."""

    block: ChainBlockAnswer
    """The latest block, by the project's clock."""
    accounts: dict[str, DumpedAccount]
    """The accounts by address."""


class LoadedStateAnswer(TypedDict):
    """What was loaded."""

    accounts: int
    """How many accounts there were."""
    contracts: int
    """How many of them have code."""


@chain_states.operation("GET /chains/{chain}/state", "ExportChainState", errors.CONTROL_INVALID)
def export_chain_state(call: ControlCall) -> ChainStateAnswer:
    """Export the accounts of a chain, with code and storage, and its latest block, as Anvil does."""
    return dump_chain(call.project, parse_chain_id(call))


def dump_chain(project: Project, chain_id: int) -> ChainStateAnswer:
    """The accounts of a chain and its latest block."""
    number = ledger.block_at(project, chain_id, project.clock.now_ms).number
    prefix = f"{chain_id}:"
    addresses = {
        row.id.removeprefix(prefix)
        for table in (project.chains.accounts, project.chains.codes)
        for row in table
        if row.id.startswith(prefix)
    }
    return {
        "block": {
            "number": hex(number),
            "timestamp": hex(ledger.block_time_s(project, chain_id, number)),
            "coinbase": ledger.FEE_RECIPIENT,
        },
        "accounts": {address: _dump(project, chain_id, address) for address in sorted(addresses)},
    }


@chain_states.operation(
    "PUT /chains/{chain}/state", "LoadChainState", errors.CONTROL_INVALID, max_body_bytes=MOST_BYTES
)
def load_chain_state(call: ControlCall[LoadChainState]) -> LoadedStateAnswer:
    """Load accounts from a dump: balances, nonces, code and storage are as there, other accounts stay."""
    return load_chain(call.project, parse_chain_id(call), call.body.state)


def load_chain(project: Project, chain_id: int, state: ChainDump | str) -> LoadedStateAnswer:
    """Load the accounts of a dump. ApiError for one that cannot be read."""
    accounts = list(_read_accounts(state))
    for account in accounts:
        row = ledger.set_balance(project, chain_id, account.address, account.balance)
        ledger.write(project, row._replace(nonce=account.nonce))
        execution.remove_contract(project, chain_id, account.address)
        execution.set_code(project, chain_id, account.address, account.code)
        for slot, value in account.storage.items():
            ledger.set_slot(project, chain_id, account.address, slot, value)
    return {"accounts": len(accounts), "contracts": sum(bool(account.code) for account in accounts)}


class _Account(NamedTuple):
    address: str
    nonce: int
    balance: int
    code: bytes
    storage: dict[int, int]


def _dump(project: Project, chain_id: int, address: str) -> DumpedAccount:
    row = ledger.chain_account(project, chain_id, address)
    slots = execution.slots_of(project, chain_id, address)
    return {
        "nonce": row.nonce,
        "balance": hex(row.balance),
        "code": "0x" + ledger.code_at(project, chain_id, address).hex(),
        "storage": {f"0x{slot:064x}": f"0x{value:064x}" for slot, value in sorted(slots.items())},
    }


def _read_accounts(state: ChainDump | str) -> Iterator[_Account]:
    document: Mapping[str, Any] = _unpack(state) if isinstance(state, str) else state
    accounts = document.get("accounts", document.get("alloc"))
    if not isinstance(accounts, Mapping) or len(accounts) > _MOST_ACCOUNTS:
        raise invalid("state", f"has no accounts by address, or more than {_MOST_ACCOUNTS}")
    for name, account in accounts.items():
        address = name if name.startswith("0x") else "0x" + name
        if not is_address(address) or not isinstance(account, Mapping):
            raise invalid("state", f"{quote(name)} is no address with an account")
        try:
            yield _read_account(address, account)
        except (TypeError, ValueError, AttributeError) as error:
            reason = f"{address} has a member that cannot be read: {shorten(str(error))}"
            raise invalid("state", reason) from None


def _read_account(address: str, account: Mapping[str, Any]) -> _Account:
    storage = account.get("storage") or {}
    return _Account(
        to_checksum(address),
        _read_number(account.get("nonce", 0), bits=64),
        _read_number(account.get("balance", 0)),
        bytes.fromhex((account.get("code") or "").removeprefix("0x")),
        {_read_word(slot): _read_word(value) for slot, value in storage.items()},
    )


def _read_number(value: object, bits: int = 256) -> int:
    """A number: as it is, decimal, or hexadecimal with 0x."""
    number = int(value, 0) if isinstance(value, str) else value
    if not isinstance(number, int) or not 0 <= number < 2**bits:
        raise ValueError(f"{number} is beyond {bits} bits")
    return number


def _read_word(text: str) -> int:
    """A word, which geth writes without 0x."""
    return _read_number("0x" + text.removeprefix("0x"))


def _unpack(text: str) -> Mapping[str, Any]:
    """What `anvil_dumpState` answers: hexadecimal text of JSON, packed by gzip or not."""
    try:
        raw = bytes.fromhex(text.removeprefix("0x"))
        document = from_json(_gunzip(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except (ValueError, OSError, EOFError):
        document = None
    if not isinstance(document, dict):
        raise invalid("state", "is neither an object nor the hexadecimal text of one")
    return document


def _gunzip(raw: bytes) -> bytes:
    with gzip.open(BytesIO(raw)) as packed:
        unpacked = packed.read(MOST_BYTES + 1)
    if len(unpacked) > MOST_BYTES:
        raise ValueError("too long")
    return unpacked
