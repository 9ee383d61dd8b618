"""Fates: what will become of transactions to come, or of one by id."""

from collections.abc import Mapping
from typing import Any, cast

from mockserver import errors
from mockserver.domain.transactions.fate_options import FateOptions, FateSpec
from mockserver.domain.transactions.fates import forget_fate, set_fate
from mockserver.domain.transactions.lifecycle import TERMINAL
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import DeletedAnswer, ListAnswer, ListQuery, list_answer, row_not_found
from mockserver.server.control.groups import ControlGroup
from mockserver.state.existence import require
from mockserver.state.onchain import Fate, FateKind
from mockserver.state.project import Project

fates = ControlGroup("Fates")


class FateAnswer(FateOptions):
    """A fate, with the options that were given."""

    id: str
    created_at: str
    outcome: str
    kind: FateKind
    count: int | None
    """How many more transactions it takes; null for every one."""
    transaction_id: str | None
    chain_id: int | None
    account_id: str | None


@fates.operation("POST /fates", "CreateFate", errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_SETTLED, status=201)
def create_fate(call: ControlCall[FateSpec]) -> FateAnswer:
    """Set the fate of transactions to come, or of one by its id."""
    _require_named(call.project, call.body)
    return _fate_answer(set_fate(call.project, call.body))


@fates.operation("GET /fates", "ListFates")
def list_fates(call: ControlCall[None, ListQuery]) -> ListAnswer[FateAnswer]:
    """List the fates that are not used up, oldest first."""
    return list_answer(call.query, call.project.onchain.fates, _fate_answer)


@fates.operation("DELETE /fates", "ClearFates")
def clear_fates(call: ControlCall) -> DeletedAnswer:
    """Delete every fate."""
    found = list(call.project.onchain.fates)
    for fate in found:
        forget_fate(call.project, fate)
    return {"deleted": len(found)}


@fates.operation("DELETE /fates/{f}", "DeleteFate", errors.CONTROL_UNKNOWN_FATE)
def delete_fate(call: ControlCall) -> DeletedAnswer:
    """Delete a fate."""
    fate = require(call.project.onchain.fates, call.path["f"], errors.CONTROL_UNKNOWN_FATE)
    forget_fate(call.project, fate)
    return {"deleted": 1}


def _require_named(project: Project, body: Mapping[str, Any]) -> None:
    """Require the transaction and account that a fate names: otherwise it would never be used."""
    named = body.get("transaction_id")
    row = project.onchain.transactions.get(named)
    if named is not None and row is None:
        raise row_not_found("transaction", named, project.onchain.transactions, "transaction_id")
    if row is not None and row.status in TERMINAL:
        raise ApiError(errors.CONTROL_SETTLED, param="transaction_id", id=row.id, status=row.status)
    named = body.get("account_id")
    if named is not None and acting_account(project, named) is None:
        raise row_not_found("account", named, param="account_id")


def _fate_answer(fate: Fate) -> FateAnswer:
    answer = {
        "id": fate.id,
        "created_at": timestamps.format_iso(fate.created_ms),
        "outcome": fate.outcome,
        "kind": fate.kind,
        "count": fate.remaining,
        "transaction_id": fate.transaction_id,
        "chain_id": fate.chain_id,
        "account_id": fate.account_id,
        **fate.options,
    }
    return cast(FateAnswer, answer)
