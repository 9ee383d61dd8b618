"""Configurations of other identity providers, and verification of their tokens (`/iam/v1`)."""

from typing import Annotated, Any, Literal, NotRequired, get_args

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Scheme, any_scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text, empty
from mockserver.domain.identity.email_rules import TEST_ACCOUNT, defaults, new_test_account
from mockserver.domain.identity.social.provider_configs import configs, configure, find_config, remove_config
from mockserver.domain.identity.social.third_party import TOKEN_ERRORS, TokenType, user_of_any_token
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.secrecy import Secrecy, Token
from mockserver.kernel.spelling import shorten
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


class ListConfigs(Query):
    """Filters of the list."""

    enabled: bool | None = None


class PasswordRequirements(TypedDict):
    """What a new password must have."""

    minLength: Annotated[int, Field(ge=1, le=1024)]
    requireSpecialChar: NotRequired[bool]
    requireNumber: NotRequired[bool]
    requireLowercase: NotRequired[bool]
    requireUppercase: NotRequired[bool]


class ConfigureProvider(Body):
    """A provider's configuration; which members it must have depends on the provider."""

    provider: Text
    enabled: bool
    aud: Text | None = None
    allowUnverified: bool | None = None
    authenticationUrl: Text | None = None
    baseUrl: Text | None = None
    channelId: Text | None = None
    channelSecret: Annotated[Text, Secrecy.SECRET] | None = None
    clientId: Text | None = None
    clientSecret: Annotated[Text, Secrecy.SECRET] | None = None
    emailSuffix: Annotated[str, Field(pattern=r"^[0-9a-f]{4}$")] | None = None
    headers: Annotated[Text, Secrecy.SOURCE] | None = None
    jwksUrl: Text | None = None
    key: Annotated[Text, Secrecy.PUBLIC_KEY] | None = None
    otpCode: Annotated[str, Field(pattern=r"^[0-9]{4,10}$")] | None = None
    otpLength: Annotated[int, Field(ge=4, le=10)] | None = None
    passwordRequirements: PasswordRequirements | None = None
    phoneSuffix: Annotated[str, Field(pattern=r"^[0-9]{4}$")] | None = None
    projectId: Text | None = None
    publicVerificationKey: Annotated[Text, Secrecy.PUBLIC_KEY] | None = None
    smsProviderConfig: dict[str, Any] | None = None
    smsTemplate: Text | None = None
    titleId: Text | None = None
    url: Text | None = None
    """The provider's URL."""


class AskForPlayer(Body):
    """A provider's token, and what to inline in the player."""

    token: Annotated[Token, Field(min_length=1, max_length=16_384)]
    """The provider's token."""
    expand: list[PlayerExpansion] = Field(default_factory=empty)


class VerifyProviderToken(AskForPlayer):
    """A token, and its provider."""

    provider: Text
    tokenType: TokenType


class VerifyTokenOfProvider(AskForPlayer):
    """A token of the provider that the path names."""

    tokenType: TokenType | None = None


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


@provider_configs.endpoint("GET /iam/v1/config", "List", any_scheme(Scheme.PUBLISHABLE_KEY))
def list_kinds(call: Call[None, ListConfigs]) -> ProviderKinds:
    """List the providers that are configured, and what kind each is."""
    wanted = call.query.enabled
    rows = [row for row in configs(call.project) if wanted in (None, row.enabled)]
    return {"data": [{"provider": row.id, "type": _KINDS[row.id]} for row in rows]}


@provider_configs.endpoint("POST /iam/v1/config", "CreateAuthConfig", _WRITE)
def configure_provider(call: Call[ConfigureProvider]) -> dict[str, Any]:
    """Configure a provider; this replaces its former configuration."""
    return _configure(call)


@provider_configs.endpoint("GET /iam/v1/oauth", "ListOAuthConfig", _READ, deprecated=True)
def list_configs(call: Call) -> ConfigList:
    """List the configurations of providers."""
    return {"data": [_config(call.project, row) for row in configs(call.project)]}


@provider_configs.endpoint("POST /iam/v1/oauth", "CreateOAuthConfig", _WRITE, deprecated=True)
def configure_oauth(call: Call[ConfigureProvider]) -> dict[str, Any]:
    """Configure a provider."""
    return _configure(call)


@provider_configs.endpoint(
    "GET /iam/v1/oauth/{provider}", "GetOAuthConfig", _READ, errors=_NOT_FOUND, deprecated=True
)
def get_config(call: Call) -> dict[str, Any]:
    """Retrieve a provider's configuration."""
    return _config(call.project, _find(call))


@provider_configs.endpoint(
    "DELETE /iam/v1/oauth/{provider}",
    "DeleteOAuthConfig",
    secret_key("auth_config:delete"),
    status=204,
    errors=_NOT_FOUND,
    deprecated=True,
)
def delete_config(call: Call) -> None:
    """Delete a provider's configuration; the provider is refused then."""
    remove_config(call.project, _find(call))


@provider_configs.endpoint("POST /iam/v1/oauth/verify", "VerifyOAuthToken", _WRITE, errors=TOKEN_ERRORS)
def verify_token(call: Call[VerifyProviderToken]) -> ExpandedPlayerAnswer:
    """Retrieve the player of a provider's token; created on first use."""
    return _player(call.project, call.body.provider, call.body, call.body.tokenType)


@provider_configs.endpoint(
    "POST /iam/v1/oauth/{provider}/verify",
    "VerifyOAuthTokenOfProvider",
    _WRITE,
    errors=TOKEN_ERRORS,
    deprecated=True,
)
def verify_token_of_provider(call: Call[VerifyTokenOfProvider]) -> ExpandedPlayerAnswer:
    """Retrieve the player of a token of the provider."""
    return _player(call.project, call.path["provider"], call.body, call.body.tokenType)


def _configure(call: Call[ConfigureProvider]) -> dict[str, Any]:
    body = call.body
    if body.provider not in _KINDS:
        raise wrong_field("provider", f"must be one of {', '.join(_KINDS)}")
    options = {
        name: value for name, value in body.given_members().items() if name not in ("provider", "enabled")
    }
    for name in _REQUIRED.get(body.provider, ()):
        if name not in options:
            raise wrong_field(name, f"is needed for {body.provider}")
    if body.provider == TEST_ACCOUNT:
        known = find_config(call.project, TEST_ACCOUNT)
        options = {**(known.options if known else new_test_account(call.project)), **options}
    return _config(call.project, configure(call.project, body.provider, body.enabled, options))


def _find(call: Call) -> AuthConfig:
    row = find_config(call.project, call.path["provider"])
    if row is None:
        raise ApiError(errors.AUTH_CONFIG_NOT_FOUND, provider=shorten(call.path["provider"]))
    return row


def _config(project: Project, row: AuthConfig) -> dict[str, Any]:
    left_out = defaults(project) if row.id == "email" else {}
    return {"enabled": row.enabled, "provider": row.id, **left_out, **row.options}


def _player(
    project: Project, provider: str, body: AskForPlayer, token_type: TokenType | None
) -> ExpandedPlayerAnswer:
    user = user_of_any_token(project, provider, body.token, token_type)
    return player_with_expansions(project, wallet_of_user(project, user).id, body.expand)
