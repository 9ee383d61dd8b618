"""Accounts in lists, by id and by signer."""

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
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
    signed_in,
)


def test_the_list_is_filtered_and_newest_first(backend: Client, project: Project, user: str) -> None:
    api = backend
    owner = create(api, user)
    smart = create(api, user, SMART, account=owner["id"], chainId=AMOY)
    delegated = create(api, user, DELEGATED, account=owner["id"], chainId=84532)
    solana = create(api, user, chainType="SVM")
    other = new_user(project)
    theirs = create(api, other)
    wallet = api.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    everything = [wallet, theirs, solana, delegated, smart, owner]
    assert listed(api) == [row["id"] for row in everything]
    assert listed(api, user=user) == listed(api, user=owner["wallet"])
    assert listed(api, user=user) == [solana["id"], delegated["id"], smart["id"], owner["id"]]
    assert listed(api, address=owner["address"]) == [delegated["id"], owner["id"]]
    assert listed(api, address=owner["address"].lower(), accountType=EOA) == [owner["id"]]
    assert listed(api, address="0x" + owner["address"][2:].upper(), user=user, chainId=84532) == [
        delegated["id"]
    ]
    assert listed(api, address="0X" + owner["address"][2:]) == []
    assert listed(api, address=solana["address"]) == [solana["id"]]
    assert listed(api, address="unknown") == []
    assert listed(api, user=new_user(project)) == []
    assert listed(api, user="usr_unknown") == []


def test_an_address_begins_with_a_small_x(api: Client, user: str) -> None:
    owner = create(api, user)
    spelt = "0X" + owner["address"][2:]
    status, error = refused(api, user, address="0X" + "11" * 20)
    assert (status, error["param"]) == (400, "address")
    status, error = refused(api, user, SMART, account=owner["id"], chainId=AMOY, address=spelt)
    assert (status, error["param"]) == (400, "address")
    assert api.get("/v2/accounts/signer", params={"address": spelt}).status_code == 404
    contract = api.post("/v1/contracts", json={"name": "x", "chainId": AMOY, "address": spelt})
    assert (contract.status_code, contract.json()["error"]["param"]) == (400, "address")


def test_listing_makes_no_wallet(api: Client, project: Project, user: str) -> None:
    assert listed(api, user=user) == []
    assert api.get("/v2/accounts", headers=signed_in(api, project, user)).json()["total"] == 0
    assert len(project.wallets.wallets) == 0


def test_a_user_sees_only_its_own_accounts(api: Client, project: Project, user: str) -> None:
    mine, other = create(api, user), new_user(project)
    theirs = create(api, other)
    headers = signed_in(api, project, user)
    assert [row["id"] for row in api.get("/v2/accounts", headers=headers).json()["data"]] == [mine["id"]]
    for query in ({"user": other}, {"user": theirs["wallet"]}, {"address": theirs["address"]}):
        assert api.get("/v2/accounts", headers=headers, params=query).json()["total"] == 0
    assert api.get("/v2/accounts", headers=headers, params={"user": user}).json()["total"] == 1
    assert api.get(f"/v2/accounts/{mine['id']}", headers=headers).json() == mine
    assert api.get(f"/v2/accounts/{theirs['id']}", headers=headers).status_code == 404
    signer = {"address": theirs["address"]}
    assert api.get("/v2/accounts/signer", headers=headers, params=signer).status_code == 404


def test_an_account_is_retrieved_as_it_was_created(api: Client, user: str) -> None:
    owner = create(api, user)
    account = create(api, user, SMART, account=owner["id"], chainId=AMOY)
    assert api.get(f"/v2/accounts/{account['id']}").json() == account
    missing = api.get("/v2/accounts/acc_unknown")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "account_not_found")


def test_the_accounts_of_a_key_have_one_signer(api: Client, user: str) -> None:
    owner, other = create(api, user), create(api, user)
    smart = create(api, user, SMART, account=owner["id"], chainId=AMOY)

    def signer(address: str) -> str:
        found = api.get("/v2/accounts/signer", params={"address": address}).json()["id"]
        assert isinstance(found, str)
        return found

    assert signer(owner["address"]).startswith("sig_")
    assert signer(owner["address"].lower()) == signer(smart["address"]) == signer(owner["address"])
    assert signer(other["address"]) != signer(owner["address"])


def test_an_unknown_address_has_no_signer(api: Client) -> None:
    response = api.get("/v2/accounts/signer", params={"address": ELSEWHERE})
    assert (response.status_code, response.json()["error"]["code"]) == (404, "signer_not_found")
    assert api.get("/v2/accounts/signer").status_code == 400


def test_an_account_whose_owner_is_not_a_signer_has_none(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    project.wallets.accounts.replace(account._replace(signer_id=None))
    project.undo.mark()
    found = api.get("/v2/accounts/signer", params={"address": account.address})
    assert (found.status_code, found.json()["error"]["code"]) == (404, "signer_not_found")
