"""Sponsored Solana transactions: submitted and settled by hand."""

from typing import Annotated, Literal, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.wire import Id, Text
from mockserver.domain.transactions import solana_transactions
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.onchain import SolanaTransaction

solana = Group("Solana")


class SubmitSolana(ControlBody):
    """What to submit: one transaction, or a bundle of up to five."""

    external_id: Id | None = None
    transactions: Annotated[int, Field(ge=1, le=5)] = 1
    sign_only: bool = False
    """Sign, but do not broadcast."""


class SettleSolana(ControlBody):
    """How a transaction ends. The error message is a failure's."""

    outcome: Literal["confirmed", "failed", "expired"]
    error_message: Text | None = None


class SolanaAnswer(TypedDict):
    """A sponsored Solana transaction, or a bundle of them."""

    id: str
    created_at: str
    status: Literal["sent", "confirmed", "failed", "expired"]
    external_id: str | None
    signature: str | None
    error_message: str | None
    bundle_id: str | None
    child_signatures: list[str]


@solana.endpoint(
    "POST", "/_mock/projects/{p}/solana/transactions", "SubmitSolanaTransaction", ANYBODY, status=201
)
def submit_solana(call: ControlCall[SubmitSolana]) -> SolanaAnswer:
    """Submit a transaction, or a bundle, as the sponsoring signer does."""
    body = call.body
    row = solana_transactions.submit(
        call.project,
        external_id=body.external_id,
        bundle_size=body.transactions,
        sign_only=body.sign_only,
    )
    return _answer(row)


@solana.endpoint(
    "POST",
    "/_mock/projects/{p}/solana/transactions/{id}/settle",
    "SettleSolanaTransaction",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_SETTLED, errors.CONTROL_INVALID),
)
def settle_solana(call: ControlCall[SettleSolana]) -> SolanaAnswer:
    """End a transaction now, as confirmed, failed or expired."""
    body, project = call.body, call.project
    row = project.onchain.solana_transactions.get(call.path["id"])
    if row is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="Solana transaction", id=call.path["id"][:80])
    if row.status in solana_transactions.LIFECYCLE.terminal:
        raise ApiError(errors.CONTROL_SETTLED, id=row.id, status=row.status)
    if body.error_message is not None and body.outcome != "failed":
        raise ApiError(
            errors.CONTROL_INVALID,
            param="error_message",
            summary=f"error_message: {body.outcome} is no failure",
        )
    return _answer(solana_transactions.settle(project, row, body.outcome, body.error_message))


def _answer(row: SolanaTransaction) -> SolanaAnswer:
    return {
        "id": row.id,
        "created_at": timestamps.format_iso(row.created_ms),
        "status": row.status,
        "external_id": row.external_id,
        "signature": row.signature,
        "error_message": row.error_message,
        "bundle_id": row.bundle_id,
        "child_signatures": list(row.child_signatures),
    }
