"""Fee sponsorships, and the strategies by which they charge."""

from collections.abc import Callable
from typing import Any

from httpx import Client

from mockserver.state.guardrails import FeeSponsorship
from mockserver.state.project import Project

AMOY = 80002
BASE_SEPOLIA = 84532
TOKEN = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
OTHER = "0x00000000000000000000000000000000000000b0"
MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
FREE = {"sponsorSchema": "pay_for_user"}
CHARGE = "charge_custom_tokens"
CHEAP = {"type": "ethValue", "operator": "<=", "ethValue": "10"}
Create = Callable[..., dict[str, Any]]


def charge(schema: str = CHARGE, **members: Any) -> dict[str, Any]:
    return {"sponsorSchema": schema, **members}


def new_policy(api: Client, action: str = "accept", **members: Any) -> str:
    rules = [{"action": action, "operation": "sponsorEvmTransaction", "criteria": [CHEAP]}]
    response = api.post("/v2/policies", json={"scope": "project", "rules": rules, **members})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def row(project: Project, sponsorship: dict[str, Any]) -> FeeSponsorship:
    return project.guardrails.fee_sponsorships[sponsorship["id"]]
