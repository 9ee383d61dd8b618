"""The accounting of fee sponsorships: budgets, reservations, payments and collected tokens."""

from mockserver.state.guardrails import CollectedTokens, SponsorAccount
from mockserver.state.onchain import Payment
from mockserver.state.project import Project


def sponsor_account(project: Project, sponsorship_id: str) -> SponsorAccount:
    """The accounting row of a sponsorship; without a budget its spending is unlimited."""
    return project.guardrails.sponsor_accounts.get(sponsorship_id) or SponsorAccount(sponsorship_id)


def set_budget(project: Project, sponsorship_id: str, budget_wei: int | None) -> SponsorAccount:
    """Set the total budget of a sponsorship, including what it has spent; None for no limit."""
    return _write(project, sponsor_account(project, sponsorship_id)._replace(budget_wei=budget_wei))


def reserve(project: Project, sponsorship_id: str, amount: int) -> None:
    """Reserve a part of the budget for a sent transaction; a negative amount releases it."""
    row = sponsor_account(project, sponsorship_id)
    _write(project, row._replace(reserved_wei=row.reserved_wei + amount))


def settle(project: Project, chain_id: int, payment: Payment) -> None:
    """Record the payment for a mined transaction, and its reimbursement."""
    if payment.sponsorship_id is None:
        return
    row = sponsor_account(project, payment.sponsorship_id)
    spent = row.spent_wei + payment.wei
    _write(project, row._replace(spent_wei=spent, transactions=row.transactions + 1))
    if payment.token is not None:
        collect(project, payment.sponsorship_id, chain_id, payment.token, payment.token_amount)


def collect(project: Project, sponsorship_id: str, chain_id: int, token: str, amount: int) -> None:
    """Add collected tokens; a negative amount withdraws them."""
    row_id = f"{sponsorship_id}:{chain_id}:{token.lower()}"
    rows = project.guardrails.collected_tokens
    known = rows.get(row_id) or CollectedTokens(row_id, sponsorship_id, chain_id, token, amount=0)
    rows.put(known._replace(amount=known.amount + amount))


def _write(project: Project, row: SponsorAccount) -> SponsorAccount:
    return project.guardrails.sponsor_accounts.put(row)
