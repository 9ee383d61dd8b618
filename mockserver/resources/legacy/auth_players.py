"""Users as the older API shows them: players, known by their wallet's id (`/iam/v1/players`)."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, PageQuery, Text
from mockserver.domain.chains.supported import CHAIN_ERRORS
from mockserver.domain.identity.third_party import link_identity, update_metadata
from mockserver.domain.identity.users import accounts_of_user, find_user
from mockserver.domain.transactions.removal import delete_user, require_no_pending_transactions
from mockserver.domain.wallets.pregeneration import create_first_accounts
from mockserver.domain.wallets.shares import recovery_share
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import ABSENT, Reference, optional, present
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project
from mockserver.state.settings import PlayerProvider

auth_players = Group("Players")

_OWN = frozenset({"credential", "siwe"})
"""The sign-in methods that are not an identity at another provider."""

Metadata = Mapping[str, str | int | float | bool]


class CreatePlayer(Body):
    """A user of another provider, before they first sign in. An empty value of `metadata` unsets its key."""

    thirdPartyUserId: Id
    thirdPartyProvider: PlayerProvider
    preGenerateEmbeddedAccount: bool
    chainId: ChainId | None = None
    metadata: dict[str, str | int | float | bool] | None = None


class ListPlayers(PageQuery):
    """Filters of the list. `externalUserId` is the identity at another provider."""

    email: Text | None = None
    externalUserId: Text | None = None


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
    """A user, as the older API's player. The share is that of a pregenerated account."""

    id: str
    object: Literal["player"]
    createdAt: int
    linkedAccounts: list[PlayerLink]
    player: Reference
    recoveryShare: NotRequired[str]


_READ = secret_key("wallets:read")


@auth_players.endpoint(
    "POST",
    "/iam/v1/players",
    "CreateAuthPlayer",
    secret_key("wallets:write"),
    errors=(*CHAIN_ERRORS, errors.IMPLEMENTATION_ABSENT),
)
def create_player(call: Call[CreatePlayer]) -> AuthPlayerAnswer:
    """Create the user of another provider, or change the metadata of one who is known."""
    body, project = call.body, call.project
    linked = link_identity(project, body.thirdPartyProvider, body.thirdPartyUserId)
    if body.metadata is not None:
        update_metadata(project, linked, body.metadata)
    user = project.identity.users[linked.user_id]
    answer = _player(project, user)
    if body.preGenerateEmbeddedAccount:
        owner = create_first_accounts(project, user, body.chainId)
        if owner is not None and owner.signer_id is not None:
            answer["recoveryShare"] = recovery_share(project, owner.signer_id)
    return answer


@auth_players.endpoint("GET", "/iam/v1/players", "GetAuthPlayers", _READ)
def list_players(call: Call[None, ListPlayers]) -> Listing[AuthPlayerAnswer]:
    """List users, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.identity.users,
        lambda row: _player(project, row),
        where={
            "id": _users_of_identity(project, query.externalUserId),
            "email": query.email.lower() if query.email else None,
        },
    )


def _users_of_identity(project: Project, identity: str | None) -> frozenset[str] | None:
    if not identity:
        return None
    links = project.identity.linked_accounts.find("account_id", identity)
    return frozenset(row.user_id for row in links if row.provider not in _OWN)


@auth_players.endpoint("GET", "/iam/v1/players/{id}", "GetAuthPlayer", _READ, errors=(errors.USER_NOT_FOUND,))
def get_player(call: Call) -> AuthPlayerAnswer:
    """Retrieve a user, by their wallet's id or their own."""
    return _player(call.project, find_user(call.project, call.path["id"]))


@auth_players.endpoint(
    "DELETE",
    "/iam/v1/players/{id}",
    "DeleteAuthPlayer",
    secret_key("wallets:delete"),
    errors=(errors.USER_NOT_FOUND, errors.USER_HAS_PENDING_TRANSACTIONS),
)
def delete_player(call: Call) -> AuthPlayerAnswer:
    """Delete a user with their linked accounts, sessions and accounts. Returns the deleted user."""
    project = call.project
    user = find_user(project, call.path["id"])
    require_no_pending_transactions(project, user)
    answer = _player(project, user)
    delete_user(project, user)
    return answer


def _player(project: Project, user: User) -> AuthPlayerAnswer:
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
    if row.provider == "credential":
        answer["provider"] = "email"
        answer["verified"] = user.email_verified
        answer["email"] = user.email or ""
    elif row.provider == "siwe":
        answer["provider"] = "wallet"
        answer["address"] = row.account_id.partition(":")[0]
    else:
        answer["externalUserId"] = row.account_id
        if user.email is not None:
            answer["email"] = user.email
    answer["connectorType"] = optional(row.connector_type)
    answer["walletClientType"] = optional(row.wallet_client_type)
    answer["metadata"] = row.metadata or ABSENT
    return present(answer)
