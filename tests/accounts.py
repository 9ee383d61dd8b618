"""Accounts that tests begin with, made without the API."""

from typing import Literal

from mockserver.chain.implementations import IMPLEMENTATIONS, ImplementationType
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody, Wallet

AMOY = 80002

AccountKind = Literal["plain"] | ImplementationType
"""`plain` is an externally owned account; another kind names the contract behind the account."""


def account_of(
    project: Project,
    kind: AccountKind = "UpgradeableV6",
    *,
    chain: int = AMOY,
    held_by: Custody = "Developer",
    backend: bool = False,
    wallet: Wallet | None = None,
) -> Account:
    """An account in a wallet of its own, unless one is given; it stays when a call is refused."""
    account = create_eoa(project, wallet or create_wallet(project), "EVM", held_by=held_by, backend=backend)
    if kind != "plain":
        account = create_contract_account(project, account, chain, IMPLEMENTATIONS[kind])
    project.undo.mark()
    return account
