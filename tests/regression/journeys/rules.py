"""Policies: their rules, every type of criteria, and what they say of a call."""

import json
from typing import Any

from tests.regression.story import Story

ALICE = "0x" + "11" * 20
MINT = "So11111111111111111111111111111111111111112"
INPUTS = [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}]
ABI = json.dumps([{"type": "function", "name": "transfer", "inputs": INPUTS}])
TRANSFER = "0xa9059cbb" + "00" * 12 + "11" * 20 + f"{500:064x}"
IDL = json.dumps(
    {
        "instructions": [
            {
                "name": "pay",
                "discriminator": [1, 2, 3, 4, 5, 6, 7, 8],
                "accounts": [],
                "args": [{"name": "lamports", "type": "u64"}],
            }
        ]
    }
)
# A sound criterion of each type, and an operation whose rules may have it.
CRITERIA: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sendEvmTransaction", {"type": "evmAddress", "operator": "in", "addresses": [ALICE]}),
    ("sendEvmTransaction", {"type": "evmAddress", "operator": "not in", "addresses": [ALICE]}),
    ("signEvmTransaction", {"type": "ethValue", "operator": ">", "ethValue": "1000"}),
    ("sponsorEvmTransaction", {"type": "evmNetwork", "operator": "in", "chainIds": [80002]}),
    (
        "sendEvmTransaction",
        {
            "type": "evmData",
            "operator": "<=",
            "abi": ABI,
            "functionName": "transfer",
            "args": {"value": "1000"},
        },
    ),
    ("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "^Sign"}),
    ("signEvmTypedData", {"type": "evmTypedDataVerifyingContract", "operator": "in", "addresses": [ALICE]}),
    (
        "signEvmTypedData",
        {"type": "evmTypedDataField", "operator": "<=", "fieldPath": "value", "value": "1000"},
    ),
    ("sendEvmTransaction", {"type": "netUSDChange", "operator": "<=", "usdValue": "1000.00"}),
    ("sendSolTransaction", {"type": "solAddress", "operator": "in", "addresses": [MINT]}),
    ("signSolTransaction", {"type": "solValue", "operator": "<=", "value": "1000"}),
    ("signSolTransaction", {"type": "splAddress", "operator": "in", "addresses": [MINT]}),
    ("signSolTransaction", {"type": "splValue", "operator": ">=", "value": "1000"}),
    ("signSolTransaction", {"type": "mintAddress", "operator": "==", "addresses": [MINT]}),
    (
        "signSolTransaction",
        {
            "type": "solData",
            "operator": "<=",
            "idl": IDL,
            "instructionName": "pay",
            "args": {"lamports": "1000"},
        },
    ),
    ("signSolTransaction", {"type": "programId", "operator": "in", "programIds": [MINT]}),
    ("sponsorSolTransaction", {"type": "solNetwork", "operator": "in", "networks": ["devnet"]}),
    ("signSolMessage", {"type": "solMessage", "operator": "match", "pattern": "^Sign"}),
)
PAYLOADS: tuple[dict[str, Any], ...] = (
    {},
    {"chainId": 80002, "to": ALICE, "value": "500", "data": TRANSFER},
    {"chainId": 1, "to": "0x" + "22" * 20, "value": "5000", "data": "0x"},
    {"evmMessage": "Sign in", "solMessage": "Sign in"},
    {
        "verifyingContract": ALICE,
        "domain": {"verifyingContract": ALICE},
        "message": {"value": "5"},
        "primaryType": "P",
    },
    {"network": "devnet", "recipients": [MINT], "solValue": "5", "splRecipients": [MINT], "splValue": "5000"},
    {"mintAddress": MINT, "programIds": [MINT], "instructionData": "AQIDBAUGBwj0AQAAAAAAAA=="},
)


def rule(operation: str, *criteria: dict[str, Any], action: str = "accept") -> dict[str, Any]:
    """A rule of a policy."""
    return {"action": action, "operation": operation, "criteria": list(criteria)}


def criteria(story: Story) -> None:
    """Every type of criteria, sound and unsound, judged on every payload that may be about it."""
    for operation, criterion in CRITERIA:
        project = story.project(f"criteria-{story.number('criteria')}")
        body = {"scope": "project", "description": criterion["type"], "rules": [rule(operation, criterion)]}
        policy = project.call("POST", "/v2/policies", body)
        for name in criterion:
            short = {key: value for key, value in criterion.items() if key != name}
            project.call("POST", "/v2/policies", {**body, "rules": [rule(operation, short)]})
            spoilt = {**criterion, name: 5.5}
            project.call("POST", "/v2/policies", {**body, "rules": [rule(operation, spoilt)]})
        for payload in PAYLOADS:
            project.call("POST", "/v2/policies/evaluate", {"operation": operation, "payload": payload})
        asked = {"operation": operation, "payload": PAYLOADS[1]}
        project.call("POST", "/v2/policies/evaluate", asked, project.publishable)
        project.call("GET", f"/v2/policies/{policy.get('id')}")


def life(story: Story) -> None:
    """Policies are made, ordered, listed, changed and deleted."""
    project = story.project("policies")
    user = project.call("POST", "/v2/users/pregenerate", {"email": "ada@example.com", "accounts": [{}]})
    account = user["accounts"][0]["id"]
    bodies: list[dict[str, Any]] = [
        {"scope": "project", "rules": [rule("signEvmHash")]},
        {
            "scope": "account",
            "accountId": account,
            "rules": [rule("signEvmHash", action="reject")],
            "priority": 5,
        },
        {"scope": "transaction", "rules": [rule("sponsorEvmTransaction")], "enabled": False},
        {"scope": "account", "rules": [rule("signEvmHash")]},
        {"scope": "project", "rules": []},
        {"scope": "galaxy", "rules": [rule("flyToTheMoon")]},
    ]
    made = [
        row["id"] for row in (project.call("POST", "/v2/policies", body) for body in bodies) if "id" in row
    ]
    for query in (
        "",
        "?limit=1&skip=1",
        "?order=asc",
        "?scope=account",
        "?enabled=false",
        f"?accountId={account}",
        "?operation=signEvmHash",
        "?operationNotIn=signEvmHash",
        "?scope=galaxy",
    ):
        project.call("GET", f"/v2/policies{query}")
    for accounts in ({}, {"accountId": account}, {"accountId": "acc_unknown"}):
        project.call("POST", "/v2/policies/evaluate", {"operation": "signEvmHash", **accounts})
    for change in (
        {"enabled": False},
        {"priority": 1},
        {"description": "x"},
        {"rules": [rule("signEvmMessage")]},
        {},
    ):
        project.call("POST", f"/v2/policies/{made[0]}", change)
        project.call("GET", f"/v2/policies/{made[0]}")
    for policy in (made[-1], made[-1], "ply_unknown"):
        project.call("DELETE", f"/v2/policies/{policy}")
        project.call("GET", f"/v2/policies/{policy}")


JOURNEYS = (criteria, life)
