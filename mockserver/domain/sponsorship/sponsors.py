"""The decision whether a sponsorship pays for a transaction (specification, Fee sponsorship)."""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Literal, NamedTuple

from mockserver import errors
from mockserver.domain.chains.networks import dollars
from mockserver.domain.chains.tokens.holdings import MOST, Token, token_settings
from mockserver.domain.policies.criteria import Effort, Facts, rules_about
from mockserver.domain.policies.evaluation import evaluate, facts_of_calls
from mockserver.domain.sponsorship.fee_sponsorships import find_sponsorship
from mockserver.domain.sponsorship.strategies import token_address, tokens_on
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.state.guardrails import AcceptedToken, Decision, FeeSponsorship, Policy
from mockserver.state.onchain import CallRecord, Charge
from mockserver.state.project import Project

OPERATION = "sponsorEvmTransaction"
SOLANA: Literal["Solana"] = "Solana"
"""In place of a chain id."""

SPONSORSHIP_ERRORS = (
    errors.FEE_SPONSORSHIP_NOT_FOUND,
    errors.FEE_SPONSORSHIP_DISABLED,
    errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN,
)
"""The errors of `require_sponsorship`, for the declarations of its endpoints."""


class SponsorDecision(NamedTuple):
    """Whether the sponsorship pays for a transaction.

    `pays`: its paymaster pays the gas, and is reimbursed in tokens unless the schema is `pay_for_user`.
    `failed`: the linked policy has the scope transaction and did not accept, so the transaction fails.
    Neither: the account pays itself. `calls` has the policy's decision about each call.
    """

    pays: bool
    reason: str
    calls: tuple[Decision, ...] = ()
    failed: bool = False


class Sponsor(NamedTuple):
    """A sponsorship whose paymaster pays the gas of a transaction."""

    sponsorship_id: str
    paymaster: str | None = None
    """The address of the developer's own paymaster or forwarder contract; None for the project's."""
    charge: Charge | None = None
    """The reimbursement by the account; None with the schema `pay_for_user`."""


def require_sponsorship(
    project: Project, sponsorship_id: str, chain_id: int | Literal["Solana"], param: str = "feeSponsorshipId"
) -> FeeSponsorship:
    """A sponsorship that may be used on an EVM chain, or on Solana.

    ApiError with 404 when it is unknown or deleted, 400 when it is of another chain, 409 when it is
    disabled.
    """
    sponsorship = find_sponsorship(project, sponsorship_id, param)
    home = _home_of(project, sponsorship, chain_id)
    if home not in (None, chain_id):
        raise ApiError(
            errors.FEE_SPONSORSHIP_OF_OTHER_CHAIN,
            param=param,
            id=sponsorship.id,
            chain=home,
            chain_id=chain_id,
        )
    if not sponsorship.enabled:
        raise ApiError(errors.FEE_SPONSORSHIP_DISABLED, param=param, id=sponsorship.id)
    return sponsorship


def first_sponsorship(project: Project, chain_id: int | Literal["Solana"]) -> FeeSponsorship | None:
    """The first sponsorship that is enabled on a chain, for clients that name none.

    One is for Solana by a rule of its policy, or by its mints.
    """
    enabled = (row for row in project.guardrails.fee_sponsorships if row.enabled and not row.deleted)
    if chain_id == SOLANA:
        return next((row for row in enabled if _is_for_solana(project, row)), None)
    return next((row for row in enabled if row.chain_id in (None, chain_id)), None)


def _is_for_solana(project: Project, sponsorship: FeeSponsorship) -> bool:
    strategy = sponsorship.strategy
    if sponsorship.chain_id is not None or strategy.tokens:
        return False
    if strategy.spl_tokens or sponsorship.policy_id is None:
        return True
    rules = project.guardrails.policies[sponsorship.policy_id].rules
    return any(rule.operation in rules_about("sponsorSolTransaction") for rule in rules)


def _home_of(
    project: Project, sponsorship: FeeSponsorship, chain_id: int | Literal["Solana"]
) -> int | str | None:
    """The chain that a sponsorship is for, None if it may be used on any; `chain_id` is the one wanted."""
    strategy = sponsorship.strategy
    if strategy.spl_tokens:
        return SOLANA
    if chain_id == SOLANA:
        return sponsorship.chain_id or ("EVM chains" if strategy.tokens else None)
    if strategy.tokens and not tokens_on(project, strategy, chain_id):
        return project.onchain.contracts[strategy.tokens[0].contract].chain_id
    return sponsorship.chain_id


def sponsor_decision(
    project: Project, sponsorship: FeeSponsorship, account_id: str, chain_id: int, calls: Sequence[CallRecord]
) -> SponsorDecision:
    """Evaluate the linked policy, and no other, for every call: each must be accepted."""

    def find_facts() -> list[Facts]:
        return facts_of_calls(project, chain_id, account_id, calls) or [Facts(chainId=chain_id)]

    return _decide(project, sponsorship, account_id, OPERATION, find_facts)


def solana_sponsor_decision(
    project: Project, sponsorship: FeeSponsorship, account_id: str | None, facts: Facts
) -> SponsorDecision:
    """Evaluate the linked policy, and no other, for a Solana transaction."""
    return _decide(project, sponsorship, account_id, "sponsorSolTransaction", lambda: [facts])


def _decide(
    project: Project,
    sponsorship: FeeSponsorship,
    account_id: str | None,
    operation: str,
    find_facts: Callable[[], list[Facts]],
) -> SponsorDecision:
    if sponsorship.policy_id is None:
        return SponsorDecision(True, "The sponsorship has no policy: it pays for everything.")
    policy = project.guardrails.policies[sponsorship.policy_id]
    fails = policy.scope == "transaction"
    idle = _reason_not_asked(policy, account_id)
    if idle is not None:
        return SponsorDecision(False, idle, failed=fails)
    effort = Effort()
    decisions = tuple(evaluate([policy], operation, each, effort) for each in find_facts())
    for number, decision in enumerate(decisions):
        if not decision.allowed:
            call = f"calls[{number}]: " if operation == OPERATION else ""
            return SponsorDecision(False, call + decision.reason, decisions, failed=fails)
    return SponsorDecision(True, decisions[0].reason, decisions)


def _reason_not_asked(policy: Policy, account_id: str | None) -> str | None:
    """The reason if the policy is not evaluated, else None."""
    if policy.deleted:
        return f"The policy {policy.id} is deleted."
    if not policy.enabled:
        return f"The policy {policy.id} is disabled."
    if policy.scope == "account" and policy.account_id not in (None, account_id):
        return f"The policy {policy.id} is for the account {policy.account_id} only."
    return None


def find_sponsor(
    project: Project,
    sponsorship: FeeSponsorship,
    chain_id: int,
    decision: SponsorDecision,
    token: str | None = None,
) -> Sponsor | None:
    """The sponsor that follows from a decision; None when the account pays itself.

    `token` selects among the accepted ERC-20 tokens by on-chain address, the first unless given; one
    that is not accepted is ApiError with 400, whatever was decided.
    """
    accepted = _select(project, sponsorship, chain_id, token)
    if not decision.pays:
        return None
    if accepted is None:
        return Sponsor(sponsorship.id, paymaster=_own_payer(project, sponsorship, chain_id))
    amount = None if accepted.amount is None else int(accepted.amount)
    flat = sponsorship.strategy.sponsor_schema == "fixed_rate" and amount is not None
    return Sponsor(sponsorship.id, charge=Charge(token_address(project, accepted), amount, flat))


def _own_payer(project: Project, sponsorship: FeeSponsorship, chain_id: int) -> str | None:
    """The address of the developer's own contract that pays on a chain: a paymaster, or a forwarder."""
    paymaster = project.guardrails.paymasters.get(sponsorship.paymaster_id)
    if paymaster is not None:
        return paymaster.address
    forwarder = project.guardrails.forwarder_contracts.get(sponsorship.forwarder_contract_id)
    return forwarder.address if forwarder is not None and forwarder.chain_id == chain_id else None


def token_fee(project: Project, chain_id: int, charge: Charge, fee_wei: int) -> int:
    """Convert a fee to the token of a charge, in its smallest unit, rounded up.

    A static rate is per native coin, or per transaction with the schema `fixed_rate`; a dynamic rate
    follows from the prices of coin and token in US dollars. The result is at most the largest uint256.
    """
    if charge.flat and charge.amount is not None:
        return charge.amount
    if charge.amount is not None:
        return min(MOST, -(-fee_wei * charge.amount // 10**18))
    token = token_settings(Token(project, chain_id, charge.token))
    price = Decimal(token.price_usd)
    if not price:
        return 0
    whole = dollars(project, chain_id, fee_wei) / price
    return min(MOST, int((whole * 10**token.decimals).to_integral_value(ROUND_CEILING)))


def _select(
    project: Project, sponsorship: FeeSponsorship, chain_id: int, token: str | None
) -> AcceptedToken | None:
    tokens = tokens_on(project, sponsorship.strategy, chain_id)
    if token is None:
        return tokens[0] if tokens else None
    for accepted in tokens:
        if token_address(project, accepted).lower() == token.lower():
            return accepted
    row, param = errors.FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED, "feeSponsorshipToken"
    raise ApiError(row, param=param, id=sponsorship.id, token=shorten(token))
