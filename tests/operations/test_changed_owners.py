"""What changes with the owner of an account: whose it is, who signs for it, what stays on other chains."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from eth_account import Account as EthAccount
from eth_utils import keccak

from mockserver.domain.identity.users import user_of_email
from mockserver.state.project import Project

AMOY, BASE = 80002, 84532
EOA = "Externally Owned Account"
THERE = "0x" + "11" * 20
KEY = "0x" + "22" * 20
OUTSIDER = EthAccount.from_key(b"\x09" * 32)
CALLS = [{"to": THERE, "value": "1"}]

SignedIn = Callable[[str], dict[str, str]]


def ok(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()


def refused(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def user_id(project: Project, email: str) -> str:
    user = user_of_email(project, email)
    assert user is not None
    return user.id


@pytest.fixture
def ada(signed_in: SignedIn) -> dict[str, str]:
    """Who owns the account at first."""
    return signed_in("ada@example.com")


@pytest.fixture
def bob(signed_in: SignedIn) -> dict[str, str]:
    """Who owns it then."""
    return signed_in("bob@example.com")


@pytest.fixture
def key(api: httpx.Client, project: Project, bob: dict[str, str]) -> Any:
    """Bob's externally owned account."""
    body = {"accountType": EOA, "chainType": "EVM", "user": user_id(project, "bob@example.com")}
    return ok(api.post("/v2/accounts", json=body))


@pytest.fixture
def account(visitor: httpx.Client, ada: dict[str, str]) -> Any:
    """Ada's smart account, in the mock's custody."""
    return ok(visitor.post("/v1/accounts", json={"chainId": AMOY}, headers=ada))


def offer(api: httpx.Client, account: Any, owner: str, policy: str) -> None:
    body = {"newOwnerAddress": owner, "policy": policy}
    ok(api.post(f"/v1/accounts/{account['id']}/request_transfer_ownership", json=body))


def accept(api: httpx.Client, owner: Any, account: Any) -> None:
    """Accept, with the signature of a user where the mock does not sign by itself."""
    calls = [{"to": account["address"], "functionName": "acceptOwnership()"}]
    path = "/v1/transaction_intents"
    body = {"chainId": AMOY, "account": owner["id"], "interactions": calls}
    made = ok(api.post(path, json=body))
    if "nextAction" in made:
        digest = made["nextAction"]["payload"]["signableHash"]
        if owner["address"] == OUTSIDER.address:
            signature = "0x" + bytes(OUTSIDER.unsafe_sign_hash(digest).signature).hex()
        else:
            body = {"hash": digest}
            signature = ok(api.post(f"/_mock/projects/-/accounts/{owner['id']}/sign", json=body))["signature"]
        ok(api.post(f"{path}/{made['id']}/signature", json={"signature": signature}))


def hand_over(api: httpx.Client, account: Any, owner: Any, policy: str) -> None:
    offer(api, account, owner["address"], policy)
    accept(api, owner, account)


# --- who may use it ------------------------------------------------------------------------------------


def test_a_former_owner_can_neither_see_nor_use_the_account(
    api: httpx.Client, visitor: httpx.Client, ada: dict[str, str], account: Any, key: Any, policy: str
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
    api: httpx.Client,
    visitor: httpx.Client,
    bob: dict[str, str],
    account: Any,
    key: Any,
    policy: str,
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


def test_a_player_s_own_account_comes_before_one_that_they_took_over(
    api: httpx.Client, account: Any, key: Any, policy: str
) -> None:
    body = {"accountType": "Smart Account", "chainType": "EVM", "user": key["wallet"]}
    own = ok(api.post("/v2/accounts", json={**body, "account": key["id"], "chainId": AMOY}))
    hand_over(api, account, key, policy)
    body = {"chainId": AMOY, "player": key["wallet"], "interactions": CALLS}
    assert ok(api.post("/v1/transaction_intents", json=body))["account"] == {"id": own["id"]}


def test_a_former_owners_key_goes_with_the_last_account_it_signed_for(
    api: httpx.Client, project: Project, account: Any, key: Any, policy: str
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


def test_session_keys_end_with_the_time_of_the_owner_who_made_them(
    api: httpx.Client, account: Any, key: Any, policy: str
) -> None:
    body = {"chainId": AMOY, "account": account["id"], "address": KEY}
    made = ok(api.post("/v1/sessions", json={**body, "validAfter": 0, "validUntil": 2_000_000_000}))
    assert made["isActive"] is True
    hand_over(api, account, key, policy)
    assert ok(api.get(f"/v1/sessions/{made['id']}"))["isActive"] is False


def test_what_waits_for_a_former_owner_s_signature_is_not_sent_with_it(
    api: httpx.Client, key: Any, policy: str
) -> None:
    account = ok(api.post("/v1/accounts", json={"chainId": AMOY, "externalOwnerAddress": OUTSIDER.address}))
    body = {"chainId": AMOY, "account": account["id"], "interactions": CALLS}
    waiting = ok(api.post("/v1/transaction_intents", json=body))
    offered = ok(
        api.post(
            f"/v1/accounts/{account['id']}/request_transfer_ownership",
            json={"newOwnerAddress": key["address"], "policy": policy},
        )
    )

    def sign(intent: Any) -> httpx.Response:
        digest = intent["nextAction"]["payload"]["signableHash"]
        signature = "0x" + bytes(OUTSIDER.unsafe_sign_hash(digest).signature).hex()
        path = f"/v1/transaction_intents/{intent['id']}/signature"
        return api.post(path, json={"signature": signature})

    ok(sign(offered))
    accept(api, key, account)
    assert refused(sign(waiting)) == (409, "not_awaiting_signature")
    ended = ok(api.get(f"/v2/transactions/{waiting['id']}"))
    assert ended["status"] == "failed"
    assert "changed its owner" in ended["receipt"]["error"]["reason"]


# --- whose wallet it is in -----------------------------------------------------------------------------


def test_an_account_that_a_backend_wallet_took_over_is_the_backend_s(
    backend: httpx.Client, visitor: httpx.Client, ada: dict[str, str], account: Any, policy: str
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


def test_an_account_that_an_owner_from_outside_took_over_waits_for_their_signatures(
    api: httpx.Client, account: Any, policy: str
) -> None:
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


def test_an_account_that_a_developer_account_took_over_has_a_player_who_is_there(
    api: httpx.Client, visitor: httpx.Client, ada: dict[str, str], account: Any, policy: str
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


def test_an_account_whose_new_owner_goes_while_they_accept_is_in_nobody_s_custody(
    api: httpx.Client, backend: httpx.Client, project: Project, account: Any, policy: str
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


def test_an_account_that_another_contract_took_over_is_in_its_wallet_and_signed_for_by_nobody(
    api: httpx.Client, account: Any, policy: str
) -> None:
    contract = ok(api.post("/v1/accounts", json={"chainId": AMOY}))
    hand_over(api, account, contract, policy)
    shown = ok(api.get(f"/v2/accounts/{account['id']}"))
    assert (shown["wallet"], shown["custody"]) == (contract["player"]["id"], "User")
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "awaiting_signature"


def test_how_a_former_user_recovers_their_key_goes_with_them(
    api: httpx.Client, backend: httpx.Client, project: Project, key: Any, policy: str
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


# --- on other chains -----------------------------------------------------------------------------------


def create2(account: Any, owner: str) -> str:
    """Where the factory puts the account of an owner."""
    contract = account["smartAccount"]
    runtime = (
        "363d3d373d3d3d363d73" + contract["implementationAddress"][2:] + "5af43d82803e903d91602b57fd5bf3"
    )
    runtime += "00" * 12 + owner[2:]
    code = bytes.fromhex(f"61{len(runtime) // 2:04x}3d81600a3d39f3{runtime}")
    raw = b"\xff" + bytes.fromhex(contract["factoryAddress"][2:]) + bytes.fromhex(contract["salt"][2:])
    return "0x" + keccak(raw + keccak(code))[12:].hex()


def switch(client: httpx.Client, account: Any, **options: Any) -> httpx.Response:
    body = {"account": account["id"], "chainId": BASE}
    return client.post("/v2/accounts/switch-chain", json=body, **options)


def test_on_another_chain_an_account_begins_with_the_owner_that_its_address_follows_from(
    api: httpx.Client, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    there = ok(switch(api, account))
    assert there["ownerAddress"] == account["ownerAddress"]
    assert create2(there, there["ownerAddress"]) == there["address"].lower() == account["address"].lower()
    assert (there["wallet"], there["custody"]) == (account["player"]["id"], "Developer")
    body = {"chainId": BASE, "accountId": there["id"], "calls": CALLS}
    row = ok(api.post("/v2/transactions", json={**body, "waitForReceipt": False}))
    shown = ok(api.get(f"/v1/transaction_intents/{row['id']}"))
    assert account["ownerAddress"][2:].lower() in shown["userOperation"]["initCode"].lower()
    assert ok(switch(api, account))["id"] == there["id"]


def test_the_former_owner_has_the_account_on_other_chains(
    api: httpx.Client, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    body = {"chainId": BASE, "player": account["player"]["id"]}
    other = ok(api.post("/v1/accounts", json=body))
    assert (other["address"], other["ownerAddress"]) == (account["address"], account["ownerAddress"])
    assert other["player"] == account["player"]


def test_the_new_owner_may_not_have_what_is_the_former_owner_s_on_another_chain(
    api: httpx.Client,
    project: Project,
    visitor: httpx.Client,
    bob: dict[str, str],
    account: Any,
    key: Any,
    policy: str,
) -> None:
    hand_over(api, account, key, policy)
    before = len(project.wallets.accounts)
    assert refused(switch(visitor, account, headers=bob)) == (409, "counterpart_of_other_owner")
    assert len(project.wallets.accounts) == before


def test_nobody_has_a_counterpart_whose_owner_is_gone(
    api: httpx.Client, project: Project, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'ada@example.com')}"))
    assert refused(switch(api, account)) == (409, "counterpart_of_other_owner")


def test_the_signer_of_an_address_is_whom_the_address_follows_from(
    api: httpx.Client, account: Any, key: Any, policy: str
) -> None:
    def signer(address: str) -> Any:
        return ok(api.get("/v2/accounts/signer", params={"address": address}))["id"]

    first = signer(account["address"])
    ok(api.post("/v1/accounts", json={"chainId": BASE, "player": account["player"]["id"]}))
    newest = ok(switch(api, account))
    again = ok(api.post("/v2/accounts/switch-chain", json={"account": newest["id"], "chainId": 11155111}))
    hand_over(api, account, key, policy)
    assert signer(account["address"]) == first == signer(account["ownerAddress"])
    for row in (newest, again):
        ok(api.delete(f"/v2/accounts/{row['id']}"))
    assert signer(account["address"]) == signer(key["address"]) != first


# --- keys ----------------------------------------------------------------------------------------------


def test_a_key_stays_while_an_account_is_signed_for_with_it(
    backend: httpx.Client, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(backend.delete(f"/v2/accounts/{owner['id']}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(backend.post("/v2/transactions", json=body))["status"] == "successful"


def test_what_only_a_backend_wallet_s_key_signs_for_goes_with_it(
    backend: httpx.Client, project: Project, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(backend.delete(f"/v2/accounts/backend/{owner['id']}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert refused(backend.post("/v2/transactions", json=body)) == (404, "account_not_found")
    assert owner["address"].lower() not in project.wallets.keys


def test_a_user_who_goes_takes_along_what_they_took_over(
    api: httpx.Client, project: Project, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'bob@example.com')}"))
    assert refused(api.get(f"/v2/accounts/{account['id']}")) == (404, "account_not_found")
    assert key["address"].lower() not in project.wallets.keys


def test_a_former_owner_who_goes_leaves_the_account_to_the_new_one(
    api: httpx.Client, project: Project, backend: httpx.Client, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'ada@example.com')}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"
