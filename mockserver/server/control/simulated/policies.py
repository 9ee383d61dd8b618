"""Policy decisions with every criterion that was checked, and the budgets of fee sponsorships."""

from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Wei
from mockserver.domain.policies.evaluation import explain
from mockserver.domain.sponsorship import sponsor_accounts
from mockserver.resources.policies import EvaluatePolicy, Payload, facts_of
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, require_row
from mockserver.server.control.groups import ControlGroup
from mockserver.state.existence import require
from mockserver.state.guardrails import Decision, SponsorAccount
from mockserver.state.onchain import Payment, SolanaTransaction, Sponsoring, Transaction
from mockserver.state.project import Project

decisions = ControlGroup("Decisions")
budgets = ControlGroup("Budgets")

_BUDGET = "/fee-sponsorships/{pol}/budget"


class TracePayload(Payload, ControlBody):
    """The operation to evaluate."""


class TracePolicies(EvaluatePolicy, ControlBody):
    """An operation to evaluate, for the project or for one of its accounts."""

    payload: TracePayload | None = None


class PaymentAnswer(TypedDict):
    """The payer of a transaction's gas, and the token in which the account reimbursed it."""

    payer: str
    wei: str
    token: str | None
    """The address of the token, or null."""
    token_amount: str


class DecisionsAnswer(TypedDict):
    """The decisions when a transaction was created or submitted, and the payment for its gas."""

    id: str
    sending: Sequence[Decision]
    """The decision about each call, up to the first that is not allowed; empty if no policy applies.

    About a Solana transaction there is one."""
    sponsoring: Sponsoring | None
    """Null if no sponsorship was requested."""
    paid: PaymentAnswer | None
    """Null until it is mined, and for a Solana transaction."""


@decisions.operation("GET /transactions/{id}/decisions", "GetDecisions", errors.CONTROL_UNKNOWN_ROW)
def get_decisions(call: ControlCall) -> DecisionsAnswer:
    """Retrieve the decisions of policies and sponsorship about a transaction, on EVM call by call."""
    onchain, row_id = call.project.onchain, call.path["id"]
    on_solana = onchain.solana_transactions.get(row_id)
    if on_solana is not None:
        return _decisions_answer(on_solana, None)
    row = require_row(onchain.transactions, row_id, "transaction")
    return _decisions_answer(row, row.receipt.payment if row.receipt else None)


@decisions.operation("POST /policies/evaluate", "TracePolicies", errors.ACCOUNT_NOT_FOUND)
def trace_policies(call: ControlCall[TracePolicies]) -> Decision:
    """Evaluate an operation as `POST /v2/policies/evaluate` does, and show every policy and criterion.

    Policies that were skipped are there, too.
    """
    body, project = call.body, call.project
    if body.accountId is not None:
        require(project.wallets.accounts, body.accountId, errors.ACCOUNT_NOT_FOUND, "accountId")
    return explain(project, body.operation, facts_of(project, body), account_id=body.accountId)


def _decisions_answer(row: Transaction | SolanaTransaction, payment: Payment | None) -> DecisionsAnswer:
    return {"id": row.id, "sending": row.sending, "sponsoring": row.sponsoring, "paid": _payment(payment)}


def _payment(payment: Payment | None) -> PaymentAnswer | None:
    if payment is None:
        return None
    return {
        "payer": payment.payer,
        "wei": str(payment.wei),
        "token": payment.token,
        "token_amount": str(payment.token_amount),
    }


# --- budgets -----------------------------------------------------------------------------------------


class SetBudget(ControlBody):
    """The budget in wei, over all chains and including what is spent already; null for no limit."""

    budget_wei: Wei | None


class CollectedTokenAnswer(TypedDict):
    """A token in which accounts reimbursed a sponsorship."""

    chain_id: int
    token: str
    """The address of the token."""
    amount: str


class BudgetAnswer(TypedDict):
    """The budget of a sponsorship; amounts are decimal strings of wei."""

    id: str
    budget_wei: str | None
    spent_wei: str
    reserved_wei: str
    """What pending transactions may still cost."""
    left_wei: str | None
    transactions: int
    """How many transactions it has paid for."""
    collected: list[CollectedTokenAnswer]


@budgets.operation(f"GET {_BUDGET}", "GetBudget", errors.CONTROL_UNKNOWN_ROW)
def get_budget(call: ControlCall) -> BudgetAnswer:
    """Retrieve the budget of a fee sponsorship: what it has spent, has left, and was reimbursed."""
    sponsorship_id = _require_sponsorship(call)
    return _budget_answer(call.project, sponsor_accounts.sponsor_account(call.project, sponsorship_id))


@budgets.operation(f"PUT {_BUDGET}", "SetBudget", errors.CONTROL_UNKNOWN_ROW)
def set_budget(call: ControlCall[SetBudget]) -> BudgetAnswer:
    """Set the budget of a fee sponsorship. A transaction that exceeds it fails with `AA31`."""
    budget = None if call.body.budget_wei is None else int(call.body.budget_wei)
    row = sponsor_accounts.set_budget(call.project, _require_sponsorship(call), budget)
    return _budget_answer(call.project, row)


def _require_sponsorship(call: ControlCall[Any]) -> str:
    return require_row(call.project.guardrails.fee_sponsorships, call.path["pol"], "fee sponsorship").id


def _budget_answer(project: Project, row: SponsorAccount) -> BudgetAnswer:
    left = row.remaining_wei
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
