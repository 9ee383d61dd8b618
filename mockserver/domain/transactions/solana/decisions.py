"""Whether policies let a Solana transaction be signed and sent, and whether a sponsorship pays for it."""

from typing import NamedTuple

from mockserver.domain.policies.criteria import SENDING, Facts
from mockserver.domain.policies.evaluation import as_sent, evaluate, policies_in_force
from mockserver.domain.sponsorship.sponsors import SOLANA, require_sponsorship, solana_sponsor_decision
from mockserver.state.guardrails import Decision
from mockserver.state.onchain import Sponsoring
from mockserver.state.project import Project


class SolanaDecisions(NamedTuple):
    """The decisions about a Solana transaction; the control API shows them."""

    sending: tuple[Decision, ...] = ()
    """One, if any policy is in force for the operation."""
    sponsoring: Sponsoring | None = None
    """None without a sponsorship."""
    error: str | None = None
    """The reason if it is not signed and fails at once."""


NO_POLICY = SolanaDecisions()
"""The decisions when no policy is in force."""


def decide_about(
    project: Project,
    facts: Facts,
    *,
    sign_only: bool,
    account_id: str | None = None,
    sponsorship_id: str | None = None,
) -> SolanaDecisions:
    """Evaluate the policies for a transaction of an account, or of none of the project's.

    Without a `network` the facts have that of the project's mode. ApiError with 400, 404 or 409 for a
    sponsorship that cannot be used on Solana.
    """
    seen: Facts = {"network": "mainnet-beta" if project.livemode else "devnet", **facts}
    operation = "signSolTransaction" if sign_only else "sendSolTransaction"
    if sponsorship_id is None:
        return _decide(project, operation, seen, account_id, None)
    sponsorship = require_sponsorship(project, sponsorship_id, SOLANA, "fee_sponsorship_id")
    decided = _decide(project, operation, seen, account_id, sponsorship.policy_id)
    asked = solana_sponsor_decision(project, sponsorship, account_id, seen)
    return decided._replace(
        sponsoring=Sponsoring(sponsorship.id, asked.pays, asked.reason, asked.calls),
        error=decided.error or (asked.reason if asked.failed else None),
    )


def _decide(
    project: Project, operation: str, facts: Facts, account_id: str | None, passed: str | None
) -> SolanaDecisions:
    asked = policies_in_force(project, operation, account_id, [passed] if passed else [])
    if not asked:
        return NO_POLICY
    decision = evaluate(asked, operation, facts)
    if operation in SENDING:
        decision = as_sent(decision)
    return SolanaDecisions((decision,), error=None if decision.allowed else decision.reason)
