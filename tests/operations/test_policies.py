"""Policies through the API."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from httpx import Client

from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.tables import cases

ALICE = "0x742d35Cc6634C0532925a3b844Bc9e7595f0aB12"
BOB = "0x00000000000000000000000000000000000000b0"
TO_ALICE = {"type": "evmAddress", "operator": "in", "addresses": [ALICE]}


def rule(operation: str = "sendEvmTransaction", *criteria: Any, action: str = "accept") -> dict[str, Any]:
    return {"action": action, "operation": operation, "criteria": list(criteria)}


def body(*rules: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"scope": "project", "rules": list(rules) or [rule()], **members}


@pytest.fixture
def create(api: Client) -> Callable[..., dict[str, Any]]:
    """Creates a policy and answers it."""

    def created(*rules: dict[str, Any], **members: Any) -> Any:
        response = api.post("/v2/policies", json=body(*rules, **members))
        assert response.status_code == 201, response.text
        return response.json()

    return created


@pytest.fixture
def account(project: Project) -> str:
    """The id of an account."""
    row = Account("acc_1", "pla_1", "Externally Owned Account", "EVM", BOB, "Developer", 0, 0)
    project.wallets.accounts.insert(row)
    project.undo.mark()
    return row.id


def evaluate(api: Client, operation: str = "sendEvmTransaction", **members: Any) -> Any:
    response = api.post("/v2/policies/evaluate", json={"operation": operation, **members})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_policy_is_created_with_its_rules_in_order(api: Client, project: Project) -> None:
    response = api.post(
        "/v2/policies",
        json=body(
            rule("sendEvmTransaction", TO_ALICE), rule("signEvmHash"), description="To Alice", priority=7
        ),
    )
    assert response.status_code == 201
    created = response.json()
    assert created["id"].startswith("ply_")
    assert {**created, "id": "", "rules": []} == {
        "id": "",
        "object": "policyV2",
        "createdAt": project.clock.now_s,
        "scope": "project",
        "description": "To Alice",
        "accountId": None,
        "enabled": True,
        "priority": 7,
        "rules": [],
    }
    first, second = created["rules"]
    assert {**first, "id": first["id"][:4]} == {
        "id": "plr_",
        "object": "policyV2Rule",
        "createdAt": project.clock.now_s,
        "action": "accept",
        "operation": "sendEvmTransaction",
        "criteria": [TO_ALICE],
    }
    assert (second["operation"], second["criteria"]) == ("signEvmHash", [])
    assert api.get(f"/v2/policies/{created['id']}").json() == created


def test_criteria_may_be_left_out(create: Callable[..., dict[str, Any]]) -> None:
    assert create({"action": "reject", "operation": "signEvmHash"})["rules"][0]["criteria"] == []


@cases(
    "wrong, param",
    (body(rule("sendEvmTransaction", "evmAddress")), "rules[0].criteria[0]"),
    (body(rule("signEvmHash", TO_ALICE)), "rules[0].criteria"),
    (body(rule(), rule("signEvmMessage", TO_ALICE)), "rules[1].criteria[0].type"),
    (
        body(rule("sendEvmTransaction", TO_ALICE, {**TO_ALICE, "operator": "<"})),
        "rules[0].criteria[1].operator",
    ),
    (
        body(rule("sendEvmTransaction", {**TO_ALICE, "addresses": ["0x"]})),
        "rules[0].criteria[0].addresses[0]",
    ),
    (
        body(rule("signEvmMessage", {"type": "evmMessage", "operator": "match", "pattern": "("})),
        "rules[0].criteria[0].pattern",
    ),
    (body(description="\x00"), "description"),
    (body(accountId="acc_1"), "accountId"),
)
def test_a_malformed_policy_is_refused(
    api: Client, project: Project, wrong: dict[str, Any], param: str
) -> None:
    before = project.snapshot().tables
    response = api.post("/v2/policies", json=wrong)
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["param"]) == (400, "invalid_parameters", param)
    assert param in error["details"]
    assert project.snapshot().tables == before


def test_every_mistake_is_reported_at_once(api: Client) -> None:
    wrong = {**TO_ALICE, "operator": "~", "addresses": ["x"]}
    details = api.post("/v2/policies", json=body(rule("sendEvmTransaction", wrong))).json()["error"][
        "details"
    ]
    assert set(details) == {"rules[0].criteria[0].operator", "rules[0].criteria[0].addresses[0]"}


def test_the_patterns_of_a_policy_have_a_limit_together(api: Client) -> None:
    long = [{"type": "evmMessage", "operator": "match", "pattern": "a" * 500}] * 10
    assert api.post("/v2/policies", json=body(rule("signEvmMessage", *long))).status_code == 201
    refused = api.post("/v2/policies", json=body(*[rule("signEvmMessage", *long)] * 2))
    error = refused.json()["error"]
    assert (refused.status_code, error["param"]) == (400, "rules")
    assert "10,000 characters together; 5,000 are allowed" in error["message"]


def test_a_policy_for_an_account_needs_one_that_exists(api: Client, account: str) -> None:
    missing = api.post("/v2/policies", json=body(scope="account", accountId="acc_none"))
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "account_not_found")
    assert missing.json()["error"]["param"] == "accountId"
    found = api.post("/v2/policies", json=body(scope="account", accountId=account))
    assert (found.status_code, found.json()["accountId"]) == (201, account)


def test_an_update_changes_what_it_names(api: Client, create: Callable[..., dict[str, Any]]) -> None:
    created = create(description="old", priority=3)
    changed = api.post(f"/v2/policies/{created['id']}", json={"description": "new"}).json()
    assert changed == {**created, "description": "new"}
    changed = api.post(f"/v2/policies/{created['id']}", json={"enabled": False, "priority": 0}).json()
    assert changed == {**created, "description": "new", "enabled": False, "priority": 0}


def test_rules_of_an_update_replace_all(api: Client, create: Callable[..., dict[str, Any]]) -> None:
    created = create(rule(), rule("signEvmHash"))
    changed = api.post(
        f"/v2/policies/{created['id']}", json={"rules": [rule("sendEvmTransaction", TO_ALICE)]}
    ).json()
    assert [each["criteria"] for each in changed["rules"]] == [[TO_ALICE]]
    assert changed["rules"][0]["id"] not in [each["id"] for each in created["rules"]]


def test_a_refused_update_changes_nothing(api: Client, create: Callable[..., dict[str, Any]]) -> None:
    created = create()
    wrong = {"priority": 9, "rules": [rule("signEvmHash", TO_ALICE)]}
    assert api.post(f"/v2/policies/{created['id']}", json=wrong).status_code == 400
    assert api.post(f"/v2/policies/{created['id']}", json={"rules": []}).status_code == 400
    assert api.get(f"/v2/policies/{created['id']}").json() == created


def test_a_deleted_policy_is_gone(api: Client, create: Callable[..., dict[str, Any]]) -> None:
    created = create(rule(action="reject"))
    path = f"/v2/policies/{created['id']}"
    assert api.delete(path).json() == {"id": created["id"], "object": "policyV2", "deleted": True}
    assert api.get("/v2/policies").json()["total"] == 0
    assert evaluate(api)["allowed"]
    for response in (api.get(path), api.post(path, json={}), api.delete(path), api.get("/v2/policies/ply_x")):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "policy_not_found")


def test_lists_are_filtered(api: Client, create: Callable[..., dict[str, Any]], account: str) -> None:
    sends = create(rule("sendEvmTransaction"))["id"]
    both = create(rule("sendEvmTransaction"), rule("sponsorEvmTransaction"), scope="transaction")["id"]
    sponsors = create(rule("sponsorEvmTransaction"), enabled=False)["id"]
    accounts = create(rule("signEvmHash"), scope="account", accountId=account)["id"]

    def listed(query: str) -> list[str]:
        return [row["id"] for row in api.get(f"/v2/policies?{query}").json()["data"]]

    assert listed("") == [accounts, sponsors, both, sends]
    assert listed("scope=account&scope=transaction") == [accounts, both]
    assert listed("operation=sendEvmTransaction&operation=signEvmHash") == [accounts, both, sends]
    assert listed("operationNotIn=sponsorEvmTransaction&operationNotIn=sponsorSolTransaction") == [
        accounts,
        both,
        sends,
    ]
    assert listed("operation=sponsorEvmTransaction&operationNotIn=sponsorSolTransaction") == [sponsors, both]


def test_an_evaluation_names_the_rule_that_accepts(
    api: Client, create: Callable[..., dict[str, Any]]
) -> None:
    policy = create(rule("sendEvmTransaction", TO_ALICE))
    assert evaluate(api, payload={"to": ALICE.lower()}) == {
        "object": "policy_evaluation",
        "allowed": True,
        "reason": "Allowed by policy rule",
        "operation": "sendEvmTransaction",
        "matchedPolicyId": policy["id"],
        "matchedRuleId": policy["rules"][0]["id"],
    }
    refused = evaluate(api, payload={"to": BOB})
    assert refused["allowed"] is False
    assert "evmAddress" in refused["reason"]
    assert "matchedRuleId" not in refused


def test_an_accounts_policies_are_asked_too(
    api: Client, create: Callable[..., dict[str, Any]], account: str
) -> None:
    policy = create(rule(action="reject"), scope="account", accountId=account)
    assert evaluate(api)["allowed"]
    refused = evaluate(api, accountId=account)
    assert (refused["allowed"], refused["accountId"]) == (False, account)
    assert refused["matchedPolicyId"] == policy["id"]


def test_an_evaluation_changes_nothing(
    api: Client, project: Project, create: Callable[..., dict[str, Any]]
) -> None:
    create()
    before = project.snapshot()
    evaluate(api, payload={"to": ALICE})
    assert project.snapshot() == before


@cases(
    "wrong, status, param",
    ({"operation": "signEvmHash", "payload": {"value": "-1"}}, 400, "payload.value"),
    ({"operation": "signEvmHash", "payload": {"data": "0xabc"}}, 400, "payload.data"),
    ({"operation": "signEvmHash", "payload": {"recipients": ["0"]}}, 400, "payload.recipients[0]"),
    ({"operation": "signEvmHash", "payload": {"instructionData": "a"}}, 400, "payload.instructionData"),
    ({"operation": "signEvmHash", "accountId": "acc_none"}, 404, "accountId"),
)
def test_a_malformed_evaluation_is_refused(
    api: Client, wrong: dict[str, Any], status: int, param: str
) -> None:
    response = api.post("/v2/policies/evaluate", json=wrong)
    assert (response.status_code, response.json()["error"]["param"]) == (status, param)


def test_filters_that_contradict_each_other_give_an_empty_page(api: Client) -> None:
    made = api.post("/v2/policies", json=body())
    operation = made.json()["rules"][0]["operation"]
    found = api.get("/v2/policies", params={"operation": operation, "operationNotIn": operation})
    assert (found.status_code, found.json()["data"], found.json()["total"]) == (200, [], 0)


def test_the_abis_of_a_policy_are_bounded_together(api: Client) -> None:
    entry = {"type": "function", "name": "f", "inputs": [], "outputs": [], "stateMutability": "view"}
    abi = json.dumps([entry]) + " " * 200_000
    criterion = {"type": "evmData", "operator": "in", "abi": abi, "functionName": "f"}
    rule = {"action": "accept", "operation": "sendEvmTransaction", "criteria": [criterion]}
    assert api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).status_code == 201
    error = api.post("/v2/policies", json={"scope": "project", "rules": [rule, rule]}).json()["error"]
    assert error["param"] == "rules"
    assert "262,144 are allowed" in error["message"]


def test_a_criterion_has_at_most_a_hundred_constraints(api: Client) -> None:
    inputs = [{"name": f"a{number}", "type": "bool"} for number in range(101)]
    entry = {"type": "function", "name": "f", "inputs": inputs, "outputs": [], "stateMutability": "view"}
    for count, status in ((100, 201), (101, 400)):
        criterion = {
            "type": "evmData",
            "operator": "in",
            "abi": json.dumps([entry]),
            "functionName": "f",
            "args": {f"a{number}": ["true"] for number in range(count)},
        }
        rule = {"action": "accept", "operation": "sendEvmTransaction", "criteria": [criterion]}
        answer = api.post("/v2/policies", json={"scope": "project", "rules": [rule]})
        assert answer.status_code == status, answer.text
