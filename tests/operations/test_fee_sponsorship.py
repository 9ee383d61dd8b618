"""Creating, changing, listing and deleting fee sponsorships."""

from collections.abc import Callable
from typing import Any

import pytest
from httpx import Client

from mockserver.state.project import Project
from tests.operations.responses import error_of
from tests.tables import cases

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


@pytest.fixture
def policy(api: Client) -> str:
    """The id of a policy that sponsors calls of little value."""
    return new_policy(api)


@pytest.fixture
def create(api: Client, policy: str) -> Create:
    """Creates a fee sponsorship and answers it."""

    def created(**members: Any) -> Any:
        response = api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy, **members})
        assert response.status_code == 201, response.text
        return response.json()

    return created


def new_paymaster(api: Client) -> str:
    return str(api.post("/v1/paymasters", json={"address": OTHER}).json()["id"])


def new_forwarder(api: Client, chain_id: int = AMOY) -> str:
    response = api.post("/v1/forwarder_contracts", json={"address": OTHER, "chainId": chain_id})
    return str(response.json()["id"])


def test_a_sponsorship_is_created(api: Client, create: Create, policy: str, project: Project) -> None:
    paymaster, forwarder = new_paymaster(api), new_forwarder(api)
    created = create(name="Free gas", chainId=AMOY, paymaster=paymaster, forwarderContractId=forwarder)
    assert created["id"].startswith("pol_")
    assert {**created, "id": ""} == {
        "id": "",
        "object": "feeSponsorship",
        "createdAt": project.clock.now_s,
        "name": "Free gas",
        "description": None,
        "chainId": AMOY,
        "enabled": True,
        "strategy": {"sponsorSchema": "pay_for_user"},
        "paymasterId": paymaster,
        "forwarderContractId": forwarder,
        "policyId": policy,
    }


FIVE = [{"contract": TOKEN, "amount": "5"}]
IN_ONE = {"tokenContract": TOKEN, "tokenContractAmount": "5"}


@cases(
    "given, shown",
    ({"tokenContracts": FIVE}, {"tokenContracts": FIVE, **IN_ONE, "dynamicExchangeRate": False}),
    (IN_ONE, {"tokenContracts": FIVE, **IN_ONE, "dynamicExchangeRate": False}),
    (
        {"tokenContract": TOKEN},
        {"tokenContracts": [{"contract": TOKEN}], "tokenContract": TOKEN, "dynamicExchangeRate": True},
    ),
    (
        {"tokenContracts": [{"contract": TOKEN, "amount": "5"}, {"contract": OTHER}]},
        {
            "tokenContracts": [{"contract": TOKEN, "amount": "5"}, {"contract": OTHER}],
            "dynamicExchangeRate": True,
        },
    ),
    ({"splTokens": [MINT]}, {"splTokens": [MINT], "dynamicExchangeRate": True}),
)
def test_a_strategy_shows_its_tokens_in_every_spelling(
    create: Create, given: dict[str, Any], shown: dict[str, Any]
) -> None:
    assert create(strategy=charge(**given))["strategy"] == {"sponsorSchema": CHARGE, **shown}


@cases(
    "schema, says",
    ("fixed_rate", "is required for fixed_rate (tokenContract in published types)"),
    (CHARGE, f"is required for {CHARGE} (tokenContract in published types), or splTokens on Solana"),
)
def test_a_strategy_without_tokens_says_how_to_name_them(
    api: Client, policy: str, schema: str, says: str
) -> None:
    refused = api.post("/v2/fee-sponsorship", json={"strategy": charge(schema), "policyId": policy})
    assert refused.json()["error"]["details"]["strategy.tokenContracts"]["message"] == says


@cases(
    "wrong, param",
    ({"strategy": charge()}, "strategy.tokenContracts"),
    ({"strategy": charge("fixed_rate")}, "strategy.tokenContracts"),
    ({"strategy": charge(tokenContracts=[{"contract": "USD"}])}, "strategy.tokenContracts[0].contract"),
    (
        {"strategy": charge(tokenContracts=[{"contract": TOKEN, "amount": "1.5"}])},
        "strategy.tokenContracts[0].amount",
    ),
    (
        {"strategy": charge(tokenContracts=[{"contract": TOKEN}, {"contract": TOKEN.lower()}])},
        "strategy.tokenContracts[1].contract",
    ),
    (
        {"strategy": charge(tokenContracts=[{"contract": TOKEN}], tokenContract=TOKEN)},
        "strategy.tokenContract",
    ),
    ({"strategy": charge(tokenContracts=[{"contract": TOKEN}], splTokens=[MINT])}, "strategy.splTokens"),
    ({"strategy": charge(splTokens=[MINT], tokenContract=TOKEN)}, "strategy.tokenContract"),
    ({"strategy": charge(tokenContractAmount="5")}, "strategy.tokenContractAmount"),
    ({"strategy": charge(tokenContract="USD")}, "strategy.tokenContract"),
    ({"strategy": charge("pay_for_user", tokenContract=TOKEN)}, "strategy.tokenContract"),
    ({"strategy": charge("fixed_rate", splTokens=[MINT])}, "strategy.splTokens"),
    ({"strategy": charge(splTokens=[TOKEN])}, "strategy.splTokens[0]"),
    ({"strategy": charge(splTokens=[MINT, MINT])}, "strategy.splTokens[1]"),
    ({"strategy": charge(splTokens=[MINT]), "chainId": AMOY}, "chainId"),
    ({"chainId": 1}, "chainId"),
)
def test_a_malformed_sponsorship_is_refused_and_leaves_no_trace(
    api: Client, project: Project, policy: str, wrong: dict[str, Any], param: str
) -> None:
    before = project.snapshot().tables
    response = api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy, **wrong})
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert project.snapshot().tables == before


def test_the_policy_must_exist(api: Client, create: Create, policy: str) -> None:
    sponsorship = create()["id"]
    api.delete(f"/v2/policies/{policy}")
    for policy_id in ("ply_none", policy):
        for response in (
            api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy_id}),
            api.put(f"/v2/fee-sponsorship/{sponsorship}", json={"policyId": policy_id}),
        ):
            assert error_of(response) == (404, "policy_not_found", "policyId")


def test_an_update_is_refused_in_the_order_of_a_creation(api: Client, create: Create, policy: str) -> None:
    path = f"/v2/fee-sponsorship/{create()['id']}"
    unknown_token = charge(tokenContract="con_none")
    for wrong, param in (
        ({"strategy": unknown_token, "chainId": 1}, "chainId"),
        ({"strategy": unknown_token}, "strategy.tokenContract"),
        ({"forwarderContractId": "cfo_none"}, "policyId"),
    ):
        members = {"strategy": FREE, "policyId": "ply_none", **wrong}
        for response in (api.post("/v2/fee-sponsorship", json=members), api.put(path, json=members)):
            assert response.json()["error"]["param"] == param


def test_a_token_contract_must_exist_on_the_chain(api: Client, create: Create, contract: str) -> None:
    strategy = charge(tokenContracts=[{"contract": contract}])
    created = create(strategy=strategy, chainId=AMOY)
    assert created["strategy"]["tokenContract"] == contract
    elsewhere = api.put(f"/v2/fee-sponsorship/{created['id']}", json={"chainId": BASE_SEPOLIA})
    assert elsewhere.json()["error"]["param"] == "strategy.tokenContracts[0].contract"
    unknown = api.put(
        f"/v2/fee-sponsorship/{created['id']}", json={"strategy": charge(tokenContract="con_none")}
    )
    assert error_of(unknown) == (404, "contract_not_found", "strategy.tokenContract")


def test_an_update_changes_what_it_names(api: Client, create: Create) -> None:
    created, forwarder = create(name="old"), new_forwarder(api)
    path = f"/v2/fee-sponsorship/{created['id']}"
    assert api.put(path, json={"name": "new"}).json() == {**created, "name": "new"}
    policy = new_policy(api)
    changed = api.put(
        path,
        json={
            "strategy": charge("fixed_rate", tokenContract=TOKEN, tokenContractAmount="9"),
            "chainId": AMOY,
            "forwarderContractId": forwarder,
            "policyId": policy,
        },
    ).json()
    assert (changed["name"], changed["chainId"]) == ("new", AMOY)
    assert (changed["forwarderContractId"], changed["policyId"]) == (forwarder, policy)
    assert changed["strategy"]["tokenContracts"] == [{"contract": TOKEN, "amount": "9"}]
    assert api.put(path, json={"name": "x", "strategy": {}}).status_code == 400
    assert api.put(path, json={"name": "x", "chainId": 1}).status_code == 400
    assert api.get(path).json() == changed


def test_a_description_is_shown_and_kept(api: Client, create: Create) -> None:
    created = create(description="Free gas for new players")
    assert created["description"] == "Free gas for new players"
    path = f"/v2/fee-sponsorship/{created['id']}"
    assert api.put(path, json={"name": "x"}).json() == {**created, "name": "x"}
    assert api.put(path, json={"description": "Over"}).json()["description"] == "Over"
    assert api.get(path).json()["description"] == "Over"
    assert api.put(path, json={"description": 5}).json()["error"]["param"] == "description"


def test_a_chain_cannot_be_given_to_a_sponsorship_on_solana(api: Client, create: Create) -> None:
    created = create(strategy=charge(splTokens=[MINT]))
    response = api.put(f"/v2/fee-sponsorship/{created['id']}", json={"chainId": AMOY})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "chainId")


def test_a_sponsorship_is_disabled_and_enabled(api: Client, create: Create) -> None:
    created = create()
    path = f"/v2/fee-sponsorship/{created['id']}"
    for word, enabled in (("disable", False), ("disable", False), ("enable", True)):
        response = api.put(f"{path}/{word}")
        assert (response.status_code, response.json()) == (200, {**created, "enabled": enabled})
        assert api.get(path).json()["enabled"] is enabled


def test_a_deleted_sponsorship_is_gone_but_from_lists_that_ask(api: Client, create: Create) -> None:
    sponsorship = create()["id"]
    path = f"/v2/fee-sponsorship/{sponsorship}"
    assert api.delete(path).json() == {"id": sponsorship, "object": "feeSponsorship", "deleted": True}
    assert api.get("/v2/fee-sponsorship").json()["total"] == 0
    assert api.get("/v2/fee-sponsorship?deleted=true").json()["data"][0]["id"] == sponsorship
    for response in (
        api.get(path),
        api.put(path, json={}),
        api.delete(path),
        api.put(f"{path}/enable"),
        api.put(f"{path}/disable"),
        api.get("/v2/fee-sponsorship/pol_none"),
    ):
        assert (response.status_code, response.json()["error"]["code"]) == (404, "fee_sponsorship_not_found")
