"""The settings of a project."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from mockserver.crypto.key_sets import require_keys
from mockserver.kernel.secrecy import Secret

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Bounds:
    """Stands for pydantic's `Field` and `AfterValidator` in an annotation, and imports neither.

    Every server has settings, and few are asked to read some before they are ready.
    """

    def __init__(self, *, check: Callable[[Any], Any] | None = None, **given: Any) -> None:
        self._check = check
        self._given = given

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic import AfterValidator, Field

        checks = () if self._check is None else (AfterValidator(self._check),)
        return handler.generate_schema(Annotated[source, Field(**self._given), *checks])


SocialProvider = Literal[
    "google", "apple", "twitter", "discord", "facebook", "epic_games", "line", "telegram"
]
"""The social providers."""
ThirdPartyProvider = Literal[
    "accelbyte",
    "firebase",
    "lootlocker",
    "playfab",
    "supabase",
    "custom",
    "oidc",
    "telegramMiniApp",
    "better-auth",
]
"""Whose tokens name users who are signed in there."""
Keys = Annotated[list[dict[str, Any]], Bounds(max_length=100, check=require_keys)]

Claim = Annotated[str, Bounds(min_length=1, max_length=256)]
Lifetime = Annotated[int, Bounds(ge=1000, le=10**12)]
Milliseconds = Annotated[int, Bounds(ge=0, le=10**12)]
HostName = Annotated[str, Bounds(pattern=r"^[0-9a-z.:-]{1,253}$")]
Wei = Annotated[int, Bounds(ge=0, lt=2**256)]
ChainId = Annotated[int, Bounds(ge=1, le=2**53 - 1)]
GasPrice = Annotated[int, Bounds(ge=0, le=10**15)]
Kept = Annotated[int, Bounds(ge=1, le=10**9)]
Usd = Annotated[str, Bounds(pattern=r"^[0-9]{1,9}(\.[0-9]{1,8})?$")]
ChainKey = Annotated[str, Bounds(pattern=r"^[1-9][0-9]{0,14}$")]
TokenKey = Annotated[str, Bounds(pattern=r"^0x[0-9a-f]{40}$")]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainSettings:
    """The prices of gas and of the coin of a chain; None keeps the default."""

    base_fee_wei: GasPrice | None = None
    """The base fee of a unit of gas (EIP-1559)."""
    priority_fee_wei: GasPrice | None = None
    """The priority fee of a unit of gas."""
    l1_gas_price_wei: GasPrice | None = None
    """The price of a unit of L1 gas, for rollups."""
    native_price_usd: Usd | None = None
    """The price of the chain's native coin."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenSettings:
    """Metadata and price of an ERC-20."""

    decimals: Annotated[int, Bounds(ge=0, le=77)] | None = None
    """The decimals of the token; null for 18, and for 6 of USDC where a well-known chain has it."""
    symbol: Annotated[str, Bounds(max_length=64)] | None = None
    """Its symbol; null for the registered contract's name, or for USDC."""
    price_usd: Usd = "1"
    """The price of a whole token, for dynamic rates."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings of a project: every default that a test may need to change."""

    email_verification_required: bool = False
    """Sign-up answers `token: null`, and signing in is refused until the address is verified."""
    auto_sign_in_after_verification: bool = False
    """Proving an e-mail address, by link or by code, signs the user in."""
    get_session_answers_null: bool = False
    """`get-session` without a valid session answers 200 `null` instead of 401."""
    anonymous_sign_in: bool = True
    """Users may sign in anonymously. Without it, Sign-In with Ethereum asks for an e-mail address."""
    session_lifetime_ms: Lifetime = 7 * 24 * 3600 * 1000
    """How long a session is valid after its last renewal."""
    short_session_lifetime_ms: Lifetime = 24 * 3600 * 1000
    """How long a session with `rememberMe: false` is valid; it is not renewed."""
    session_renewed_after_ms: Milliseconds = 24 * 3600 * 1000
    """A request renews its session if the last renewal is this long ago."""
    one_time_code_lifetime_ms: Lifetime = 300 * 1000
    """How long a one-time code is valid."""
    link_lifetime_ms: Lifetime = 3600 * 1000
    """How long a mailed link is valid."""
    siwe_nonce_lifetime_ms: Lifetime = 900 * 1000
    """How long a nonce of Sign-In with Ethereum is valid."""
    access_token_lifetime_ms: Lifetime | None = None
    """How long an access token is valid, and never longer than its session; null is as long as that."""
    access_token_issuer: Claim = "openfort.xyz"
    """The issuer of access tokens (`iss`). Tokens of another are refused."""
    access_token_audience: Claim | None = None
    """The audience of access tokens (`aud`); null is the project's id. Tokens for another are refused."""
    one_time_code: Annotated[str, Bounds(pattern=r"^[0-9]{4,10}$")] | None = None
    """Every one-time code is this one."""
    recovery_code_required: bool = False
    """The share service creates a session for a user with a share only with a one-time code it sent them."""
    trusted_origins: tuple[str, ...] | None = None
    """Where links may lead back to, and requests with cookies come from, such as `https://shop.example`.

    Null trusts every origin with links, and with cookies those of the machine itself.
    """
    rate_limits: bool = False
    """Limit how often a client calls the endpoints of `/iam/v2/auth`."""
    contract_wallets: tuple[Annotated[str, Bounds(pattern=r"^0x[0-9a-fA-F]{40}$")], ...] = ()
    """Addresses of contract wallets (ERC-1271, ERC-6492). Any signature of them is accepted."""
    password_min_length: Annotated[int, Bounds(ge=1, le=1024)] = 8
    """The fewest characters that a new password may have."""
    password_max_length: Annotated[int, Bounds(ge=1, le=1024)] = 128
    """The most characters that a new password may have."""
    aal2: bool = False
    """The developer's requests count as made after multi-factor authentication, which rotating needs."""
    strict: bool = False
    """Refuse what is otherwise accepted beyond the specification with the header `x-mockserver-hint`."""
    require_https: bool = False
    """Refuse plain HTTP; `X-Forwarded-Proto` counts."""
    unknown_chains: Literal["accept", "refuse"] = "accept"
    """What to do with a chain id that is in no table."""
    default_chain_id: ChainId | None = None
    """The chain of smart and delegated accounts that are created without `chainId`.

    Null is Base: 84532 (Base Sepolia) with test keys, 8453 with live keys.
    """
    starting_balance_wei: Wei = 10**18
    """The starting balance of every account on every chain; on Solana 10^18 are a SOL."""
    sponsor_deposit_wei: Wei = 10**24
    """The starting deposit of every paymaster at the entry point of every chain."""
    contract_gas_limit: Annotated[int, Bounds(ge=100_000, le=2**24)] = 2**24
    """The most gas that a call of a contract with code may take, in a transaction and in a read."""
    strict_token_balances: bool = False
    """Token transfers beyond what the holder has are reverted.

    Otherwise the holder is assumed to have had the difference before the mock started.
    """
    chains: dict[ChainKey, ChainSettings] = field(default_factory=dict)
    """Prices of gas and coins by chain id: `{"80002": {"base_fee_wei": 5}}`."""
    tokens: dict[TokenKey, TokenSettings] = field(default_factory=dict)
    """Metadata and prices of ERC-20 tokens, by address in lower case."""
    transaction_confirms_after_ms: Milliseconds = 2_000
    """From broadcast to confirmation."""
    solana_confirms_after_ms: Milliseconds = 1_000
    """From submission of a Solana transaction to its confirmation."""
    solana_expires_after_ms: Milliseconds = 90_000
    """When a Solana transaction that never lands expires."""
    wait_limit_ms: Milliseconds = 30_000
    """The longest wait of an answer for a receipt."""
    idempotency_lifetime_ms: Milliseconds = 24 * 3600 * 1000
    """How long the first answer to an X-Idempotency-Key is remembered."""
    expired_kept_ms: Milliseconds = 30 * 24 * 3600 * 1000
    """How long what has expired is kept: sessions, codes, nonces, links, authorizations, rate limits."""
    pending_kept: Kept = 10_000
    """How many codes, links and nonces are kept, expired or not: the newest.

    And as many authorizations, idempotent answers, rate limit windows, attempts that faults count, and used
    wallet auth tokens.
    """
    sessions_per_user: Kept = 1_000
    """How many sessions a user may have; beyond it the oldest are dropped."""
    settled_kept: Kept = 10_000
    """How many settled transactions are kept, as many that await a signature, and as many of Solana.

    And as many funding sessions that ended, and encryption sessions. The oldest are dropped.
    """
    deleted_kept: Kept = 1_000
    """How many deleted contracts are kept, and as many policies, fee sponsorships and developer accounts.

    And as many ended session keys and wallet secrets.
    """
    messages_kept: Kept = 10_000
    """How many messages the outbox keeps, and as many webhooks and attempts to send them.

    The oldest are dropped.
    """
    webhook_secret: Annotated[Secret, Bounds(pattern=r"^whsec_[!-~]{1,250}$")] | None = None
    """What webhooks are signed with; null is the secret key without `sk_`, `test_` and hyphens."""
    webhook_hosts: Annotated[tuple[HostName, ...], Bounds(max_length=1_000)] = ()
    """The hosts besides loopback to which webhooks are sent, such as `shop.example`."""
    webhook_delay_ms: Milliseconds = 0
    """How long after a change its webhooks are sent."""
    webhook_retries_ms: Annotated[tuple[Milliseconds, ...], Bounds(max_length=100)] = (
        5_000,
        30_000,
        120_000,
        600_000,
        3_600_000,
    )
    """How long after each failed attempt a webhook is sent again; after the last it has failed."""
    webhook_failures: Annotated[int, Bounds(ge=1, le=10**6)] = 10
    """After how many failed attempts in a row a trigger is deactivated."""
    snapshots_kept: Kept = 100
    """How many snapshots are kept; the oldest are dropped."""
    native_price_usd: Usd = "2500"
    """The price of a native coin, for `costUsd`, on chains without their own setting."""
    ecosystems: tuple[str, ...] = ()
    """The ids of the projects that may act on this one's behalf (`X-Behalf-Of-Project`)."""
    social_providers: tuple[SocialProvider, ...] | None = None
    """The providers that users may sign in with; null is every one."""
    sign_up_on_request: tuple[SocialProvider, ...] = ()
    """The providers that make a new user only where the sign-in says `requestSignUp`."""
    link_different_emails: bool = False
    """Let a user link a social identity whose e-mail address is another one than theirs."""
    provider_keys: dict[SocialProvider | ThirdPartyProvider, Keys] = field(default_factory=dict)
    """The public keys of providers, each a list of JWKs (RFC 7517). Their tokens must be signed with one."""
