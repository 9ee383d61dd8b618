"""Whose wallet an account is in once its owner has changed."""

from typing import Any

from httpx import Client

from tests.operations.changed_owners.helpers import (
    AMOY,
    BASE,
    CALLS,
    OUTSIDER,
    accept,
    hand_over,
    offer,
    refused,
)
from tests.operations.responses import ok


def test_an_account_that_a_backend_wallet_took_is_the_backends(
    backend: Client, visitor: Client, ada: dict[str, str], account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    players = [row["id"] for row in ok(backend.get("/v1/players"))["data"]]
    hand_over(backend, account, owner, policy)
    shown = ok(backend.get(f"/v2/accounts/{account['id']}"))
    assert (shown["wallet"], shown["custody"]) == (owner["walletId"], "Developer")
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert refused(visitor.post("/v2/transactions", json=body, headers=ada)) == (404, "account_not_found")
    row = ok(backend.post("/v2/transactions", json=body))
    assert row["status"] == "successful"
    assert "walletId" not in row
    assert [row["id"] for row in ok(backend.get("/v1/players"))["data"]] == players


def test_an_outside_owners_account_waits(api: Client, account: Any, policy: str) -> None:
    elsewhere = {"chainId": BASE, "externalOwnerAddress": OUTSIDER.address}
    player = ok(api.post("/v1/accounts", json=elsewhere))["player"]["id"]
    (row,) = ok(api.get("/v2/accounts", params={"address": OUTSIDER.address}))["data"]
    hand_over(api, account, row, policy)
    shown = ok(api.get(f"/v2/accounts/{account['id']}"))
    assert (shown["wallet"], shown["custody"]) == (player, "User")
    body = {"chainId": AMOY, "externalOwnerAddress": OUTSIDER.address, "interactions": CALLS}
    intent = ok(api.post("/v1/transaction_intents", json=body))
    assert intent["account"] == {"id": account["id"]}
    assert "nextAction" in intent


def test_an_account_that_a_developer_took_has_a_player(
    api: Client, visitor: Client, ada: dict[str, str], account: Any, policy: str
) -> None:
    owner = ok(api.post("/v1/settings/developer_accounts", json={}))
    former = account["player"]["id"]
    hand_over(api, account, owner, policy)
    shown = ok(api.get(f"/v1/accounts/{account['id']}"))
    assert (shown["ownerAddress"], shown["custodial"]) == (owner["address"], True)
    player = shown["player"]["id"]
    assert player != former
    assert ok(api.get(f"/v1/players/{player}"))["accounts"] == [{"id": account["id"]}]
    assert player in [row["id"] for row in ok(api.get("/v1/players"))["data"]]
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert refused(visitor.post("/v2/transactions", json=body, headers=ada)) == (404, "account_not_found")
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"
    another = ok(api.post("/v1/accounts", json={"chainId": AMOY}))
    hand_over(api, another, owner, policy)
    assert ok(api.get(f"/v1/accounts/{another['id']}"))["player"] == {"id": player}


def test_an_account_whose_new_owner_goes_has_no_custody(
    api: Client, backend: Client, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    offer(api, account, owner["address"], policy)
    calls = [{"to": account["address"], "functionName": "acceptOwnership()"}]
    body = {"chainId": AMOY, "accountId": owner["id"], "calls": calls, "waitForReceipt": False}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "sent"
    ok(backend.delete(f"/v2/accounts/backend/{owner['id']}"))
    ok(api.post("/_mock/projects/-/clock/advance", json={"seconds": 10}))
    shown = ok(api.get(f"/v1/accounts/{account['id']}"))
    assert (shown["ownerAddress"], shown["custodial"]) == (owner["address"], False)
    assert ok(api.get(f"/v1/players/{shown['player']['id']}"))["accounts"] == [{"id": account["id"]}]
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "awaiting_signature"


def test_an_account_that_a_contract_took_has_no_signer(api: Client, account: Any, policy: str) -> None:
    contract = ok(api.post("/v1/accounts", json={"chainId": AMOY}))
    hand_over(api, account, contract, policy)
    shown = ok(api.get(f"/v2/accounts/{account['id']}"))
    assert (shown["wallet"], shown["custody"]) == (contract["player"]["id"], "User")
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "awaiting_signature"


def test_how_a_former_user_recovers_their_key_goes_with_them(
    api: Client, backend: Client, key: Any, policy: str
) -> None:
    body = {"accountType": "Smart Account", "chainType": "EVM", "user": key["wallet"], "account": key["id"]}
    mine = ok(api.post("/v2/accounts", json={**body, "chainId": AMOY}))
    path = f"/_mock/projects/-/accounts/{mine['id']}/recovery"
    assert (
        ok(api.put(path, json={"method": "passkey", "passkey": {"id": "p"}}))["recoveryMethod"] == "passkey"
    )
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    offered = {"newOwnerAddress": owner["address"], "policy": policy}
    asked = ok(api.post(f"/v1/accounts/{mine['id']}/request_transfer_ownership", json=offered))
    digest = asked["nextAction"]["payload"]["signableHash"]
    signed = ok(api.post(f"/_mock/projects/-/accounts/{mine['id']}/sign", json={"hash": digest}))
    path = f"/v1/transaction_intents/{asked['id']}/signature"
    ok(api.post(path, json={"signature": signed["signature"]}))
    accept(api, owner, mine)
    shown = ok(api.get(f"/v2/accounts/{mine['id']}"))
    assert shown["custody"] == "Developer"
    assert not {"recoveryMethod", "recoveryMethodDetails"} & set(shown)
