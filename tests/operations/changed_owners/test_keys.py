"""What becomes of the keys of owners, former and new."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.changed_owners.helpers import AMOY, CALLS, hand_over, refused, user_id
from tests.operations.responses import ok


def test_a_key_stays_while_an_account_needs_it(backend: Client, account: Any, policy: str) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(backend.delete(f"/v2/accounts/{owner['id']}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(backend.post("/v2/transactions", json=body))["status"] == "successful"


def test_what_only_a_backend_wallets_key_signs_for_goes_with_it(
    backend: Client, project: Project, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(backend.delete(f"/v2/accounts/backend/{owner['id']}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert refused(backend.post("/v2/transactions", json=body)) == (404, "account_not_found")
    assert owner["address"].lower() not in project.wallets.keys


def test_a_user_who_goes_takes_along_what_they_took_over(
    api: Client, project: Project, account: Any, key: Any, policy: str
) -> None:
    hand_over(api, account, key, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'bob@example.com')}"))
    assert refused(api.get(f"/v2/accounts/{account['id']}")) == (404, "account_not_found")
    assert key["address"].lower() not in project.wallets.keys


def test_a_leaving_former_owner_leaves_the_account(
    api: Client, project: Project, backend: Client, account: Any, policy: str
) -> None:
    owner = ok(backend.post("/v2/accounts/backend", json={"chainType": "EVM"}))
    hand_over(backend, account, owner, policy)
    ok(api.delete(f"/v2/users/{user_id(project, 'ada@example.com')}"))
    body = {"chainId": AMOY, "accountId": account["id"], "calls": CALLS}
    assert ok(api.post("/v2/transactions", json=body))["status"] == "successful"
