"""Accounts that are disabled."""

from collections.abc import Callable
from typing import Any

from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.legacy_accounts.helpers import AMOY, BASE, OUTSIDER, THERE, create
from tests.operations.responses import error_of, ok
from tests.operations.sponsoring import free_sponsorship
from tests.signing import sign_hash


def disable(api: Client, account: Any, **options: Any) -> Response:
    return api.post(f"/v1/accounts/{account['id']}/disable", **options)


def test_a_disabled_account_is_shown_nowhere(api: Client) -> None:
    account = create(api)
    player = account["player"]["id"]
    response = disable(api, account)
    assert (response.status_code, response.content) == (204, b"")
    assert error_of(api.get(f"/v1/accounts/{account['id']}"))[:2] == (404, "account_not_found")
    assert ok(api.get("/v1/accounts", params={"player": player}))["data"] == []
    assert ok(api.get(f"/v1/players/{player}"))["accounts"] == []
    assert error_of(disable(api, account))[:2] == (404, "account_not_found")


def test_a_disabled_account_makes_no_transactions(api: Client, project: Project) -> None:
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
    transfer = {"chainId": AMOY, "newOwnerAddress": OUTSIDER.address, "policy": free_sponsorship(project)}
    response = api.post(f"/v1/players/{player}/request_transfer_ownership", json=transfer)
    assert error_of(response)[:2] == refused
    assert len(project.onchain.transactions) == 0


def test_what_waits_for_a_disabled_accounts_owner_is_not_sent(api: Client) -> None:
    account = create(api, externalOwnerAddress=OUTSIDER.address)
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    waiting = ok(api.post("/v1/transaction_intents", json=body))
    disable(api, account)
    digest = waiting["nextAction"]["payload"]["signableHash"]
    signature = sign_hash(OUTSIDER, digest)
    response = api.post(f"/v1/transaction_intents/{waiting['id']}/signature", json={"signature": signature})
    assert error_of(response)[:2] == (409, "not_awaiting_signature")
    expanded = ok(api.get(f"/v1/transaction_intents/{waiting['id']}", params={"expand": "account"}))
    assert expanded["account"] == {"id": account["id"]}


def test_a_player_has_other_accounts_when_one_is_disabled(api: Client) -> None:
    account = create(api)
    elsewhere = create(api, chainId=BASE, player=account["player"]["id"])
    disable(api, account)
    body = {"chainId": BASE, "player": account["player"]["id"], "interactions": [{"to": THERE, "value": "1"}]}
    assert ok(api.post("/v1/transaction_intents", json=body))["account"] == {"id": elsewhere["id"]}
    again = api.post("/v1/accounts", json={"chainId": AMOY, "player": account["player"]["id"]})
    assert error_of(again)[:2] == (409, "address_taken")


def test_users_disable_their_own_accounts_only(
    api: Client, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    ada, eve = signed_in("ada@example.com"), signed_in("eve@example.com")
    account = ok(visitor.post("/v1/accounts", json={"chainId": AMOY}, headers=ada))
    assert error_of(disable(visitor, account, headers=eve))[:2] == (404, "account_not_found")
    assert ok(api.get(f"/v1/accounts/{account['id']}"))["id"] == account["id"]
    assert disable(visitor, account, headers=ada).status_code == 204
