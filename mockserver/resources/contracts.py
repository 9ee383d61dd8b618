"""Registered contracts, which transactions can call by id (specification, Contracts)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.waiting import in_slices
from mockserver.api.wire import Address, Body, ChainId, Name, PageQuery, Query, Text
from mockserver.chain.abi.functions import AbiError, validate_abi
from mockserver.chain.addresses import to_checksum
from mockserver.domain.chains.contracts import contracts_at, find_contract
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.transactions import contract_reads
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.responses.contracts import ContractAnswer, contract_answer
from mockserver.responses.lists import Listing, list_rows, name_contains
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.state.existence import require
from mockserver.state.onchain import Contract
from mockserver.state.project import Project

contracts = Group("Contracts")

Argument = Annotated[str, Field(max_length=65_536)]

_FLAGS = frozenset({"anonymous", "constant", "indexed", "payable"})


def _read_flags(value: Any, info: ValidationInfo) -> Any:
    # Form-encoded booleans are texts.
    return _with_flags(value) if info.mode == "python" else value


def _with_flags(value: Any, name: str = "") -> Any:
    match value:
        case list():
            return [_with_flags(item) for item in value]
        case dict():
            return {key: _with_flags(member, key) for key, member in value.items()}
        case "true" | "false" if name in _FLAGS:
            return value == "true"
    return value


Abi = Annotated[list[dict[str, Any]], Field(max_length=2000), BeforeValidator(_read_flags)]


class CreateContract(Body):
    """A contract to register. `name` is for display only.

    With `publicVerification` its ABI is known without `abi`, as far as it can be inferred.
    """

    name: Name
    chainId: ChainId
    address: Address
    abi: Abi | None = None
    publicVerification: bool = False


class ListContracts(PageQuery):
    """Filters of the list."""

    name: Text | None = None
    """A part of the name, in any case."""
    deleted: bool = False
    chainId: ChainId | None = None
    address: Address | None = None


class UpdateContract(Body):
    """What to change of a contract."""

    name: Name | None = None
    chainId: ChainId | None = None
    deleted: bool | None = None
    address: Address | None = None
    abi: Abi | None = None
    publicVerification: bool | None = None


class ReadContract(Query):
    """The function to read, by name or signature, and its arguments as texts."""

    functionName: Annotated[str, Field(min_length=1, max_length=1024)]
    functionArgs: Annotated[list[Argument], Field(max_length=100)] | None = None


class ReadAnswer(TypedDict):
    """What a function of a contract returned."""

    id: str
    object: Literal["readContract"]
    createdAt: int
    functionName: str
    result: Any


_READ = secret_key("contracts:read")
_WRITE = secret_key("contracts:write")
_NOT_FOUND = (errors.CONTRACT_NOT_FOUND,)


@contracts.endpoint("GET /v1/contracts", "GetContracts", _READ)
def list_contracts(call: Call[None, ListContracts]) -> Listing[ContractAnswer]:
    """List registered contracts, newest first."""
    query = call.query
    return list_rows(
        call,
        call.project.onchain.contracts,
        lambda row: contract_answer(call.project, row),
        where={
            "deleted": None if query.deleted else False,
            "chain_id": query.chainId,
            "address": query.address.lower() if query.address else None,
        },
        accept=name_contains(query.name),
    )


@contracts.endpoint(
    "POST /v1/contracts", "CreateContract", _WRITE, errors=(errors.CONTRACT_EXISTS, *CHAIN_ERRORS)
)
def create_contract(call: Call[CreateContract]) -> ContractAnswer:
    """Register a contract."""
    body, project = call.body, call.project
    require_chain(project, body.chainId)
    check_abi(body.abi or [])
    _require_unregistered(project, body.chainId, body.address, "address")
    contract = project.onchain.contracts.insert(
        Contract(
            id=project.new_id("con"),
            created_ms=call.now_ms,
            name=body.name,
            chain_id=body.chainId,
            address=to_checksum(body.address),
            abi=tuple(body.abi or ()),
            public_verification=body.publicVerification,
        )
    )
    return contract_answer(project, contract)


@contracts.endpoint("GET /v1/contracts/{id}", "GetContract", _READ, errors=_NOT_FOUND)
def get_contract(call: Call) -> ContractAnswer:
    """Retrieve a contract; a deleted one says so."""
    contract = require(call.project.onchain.contracts, call.path["id"], errors.CONTRACT_NOT_FOUND)
    return contract_answer(call.project, contract)


@contracts.endpoint(
    "POST /v1/contracts/{id}",
    "UpdateContract",
    _WRITE,
    errors=(errors.CONTRACT_NOT_FOUND, errors.CONTRACT_EXISTS, *CHAIN_ERRORS),
)
def update_contract(call: Call[UpdateContract]) -> ContractAnswer:
    """Change the given members. `deleted` deletes or restores a contract."""
    body, project = call.body, call.project
    before = require(project.onchain.contracts, call.path["id"], errors.CONTRACT_NOT_FOUND)
    if body.chainId is not None:
        require_chain(project, body.chainId)
    check_abi(body.abi or [])
    after = before._replace(
        name=before.name if body.name is None else body.name,
        chain_id=before.chain_id if body.chainId is None else body.chainId,
        address=before.address if body.address is None else to_checksum(body.address),
        abi=before.abi if body.abi is None else tuple(body.abi),
        public_verification=(
            before.public_verification if body.publicVerification is None else body.publicVerification
        ),
        deleted=before.deleted if body.deleted is None else body.deleted,
    )
    if not after.deleted:
        param = "address" if body.address else "chainId" if body.chainId else "deleted"
        _require_unregistered(project, after.chain_id, after.address, param, but=after.id)
    return contract_answer(project, project.onchain.contracts.replace(after))


@contracts.endpoint(
    "DELETE /v1/contracts/{id}", "DeleteContract", secret_key("contracts:delete"), errors=_NOT_FOUND
)
def delete_contract(call: Call) -> Deleted:
    """Flag a contract as deleted; it can still be retrieved."""
    contract = require(call.project.onchain.contracts, call.path["id"], errors.CONTRACT_NOT_FOUND)
    call.project.onchain.contracts.replace(contract._replace(deleted=True))
    return deletion_answer(contract.id, "contract")


@contracts.endpoint(
    "GET /v1/contracts/{id}/read",
    "ReadContract",
    _READ,
    errors=(
        errors.CONTRACT_NOT_FOUND,
        errors.FUNCTION_NOT_FOUND,
        errors.ACCOUNT_NOT_FOUND,
        errors.WALLET_NOT_FOUND,
    ),
)
def read_contract(call: Call[None, ReadContract]) -> ReadAnswer:
    """Read a contract: its code is executed, if it has some.

    Otherwise the standard reads of ERC-20, ERC-721 and ERC-1155 return simulated balances; all others the
    default values of the types in the ABI. Arguments are validated as for a call. A scenario can override
    the answer.
    """
    query, project = call.query, call.project
    contract = find_contract(project, call.path["id"])

    def answer(result: object) -> ReadAnswer:
        return {
            "id": contract.id,
            "object": "readContract",
            "createdAt": to_seconds(contract.created_ms),
            "functionName": query.functionName,
            "result": result,
        }

    given = query.functionArgs or []
    work = contract_reads.read_in_slices(project, contract, query.functionName, given, call.accept_leniently)
    return in_slices(work, answer)


def check_abi(abi: list[dict[str, Any]]) -> None:
    """ApiError with 400 and the place for an ABI with an invalid entry."""
    try:
        validate_abi(abi)
    except AbiError as error:
        raise wrong_field(error.path, str(error)) from None


def _require_unregistered(
    project: Project, chain_id: int, address: str, param: str, but: str | None = None
) -> None:
    for row in contracts_at(project, chain_id, address):
        if row.id != but:
            raise ApiError(
                errors.CONTRACT_EXISTS, param=param, address=row.address, chain_id=chain_id, id=row.id
            )
