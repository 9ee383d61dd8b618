"""Removal of accounts and users.

Transactions that await their signature fail: they would otherwise be pending for ever.
"""

from mockserver import errors
from mockserver.domain.identity.sessions import end_sessions
from mockserver.domain.identity.users import accounts_of_user, find_user
from mockserver.domain.transactions import lifecycle
from mockserver.domain.wallets import session_keys
from mockserver.domain.wallets.deployments import update_deployments
from mockserver.domain.wallets.developer_accounts import as_account
from mockserver.domain.wallets.embedded.recovery import move_shares
from mockserver.domain.wallets.keys import custody
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Account, DeveloperAccount

_REMOVED = "the account was removed before its owner signed"
_DISABLED = "the account was disabled before its owner signed"


def remove(project: Project, account: Account) -> None:
    """Remove an account, its session keys, and its key if no other account uses the key."""
    lifecycle.abandon(project, account.id, _REMOVED)
    project.wallets.accounts.remove(account.id)
    session_keys.end_keys(project, account)
    custody.forget_key(project, account)
    if account.chain_id is not None:
        update_deployments(project, account.chain_id, account.address)


def disable(project: Project, account: Account) -> None:
    """Keep an account from making transactions for good, and the older API from showing it."""
    lifecycle.abandon(project, account.id, _DISABLED)
    project.wallets.accounts.replace(account._replace(disabled=True, updated_ms=project.clock.now_ms))


def remove_developer_account(project: Project, row: DeveloperAccount) -> None:
    """Flag a developer account as deleted: it makes no transactions, its keys end, and lists hide it."""
    lifecycle.abandon(project, row.id, _REMOVED)
    session_keys.end_keys(project, as_account(row))
    project.wallets.developer_accounts.replace(row._replace(deleted=True))


USER_REMOVAL_ERRORS = (errors.USER_NOT_FOUND, errors.USER_HAS_PENDING_TRANSACTIONS)
"""The errors of `remove_user`, for the declarations of its endpoints."""


def remove_user(project: Project, user_id: str) -> str:
    """Remove the user with this id, or whose wallet has it, as of `delete_user`; the id of their wallet.

    ApiError with 404, and with 409 while transactions of the user are not settled.
    """
    user = find_user(project, user_id)
    wallet = wallet_of_user(project, user)
    transactions = project.onchain.transactions
    found = [transactions.find("wallet_id", wallet.id)]
    for account in project.wallets.accounts.find("wallet_id", wallet.id):
        found.append(transactions.find("account_id", account.id))  # those of backend wallets name no wallet
    if any(not row.is_settled for rows in found for row in rows):
        raise ApiError(errors.USER_HAS_PENDING_TRANSACTIONS, id=user.id)
    delete_user(project, user)
    return wallet.id


def delete_user(project: Project, user: User) -> None:
    """Remove a user with their sessions, linked accounts, shares, and wallets with accounts and keys."""
    end_sessions(project, user.id)
    move_shares(project, user.id, None)
    for linked in accounts_of_user(project, user.id):
        project.identity.linked_accounts.remove(linked.id)
    for wallet in project.wallets.wallets.find("user_id", user.id):
        for account in project.wallets.accounts.find("wallet_id", wallet.id):
            remove(project, account)
        project.wallets.wallets.remove(wallet.id)
    project.identity.users.remove(user.id)


def merge_guest(project: Project, guest: User | None, user: User) -> None:
    """Merge an anonymous user into the user who signed in with their session.

    The anonymous user is deleted with their sessions. Their wallet and its transactions become the user's,
    unless the user has a wallet.
    """
    if guest is None or not guest.is_anonymous or guest.id == user.id:
        return
    wallets = project.wallets.wallets
    if wallets.first("user_id", user.id) is None:
        for wallet in wallets.find("user_id", guest.id):
            wallets.replace(wallet._replace(user_id=user.id))
        for transaction in project.onchain.transactions.find("user_id", guest.id):
            project.onchain.transactions.replace(transaction._replace(user_id=user.id))
        move_shares(project, guest.id, user.id)
    delete_user(project, guest)
