"""Linked accounts, which are the sign-in methods of a user, and the tokens of social providers."""

from typing import Any, NotRequired

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import SESSION
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.domain.identity.social.profiles import find_profile
from mockserver.domain.identity.social.provider_tokens import renew_tokens, valid_tokens
from mockserver.domain.identity.social.providers import provider_of
from mockserver.domain.identity.social.sign_in import find_identity, unlink_identity
from mockserver.domain.identity.users import accounts_of_user
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel import timestamps
from mockserver.kernel.clock import to_seconds
from mockserver.kernel.secrecy import Token
from mockserver.kernel.spelling import shorten
from mockserver.resources.auth.sign_in import caller_of
from mockserver.responses.auth import Status
from mockserver.responses.shapes import ABSENT, optional, present
from mockserver.state.identity import LinkedAccount
from mockserver.state.project import Project

linked_accounts = Group("Authentication: linked accounts")


class UnlinkAccount(Body):
    """The linked account to remove, by its provider and, if there are several, the identity there."""

    providerId: Text
    accountId: Text | None = None
    """The user's id at the provider."""


class OfProvider(Body):
    """The caller's identity at a provider; `accountId` selects one of several.

    `userId` can only be the caller's own: another user's account is not found.
    """

    providerId: Text
    accountId: Text | None = None
    """The user's id at the provider."""
    userId: Text | None = None


class AskAccountInfo(Body):
    """The identity, by the id that the provider gave it."""

    accountId: Text
    """The user's id at the provider."""


class ListedAccount(TypedDict):
    """A linked account, as the specification's Linked account (list-accounts response); text may be empty."""

    provider: str
    createdAt: int
    updatedAt: int
    accountId: str
    """The user's id at the provider."""
    chainType: str
    chainId: str
    connectorType: str
    walletClientType: str


class RenewedTokens(TypedDict):
    """Every token, as the specification's Token set."""

    tokenType: str
    accessToken: Token
    refreshToken: Token
    accessTokenExpiresAt: str
    idToken: NotRequired[Token]
    refreshTokenExpiresAt: NotRequired[str]


class AccessToken(TypedDict):
    """A valid access token, if there is one."""

    accessToken: Token
    scopes: list[str]
    """What the access token is good for."""
    idToken: NotRequired[Token]
    accessTokenExpiresAt: NotRequired[str]


class ProviderUser(TypedDict):
    """A user as the provider knows them."""

    id: str
    emailVerified: bool
    name: NotRequired[str]
    email: NotRequired[str]
    image: NotRequired[str]


class AccountInfo(TypedDict):
    """A user as the provider knows them, in this API's form and in the provider's."""

    user: ProviderUser
    data: dict[str, Any]
    """What else the provider tells of the user."""


@linked_accounts.endpoint("GET /iam/v2/auth/list-accounts", "listUserAccounts", SESSION)
def list_user_accounts(call: Call) -> list[ListedAccount]:
    """List the user's linked accounts, oldest first."""
    return [_account_answer(row) for row in accounts_of_user(call.project, caller_of(call).id)]


@linked_accounts.endpoint(
    "POST /iam/v2/auth/unlink-account",
    "unlinkAccount",
    SESSION,
    errors=(errors.IAM_LAST_ACCOUNT, errors.IAM_ACCOUNT_NOT_FOUND),
)
def unlink_account(call: Call[UnlinkAccount]) -> Status:
    """Unlink an account from the user, but never the last one."""
    unlink_identity(call.project, caller_of(call), call.body.providerId, call.body.accountId)
    return {"status": True}


@linked_accounts.endpoint(
    "POST /iam/v2/auth/refresh-token",
    "refreshToken",
    SESSION,
    errors=(errors.IAM_PROVIDER_X_NOT_FOUND, errors.IAM_ACCOUNT_NOT_FOUND, errors.IAM_REFRESH_FAILED),
)
def refresh_token(call: Call[OfProvider]) -> RenewedTokens:
    """Refresh the tokens of a social identity, expired or not."""
    row = _identity(call, errors.IAM_PROVIDER_X_NOT_FOUND)
    tokens = renew_tokens(call.project, row)
    answer: RenewedTokens = {
        "tokenType": "Bearer",
        "accessToken": tokens.access_token,
        "refreshToken": tokens.refresh_token or "",
        "accessTokenExpiresAt": timestamps.format_iso(tokens.access_expires_ms or call.now_ms),
        "idToken": optional(tokens.id_token),
        "refreshTokenExpiresAt": _optional_time(tokens.refresh_expires_ms),
    }
    return present(answer)


@linked_accounts.endpoint(
    "POST /iam/v2/auth/get-access-token",
    "getAccessToken",
    SESSION,
    errors=(
        errors.IAM_PROVIDER_NOT_SUPPORTED,
        errors.IAM_ACCOUNT_NOT_FOUND,
        errors.IAM_NO_VALID_ACCESS_TOKEN,
    ),
)
def get_access_token(call: Call[OfProvider]) -> AccessToken:
    """Retrieve the access token of a social identity, refreshed if it has expired."""
    tokens = valid_tokens(call.project, _identity(call, errors.IAM_PROVIDER_NOT_SUPPORTED))
    answer: AccessToken = {
        "accessToken": tokens.access_token,
        "scopes": list(tokens.scopes),
        "idToken": optional(tokens.id_token),
        "accessTokenExpiresAt": _optional_time(tokens.access_expires_ms),
    }
    return present(answer)


@linked_accounts.endpoint(
    "POST /iam/v2/auth/account-info",
    "accountInfo",
    SESSION,
    errors=(
        errors.IAM_ACCOUNT_NOT_FOUND,
        errors.IAM_PROVIDER_NOT_SUPPORTED,
        errors.IAM_NO_VALID_ACCESS_TOKEN,
    ),
)
def get_account_info(call: Call[AskAccountInfo]) -> AccountInfo:
    """Retrieve the provider's profile of one of the user's identities."""
    rows = accounts_of_user(call.project, caller_of(call).id)
    row = next((row for row in rows if row.account_id == call.body.accountId), None)
    if row is None:
        raise ApiError(errors.IAM_ACCOUNT_NOT_FOUND)
    _require_provider(call.project, row.provider, errors.IAM_PROVIDER_NOT_SUPPORTED)
    valid_tokens(call.project, row)
    profile = find_profile(call.project, row.provider, row.account_id)
    if profile is None:
        return {"user": {"id": row.account_id, "emailVerified": False}, "data": {}}
    user: ProviderUser = {
        "id": profile.subject,
        "emailVerified": profile.email_verified,
        "name": profile.name or ABSENT,
        "email": optional(profile.email),
        "image": optional(profile.image),
    }
    return {"user": present(user), "data": dict(profile.claims)}


def _identity(call: Call[OfProvider], unknown: ErrorRow) -> LinkedAccount:
    body, caller = call.body, caller_of(call)
    _require_provider(call.project, body.providerId, unknown)
    if body.userId not in (None, caller.id):
        raise ApiError(errors.IAM_ACCOUNT_NOT_FOUND, param="userId")
    return find_identity(call.project, caller, body.providerId, body.accountId)


def _require_provider(project: Project, name: str, unknown: ErrorRow) -> None:
    """ApiError for an unknown provider; its code contains the name, as in the reference implementation."""
    if provider_of(project, name) is None:
        raise ApiError(unknown, provider=shorten(name))


def _optional_time(time_ms: int | None) -> str:
    return optional(None if time_ms is None else timestamps.format_iso(time_ms))


def _account_answer(row: LinkedAccount) -> ListedAccount:
    return {
        "provider": row.provider,
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "accountId": row.account_id,
        "chainType": row.chain_type or "",
        "chainId": "" if row.chain_id is None else str(row.chain_id),
        "connectorType": row.connector_type or "",
        "walletClientType": row.wallet_client_type or "",
    }
