"""Budgets of fee sponsorships: what they have spent, and may still spend."""

from typing import Any, TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.wire import Wei
from mockserver.domain.sponsorship import sponsor_accounts
from mockserver.errors import ApiError
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.guardrails import SponsorAccount
from mockserver.state.project import Project

budgets = Group("Budgets")

_PATH = "/_mock/projects/{p}/fee-sponsorships/{pol}/budget"


class SetBudget(ControlBody):
    """What a sponsorship may spend in all, in wei of whatever chain; null for anything."""

    budget_wei: Wei | None


class CollectedAnswer(TypedDict):
    """A token that a sponsorship was paid back in."""

    chain_id: int
    token: str
    amount: str


class BudgetAnswer(TypedDict):
    """What a sponsorship has spent and may spend; amounts are decimal strings of wei."""

    id: str
    budget_wei: str | None
    spent_wei: str
    reserved_wei: str
    """What transactions that were sent and are not settled may still take."""
    left_wei: str | None
    transactions: int
    """How many transactions it has paid for."""
    collected: list[CollectedAnswer]


@budgets.endpoint("GET", _PATH, "GetBudget", ANYBODY, errors=(errors.CONTROL_UNKNOWN_ROW,))
def get_budget(call: ControlCall) -> BudgetAnswer:
    """What a fee sponsorship has spent, may still spend, and has been paid back."""
    sponsorship_id = _sponsorship(call)
    return _answer(call.project, sponsor_accounts.sponsor_account(call.project, sponsorship_id))


@budgets.endpoint("PUT", _PATH, "SetBudget", ANYBODY, errors=(errors.CONTROL_UNKNOWN_ROW,))
def set_budget(call: ControlCall[SetBudget]) -> BudgetAnswer:
    """Let a fee sponsorship spend so much in all, what it has spent included, or anything (null).

    A transaction that it cannot pay for fails with `AA31`.
    """
    budget = None if call.body.budget_wei is None else int(call.body.budget_wei)
    return _answer(call.project, sponsor_accounts.set_budget(call.project, _sponsorship(call), budget))


def _sponsorship(call: ControlCall[Any]) -> str:
    sponsorship_id = call.path["pol"]
    if sponsorship_id not in call.project.guardrails.fee_sponsorships:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="fee sponsorship", id=sponsorship_id[:80])
    return sponsorship_id


def _answer(project: Project, row: SponsorAccount) -> BudgetAnswer:
    left = row.left_wei
    return {
        "id": row.id,
        "budget_wei": None if row.budget_wei is None else str(row.budget_wei),
        "spent_wei": str(row.spent_wei),
        "reserved_wei": str(row.reserved_wei),
        "left_wei": None if left is None else str(left),
        "transactions": row.transactions,
        "collected": [
            {"chain_id": held.chain_id, "token": held.token, "amount": str(held.amount)}
            for held in project.guardrails.collected_tokens.find("sponsorship_id", row.id)
        ],
    }
