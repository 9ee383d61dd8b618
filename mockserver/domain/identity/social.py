"""Signing in with a social identity, and adding one to a user (the reference implementation's rules)."""

from typing import NamedTuple

from mockserver import errors
from mockserver.domain.identity.people import (
    create_user,
    link_account,
    linked_accounts,
    user_of_email,
    verify_email,
)
from mockserver.domain.identity.provider_tokens import keep_tokens
from mockserver.domain.identity.providers import PROVIDERS
from mockserver.errors import Refusal
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project
from mockserver.state.social import Persona, ProviderTokens


class Entered(NamedTuple):
    """Who came in, and whether they are new."""

    user: User
    is_new: bool


def enter(project: Project, persona: Persona, tokens: ProviderTokens, *, request_sign_up: bool) -> Entered:
    """The user of a social identity: the one it belongs to, the one with its address, or a new one.

    Refused with 401 when the provider has not verified an address that a user has, when it does not
    tell one, and when it makes no new users here.
    """
    if persona.email is None and PROVIDERS[persona.provider].emails:
        raise Refusal(errors.IAM_USER_EMAIL_NOT_FOUND)
    linked = _identity(project, persona)
    if linked is not None:
        keep_tokens(project, linked, tokens)
        return Entered(_trusting(project, project.identity.users[linked.user_id], persona), False)
    holder = user_of_email(project, persona.email) if persona.email else None
    if holder is not None and not persona.email_verified:
        raise Refusal(errors.IAM_ACCOUNT_NOT_LINKED)
    if holder is None and persona.provider in project.settings.sign_up_on_request and not request_sign_up:
        raise Refusal(errors.IAM_SIGN_UP_DISABLED)
    user = holder or create_user(
        project,
        name=persona.name,
        email=persona.email,
        email_verified=persona.email_verified,
        image=persona.image,
    )
    keep_tokens(project, link_account(project, user, persona.provider, persona.subject), tokens)
    return Entered(_trusting(project, user, persona), holder is None)


def link(project: Project, user: User, persona: Persona, tokens: ProviderTokens) -> LinkedAccount:
    """Add a social identity to a user; adding it again renews its tokens.

    Refused with 401 when it is another user's, when the provider has not verified its address, and
    when that is another one than the user's, unless the project lets that be.
    """
    emails = PROVIDERS[persona.provider].emails
    if persona.email is None and emails:
        raise Refusal(errors.IAM_USER_EMAIL_NOT_FOUND)
    known = _identity(project, persona)
    if known is not None and known.user_id == user.id:
        return keep_tokens(project, known, tokens)
    if persona.email is not None and not persona.email_verified:
        raise Refusal(errors.IAM_LINKING_NOT_ALLOWED)
    differ = persona.email is not None and user.email is not None and persona.email != user.email
    if differ and not project.settings.link_different_emails:
        raise Refusal(errors.IAM_DIFFERENT_EMAILS)
    if known is not None:
        raise Refusal(errors.IAM_IDENTITY_TAKEN)
    if user.is_anonymous:
        _unmask(project, user, persona)
    return keep_tokens(project, link_account(project, user, persona.provider, persona.subject), tokens)


def find_identity(project: Project, user: User, provider: str, account_id: str | None) -> LinkedAccount:
    """A user's identity at a provider, by its own id or by that of the row. Refused with 400."""
    for row in linked_accounts(project, user.id):
        if row.provider == provider and account_id in (None, row.id, row.account_id):
            return row
    raise Refusal(errors.IAM_ACCOUNT_NOT_FOUND)


def _identity(project: Project, persona: Persona) -> LinkedAccount | None:
    return project.identity.linked_accounts.first("identity", (persona.provider, persona.subject))


def _unmask(project: Project, guest: User, persona: Persona) -> None:
    """Let a guest be who the provider says, with its address unless somebody has that."""
    user = guest._replace(is_anonymous=None, name=persona.name or guest.name, updated_ms=project.clock.now_ms)
    if persona.email is not None and user_of_email(project, persona.email) is None:
        user = user._replace(email=persona.email, email_verified=persona.email_verified)
    project.identity.users.replace(user)


def _trusting(project: Project, user: User, persona: Persona) -> User:
    """The user, whose address is theirs if the provider has verified the same one."""
    if persona.email_verified and persona.email == user.email:
        return verify_email(project, user)
    return user
