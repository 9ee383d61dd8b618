"""Accounts of the older API, and offers of them to new owners."""

from typing import Any

from eth_account import Account as EthAccount
from httpx import Client

from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from tests.operations.responses import ok

AMOY, BASE = 80002, 84532
THERE = "0x" + "11" * 20
OUTSIDER = EthAccount.from_key(b"\x09" * 32)


def create(api: Client, **members: Any) -> Any:
    return ok(api.post("/v1/accounts", json={"chainId": AMOY, **members}))


def owner_in_the_mock(project: Project, held_by: Custody = "Developer") -> Account:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by)
    project.undo.mark()
    return owner


def shown(api: Client, account: Any, **query: Any) -> Any:
    return ok(api.get(f"/v1/accounts/{account['id']}", params=query))
