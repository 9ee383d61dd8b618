"""End users, how they sign in, and that they have."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo
from mockserver.state.social import ConsentRequest, ProviderProfile, ProviderTokens


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
    """Whether the address was made up for a guest or a wallet's user, who gave none."""
    pregenerated: bool = False
    """Whether the developer made the user: whoever proves the e-mail address is then the user."""


class LinkedAccount(NamedTuple):
    """A way in: a password, a provider's identity or a wallet.

    `account_id` is the identity at the provider: the user's own id for a password (`credential`), the
    subject for a social provider, `address:chain` for a wallet.
    """

    id: str
    user_id: str
    provider: str
    account_id: str
    created_ms: int
    updated_ms: int
    password_hash: str | None = None
    chain_type: str | None = None
    chain_id: int | None = None
    connector_type: str | None = None
    wallet_client_type: str | None = None
    metadata: Mapping[str, str | int | float | bool] | None = None
    """What the project's owner noted about it."""
    tokens: ProviderTokens | None = None
    """What the social provider gave for this identity."""


class Session(NamedTuple):
    """A user's sign-in."""

    id: str
    token: str
    user_id: str
    created_ms: int
    updated_ms: int
    expires_ms: int
    remember: bool
    ip_address: str
    user_agent: str
    aal2: bool = False
    """Whether the user passed multi-factor authentication (AAL2)."""


class Verification(NamedTuple):
    """A one-time code, link or nonce that was issued: consumed once, or gone at its end."""

    id: str
    kind: Literal["verify-email", "reset-password", "change-email", "otp", "siwe-nonce"]
    identifier: str
    """Whom it was issued to: an e-mail address, a phone number, a wallet address, a user's id."""
    value: str
    created_ms: int
    expires_ms: int
    attempts: int = 0
    new_email: str | None = None
    """The address that a link confirms, when it is another one than the user's."""


class TokenKey(NamedTuple):
    """A key that signs access tokens, or did. The id is its `kid`; the key itself follows from the seed."""

    id: str
    number: int
    """How many there were before it."""
    created_ms: int
    needed_until_ms: int
    """When the last token expires that it signed."""


class AuthConfig(NamedTuple):
    """How a way of signing in is configured. The id is the provider's name."""

    id: str
    created_ms: int
    enabled: bool
    options: Mapping[str, Any]
    """The provider's own members, such as `clientId`."""


class Identity:
    """The tables of this module."""

    __slots__ = (
        "auth_configs",
        "consent_requests",
        "linked_accounts",
        "profiles",
        "sessions",
        "token_keys",
        "users",
        "verifications",
    )

    def __init__(self, undo: Undo) -> None:
        self.auth_configs: Table[AuthConfig] = Table(undo)
        self.token_keys: Table[TokenKey] = Table(undo)
        self.users: Table[User] = Table(
            undo,
            id=lambda row: row.id,
            email=lambda row: row.email,
            phone_number=lambda row: row.phone_number,
        )
        self.linked_accounts: Table[LinkedAccount] = Table(
            undo,
            user_id=lambda row: row.user_id,
            identity=lambda row: (row.provider, row.account_id),
            provider=lambda row: row.provider,
            account_id=lambda row: row.account_id,
            wallet_client_type=lambda row: row.wallet_client_type,
            siwe_address=_siwe_address,
        )
        self.sessions: Table[Session] = Table(
            undo,
            token=lambda row: row.token,
            user_id=lambda row: row.user_id,
        )
        self.profiles: Table[ProviderProfile] = Table(undo, provider=lambda row: row.provider)
        self.consent_requests: Table[ConsentRequest] = Table(undo)
        self.verifications: Table[Verification] = Table(
            undo,
            value=lambda row: (row.kind, row.value),
            identifier=lambda row: (row.kind, row.identifier),
        )


def _siwe_address(row: LinkedAccount) -> str | None:
    return row.account_id.partition(":")[0].lower() if row.provider == "siwe" else None
