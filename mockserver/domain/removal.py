"""Accounts that go, or may do nothing any more, and what still waited for their owner's signature.

Nobody could sign that afterwards, and a user with something pending cannot be deleted.
"""

from mockserver.domain import accounts, transaction_life
from mockserver.state.project import Project
from mockserver.state.wallets import Account, DeveloperAccount

_REMOVED = "the account was removed before its owner signed"
_DISABLED = "the account was disabled before its owner signed"


def remove(project: Project, account: Account) -> None:
    """Forget an account, its session keys, and its key when no other account is signed for with it."""
    transaction_life.abandon(project, account.id, _REMOVED)
    accounts.remove_account(project, account)


def disable(project: Project, account: Account) -> None:
    """Keep an account from making transactions, and the older API from showing it."""
    transaction_life.abandon(project, account.id, _DISABLED)
    accounts.disable(project, account)


def remove_developer_account(project: Project, row: DeveloperAccount) -> None:
    """Let a developer account make no transactions any more; only lists that ask show it."""
    transaction_life.abandon(project, row.id, _REMOVED)
    project.wallets.developer_accounts.replace(row._replace(deleted=True))
