"""What social providers know, and who is on the way to one."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class ProviderTokens(NamedTuple):
    """What a social provider gives a service at a sign-in."""

    access_token: str = ""
    refresh_token: str | None = None
    id_token: str | None = None
    access_expires_ms: int | None = None
    refresh_expires_ms: int | None = None
    scopes: tuple[str, ...] = ()


class ProviderProfile(NamedTuple):
    """Somebody as a social provider knows them. The id is the provider and the subject, `google/1`."""

    id: str
    provider: str
    subject: str
    name: str
    email: str | None
    email_verified: bool
    image: str | None
    claims: Mapping[str, Any]
    """What the provider says, in its own words."""


class ConsentRequest(NamedTuple):
    """A user was sent to a provider, who will send them back. The id is the `state` they come back with."""

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
    """The user whose session came along."""
    session_id: str | None = None
    links: bool = False
    """Whether it adds an identity to the caller, and signs nobody in."""
    code: str | None = None
    """What the provider answered, once it did, and of whom that speaks."""
    profile_id: str | None = None
