"""Fates: what will become of transactions to come, or of one by id."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, cast

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS
from mockserver.api.endpoint import Group
from mockserver.domain.transactions.fates import MEMBERS, OUTCOMES, check_fate, forget_fate, lowest, set_fate
from mockserver.domain.transactions.lifecycle import TERMINAL
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.outbox import Cleared
from mockserver.server.control_call import ControlCall
from mockserver.state.existence import require
from mockserver.state.onchain import Fate, FateKind
from mockserver.state.project import Project

fates = Group("Fates")

_SAID: Mapping[str, dict[str, Any]] = {
    "outcome": {"enum": sorted({name for outcomes in OUTCOMES.values() for name in outcomes})},
    "kind": {"enum": list(OUTCOMES), "default": "transaction"},
    "count": {
        "type": ["integer", "null"],
        "default": 1,
        "description": "How many transactions it takes; null for every one.",
    },
    "reincluded": {
        "default": True,
        "description": "Whether a later block takes a transaction again that was reorged.",
    },
}


def _schema(name: str) -> dict[str, Any]:
    """A member of a fate as JSON Schema."""
    types: Mapping[type, dict[str, Any]] = {
        str: {"type": "string"},
        int: {"type": "integer", "minimum": lowest(name)},
        bool: {"type": "boolean"},
        list: {"type": "array"},
    }
    return types[MEMBERS[name]] | _SAID.get(name, {})


CreateFate = Annotated[
    dict[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "description": "An outcome, which transactions it takes, and the outcome's own options.",
            "properties": {name: _schema(name) for name in MEMBERS},
            "required": ["outcome"],
            "additionalProperties": False,
        }
    ),
]
"""A fate to settle. Which options go with which outcome is for the fates themselves to say."""


class FateAnswer(TypedDict):
    """A fate that was settled, with the options that were given."""

    id: str
    created_at: str
    outcome: str
    kind: FateKind
    count: int | None
    """How many more transactions it takes; null for every one."""
    transaction_id: str | None
    chain_id: int | None
    account_id: str | None
    after_ms: NotRequired[int]
    reincluded: NotRequired[bool]
    reason: NotRequired[str]
    error: NotRequired[str]
    args: NotRequired[list[Any]]
    panic: NotRequired[int]
    code: NotRequired[str]
    error_message: NotRequired[str]


class FateList(TypedDict):
    """Every fate that has not been used up, oldest first."""

    data: list[FateAnswer]
    total: int


class DeletedFate(TypedDict):
    """What a deletion answers."""

    id: str
    deleted: bool


@fates.endpoint(
    "POST",
    "/_mock/projects/{p}/fates",
    "CreateFate",
    NO_CREDENTIALS,
    status=201,
    errors=(errors.CONTROL_INVALID, errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_SETTLED),
)
def create_fate(call: ControlCall[CreateFate]) -> FateAnswer:
    """Settle what will become of transactions to come, or of one by id."""
    body, project = call.body, call.project
    try:
        check_fate(body)
    except ValueError as error:
        raise ApiError(errors.CONTROL_INVALID, summary=str(error)) from None
    _require_named(project, body)
    return _answer(set_fate(project, body))


@fates.endpoint("GET", "/_mock/projects/{p}/fates", "ListFates", NO_CREDENTIALS)
def list_fates(call: ControlCall) -> FateList:
    """List the fates that have not been used up, oldest first."""
    found = [_answer(fate) for fate in call.project.onchain.fates]
    return {"data": found, "total": len(found)}


@fates.endpoint("DELETE", "/_mock/projects/{p}/fates", "ClearFates", NO_CREDENTIALS)
def clear_fates(call: ControlCall) -> Cleared:
    """Forget every fate."""
    found = list(call.project.onchain.fates)
    for fate in found:
        forget_fate(call.project, fate)
    return {"cleared": len(found)}


@fates.endpoint(
    "DELETE",
    "/_mock/projects/{p}/fates/{f}",
    "DeleteFate",
    NO_CREDENTIALS,
    errors=(errors.CONTROL_UNKNOWN_FATE,),
)
def delete_fate(call: ControlCall) -> DeletedFate:
    """Forget a fate."""
    fate = require(call.project.onchain.fates, call.path["f"], errors.CONTROL_UNKNOWN_FATE)
    forget_fate(call.project, fate)
    return {"id": fate.id, "deleted": True}


def _require_named(project: Project, body: CreateFate) -> None:
    """Refuse a transaction that is none or has ended, or an account that is none: that fate is never met."""
    named = body.get("transaction_id")
    row = project.onchain.transactions.get(named or "")
    if named is not None and row is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, param="transaction_id", kind="transaction", id=named[:80])
    if row is not None and row.status in TERMINAL:
        raise ApiError(errors.CONTROL_SETTLED, param="transaction_id", id=row.id, status=row.status)
    named = body.get("account_id")
    if named is not None and acting_account(project, named) is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, param="account_id", kind="account", id=named[:80])


def _answer(fate: Fate) -> FateAnswer:
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
