"""Users of social providers, and pending authorizations."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.kernel.secrecy import Secret, Token


class ProviderTokens(NamedTuple):
    """The tokens that a social provider issues."""

    access_token: Token = ""
    refresh_token: Token | None = None
    id_token: Token | None = None
    access_expires_ms: int | None = None
    refresh_expires_ms: int | None = None
    scopes: tuple[str, ...] = ()


class ProviderProfile(NamedTuple):
    """A user of a social provider. The id is the provider and the subject, `google/1`."""

    id: str
    provider: str
    subject: str
    name: str
    email: str | None
    email_verified: bool
    image: str | None
    claims: Mapping[str, Any]
    """The provider's own claims."""


class ConsentRequest(NamedTuple):
    """A pending authorization at a provider. The id is its `state`."""

    id: str
    provider: str
    created_ms: int
    expires_ms: int
    callback_url: str
    scopes: tuple[str, ...]
    error_callback_url: str | None = None
    new_user_callback_url: str | None = None
    request_sign_up: bool = False
    login_hint: str | None = None
    caller_id: str | None = None
    """The signed-in user who started it."""
    session_id: str | None = None
    links: bool = False
    """Whether it links an identity to the caller instead of signing in."""
    polling_key: Secret | None = None
    """The key by which an older client asks for the session."""
    is_older: bool = False
    """Whether an older client started it, which reads other members from the redirect."""
    code: Secret | None = None
    """The authorization code, once the user consented, and the profile."""
    profile_id: str | None = None
