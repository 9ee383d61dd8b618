"""Funding sessions: money that comes to an address from outside of the simulated chains."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from mockserver.kernel.retention import Retention
from mockserver.kernel.secrecy import Secret
from mockserver.state.tables import Tables, table

FundingStatus = Literal[
    "requires_payment_method", "waiting_payment", "processing", "succeeded", "bounced", "expired"
]
MethodKind = Literal["evm", "solana"]
_UNSETTLED = ("requires_payment_method", "waiting_payment", "processing")


class FundingMethod(NamedTuple):
    """How a session is to be paid: from where, how much, and to which address."""

    kind: MethodKind
    chain: str
    currency: str
    amount: str
    receiver: str
    uri: str
    """The payment for wallets (EIP-681, Solana Pay)."""
    minimum: str


class FundingSession(NamedTuple):
    """Money on its way to an address (`fnd_`)."""

    id: str
    created_ms: int
    client_secret: Secret
    status: FundingStatus
    chain: str
    """The target's chain (CAIP-2)."""
    currency: str
    address: str
    expires_ms: int
    amount: str | None = None
    """What has to arrive, in the target's smallest unit; None where the sender chooses."""
    metadata: Mapping[str, str] | None = None
    external_id: str | None = None
    strict: bool = False
    """Whether its address takes one payment in time and no other."""
    method: FundingMethod | None = None
    redirect_url: str | None = None
    """Where the page on which it is paid leads."""
    arriving: int | None = None
    """What the payment under way brings; None if it bounces, or if there is none."""


class Funding(Tables):
    """The tables of this module."""

    sessions = table(
        FundingSession,
        "external_id",
        retention=Retention(
            "funding sessions", "settled_kept", lambda row: None if row.status in _UNSETTLED else True
        ),
    )
