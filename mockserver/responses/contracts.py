"""Registered contracts as the API shows them (specification, Contract (v1))."""

from typing import Any, Literal

from typing_extensions import TypedDict

from mockserver.domain.chains.tokens.public_abi import known_abi
from mockserver.kernel.clock import to_seconds
from mockserver.state.onchain import Contract
from mockserver.state.project import Project


class ContractAnswer(TypedDict):
    """A contract, as the specification's Contract (v1)."""

    id: str
    object: Literal["contract"]
    createdAt: int
    name: str | None
    chainId: int
    address: str
    deleted: bool
    abi: list[dict[str, Any]]
    publicVerification: bool


def contract_answer(project: Project, row: Contract) -> ContractAnswer:
    """A contract as the API shows it."""
    return {
        "id": row.id,
        "object": "contract",
        "createdAt": to_seconds(row.created_ms),
        "name": row.name,
        "chainId": row.chain_id,
        "address": row.address,
        "deleted": row.deleted,
        "abi": [dict(entry) for entry in known_abi(project, row)],
        "publicVerification": row.public_verification,
    }
