"""The accounting of fee sponsorships: budgets, reservations, payments and collected tokens."""

from mockserver.domain.sponsorship.strategies import token_address
from mockserver.state.guardrails import CollectedTokens, FeeSponsorship, SponsorAccount
from mockserver.state.onchain import Payment, Transaction
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
    assert payment.sponsorship_id is not None
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


def next_withdrawal(project: Project, sponsorship: FeeSponsorship) -> CollectedTokens | None:
    """The token balance of a sponsorship that is withdrawn next.

    Accepted tokens come first, in the order of the strategy. Without a balance it is the first accepted
    token, or else the latest collected one; None without either.
    """
    rows = project.guardrails.collected_tokens.find("sponsorship_id", sponsorship.id)
    accepted = [token_address(project, token).lower() for token in sponsorship.strategy.tokens]
    held = [row for row in rows if row.amount]
    if held:
        order = [*accepted, *(row.token.lower() for row in held)]
        return min(held, key=lambda row: order.index(row.token.lower()))
    if accepted:
        address = token_address(project, sponsorship.strategy.tokens[0])
        return CollectedTokens("", sponsorship.id, sponsorship.chain_id or 0, address, 0)
    return rows[-1] if rows else None


def token_in_strategy(project: Project, sponsorship: FeeSponsorship, held: CollectedTokens) -> str:
    """A collected token as the strategy names it: a contract's id or an address."""
    for token in sponsorship.strategy.tokens:
        if token_address(project, token).lower() == held.token.lower():
            return token.contract
    return held.token


def restore_failed_withdrawal(project: Project, transaction: Transaction) -> None:
    """Add the tokens of a withdrawal back to its sponsorship if its transaction did not succeed."""
    sponsorship_id = transaction.fee_sponsorship_id
    if sponsorship_id is not None and transaction.status in ("reverted", "failed"):
        (call,) = transaction.calls
        # The amount is the second argument of transfer(address,uint256).
        amount = int.from_bytes(call.data[36:68], "big")
        collect(project, sponsorship_id, transaction.chain_id, call.to, amount)


def _write(project: Project, row: SponsorAccount) -> SponsorAccount:
    return project.guardrails.sponsor_accounts.put(row)
