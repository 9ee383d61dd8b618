"""Funding sessions in answers and webhooks."""

from collections.abc import Mapping
from typing import Annotated, Literal

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.kernel.secrecy import Secrecy
from mockserver.state.funding import FundingMethod, FundingSession, FundingStatus, MethodKind
from mockserver.state.project import Project


class FundingTargetAnswer(TypedDict):
    """Where the money is to arrive."""

    chain: str
    """The chain (CAIP-2)."""
    currency: str
    """The contract of a token, or the zero address for the native coin."""
    address: str


class FundingSourceAnswer(TypedDict):
    """From where the money is sent."""

    chain: str
    """The chain (CAIP-2)."""
    currency: str
    """The contract of a token, or the zero address for the native coin."""
    amount: str


class FundingDeeplinkAnswer(TypedDict):
    """A link into a wallet's application."""

    app: str
    label: str
    url: str


class FundingFeeAnswer(TypedDict):
    """A fee."""

    kind: str
    amount: str
    currency: str


class FundingMethodAnswer(TypedDict):
    """How the session is to be paid."""

    type: MethodKind
    source: FundingSourceAnswer
    receiverAddress: str
    """To which address the sender pays."""
    addressUri: str
    """The payment for wallets (EIP-681, Solana Pay)."""
    deeplinks: list[FundingDeeplinkAnswer]
    fees: list[FundingFeeAnswer]
    minAmount: str | None
    """The least that may be sent, in the source's smallest unit."""


class FundingSessionAnswer(TypedDict):
    """A funding session."""

    id: str
    object: Literal["fundingSession"]
    createdAt: int
    status: FundingStatus
    clientSecret: Annotated[str, Secrecy.SECRET]
    """What shows that a client may see and advance the session."""
    target: FundingTargetAnswer
    amountUnits: str | None
    """What has to arrive, in the target's smallest unit; null where the sender chooses."""
    metadata: Mapping[str, str] | None
    externalId: str | None
    strict: bool
    """Whether the receiving address takes one payment in time and no other."""
    paymentMethod: FundingMethodAnswer | None
    expiresAt: int


def session_answer(_: Project, row: FundingSession) -> FundingSessionAnswer:
    """A session as answers show it."""
    return {
        "id": row.id,
        "object": "fundingSession",
        "createdAt": to_seconds(row.created_ms),
        "status": row.status,
        "clientSecret": row.client_secret,
        "target": {"chain": row.chain, "currency": row.currency, "address": row.address},
        "amountUnits": row.amount,
        "metadata": row.metadata,
        "externalId": row.external_id,
        "strict": row.strict,
        "paymentMethod": None if row.method is None else _method_answer(row.method),
        "expiresAt": to_seconds(row.expires_ms),
    }


def _method_answer(method: FundingMethod) -> FundingMethodAnswer:
    return {
        "type": method.kind,
        "source": {"chain": method.chain, "currency": method.currency, "amount": method.amount},
        "receiverAddress": method.receiver,
        "addressUri": method.uri,
        # Clients make the links; the simulated way to the target takes no fee.
        "deeplinks": [],
        "fees": [],
        "minAmount": method.minimum,
    }
