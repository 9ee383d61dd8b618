"""Gas policies and fee sponsorships, and what is sent on them."""

from typing import Any

from httpx import Client, Response

from mockserver.state.guardrails import FeeSponsorship, Strategy
from mockserver.state.project import Project

AMOY = 80002
TOKEN = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
FREE = {"sponsorSchema": "pay_for_user"}


def free_sponsorship(project: Project) -> str:
    """The id of a fee sponsorship that pays for everything on Polygon Amoy."""
    row = FeeSponsorship(project.new_id("pol"), 0, "free", AMOY, True, Strategy("pay_for_user"), None)
    project.guardrails.fee_sponsorships.insert(row)
    project.undo.mark()
    return row.id


def post_sponsorship(api: Client, **members: Any) -> Response:
    """Ask for a fee sponsorship by a policy that accepts everything."""
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    return api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy, **members})


def new_gas_policy(api: Client, strategy: dict[str, Any] = FREE) -> str:
    """The id of a gas policy on Polygon Amoy."""
    body = {"name": "gas", "chainId": AMOY, "strategy": strategy}
    return str(api.post("/v1/policies", json=body).json()["id"])


def new_account(api: Client) -> str:
    """The id of a smart account on Polygon Amoy."""
    return str(api.post("/v1/accounts", json={"chainId": AMOY}).json()["id"])


def send(api: Client, policy: str, account: str, **members: Any) -> Response:
    """Ask for an intent that a gas policy may pay for."""
    call = {"to": TOKEN, "data": "0x12345678"}
    body = {"chainId": AMOY, "account": account, "policy": policy, "interactions": [call], **members}
    return api.post("/v1/transaction_intents", json=body)


def fee_of(intent: dict[str, Any]) -> int:
    """What an intent cost, in wei."""
    return int(intent["response"]["gasFee"])
