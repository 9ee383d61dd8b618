"""Externally owned accounts that delegate to one implementation after another (EIP-7702)."""

from typing import Any

import pytest
from httpx import Client

from tests.operations.accounts.helpers import DELEGATED, create, listed, refused
from tests.operations.responses import ok

BASE = 84532
OP = 11155420
CALL = {"to": "0x" + "11" * 20, "value": "1"}


@pytest.fixture
def wallet(backend: Client) -> str:
    """The wallet of a backend wallet, whose delegated accounts need no signature of ours."""
    return str(ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))["walletId"])


def delegate(backend: Client, wallet: str, implementation: str, chain_id: int = BASE) -> Any:
    return create(backend, wallet, DELEGATED, implementationType=implementation, chainId=chain_id)


def shown(backend: Client, account: Any) -> Any:
    return ok(backend.get(f"/v2/accounts/{account['id']}"))["smartAccount"]


def use(backend: Client, account: Any) -> Any:
    """A transaction of the account, which delegates where that is needed."""
    body = {"accountId": account["id"], "chainId": account["chainId"], "calls": [CALL]}
    sent = ok(backend.post("/v2/transactions", params={"expand": "userOperation"}, json=body))
    assert sent["status"] == "successful"
    return sent


def test_an_account_delegates_to_another_implementation(backend: Client, wallet: str) -> None:
    calibur = delegate(backend, wallet, "Calibur")
    use(backend, calibur)
    newer = delegate(backend, wallet, "CaliburV9")
    assert (newer["address"], newer["id"] == calibur["id"]) == (calibur["address"], False)
    assert (shown(backend, calibur)["active"], shown(backend, newer)["active"]) == (True, False)
    deployed_tx = shown(backend, calibur)["deployedTx"]
    sent = use(backend, newer)
    assert (shown(backend, calibur)["active"], shown(backend, newer)["active"]) == (False, True)
    assert shown(backend, newer)["deployedTx"] == sent["receipt"]["transactionHash"]
    assert shown(backend, calibur)["deployedTx"] == deployed_tx


def test_the_chain_answers_the_latest_delegation(backend: Client, wallet: str) -> None:
    accounts = [delegate(backend, wallet, name) for name in ("Calibur", "CaliburV9")]
    for account in (*accounts, accounts[0]):
        use(backend, account)
        there = backend.get(f"/_mock/projects/-/chains/{BASE}/addresses/{account['address']}").json()
        assert there["delegate"] == account["smartAccount"]["implementationAddress"]
        assert [shown(backend, each)["active"] for each in accounts] == [each == account for each in accounts]


def test_before_delegation_the_latest_account_is_in_use(backend: Client, wallet: str) -> None:
    first, second = (delegate(backend, wallet, name) for name in ("Calibur", "CaliburV9"))
    assert (shown(backend, first)["active"], shown(backend, second)["active"]) == (False, True)
    assert backend.delete(f"/v2/accounts/{second['id']}").status_code == 200
    assert shown(backend, first)["active"] is True


def test_the_same_implementation_is_not_delegated_to_twice(backend: Client, wallet: str) -> None:
    first = delegate(backend, wallet, "Calibur")
    members = {"implementationType": "Calibur", "chainId": BASE}
    status, error = refused(backend, wallet, DELEGATED, **members)
    assert (status, error["code"], first["id"] in error["message"]) == (409, "address_taken", True)


def test_each_implementation_has_a_counterpart_elsewhere(backend: Client, wallet: str) -> None:
    accounts = [delegate(backend, wallet, name) for name in ("Calibur", "CaliburV9")]
    for account in accounts:
        use(backend, account)
        body = {"account": account["id"], "chainId": OP}
        there = ok(backend.post("/v2/accounts/switch-chain", json=body))
        assert there["smartAccount"]["implementationType"] == account["smartAccount"]["implementationType"]
        assert (there["smartAccount"]["active"], "deployedTx" in there["smartAccount"]) == (True, False)
    assert len(listed(backend, chainId=OP)) == 2


def test_a_player_acts_with_the_implementation_in_use(backend: Client, wallet: str) -> None:
    accounts = [delegate(backend, wallet, name) for name in ("Calibur", "CaliburV9")]
    interactions = [{"to": CALL["to"]}]
    for account in accounts:
        use(backend, account)
        body = {"chainId": BASE, "player": wallet, "interactions": interactions}
        intent = ok(backend.post("/v1/transaction_intents", json=body))
        assert intent["account"]["id"] == account["id"]
        signature = backend.post(
            f"/_mock/projects/-/accounts/{account['id']}/sign",
            json={"hash": intent["nextAction"]["payload"]["signableHash"]},
        ).json()["signature"]
        path = f"/v1/transaction_intents/{intent['id']}/signature"
        assert ok(backend.post(path, json={"signature": signature}))["response"]["status"] == 1
