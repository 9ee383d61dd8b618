"""Fee sponsorships through the API, and who pays in the end."""

from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest

from mockserver import errors
from mockserver.chain.addresses import to_checksum
from mockserver.domain.sponsorship.sponsors import (
    Sponsor,
    SponsorDecision,
    find_sponsor,
    require_sponsorship,
    sponsor_decision,
)
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.guardrails import FeeSponsorship
from mockserver.state.onchain import CallRecord, Charge
from mockserver.state.project import Project
from mockserver.state.wallets import Account

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


@pytest.fixture
def policy(api: httpx.Client) -> str:
    """The id of a policy that sponsors calls of little value."""
    return new_policy(api)


def new_policy(api: httpx.Client, action: str = "accept", **members: Any) -> str:
    rules = [{"action": action, "operation": "sponsorEvmTransaction", "criteria": [CHEAP]}]
    response = api.post("/v2/policies", json={"scope": "project", "rules": rules, **members})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


@pytest.fixture
def create(api: httpx.Client, policy: str) -> Create:
    """Creates a fee sponsorship and answers it."""

    def created(**members: Any) -> dict[str, Any]:
        response = api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy, **members})
        assert response.status_code == 201, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return created


@pytest.fixture
def contract(api: httpx.Client) -> str:
    """The id of a token contract on Polygon Amoy."""
    response = api.post("/v1/contracts", json={"name": "USD", "chainId": AMOY, "address": TOKEN})
    return str(response.json()["id"])


def new_paymaster(api: httpx.Client) -> str:
    return str(api.post("/v1/paymasters", json={"address": OTHER}).json()["id"])


def new_forwarder(api: httpx.Client, chain_id: int = AMOY) -> str:
    response = api.post("/v1/forwarder_contracts", json={"address": OTHER, "chainId": chain_id})
    return str(response.json()["id"])


def test_a_fee_sponsorship_is_created_enabled(
    api: httpx.Client, create: Create, policy: str, project: Project
) -> None:
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


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            {"tokenContracts": [{"contract": TOKEN, "amount": "5"}]},
            {
                "tokenContracts": [{"contract": TOKEN, "amount": "5"}],
                "tokenContract": TOKEN,
                "tokenContractAmount": "5",
                "dynamicExchangeRate": False,
            },
        ),
        (
            {"tokenContract": TOKEN, "tokenContractAmount": "5"},
            {
                "tokenContracts": [{"contract": TOKEN, "amount": "5"}],
                "tokenContract": TOKEN,
                "tokenContractAmount": "5",
                "dynamicExchangeRate": False,
            },
        ),
        (
            {"tokenContract": TOKEN},
            {
                "tokenContracts": [{"contract": TOKEN}],
                "tokenContract": TOKEN,
                "dynamicExchangeRate": True,
            },
        ),
        (
            {"tokenContracts": [{"contract": TOKEN, "amount": "5"}, {"contract": OTHER}]},
            {
                "tokenContracts": [{"contract": TOKEN, "amount": "5"}, {"contract": OTHER}],
                "dynamicExchangeRate": True,
            },
        ),
        ({"splTokens": [MINT]}, {"splTokens": [MINT], "dynamicExchangeRate": True}),
    ],
)
def test_a_strategy_shows_its_tokens_in_every_spelling(
    create: Create, given: dict[str, Any], shown: dict[str, Any]
) -> None:
    assert create(strategy=charge(**given))["strategy"] == {"sponsorSchema": CHARGE, **shown}


@pytest.mark.parametrize(
    ("wrong", "param"),
    [
        ({"strategy": None}, "strategy"),
        ({"policyId": None}, "policyId"),
        ({"strategy": {}}, "strategy.sponsorSchema"),
        ({"strategy": charge("free")}, "strategy.sponsorSchema"),
        ({"strategy": charge()}, "strategy.tokenContracts"),
        ({"strategy": charge("fixed_rate")}, "strategy.tokenContracts"),
        ({"strategy": charge(tokenContracts=[])}, "strategy.tokenContracts"),
        ({"strategy": charge(tokenContracts=[{}])}, "strategy.tokenContracts[0].contract"),
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
        ({"chainId": 0}, "chainId"),
        ({"paymaster": "cfo_1"}, "paymaster"),
        ({"forwarderContractId": "pay_1"}, "forwarderContractId"),
        ({"name": ""}, "name"),
    ],
)
def test_a_malformed_sponsorship_is_refused_and_leaves_no_trace(
    api: httpx.Client, project: Project, policy: str, wrong: dict[str, Any], param: str
) -> None:
    before = project.snapshot().tables
    members = {"strategy": FREE, "policyId": policy, **wrong}
    response = api.post("/v2/fee-sponsorship", json={k: v for k, v in members.items() if v is not None})
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)
    assert project.snapshot().tables == before


def test_the_policy_must_exist(api: httpx.Client, create: Create, policy: str) -> None:
    sponsorship = create()["id"]
    api.delete(f"/v2/policies/{policy}")
    for policy_id in ("ply_none", policy):
        for response in (
            api.post("/v2/fee-sponsorship", json={"strategy": FREE, "policyId": policy_id}),
            api.put(f"/v2/fee-sponsorship/{sponsorship}", json={"policyId": policy_id}),
        ):
            error = response.json()["error"]
            assert (response.status_code, error["code"], error["param"]) == (
                404,
                "policy_not_found",
                "policyId",
            )


def test_an_update_is_refused_in_the_order_in_which_a_creation_is(
    api: httpx.Client, create: Create, policy: str
) -> None:
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


def test_a_token_contract_must_exist_on_the_chain(api: httpx.Client, create: Create, contract: str) -> None:
    strategy = charge(tokenContracts=[{"contract": contract}])
    created = create(strategy=strategy, chainId=AMOY)
    assert created["strategy"]["tokenContract"] == contract
    elsewhere = api.put(f"/v2/fee-sponsorship/{created['id']}", json={"chainId": BASE_SEPOLIA})
    assert elsewhere.json()["error"]["param"] == "strategy.tokenContracts[0].contract"
    unknown = api.put(
        f"/v2/fee-sponsorship/{created['id']}", json={"strategy": charge(tokenContract="con_none")}
    )
    error = unknown.json()["error"]
    assert (unknown.status_code, error["code"], error["param"]) == (
        404,
        "contract_not_found",
        "strategy.tokenContract",
    )


def test_an_update_changes_what_it_names(api: httpx.Client, create: Create) -> None:
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


def test_a_chain_cannot_be_given_to_a_sponsorship_on_solana(api: httpx.Client, create: Create) -> None:
    created = create(strategy=charge(splTokens=[MINT]))
    response = api.put(f"/v2/fee-sponsorship/{created['id']}", json={"chainId": AMOY})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "chainId")


def test_a_sponsorship_is_disabled_and_enabled(api: httpx.Client, create: Create) -> None:
    created = create()
    path = f"/v2/fee-sponsorship/{created['id']}"
    for word, enabled in (("disable", False), ("disable", False), ("enable", True)):
        response = api.put(f"{path}/{word}")
        assert (response.status_code, response.json()) == (200, {**created, "enabled": enabled})
        assert api.get(path).json()["enabled"] is enabled


def test_a_deleted_sponsorship_is_gone_but_from_lists_that_ask(api: httpx.Client, create: Create) -> None:
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


def test_lists_are_filtered(api: httpx.Client, create: Create) -> None:
    defi = create(name="My DeFi gas", chainId=AMOY)["id"]
    game = create(name="Game")["id"]
    api.put(f"/v2/fee-sponsorship/{game}/disable")

    def listed(query: str) -> list[str]:
        return [row["id"] for row in api.get(f"/v2/fee-sponsorship?{query}").json()["data"]]

    assert listed("") == [game, defi]
    assert listed("order=asc") == [defi, game]
    assert listed("name=defi") == [defi]
    assert listed(f"chainId={AMOY}") == [defi]
    assert listed("enabled=false") == [game]
    assert listed("name=none") == []


# --- who pays ------------------------------------------------------------------------------------------


def row(project: Project, sponsorship: dict[str, Any]) -> FeeSponsorship:
    return project.guardrails.fee_sponsorships[sponsorship["id"]]


def asked(
    project: Project, sponsorship: dict[str, Any], values: Sequence[int] = (1,), account_id: str = "acc_1"
) -> SponsorDecision:
    calls = [CallRecord(TOKEN, value, b"", {}) for value in values]
    return sponsor_decision(project, row(project, sponsorship), account_id, AMOY, calls)


def test_the_sponsor_pays_when_the_policy_accepts_every_call(project: Project, create: Create) -> None:
    sponsorship = create()
    accepted = asked(project, sponsorship, (1, 10))
    assert (accepted.pays, accepted.failed, accepted.reason) == (True, False, "Allowed by policy rule")
    assert [each.allowed for each in accepted.calls] == [True, True]
    missed = asked(project, sponsorship, (1, 11))
    assert (missed.pays, missed.failed) == (False, False)
    assert missed.reason.startswith("calls[1]: No policy rule matched")


@pytest.mark.parametrize("scope", ["project", "transaction"])
@pytest.mark.parametrize("spoil", ["value", "reject", "disable", "delete"])
def test_without_a_match_the_user_pays_or_the_transaction_fails(
    api: httpx.Client, project: Project, create: Create, scope: str, spoil: str
) -> None:
    policy = new_policy(api, scope=scope, action="reject" if spoil == "reject" else "accept")
    sponsorship = create(policyId=policy)
    if spoil == "disable":
        api.post(f"/v2/policies/{policy}", json={"enabled": False})
    elif spoil == "delete":
        api.delete(f"/v2/policies/{policy}")
    decision = asked(project, sponsorship, (99,) if spoil == "value" else (1,))
    assert (decision.pays, decision.failed) == (False, scope == "transaction")
    assert decision.reason


def test_a_policy_for_transactions_that_matches_pays(
    api: httpx.Client, project: Project, create: Create
) -> None:
    decision = asked(project, create(policyId=new_policy(api, scope="transaction")))
    assert (decision.pays, decision.failed) == (True, False)


def test_a_policy_for_an_account_pays_for_that_account_only(
    api: httpx.Client, project: Project, create: Create
) -> None:
    project.wallets.accounts.insert(
        Account("acc_1", "pla_1", "Externally Owned Account", "EVM", OTHER, "Developer", 0, 0)
    )
    project.undo.mark()
    sponsorship = create(policyId=new_policy(api, scope="account", accountId="acc_1"))
    assert asked(project, sponsorship).pays
    other = asked(project, sponsorship, account_id="acc_2")
    assert (other.pays, other.failed) == (False, False)


def test_only_the_linked_policy_is_asked(api: httpx.Client, project: Project, create: Create) -> None:
    sponsorship = create()
    new_policy(api, action="reject", priority=100)
    assert asked(project, sponsorship).pays


def test_the_user_pays_in_the_token_that_was_chosen(project: Project, create: Create, contract: str) -> None:
    tokens = [{"contract": OTHER, "amount": "7"}, {"contract": contract}]
    sponsorship = create(strategy=charge(tokenContracts=tokens))
    accepted, missed = asked(project, sponsorship), asked(project, sponsorship, (99,))
    asked_for = row(project, sponsorship)
    assert find_sponsor(project, asked_for, AMOY, accepted) == Sponsor(
        asked_for.id, charge=Charge(to_checksum(OTHER), 7)
    )
    second = find_sponsor(project, asked_for, AMOY, accepted, TOKEN.lower())
    assert second == Sponsor(asked_for.id, charge=Charge(to_checksum(TOKEN), None))
    assert find_sponsor(project, asked_for, AMOY, missed) is None


def test_the_sponsor_bears_the_cost_when_it_pays_for_the_user(project: Project, create: Create) -> None:
    sponsorship = create()
    asked_for = row(project, sponsorship)
    assert find_sponsor(project, asked_for, AMOY, asked(project, sponsorship)) == Sponsor(asked_for.id)
    assert find_sponsor(project, asked_for, AMOY, asked(project, sponsorship, (99,))) is None


@pytest.mark.parametrize("strategy", [FREE, charge(tokenContract=OTHER)])
def test_a_token_that_is_not_accepted_is_refused(
    project: Project, create: Create, strategy: dict[str, Any]
) -> None:
    sponsorship = create(strategy=strategy)
    with pytest.raises(ApiError) as refused:
        find_sponsor(project, row(project, sponsorship), AMOY, asked(project, sponsorship), TOKEN)
    assert refused.value.row is errors.FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED
    assert refused.value.param == "feeSponsorshipToken"


def test_a_sponsorship_is_found_for_its_chain(project: Project, create: Create) -> None:
    anywhere, here = create(), create(chainId=AMOY)
    for sponsorship in (anywhere, here):
        assert require_sponsorship(project, sponsorship["id"], AMOY) == row(project, sponsorship)


@pytest.mark.parametrize(
    ("members", "ending", "error"),
    [
        ({"chainId": BASE_SEPOLIA}, None, errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN),
        ({"strategy": charge(splTokens=[MINT])}, None, errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN),
        ({}, "PUT /disable", errors.FEE_SPONSORSHIP_DISABLED),
        ({}, "DELETE ", errors.FEE_SPONSORSHIP_NOT_FOUND),
    ],
)
def test_a_sponsorship_that_cannot_be_used_is_refused(
    api: httpx.Client,
    project: Project,
    create: Create,
    members: dict[str, Any],
    ending: str | None,
    error: ErrorRow,
) -> None:
    sponsorship = create(**members)
    if ending is not None:
        method, _, rest = ending.partition(" ")
        assert api.request(method, f"/v2/fee-sponsorship/{sponsorship['id']}{rest}").status_code == 200
    with pytest.raises(ApiError) as refused:
        require_sponsorship(project, sponsorship["id"], AMOY, "policy")
    assert (refused.value.row, refused.value.param) == (error, "policy")
