"""Who may call: schemes and scopes as data (specification, Authentication)."""

from dataclasses import dataclass
from enum import StrEnum


class Scheme(StrEnum):
    """How a caller authenticates."""

    SECRET_KEY = "sk"
    """`Authorization: Bearer sk_...`, or HTTP basic with the key as user name."""
    PUBLISHABLE_KEY = "pk"
    """`Authorization: Bearer pk_...`"""
    ACCESS_TOKEN = "pk_access_token"
    """A publishable key and a user's token in `x-player-token`."""
    THIRD_PARTY = "pk_third_party"
    """A publishable key, `x-auth-provider`, and that provider's token in `x-player-token`."""
    AUTH_TOKEN = "auth_token"
    """`Authorization: Bearer <session token>` and `x-project-key: pk_...`"""
    PROJECT_KEY = "project_key"
    """`x-project-key: pk_...` alone, on sign-in and the like."""
    CONTROL_TOKEN = "control_token"
    """`x-mockserver-token`, where the server has a control token."""


SCHEME_WORDS = {
    Scheme.SECRET_KEY: "a secret key",
    Scheme.PUBLISHABLE_KEY: "a publishable key",
    Scheme.ACCESS_TOKEN: "a publishable key with a user's token in x-player-token",
    Scheme.THIRD_PARTY: "a publishable key with x-auth-provider and that provider's token in x-player-token",
    Scheme.AUTH_TOKEN: "a session token with x-project-key",
    Scheme.PROJECT_KEY: "x-project-key alone",
    Scheme.CONTROL_TOKEN: "the control token",
}
"""What error messages call the schemes."""


@dataclass(frozen=True, slots=True)
class Access:
    """What an endpoint requires of its callers."""

    schemes: frozenset[Scheme]
    scope: str | None = None
    """The scope a secret key must have."""
    session_required: bool = False
    """Whether the caller must be a signed-in user."""
    wallet_auth: bool = False
    """Whether the request must be signed with the project's wallet secret (`X-Wallet-Auth`)."""
    aal2: bool = False
    """Whether the caller must have passed multi-factor authentication."""
    own_site: bool = False
    """Whether the host and the origin are looked at although no credentials are needed."""

    @property
    def open(self) -> bool:
        """Whether the endpoint takes requests without any credentials."""
        return not self.schemes


USERS = frozenset({Scheme.ACCESS_TOKEN, Scheme.THIRD_PARTY, Scheme.AUTH_TOKEN})
"""The three schemes of a signed-in user."""

NO_CREDENTIALS = Access(frozenset())
"""No credentials: links opened in a browser, key sets, health."""

PAGE = Access(frozenset(), own_site=True)
"""The page of the control API: without any data in it, but for no other site."""

CONTROL = Access(frozenset({Scheme.CONTROL_TOKEN}))
"""The control API: the control token, or a server on loopback that has none."""


def secret_key(scope: str | None, *also: Scheme) -> Access:
    """A secret key with a scope, or one of the other schemes."""
    return Access(frozenset({Scheme.SECRET_KEY, *also}), scope)


def any_scheme(*schemes: Scheme) -> Access:
    """Any of the schemes, without a scope."""
    return Access(frozenset(schemes))


def wallet_auth(scope: str) -> Access:
    """A secret key with a scope, and a request signed with the wallet secret."""
    return Access(frozenset({Scheme.SECRET_KEY}), scope, wallet_auth=True)


_IAM = frozenset({Scheme.PROJECT_KEY, Scheme.PUBLISHABLE_KEY, Scheme.SECRET_KEY, *USERS})

PROJECT = Access(_IAM)
"""The project's key is enough; a session sent with it is read."""

SESSION = Access(_IAM, session_required=True)
"""A signed-in user of the project."""
