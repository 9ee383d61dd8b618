"""Users as the older API shows them: players, known by their wallet's id."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from mockserver.domain.identity.users import accounts_of_user
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.kernel.clock import to_seconds
from mockserver.responses.shapes import ABSENT, Reference, optional, present
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

Metadata = Mapping[str, str | int | float | bool]


class PlayerLink(TypedDict):
    """A linked account."""

    provider: str
    disabled: bool
    verified: bool
    updatedAt: int
    email: NotRequired[str]
    externalUserId: NotRequired[str]
    address: NotRequired[str]
    connectorType: NotRequired[str]
    walletClientType: NotRequired[str]
    metadata: NotRequired[Metadata]


class AuthPlayerAnswer(TypedDict):
    """A user, as the older API's player."""

    id: str
    object: Literal["player"]
    createdAt: int
    linkedAccounts: list[PlayerLink]
    player: Reference


def auth_player_answer(project: Project, user: User) -> AuthPlayerAnswer:
    """A user as the older API's player, with their sign-in methods, oldest first."""
    wallet = wallet_of_user(project, user)
    return {
        "id": wallet.id,
        "object": "player",
        "createdAt": to_seconds(user.created_ms),
        "linkedAccounts": [_link(user, row) for row in accounts_of_user(project, user.id)],
        "player": {"id": wallet.id},
    }


def _link(user: User, row: LinkedAccount) -> PlayerLink:
    """A linked account with its older name: a password is an `email`, an Ethereum wallet a `wallet`."""
    answer: PlayerLink = {
        "provider": row.provider,
        "disabled": False,
        "verified": True,
        "updatedAt": to_seconds(row.updated_ms),
    }
    if row.provider == "siwe":
        answer["provider"] = "wallet"
        answer["address"] = row.account_id.partition(":")[0]
    elif row.provider == "credential":
        answer["provider"] = "email"
        answer["verified"] = user.email_verified
    else:
        answer["externalUserId"] = row.account_id
    if row.provider != "siwe" and user.email is not None and not user.has_placeholder_email:
        answer["email"] = user.email
    answer["connectorType"] = optional(row.connector_type)
    answer["walletClientType"] = optional(row.wallet_client_type)
    answer["metadata"] = row.metadata or ABSENT
    return present(answer)
