"""Accounts that are refused, and leave no trace."""

from httpx import Client
from solders.pubkey import Pubkey

from mockserver.state.project import Project
from mockserver.state.world import World
from tests.operations.accounts.helpers import (
    AMOY,
    DELEGATED,
    ELSEWHERE,
    EOA,
    SMART,
    create,
    listed,
    new_user,
    refused,
    rows,
    signed_in,
)
from tests.tables import cases


@cases(
    "members, param",
    ({"accountType": SMART, "chainId": AMOY}, "account"),
    ({"accountType": SMART, "account": "OWNER", "chainId": AMOY, "chainType": "SVM"}, "chainType"),
    ({"accountType": SMART, "account": "OWNER", "chainId": 1}, "chainId"),
    ({"accountType": SMART, "account": "SOLANA", "chainId": AMOY}, "account"),
    ({"accountType": SMART, "account": "SMART", "chainId": AMOY}, "account"),
    ({"accountType": SMART, "account": "STRANGER", "chainId": AMOY}, "account"),
    (
        {"accountType": SMART, "account": "OWNER", "chainId": AMOY, "implementationType": "Calibur"},
        "implementationType",
    ),
    (
        {"accountType": DELEGATED, "account": "OWNER", "chainId": AMOY, "implementationType": "Simple"},
        "implementationType",
    ),
    (
        {"accountType": DELEGATED, "account": "OWNER", "chainId": AMOY, "implementationType": "V7"},
        "implementationType",
    ),
    ({"chainId": 1}, "chainId"),
    ({"address": "0x12"}, "address"),
    ({"address": str(Pubkey.default())}, "address"),
    ({"address": ELSEWHERE, "chainType": "SVM"}, "address"),
    ({"address": "1" * 45, "chainType": "SVM"}, "address"),
    ({"address": "0x" + "00" * 20}, "address"),
)
def test_what_makes_no_account_is_refused_and_leaves_no_trace(
    api: Client, project: Project, user: str, members: dict[str, object], param: str
) -> None:
    owner = create(api, user)["id"]
    ids = {
        "OWNER": owner,
        "SOLANA": create(api, user, chainType="SVM")["id"],
        "SMART": create(api, user, SMART, account=owner, chainId=84532)["id"],
        "STRANGER": create(api, new_user(project))["id"],
    }
    before = rows(project)
    named = {name: ids.get(str(value), value) for name, value in members.items()}
    body = {"accountType": EOA, "chainType": "EVM", "user": user} | named
    response = api.post("/v2/accounts", json=body)
    assert response.status_code == 400, response.text
    assert response.json()["error"]["param"] == param
    assert rows(project) == before


@cases("owner", "usr_00000000-0000-4000-8000-000000000000", "pla_1", "no id")
def test_an_unknown_owner_is_not_found(api: Client, project: Project, owner: str) -> None:
    status, error = refused(api, owner)
    assert (status, error["param"]) == (404, "user")
    assert rows(project) == [[], [], []]


def test_an_unknown_base_account_is_not_found_or_made(api: Client, project: Project, user: str) -> None:
    status, error = refused(api, user, SMART, account="acc_unknown", chainId=AMOY)
    assert (status, error["param"]) == (404, "account")
    assert rows(project) == [[], [], []]


def test_the_account_of_another_project_is_not_found(api: Client, world: World, user: str) -> None:
    owner = create(api, user)["id"]
    other = world.create(name="other")
    theirs = new_user(other)
    api.headers["authorization"] = f"Bearer {other.secret_key}"
    assert refused(api, theirs, SMART, account=owner, chainId=AMOY)[0] == 404
    assert refused(api, user)[0] == 404
    assert api.get(f"/v2/accounts/{owner}").status_code == 404
    assert listed(api) == []


def test_an_account_of_no_chain_is_on_no_unknown_one(api: Client, user: str) -> None:
    api.put("/_mock/projects/-/settings", json={"unknown_chains": "refuse"})
    assert "chainId" not in create(api, user)
    # What chains Solana has is not for EIP-155 to say.
    assert create(api, user, chainType="SVM", chainId=901)["chainId"] == 901
    status, error = refused(api, user, EOA, chainId=901)
    assert (status, error["code"]) == (400, "chain_unknown")


@cases("chain_id, taken", (1, False), (137, False), (AMOY, True), (900, True))
def test_a_chain_of_the_other_mode_is_none(api: Client, user: str, chain_id: int, taken: bool) -> None:
    pregenerated = api.post(
        "/v2/users/pregenerate",
        json={"email": "a@example.com", "accounts": [{}, {"chainType": "SVM", "chainId": chain_id}]},
    )
    if taken:
        assert create(api, user, chainType="SVM", chainId=chain_id)["chainId"] == chain_id
        assert pregenerated.json()["accounts"][1]["chainId"] == chain_id
        return
    status, error = refused(api, user, chainType="SVM", chainId=chain_id)
    assert (status, error["code"], error["param"]) == (400, "chain_of_other_mode", "chainId")
    error = pregenerated.json()["error"]
    assert (pregenerated.status_code, error["param"]) == (400, "accounts[1].chainId")
    assert listed(api) == []


def test_only_a_secret_key_creates_and_deletes(api: Client, project: Project, user: str) -> None:
    account = create(api, user)
    body = {"accountType": EOA, "chainType": "EVM", "user": user}
    for headers in (signed_in(api, project, user), {"authorization": f"Bearer {project.publishable_key}"}):
        assert api.post("/v2/accounts", json=body, headers=headers).status_code == 401
        assert api.delete(f"/v2/accounts/{account['id']}", headers=headers).status_code == 401
    assert listed(api) == [account["id"]]


@cases("kind, form", ("EVM", "0x followed by 40 hexadecimal digits"), ("SVM", "32 bytes in base58"))
def test_a_wrong_address_is_told_the_form_of_its_chain(api: Client, user: str, kind: str, form: str) -> None:
    body = {"user": user, "accountType": EOA, "chainType": kind, "address": "0x12"}
    assert f"must be {form}" in api.post("/v2/accounts", json=body).json()["error"]["message"]
