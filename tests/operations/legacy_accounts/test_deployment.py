"""Accounts of the older API that are made again: whether they are deployed."""

from httpx import Client

from tests.operations.legacy_accounts.helpers import AMOY, BASE, THERE, create, shown
from tests.operations.responses import ok


def test_an_account_made_again_where_deployed_is_deployed(api: Client) -> None:
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


def test_an_account_made_again_during_deployment_is_deployed(api: Client) -> None:
    account = create(api)
    body = {"chainId": AMOY, "account": account["id"], "interactions": [{"to": THERE, "value": "1"}]}
    ok(api.post("/v1/transaction_intents", json={**body, "optimistic": True}))
    ok(api.delete(f"/v2/accounts/{account['id']}"))
    again = create(api, player=account["player"]["id"])
    assert again["deployed"] is False
    ok(api.post("/_mock/projects/-/clock/advance", json={"seconds": 10}))
    assert shown(api, again)["deployed"] is True


def test_another_delegate_is_not_deployed_because_the_first_was(api: Client) -> None:
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
