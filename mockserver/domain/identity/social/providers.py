"""The social providers, as data."""

from collections.abc import Mapping
from typing import NamedTuple

from mockserver import errors
from mockserver.domain.identity.social.provider_configs import find_config, is_off, require_way_in
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.settings import SocialProvider


class Provider(NamedTuple):
    """A social provider."""

    id: SocialProvider
    name: str
    """Its display name."""
    issuer: str
    """The issuer of its id tokens (`iss`)."""
    scopes: tuple[str, ...]
    """The scopes that a sign-in requests by default."""
    id_tokens: bool = True
    """Whether it issues id tokens, and a user may sign in with one."""
    emails: bool = True
    """Whether its profiles have an e-mail address; without, a user may have none."""


PROVIDERS: Mapping[str, Provider] = {
    provider.id: provider
    for provider in (
        Provider("google", "Google", "https://accounts.google.com", ("email", "profile", "openid")),
        Provider("apple", "Apple", "https://appleid.apple.com", ("email", "name")),
        Provider("twitter", "X", "https://x.com", ("users.read", "tweet.read", "users.email"), False),
        Provider("discord", "Discord", "https://discord.com", ("identify", "email"), False),
        Provider("facebook", "Facebook", "https://www.facebook.com", ("email", "public_profile")),
        Provider(
            "epic_games",
            "Epic Games",
            "https://api.epicgames.dev/epic/oauth/v2",
            ("basic_profile", "openid"),
            emails=False,
        ),
        Provider("line", "LINE", "https://access.line.me", ("openid", "profile", "email")),
        Provider("telegram", "Telegram", "https://oauth.telegram.org", ("openid", "profile"), emails=False),
    )
}
"""Every provider by its id (specification, Auth configuration, and the clients)."""


def provider_of(project: Project, name: str) -> Provider | None:
    """A provider that is enabled in the project, or None."""
    enabled = project.settings.social_providers
    if enabled is not None and name not in enabled:
        return None
    return None if is_off(project, name) else PROVIDERS.get(name)


def require_provider(project: Project, name: str) -> Provider:
    """A provider that is enabled in the project. ApiError with 403 if its configuration is off, or 404."""
    if find_config(project, name) is not None:
        require_way_in(project, name)
    provider = provider_of(project, name)
    if provider is None:
        raise ApiError(errors.IAM_PROVIDER_NOT_FOUND)
    return provider
