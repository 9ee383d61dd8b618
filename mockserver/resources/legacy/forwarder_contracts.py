"""Forwarder contracts, through which fee sponsorships pay (`/v1/forwarder_contracts`)."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, ChainId, Name, PageQuery
from mockserver.chain.addresses import to_checksum
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import list_rows
from mockserver.responses.shapes import optional, present
from mockserver.state.existence import require
from mockserver.state.guardrails import ForwarderContract

forwarder_contracts = Group("Forwarder contracts")

_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")
_NOT_FOUND = (errors.FORWARDER_CONTRACT_NOT_FOUND,)


class WriteForwarderContract(Body):
    """The address and chain of a forwarder contract."""

    address: Address
    chainId: ChainId
    name: Name | None = None


class ForwarderContractAnswer(TypedDict):
    """A forwarder contract."""

    id: str
    object: Literal["forwarderContract"]
    createdAt: int
    address: str
    chainId: int
    name: NotRequired[str]


@forwarder_contracts.endpoint("GET /v1/forwarder_contracts", "ListForwarderContracts", _READ)
def list_forwarder_contracts(call: Call[None, PageQuery]) -> list[ForwarderContractAnswer]:
    """List forwarder contracts, newest first; without the envelope that other lists have."""
    return list_rows(call, call.project.guardrails.forwarder_contracts, _forwarder_contract)["data"]


@forwarder_contracts.endpoint(
    "POST /v1/forwarder_contracts", "CreateForwarderContract", _WRITE, status=201, errors=CHAIN_ERRORS
)
def create_forwarder_contract(call: Call[WriteForwarderContract]) -> ForwarderContractAnswer:
    """Register a forwarder contract."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    row = project.guardrails.forwarder_contracts.insert(
        ForwarderContract(
            id=project.new_id("cfo"),
            created_ms=call.now_ms,
            address=to_checksum(body.address),
            chain_id=body.chainId,
            name=body.name,
        )
    )
    return _forwarder_contract(row)


@forwarder_contracts.endpoint(
    "GET /v1/forwarder_contracts/{id}", "GetForwarderContract", _READ, errors=_NOT_FOUND
)
def get_forwarder_contract(call: Call) -> ForwarderContractAnswer:
    """Retrieve a forwarder contract."""
    return _forwarder_contract(_require(call))


@forwarder_contracts.endpoint(
    "POST /v1/forwarder_contracts/{id}",
    "UpdateForwarderContract",
    _WRITE,
    status=201,
    errors=(errors.FORWARDER_CONTRACT_NOT_FOUND, *CHAIN_ERRORS),
)
def update_forwarder_contract(call: Call[WriteForwarderContract]) -> ForwarderContractAnswer:
    """Change a forwarder contract; a missing name is unchanged."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    row = _require(call)
    changed = row._replace(
        address=to_checksum(body.address),
        chain_id=body.chainId,
        name=row.name if body.name is None else body.name,
    )
    return _forwarder_contract(project.guardrails.forwarder_contracts.replace(changed))


@forwarder_contracts.endpoint(
    "DELETE /v1/forwarder_contracts/{id}",
    "DeleteForwarderContract",
    secret_key("fee_sponsorship:delete"),
    status=204,
    errors=_NOT_FOUND,
)
def delete_forwarder_contract(call: Call) -> None:
    """Delete a forwarder contract. Fee sponsorships keep their references to it."""
    call.project.guardrails.forwarder_contracts.remove(_require(call).id)


def _require(call: Call[Any]) -> ForwarderContract:
    return require(
        call.project.guardrails.forwarder_contracts, call.path["id"], errors.FORWARDER_CONTRACT_NOT_FOUND
    )


def _forwarder_contract(row: ForwarderContract) -> ForwarderContractAnswer:
    answer: ForwarderContractAnswer = {
        "id": row.id,
        "object": "forwarderContract",
        "createdAt": to_seconds(row.created_ms),
        "address": row.address,
        "chainId": row.chain_id,
        "name": optional(row.name),
    }
    return present(answer)
