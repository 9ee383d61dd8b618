"""Creating, changing, listing and deleting the rules of a gas policy."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.gas_policy_rules.helpers import (
    AMOY,
    DAILY,
    FREE,
    ITEMS,
    Add,
    daily,
    limit,
    new_contract,
)
from tests.tables import cases

BASE_SEPOLIA = 84532
GAS = {"gasLimit": "1000000000000000000"}


@cases(
    "members",
    {"type": "account_functions"},
    limit("gas_per_transaction", **GAS),
    limit("gas_per_interval", **GAS, **DAILY),
    limit("count_per_interval", countLimit=100, timeIntervalType="month", timeIntervalValue=3),
    {"type": "contract_functions", "wildcard": True},
    {"type": "contract_functions", "wildcard": True, "functionName": "All functions"},
)
def test_rules_come_by_form_too(
    api: Client, project: Project, policy: str, add: Add, members: dict[str, Any]
) -> None:
    rule = add(**members)
    assert rule["id"].startswith("afu_")
    assert rule == {"id": rule["id"], "object": "policyRule", "createdAt": project.clock.now_s, **members}
    form = {name: "true" if value is True else str(value) for name, value in members.items()}
    by_form = api.post("/v1/policy_rules", data={"policy": policy, **form}).json()
    assert {**by_form, "id": rule["id"]} == rule


@cases(
    "members",
    limit("gas_per_transaction", **GAS),
    limit("gas_per_interval", **GAS, **DAILY),
    limit("count_per_interval", countLimit=100, **DAILY),
)
def test_which_limit_is_meant_shows_in_its_members(add: Add, members: dict[str, Any]) -> None:
    named = add(**members)
    unnamed = add(**{name: value for name, value in members.items() if name != "functionName"})
    assert {**unnamed, "id": named["id"]} == named


def test_account_functions_have_no_function_and_no_contract(add: Add, items: str) -> None:
    rule = add(type="account_functions", functionName="All functions", contract=items)
    assert set(rule) == {"id", "object", "createdAt", "type"}
    assert add(type="account_functions", contract="con_none")["type"] == "account_functions"


def test_a_rule_about_a_contract_shows_it(api: Client, policy: str, add: Add, items: str) -> None:
    rule = add(type="contract_functions", contract=items, functionName="mint")
    assert (rule["wildcard"], rule["contract"], rule["functionName"]) == (False, {"id": items}, "mint")
    path = f"/v1/policy_rules?policy={policy}"
    assert api.get(path).json()["data"] == [rule]
    whole = api.get(f"{path}&expand=contract").json()["data"][0]
    assert whole == {**rule, "contract": api.get(f"/v1/contracts/{items}").json()}


@cases(
    "members, param",
    ({"type": "contract_functions"}, "contract"),
    ({"type": "contract_functions", "wildcard": False, "functionName": "mint"}, "contract"),
    ({"type": "contract_functions", "contract": "items"}, "functionName"),
    ({"type": "contract_functions", "contract": "items", "functionName": "mimt"}, "functionName"),
    ({"type": "contract_functions", "contract": "items", "functionName": "mint(bool)"}, "functionName"),
    ({"type": "contract_functions", "contract": "items", "functionName": "mint("}, "functionName"),
    ({"type": "contract_functions", "wildcard": True, "contract": "items"}, "contract"),
    ({"type": "contract_functions", "wildcard": True, **GAS}, "gasLimit"),
    ({"type": "account_functions", "wildcard": True}, "wildcard"),
    ({"type": "rate_limit"}, "gasLimit"),
    ({"type": "rate_limit", **DAILY}, "gasLimit"),
    ({"type": "rate_limit", "countLimit": 1}, "timeIntervalType"),
    ({"type": "rate_limit", "countLimit": 1, **DAILY, **GAS}, "gasLimit"),
    ({"type": "rate_limit", **GAS, "contract": "items"}, "contract"),
    (limit("gas_per_day", **GAS), "functionName"),
    (limit("gas_per_transaction"), "gasLimit"),
    (limit("gas_per_transaction", gasLimit="1.5"), "gasLimit"),
    (limit("gas_per_transaction", gasLimit="-1"), "gasLimit"),
    (limit("gas_per_transaction", **GAS, countLimit=1), "countLimit"),
    (limit("gas_per_transaction", **GAS, wildcard=True), "wildcard"),
    (limit("gas_per_interval", **DAILY), "gasLimit"),
    (limit("gas_per_interval", **GAS, timeIntervalValue=1), "timeIntervalType"),
    (limit("gas_per_interval", **GAS, timeIntervalType="day"), "timeIntervalValue"),
    (limit("gas_per_interval", **GAS, timeIntervalType="year", timeIntervalValue=1), "timeIntervalType"),
    (limit("count_per_interval", **DAILY), "countLimit"),
    (limit("count_per_interval", countLimit=1, **DAILY, **GAS), "gasLimit"),
)
def test_a_senseless_rule_is_refused_without_a_trace(
    api: Client, project: Project, policy: str, items: str, members: dict[str, Any], param: str
) -> None:
    if "contract" in members:
        members = {**members, "contract": items}
    before = project.snapshot().tables
    response = api.post("/v1/policy_rules", json={"policy": policy, **members})
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert project.snapshot().tables == before


def test_a_misspelled_function_is_told_the_nearest(api: Client, policy: str, items: str) -> None:
    members = {"type": "contract_functions", "contract": items, "functionName": "mimt", "policy": policy}
    assert "did you mean mint?" in api.post("/v1/policy_rules", json=members).json()["error"]["message"]


def test_what_a_rule_names_must_exist(api: Client, policy: str, items: str) -> None:
    def refused(**members: Any) -> tuple[int, str, str]:
        body = {"type": "contract_functions", "functionName": "pause", "policy": policy, **members}
        response = api.post("/v1/policy_rules", json=body)
        error = response.json()["error"]
        return response.status_code, error["code"], error["param"]

    assert refused(contract=items, policy="pol_none") == (404, "fee_sponsorship_not_found", "policy")
    assert refused(contract="con_none") == (404, "contract_not_found", "contract")
    other = new_contract(api, ITEMS, BASE_SEPOLIA)
    assert refused(contract=other) == (400, "invalid_parameters", "contract")
    api.delete(f"/v1/contracts/{items}")
    assert refused(contract=items) == (404, "contract_not_found", "contract")
    api.delete(f"/v1/policies/{policy}")
    assert refused(wildcard=True) == (404, "fee_sponsorship_not_found", "policy")


def test_an_update_keeps_what_it_leaves_out(api: Client, add: Add, items: str) -> None:
    def changed(rule: dict[str, Any], **members: Any) -> Any:
        response = api.post(f"/v1/policy_rules/{rule['id']}", json={"type": rule["type"], **members})
        assert response.status_code == 200, response.text
        return response.json()

    rule = add(**limit("gas_per_interval", **GAS, **DAILY))
    assert changed(rule) == rule
    assert changed(rule, gasLimit="5") == {**rule, "gasLimit": "5"}
    assert changed(rule, timeIntervalType="week", timeIntervalValue=2) == {
        **rule,
        "gasLimit": "5",
        "timeIntervalType": "week",
        "timeIntervalValue": 2,
    }
    form = {"type": "rate_limit", "functionName": "count_per_interval", "countLimit": "3"}
    partial = api.post(f"/v1/policy_rules/{rule['id']}", data=form)
    assert partial.json()["error"]["param"] == "timeIntervalType"
    whole = api.post(f"/v1/policy_rules/{rule['id']}", data={**form, **DAILY}).json()
    assert whole == {
        **{name: rule[name] for name in ("id", "object", "createdAt", "type")},
        "functionName": "count_per_interval",
        "countLimit": 3,
        **DAILY,
    }

    rule = add(type="contract_functions", contract=items, functionName="mint")
    assert changed(rule) == rule
    assert changed(rule, functionName="pause") == {**rule, "functionName": "pause"}
    everywhere = changed(rule, wildcard=True)
    assert (everywhere["wildcard"], everywhere["functionName"]) == (True, "pause")
    assert "contract" not in everywhere
    assert changed(everywhere) == everywhere
    assert changed(rule, contract=items) == {**rule, "functionName": "pause"}
    assert set(changed({**rule, "type": "account_functions"})) == {"id", "object", "createdAt", "type"}


def test_an_update_of_a_limit_shows_by_its_members_which_it_is(api: Client, add: Add) -> None:
    path = f"/v1/policy_rules/{add(**limit('gas_per_transaction', **GAS))['id']}"

    def changed(**members: Any) -> dict[str, Any]:
        answer: dict[str, Any] = api.post(path, json={"type": "rate_limit", **members}).json()
        return {name: value for name, value in answer.items() if name not in ("id", "object", "createdAt")}

    assert changed(**DAILY) == limit("gas_per_interval", **GAS, **DAILY)
    assert changed(gasLimit="5") == limit("gas_per_interval", gasLimit="5", **DAILY)
    assert changed(countLimit=2, **DAILY) == limit("count_per_interval", countLimit=2, **DAILY)
    assert changed(countLimit=3) == limit("count_per_interval", countLimit=3, **DAILY)
    assert changed(gasLimit="6") == limit("gas_per_transaction", gasLimit="6")


def test_a_refused_update_changes_nothing(api: Client, policy: str, add: Add) -> None:
    rule = add(type="contract_functions", wildcard=True, functionName="mint")
    path = f"/v1/policy_rules/{rule['id']}"
    for body, param in (
        ({}, "type"),
        ({"type": "contract_functions", "wildcard": False}, "contract"),
        ({"type": "rate_limit"}, "gasLimit"),
        ({"type": "contract_functions", "gasLimit": "1"}, "gasLimit"),
    ):
        response = api.post(path, json=body)
        assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert api.get(f"/v1/policy_rules?policy={policy}").json()["data"] == [rule]


def test_rules_are_listed_by_policy_newest_first(api: Client, policy: str, add: Add) -> None:
    rules = [add(**daily(count)) for count in range(2)]
    other = api.post("/v1/policies", json={"name": "other", "chainId": AMOY, "strategy": FREE}).json()["id"]
    add(type="account_functions", policy=other)
    page = api.get(f"/v1/policy_rules?policy={policy}").json()
    assert (page["data"], page["total"]) == (rules[::-1], 2)
    unknown = api.get("/v1/policy_rules?policy=pol_none")
    assert (unknown.status_code, unknown.json()["error"]["param"]) == (404, "policy")


def test_a_deleted_rule_is_gone(api: Client, policy: str, add: Add) -> None:
    rule = add(type="account_functions")
    path = f"/v1/policy_rules/{rule['id']}"
    assert api.delete(path).json() == {"id": rule["id"], "object": "policyRule", "deleted": True}
    assert api.get(f"/v1/policy_rules?policy={policy}").json()["total"] == 0
    for response in (api.delete(path), api.post(path, json={"type": "account_functions"})):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "policy_rule_not_found")
