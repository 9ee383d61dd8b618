"""Accounts on other chains than that on which the owner changed."""

from typing import Any

from eth_utils import keccak
from httpx import Client, Response

from mockserver.state.project import Project
from tests.operations.changed_owners.helpers import BASE, CALLS, hand_over, refused, user_id
from tests.operations.responses import ok


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


def switch(client: Client, account: Any, **options: Any) -> Response:
    body = {"account": account["id"], "chainId": BASE}
    return client.post("/v2/accounts/switch-chain", json=body, **options)


def test_elsewhere_the_first_owner_begins(api: Client, account: Any, key: Any, policy: str) -> None:
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


def test_the_former_owner_keeps_other_chains(api: Client, account: Any, key: Any, policy: str) -> None:
    hand_over(api, account, key, policy)
    body = {"chainId": BASE, "player": account["player"]["id"]}
    other = ok(api.post("/v1/accounts", json=body))
    assert (other["address"], other["ownerAddress"]) == (account["address"], account["ownerAddress"])
    assert other["player"] == account["player"]


def test_a_new_owner_lacks_the_former_owners_other_chains(
    api: Client, project: Project, visitor: Client, bob: dict[str, str], account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    before = len(project.wallets.accounts)
    assert refused(switch(visitor, account, headers=bob)) == (409, "counterpart_of_other_owner")
    assert len(project.wallets.accounts) == before


def test_an_account_whose_owner_is_gone_gets_no_counterpart(
    api: Client, project: Project, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'ada@example.com')}"))
    assert refused(switch(api, account)) == (409, "counterpart_of_other_owner")


def test_an_addresss_signer_is_whom_it_follows_from(api: Client, account: Any, key: Any, policy: str) -> None:
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
