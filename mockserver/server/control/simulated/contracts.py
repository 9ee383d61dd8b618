"""Contracts with code on the simulated chains: creating them, and what they did."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Address, Hash, Hex, Name, Wei, empty
from mockserver.chain.abi.functions import AbiError, encode_values, validate_abi
from mockserver.chain.abi.grammar import read_parameters
from mockserver.chain.abi.reverts import decode_revert
from mockserver.chain.addresses import create2_address, create_address, to_checksum
from mockserver.chain.artifacts import Artifact, read_artifact
from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.contracts import contracts_at
from mockserver.domain.chains.executing_ahead import AheadExecutor
from mockserver.domain.transactions.traces import describe_call, describe_error, explain, find_line
from mockserver.kernel.effort import finish
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid, row_not_found
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.simulated.chains import parse_chain_id
from mockserver.state.chains import TracedCall
from mockserver.state.onchain import Contract
from mockserver.state.project import Project

contracts = ControlGroup("Chains")

DEPLOYER = to_checksum("0x" + "de9107" * 6 + "dede")
"""The account that creates contracts, unless the request names another one."""
_DEPLOYMENT_GAS = 2**24
"""What a transaction may take (EIP-7825)."""
MOST_BYTES = 16 * 1024 * 1024
"""The longest artifact or dump."""


class DeployContract(ControlBody):
    """A contract to create: as compiled, or its creation code with an ABI."""

    artifact: dict[str, Any] | str | None = None
    """What Foundry, Hardhat or solc wrote. In a scenario file the path of the file, relative to it.

    With the text of the source file as its member `source`, failures name their lines.
    """
    contract: Name | None = None
    """Which contract, in an output of solc that has several."""
    libraries: Annotated[dict[str, Address], Field(max_length=100)] = Field(default_factory=dict)
    """The addresses of the libraries that it is linked to, by their names."""
    bytecode: Hex | None = None
    """The creation code, without an artifact."""
    abi: Annotated[list[dict[str, Any]], Field(max_length=2000)] = Field(default_factory=empty)
    """The ABI, without an artifact."""
    args: Annotated[list[Any], Field(max_length=100)] = Field(default_factory=empty)
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
    entry_point: Literal["0.6", "0.7", "0.8", "0.9"] | None = None
    """Create it at the address of this entry point, whose user operations it validates and executes then."""


class DeployedAnswer(TypedDict):
    """A contract that was created and registered."""

    chain_id: int
    address: str
    contract_id: str
    """The id of its registration, for transactions and reads by function name."""
    gas_used: int
    """What the constructor used, before refunds."""


class TracedCallAnswer(TypedDict):
    """A call that was executed; those that it made follow it, one level deeper."""

    depth: int
    """How many calls it is within."""
    kind: str
    """CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE or CREATE2."""
    sender: str
    """The address that made it."""
    to: str
    """The address whose code was executed."""
    call: str
    """The call as it would be written, as far as the contract is registered."""
    value_wei: str
    """What it moved, or of a delegated call what the caller was paid."""
    input: str
    """The beginning of its data."""
    output: str
    """The beginning of what it returned, or of the data of its revert."""
    gas_used: int
    """Before refunds, with the calls that it made."""
    error: str | None
    """Why it was undone."""
    line: str | None
    """The line of its source file that undid it, if its artifact has a source map."""


class TraceAnswer(TypedDict):
    """What was executed in a transaction."""

    transaction: str
    """The id of the transaction."""
    failure: str | None
    """Where and why it was reverted."""
    calls: list[TracedCallAnswer]
    """Empty if no code was executed."""


@contracts.operation(
    "POST /chains/{chain}/contracts",
    "DeployContract",
    errors.CONTROL_INVALID,
    status=201,
    max_body_bytes=MOST_BYTES,
)
def deploy_contract(call: ControlCall[DeployContract]) -> DeployedAnswer:
    """Create a contract whose code is executed from now on, and register it with its ABI."""
    project, body, chain_id = call.project, call.body, parse_chain_id(call)
    if NETWORKS[chain_id].native_accounts:
        raise invalid("chain", "contracts of ZKsync are compiled for another machine than the EVM")
    artifact = _read_artifact(body)
    init_code = artifact.creation_code + _encode_arguments(artifact, body.args)
    sender, wanted = to_checksum(body.sender or DEPLOYER), _wanted_address(body, artifact)
    address = wanted or _address_of(project, chain_id, sender, body, init_code)
    value = int(body.value_wei)
    here = ledger.chain_account(project, chain_id, sender)
    # The coins of the constructor are issued, and a nonce is used as by a transaction.
    ledger.write(
        project,
        here._replace(
            balance=here.balance + value, issued=here.issued + value, nonce=here.nonce + (not wanted)
        ),
    )
    if wanted is not None:
        execution.remove_contract(project, chain_id, address)
    executor = AheadExecutor(project, chain_id, sender)
    created = finish(executor.create(sender, address, value, init_code, _DEPLOYMENT_GAS))
    if created.error is not None:
        why = created.error
        if why == execution.REVERTED:
            _, why = decode_revert(created.output, artifact.abi)
        raise invalid("args", f"the constructor fails: {why}")
    row = _register(project, chain_id, address, body.name or artifact.name, artifact)
    return {"chain_id": chain_id, "address": row.address, "contract_id": row.id, "gas_used": created.gas_used}


@contracts.operation("GET /transactions/{id}/trace", "GetTransactionTrace", errors.CONTROL_UNKNOWN_ROW)
def get_transaction_trace(call: ControlCall) -> TraceAnswer:
    """Retrieve the calls that a transaction, by its id or its hash, has executed; ABIs decode them."""
    project, transactions, id = call.project, call.project.onchain.transactions, call.path["id"]
    row = transactions.get(id)
    if row is None and id.startswith("0x"):
        # The index of hashes has the chain, too, which is not known here.
        row = next((each for each in transactions if str(each.chain_hash).endswith(f":{id}")), None)
    if row is None:
        raise row_not_found("transaction", id, transactions)
    trace = row.receipt.trace if row.receipt else ()
    return {
        "transaction": row.id,
        "failure": explain(project, row.chain_id, trace),
        "calls": [_show_call(project, row.chain_id, traced) for traced in trace],
    }


def _show_call(project: Project, chain_id: int, traced: TracedCall) -> TracedCallAnswer:
    return {
        "depth": traced.depth,
        "kind": traced.kind,
        "sender": traced.sender,
        "to": traced.to,
        "call": describe_call(project, chain_id, traced),
        "value_wei": str(traced.value),
        "input": "0x" + traced.input.hex(),
        "output": "0x" + traced.output.hex(),
        "gas_used": traced.gas_used,
        "error": describe_error(project, chain_id, traced),
        "line": find_line(project, chain_id, traced),
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
    constructors = (entry.get("inputs") for entry in artifact.abi if entry.get("type") == "constructor")
    inputs = read_parameters(next(constructors, None), "inputs")
    if len(inputs) != len(args):
        plural = "" if len(inputs) == 1 else "s"
        raise invalid("args", f"the constructor takes {len(inputs)} argument{plural}, {len(args)} given")
    try:
        return encode_values([each.type for each in inputs], args)
    except AbiError as error:
        raise invalid("args", error) from None


def _wanted_address(body: DeployContract, artifact: Artifact) -> str | None:
    if body.entry_point is None:
        return None if body.address is None else to_checksum(body.address)
    if body.address is not None:
        raise invalid("entry_point", f"has an address of its own, {ENTRY_POINTS[body.entry_point]}")
    if not any(entry.get("name") == "handleOps" for entry in artifact.abi):
        raise invalid("entry_point", "the contract has no function handleOps")
    return ENTRY_POINTS[body.entry_point]


def _address_of(project: Project, chain_id: int, sender: str, body: DeployContract, init_code: bytes) -> str:
    if body.salt is not None:
        return create2_address(ledger.CREATE2_FACTORY, bytes.fromhex(body.salt[2:]), keccak256(init_code))
    return create_address(sender, ledger.chain_account(project, chain_id, sender).nonce)


def _register(
    project: Project, chain_id: int, address: str, name: str | None, artifact: Artifact
) -> Contract:
    """Register a contract, or put its name and ABI in the place of those that were registered before."""
    known, source = contracts_at(project, chain_id, address), artifact.source
    if known:
        row = known[0]
    else:
        row = Contract(project.new_id("con"), project.clock.now_ms, None, chain_id, to_checksum(address))
    row = row._replace(
        name=name,
        abi=artifact.abi,
        source=None if source is None else source.path,
        lines=() if source is None else source.lines,
    )
    contracts = project.onchain.contracts
    return contracts.replace(row) if known else contracts.insert(row)
