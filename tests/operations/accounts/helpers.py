"""Accounts that are created, refused and listed."""

from typing import Any

from eth_account import Account as EthAccount
from eth_utils import keccak
from httpx import Client

from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.state.project import Project

EOA = "Externally Owned Account"
SMART = "Smart Account"
DELEGATED = "Delegated Account"
AMOY = 80002
ELSEWHERE: str = EthAccount.from_key(keccak(b"elsewhere")).address


def new_user(project: Project) -> str:
    """Another user's id."""
    row = create_user(project, name="Ada", email=None)
    project.undo.mark()
    return row.id


def create(api: Client, user: str, account_type: str = EOA, **members: object) -> Any:
    """A new account."""
    body = {"accountType": account_type, "chainType": "EVM", "user": user} | members
    response = api.post("/v2/accounts", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def refused(api: Client, user: str, account_type: str = EOA, /, **members: object) -> tuple[int, Any]:
    """The status and error of an account that cannot be."""
    body = {"accountType": account_type, "chainType": "EVM", "user": user} | members
    response = api.post("/v2/accounts", json={name: value for name, value in body.items() if value})
    return response.status_code, response.json()["error"]


def listed(api: Client, **query: str | int) -> list[str]:
    """The ids of a list."""
    response = api.get("/v2/accounts", params=query)
    assert response.status_code == 200, response.text
    ids = [row["id"] for row in response.json()["data"]]
    assert response.json()["total"] == len(ids)
    return ids


def signed_in(api: Client, project: Project, user: str) -> dict[str, str]:
    """Headers of a session of the user."""
    session = open_session(project, project.identity.users[user])
    project.undo.mark()
    return {"authorization": f"Bearer {session.token}", "x-project-key": project.publishable_key}


def rows(project: Project) -> list[list[object]]:
    """Every wallet, account and key there is."""
    return [
        list(table) for table in (project.wallets.wallets, project.wallets.accounts, project.wallets.keys)
    ]
