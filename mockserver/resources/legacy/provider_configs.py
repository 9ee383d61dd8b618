"""Configurations of other identity providers, and verification of their tokens (`/iam/v1`)."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Scheme, any_scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.identity.third_party import user_of_token
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.responses.expanded_players import (
    ExpandedPlayerAnswer,
    PlayerExpansion,
    player_with_expansions,
)
from mockserver.state.identity import AuthConfig
from mockserver.state.project import Project
from mockserver.state.settings import SocialProvider, ThirdPartyProvider

provider_configs = Group("Authentication settings")

_READ = secret_key("auth_config:read")
_WRITE = secret_key("auth_config:write")
_NOT_FOUND = (errors.AUTH_CONFIG_NOT_FOUND,)

Kind = Literal["oauth", "basic", "third_party"]

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("email", "guest", "web3", "phone", "test_account"), "basic"),
    **dict.fromkeys(get_args(SocialProvider), "oauth"),
    **dict.fromkeys(get_args(ThirdPartyProvider), "third_party"),
}

# What a provider's configuration must have. Other members are stored if given.
_REQUIRED: dict[str, tuple[str, ...]] = {
    "google": ("clientId",),
    "apple": ("clientId",),
    "twitter": ("clientId", "clientSecret"),
    "facebook": ("clientId", "clientSecret"),
    "discord": ("clientId", "clientSecret"),
    "epic_games": ("clientId", "clientSecret"),
    "line": ("channelId", "channelSecret"),
    "accelbyte": ("baseUrl", "clientId", "clientSecret"),
    "better-auth": ("baseUrl",),
    "custom": ("authenticationUrl",),
    "firebase": ("projectId",),
    "oidc": ("aud",),
    "playfab": ("titleId",),
    "supabase": ("url", "key"),
}


# Defaults of members that every answer has.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "email": {"allowUnverified": True, "otpLength": 6, "passwordRequirements": {"minLength": 8}},
}


class ListConfigs(Query):
    """Filters of the list."""

    enabled: bool | None = None


class ConfigureProvider(Body):
    """A provider's configuration; which members it must have depends on the provider."""

    provider: Text
    enabled: bool
    aud: Text | None = None
    allowUnverified: bool | None = None
    authenticationUrl: Text | None = None
    baseUrl: Text | None = None
    channelId: Text | None = None
    channelSecret: Text | None = None
    clientId: Text | None = None
    clientSecret: Text | None = None
    emailSuffix: Text | None = None
    headers: Text | None = None
    jwksUrl: Text | None = None
    key: Text | None = None
    otpCode: Text | None = None
    otpLength: Annotated[int, Field(ge=4, le=10)] | None = None
    passwordRequirements: dict[str, Any] | None = None
    phoneSuffix: Text | None = None
    projectId: Text | None = None
    publicVerificationKey: Text | None = None
    smsProviderConfig: dict[str, Any] | None = None
    smsTemplate: Text | None = None
    titleId: Text | None = None
    url: Text | None = None
    """The provider's URL."""


class AskForPlayer(Body):
    """A provider's token, and what to inline in the player."""

    token: Annotated[str, Field(min_length=1, max_length=16_384)]
    """The provider's token."""
    expand: list[PlayerExpansion] = Field(default_factory=list)


class VerifyProviderToken(AskForPlayer):
    """A token, and its provider."""

    provider: Text
    tokenType: Literal["idToken", "customToken"]


class VerifyTokenOfProvider(AskForPlayer):
    """A token of the provider that the path names."""

    tokenType: Literal["idToken", "customToken"] | None = None


class ProviderKind(TypedDict):
    """A configured provider."""

    provider: str
    type: Kind


class ProviderKinds(TypedDict):
    """The configured providers, oldest first."""

    data: list[ProviderKind]
    """The providers."""


class ConfigList(TypedDict):
    """Every configuration, oldest first."""

    data: list[dict[str, Any]]
    """The configurations."""


@provider_configs.endpoint("GET", "/iam/v1/config", "List", any_scheme(Scheme.PUBLISHABLE_KEY))
def list_kinds(call: Call[None, ListConfigs]) -> ProviderKinds:
    """List the providers that are configured, and what kind each is."""
    wanted = call.query.enabled
    rows = [row for row in call.project.identity.auth_configs if wanted in (None, row.enabled)]
    return {"data": [{"provider": row.id, "type": _KINDS[row.id]} for row in rows]}


@provider_configs.endpoint("POST", "/iam/v1/config", "CreateAuthConfig", _WRITE)
def configure(call: Call[ConfigureProvider]) -> dict[str, Any]:
    """Configure a provider; this replaces its former configuration."""
    return _configure(call)


@provider_configs.endpoint("GET", "/iam/v1/oauth", "ListOAuthConfig", _READ, deprecated=True)
def list_configs(call: Call) -> ConfigList:
    """List the configurations of providers."""
    return {"data": [_config(row) for row in call.project.identity.auth_configs]}


@provider_configs.endpoint("POST", "/iam/v1/oauth", "CreateOAuthConfig", _WRITE, deprecated=True)
def configure_oauth(call: Call[ConfigureProvider]) -> dict[str, Any]:
    """Configure a provider."""
    return _configure(call)


@provider_configs.endpoint(
    "GET", "/iam/v1/oauth/{provider}", "GetOAuthConfig", _READ, errors=_NOT_FOUND, deprecated=True
)
def get_config(call: Call) -> dict[str, Any]:
    """Retrieve a provider's configuration."""
    return _config(_find(call))


@provider_configs.endpoint(
    "DELETE",
    "/iam/v1/oauth/{provider}",
    "DeleteOAuthConfig",
    secret_key("auth_config:delete"),
    status=204,
    errors=_NOT_FOUND,
    deprecated=True,
)
def delete_config(call: Call) -> None:
    """Delete a provider's configuration."""
    call.project.identity.auth_configs.remove(_find(call).id)


@provider_configs.endpoint(
    "POST",
    "/iam/v1/oauth/verify",
    "VerifyOAuthToken",
    _WRITE,
    errors=(errors.PROVIDER_UNKNOWN, errors.PLAYER_TOKEN_INVALID),
)
def verify_token(call: Call[VerifyProviderToken]) -> ExpandedPlayerAnswer:
    """Retrieve the player of a provider's token; created on first use."""
    return _player(call.project, call.body.provider, call.body)


@provider_configs.endpoint(
    "POST",
    "/iam/v1/oauth/{provider}/verify",
    "VerifyOAuthTokenOfProvider",
    _WRITE,
    errors=(errors.PROVIDER_UNKNOWN, errors.PLAYER_TOKEN_INVALID),
    deprecated=True,
)
def verify_token_of_provider(call: Call[VerifyTokenOfProvider]) -> ExpandedPlayerAnswer:
    """Retrieve the player of a token of the provider."""
    return _player(call.project, call.path["provider"], call.body)


def _configure(call: Call[ConfigureProvider]) -> dict[str, Any]:
    body, table = call.body, call.project.identity.auth_configs
    if body.provider not in _KINDS:
        raise wrong_field("provider", f"must be one of {', '.join(_KINDS)}")
    options = {
        name: value for name, value in body.given_members().items() if name not in ("provider", "enabled")
    }
    for name in _REQUIRED.get(body.provider, ()):
        if name not in options:
            raise wrong_field(name, f"is needed for {body.provider}")
    known = table.get(body.provider)
    created_ms = call.now_ms if known is None else known.created_ms
    options = _DEFAULTS.get(body.provider, {}) | options
    row = AuthConfig(body.provider, created_ms, body.enabled, options)
    return _config(table.insert(row) if known is None else table.replace(row))


def _find(call: Call) -> AuthConfig:
    row = call.project.identity.auth_configs.get(call.path["provider"])
    if row is None:
        raise ApiError(errors.AUTH_CONFIG_NOT_FOUND, provider=call.path["provider"][:80])
    return row


def _config(row: AuthConfig) -> dict[str, Any]:
    return {"enabled": row.enabled, "provider": row.id, **row.options}


def _player(project: Project, provider: str, body: AskForPlayer) -> ExpandedPlayerAnswer:
    user = user_of_token(project, provider, body.token)
    return player_with_expansions(project, wallet_of_user(project, user).id, body.expand)
