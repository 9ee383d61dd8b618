"""Users and their accounts, on EVM and Solana, in the newer and in the older API."""

from typing import Any

from tests.regression.journeys.sign_in import sign_up
from tests.regression.story import Project, Story

AMOY = 80002
ADDRESS = "0x" + "ab" * 20
LISTS = ("", "?limit=2", "?limit=2&skip=1&order=asc", "?limit=0", "?unknown=1")


def externally_owned(project: Project, user: str, chain_type: str = "EVM", **more: Any) -> Any:
    """An account that has a key."""
    body = {"user": user, "accountType": "Externally Owned Account", "chainType": chain_type, **more}
    return project.call("POST", "/v2/accounts", body)


def built_on(project: Project, owner: dict[str, Any], kind: str = "Smart Account", **more: Any) -> Any:
    """A smart or a delegated account of an owner."""
    body = {
        "user": owner["wallet"] if "wallet" in owner else owner["user"],
        "accountType": kind,
        "chainType": "EVM",
    }
    body |= {"chainId": AMOY, "account": owner["id"]}
    return project.call("POST", "/v2/accounts", {**body, **more})


def newer(story: Story) -> None:
    """Accounts of every kind, lists with filters, switching chains, removal."""
    project = story.project("accounts")
    ada = sign_up(project)
    user = ada["user"]["id"]
    owner, solana = externally_owned(project, user), externally_owned(project, user, "SVM")
    externally_owned(project, user, address=ADDRESS)
    externally_owned(project, "usr_unknown")
    rows = [owner, solana]
    for kind in ("UpgradeableV5", "UpgradeableV6", "ManagedV5", "Simple", "Calibur", "CaliburV9"):
        for account_type in ("Smart Account", "Delegated Account"):
            rows.append(built_on(project, {**owner, "user": user}, account_type, implementationType=kind))
    for address in (None, ADDRESS, "0x" + "cd" * 20):
        body = {"user": user, "accountType": "Delegated Account", "chainType": "EVM", "address": address}
        rows.append(project.call("POST", "/v2/accounts", body))
    for chain in (11155111, 84532, 300, 1, 999999):
        rows.append(built_on(project, {**owner, "user": user}, chainId=chain))
    made = [row["id"] for row in rows if "id" in row]
    for account in made:
        project.call("GET", f"/v2/accounts/{account}")
        project.call("GET", f"/v2/accounts/{account}", None, ada["headers"])
        for chain in (11155111, 421614):
            project.call("POST", "/v2/accounts/switch-chain", {"account": account, "chainId": chain})
        project.call("POST", f"/v2/accounts/{account}/export-share")
    filters = [f"?user={user}", "?chainId=80002", "?chainType=SVM", "?custody=User", f"?address={ADDRESS}"]
    filters += ["?accountType=Smart%20Account", "?chainId=x", *LISTS]
    for query in filters:
        project.call("GET", f"/v2/accounts{query}")
        project.call("GET", f"/v2/accounts{query}", None, ada["headers"])
    for address in (owner["address"], ADDRESS, "x"):
        project.call("GET", f"/v2/accounts/signer?address={address}")
    for account in (made[-1], made[-1], "acc_unknown"):
        project.call("DELETE", f"/v2/accounts/{account}")


def users(story: Story) -> None:
    """Users: lists, wallets, accounts made beforehand, removal."""
    project = story.project("users")
    for name in ("ada", "bob", "eve"):
        externally_owned(project, sign_up(project, name)["user"]["id"])
    kinds: list[Any] = [{}, {"chainType": "SVM"}, {"accountType": "Smart Account", "chainId": AMOY}]
    kinds.append({"accountType": "Delegated Account", "chainId": AMOY, "implementationType": "CaliburV9"})
    accounts = []
    for number, wanted in enumerate([*[[kind] for kind in kinds], kinds, []]):
        body = {"email": f"later{number}@example.com", "accounts": wanted}
        accounts += project.call("POST", "/v2/users/pregenerate", body).get("accounts", [])
    third = {"thirdPartyUserId": "later", "thirdPartyProvider": "firebase", "accounts": [{}]}
    accounts += project.call("POST", "/v2/users/pregenerate", third).get("accounts", [])
    for account in accounts:
        project.call("POST", f"/v2/accounts/{account['id']}/export-share")
    queries = ("?name=ada", "?email=ada@example.com", "?externalUserId=later", "?authProviderId=x", *LISTS)
    for query in queries:
        project.call("GET", f"/v2/users{query}")
    for user in [row["id"] for row in project.call("GET", "/v2/users")["data"]]:
        project.call("GET", f"/v2/users/{user}")
        project.call("GET", f"/v2/users/{user}/wallet")
    project.call("DELETE", f"/v2/users/{user}")
    project.call("GET", f"/v2/users/{user}")
    project.call("GET", f"/v2/users/{user}/wallet")


def older(story: Story) -> None:
    """Players and accounts of the older API."""
    project = story.project("players")
    made = [
        project.call("POST", "/v1/players", body)
        for body in (
            {},
            {"name": "Ada", "description": "first", "metadata": {"level": "1"}},
            {"name": "Bob"},
            {"name": 5},
        )
    ]
    expand = "?expand=accounts&expand=transactionIntents"
    for player in [row["id"] for row in made if "id" in row]:
        project.call("POST", f"/v1/players/{player}", {"name": "New", "metadata": {"level": 2}})
        for kind in ("UpgradeableV6", "UpgradeableV5", "ManagedV5", "Simple", "CaliburV9"):
            body = {"chainId": AMOY, "player": player, "accountType": kind}
            project.call("POST", "/v1/accounts", body)
        project.call("POST", "/v1/accounts", {"chainId": 84532, "player": player})
        project.call(
            "POST", "/v1/accounts", {"chainId": 11155111, "player": player, "externalOwnerAddress": ADDRESS}
        )
        project.call("GET", f"/v1/players/{player}{expand}")
        project.call("GET", f"/v1/accounts?player={player}&expand=transactionIntents")
    for query in (*LISTS, "?name=Ada", expand):
        project.call("GET", f"/v1/players{query}")
        project.call("GET", f"/v1/accounts{query}")
    accounts = [row["id"] for row in project.call("GET", f"/v1/accounts?player={player}")["data"]]
    for account in accounts:
        project.call("GET", f"/v1/accounts/{account}?expand=transactionIntents")
    project.call("POST", f"/v1/accounts/{accounts[0]}/disable")
    project.call("GET", f"/v1/accounts/{accounts[0]}")
    project.call("DELETE", f"/v1/players/{player}")
    project.call("GET", f"/v1/players/{player}")


def ownership(story: Story) -> None:
    """Accounts that are handed over to another owner."""
    project = story.project("ownership")
    policy = {"name": "free", "chainId": AMOY, "strategy": {"sponsorSchema": "pay_for_user"}}
    free = project.call("POST", "/v1/policies", policy)["id"]
    project.call("POST", "/v1/policy_rules", {"policy": free, "type": "account_functions"})
    player = project.call("POST", "/v1/players", {"name": "Ada"})["id"]
    account = project.call("POST", "/v1/accounts", {"chainId": AMOY, "player": player})["id"]
    managed = {"chainId": AMOY, "player": player, "accountType": "ManagedV5"}
    project.call("POST", "/v1/accounts", managed)
    offer = {"newOwnerAddress": "0x" + "cd" * 20, "policy": free}
    project.call("POST", f"/v1/players/{player}/request_transfer_ownership", {**offer, "chainId": AMOY})
    project.call("POST", f"/v1/players/{player}/cancel_transfer_ownership", {"policy": free, "chainId": AMOY})
    project.call("POST", f"/v1/players/{player}/cancel_transfer_ownership", {"policy": free, "chainId": AMOY})
    project.call("POST", f"/v1/accounts/{account}/request_transfer_ownership", offer)
    project.call("POST", "/v1/accounts/acc_unknown/request_transfer_ownership", offer)
    project.call("GET", f"/v1/players/{player}?expand=accounts")


JOURNEYS = (newer, users, older, ownership)
