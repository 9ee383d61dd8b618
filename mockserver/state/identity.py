"""End users, their sign-in methods and sessions, and what social providers know of them."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.secrecy import Secret, Token
from mockserver.state.tables import Tables, table


class User(NamedTuple):
    """An end user of a project."""

    id: str
    created_ms: int
    updated_ms: int
    name: str
    email: str | None = None
    email_verified: bool = False
    image: str | None = None
    phone_number: str | None = None
    phone_number_verified: bool | None = None
    is_anonymous: bool | None = None
    has_placeholder_email: bool = False
    """Whether the address is a placeholder, for an anonymous or wallet user without one."""
    pregenerated: bool = False
    """Whether the developer created the user: a sign-in with the e-mail address gets this user."""


class ProviderTokens(NamedTuple):
    """The tokens that a social provider issues."""

    access_token: Token = ""
    refresh_token: Token | None = None
    id_token: Token | None = None
    access_expires_ms: int | None = None
    refresh_expires_ms: int | None = None
    scopes: tuple[str, ...] = ()


class LinkedAccount(NamedTuple):
    """A sign-in method: a password, a provider's identity or a wallet.

    `account_id` is the identity at the provider: the user's own id for a password (`credential`), the
    subject for a social provider, `address:chain` for a wallet.
    """

    id: str
    user_id: str
    provider: str
    account_id: str
    created_ms: int
    updated_ms: int
    password_hash: Secret | None = None
    chain_type: str | None = None
    chain_id: int | None = None
    connector_type: str | None = None
    wallet_client_type: str | None = None
    metadata: Mapping[str, str | int | float | bool] | None = None
    """The developer's metadata."""
    tokens: ProviderTokens | None = None
    """The tokens of the social provider."""


class Session(NamedTuple):
    """A user's sign-in."""

    id: str
    token: Token
    user_id: str
    created_ms: int
    updated_ms: int
    expires_ms: int
    remember: bool
    ip_address: str
    user_agent: str
    aal2: bool = False
    """Whether the user passed multi-factor authentication (AAL2)."""


VerificationKind = Literal["verify-email", "reset-password", "change-email", "otp", "siwe-nonce", "oauth-key"]


class Verification(NamedTuple):
    """An issued one-time code, link, nonce or key: consumed once, or expired."""

    id: str
    kind: VerificationKind
    identifier: str
    """The recipient: an e-mail address, a phone number, a wallet address, or a user id; or the key itself."""
    value: Secret
    created_ms: int
    expires_ms: int
    attempts: int = 0
    new_email: str | None = None
    """The new address that a link confirms."""
    code_challenge: Secret | None = None
    """The hash of the code verifier that has to come with a link's token (RFC 7636, S256)."""


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
    provider_returns_to: str | None = None
    """The URL to which the provider sends the browser, if not to a callback of the service."""
    code: Secret | None = None
    """The authorization code, once the user consented, and the profile."""
    profile_id: str | None = None


class TokenKey(NamedTuple):
    """A current or former signing key of access tokens.

    The id is its `kid`; the key is derived from the seed.
    """

    id: str
    number: int
    """The number of keys before it."""
    created_ms: int
    needed_until_ms: int
    """When the last token that it signed expires."""


class AuthConfig(NamedTuple):
    """The configuration of a provider. The id is the provider's name."""

    id: str
    created_ms: int
    enabled: bool
    options: Mapping[str, Any]
    """The provider's own members, such as `clientId`."""
    removed: bool = False
    """Whether the developer removed it, so that the provider is refused."""


def _siwe_address(row: LinkedAccount) -> str | None:
    return row.account_id.partition(":")[0].lower() if row.provider == "siwe" else None


class Identity(Tables):
    """The tables of this module."""

    auth_configs = table(AuthConfig)
    token_keys = table(TokenKey)
    users = table(User, "id", "email", "phone_number")
    linked_accounts = table(
        LinkedAccount,
        "user_id",
        "provider",
        "account_id",
        "wallet_client_type",
        identity=lambda row: (row.provider, row.account_id),
        siwe_address=_siwe_address,
    )
    sessions = table(
        Session,
        "token",
        "user_id",
        retention=Retention(
            "sessions", "sessions_per_user", lambda row: row.user_id, lambda row: row.expires_ms
        ),
    )
    profiles = table(ProviderProfile, "provider")
    consent_requests = table(
        ConsentRequest,
        "code",
        "polling_key",
        retention=Retention("authorizations", "pending_kept", one_group, lambda row: row.expires_ms),
    )
    verifications = table(
        Verification,
        value=lambda row: (row.kind, row.value),
        identifier=lambda row: (row.kind, row.identifier),
        retention=Retention("codes, links and nonces", "pending_kept", one_group, lambda row: row.expires_ms),
    )
