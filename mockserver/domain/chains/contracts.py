"""Registered contracts by id and by address."""

from mockserver import errors
from mockserver.errors import wrong_field
from mockserver.state.existence import require_kept
from mockserver.state.onchain import Contract
from mockserver.state.project import Project


def find_contract(project: Project, contract_id: str, param: str | None = None) -> Contract:
    """The contract with this id. ApiError with 404."""
    return require_kept(project.onchain.contracts, contract_id, errors.CONTRACT_NOT_FOUND, param)


def find_contract_on(project: Project, chain_id: int, contract_id: str, param: str) -> Contract:
    """The contract with this id, which has to be on this chain. ApiError with 404, or 400."""
    contract = find_contract(project, contract_id, param)
    if contract.chain_id != chain_id:
        raise wrong_field(param, f"the contract is on chain {contract.chain_id}, not {chain_id}")
    return contract


def contracts_at(project: Project, chain_id: int, address: str) -> list[Contract]:
    """The contracts that are registered for an address on a chain and not deleted, oldest first."""
    return [row for row in _ever_registered(project, chain_id, address) if not row.deleted]


def contract_on_chain(project: Project, chain_id: int, address: str) -> Contract | None:
    """What is known of the contract at an address: as it was registered last."""
    # Deleting its registration does not change a contract on its chain, so a deleted one says what it is.
    rows = _ever_registered(project, chain_id, address)
    return max(reversed(rows), key=lambda row: not row.deleted, default=None)


def _ever_registered(project: Project, chain_id: int, address: str) -> list[Contract]:
    rows = project.onchain.contracts.find("address", address.lower())
    return [row for row in rows if row.chain_id == chain_id]
