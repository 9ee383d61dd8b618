"""Contracts with code on the simulated chains: creating, loading and exporting them, and what they did."""

import gzip
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Annotated, Any, NamedTuple

from pydantic import Field
from pydantic_core import from_json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Address, Hash, Hex, Name, Wei
from mockserver.chain.abi.functions import AbiError, encode_values, validate_abi
from mockserver.chain.abi.reverts import decode_revert
from mockserver.chain.addresses import create2_address, create_address, is_address, to_checksum
from mockserver.chain.artifacts import Artifact, read_artifact
from mockserver.chain.networks import has_native_accounts
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.contracts import contracts_at
from mockserver.domain.transactions.traces import describe_call, describe_error, explain
from mockserver.kernel.slices import finish
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid, row_not_found
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.simulated.chains import parse_chain_id
from mockserver.state.onchain import Contract, TracedCall
from mockserver.state.project import Project

contracts = ControlGroup("Chains")

DEPLOYER = to_checksum("0x" + "de9107" * 6 + "dede")
"""The account that creates contracts, unless the request names another one."""
_DEPLOYMENT_GAS = 100_000_000
_MOST_BYTES = 16 * 1024 * 1024
_MOST_ACCOUNTS = 10_000


class DeployContract(ControlBody):
    """A contract to create: as compiled, or its creation code with an ABI."""

    artifact: dict[str, Any] | str | None = None
    """What Foundry, Hardhat or solc wrote. In a scenario file the path of the file, relative to it."""
    contract: Name | None = None
    """Which contract, in an output of solc that has several."""
    libraries: Annotated[dict[str, Address], Field(max_length=100)] = Field(default_factory=dict)
    """The addresses of the libraries that it is linked to, by their names."""
    bytecode: Hex | None = None
    """The creation code, without an artifact."""
    abi: Annotated[list[dict[str, Any]], Field(max_length=2000)] = Field(default_factory=list)
    """The ABI, without an artifact."""
    args: Annotated[list[Any], Field(max_length=100)] = Field(default_factory=list)
    """The arguments of the constructor."""
    name: Name | None = None
    """The name under which it is registered; that of the contract when left out."""
    sender: Address | None = None
    """The account that creates it."""
    value_wei: Wei = "0"
    """What the constructor is paid. The coins are issued for it."""
    salt: Hash | None = None
    """Create it by CREATE2, through the deterministic deployment proxy."""
    address: Address | None = None
    """Create it at this address, in place of what is there."""


class DeployedAnswer(TypedDict):
    """A contract that was created and registered."""

    chain_id: int
    address: str
    contract_id: str
    """The id of its registration, for transactions and reads by function name."""
    gas_used: int


class ChainStateAnswer(TypedDict):
    """The state of a chain in the form of Anvil's dumps."""

    block: dict[str, str]
    accounts: dict[str, dict[str, Any]]


class LoadChainState(ControlBody):
    """A state of Anvil (`anvil_dumpState`, also as a file) or geth (`dump`, or a genesis `alloc`)."""

    state: dict[str, Any] | str
    """The dump as JSON, or as the hexadecimal text that `anvil_dumpState` answers."""


class LoadedStateAnswer(TypedDict):
    """What was loaded."""

    accounts: int
    contracts: int


CallTraceAnswer = TypedDict(
    "CallTraceAnswer",
    {
        "depth": int,
        "kind": str,
        "from": str,
        "to": str,
        "call": str,
        "value_wei": str,
        "input": str,
        "output": str,
        "gas_used": int,
        "error": str | None,
    },
)
"""A call that was executed; those that it made follow it, one level deeper."""


class TraceAnswer(TypedDict):
    """What was executed in a transaction."""

    transaction: str
    failure: str | None
    """Where and why it was reverted."""
    calls: list[CallTraceAnswer]
    """Empty if no code was executed."""


@contracts.operation(
    "POST",
    "/chains/{chain}/contracts",
    "DeployContract",
    errors.CONTROL_INVALID,
    status=201,
    max_body_bytes=_MOST_BYTES,
)
def deploy_contract(call: ControlCall[DeployContract]) -> DeployedAnswer:
    """Create a contract whose code is executed from now on, and register it with its ABI."""
    project, body, chain_id = call.project, call.body, parse_chain_id(call)
    if has_native_accounts(chain_id):
        raise invalid("chain", "contracts of ZKsync are compiled for another machine than the EVM")
    artifact = _read_artifact(body)
    init_code = artifact.creation_code + _encode_arguments(artifact, body.args)
    sender = to_checksum(body.sender or DEPLOYER)
    address = _address_of(project, chain_id, sender, body, init_code)
    value = int(body.value_wei)
    here = ledger.chain_account(project, chain_id, sender)
    # The coins of the constructor are issued, and a nonce is used as by a transaction.
    ledger.write(
        project,
        here._replace(
            balance=here.balance + value, issued=here.issued + value, nonce=here.nonce + (not body.address)
        ),
    )
    if body.address is not None:
        execution.remove_contract(project, chain_id, address)
    session = execution.Session(project, chain_id, sender)
    created = finish(session.create(sender, address, value, init_code, _DEPLOYMENT_GAS))
    if created.error is not None:
        why = created.error
        if why == execution.REVERTED:
            _, why = decode_revert(created.output, artifact.abi)
        raise invalid("args", f"the constructor fails: {why}")
    row = _register(project, chain_id, address, body.name or artifact.name, artifact)
    return {
        "chain_id": chain_id,
        "address": row.address,
        "contract_id": row.id,
        "gas_used": created.gas_used,
    }


@contracts.operation("GET", "/chains/{chain}/state", "ExportChainState", errors.CONTROL_INVALID)
def export_chain_state(call: ControlCall) -> ChainStateAnswer:
    """Export the accounts of a chain, with code and storage, and its latest block, as Anvil does."""
    project, chain_id = call.project, parse_chain_id(call)
    number = ledger.block_at(project, chain_id, call.now_ms).number
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
            "timestamp": hex(number * ledger.BLOCK_TIME_MS // 1000),
            "coinbase": ledger.FEE_RECIPIENT,
        },
        "accounts": {address: _dump(project, chain_id, address) for address in sorted(addresses)},
    }


@contracts.operation(
    "PUT",
    "/chains/{chain}/state",
    "LoadChainState",
    errors.CONTROL_INVALID,
    max_body_bytes=_MOST_BYTES,
)
def load_chain_state(call: ControlCall[LoadChainState]) -> LoadedStateAnswer:
    """Load accounts from a dump: balances, nonces, code and storage are as there, other accounts stay."""
    project, chain_id = call.project, parse_chain_id(call)
    accounts = list(_read_accounts(call.body.state))
    for account in accounts:
        row = ledger.set_balance(project, chain_id, account.address, account.balance)
        ledger.write(project, row._replace(nonce=account.nonce))
        execution.remove_contract(project, chain_id, account.address)
        execution.set_code(project, chain_id, account.address, account.code)
        for slot, value in account.storage.items():
            execution.set_slot(project, chain_id, account.address, slot, value)
    return {"accounts": len(accounts), "contracts": sum(bool(account.code) for account in accounts)}


@contracts.operation("GET", "/transactions/{id}/trace", "GetTransactionTrace", errors.CONTROL_UNKNOWN_ROW)
def get_transaction_trace(call: ControlCall) -> TraceAnswer:
    """Retrieve the calls that a transaction has executed, decoded by the registered ABIs."""
    project, transactions = call.project, call.project.onchain.transactions
    row = transactions.get(call.path["id"])
    if row is None:
        raise row_not_found("transaction", call.path["id"], transactions)
    trace = row.receipt.trace if row.receipt else ()
    return {
        "transaction": row.id,
        "failure": explain(project, row.chain_id, trace),
        "calls": [_show_call(project, row.chain_id, traced) for traced in trace],
    }


def _show_call(project: Project, chain_id: int, traced: TracedCall) -> CallTraceAnswer:
    return {
        "depth": traced.depth,
        "kind": traced.kind,
        "from": traced.sender,
        "to": traced.to,
        "call": describe_call(project, chain_id, traced),
        "value_wei": str(traced.value),
        "input": "0x" + traced.input.hex(),
        "output": "0x" + traced.output.hex(),
        "gas_used": traced.gas_used,
        "error": describe_error(project, chain_id, traced),
    }


def _read_artifact(body: DeployContract) -> Artifact:
    if isinstance(body.artifact, str):
        raise invalid("artifact", "is the content of the file as JSON; a path works in a scenario file")
    if (body.artifact is None) == (body.bytecode is None):
        raise invalid("artifact", "either an artifact or bytecode is needed")
    try:
        if body.artifact is not None:
            artifact = read_artifact(body.artifact, body.contract, body.libraries)
        else:
            artifact = Artifact(None, tuple(body.abi), bytes.fromhex((body.bytecode or "")[2:]))
        validate_abi(artifact.abi)
    except (AbiError, ValueError) as error:
        raise invalid("artifact", error) from None
    return artifact


def _encode_arguments(artifact: Artifact, args: list[Any]) -> bytes:
    inputs = next((entry.get("inputs", ()) for entry in artifact.abi if entry["type"] == "constructor"), ())
    if len(inputs) != len(args):
        raise invalid("args", f"the constructor takes {len(inputs)} arguments, not {len(args)}")
    try:
        return encode_values([each["type"] for each in inputs], args)
    except AbiError as error:
        raise invalid("args", error) from None


def _address_of(project: Project, chain_id: int, sender: str, body: DeployContract, init_code: bytes) -> str:
    if body.address is not None:
        return to_checksum(body.address)
    if body.salt is not None:
        return create2_address(execution.CREATE2_FACTORY, bytes.fromhex(body.salt[2:]), keccak256(init_code))
    return create_address(sender, ledger.chain_account(project, chain_id, sender).nonce)


def _register(
    project: Project, chain_id: int, address: str, name: str | None, artifact: Artifact
) -> Contract:
    """Register a contract, or put its name and ABI in the place of those that were registered before."""
    known = contracts_at(project, chain_id, address)
    if known:
        return project.onchain.contracts.replace(known[0]._replace(name=name, abi=artifact.abi))
    return project.onchain.contracts.insert(
        Contract(
            id=project.new_id("con"),
            created_ms=project.clock.now_ms,
            name=name,
            chain_id=chain_id,
            address=to_checksum(address),
            abi=artifact.abi,
        )
    )


# --- dumps of a state ----------------------------------------------------------------------------------


class _Account(NamedTuple):
    address: str
    nonce: int
    balance: int
    code: bytes
    storage: dict[int, int]


def _dump(project: Project, chain_id: int, address: str) -> dict[str, Any]:
    row = ledger.chain_account(project, chain_id, address)
    slots = execution.slots_of(project, chain_id, address)
    return {
        "nonce": row.nonce,
        "balance": hex(row.balance),
        "code": "0x" + execution.code_at(project, chain_id, address).hex(),
        "storage": {f"0x{slot:064x}": f"0x{value:064x}" for slot, value in sorted(slots.items())},
    }


def _read_accounts(state: dict[str, Any] | str) -> Iterator[_Account]:
    document = _unpack(state) if isinstance(state, str) else state
    accounts = document.get("accounts", document.get("alloc", document))
    if not isinstance(accounts, Mapping) or len(accounts) > _MOST_ACCOUNTS:
        raise invalid("state", f"has no accounts by address, or more than {_MOST_ACCOUNTS}")
    for name, account in accounts.items():
        address = name if name.startswith("0x") else "0x" + name
        if not is_address(address) or not isinstance(account, Mapping):
            raise invalid("state", f"{name[:80]!r} is no address with an account")
        try:
            yield _read_account(address, account)
        except (TypeError, ValueError, AttributeError):
            raise invalid("state", f"{address} has a member that cannot be read") from None


def _read_account(address: str, account: Mapping[str, Any]) -> _Account:
    storage = account.get("storage") or {}
    return _Account(
        to_checksum(address),
        _read_number(account.get("nonce", 0)),
        _read_number(account.get("balance", 0)),
        bytes.fromhex((account.get("code") or "").removeprefix("0x")),
        {_read_word(slot): _read_word(value) for slot, value in storage.items()},
    )


def _read_number(value: object) -> int:
    """A number: as it is, decimal, or hexadecimal with 0x."""
    number = int(value, 0) if isinstance(value, str) else value
    if not isinstance(number, int) or not 0 <= number < 2**256:
        raise ValueError(value)
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
        unpacked = packed.read(_MOST_BYTES + 1)
    if len(unpacked) > _MOST_BYTES:
        raise ValueError("too long")
    return unpacked
