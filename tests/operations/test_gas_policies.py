"""Gas policies: what the older API makes of fee sponsorships."""

from collections.abc import Callable
from typing import Any

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.operations.responses import error_of
from tests.operations.sponsoring import AMOY, FREE, TOKEN, new_account, post_sponsorship, send
from tests.tables import cases

BASE_SEPOLIA = 84532
MINT = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
FORM = {"content-type": "application/x-www-form-urlencoded"}

Create = Callable[..., dict[str, Any]]


@pytest.fixture
def create(api: Client) -> Create:
    """Creates a gas policy and answers it."""

    def created(**members: Any) -> Any:
        body = {"name": "Game gas", "chainId": AMOY, "strategy": FREE, **members}
        response = api.post("/v1/policies", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    return created


def charge(schema: str = "charge_custom_tokens", **members: Any) -> dict[str, Any]:
    return {"sponsorSchema": schema, "tokenContract": TOKEN, "tokenContractAmount": "5", **members}


def test_a_gas_policy_is_created_enabled(create: Create, project: Project) -> None:
    created = create()
    assert created["id"].startswith("pol_")
    assert {**created, "id": ""} == {
        "id": "",
        "object": "policy",
        "createdAt": project.clock.now_s,
        "name": "Game gas",
        "deleted": False,
        "enabled": True,
        "chainId": AMOY,
        "strategy": FREE,
        "transactionIntents": [],
        "policyRules": [],
    }


def test_a_form_creates_what_json_does(api: Client, create: Create, contract: str) -> None:
    strategy = charge("fixed_rate", tokenContract=contract)
    by_json = create(strategy=strategy)
    form = {
        "name": "Game gas",
        "chainId": str(AMOY),
        "strategy[sponsorSchema]": "fixed_rate",
        "strategy[tokenContract]": contract,
        "strategy[tokenContractAmount]": "5",
    }
    response = api.post("/v1/policies", data=form)
    assert response.request.headers["content-type"] == FORM["content-type"]
    assert {**response.json(), "id": by_json["id"]} == by_json
    assert by_json["strategy"] == strategy
    path = f"/v1/policies/{by_json['id']}"
    assert api.post(path, data={"name": "Other", "deleted": "true"}).json() == {
        **by_json,
        "name": "Other",
        "deleted": True,
    }


@cases(
    "wrong, param",
    ({"chainId": 1}, "chainId"),
    ({"strategy": charge(tokenContract=None)}, "strategy.tokenContract"),
    ({"strategy": charge(tokenContractAmount=None)}, "strategy.tokenContractAmount"),
    ({"strategy": charge("fixed_rate", tokenContractAmount="1.5")}, "strategy.tokenContractAmount"),
    ({"strategy": charge("pay_for_user")}, "strategy.tokenContract"),
    ({"strategy": charge("pay_for_user", tokenContract=None)}, "strategy.tokenContractAmount"),
    ({"strategy": charge(tokenContract="USD")}, "strategy.tokenContract"),
)
def test_a_malformed_policy_is_refused(
    api: Client, create: Create, project: Project, wrong: dict[str, Any], param: str
) -> None:
    path = f"/v1/policies/{create()['id']}"
    before = project.snapshot().tables
    members = {"name": "x", "chainId": AMOY, "strategy": FREE, **wrong}
    response = api.post("/v1/policies", json=members)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    changed = api.post(path, json=wrong)
    assert (changed.status_code, changed.json()["error"]["param"]) == (400, param)
    assert project.snapshot().tables == before


def test_a_token_contract_must_exist_on_the_chain(api: Client, create: Create, contract: str) -> None:
    body = {"name": "x", "chainId": BASE_SEPOLIA, "strategy": charge(tokenContract=contract)}
    elsewhere = api.post("/v1/policies", json=body)
    assert (elsewhere.status_code, elsewhere.json()["error"]["param"]) == (400, "strategy.tokenContract")
    unknown = api.post("/v1/policies", json={**body, "strategy": charge(tokenContract="con_none")})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "contract_not_found")
    created = create(strategy=charge(tokenContract=contract))
    moved = api.post(f"/v1/policies/{created['id']}", json={"chainId": BASE_SEPOLIA})
    assert (moved.status_code, moved.json()["error"]["param"]) == (400, "strategy.tokenContract")


def test_paymasters_and_forwarder_contracts_must_exist(api: Client, create: Create) -> None:
    paymaster = api.post("/v1/paymasters", json={"address": TOKEN}).json()["id"]
    forwarder = api.post("/v1/forwarder_contracts", json={"address": TOKEN, "chainId": AMOY}).json()["id"]
    created = create(paymaster=paymaster, forwarderContract=forwarder)
    assert created["paymaster"] == {"id": paymaster}
    assert created["forwarderContract"] == {"id": forwarder}
    bare = create()
    path = f"/v1/policies/{bare['id']}"

    def refused(members: dict[str, Any]) -> list[tuple[int, str]]:
        body = {"name": "x", "chainId": AMOY, "strategy": FREE, **members}
        answers = [api.post("/v1/policies", json=body), api.post(path, json=members)]
        return [(each.status_code, each.json()["error"]["param"]) for each in answers]

    assert refused({"paymaster": "pay_none"}) == [(404, "paymaster")] * 2
    assert refused({"forwarderContract": "cfo_none"}) == [(404, "forwarderContract")] * 2
    assert refused({"paymaster": paymaster, "strategy": charge()}) == [(400, "paymaster")] * 2
    elsewhere = {"forwarderContract": forwarder, "chainId": BASE_SEPOLIA}
    assert refused(elsewhere) == [(400, "forwarderContract")] * 2
    assert api.get(path).json() == bare
    changed = api.post(path, json={"paymaster": paymaster, "forwarderContract": forwarder}).json()
    assert (changed["paymaster"], changed["forwarderContract"]) == ({"id": paymaster}, {"id": forwarder})
    moved = api.post(path, json={"chainId": BASE_SEPOLIA})
    assert (moved.status_code, moved.json()["error"]["param"]) == (400, "chainId")
    charged = api.post(path, json={"strategy": charge()})
    assert (charged.status_code, charged.json()["error"]["param"]) == (400, "strategy.sponsorSchema")


def test_an_update_changes_what_it_names(api: Client, create: Create) -> None:
    created = create()
    path = f"/v1/policies/{created['id']}"
    assert api.post(path, json={}).json() == created
    assert api.post(path, json={"name": "new"}).json() == {**created, "name": "new"}
    changed = api.post(path, json={"chainId": BASE_SEPOLIA, "strategy": charge()}).json()
    assert changed == {**created, "name": "new", "chainId": BASE_SEPOLIA, "strategy": charge()}
    assert api.get(path).json() == changed


def test_a_gas_policy_and_a_fee_sponsorship_are_one_row(api: Client, create: Create) -> None:
    created = create(strategy=charge())
    newer = api.get(f"/v2/fee-sponsorship/{created['id']}").json()
    assert (newer["name"], newer["chainId"], newer["policyId"]) == ("Game gas", AMOY, None)
    assert newer["strategy"]["tokenContracts"] == [{"contract": TOKEN, "amount": "5"}]
    api.put(f"/v2/fee-sponsorship/{created['id']}/disable")
    assert api.get(f"/v1/policies/{created['id']}").json() == {**created, "enabled": False}


def sponsorship(api: Client, **members: Any) -> str:
    response = post_sponsorship(api, **{"chainId": AMOY} | members)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def tokens(*amounts: str | None) -> dict[str, Any]:
    named = [
        {"contract": TOKEN[:-1] + str(at)} | ({} if amount is None else {"amount": amount})
        for at, amount in enumerate(amounts)
    ]
    return {"sponsorSchema": "charge_custom_tokens", "tokenContracts": named}


def test_of_several_tokens_the_first_is_shown(api: Client, create: Create) -> None:
    created = create()
    free, charged = sponsorship(api), sponsorship(api, strategy=tokens("5", None))
    assert [row["id"] for row in api.get("/v1/policies").json()["data"]] == [charged, free, created["id"]]
    older = api.get(f"/v1/policies/{charged}").json()
    assert (older["chainId"], older["strategy"]) == (AMOY, charge(tokenContract=TOKEN[:-1] + "0"))


@cases(
    "members",
    {"chainId": None},
    {"chainId": None, "strategy": {"sponsorSchema": "charge_custom_tokens", "splTokens": [MINT]}},
    {"strategy": tokens(None, "5")},
)
def test_a_newer_sponsorship_is_no_gas_policy(api: Client, create: Create, members: dict[str, Any]) -> None:
    created, other = create(), sponsorship(api, **members)
    listed = api.get("/v1/policies").json()
    assert ([row["id"] for row in listed["data"]], listed["total"]) == ([created["id"]], 1)
    path = f"/v1/policies/{other}"
    for response in (
        api.get(path),
        api.post(path, json={"name": "new", "chainId": BASE_SEPOLIA, "strategy": FREE}),
        api.put(f"{path}/disable"),
        api.put(f"{path}/enable"),
        api.delete(path),
    ):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "fee_sponsorship_not_found")
    assert api.get(f"{path}/reports").status_code == 200
    assert api.get(f"/v2/fee-sponsorship/{other}").json()["enabled"] is True


def test_an_intent_names_a_sponsorship_that_is_no_gas_policy(api: Client) -> None:
    sent = send(api, sponsorship(api, chainId=None), new_account(api)).json()
    shown = api.get(f"/v1/transaction_intents/{sent['id']}", params={"expand": "policy"}).json()
    assert shown["policy"] == sent["policy"]


def test_a_policy_is_disabled_and_enabled(api: Client, create: Create) -> None:
    created = create()
    path = f"/v1/policies/{created['id']}"
    for word, enabled in (("disable", False), ("disable", False), ("enable", True)):
        response = api.put(f"{path}/{word}")
        assert (response.status_code, response.json()) == (200, {**created, "enabled": enabled})
        assert api.get(path).json()["enabled"] is enabled


def test_a_deleted_policy_says_so_and_can_be_brought_back(api: Client, create: Create) -> None:
    created = create()
    path = f"/v1/policies/{created['id']}"
    assert api.delete(path).json() == {"id": created["id"], "object": "policy", "deleted": True}
    assert api.get(path).json() == {**created, "deleted": True}
    assert api.get("/v1/policies").json()["total"] == 0
    assert api.get("/v1/policies?deleted=true").json()["data"] == [{**created, "deleted": True}]
    for response in (api.delete(path), api.put(f"{path}/enable"), api.put(f"{path}/disable")):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "fee_sponsorship_not_found")
    assert api.post(path, json={"deleted": False}).json() == created
    assert api.get(f"/v2/fee-sponsorship/{created['id']}").status_code == 200


@cases(
    "method, path",
    ("GET", ""),
    ("POST", ""),
    ("DELETE", ""),
    ("PUT", "/enable"),
    ("PUT", "/disable"),
    ("GET", "/reports"),
    ("GET", "/reports/transaction_intents?from=1&to=2"),
)
def test_an_unknown_policy_is_not_found(api: Client, method: str, path: str) -> None:
    response = api.request(method, f"/v1/policies/pol_none{path}")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "fee_sponsorship_not_found")


def test_what_belongs_to_a_policy_is_inlined_on_request(api: Client, create: Create) -> None:
    policy = create()["id"]
    rule = api.post(
        "/v1/policy_rules", json={"type": "contract_functions", "wildcard": True, "policy": policy}
    )
    intents = [send(api, policy, new_account(api)).json() for _ in range(2)]
    path = f"/v1/policies/{policy}"
    plain = api.get(path).json()
    assert plain["transactionIntents"] == [{"id": each["id"]} for each in reversed(intents)]
    assert plain["policyRules"] == [{"id": rule.json()["id"]}]
    whole = api.get(f"{path}?expand=policyRules&expand=transactionIntents").json()
    assert whole["transactionIntents"] == list(reversed(intents))
    assert whole["policyRules"] == [rule.json()]
    assert api.get("/v1/policies?expand=policyRules").json()["data"][0]["policyRules"] == [rule.json()]
    assert api.get(f"{path}?expand=account").status_code == 400
    assert api.get(f"/v1/transaction_intents/{intents[0]['id']}?expand=policy").json()["policy"] == plain


def test_the_latest_ten_intents_are_shown(api: Client, create: Create) -> None:
    policy, account = create()["id"], new_account(api)
    sent = [send(api, policy, account).json()["id"] for _ in range(11)]
    shown = api.get(f"/v1/policies/{policy}").json()["transactionIntents"]
    assert [each["id"] for each in shown] == sent[:0:-1]


def test_a_policy_without_rules_pays_for_all_on_its_chain(api: Client, create: Create) -> None:
    policy, account = create()["id"], new_account(api)
    intent = send(api, policy, account).json()
    assert (intent["response"]["status"], intent["policy"]) == (1, {"id": policy})
    elsewhere = send(api, create(chainId=BASE_SEPOLIA)["id"], account)
    assert elsewhere.json()["error"]["code"] == "fee_sponsorship_of_other_chain"


@cases(
    "ending, status, code",
    ("disable", 409, "fee_sponsorship_disabled"),
    (None, 404, "fee_sponsorship_not_found"),
)
def test_a_policy_that_was_switched_off_cannot_be_used(
    api: Client, create: Create, ending: str | None, status: int, code: str
) -> None:
    policy, account = create()["id"], new_account(api)
    if ending is None:
        api.delete(f"/v1/policies/{policy}")
    else:
        api.put(f"/v1/policies/{policy}/{ending}")
    refused = send(api, policy, account)
    assert error_of(refused) == (status, code, "policy")
