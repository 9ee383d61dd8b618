"""Rules of gas policies, and what they pay for."""

from collections.abc import Callable
from typing import Any

from httpx import Client

from mockserver.domain.sponsorship.gas_rules import Candidate, apply_rules
from mockserver.domain.sponsorship.sponsors import sponsor_decision
from mockserver.domain.transactions.preparation import draft
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project

AMOY = 80002
ITEMS = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
ELSEWHERE = "0x00000000000000000000000000000000000000b0"
FREE = {"sponsorSchema": "pay_for_user"}
ABI = [
    {"type": "function", "name": "mint", "inputs": [{"name": "to", "type": "address"}]},
    {
        "type": "function",
        "name": "mint",
        "inputs": [{"name": "to", "type": "address"}, {"name": "id", "type": "uint256"}],
    },
    {"type": "function", "name": "pause", "inputs": []},
]
Add = Callable[..., dict[str, Any]]
Send = Callable[..., dict[str, Any]]


def new_contract(api: Client, address: str, chain_id: int = AMOY, **members: Any) -> str:
    body = {"name": "Items", "chainId": chain_id, "address": address, **members}
    return str(api.post("/v1/contracts", json=body).json()["id"])


def limit(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": "rate_limit", "functionName": kind, **members}


def daily(count: int, unit: str = "day", value: int = 1) -> dict[str, Any]:
    return limit("count_per_interval", countLimit=count, timeIntervalType=unit, timeIntervalValue=value)


def sponsored(intent: dict[str, Any]) -> bool:
    """Whether a paymaster stands behind an intent."""
    return "policy" in intent


DAILY = {"timeIntervalType": "day", "timeIntervalValue": 1}


def why_not(project: Project, policy: str, account_id: str) -> str:
    """Why the policy does not pay for a call of the items' contract."""
    sponsorship = project.guardrails.fee_sponsorships[policy]
    calls = [CallRecord(ITEMS, 0, bytes.fromhex("12345678"), {})]
    decision = sponsor_decision(project, sponsorship, account_id, AMOY, calls)
    account = project.wallets.accounts[account_id]
    candidate = Candidate(
        account, AMOY, calls, lambda sponsor: draft(project, account, AMOY, calls, sponsor).reservation
    )
    decision = apply_rules(project, sponsorship, decision, candidate)
    assert (decision.pays, decision.failed) == (False, False)
    return decision.reason
