"""The status of sponsored Solana transactions (specification, Solana transaction status)."""

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Scheme, any_scheme
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Id, Query
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.state.existence import note_dropped
from mockserver.state.onchain import SolanaStatus, SolanaTransaction
from mockserver.state.project import Project

solana = Group("Solana transactions")

_KEYS = ("id", "externalId", "bundleId")


class FindSolanaTransaction(Query):
    """What to look for: exactly one of these."""

    id: Id | None = None
    externalId: Id | None = None
    bundleId: Id | None = None


class SolanaStatusAnswer(TypedDict):
    """How far a transaction, or a bundle, has come."""

    id: str
    externalId: str | None
    txSignature: str | None
    status: SolanaStatus
    """`confirmed`, `failed` and `expired` are final."""
    errorMessage: str | None
    bundleId: str | None
    txSignatures: list[str]


@solana.endpoint(
    "GET /v1/solana/transactions",
    "getSolanaTransactionStatus",
    any_scheme(Scheme.PUBLISHABLE_KEY),
    errors=(errors.INVALID_PARAMETERS, errors.SOLANA_TRANSACTION_NOT_FOUND),
)
def get_solana_transaction(call: Call[None, FindSolanaTransaction]) -> SolanaStatusAnswer:
    """Look up a Solana transaction by exactly one of its id, external id and bundle id."""
    given = {key: value for key in _KEYS if (value := getattr(call.query, key)) is not None}
    if len(given) != 1:
        raise ApiError(
            errors.INVALID_PARAMETERS,
            summary=f"Send exactly one of id, externalId and bundleId; you sent {len(given)}.",
            details={key: {"message": "exactly one is allowed"} for key in given or _KEYS},
        )
    ((key, value),) = given.items()
    row = _find(call.project, key, value)
    if row is None:
        note = note_dropped(call.project.onchain.solana_transactions)
        missing = errors.SOLANA_TRANSACTION_NOT_FOUND
        raise ApiError(missing, param=key, note=note, key=key, value=shorten(value))
    return solana_answer(row)


def solana_answer(row: SolanaTransaction) -> SolanaStatusAnswer:
    """A Solana transaction as the API shows one."""
    return {
        "id": row.id,
        "externalId": row.external_id,
        "txSignature": row.signature,
        "status": row.status,
        "errorMessage": row.error_message,
        "bundleId": row.bundle_id,
        "txSignatures": list(row.child_signatures),
    }


def _find(project: Project, key: str, value: str) -> SolanaTransaction | None:
    """The newest transaction with this key. A bundle's id is its first child's signature, also unsent."""
    rows = project.onchain.solana_transactions
    if key == "externalId":
        return rows.last("external_id", value)
    if key == "bundleId":
        return rows.last("bundle_id", value)
    row = rows.get(value)
    if row is not None:
        return None if row.bundle_id else row
    return rows.first("first_child", value)
