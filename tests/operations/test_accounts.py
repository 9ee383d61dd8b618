"""Accounts through the API, every address checked by another library."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from eth_account import Account as EthAccount
from eth_utils import is_checksum_address, keccak
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project
from mockserver.state.world import World

EOA = "Externally Owned Account"
SMART = "Smart Account"
DELEGATED = "Delegated Account"
AMOY = 80002
ELSEWHERE: str = EthAccount.from_key(keccak(b"elsewhere")).address


@pytest.fixture
def user(project: Project) -> str:
    """A user's id."""
    return new_user(project)


def new_user(project: Project) -> str:
    """Another user's id."""
    row = create_user(project, name="Ada", email=None)
    project.undo.mark()
    return row.id


def create(api: httpx.Client, user: str, account_type: str = EOA, **members: object) -> Any:
    """A new account."""
    body = {"accountType": account_type, "chainType": "EVM", "user": user} | members
    response = api.post("/v2/accounts", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def refused(api: httpx.Client, user: str, account_type: str = EOA, **members: object) -> tuple[int, Any]:
    """The status and error of an account that cannot be."""
    body = {"accountType": account_type, "chainType": "EVM", "user": user} | members
    response = api.post("/v2/accounts", json={name: value for name, value in body.items() if value})
    return response.status_code, response.json()["error"]


def listed(api: httpx.Client, **query: object) -> list[str]:
    """The ids of a list."""
    response = api.get("/v2/accounts", params=query)  # type: ignore[arg-type]
    assert response.status_code == 200, response.text
    ids = [row["id"] for row in response.json()["data"]]
    assert response.json()["total"] == len(ids)
    return ids


def signed_in(api: httpx.Client, project: Project, user: str) -> dict[str, str]:
    """Headers of a session of the user."""
    session = open_session(project, project.identity.users[user])
    project.undo.mark()
    return {"authorization": f"Bearer {session.token}", "x-project-key": project.publishable_key}


# --- externally owned --------------------------------------------------------------------------------


def test_an_evm_account_has_a_real_key(api: httpx.Client, project: Project, user: str) -> None:
    account = create(api, user)
    secret = project.wallets.keys[account["address"].lower()].secret
    assert EthAccount.from_key(secret).address == account["address"]
    assert account == {
        "id": account["id"],
        "wallet": account["wallet"],
        "accountType": EOA,
        "address": account["address"],
        "chainType": "EVM",
        "createdAt": 1_767_225_600,
        "updatedAt": 1_767_225_600,
        "custody": "User",
    }
    assert account["id"].startswith("acc_")
    assert account["wallet"].startswith("pla_")


def test_an_svm_account_has_a_real_key(api: httpx.Client, project: Project, user: str) -> None:
    account = create(api, user, chainType="SVM")
    secret = project.wallets.keys[account["address"]].secret
    assert str(Keypair.from_seed(secret).pubkey()) == account["address"]


def test_an_address_of_ones_own_is_kept_without_a_key(api: httpx.Client, project: Project, user: str) -> None:
    for spelling in (ELSEWHERE.lower(), "0x" + ELSEWHERE[2:].upper()):
        account = create(api, user, address=spelling)
        assert account["address"] == ELSEWHERE
        assert api.delete(f"/v2/accounts/{account['id']}").status_code == 200
    solana = str(Pubkey.default())
    assert create(api, user, chainType="SVM", address=solana)["address"] == solana
    assert len(project.wallets.keys) == 0


def test_the_accounts_of_a_user_are_in_one_wallet(api: httpx.Client, project: Project, user: str) -> None:
    first, second = create(api, user), create(api, user, chainType="SVM")
    third = create(api, first["wallet"])
    assert first["wallet"] == second["wallet"] == third["wallet"]
    assert create(api, new_user(project))["wallet"] != first["wallet"]


# --- smart and delegated -----------------------------------------------------------------------------


@pytest.mark.parametrize("implementation", [None, "UpgradeableV5", "UpgradeableV6", "ManagedV5", "Simple"])
def test_a_smart_account_is_where_create2_puts_it(
    api: httpx.Client, user: str, implementation: str | None
) -> None:
    owner = create(api, user)
    chosen = {} if implementation is None else {"implementationType": implementation}
    account = create(api, user, SMART, account=owner["id"], chainId=AMOY, **chosen)
    contract = account["smartAccount"]
    runtime = (
        "363d3d373d3d3d363d73" + contract["implementationAddress"][2:] + "5af43d82803e903d91602b57fd5bf3"
    )
    runtime += "00" * 12 + owner["address"][2:]
    code = bytes.fromhex(f"61{len(runtime) // 2:04x}3d81600a3d39f3{runtime}")
    raw = b"\xff" + bytes.fromhex(contract["factoryAddress"][2:]) + bytes.fromhex(contract["salt"][2:])
    assert account["address"].lower() == "0x" + keccak(raw + keccak(code))[12:].hex()
    assert is_checksum_address(account["address"])
    assert contract["implementationType"] == (implementation or "UpgradeableV6")
    assert account["ownerAddress"] == contract["ownerAddress"] == owner["address"]
    assert account["chainId"] == contract["chainId"] == AMOY
    assert contract["active"] is True
    assert "deployedTx" not in contract
    assert "deployedAt" not in contract
    assert (account["wallet"], account["custody"]) == (owner["wallet"], "User")


def test_a_smart_account_has_one_address_on_every_chain(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    found = [
        create(api, user, SMART, account=owner["id"], chainId=chain) for chain in (AMOY, 84532, 5_555_555)
    ]
    assert len({account["address"] for account in found}) == 1
    assert len({account["id"] for account in found}) == 3
    other = create(api, user, SMART, account=create(api, user)["id"], chainId=AMOY)
    assert other["address"] != found[0]["address"]


def test_a_delegated_account_is_the_eoa_with_a_contract(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    account = create(api, user, DELEGATED, account=owner["id"], chainId=AMOY)
    assert account["id"] != owner["id"]
    assert account["smartAccount"] == {
        "implementationType": "CaliburV9",
        "implementationAddress": account["smartAccount"]["implementationAddress"],
        "active": True,
        "chainId": AMOY,
    }
    assert is_checksum_address(account["smartAccount"]["implementationAddress"])
    assert "ownerAddress" not in account
    for name in ("address", "wallet", "custody"):
        assert account[name] == owner[name]


def test_calibur_is_not_on_amoy(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    delegate = {"account": owner["id"], "implementationType": "Calibur"}
    status, error = refused(api, user, DELEGATED, chainId=AMOY, **delegate)
    assert (status, error["param"]) == (400, "implementationType")
    assert "not available in chainId '80002'" in error["message"]
    assert create(api, user, DELEGATED, chainId=84532, **delegate)["address"] == owner["address"]


def test_calibur_v9_is_not_on_mainnet_where_calibur_is_the_default(api: httpx.Client, world: World) -> None:
    live = world.create(name="tests", livemode=True)
    api.headers["authorization"] = f"Bearer {live.secret_key}"
    user = new_user(live)
    owner = create(api, user)["id"]
    status, error = refused(api, user, DELEGATED, account=owner, chainId=1, implementationType="CaliburV9")
    assert status == 400
    assert "not available in chainId '1'" in error["message"]
    account = create(api, user, DELEGATED, account=owner, chainId=1)
    assert account["smartAccount"]["implementationType"] == "Calibur"


def test_the_address_of_a_smart_account_may_be_given_if_it_is_right(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    status, error = refused(api, user, SMART, account=owner["id"], chainId=AMOY, address=ELSEWHERE)
    assert (status, error["param"]) == (400, "address")
    right = error["message"].rpartition(" ")[2]
    assert create(api, user, SMART, account=owner["id"], chainId=AMOY, address=right)["address"] == right


# --- what is refused ---------------------------------------------------------------------------------


def rows(project: Project) -> list[list[object]]:
    """Every wallet, account and key there is."""
    return [
        list(table) for table in (project.wallets.wallets, project.wallets.accounts, project.wallets.keys)
    ]


@pytest.mark.parametrize(
    ("members", "param"),
    [
        ({"chainType": "BTC"}, "chainType"),
        ({"accountType": "Account"}, "accountType"),
        ({"accountType": SMART, "chainId": AMOY}, "account"),
        ({"accountType": SMART, "account": "OWNER"}, "chainId"),
        ({"accountType": DELEGATED, "chainId": AMOY}, "account"),
        ({"accountType": DELEGATED, "account": "OWNER"}, "chainId"),
        ({"accountType": SMART, "account": "OWNER", "chainId": AMOY, "chainType": "SVM"}, "chainType"),
        ({"accountType": SMART, "account": "OWNER", "chainId": 1}, "chainId"),
        ({"accountType": SMART, "account": "OWNER", "chainId": -1}, "chainId"),
        ({"accountType": SMART, "account": "OWNER", "chainId": "80002"}, "chainId"),
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
    ],
)
def test_what_makes_no_account_is_refused_and_leaves_no_trace(
    api: httpx.Client, project: Project, user: str, members: dict[str, object], param: str
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


@pytest.mark.parametrize("owner", ["usr_00000000-0000-4000-8000-000000000000", "pla_1", "somebody"])
def test_an_unknown_owner_is_not_found(api: httpx.Client, project: Project, owner: str) -> None:
    status, error = refused(api, owner)
    assert (status, error["param"]) == (404, "user")
    assert rows(project) == [[], [], []]


def test_an_unknown_account_to_build_on_is_not_found_and_makes_no_wallet(
    api: httpx.Client, project: Project, user: str
) -> None:
    status, error = refused(api, user, SMART, account="acc_unknown", chainId=AMOY)
    assert (status, error["param"]) == (404, "account")
    assert rows(project) == [[], [], []]


def test_the_account_of_another_project_is_not_found(api: httpx.Client, world: World, user: str) -> None:
    owner = create(api, user)["id"]
    other = world.create(name="other")
    theirs = new_user(other)
    api.headers["authorization"] = f"Bearer {other.secret_key}"
    assert refused(api, theirs, SMART, account=owner, chainId=AMOY)[0] == 404
    assert refused(api, user)[0] == 404
    assert api.get(f"/v2/accounts/{owner}").status_code == 404
    assert listed(api) == []


def test_an_account_of_no_chain_is_on_none_that_could_be_unknown(api: httpx.Client, user: str) -> None:
    api.put("/_mock/projects/-/settings", json={"unknown_chains": "refuse"})
    assert "chainId" not in create(api, user)
    # What chains Solana has is not for EIP-155 to say.
    assert create(api, user, chainType="SVM", chainId=901)["chainId"] == 901
    status, error = refused(api, user, EOA, chainId=901)
    assert (status, error["code"]) == (400, "chain_unknown")


@pytest.mark.parametrize(("chain_id", "taken"), [(1, False), (137, False), (AMOY, True), (900, True)])
def test_a_chain_of_the_other_mode_is_none_for_solana_either(
    api: httpx.Client, user: str, chain_id: int, taken: bool
) -> None:
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


@pytest.mark.parametrize("account_type", [EOA, SMART, DELEGATED])
def test_an_address_has_one_account_of_a_type_on_a_chain(
    api: httpx.Client, project: Project, user: str, account_type: str
) -> None:
    if account_type == EOA:
        members: dict[str, object] = {"address": ELSEWHERE}
    else:
        members = {"account": create(api, user)["id"], "chainId": AMOY}
    first = create(api, user, account_type, **members)
    before = rows(project)
    status, error = refused(api, user, account_type, **members)
    param = "address" if account_type == EOA else "chainId"
    assert (status, error["param"], error["code"]) == (409, param, "address_taken")
    assert first["id"] in error["message"]
    assert rows(project) == before


def test_an_address_is_not_shared_between_users(api: httpx.Client, project: Project, user: str) -> None:
    """Else whoever names an address could have the mock sign with its owner's key."""
    taken = create(api, user)["address"]
    stranger = new_user(project)
    for members in ({}, {"chainId": AMOY}):
        assert refused(api, stranger, address=taken, **members)[0] == 409


def test_a_key_is_kept_in_one_way_only(backend: httpx.Client) -> None:
    """Else a share would hand out the key of a backend wallet, without the wallet secret."""
    wallet = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    members = {"address": wallet["address"], "chainId": AMOY}
    status, error = refused(backend, wallet["walletId"], **members)
    assert (status, error["code"], error["param"]) == (409, "address_taken", "address")
    developer = backend.post("/v1/settings/developer_accounts", json={}).json()
    status, error = refused(backend, wallet["walletId"], address=developer["address"])
    assert (status, error["code"], error["param"]) == (409, "address_taken", "address")


def test_a_key_is_not_registered_anew_for_another_user_while_an_account_is_signed_for_with_it(
    api: httpx.Client, project: Project, user: str
) -> None:
    owner = create(api, user)
    create(api, user, SMART, account=owner["id"], chainId=AMOY)
    assert api.delete(f"/v2/accounts/{owner['id']}").status_code == 200
    status, error = refused(api, new_user(project), address=owner["address"])
    assert (status, error["code"]) == (409, "address_taken")
    assert create(api, user, address=owner["address"])["wallet"] == owner["wallet"]


def test_no_key_has_the_address_of_a_contract(api: httpx.Client, user: str) -> None:
    smart = create(api, user, SMART, account=create(api, user)["id"], chainId=AMOY)
    for members in ({}, {"chainId": AMOY}, {"chainId": 84532}):
        status, error = refused(api, user, address=smart["address"], **members)
        assert (status, error["code"], error["param"]) == (409, "address_taken", "address")


def test_only_a_secret_key_creates_and_deletes(api: httpx.Client, project: Project, user: str) -> None:
    account = create(api, user)
    body = {"accountType": EOA, "chainType": "EVM", "user": user}
    for headers in (
        signed_in(api, project, user),
        {"authorization": f"Bearer {project.publishable_key}"},
    ):
        assert api.post("/v2/accounts", json=body, headers=headers).status_code == 401
        assert api.delete(f"/v2/accounts/{account['id']}", headers=headers).status_code == 401
    assert listed(api) == [account["id"]]


# --- finding -----------------------------------------------------------------------------------------


def test_the_list_is_filtered_and_newest_first(backend: httpx.Client, project: Project, user: str) -> None:
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
    assert listed(api, order="asc") == [row["id"] for row in reversed(everything)]
    assert listed(api, user=user) == listed(api, user=owner["wallet"])
    assert listed(api, user=user) == [solana["id"], delegated["id"], smart["id"], owner["id"]]
    assert listed(api, chainId=AMOY) == [smart["id"]]
    assert listed(api, chainType="SVM") == [solana["id"]]
    assert listed(api, accountType=DELEGATED) == [delegated["id"]]
    assert listed(api, custody="Developer") == [wallet["id"]]
    assert listed(api, address=owner["address"]) == [delegated["id"], owner["id"]]
    assert listed(api, address=owner["address"].lower(), accountType=EOA) == [owner["id"]]
    assert listed(api, address="0x" + owner["address"][2:].upper(), user=user, chainId=84532) == [
        delegated["id"]
    ]
    assert listed(api, address="0X" + owner["address"][2:]) == []
    assert listed(api, address=solana["address"]) == [solana["id"]]
    assert listed(api, address="nobody's") == []
    assert listed(api, user=new_user(project)) == []
    assert listed(api, user="usr_unknown") == []


def test_an_address_begins_with_a_small_x(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    spelt = "0X" + owner["address"][2:]
    status, error = refused(api, user, address="0X" + "11" * 20)
    assert (status, error["param"]) == (400, "address")
    status, error = refused(api, user, SMART, account=owner["id"], chainId=AMOY, address=spelt)
    assert (status, error["param"]) == (400, "address")
    assert api.get("/v2/accounts/signer", params={"address": spelt}).status_code == 404
    contract = api.post("/v1/contracts", json={"name": "x", "chainId": AMOY, "address": spelt})
    assert (contract.status_code, contract.json()["error"]["param"]) == (400, "address")


def test_listing_makes_no_wallet(api: httpx.Client, project: Project, user: str) -> None:
    assert listed(api, user=user) == []
    assert api.get("/v2/accounts", headers=signed_in(api, project, user)).json()["total"] == 0
    assert len(project.wallets.wallets) == 0


def test_a_user_sees_only_its_own_accounts(api: httpx.Client, project: Project, user: str) -> None:
    mine, other = create(api, user), new_user(project)
    theirs = create(api, other)
    headers = signed_in(api, project, user)
    seen = api.get("/v2/accounts", headers=headers).json()
    assert [row["id"] for row in seen["data"]] == [mine["id"]]
    for query in ({"user": other}, {"user": theirs["wallet"]}, {"address": theirs["address"]}):
        assert api.get("/v2/accounts", headers=headers, params=query).json()["total"] == 0
    assert api.get("/v2/accounts", headers=headers, params={"user": user}).json()["total"] == 1
    assert api.get(f"/v2/accounts/{mine['id']}", headers=headers).json() == mine
    assert api.get(f"/v2/accounts/{theirs['id']}", headers=headers).status_code == 404
    signer = {"address": theirs["address"]}
    assert api.get("/v2/accounts/signer", headers=headers, params=signer).status_code == 404


def test_an_account_is_retrieved_as_it_was_created(api: httpx.Client, user: str) -> None:
    owner = create(api, user)
    account = create(api, user, SMART, account=owner["id"], chainId=AMOY)
    assert api.get(f"/v2/accounts/{account['id']}").json() == account
    missing = api.get("/v2/accounts/acc_unknown")
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "account_not_found"


def test_the_accounts_of_a_key_have_one_signer(api: httpx.Client, user: str) -> None:
    owner, other = create(api, user), create(api, user)
    smart = create(api, user, SMART, account=owner["id"], chainId=AMOY)

    def signer(address: str) -> str:
        found = api.get("/v2/accounts/signer", params={"address": address}).json()["id"]
        assert isinstance(found, str)
        return found

    assert signer(owner["address"]).startswith("sig_")
    assert signer(owner["address"].lower()) == signer(smart["address"]) == signer(owner["address"])
    assert signer(other["address"]) != signer(owner["address"])


def test_an_address_nobody_has_has_no_signer(api: httpx.Client) -> None:
    response = api.get("/v2/accounts/signer", params={"address": ELSEWHERE})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "signer_not_found"
    assert api.get("/v2/accounts/signer").status_code == 400


# --- deleting ----------------------------------------------------------------------------------------


def test_a_key_goes_with_the_last_account_that_needs_it(
    api: httpx.Client, project: Project, user: str
) -> None:
    owner = create(api, user)
    smart = create(api, user, SMART, account=owner["id"], chainId=AMOY)
    gone = api.delete(f"/v2/accounts/{owner['id']}")
    assert gone.json() == {"id": owner["id"], "object": "account", "deleted": True}
    assert len(project.wallets.keys) == 1
    assert api.delete(f"/v2/accounts/{smart['id']}").status_code == 200
    assert len(project.wallets.keys) == 0
    assert listed(api) == []
    assert api.delete(f"/v2/accounts/{smart['id']}").status_code == 404
