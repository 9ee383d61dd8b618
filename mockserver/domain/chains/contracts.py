"""Registered contracts by id and by address; deleted ones are not found."""

from mockserver import errors
from mockserver.errors import wrong_field
from mockserver.state.existence import require
from mockserver.state.onchain import Contract
from mockserver.state.project import Project


def find_contract(project: Project, contract_id: str, param: str | None = None) -> Contract:
    """The contract with this id. ApiError with 404."""
    return require(
        project.onchain.contracts,
        contract_id,
        errors.CONTRACT_NOT_FOUND,
        param,
        accept=lambda row: not row.deleted,
    )


def find_contract_on(project: Project, chain_id: int, contract_id: str, param: str) -> Contract:
    """The contract with this id, which has to be on this chain. ApiError with 404, or 400."""
    contract = find_contract(project, contract_id, param)
    if contract.chain_id != chain_id:
        raise wrong_field(param, f"the contract is on chain {contract.chain_id}, not {chain_id}")
    return contract


def contracts_at(project: Project, chain_id: int, address: str) -> list[Contract]:
    """The contracts that are registered for an address on a chain, oldest first."""
    rows = project.onchain.contracts.find("address", address.lower())
    return [row for row in rows if row.chain_id == chain_id and not row.deleted]
