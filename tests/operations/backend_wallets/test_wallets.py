"""Backend wallets and their keys."""

from eth_account import Account as EthAccount
from httpx import Client
from solders.keypair import Keypair

from mockserver.state.project import Project
from tests.operations.backend_wallets.helpers import AMOY, create


def test_an_evm_wallet_has_a_real_key(backend: Client, project: Project) -> None:
    wallet = create(backend)
    assert wallet == {
        "object": "account",
        "id": wallet["id"],
        "address": wallet["address"],
        "walletId": wallet["walletId"],
        "chainType": "EVM",
        "createdAt": 1_767_225_600,
    }
    secret = project.wallets.keys[wallet["address"].lower()].secret
    assert EthAccount.from_key(secret).address == wallet["address"]


def test_an_svm_wallet_has_a_real_key(backend: Client, project: Project) -> None:
    wallet = create(backend, "SVM")
    secret = project.wallets.keys[wallet["address"]].secret
    assert str(Keypair.from_seed(secret).pubkey()) == wallet["address"]


def test_a_wallet_may_join_a_wallet(backend: Client, project: Project) -> None:
    first, second = create(backend), create(backend)
    assert first["walletId"] != second["walletId"]
    assert create(backend, "SVM", wallet=first["walletId"])["walletId"] == first["walletId"]
    count = len(project.wallets.accounts)
    missing = backend.post("/v2/accounts/backend", json={"chainType": "EVM", "wallet": "pla_unknown"})
    assert (missing.status_code, missing.json()["error"]["param"]) == (404, "wallet")
    assert len(project.wallets.accounts) == len(project.wallets.keys) == count


def test_a_wallet_is_an_account_in_developer_custody(backend: Client) -> None:
    wallet = create(backend)
    account = backend.get(f"/v2/accounts/{wallet['id']}").json()
    assert (account["custody"], account["accountType"]) == ("Developer", "Externally Owned Account")
    assert account["wallet"] == wallet["walletId"]
    query = {"address": wallet["address"], "chainType": "EVM", "custody": "Developer", "limit": 1}
    assert backend.get("/v2/accounts", params=query).json()["data"] == [account]


def test_accounts_built_on_a_wallet_are_in_developer_custody(backend: Client) -> None:
    wallet = create(backend)
    for account_type in ("Smart Account", "Delegated Account"):
        body = {
            "accountType": account_type,
            "chainType": "EVM",
            "chainId": AMOY,
            "user": wallet["walletId"],
            "account": wallet["id"],
        }
        account = backend.post("/v2/accounts", json=body).json()
        assert (account["custody"], account["wallet"]) == ("Developer", wallet["walletId"])


def test_deleting_a_wallet_takes_its_key_and_what_it_signed_for(backend: Client, project: Project) -> None:
    wallet, kept = create(backend), create(backend)
    body = {
        "accountType": "Delegated Account",
        "chainType": "EVM",
        "chainId": AMOY,
        "user": wallet["walletId"],
        "account": wallet["id"],
    }
    delegated = backend.post("/v2/accounts", json=body).json()["id"]
    path = f"/v2/accounts/backend/{wallet['id']}"
    assert backend.delete(f"/v2/accounts/backend/{delegated}").status_code == 404
    assert backend.delete(path).json() == {"object": "backendWallet", "id": wallet["id"], "deleted": True}
    assert [row.id for row in project.wallets.accounts] == [kept["id"]]
    assert [row.id for row in project.wallets.keys] == [kept["address"].lower()]
    assert backend.delete(path).status_code == 404
    assert backend.post(path + "/sign", json={"data": "0x" + "00" * 32}).status_code == 404


def test_a_user_s_account_is_no_backend_wallet(backend: Client, project: Project) -> None:
    body = {
        "accountType": "Externally Owned Account",
        "chainType": "EVM",
        "user": create(backend)["walletId"],
    }
    account = backend.post("/v2/accounts", json=body).json()["id"]
    path = f"/v2/accounts/backend/{account}"
    assert backend.post(path + "/sign", json={"data": "0x" + "00" * 32}).status_code == 404
    assert backend.delete(path).status_code == 404
    assert account in project.wallets.accounts
