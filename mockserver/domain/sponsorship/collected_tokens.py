"""The ERC-20 tokens in which accounts reimbursed fee sponsorships."""

from mockserver.domain.sponsorship.sponsor_accounts import collect
from mockserver.domain.sponsorship.strategies import token_address
from mockserver.state.guardrails import CollectedTokens, FeeSponsorship
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project


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
