"""Users of other identity providers, known by those providers' tokens."""

from collections.abc import Mapping
from typing import Any

from mockserver import errors
from mockserver.crypto.tokens import BadToken, peek
from mockserver.domain.people import create_user, link_account
from mockserver.errors import Refusal
from mockserver.state.identity import User
from mockserver.state.project import Project

PROVIDERS = (
    "accelbyte",
    "better-auth",
    "custom",
    "firebase",
    "lootlocker",
    "oidc",
    "playfab",
    "supabase",
    "telegramMiniApp",
)
"""The providers whose tokens are taken (specification, Older endpoints, and the clients)."""


def user_of_token(project: Project, provider: str, token: str) -> User:
    """The user a provider's token names, created on first sight. Refused with 401.

    A JWT is read without verifying the provider's signature, but not after its `exp`. Tokens of
    other forms, as some providers have, name their user by themselves.
    """
    if provider not in PROVIDERS:
        raise Refusal(errors.PROVIDER_UNKNOWN, provider=provider[:80])
    claims = _claims(token)
    subject = str(claims.get("sub") or claims.get("user_id") or token)
    expires_s = claims.get("exp")
    if isinstance(expires_s, (int, float)) and expires_s * 1000 <= project.clock.now_ms:
        raise Refusal(errors.PLAYER_TOKEN_INVALID, reason="it has expired on this project's clock.")
    linked = project.identity.linked_accounts.first("identity", (provider, subject))
    if linked is not None:
        return project.identity.users[linked.user_id]
    email = claims.get("email")
    user = create_user(
        project,
        name=str(claims.get("name") or ""),
        email=email.lower() if isinstance(email, str) else None,
        email_verified=claims.get("email_verified") is True,
    )
    link_account(project, user, provider, subject)
    return user


def _claims(token: str) -> Mapping[str, Any]:
    if token.count(".") != 2:
        if not token.strip():
            raise Refusal(errors.PLAYER_TOKEN_INVALID, reason="it is empty.")
        return {}
    try:
        return peek(token)[1]
    except BadToken as error:
        raise Refusal(errors.PLAYER_TOKEN_INVALID, reason=f"{error}.") from None
