"""Users as the project's owner sees them (specification, Users), and as they see themselves."""

from typing import Annotated, Literal, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Access, Scheme, any_scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, PageQuery, Text
from mockserver.domain.identity.social.third_party import (
    THIRD_PARTIES,
    TOKEN_ERRORS,
    TokenType,
    user_of_token,
)
from mockserver.domain.identity.users import accounts_of_user, find_user, require_phone_number
from mockserver.domain.transactions.account_changes.removal import USER_REMOVAL_ERRORS, remove_user
from mockserver.domain.wallets.wallets import require_wallet
from mockserver.kernel.clock import to_seconds
from mockserver.kernel.secrecy import Token
from mockserver.responses.lists import DEFAULT_LIMIT, Listing, list_rows, name_contains
from mockserver.responses.shapes import Deleted, deletion_answer, optional, present
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

users = Group("Users")


class ListUsers(PageQuery):
    """Filters of the list. `externalUserId` is the identity at a provider, `authProviderId`."""

    name: Text | None = None
    """A part of the name, in any case."""
    externalUserId: Text | None = None
    email: Text | None = None
    phoneNumber: Annotated[Text, AfterValidator(require_phone_number)] | None = None
    authProviderId: Text | None = None
    walletClientType: Text | None = None


class ThirdPartyToken(Body):
    """A token of another identity provider."""

    provider: Text
    token: Annotated[Token, Field(min_length=1, max_length=16_384)]
    """The provider's token."""
    tokenType: TokenType | None = None


class LinkedAccountAnswer(TypedDict):
    """A linked account, as the specification's Linked account (in user)."""

    provider: str
    createdAt: int
    updatedAt: int
    accountId: NotRequired[str]
    """The user's id at the provider."""
    chainType: NotRequired[str]
    connectorType: NotRequired[str]
    walletClientType: NotRequired[str]


class UserAnswer(TypedDict):
    """A user, as the specification's User (v2)."""

    id: str
    createdAt: int
    name: str
    email: str | None
    emailVerified: bool
    phoneNumber: str | None
    phoneNumberVerified: bool
    isAnonymous: bool
    linkedAccounts: list[LinkedAccountAnswer]


class UserWallet(TypedDict):
    """The wallet, which groups a user's accounts."""

    id: str
    object: Literal["wallet"]
    createdAt: int


_READ = secret_key("users:read")


@users.endpoint("GET /v2/users", "GetAuthUsers", _READ)
def list_users(call: Call[None, ListUsers]) -> Listing[UserAnswer]:
    """List users, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.identity.users,
        lambda row: user_answer(project, row),
        default_limit=DEFAULT_LIMIT,
        where={
            "id": _users_linked_as(project, query),
            "email": query.email.lower() if query.email else None,
            "phone_number": query.phoneNumber,
        },
        accept=name_contains(query.name),
    )


def _users_linked_as(project: Project, query: ListUsers) -> frozenset[str] | None:
    """The users with a linked account that matches all its filters; None without such filters."""
    wanted = query.authProviderId
    where = {
        # By the name that is shown, or the provider's own.
        "provider": wanted and {wanted, *(each for each in THIRD_PARTIES if _shown_provider(each) == wanted)},
        "account_id": query.externalUserId,
        "wallet_client_type": query.walletClientType,
    }
    if not any(where.values()):
        return None
    table = project.identity.linked_accounts
    return frozenset(row.user_id for row in table.page(limit=len(table), where=where).rows)


@users.endpoint("GET /v2/users/{id}", "GetAuthUser", _READ, errors=(errors.USER_NOT_FOUND,))
def get_user(call: Call) -> UserAnswer:
    """Retrieve a user, by their own id or their wallet's."""
    return user_answer(call.project, find_user(call.project, call.path["id"]))


@users.endpoint("DELETE /v2/users/{id}", "DeleteUser", secret_key("users:delete"), errors=USER_REMOVAL_ERRORS)
def delete_user(call: Call) -> Deleted:
    """Delete a user with their sessions, linked accounts, and accounts with their keys."""
    return deletion_answer(remove_user(call.project, call.path["id"]), "player")


@users.endpoint(
    "GET /v2/users/{id}/wallet",
    "GetUserWallet",
    _READ,
    errors=(errors.USER_NOT_FOUND, errors.USER_WITHOUT_WALLET),
)
def get_user_wallet(call: Call) -> UserWallet:
    """Retrieve a user's wallet, which is created with their first account."""
    wallet = require_wallet(call.project, find_user(call.project, call.path["id"]))
    return {"id": wallet.id, "object": "wallet", "createdAt": to_seconds(wallet.created_ms)}


@users.endpoint(
    "GET /iam/v2/me",
    "meV2",
    Access(frozenset({Scheme.THIRD_PARTY, Scheme.AUTH_TOKEN}), session_required=True),
)
def get_me(call: Call) -> UserAnswer:
    """Retrieve the signed-in user."""
    assert call.caller.user is not None
    return user_answer(call.project, call.caller.user)


@users.endpoint(
    "POST /iam/v2/user/third_party",
    "ThirdPartyV2",
    any_scheme(Scheme.PUBLISHABLE_KEY, Scheme.SECRET_KEY, Scheme.THIRD_PARTY),
    errors=TOKEN_ERRORS,
)
def sign_in_third_party(call: Call[ThirdPartyToken]) -> UserAnswer:
    """Retrieve the user of another provider's token; created on first use."""
    body, project = call.body, call.project
    return user_answer(project, user_of_token(project, body.provider, body.token, body.tokenType))


def user_answer(project: Project, row: User) -> UserAnswer:
    """A user as the API shows one."""
    return {
        "id": row.id,
        "createdAt": to_seconds(row.created_ms),
        "name": row.name,
        "email": None if row.has_placeholder_email else row.email,
        "emailVerified": row.email_verified,
        "phoneNumber": row.phone_number,
        "phoneNumberVerified": bool(row.phone_number_verified),
        "isAnonymous": bool(row.is_anonymous),
        "linkedAccounts": [_linked_account_answer(linked) for linked in accounts_of_user(project, row.id)],
    }


def _shown_provider(provider: str) -> str:
    """A provider by a name that clients know: of those whose tokens are accepted, they know two."""
    return provider if provider == "oidc" or provider not in THIRD_PARTIES else "custom"


def _linked_account_answer(row: LinkedAccount) -> LinkedAccountAnswer:
    answer: LinkedAccountAnswer = {
        "provider": _shown_provider(row.provider),
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "accountId": row.account_id,
        "chainType": optional(row.chain_type),
        "connectorType": optional(row.connector_type),
        "walletClientType": optional(row.wallet_client_type),
    }
    return present(answer)
