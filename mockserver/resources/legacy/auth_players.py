"""Users as the older API shows them: players, known by their wallet's id (`/iam/v1/players`)."""

from typing import Literal, NotRequired, cast

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, PageQuery, Text
from mockserver.domain.chains.networks import CHAIN_ERRORS
from mockserver.domain.identity.social.third_party import link_identity, update_metadata
from mockserver.domain.identity.users import find_user
from mockserver.domain.transactions.account_changes.removal import USER_REMOVAL_ERRORS, remove_user
from mockserver.domain.wallets.keys.shares import recovery_share
from mockserver.domain.wallets.pregeneration import create_first_accounts
from mockserver.kernel.secrecy import Secret
from mockserver.responses.auth_players import AuthPlayerAnswer, auth_player_answer
from mockserver.responses.lists import Listing, list_rows
from mockserver.state.project import Project
from mockserver.state.settings import ThirdPartyProvider

auth_players = Group("Players")

_OWN = frozenset({"credential", "siwe"})
"""The sign-in methods that are not an identity at another provider."""


class CreatePlayer(Body):
    """A user of another provider, before they first sign in.

    An empty value of `metadata` unsets its key, empty `metadata` every key.
    """

    thirdPartyUserId: Id
    thirdPartyProvider: ThirdPartyProvider
    preGenerateEmbeddedAccount: bool
    chainId: ChainId | None = None
    metadata: dict[str, str | int | float | bool] | Literal[""] | None = None


class ListPlayers(PageQuery):
    """Filters of the list. `externalUserId` is the identity at another provider."""

    email: Text | None = None
    externalUserId: Text | None = None


class PregeneratedPlayer(AuthPlayerAnswer):
    """A user, with the share of an account that was pregenerated."""

    recoveryShare: NotRequired[Secret]


_READ = secret_key("wallets:read")


@auth_players.endpoint(
    "POST /iam/v1/players",
    "CreateAuthPlayer",
    secret_key("wallets:write"),
    errors=(*CHAIN_ERRORS, errors.IMPLEMENTATION_ABSENT),
)
def create_player(call: Call[CreatePlayer]) -> PregeneratedPlayer:
    """Create the user of another provider, or change the metadata of one who is known."""
    body, project = call.body, call.project
    linked = link_identity(project, body.thirdPartyProvider, body.thirdPartyUserId)
    if body.metadata is not None:
        update_metadata(project, linked, body.metadata)
    user = project.identity.users[linked.user_id]
    answer = cast("PregeneratedPlayer", auth_player_answer(project, user))
    if body.preGenerateEmbeddedAccount:
        owner = create_first_accounts(project, user, body.chainId)
        if owner is not None:
            answer["recoveryShare"] = recovery_share(project, owner)
    return answer


@auth_players.endpoint("GET /iam/v1/players", "GetAuthPlayers", _READ)
def list_players(call: Call[None, ListPlayers]) -> Listing[AuthPlayerAnswer]:
    """List users, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.identity.users,
        lambda row: auth_player_answer(project, row),
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


@auth_players.endpoint("GET /iam/v1/players/{id}", "GetAuthPlayer", _READ, errors=(errors.USER_NOT_FOUND,))
def get_player(call: Call) -> AuthPlayerAnswer:
    """Retrieve a user, by their wallet's id or their own."""
    return auth_player_answer(call.project, find_user(call.project, call.path["id"]))


@auth_players.endpoint(
    "DELETE /iam/v1/players/{id}",
    "DeleteAuthPlayer",
    secret_key("wallets:delete"),
    errors=USER_REMOVAL_ERRORS,
)
def delete_player(call: Call) -> AuthPlayerAnswer:
    """Delete a user with their linked accounts, sessions and accounts. Returns the deleted user."""
    answer = auth_player_answer(call.project, find_user(call.project, call.path["id"]))
    remove_user(call.project, call.path["id"])
    return answer
