"""Wallets, which group the accounts of a user."""

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.state.existence import require
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Wallet


def create_wallet(project: Project, user_id: str | None = None) -> Wallet:
    """Create a wallet; without a user for a backend wallet."""
    return project.wallets.wallets.insert(
        Wallet(id=project.new_id("pla"), created_ms=project.clock.now_ms, user_id=user_id)
    )


def wallet_of_user(project: Project, user: User) -> Wallet:
    """The user's wallet, created when it is first needed."""
    known = project.wallets.wallets.first("user_id", user.id)
    return known or create_wallet(project, user.id)


def require_wallet(project: Project, user: User) -> Wallet:
    """The user's wallet. ApiError with 404 as long as there is none."""
    wallet = project.wallets.wallets.first("user_id", user.id)
    if wallet is None:
        raise ApiError(errors.USER_WITHOUT_WALLET, id=user.id)
    return wallet


def find_wallet(project: Project, wallet_id: str, param: str) -> Wallet:
    """The wallet with this id. ApiError with 404."""
    return require(project.wallets.wallets, wallet_id, errors.WALLET_NOT_FOUND, param)


def find_owner(project: Project, owner_id: str, param: str) -> Wallet:
    """The wallet with the id of its user (`usr_`) or its own (`pla_`). ApiError with 404."""
    if owner_id.startswith("pla_"):
        return find_wallet(project, owner_id, param)
    user = require(project.identity.users, owner_id, errors.USER_NOT_FOUND, param)
    return wallet_of_user(project, user)


def wallet_ids(project: Project, *owner_ids: str) -> frozenset[str]:
    """The wallets with the ids of users or wallets, for a filter; may be empty."""
    users = [owner_id for owner_id in owner_ids if not owner_id.startswith("pla_")]
    of_users = (wallet.id for user_id in users for wallet in project.wallets.wallets.find("user_id", user_id))
    return frozenset(owner_ids).difference(users).union(of_users)
