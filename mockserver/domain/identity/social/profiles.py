"""Users of social providers: read from an id token, or chosen on the consent page."""

from collections.abc import Mapping
from typing import Any

from mockserver import errors
from mockserver.crypto.tokens import BadToken
from mockserver.domain.identity.social.provider_configs import read_claims, read_text, subject_of
from mockserver.domain.identity.social.providers import Provider
from mockserver.domain.identity.users import is_email
from mockserver.errors import ApiError
from mockserver.state.identity import ProviderProfile
from mockserver.state.project import Project


def profile_of_token(project: Project, provider: Provider, token: str, nonce: str | None) -> ProviderProfile:
    """The profile in an id token. ApiError with 401 `INVALID_TOKEN`, or 404 if the provider has none.

    Signature, audience and `exp` are verified as `read_claims` says; a nonce always is.
    """
    if not provider.id_tokens:
        raise ApiError(errors.IAM_ID_TOKEN_NOT_SUPPORTED)
    try:
        claims = read_claims(project, provider.id, token)
        subject = subject_of(claims, "sub")
    except BadToken as error:
        raise ApiError(errors.IAM_ID_TOKEN_INVALID, reason=str(error)) from None
    if nonce is not None and claims.get("nonce") != nonce:
        raise ApiError(errors.IAM_ID_TOKEN_INVALID, reason="it has another nonce")
    return project.identity.profiles.put(_profile(provider, subject, claims))


def profile_id(provider: str, subject: str) -> str:
    """The id of a provider's profile."""
    return f"{provider}/{subject}"


def profiles_of(project: Project, provider: Provider) -> list[ProviderProfile]:
    """Every profile of a provider, oldest first."""
    return project.identity.profiles.find("provider", provider.id)


def find_profile(project: Project, provider: str, subject: str) -> ProviderProfile | None:
    """A provider's profile by the subject, or None."""
    return project.identity.profiles.get(profile_id(provider, subject))


def register_profile(
    project: Project,
    provider: Provider,
    *,
    name: str,
    email: str | None,
    email_verified: bool,
    subject: str | None = None,
) -> ProviderProfile:
    """Register a user of the provider; an existing one with the same address is updated."""
    known = [row for row in profiles_of(project, provider) if email and row.email == email.lower()]
    if subject is None and known:
        subject = known[0].subject
    subject = subject or project.entropy.text("provider_subject", 21, "123456789")
    claims: dict[str, Any] = {"sub": subject, "name": name}
    if email:
        claims |= {"email": email.lower(), "email_verified": email_verified}
    return project.identity.profiles.put(_profile(provider, subject, claims))


def _profile(provider: Provider, subject: str, claims: Mapping[str, Any]) -> ProviderProfile:
    email = claims.get("email")
    given = isinstance(email, str) and is_email(email)
    names = (read_text(claims, name) for name in ("given_name", "family_name"))
    return ProviderProfile(
        id=profile_id(provider.id, subject),
        provider=provider.id,
        subject=subject,
        name=read_text(claims, "name") or " ".join(filter(None, names)),
        email=str(email).lower() if given else None,
        # Apple writes its booleans as text.
        email_verified=given and claims.get("email_verified") in (True, "true"),
        image=read_text(claims, "picture") or None,
        claims=claims,
    )
