"""Accounts of the older API: creating and finding them."""

from collections.abc import Callable
from typing import Any

from httpx import Client

from mockserver.domain.identity.users import user_of_email
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from tests.operations.legacy_accounts.helpers import (
    AMOY,
    BASE,
    OUTSIDER,
    THERE,
    create,
    owner_in_the_mock,
    shown,
)
from tests.operations.responses import error_of, ok
from tests.tables import cases


def test_an_account_without_a_player_makes_one(api: Client) -> None:
    account = create(api)
    assert (account["object"], account["accountType"]) == ("account", "UpgradeableV6")
    assert account["custodial"] is True
    assert account["embeddedSigner"] is False
    assert account["deployed"] is False
    assert account["chainId"] == AMOY
    assert "pendingOwnerAddress" not in account
    assert account["transactionIntents"] == []
    newer = ok(api.get(f"/v2/accounts/{account['id']}"))
    assert (newer["wallet"], newer["ownerAddress"]) == (account["player"]["id"], account["ownerAddress"])
    assert newer["custody"] == "Developer"


def test_a_player_has_one_account_a_chain_and_one_address(api: Client) -> None:
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


@cases("first", AMOY, BASE)
def test_a_players_accounts_are_owned_by_the_firsts_key(api: Client, first: int) -> None:
    account = {"accountType": "Smart Account", "chainId": first, "implementationType": "UpgradeableV6"}
    wanted = {"email": "ada@example.com", "accounts": [{}, account]}
    key, smart = ok(api.post("/v2/users/pregenerate", json=wanted))["accounts"]
    other = create(api, chainId=BASE if first == AMOY else AMOY, player=key["wallet"])
    assert (other["address"], other["ownerAddress"]) == (smart["address"], key["address"])
    assert other["custodial"] is False


def test_bodies_may_be_forms(api: Client) -> None:
    account = ok(api.post("/v1/accounts", data={"chainId": str(AMOY), "accountType": "ManagedV5"}))
    assert account["accountType"] == "ManagedV5"


def test_an_owner_outside_of_the_mock_has_custody(api: Client) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address.lower())
    assert account["ownerAddress"] == OUTSIDER.address
    assert account["custodial"] is False
    assert account["embeddedSigner"] is False
    taken = api.post("/v1/accounts", json={"chainId": AMOY, "externalOwnerAddress": OUTSIDER.address})
    assert error_of(taken) == (409, "account_already_exists", "chainId")


def test_a_known_outside_owner_leads_to_their_player(
    api: Client, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address)
    other = create(api, externalOwnerAddress=OUTSIDER.address, chainId=BASE)
    assert (other["address"], other["player"]) == (account["address"], account["player"])
    asked = {"chainId": 11155111, "externalOwnerAddress": OUTSIDER.address}
    another = visitor.post("/v1/accounts", json=asked, headers=signed_in("eve@example.com"))
    assert error_of(another) == (409, "address_taken", "externalOwnerAddress")


@cases("kind", "UpgradeableV5", "ManagedV5", "Simple")
def test_a_players_accounts_share_an_address_however_made(api: Client, kind: str) -> None:
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


def test_an_account_keeps_its_address_on_later_chains(api: Client) -> None:
    first = create(api)
    (key,) = ok(api.get("/v2/accounts", params={"address": first["ownerAddress"]}))["data"]
    ok(api.delete(f"/v2/accounts/{key['id']}"))
    assert create(api, player=first["player"]["id"], chainId=BASE)["address"] == first["address"]
    other = create(api, player=first["player"]["id"], chainId=421614, accountType="Simple")
    assert other["ownerAddress"] not in (first["address"], first["ownerAddress"]), "that key is gone"


@cases("named", "address", "ownerAddress")
def test_an_owner_named_by_an_address_is_the_one_who_has_it(api: Client, named: str) -> None:
    account = create(api)
    estimated = {"chainId": AMOY, "externalOwnerAddress": account[named]}
    interactions = [{"to": THERE, "value": "1"}]
    intent = ok(api.post("/v1/transaction_intents", json={**estimated, "interactions": interactions}))
    assert (intent["account"], intent["player"]) == ({"id": account["id"]}, account["player"])


def test_an_estimate_without_an_account_is_the_later_cost(api: Client) -> None:
    player = create(api, accountType="Simple")["player"]["id"]
    body = {"chainId": 11155111, "player": player, "interactions": [{"to": THERE, "value": "1"}]}
    estimate = ok(api.post("/v1/transaction_intents/estimate_gas_cost", json=body))
    intent = ok(api.post("/v1/transaction_intents", json=body))
    assert estimate["estimatedTXGas"] == intent["response"]["gasUsed"]


def test_what_belongs_to_an_account_is_inlined_when_asked_for(api: Client) -> None:
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
    api: Client, project: Project, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    assert error_of(api.get("/v1/accounts")) == (400, "invalid_parameters", "player")
    for nobody in ("pla_none", "usr_none"):
        assert ok(api.get("/v1/accounts", params={"player": nobody}))["total"] == 0
    visitor.headers.update(signed_in("ann@example.com"))
    mine = create(visitor)
    user = user_of_email(project, "ann@example.com")
    assert user is not None
    assert mine["player"] == {"id": wallet_of_user(project, user).id}
    create(api)
    assert [row["id"] for row in ok(visitor.get("/v1/accounts"))["data"]] == [mine["id"]]
    assert error_of(visitor.get("/v1/accounts", params={"player": create(api)["player"]["id"]}))[0] == 404


def test_a_key_on_every_chain_is_no_account_of_the_older_api(api: Client, project: Project) -> None:
    owner = owner_in_the_mock(project)
    assert error_of(api.get(f"/v1/accounts/{owner.id}"))[:2] == (404, "account_not_found")
    assert ok(api.get("/v1/accounts", params={"player": owner.wallet_id}))["total"] == 0


@cases(
    "members, refused",
    ({"player": "pla_none"}, (404, "wallet_not_found", "player")),
    ({"chainId": 1}, (400, "chain_of_other_mode", "chainId")),
    ({"externalOwnerAddress": "0x" + "00" * 20}, (400, "invalid_parameters", "externalOwnerAddress")),
    ({"accountType": "Calibur"}, (400, "implementation_not_available", "accountType")),
)
def test_a_refused_account_leaves_no_trace(
    api: Client, project: Project, members: dict[str, Any], refused: tuple[int, str, str]
) -> None:
    before = project.entropy.draws(), [len(table) for table in project.tables]
    assert error_of(api.post("/v1/accounts", json={"chainId": AMOY, **members})) == refused
    assert (project.entropy.draws(), [len(table) for table in project.tables]) == before


def test_the_same_idempotency_key_makes_one_account(api: Client) -> None:
    api.headers["x-idempotency-key"] = "once"
    assert create(api) == create(api)
