"""Who may see and use an account once its owner has changed."""

from typing import Any

from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.changed_owners.helpers import AMOY, CALLS, OUTSIDER, accept, hand_over, refused
from tests.operations.responses import ok
from tests.signing import sign_hash

KEY = "0x" + "22" * 20


def test_a_former_owner_can_neither_see_nor_use_the_account(
    api: Client, visitor: Client, ada: dict[str, str], account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    named = {"chainId": AMOY, "account": account["id"]}
    spend = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    session_key = {"address": KEY, "validAfter": 0, "validUntil": 2_000_000_000}
    for response in (
        visitor.post("/v2/transactions", json=spend, headers=ada),
        visitor.post("/v2/transactions/estimate", json=spend, headers=ada),
        visitor.post("/v1/transaction_intents", json={**named, "interactions": CALLS}, headers=ada),
        visitor.post("/v1/sessions", json={**named, **session_key}, headers=ada),
        visitor.get(f"/v2/accounts/{account['id']}", headers=ada),
        visitor.post(f"/v1/accounts/{account['id']}/disable", headers=ada),
        visitor.post("/v2/accounts/switch-chain", json=named, headers=ada),
    ):
        assert refused(response) == (404, "account_not_found")
    assert account["id"] not in [row["id"] for row in ok(visitor.get("/v2/accounts", headers=ada))["data"]]
    assert ok(visitor.get("/v1/accounts", headers=ada))["data"] == []


def test_the_new_owner_sees_and_uses_the_account(
    api: Client, visitor: Client, bob: dict[str, str], account: Any, key: Any, policy: str
) -> None:
    former = account["player"]["id"]
    hand_over(api, account, key, policy)
    shown = ok(visitor.get(f"/v2/accounts/{account['id']}", headers=bob))
    assert (shown["wallet"], shown["ownerAddress"], shown["custody"]) == (
        key["wallet"],
        key["address"],
        "User",
    )
    assert [row["id"] for row in ok(visitor.get("/v1/accounts", headers=bob))["data"]] == [account["id"]]
    assert ok(api.get(f"/v1/accounts/{account['id']}"))["player"] == {"id": key["wallet"]}
    assert ok(api.get(f"/v1/players/{key['wallet']}"))["accounts"] == [{"id": account["id"]}]
    assert ok(api.get(f"/v1/players/{former}"))["accounts"] == []
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    asked = ok(visitor.post("/v2/transactions", json=body, headers=bob))
    assert asked["walletId"] == key["wallet"]
    path = f"/_mock/projects/-/accounts/{key['id']}/sign"
    signature = ok(api.post(path, json={"hash": asked["nextAction"]["hash"]}))["signature"]
    path = f"/v2/transactions/{asked['id']}/signature"
    assert ok(visitor.post(path, json={"signature": signature}, headers=bob))["status"] == "successful"


def test_a_players_own_account_comes_first(api: Client, account: Any, key: Any, policy: str) -> None:
    body = {"accountType": "Smart Account", "chainType": "EVM", "user": key["wallet"]}
    own = ok(api.post("/v2/accounts", json={**body, "account": key["id"], "chainId": AMOY}))
    hand_over(api, account, key, policy)
    body = {"chainId": AMOY, "player": key["wallet"], "interactions": CALLS}
    assert ok(api.post("/v1/transaction_intents", json=body))["account"] == {"id": own["id"]}


def test_a_former_owners_key_goes_with_its_last_account(
    api: Client, project: Project, account: Any, key: Any, policy: str
) -> None:
    former = project.wallets.accounts[account["id"]]
    (own,) = [
        row
        for row in project.wallets.accounts.find("wallet_id", former.wallet_id)
        if row.address == former.owner_address
    ]
    assert api.delete(f"/v2/accounts/{own.id}").status_code == 200
    assert own.address.lower() in project.wallets.keys
    hand_over(api, account, key, policy)
    assert own.address.lower() not in project.wallets.keys


def test_session_keys_end_with_their_owner(api: Client, account: Any, key: Any, policy: str) -> None:
    body = {"chainId": AMOY, "account": account["id"], "address": KEY}
    made = ok(api.post("/v1/sessions", json={**body, "validAfter": 0, "validUntil": 2_000_000_000}))
    assert made["isActive"] is True
    hand_over(api, account, key, policy)
    assert ok(api.get(f"/v1/sessions/{made['id']}"))["isActive"] is False


def test_what_waits_for_a_former_owner_is_not_sent(api: Client, key: Any, policy: str) -> None:
    account = ok(api.post("/v1/accounts", json={"chainId": AMOY, "externalOwnerAddress": OUTSIDER.address}))
    body = {"chainId": AMOY, "account": account["id"], "interactions": CALLS}
    waiting = ok(api.post("/v1/transaction_intents", json=body))
    offered = ok(
        api.post(
            f"/v1/accounts/{account['id']}/request_transfer_ownership",
            json={"newOwnerAddress": key["address"], "policy": policy},
        )
    )

    def sign(intent: Any) -> Response:
        digest = intent["nextAction"]["payload"]["signableHash"]
        signature = sign_hash(OUTSIDER, digest)
        path = f"/v1/transaction_intents/{intent['id']}/signature"
        return api.post(path, json={"signature": signature})

    ok(sign(offered))
    accept(api, key, account)
    assert refused(sign(waiting)) == (409, "not_awaiting_signature")
    ended = ok(api.get(f"/v2/transactions/{waiting['id']}"))
    assert ended["status"] == "failed"
    assert "changed its owner" in ended["receipt"]["error"]["reason"]
