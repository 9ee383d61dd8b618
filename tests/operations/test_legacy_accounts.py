"""The older accounts: one a player and chain, and owners that change in two steps."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from eth_account import Account as EthAccount

from mockserver.domain.identity.users import user_of_email
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet, wallet_of_user
from mockserver.state.guardrails import FeeSponsorship, Strategy
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody

AMOY, BASE = 80002, 84532
THERE = "0x" + "11" * 20
OUTSIDER = EthAccount.from_key(b"\x09" * 32)


def ok(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def error_of(response: httpx.Response) -> tuple[int, str, str | None]:
    error = response.json()["error"]
    return response.status_code, error["code"], error.get("param")


def create(api: httpx.Client, **members: Any) -> Any:
    return ok(api.post("/v1/accounts", json={"chainId": AMOY, **members}))


def sponsorship(project: Project) -> str:
    strategy = Strategy(sponsor_schema="pay_for_user")
    row = FeeSponsorship(project.new_id("pol"), 0, "free", AMOY, True, strategy, None)
    project.guardrails.fee_sponsorships.insert(row)
    project.undo.mark()
    return row.id


def owner_in_the_mock(project: Project, held_by: Custody = "Developer") -> Account:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by)
    project.undo.mark()
    return owner


def offer(api: httpx.Client, project: Project, account: Any, owner: str) -> Any:
    body = {"newOwnerAddress": owner, "policy": sponsorship(project)}
    return ok(api.post(f"/v1/accounts/{account['id']}/request_transfer_ownership", json=body))


def accept(api: httpx.Client, owner: Account, account: Any) -> Any:
    call = {"to": account["address"], "functionName": "acceptOwnership()"}
    body = {"chainId": AMOY, "accountId": owner.id, "calls": [call]}
    return ok(api.post("/v2/transactions", json=body))


def shown(api: httpx.Client, account: Any, **query: Any) -> Any:
    return ok(api.get(f"/v1/accounts/{account['id']}", params=query))


# --- creating and finding ------------------------------------------------------------------------------


def test_an_account_without_a_player_makes_one(api: httpx.Client, project: Project) -> None:
    account = create(api)
    assert account["object"] == "account"
    assert account["accountType"] == "UpgradeableV6"
    assert account["custodial"] is True
    assert account["embeddedSigner"] is False
    assert account["deployed"] is False
    assert account["chainId"] == AMOY
    assert "pendingOwnerAddress" not in account
    assert account["transactionIntents"] == []
    newer = ok(api.get(f"/v2/accounts/{account['id']}"))
    assert newer["wallet"] == account["player"]["id"]
    assert newer["ownerAddress"] == account["ownerAddress"]
    assert newer["custody"] == "Developer"


def test_a_player_has_one_account_on_a_chain_and_one_address_on_all(api: httpx.Client) -> None:
    first = create(api)
    player = first["player"]["id"]
    again = api.post("/v1/accounts", json={"chainId": AMOY, "player": player})
    assert error_of(again) == (409, "account_already_exists", "chainId")
    other = create(api, player=player, chainId=BASE)
    assert other["address"] == first["address"]
    listed = ok(api.get("/v1/accounts", params={"player": player}))
    assert [row["id"] for row in listed["data"]] == [other["id"], first["id"]]
    query = {"player": player, "chainId": str(BASE), "address": first["address"]}
    assert [row["id"] for row in ok(api.get("/v1/accounts", params=query))["data"]] == [other["id"]]


@pytest.mark.parametrize("first", [AMOY, BASE])
def test_a_player_s_accounts_are_all_owned_by_the_key_of_the_first(api: httpx.Client, first: int) -> None:
    account = {"accountType": "Smart Account", "chainId": first, "implementationType": "UpgradeableV6"}
    wanted = {"email": "ada@example.com", "accounts": [{}, account]}
    key, smart = ok(api.post("/v2/users/pregenerate", json=wanted))["accounts"]
    other = create(api, chainId=BASE if first == AMOY else AMOY, player=key["wallet"])
    assert (other["address"], other["ownerAddress"]) == (smart["address"], key["address"])
    assert other["custodial"] is False


def test_bodies_may_be_forms(api: httpx.Client) -> None:
    account = ok(api.post("/v1/accounts", data={"chainId": str(AMOY), "accountType": "ManagedV5"}))
    assert account["accountType"] == "ManagedV5"


def test_an_owner_outside_of_the_mock_has_custody(api: httpx.Client) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address.lower())
    assert account["ownerAddress"] == OUTSIDER.address
    assert account["custodial"] is False
    assert account["embeddedSigner"] is False
    taken = api.post("/v1/accounts", json={"chainId": AMOY, "externalOwnerAddress": OUTSIDER.address})
    assert error_of(taken) == (409, "account_already_exists", "chainId")


def test_an_owner_from_outside_who_is_known_leads_to_their_player(
    api: httpx.Client, visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address)
    other = create(api, externalOwnerAddress=OUTSIDER.address, chainId=BASE)
    assert (other["address"], other["player"]) == (account["address"], account["player"])
    asked = {"chainId": 11155111, "externalOwnerAddress": OUTSIDER.address}
    another = visitor.post("/v1/accounts", json=asked, headers=signed_in("eve@example.com"))
    assert error_of(another) == (409, "address_taken", "externalOwnerAddress")


@pytest.mark.parametrize("kind", ["UpgradeableV5", "ManagedV5", "Simple"])
def test_a_player_s_accounts_have_one_address_whatever_implements_them(api: httpx.Client, kind: str) -> None:
    first = create(api, accountType=kind)
    player = first["player"]["id"]
    second = create(api, player=player, chainId=BASE)
    interactions = [{"to": THERE, "value": "1"}]
    body = {"chainId": 11155111, "player": player, "interactions": interactions}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    key = {"address": THERE, "validAfter": 0, "validUntil": 2_000_000_000}
    session = ok(api.post("/v1/sessions", json={"chainId": 421614, "player": player, **key}))
    for made in (second, shown(api, intent["account"]), shown(api, session["account"])):
        assert (made["address"], made["accountType"]) == (first["address"], kind)


def test_an_account_keeps_its_address_on_chains_that_come_later_though_its_key_s_account_is_gone(
    api: httpx.Client,
) -> None:
    first = create(api)
    (key,) = ok(api.get("/v2/accounts", params={"address": first["ownerAddress"]}))["data"]
    ok(api.delete(f"/v2/accounts/{key['id']}"))
    assert create(api, player=first["player"]["id"], chainId=BASE)["address"] == first["address"]


def test_an_estimate_for_a_player_without_an_account_on_the_chain_is_what_it_then_costs(
    api: httpx.Client,
) -> None:
    player = create(api, accountType="Simple")["player"]["id"]
    body = {"chainId": 11155111, "player": player, "interactions": [{"to": THERE, "value": "1"}]}
    estimate = ok(api.post("/v1/transaction_intents/estimate_gas_cost", json=body))
    intent = ok(api.post("/v1/transaction_intents", json=body))
    assert estimate["estimatedTXGas"] == intent["response"]["gasUsed"]


def test_an_account_that_is_made_again_where_it_was_deployed_is_deployed(api: httpx.Client) -> None:
    for kind in ("UpgradeableV6", "CaliburV9"):
        account = create(api, accountType=kind)
        body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
        ok(api.post("/v1/transaction_intents", json=body))
        before = ok(api.get(f"/v2/accounts/{account['id']}"))["smartAccount"]
        assert {"deployedTx", "deployedAt"} <= set(before)
        ok(api.delete(f"/v2/accounts/{account['id']}"))
        again = create(api, accountType=kind, player=account["player"]["id"])
        assert again["deployed"] is True
        assert ok(api.get(f"/v2/accounts/{again['id']}"))["smartAccount"] == before


def test_an_account_that_is_made_again_while_it_is_deployed_is_deployed_then(api: httpx.Client) -> None:
    account = create(api)
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    ok(api.post("/v1/transaction_intents", json={**body, "optimistic": True}))
    ok(api.delete(f"/v2/accounts/{account['id']}"))
    again = create(api, player=account["player"]["id"])
    assert again["deployed"] is False
    ok(api.post("/_mock/projects/-/clock/advance", json={"seconds": 10}))
    assert shown(api, again)["deployed"] is True


def test_another_delegate_is_not_deployed_because_the_first_was(api: httpx.Client) -> None:
    account = create(api, accountType="Calibur", chainId=BASE)
    body = {"chainId": BASE, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    first = ok(api.post("/v1/transaction_intents", json=body))
    ok(api.delete(f"/v2/accounts/{account['id']}"))
    again = create(api, accountType="CaliburV9", chainId=BASE, player=account["player"]["id"])
    assert (again["address"], again["deployed"]) == (account["address"], False)
    second = ok(api.post("/v1/transaction_intents", json={**body, "account": again["id"]}))
    smart = ok(api.get(f"/v2/accounts/{again['id']}"))["smartAccount"]
    assert smart["deployedTx"] == second["response"]["transactionHash"]
    assert smart["deployedTx"] != first["response"]["transactionHash"]


def test_what_belongs_to_an_account_is_inlined_when_asked_for(api: httpx.Client) -> None:
    account = create(api)
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    now = shown(api, account)
    assert now["deployed"] is True
    assert now["transactionIntents"] == [{"id": intent["id"]}]
    whole = shown(api, account, expand=["player", "transactionIntents"])
    assert whole["transactionIntents"] == [intent]
    assert whole["player"]["accounts"] == [{"id": account["id"]}]


def test_a_secret_key_has_to_name_the_player_and_a_user_is_it(
    api: httpx.Client, project: Project, visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    assert error_of(api.get("/v1/accounts")) == (400, "invalid_parameters", "player")
    visitor.headers.update(signed_in("ann@example.com"))
    mine = create(visitor)
    user = user_of_email(project, "ann@example.com")
    assert user is not None
    assert mine["player"] == {"id": wallet_of_user(project, user).id}
    create(api)
    assert [row["id"] for row in ok(visitor.get("/v1/accounts"))["data"]] == [mine["id"]]
    others = create(api)["player"]["id"]
    assert error_of(visitor.get("/v1/accounts", params={"player": others}))[0] == 404


def test_a_key_on_every_chain_is_no_account_of_the_older_api(api: httpx.Client, project: Project) -> None:
    owner = owner_in_the_mock(project)
    assert error_of(api.get(f"/v1/accounts/{owner.id}"))[:2] == (404, "account_not_found")
    assert ok(api.get("/v1/accounts", params={"player": owner.wallet_id}))["total"] == 0


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({"player": "pla_none"}, (404, "wallet_not_found", "player")),
        ({"chainId": 1}, (400, "chain_of_other_mode", "chainId")),
        ({"externalOwnerAddress": "0x" + "00" * 20}, (400, "invalid_parameters", "externalOwnerAddress")),
        ({"accountType": "Round"}, (400, "invalid_parameters", "accountType")),
        ({"accountType": "Calibur"}, (400, "implementation_not_available", "accountType")),
    ],
)
def test_a_refused_account_leaves_no_trace(
    api: httpx.Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables()]
    assert error_of(api.post("/v1/accounts", json={"chainId": AMOY, **members})) == refused
    assert (project.entropy.draws(), [len(table) for table in project.tables()]) == before


def test_the_same_idempotency_key_makes_one_account(api: httpx.Client) -> None:
    api.headers["x-idempotency-key"] = "once"
    assert create(api) == create(api)


# --- owners --------------------------------------------------------------------------------------------


def test_an_offer_waits_until_the_new_owner_accepts(api: httpx.Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    intent = offer(api, project, account, owner.address)
    assert intent["object"] == "transactionIntent"
    assert intent["response"]["status"] == 1
    offered = shown(api, account)
    assert offered["pendingOwnerAddress"] == owner.address
    assert offered["ownerAddress"] == account["ownerAddress"]
    assert accept(api, owner, account)["status"] == "successful"
    accepted = shown(api, account)
    assert accepted["ownerAddress"] == owner.address
    assert "pendingOwnerAddress" not in accepted
    assert accepted["address"] == account["address"]
    assert accepted["custodial"] is True


def test_an_account_that_a_user_took_over_is_signed_for_by_them(api: httpx.Client, project: Project) -> None:
    account = create(api)
    owner = create_eoa(project, create_wallet(project), "EVM", address=OUTSIDER.address)
    project.undo.mark()
    offer(api, project, account, OUTSIDER.address)
    asked = accept(api, owner, account)
    signature = "0x" + bytes(OUTSIDER.unsafe_sign_hash(asked["nextAction"]["hash"]).signature).hex()
    ok(api.post(f"/v2/transactions/{asked['id']}/signature", json={"signature": signature}))
    assert shown(api, account)["custodial"] is False
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    digest = intent["nextAction"]["payload"]["signableHash"]
    signature = "0x" + bytes(OUTSIDER.unsafe_sign_hash(digest).signature).hex()
    path = f"/v1/transaction_intents/{intent['id']}/signature"
    assert ok(api.post(path, json={"signature": signature}))["response"]["status"] == 1


def test_an_account_that_goes_leaves_its_new_owner_their_key(api: httpx.Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    offer(api, project, account, owner.address)
    accept(api, owner, account)
    ok(api.delete(f"/v2/accounts/{account['id']}"))
    body = {"chainId": AMOY, "accountId": owner.id, "calls": [{"to": THERE, "value": "1"}]}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"


def test_nobody_else_accepts(api: httpx.Client, project: Project) -> None:
    account, owner, stranger = create(api), owner_in_the_mock(project), owner_in_the_mock(project)
    accept(api, owner, account)
    assert shown(api, account)["ownerAddress"] == account["ownerAddress"]
    offer(api, project, account, owner.address)
    accept(api, stranger, account)
    assert shown(api, account)["pendingOwnerAddress"] == owner.address
    assert shown(api, account)["ownerAddress"] == account["ownerAddress"]


def test_a_call_that_reverts_changes_no_owner(api: httpx.Client, project: Project) -> None:
    account, owner = create(api), owner_in_the_mock(project)
    add_fate(project, "reverted")
    assert offer(api, project, account, owner.address)["response"]["status"] == 0
    assert "pendingOwnerAddress" not in shown(api, account)
    offer(api, project, account, owner.address)
    add_fate(project, "reverted")
    project.undo.mark()
    accept(api, owner, account)
    assert shown(api, account)["pendingOwnerAddress"] == owner.address


def test_a_stranger_offers_nothing(api: httpx.Client, project: Project) -> None:
    account, stranger = create(api), owner_in_the_mock(project)
    call = {
        "to": account["address"],
        "functionName": "transferOwnership(address)",
        "functionArgs": [stranger.address],
    }
    body = {"chainId": AMOY, "accountId": stranger.id, "calls": [call]}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"
    assert "pendingOwnerAddress" not in shown(api, account)


def test_what_cannot_be_offered_is_refused(api: httpx.Client, project: Project) -> None:
    account = create(api)
    path = f"/v1/accounts/{account['id']}/request_transfer_ownership"
    assert error_of(api.post(path, json={"newOwnerAddress": THERE})) == (400, "invalid_parameters", "policy")
    unknown = api.post(path, json={"newOwnerAddress": THERE, "policy": "pol_none"})
    assert error_of(unknown) == (404, "fee_sponsorship_not_found", "policy")
    own = api.post(path, json={"newOwnerAddress": account["ownerAddress"], "policy": "pol_none"})
    assert error_of(own) == (400, "invalid_parameters", "newOwnerAddress")
    delegated = create(api, accountType="CaliburV9")
    path = f"/v1/accounts/{delegated['id']}/request_transfer_ownership"
    refused = api.post(path, json={"newOwnerAddress": THERE, "policy": sponsorship(project)})
    assert error_of(refused) == (400, "invalid_parameters", "id")


# --- disabling -----------------------------------------------------------------------------------------


def disable(api: httpx.Client, account: Any, **options: Any) -> httpx.Response:
    return api.post(f"/v1/accounts/{account['id']}/disable", **options)


def test_a_disabled_account_is_shown_nowhere(api: httpx.Client) -> None:
    account = create(api)
    player = account["player"]["id"]
    response = disable(api, account)
    assert (response.status_code, response.content) == (204, b"")
    assert error_of(api.get(f"/v1/accounts/{account['id']}"))[:2] == (404, "account_not_found")
    assert ok(api.get("/v1/accounts", params={"player": player}))["data"] == []
    assert ok(api.get(f"/v1/players/{player}"))["accounts"] == []
    assert error_of(disable(api, account))[:2] == (404, "account_not_found")


def test_a_disabled_account_makes_no_transactions(api: httpx.Client, project: Project) -> None:
    account = create(api)
    player = account["player"]["id"]
    disable(api, account)
    interactions = [{"to": THERE, "value": "1"}]
    refused = (409, "account_disabled")
    for path in ("/v1/transaction_intents", "/v1/transaction_intents/estimate_gas_cost"):
        for whose in ({"account": account["id"]}, {"player": player}):
            body = {"chainId": AMOY, "interactions": interactions, **whose}
            assert error_of(api.post(path, json=body))[:2] == refused
    newer = {"chainId": AMOY, "accountId": account["id"], "calls": interactions}
    assert error_of(api.post("/v2/transactions", json=newer)) == (*refused, "accountId")
    transfer = {"chainId": AMOY, "newOwnerAddress": OUTSIDER.address, "policy": sponsorship(project)}
    response = api.post(f"/v1/players/{player}/request_transfer_ownership", json=transfer)
    assert error_of(response)[:2] == refused
    assert len(project.onchain.transactions) == 0


def test_what_waits_for_the_owner_of_a_disabled_account_is_not_sent(api: httpx.Client) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address)
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    waiting = ok(api.post("/v1/transaction_intents", json=body))
    disable(api, account)
    digest = bytes.fromhex(waiting["nextAction"]["payload"]["signableHash"][2:])
    signature = "0x" + OUTSIDER.unsafe_sign_hash(digest).signature.hex().removeprefix("0x")
    response = api.post(f"/v1/transaction_intents/{waiting['id']}/signature", json={"signature": signature})
    assert error_of(response)[:2] == (409, "not_awaiting_signature")
    expanded = ok(api.get(f"/v1/transaction_intents/{waiting['id']}", params={"expand": "account"}))
    assert expanded["account"] == {"id": account["id"]}


def test_a_player_has_other_accounts_when_one_is_disabled(api: httpx.Client) -> None:
    account = create(api)
    elsewhere = create(api, chainId=BASE, player=account["player"]["id"])
    disable(api, account)
    body = {"chainId": BASE, "player": account["player"]["id"], "interactions": [{"to": THERE, "value": "1"}]}
    assert ok(api.post("/v1/transaction_intents", json=body))["account"] == {"id": elsewhere["id"]}
    again = api.post("/v1/accounts", json={"chainId": AMOY, "player": account["player"]["id"]})
    assert error_of(again)[:2] == (409, "address_taken")


def test_users_disable_their_own_accounts_only(
    api: httpx.Client, visitor: httpx.Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    ada, eve = signed_in("ada@example.com"), signed_in("eve@example.com")
    account = ok(visitor.post("/v1/accounts", json={"chainId": AMOY}, headers=ada))
    assert error_of(disable(visitor, account, headers=eve))[:2] == (404, "account_not_found")
    assert ok(api.get(f"/v1/accounts/{account['id']}"))["id"] == account["id"]
    assert disable(visitor, account, headers=ada).status_code == 204


def test_an_offer_is_good_on_its_chain_alone(api: httpx.Client, project: Project) -> None:
    account = create(api)
    offer(api, project, account, OUTSIDER.address)
    other = ok(api.post("/v2/accounts/switch-chain", json={"account": account["id"], "chainId": BASE}))
    assert project.wallets.accounts[account["id"]].pending_owner_address == OUTSIDER.address
    assert project.wallets.accounts[other["id"]].pending_owner_address is None
