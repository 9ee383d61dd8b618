"""Accounts that are a key, with keys that other libraries know."""

from eth_account import Account as EthAccount
from httpx import Client
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from mockserver.state.project import Project
from tests.operations.accounts.helpers import ELSEWHERE, EOA, create, new_user


def test_an_evm_account_has_a_real_key(api: Client, project: Project, user: str) -> None:
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


def test_an_svm_account_has_a_real_key(api: Client, project: Project, user: str) -> None:
    account = create(api, user, chainType="SVM")
    secret = project.wallets.keys[account["address"]].secret
    assert str(Keypair.from_seed(secret).pubkey()) == account["address"]


def test_an_address_of_ones_own_is_kept_without_a_key(api: Client, project: Project, user: str) -> None:
    for spelling in (ELSEWHERE.lower(), "0x" + ELSEWHERE[2:].upper()):
        account = create(api, user, address=spelling)
        assert account["address"] == ELSEWHERE
        assert api.delete(f"/v2/accounts/{account['id']}").status_code == 200
    solana = str(Pubkey.default())
    assert create(api, user, chainType="SVM", address=solana)["address"] == solana
    assert len(project.wallets.keys) == 0


def test_the_accounts_of_a_user_are_in_one_wallet(api: Client, project: Project, user: str) -> None:
    first, second = create(api, user), create(api, user, chainType="SVM")
    assert first["wallet"] == second["wallet"] == create(api, first["wallet"])["wallet"]
    assert create(api, new_user(project))["wallet"] != first["wallet"]
