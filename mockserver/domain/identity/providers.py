"""Social providers, as data: what each of them gives a service that lets its users sign in there."""

from collections.abc import Mapping
from typing import NamedTuple

from mockserver.state.project import Project
from mockserver.state.settings import SocialProvider


class Provider(NamedTuple):
    """A social provider."""

    id: SocialProvider
    name: str
    """As people know it."""
    issuer: str
    """Who signs its id tokens (`iss`)."""
    scopes: tuple[str, ...]
    """What a sign-in asks for unless it says otherwise."""
    id_tokens: bool = True
    """Whether it issues id tokens, and a user may sign in with one."""
    emails: bool = True
    """Whether it tells the address of its users. Where it does not, a user may come without one."""


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
    """A provider that the project's users may sign in with, or None."""
    enabled = project.settings.social_providers
    if enabled is not None and name not in enabled:
        return None
    configured = project.identity.auth_configs.get(name)
    if configured is not None and not configured.enabled:
        return None
    return PROVIDERS.get(name)
