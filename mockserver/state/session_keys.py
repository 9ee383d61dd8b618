"""Session keys: keys that may act for an account within limits."""

from typing import Literal, NamedTuple

from mockserver.kernel.retention import Retention
from mockserver.state.tables import Tables, table

SessionKeyState = Literal[
    "awaiting_signature", "active", "revoking", "ending", "revoked", "expired", "exhausted", "failed"
]


class SessionKey(NamedTuple):
    """A key (`ses_`) that an account lets sign for it."""

    id: str
    created_ms: int
    updated_ms: int
    state: SessionKeyState
    account_id: str
    wallet_id: str
    chain_id: int
    address: str
    """The address of the key (EIP-55)."""
    valid_after_s: int
    valid_until_s: int
    limit: int
    """The most transactions it may sign."""
    whitelist: tuple[str, ...] = ()
    """The contracts it may call; empty for any."""
    uses: int = 0

    @property
    def is_active(self) -> bool:
        """Whether it may sign: until its revocation is sent, or it ends by itself."""
        return self.state in ("active", "revoking")

    @property
    def has_ended(self) -> bool:
        """Whether it can never sign again."""
        return self.state in ("revoked", "expired", "exhausted", "failed")


class SessionKeys(Tables):
    """The table of this module."""

    rows = table(
        SessionKey,
        "account_id",
        "wallet_id",
        key=lambda row: (row.account_id, row.address),
        retention=Retention("ended session keys", "deleted_kept", lambda row: row.has_ended or None),
    )
