"""The rules of gas policies, and whose gas they let a policy pay."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.domain.chains.gas import reservation_for
from mockserver.domain.sponsorship.gas_rules import Candidate, apply_rules
from mockserver.domain.sponsorship.sponsors import sponsor_decision
from mockserver.domain.transactions.building import estimate_reservation
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.server.assembly import assemble
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings
from mockserver.state.world import World
from tests.transport import InProcessTransport

AMOY = 80002
BASE_SEPOLIA = 84532
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
DAY_MS = 86_400_000

Add = Callable[..., dict[str, Any]]
Send = Callable[..., dict[str, Any]]


@pytest.fixture
def policy(api: httpx.Client) -> str:
    """The id of a gas policy that pays for the user."""
    response = api.post("/v1/policies", json={"name": "gas", "chainId": AMOY, "strategy": FREE})
    return str(response.json()["id"])


@pytest.fixture
def items(api: httpx.Client) -> str:
    """The id of a contract with an ABI."""
    return new_contract(api, ITEMS, abi=ABI)


@pytest.fixture
def account(api: httpx.Client) -> str:
    """The id of a smart account."""
    return str(api.post("/v1/accounts", json={"chainId": AMOY}).json()["id"])


@pytest.fixture
def add(api: httpx.Client, policy: str) -> Add:
    """Adds a rule to the policy and answers it."""

    def added(**members: Any) -> dict[str, Any]:
        response = api.post("/v1/policy_rules", json={"policy": policy, **members})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return added


@pytest.fixture
def send(api: httpx.Client, policy: str, account: str) -> Send:
    """Asks for an intent and answers it."""

    def sent(*interactions: dict[str, Any], **members: Any) -> dict[str, Any]:
        body = {"chainId": AMOY, "account": account, "policy": policy, **members}
        body["interactions"] = list(interactions or ({"to": ITEMS, "data": "0x12345678"},))
        response = api.post("/v1/transaction_intents", json=body)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return sent


def new_contract(api: httpx.Client, address: str, chain_id: int = AMOY, **members: Any) -> str:
    body = {"name": "Items", "chainId": chain_id, "address": address, **members}
    return str(api.post("/v1/contracts", json=body).json()["id"])


def limit(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": "rate_limit", "functionName": kind, **members}


def daily(count: int, unit: str = "day", value: int = 1) -> dict[str, Any]:
    return limit("count_per_interval", countLimit=count, timeIntervalType=unit, timeIntervalValue=value)


def sponsored(intent: dict[str, Any]) -> bool:
    """Whether a paymaster stands behind an intent."""
    return "policy" in intent


def fee_of(intent: dict[str, Any]) -> int:
    return int(intent["response"]["gasFee"])


# --- rules through the API -----------------------------------------------------------------------------

GAS = {"gasLimit": "1000000000000000000"}
DAILY = {"timeIntervalType": "day", "timeIntervalValue": 1}


@pytest.mark.parametrize(
    "members",
    [
        {"type": "account_functions"},
        limit("gas_per_transaction", **GAS),
        limit("gas_per_interval", **GAS, **DAILY),
        limit("count_per_interval", countLimit=100, timeIntervalType="month", timeIntervalValue=3),
        {"type": "contract_functions", "wildcard": True},
        {"type": "contract_functions", "wildcard": True, "functionName": "All functions"},
    ],
)
def test_a_rule_is_created_by_json_and_by_form(
    api: httpx.Client, project: Project, policy: str, add: Add, members: dict[str, Any]
) -> None:
    rule = add(**members)
    assert rule["id"].startswith("afu_")
    assert rule == {"id": rule["id"], "object": "policyRule", "createdAt": project.clock.now_s, **members}
    form = {name: "true" if value is True else str(value) for name, value in members.items()}
    by_form = api.post("/v1/policy_rules", data={"policy": policy, **form}).json()
    assert {**by_form, "id": rule["id"]} == rule


def test_a_rule_about_a_contract_shows_it(api: httpx.Client, policy: str, add: Add, items: str) -> None:
    rule = add(type="contract_functions", contract=items, functionName="mint")
    assert (rule["wildcard"], rule["contract"], rule["functionName"]) == (False, {"id": items}, "mint")
    path = f"/v1/policy_rules?policy={policy}"
    assert api.get(path).json()["data"] == [rule]
    whole = api.get(f"{path}&expand=contract").json()["data"][0]
    assert whole == {**rule, "contract": api.get(f"/v1/contracts/{items}").json()}


@pytest.mark.parametrize(
    ("members", "param"),
    [
        ({}, "type"),
        ({"type": "everything"}, "type"),
        ({"type": "contract_functions"}, "contract"),
        ({"type": "contract_functions", "wildcard": False, "functionName": "mint"}, "contract"),
        ({"type": "contract_functions", "contract": "items"}, "functionName"),
        ({"type": "contract_functions", "contract": "items", "functionName": "mimt"}, "functionName"),
        ({"type": "contract_functions", "contract": "items", "functionName": "mint(bool)"}, "functionName"),
        ({"type": "contract_functions", "contract": "items", "functionName": "mint("}, "functionName"),
        ({"type": "contract_functions", "wildcard": True, "contract": "items"}, "contract"),
        ({"type": "contract_functions", "wildcard": True, **GAS}, "gasLimit"),
        ({"type": "account_functions", "functionName": "mint"}, "functionName"),
        ({"type": "account_functions", "wildcard": True}, "wildcard"),
        ({"type": "rate_limit"}, "functionName"),
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
        (limit("gas_per_interval", **GAS, timeIntervalType="day", timeIntervalValue=0), "timeIntervalValue"),
        (limit("count_per_interval", **DAILY), "countLimit"),
        (limit("count_per_interval", countLimit=-1, **DAILY), "countLimit"),
        (limit("count_per_interval", countLimit=1, **DAILY, **GAS), "gasLimit"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_and_leaves_no_trace(
    api: httpx.Client, project: Project, policy: str, items: str, members: dict[str, Any], param: str
) -> None:
    if "contract" in members:
        members = {**members, "contract": items}
    before = project.snapshot().tables
    response = api.post("/v1/policy_rules", json={"policy": policy, **members})
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert project.snapshot().tables == before


def test_a_misspelled_function_is_told_the_nearest(api: httpx.Client, policy: str, items: str) -> None:
    members = {"type": "contract_functions", "contract": items, "functionName": "mimt", "policy": policy}
    assert "did you mean mint?" in api.post("/v1/policy_rules", json=members).json()["error"]["message"]


def test_what_a_rule_names_must_exist(api: httpx.Client, policy: str, items: str) -> None:
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


def test_an_update_keeps_what_it_leaves_out(api: httpx.Client, add: Add, items: str) -> None:
    def changed(rule: dict[str, Any], **members: Any) -> dict[str, Any]:
        response = api.post(f"/v1/policy_rules/{rule['id']}", json={"type": rule["type"], **members})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

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


def test_a_refused_update_changes_nothing(api: httpx.Client, policy: str, add: Add) -> None:
    rule = add(type="contract_functions", wildcard=True, functionName="mint")
    path = f"/v1/policy_rules/{rule['id']}"
    for body, param in (
        ({}, "type"),
        ({"type": "contract_functions", "wildcard": False}, "contract"),
        ({"type": "rate_limit"}, "functionName"),
        ({"type": "contract_functions", "gasLimit": "1"}, "gasLimit"),
    ):
        response = api.post(path, json=body)
        assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert api.get(f"/v1/policy_rules?policy={policy}").json()["data"] == [rule]


def test_rules_are_listed_by_policy_newest_first(api: httpx.Client, policy: str, add: Add) -> None:
    rules = [add(**daily(count)) for count in range(11)]
    other = api.post("/v1/policies", json={"name": "other", "chainId": AMOY, "strategy": FREE}).json()["id"]
    add(type="account_functions", policy=other)
    page = api.get(f"/v1/policy_rules?policy={policy}").json()
    assert (page["data"], page["total"], page["url"]) == (rules[:0:-1], 11, "/v1/policy_rules")
    assert api.get(f"/v1/policy_rules?policy={policy}&order=asc&limit=1&skip=1").json()["data"] == rules[1:2]
    assert api.get("/v1/policy_rules").json()["error"]["param"] == "policy"
    unknown = api.get("/v1/policy_rules?policy=pol_none")
    assert (unknown.status_code, unknown.json()["error"]["param"]) == (404, "policy")


def test_a_deleted_rule_is_gone(api: httpx.Client, policy: str, add: Add) -> None:
    rule = add(type="account_functions")
    path = f"/v1/policy_rules/{rule['id']}"
    assert api.delete(path).json() == {"id": rule["id"], "object": "policyRule", "deleted": True}
    assert api.get(f"/v1/policy_rules?policy={policy}").json()["total"] == 0
    for response in (api.delete(path), api.post(path, json={"type": "account_functions"})):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "policy_rule_not_found")


# --- what is called ------------------------------------------------------------------------------------


def mint(items: str, *args: Any) -> dict[str, Any]:
    name = "mint(address)" if len(args) == 1 else "mint(address,uint256)"
    return {"contract": items, "functionName": name, "functionArgs": list(args)}


def test_only_what_a_rule_names_is_paid_for(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="mint")
    pause = {"contract": items, "functionName": "pause"}
    assert sponsored(send(mint(items, ELSEWHERE)))
    assert sponsored(send(mint(items, ELSEWHERE, "1"), mint(items, ELSEWHERE)))
    for others in ([pause], [mint(items, ELSEWHERE), pause], [{"to": ELSEWHERE, "data": "0x6a627842"}]):
        alone = send(*others)
        assert (sponsored(alone), alone["response"]["status"]) == (False, 1)
    assert not sponsored(send({"to": ELSEWHERE, "value": "1"}))


def test_raw_data_is_told_by_its_selector(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="mint(address)")
    one = send(mint(items, ELSEWHERE))["interactions"][0]
    assert one["functionName"] == "mint(address)"
    # keccak256("mint(address)") begins with 6a627842, keccak256("mint(address,uint256)") with 40c10f19.
    argument = "0" * 24 + ELSEWHERE[2:]
    assert sponsored(send({"to": ITEMS, "data": "0x6a627842" + argument}))
    assert not sponsored(send({"to": ITEMS, "data": "0x40c10f19" + argument + "0" * 64}))


def test_without_an_abi_a_function_is_told_by_its_name(api: httpx.Client, add: Add, send: Send) -> None:
    bare = new_contract(api, ELSEWHERE)
    add(type="contract_functions", contract=bare, functionName="mint")
    call = {"contract": bare, "functionName": "mint(address)", "functionArgs": [ITEMS]}
    assert sponsored(send(call))
    assert not sponsored(send({**call, "functionName": "burn(address)"}))
    assert not sponsored(send({"to": ELSEWHERE, "data": "0x6a627842" + "0" * 64}))


def test_all_functions_of_a_contract_are_those_of_no_other(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="All functions")
    assert sponsored(send({"contract": items, "functionName": "pause"}, {"to": ITEMS, "data": "0x01020304"}))
    assert not sponsored(send({"to": ELSEWHERE, "data": "0x01020304"}))


def test_a_wildcard_names_every_contract_but_not_the_account(
    api: httpx.Client, add: Add, send: Send, items: str, account: str
) -> None:
    add(type="contract_functions", wildcard=True)
    address = api.get(f"/v1/accounts/{account}").json()["address"]
    assert sponsored(
        send({"contract": items, "functionName": "pause"}, {"to": ELSEWHERE, "data": "0x01020304"})
    )
    assert not sponsored(send({"to": address, "data": "0x01020304"}))
    assert not sponsored(send({"to": ELSEWHERE, "value": "1"}))


def test_a_wildcard_may_name_a_function_of_every_contract(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", wildcard=True, functionName="mint(address)")
    argument = "0" * 24 + ELSEWHERE[2:]
    assert sponsored(send(mint(items, ELSEWHERE), {"to": ELSEWHERE, "data": "0x6a627842" + argument}))
    assert not sponsored(send({"contract": items, "functionName": "pause"}))


def test_account_functions_are_calls_of_itself_and_plain_transfers(
    api: httpx.Client, add: Add, send: Send, items: str, account: str
) -> None:
    add(type="account_functions")
    address = api.get(f"/v1/accounts/{account}").json()["address"]
    call = {"to": address, "functionName": "transferOwnership(address)", "functionArgs": [ELSEWHERE]}
    assert sponsored(send(call, {"to": ELSEWHERE, "value": "1"}))
    assert not sponsored(send(call, {"contract": items, "functionName": "pause"}))
    add(type="contract_functions", contract=items, functionName="pause")
    assert sponsored(send(call, {"contract": items, "functionName": "pause"}))


def test_a_rule_names_nothing_once_its_contract_is_deleted(
    api: httpx.Client, add: Add, send: Send, items: str
) -> None:
    add(type="contract_functions", contract=items, functionName="All functions")
    call = {"to": ITEMS, "data": "0x01020304"}
    assert sponsored(send(call))
    api.delete(f"/v1/contracts/{items}")
    assert not sponsored(send(call))


def test_a_changed_or_deleted_rule_counts_at_once(
    api: httpx.Client, add: Add, send: Send, items: str
) -> None:
    rule = add(type="contract_functions", contract=items, functionName="mint")
    pause = {"contract": items, "functionName": "pause"}
    assert not sponsored(send(pause))
    body = {"type": "contract_functions", "functionName": "pause"}
    api.post(f"/v1/policy_rules/{rule['id']}", json=body)
    assert sponsored(send(pause))
    assert not sponsored(send(mint(items, ELSEWHERE)))
    api.delete(f"/v1/policy_rules/{rule['id']}")
    assert sponsored(send(mint(items, ELSEWHERE)))


# --- how much ------------------------------------------------------------------------------------------


def test_a_transaction_may_cost_the_limit_and_no_more(
    api: httpx.Client, project: Project, add: Add, send: Send
) -> None:
    send()  # The first deploys the account, which costs more.
    held = project.onchain.transactions[send(optimistic=True)["id"]].reservation
    assert held is not None
    rule = add(**limit("gas_per_transaction", gasLimit=str(held.gas)))
    assert sponsored(send())
    api.post(f"/v1/policy_rules/{rule['id']}", json={"type": "rate_limit", "gasLimit": str(held.gas - 1)})
    assert not sponsored(send())


def test_a_number_of_transactions_is_paid_for_in_an_interval(project: Project, add: Add, send: Send) -> None:
    add(**daily(2))
    start_ms = project.clock.now_ms
    assert [sponsored(send(optimistic=True)) for _ in range(3)] == [True, True, False]
    TIMER_LOOP.advance(project, start_ms + DAY_MS - 1)
    assert not sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + DAY_MS)
    assert [sponsored(send()) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("unit", "value", "length_ms"),
    [
        ("minute", 1, 60_000),
        ("minute", 90, 90 * 60_000),
        ("hour", 1, 3_600_000),
        ("week", 1, 7 * DAY_MS),
        # The clock begins on January 1, and February has 28 days.
        ("month", 1, 31 * DAY_MS),
        ("month", 2, 59 * DAY_MS),
        ("month", 2**31 - 1, None),
        ("week", 2**31 - 1, None),
    ],
)
def test_an_interval_ends_by_the_projects_clock(
    project: Project, add: Add, send: Send, unit: str, value: int, length_ms: int | None
) -> None:
    add(**daily(1, unit, value))
    start_ms = project.clock.now_ms
    assert sponsored(send(optimistic=True))
    if length_ms is None:
        TIMER_LOOP.advance(project, start_ms + 4000 * DAY_MS)
        assert not sponsored(send(optimistic=True))
        return
    TIMER_LOOP.advance(project, start_ms + length_ms - 1)
    assert not sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + length_ms)
    assert sponsored(send(optimistic=True))


def test_a_month_ends_no_later_than_a_shorter_month_before_it(project: Project, add: Add, send: Send) -> None:
    add(**daily(1, "month"))
    start_ms = project.clock.now_ms
    TIMER_LOOP.advance(project, start_ms + 59 * DAY_MS - 1)  # The end of February 28.
    assert sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + 87 * DAY_MS - 2)  # The end of March 28, a moment before.
    assert not sponsored(send(optimistic=True))
    for day in (88, 89, 90):  # March 30 and 31, April 1.
        with_one_left = project.snapshot()
        TIMER_LOOP.advance(project, start_ms + day * DAY_MS)
        assert sponsored(send(optimistic=True))
        project.restore(with_one_left, 0)


def test_gas_of_an_interval_counts_as_held_until_it_is_spent(
    project: Project, policy: str, add: Add, send: Send
) -> None:
    first = send()
    pending = send(optimistic=True)
    held = project.onchain.transactions[pending["id"]].reservation
    assert held is not None
    rule_limit = fee_of(first) + 2 * held.gas
    add(**limit("gas_per_interval", gasLimit=str(rule_limit), timeIntervalType="day", timeIntervalValue=1))
    assert sponsored(send(optimistic=True))
    assert not sponsored(send(optimistic=True))
    # Once they are mined, what they cost is less than what they could have cost.
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    taken = sum(
        row.receipt.payment.wei
        for row in project.onchain.transactions.find("fee_sponsorship_id", policy)
        if row.receipt is not None and row.receipt.payment is not None
    )
    more = (rule_limit - taken) // held.gas
    assert more >= 1
    assert [sponsored(send(optimistic=True)) for _ in range(more + 1)] == [True] * more + [False]


def test_what_waits_for_its_owner_counts_too(
    api: httpx.Client, project: Project, policy: str, add: Add
) -> None:
    owner = {"chainId": AMOY, "externalOwnerAddress": ELSEWHERE}
    account = api.post("/v1/accounts", json=owner).json()["id"]
    rule = add(**daily(1))
    body = {
        "chainId": AMOY,
        "account": account,
        "policy": policy,
        "interactions": [{"to": ITEMS, "data": "0x12345678"}],
    }
    waiting = api.post("/v1/transaction_intents", json=body).json()
    assert (sponsored(waiting), "nextAction" in waiting) == (True, True)
    assert not sponsored(api.post("/v1/transaction_intents", json=body).json())
    assert "(count_per_interval)" in why_not(project, policy, account)
    api.delete(f"/v1/policy_rules/{rule['id']}")
    row = project.onchain.transactions[waiting["id"]]
    assert row.execution is not None
    most = reservation_for(project, AMOY, row.execution, row.calls).gas
    add(**limit("gas_per_interval", gasLimit=str(2 * most - 1), **DAILY))
    assert f"{most} are taken, and this transaction may take {most}" in why_not(project, policy, account)


def test_newer_transactions_keep_to_the_rules_too(
    api: httpx.Client, account: str, policy: str, add: Add
) -> None:
    add(**daily(1))
    body = {"chainId": AMOY, "accountId": account, "feeSponsorshipId": policy, "calls": [{"to": ELSEWHERE}]}
    made = [api.post("/v2/transactions", json=body).json() for _ in range(2)]
    assert [each["status"] for each in made] == ["successful", "successful"]
    assert ["feeSponsorshipId" in each for each in made] == [True, False]


def test_the_control_api_says_why_a_policy_pays_or_not(
    api: httpx.Client, account: str, policy: str, add: Add, send: Send
) -> None:
    def decided(intent: dict[str, Any]) -> tuple[str | None, bool, str]:
        answer = api.get(f"/_mock/projects/-/transactions/{intent['id']}/decisions").json()
        assert answer["id"] == intent["id"]
        asked = answer["sponsoring"]
        return (asked["fee_sponsorship_id"], asked["pays"], asked["reason"]) if asked else (None, False, "")

    reason = "The sponsorship has no policy: it pays for everything."
    assert decided(send()) == (policy, True, reason)
    add(type="contract_functions", wildcard=True)
    assert decided(send()) == (policy, True, f"The rules of the gas policy {policy} let it pay.")
    rule = add(**limit("gas_per_transaction", gasLimit="1"))
    asked, pays, reason = decided(send())
    assert (asked, pays) == (policy, False)
    assert reason.startswith(f"The rule {rule['id']} (gas_per_transaction) pays 1 wei for a transaction")
    body = {"chainId": AMOY, "account": account, "interactions": [{"to": ITEMS}]}
    alone = api.post("/v1/transaction_intents", json=body).json()
    assert decided(alone) == (None, False, "")
    unknown = api.get("/_mock/projects/-/transactions/tin_none/decisions")
    assert unknown.status_code == 404


def test_what_failed_does_not_count_and_what_was_reverted_does(
    project: Project, add: Add, send: Send
) -> None:
    add(**daily(2))
    add_fate(project, "failed")
    add_fate(project, "dropped")
    add_fate(project, "reverted")
    project.undo.mark()
    assert [send()["response"]["status"] for _ in range(3)] == [0, 0, 0]
    assert [sponsored(send()) for _ in range(2)] == [True, False]


def test_every_limit_has_to_hold(project: Project, policy: str, account: str, add: Add, send: Send) -> None:
    add(**daily(5))
    hourly = add(**daily(1, "hour"))
    assert sponsored(send())
    assert not sponsored(send())
    reason = why_not(project, policy, account)
    assert reason == (
        f"The rule {hourly['id']} (count_per_interval) pays for 1 transactions in 1 hour, and there were 1."
    )


def test_an_estimate_says_what_the_account_would_be_charged(
    api: httpx.Client, account: str, policy: str, add: Add
) -> None:
    charge = {"sponsorSchema": "fixed_rate", "tokenContract": ITEMS, "tokenContractAmount": "7"}
    api.post(f"/v1/policies/{policy}", json={"strategy": charge})
    body = {
        "chainId": AMOY,
        "account": account,
        "policy": policy,
        "interactions": [{"to": ITEMS, "data": "0x12345678"}],
    }
    path = "/v1/transaction_intents/estimate_gas_cost"
    assert api.post(path, json=body).json()["estimatedTXGasFeeToken"] == "7"
    add(**limit("gas_per_transaction", gasLimit="1"))
    assert "estimatedTXGasFeeToken" not in api.post(path, json=body).json()


@pytest.mark.parametrize("scope", ["project", "transaction"])
def test_what_rules_refuse_fails_where_the_policy_is_for_transactions(
    api: httpx.Client, policy: str, add: Add, send: Send, scope: str
) -> None:
    accept = {"action": "accept", "operation": "sponsorEvmTransaction"}
    newer = api.post("/v2/policies", json={"scope": scope, "rules": [accept]}).json()["id"]
    api.put(f"/v2/fee-sponsorship/{policy}", json={"policyId": newer})
    assert sponsored(send())
    rule = add(**limit("gas_per_transaction", gasLimit="1"))
    intent = send()
    if scope == "project":
        assert (sponsored(intent), intent["response"]["status"]) == (False, 1)
    else:
        assert intent["response"]["status"] == 0
        assert (
            f"The rule {rule['id']} (gas_per_transaction) pays 1 wei" in intent["response"]["error"]["reason"]
        )


def test_the_linked_policy_is_asked_before_the_rules(
    api: httpx.Client, project: Project, policy: str, account: str, add: Add
) -> None:
    reject = {"action": "reject", "operation": "sponsorEvmTransaction"}
    newer = api.post("/v2/policies", json={"scope": "project", "rules": [reject]}).json()["id"]
    api.put(f"/v2/fee-sponsorship/{policy}", json={"policyId": newer})
    add(**limit("gas_per_transaction", gasLimit="1"))
    assert "Rejected by policy rule" in why_not(project, policy, account)


def test_a_call_that_no_rule_names_is_told_in_the_reason(
    project: Project, policy: str, account: str, add: Add
) -> None:
    add(type="account_functions")
    assert why_not(project, policy, account) == (
        f"calls[0]: no rule of the gas policy {policy} names 0x12345678 of {ITEMS}."
    )


def why_not(project: Project, policy: str, account_id: str) -> str:
    """Why the policy does not pay for a call of the items' contract."""
    sponsorship = project.guardrails.fee_sponsorships[policy]
    calls = [CallRecord(ITEMS, 0, bytes.fromhex("12345678"), {})]
    decision = sponsor_decision(project, sponsorship, account_id, AMOY, calls)
    account = project.wallets.accounts[account_id]
    candidate = Candidate(
        account, AMOY, calls, lambda sponsor: estimate_reservation(project, account, AMOY, calls, sponsor)
    )
    decision = apply_rules(project, sponsorship, decision, candidate)
    assert (decision.pays, decision.failed) == (False, False)
    return decision.reason


STEPS = st.lists(
    st.one_of(
        st.just(("send", 0)),
        st.just(("sent at once", 0)),
        st.tuples(st.just("hours"), st.integers(1, 30)),
        st.tuples(st.just("base fee"), st.integers(1, 5 * 10**9)),
        st.tuples(st.just("fate"), st.sampled_from(["reverted", "failed", "dropped"])),
    ),
    max_size=25,
)


@settings(max_examples=30)
@given(steps=STEPS, count=st.integers(1, 4), gas=st.integers(10**14, 10**16))
def test_no_interval_ever_holds_more_than_its_limits(
    steps: list[tuple[str, Any]], count: int, gas: int
) -> None:
    world = World()
    project = world.create(name="limits")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with httpx.Client(transport=transport, base_url="http://mock", headers=headers) as api:
        made = api.post("/v1/policies", json={"name": "gas", "chainId": AMOY, "strategy": FREE})
        policy = made.json()["id"]
        by_gas = limit("gas_per_interval", gasLimit=str(gas), timeIntervalType="day", timeIntervalValue=1)
        for members in (by_gas, daily(count, "hour", 10)):
            assert api.post("/v1/policy_rules", json={"policy": policy, **members}).status_code == 200
        account = api.post("/v1/accounts", json={"chainId": AMOY}).json()["id"]
        body = {"chainId": AMOY, "account": account, "policy": policy, "interactions": [{"to": ITEMS}]}
        for step, value in steps:
            if step == "hours":
                TIMER_LOOP.advance(project, project.clock.now_ms + value * 3_600_000)
            elif step == "base fee":
                chosen = {str(AMOY): ChainSettings(base_fee_wei=value)}
                project.settings = replace(project.settings, chains=chosen)
            elif step == "fate":
                add_fate(project, value)
                project.undo.mark()
            else:
                answer = api.post("/v1/transaction_intents", json={**body, "optimistic": step != "send"})
                assert answer.status_code == 200
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    paid = [
        (row.created_ms, row.receipt.payment.wei)
        for row in project.onchain.transactions.find("fee_sponsorship_id", policy)
        if row.receipt is not None and row.receipt.payment is not None
    ]
    for end_ms, _ in paid:
        day = [wei for at_ms, wei in paid if end_ms - DAY_MS < at_ms <= end_ms]
        assert sum(day) <= gas
        hours = [wei for at_ms, wei in paid if end_ms - 36_000_000 < at_ms <= end_ms]
        assert len(hours) <= count
