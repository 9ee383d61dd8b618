"""Sponsored Solana transactions: submitting and settling them."""

from typing import Annotated, Literal, cast

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Id, Text
from mockserver.domain.policies.criteria import Facts
from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.domain.transactions.solana.decisions import decide_about
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.resources.policies import SolanaPayload
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid, require_row
from mockserver.server.control.groups import ControlGroup
from mockserver.state.existence import require
from mockserver.state.onchain import SolanaTransaction
from mockserver.state.project import Project

solana = ControlGroup("Solana")


class SubmittedPayload(SolanaPayload, ControlBody):
    """What a transaction does, as policies see it. Without a `network` it is that of the project's mode."""


class SubmitSolana(ControlBody):
    """A transaction to submit, or a bundle of up to five."""

    external_id: Id | None = None
    transactions: Annotated[int, Field(ge=1, le=5)] = 1
    """How many transactions a bundle has."""
    sign_only: bool = False
    """Sign, but do not broadcast."""
    account_id: Id | None = None
    """The Solana account that sends it; without one only policies of the project are asked."""
    fee_sponsorship_id: Id | None = None
    payload: SubmittedPayload | None = None
    """What it does; of a bundle, what its transactions do together."""


class SettleSolana(ControlBody):
    """How a transaction ends."""

    outcome: Literal["confirmed", "failed", "expired"]
    error_message: Text | None = None
    """Only with the outcome `failed`."""


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


@solana.operation(
    "POST /solana/transactions",
    "SubmitSolanaTransaction",
    errors.CONTROL_INVALID,
    errors.ACCOUNT_NOT_FOUND,
    errors.FEE_SPONSORSHIP_NOT_FOUND,
    errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN,
    errors.FEE_SPONSORSHIP_DISABLED,
    status=201,
)
def submit_solana(call: ControlCall[SubmitSolana]) -> SolanaAnswer:
    """Submit a sponsored Solana transaction, or a bundle of them.

    Policies are asked as for a transaction on EVM. What they do not let through has failed at once.
    """
    body, project = call.body, call.project
    if body.account_id is not None:
        _require_solana_account(project, body.account_id)
    decided = decide_about(
        project,
        cast(Facts, body.payload.given_members() if body.payload else {}),
        sign_only=body.sign_only,
        account_id=body.account_id,
        sponsorship_id=body.fee_sponsorship_id,
    )
    return _solana_answer(
        solana_transactions.submit(
            project,
            external_id=body.external_id,
            bundle_size=body.transactions,
            sign_only=body.sign_only,
            decided=decided,
        )
    )


def _require_solana_account(project: Project, account_id: str) -> None:
    account = require(project.wallets.accounts, account_id, errors.ACCOUNT_NOT_FOUND, "account_id")
    if account.chain_type != "SVM":
        raise invalid("account_id", f"{account.id} is an EVM account")


@solana.operation(
    "POST /solana/transactions/{id}/settle",
    "SettleSolanaTransaction",
    errors.CONTROL_UNKNOWN_ROW,
    errors.CONTROL_SETTLED,
    errors.CONTROL_INVALID,
)
def settle_solana(call: ControlCall[SettleSolana]) -> SolanaAnswer:
    """Settle a Solana transaction now, as confirmed, failed or expired."""
    body, project = call.body, call.project
    row = require_row(project.onchain.solana_transactions, call.path["id"], "Solana transaction")
    if row.status in solana_transactions.LIFECYCLE.terminal:
        raise ApiError(errors.CONTROL_SETTLED, id=row.id, status=row.status)
    if body.error_message is not None and body.outcome != "failed":
        raise invalid("error_message", f"goes with the outcome failed, not {body.outcome}")
    return _solana_answer(solana_transactions.settle(project, row, body.outcome, body.error_message))


def _solana_answer(row: SolanaTransaction) -> SolanaAnswer:
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
