"""Signing in with a social identity, and linking one to a user (rules of the reference implementation)."""

from typing import NamedTuple

from mockserver import errors
from mockserver.domain.identity.social.provider_tokens import store_tokens
from mockserver.domain.identity.social.providers import PROVIDERS
from mockserver.domain.identity.users import (
    accounts_of_user,
    create_user,
    link_account,
    user_of_email,
    verify_email,
)
from mockserver.errors import ApiError
from mockserver.state.identity import LinkedAccount, ProviderProfile, ProviderTokens, User
from mockserver.state.project import Project


class SocialSignIn(NamedTuple):
    """The signed-in user, and whether the sign-in created the user."""

    user: User
    is_new: bool


def sign_in_social(
    project: Project, profile: ProviderProfile, tokens: ProviderTokens, *, request_sign_up: bool
) -> SocialSignIn:
    """Sign in with a social identity: its user, the user with its address, or a new user.

    ApiError with 401 when another user has the address and the provider has not verified it, when the
    profile has no address, and when sign-up is disabled for the provider.
    """
    if profile.email is None and PROVIDERS[profile.provider].emails:
        raise ApiError(errors.IAM_USER_EMAIL_NOT_FOUND)
    linked = _identity(project, profile)
    if linked is not None:
        store_tokens(project, linked, tokens)
        return SocialSignIn(
            _trust_verified_email(project, project.identity.users[linked.user_id], profile), is_new=False
        )
    holder = user_of_email(project, profile.email) if profile.email else None
    if holder is not None and not profile.email_verified:
        raise ApiError(errors.IAM_ACCOUNT_NOT_LINKED)
    if holder is None and profile.provider in project.settings.sign_up_on_request and not request_sign_up:
        raise ApiError(errors.IAM_SIGN_UP_DISABLED)
    user = holder or create_user(
        project,
        name=profile.name,
        email=profile.email,
        email_verified=profile.email_verified,
        image=profile.image,
    )
    store_tokens(project, link_account(project, user, profile.provider, profile.subject), tokens)
    return SocialSignIn(_trust_verified_email(project, user, profile), holder is None)


def link_social(
    project: Project, user: User, profile: ProviderProfile, tokens: ProviderTokens
) -> LinkedAccount:
    """Link a social identity to a user; linking it again replaces its tokens.

    ApiError with 401 when it is another user's, when the provider has not verified its address, and
    when the address differs from the user's, unless the project allows that.
    """
    emails = PROVIDERS[profile.provider].emails
    if profile.email is None and emails:
        raise ApiError(errors.IAM_USER_EMAIL_NOT_FOUND)
    known = _identity(project, profile)
    if known is not None and known.user_id == user.id:
        return store_tokens(project, known, tokens)
    if profile.email is not None and not profile.email_verified:
        raise ApiError(errors.IAM_LINKING_NOT_ALLOWED)
    differ = profile.email is not None and user.email is not None and profile.email != user.email
    if differ and not project.settings.link_different_emails:
        raise ApiError(errors.IAM_DIFFERENT_EMAILS)
    if known is not None:
        raise ApiError(errors.IAM_IDENTITY_TAKEN)
    if user.is_anonymous:
        _upgrade_guest(project, user, profile)
    return store_tokens(project, link_account(project, user, profile.provider, profile.subject), tokens)


def find_identity(project: Project, user: User, provider: str, account_id: str | None) -> LinkedAccount:
    """A user's identity at a provider, by the provider's id or the row's. ApiError with 400."""
    for row in accounts_of_user(project, user.id):
        if row.provider == provider and account_id in (None, row.id, row.account_id):
            return row
    raise ApiError(errors.IAM_ACCOUNT_NOT_FOUND)


def unlink_identity(project: Project, user: User, provider: str, account_id: str | None = None) -> None:
    """Unlink an identity, or the password, from a user. ApiError with 400, also for the last one."""
    if len(accounts_of_user(project, user.id)) == 1:
        raise ApiError(errors.IAM_LAST_ACCOUNT)
    project.identity.linked_accounts.remove(find_identity(project, user, provider, account_id).id)


def _identity(project: Project, profile: ProviderProfile) -> LinkedAccount | None:
    return project.identity.linked_accounts.first("identity", (profile.provider, profile.subject))


def _upgrade_guest(project: Project, guest: User, profile: ProviderProfile) -> None:
    """Turn an anonymous user into the provider's user, with its address unless another user has it."""
    user = guest._replace(is_anonymous=None, name=profile.name or guest.name, updated_ms=project.clock.now_ms)
    if profile.email is not None and user_of_email(project, profile.email) is None:
        user = user._replace(email=profile.email, email_verified=profile.email_verified)
    project.identity.users.replace(user)


def _trust_verified_email(project: Project, user: User, profile: ProviderProfile) -> User:
    """Mark the user's address as verified if the provider has verified the same one."""
    if profile.email_verified and profile.email == user.email:
        return verify_email(project, user)
    return user
