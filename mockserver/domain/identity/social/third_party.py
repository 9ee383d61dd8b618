"""Users of other identity providers, identified by those providers' tokens."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, get_args

from mockserver import errors
from mockserver.crypto.tokens import BadToken
from mockserver.domain.identity.social.provider_configs import is_off, read_claims, read_text, subject_of
from mockserver.domain.identity.social.providers import PROVIDERS, provider_of
from mockserver.domain.identity.users import (
    create_user,
    is_email,
    link_account,
    merge_metadata,
    user_of_email,
    verify_email,
)
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project
from mockserver.state.settings import ThirdPartyProvider

TokenType = Literal["idToken", "customToken"]
"""What a token is said to be: a JWT with the user's claims, or any text that the provider gave."""

THIRD_PARTIES: tuple[str, ...] = get_args(ThirdPartyProvider)
"""The providers whose tokens are accepted (specification, Older endpoints, and the clients)."""

TOKEN_ERRORS = (errors.PROVIDER_UNKNOWN, errors.PROVIDER_OFF, errors.PLAYER_TOKEN_INVALID)
"""The errors of `user_of_token` and its like, for the declarations of their endpoints."""


def user_of_token(project: Project, provider: str, token: str, token_type: TokenType | None = None) -> User:
    """The user of a third-party provider's token, created on first use. ApiError with 401.

    A JWT names the user (`sub`). Its signature is verified only if the project has the provider's keys; its
    `exp` always is. An opaque token, as some providers have, is itself the user's id, unless it is said to
    be an id token. An address that the provider has verified selects the user who has verified the same
    one; a new user does not get an address that another user has.
    """
    _require_third_party(project, provider)
    return _user_of_token(project, provider, token, token_type)


def find_user_id(project: Project, provider: str, token: str) -> str | None:
    """The id of the user of a third-party provider's token; None for one that is invalid or new."""
    try:
        _require_third_party(project, provider)
        subject, _ = _read_identity(project, provider, token, None)
    except ApiError:
        return None
    known = project.identity.linked_accounts.first("identity", (provider, subject))
    return None if known is None else known.user_id


def user_of_any_token(project: Project, provider: str, token: str, token_type: TokenType | None) -> User:
    """The user of a social or third-party provider's token, as `user_of_token` finds them."""
    if provider not in PROVIDERS:
        return user_of_token(project, provider, token, token_type)
    if provider_of(project, provider) is None:
        raise ApiError(errors.PROVIDER_OFF, provider=provider)
    return _user_of_token(project, provider, token, token_type)


def link_token(
    project: Project, user: User, provider: str, token: str, token_type: TokenType | None
) -> LinkedAccount:
    """Link the identity of a third-party provider's token to a user.

    ApiError with 401, as of `user_of_token`, or because it is another user's.
    """
    _require_third_party(project, provider)
    subject, _ = _read_identity(project, provider, token, token_type)
    known = project.identity.linked_accounts.first("identity", (provider, subject))
    if known is not None and known.user_id != user.id:
        raise ApiError(errors.IAM_IDENTITY_TAKEN)
    if user.is_anonymous:
        project.identity.users.replace(user._replace(is_anonymous=None, updated_ms=project.clock.now_ms))
    return known or link_account(project, user, provider, subject)


def _require_third_party(project: Project, provider: str) -> None:
    if provider not in THIRD_PARTIES:
        raise ApiError(errors.PROVIDER_UNKNOWN, provider=shorten(provider))
    if is_off(project, provider):
        raise ApiError(errors.PROVIDER_OFF, provider=provider)


def _user_of_token(project: Project, provider: str, token: str, token_type: TokenType | None) -> User:
    subject, claims = _read_identity(project, provider, token, token_type)
    return project.identity.users[link_identity(project, provider, subject, claims).user_id]


def _read_identity(
    project: Project, provider: str, token: str, token_type: TokenType | None
) -> tuple[str, Mapping[str, Any]]:
    """The subject of a token, and its claims. ApiError with 401."""
    if token_type == "idToken" or token.count(".") == 2 or provider in project.settings.provider_keys:
        try:
            claims = read_claims(project, provider, token)
            return subject_of(claims, "sub", "user_id"), claims
        except BadToken as error:
            raise ApiError(errors.PLAYER_TOKEN_INVALID, reason=f"{error}.") from None
    if not token.strip():
        raise ApiError(errors.PLAYER_TOKEN_INVALID, reason="it is empty.")
    return token, {}


def user_of_ecosystem(project: Project, ecosystem: Project, user: User) -> User:
    """The user of a project that stands for a user of an ecosystem, created on first use."""
    linked = link_identity(project, ecosystem.id, user.id, {"name": user.name})
    return project.identity.users[linked.user_id]


def link_identity(
    project: Project, provider: str, subject: str, claims: Mapping[str, Any] = MappingProxyType({})
) -> LinkedAccount:
    """The linked account of an identity at a provider, created with its user on first use.

    Without `claims` the user is always new.
    """
    known = project.identity.linked_accounts.first("identity", (provider, subject))
    return known or link_account(project, _user_of_claims(project, claims), provider, subject)


def update_metadata(
    project: Project, linked: LinkedAccount, metadata: Mapping[str, str | int | float | bool] | Literal[""]
) -> LinkedAccount:
    """Merge metadata into a linked account, as `merge_metadata` does."""
    kept = merge_metadata(linked.metadata, metadata)
    return project.identity.linked_accounts.replace(
        linked._replace(metadata=kept, updated_ms=project.clock.now_ms)
    )


def _user_of_claims(project: Project, claims: Mapping[str, Any]) -> User:
    """The user who has verified the address that the provider has verified, or a new user."""
    claimed = claims.get("email")
    email = claimed.lower() if isinstance(claimed, str) and is_email(claimed) else None
    verified = email is not None and claims.get("email_verified") is True
    holder = user_of_email(project, email) if email else None
    if holder is not None:
        if verified and (holder.email_verified or holder.pregenerated):
            return verify_email(project, holder)
        email, verified = None, False
    return create_user(project, name=read_text(claims, "name"), email=email, email_verified=verified)
