"""Whose transactions are whose: users, backend wallets, ecosystems."""

from collections.abc import Callable
from dataclasses import replace

from httpx import Client

from mockserver.domain.identity.users import user_of_email
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import account_of
from tests.operations.transactions.helpers import AMOY, THERE, create, listed, signature_of


def test_users_see_and_use_their_own_only(
    api: Client, project: Project, visitor: Client, signed_in: Callable[[str], dict[str, str]]
) -> None:
    ada, bob = signed_in("ada@example.com"), signed_in("bob@example.com")
    owner = user_of_email(project, "ada@example.com")
    other = user_of_email(project, "bob@example.com")
    assert owner is not None
    assert other is not None
    account = create_eoa(project, wallet_of_user(project, owner), "EVM")
    project.undo.mark()
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    path = "/v2/transactions"
    assert visitor.post(path, json=body, headers=bob).status_code == 404
    assert visitor.post(f"{path}/estimate", json=body, headers=bob).status_code == 404
    row = visitor.post(path, json=body, headers=ada).json()
    create(api, account_of(project, "plain"))
    assert visitor.get(path, headers=ada).json()["total"] == 1
    assert visitor.get(path, headers=bob).json()["total"] == 0
    assert visitor.get(path, headers=bob, params={"userId": owner.id}).json()["total"] == 0
    assert visitor.get(path, headers=ada, params={"userId": [owner.id, other.id]}).json()["total"] == 1
    assert visitor.get(path, headers=ada, params={"userId": other.id}).json()["total"] == 0
    assert visitor.get(f"{path}/{row['id']}", headers=bob).status_code == 404
    assert visitor.get(f"{path}/{row['id']}", headers=ada).json()["id"] == row["id"]
    signature = {"signature": signature_of(project, account, row)}
    assert visitor.post(f"{path}/{row['id']}/signature", json=signature, headers=bob).status_code == 404
    done = visitor.post(f"{path}/{row['id']}/signature", json=signature, headers=ada)
    assert done.json()["status"] == "successful"


def test_a_backend_wallet_has_no_wallet_id(backend: Client, project: Project) -> None:
    made = backend.post("/v2/accounts/backend", json={"chainType": "EVM"})
    assert made.status_code == 200, made.text
    account = project.wallets.accounts[made.json()["id"]]
    row = create(backend, account)
    assert row["status"] == "successful"
    assert "walletId" not in row
    assert listed(backend, walletId=account.wallet_id) == []


def test_an_ecosystem_acts_for_a_project_that_lets_it(api: Client, world: World, project: Project) -> None:
    target = world.create(name="target")
    account = account_of(target, "plain")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    headers = {"x-behalf-of-project": target.id}
    refused = api.post("/v2/transactions", json=body, headers=headers)
    assert refused.status_code == 401
    assert refused.json()["error"]["authorizationCode"]
    assert len(target.onchain.transactions) == 0
    target.settings = replace(target.settings, ecosystems=(project.id,))
    assert api.post("/v2/transactions", json=body, headers=headers).json()["status"] == "successful"
    assert (len(target.onchain.transactions), len(project.onchain.transactions)) == (1, 0)
    for own in ({}, {"x-behalf-of-project": ""}, {"x-behalf-of-project": project.id}):
        assert api.post("/v2/transactions", json=body, headers=own).status_code == 404


RULE = """
rules:
  - when: {call: CreateTransaction, nth: 1}
    then: {fate: {outcome: reverted, reason: not today}}
"""


def test_a_rules_fate_is_for_the_project_acted_for(api: Client, world: World, project: Project) -> None:
    target = world.create(name="target")
    target.settings = replace(target.settings, ecosystems=(project.id,))
    api.post("/_mock/projects/-/scenarios", content=RULE, headers={"content-type": "application/yaml"})
    body = {"chainId": AMOY, "accountId": account_of(target, "plain").id, "calls": [{"to": THERE}]}
    headers = {"x-behalf-of-project": target.id}
    statuses = [api.post("/v2/transactions", json=body, headers=headers).json()["status"] for _ in range(2)]
    assert statuses == ["reverted", "successful"]
    assert (len(project.onchain.fates), len(target.onchain.fates)) == (0, 0)


def test_an_ecosystem_acts_in_its_own_mode(api: Client, world: World, project: Project) -> None:
    codes = []
    for livemode in (False, True):
        target = world.create(name=f"target-{livemode}", livemode=livemode)
        target.settings = replace(target.settings, ecosystems=(project.id,))
        body = {"chainId": AMOY, "accountId": "acc_unknown", "calls": [{"to": THERE}]}
        answer = api.post("/v2/transactions", json=body, headers={"x-behalf-of-project": target.id})
        codes.append(answer.json()["error"]["code"])
    assert codes == ["account_not_found", "project_not_authorized"]


def test_a_refused_ecosystem_request_takes_back_its_rules_fate(api: Client, project: Project) -> None:
    api.post("/_mock/projects/-/scenarios", content=RULE, headers={"content-type": "application/yaml"})
    account = account_of(project, "plain")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    refused = api.post("/v2/transactions", json=body, headers={"x-behalf-of-project": "pro_unknown"})
    assert refused.status_code == 401
    assert len(project.onchain.fates) == 0
    assert create(api, account)["status"] == "successful"


def test_a_request_refused_elsewhere_still_renews_the_session(
    api: Client, visitor: Client, world: World, project: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    target = world.create(name="target")
    target.settings = replace(target.settings, ecosystems=(project.id,))
    user = signed_in("ada@example.com")
    (session,) = project.identity.sessions
    project.clock.move_to(project.clock.now_ms + 2 * 24 * 3600 * 1000)
    body = {"chainId": AMOY, "accountId": "acc_unknown", "calls": [{"to": THERE}]}
    headers = {**user, "x-behalf-of-project": target.id}
    refused = visitor.post("/v2/transactions", json=body, headers=headers)
    assert refused.json()["error"]["code"] == "account_not_found"
    (*_, renewal) = api.get("/_mock/projects/-/effects").json()["data"]
    assert (renewal["cause"], renewal["operation"]) == ("call", "CreateTransaction")
    assert "identity.sessions" in [row["table"] for row in renewal["effects"]["rows"]]
    # Another request, which is refused here, takes back what it changed itself and no more.
    assert visitor.get("/v2/transactions/tin_unknown", headers=user).status_code == 404
    (renewed,) = project.identity.sessions
    assert renewed.expires_ms == session.expires_ms + 2 * 24 * 3600 * 1000


def test_a_rules_fate_goes_with_a_failure(api: Client, world: World, project: Project) -> None:
    target = world.create(name="target")
    target.settings = replace(target.settings, ecosystems=(project.id,))
    api.post("/_mock/projects/-/scenarios", content=RULE, headers={"content-type": "application/yaml"})
    body = {"chainId": AMOY, "accountId": "acc_unknown", "calls": [{"to": THERE}]}
    refused = api.post("/v2/transactions", json=body, headers={"x-behalf-of-project": target.id})
    assert refused.status_code == 404
    assert (len(project.onchain.fates), len(target.onchain.fates)) == (0, 0)
    assert create(api, account_of(project, "plain"))["status"] == "successful"


def test_an_ecosystems_user_is_one_of_the_project_it_acts_for(
    api: Client, world: World, project: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    target = world.create(name="target")
    target.settings = replace(target.settings, ecosystems=(project.id,))
    headers = {**signed_in("ada@example.com"), "x-behalf-of-project": target.id}
    body = {"chainId": AMOY, "interactions": [{"to": THERE}]}
    intents = [api.post("/v1/transaction_intents", json=body, headers=headers).json() for _ in range(2)]
    theirs = {"authorization": f"Bearer {target.secret_key}"}
    player = api.get(f"/v1/players/{intents[0]['player']['id']}", headers=theirs)
    assert player.status_code == 200, player.text
    assert player.json()["accounts"] == [intents[0]["account"]] == [intents[1]["account"]]
    (listed,) = api.get("/v1/players", headers=theirs).json()["data"]
    assert listed == player.json()
    (user,) = api.get("/v2/users", headers=theirs).json()["data"]
    assert api.get(f"/v2/users/{user['id']}/wallet", headers=theirs).json()["id"] == listed["id"]
    (here,) = api.get("/v2/users").json()["data"]
    (linked,) = user["linkedAccounts"]
    assert (linked["provider"], linked["accountId"]) == (project.id, here["id"])
    spend = {"chainId": AMOY, "accountId": intents[0]["account"]["id"], "calls": [{"to": THERE}]}
    assert api.post("/v2/transactions", json=spend, headers=headers).json()["status"] == "successful"
