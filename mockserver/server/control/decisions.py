"""How policies decided, with everything they saw, which no answer of the API says."""

from typing import Any, Literal, TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.domain.policies.evaluation import explain
from mockserver.errors import ApiError
from mockserver.resources.policies import EvaluatePolicy, Payload, facts_of
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.existence import require
from mockserver.state.guardrails import CriterionTrace, Decision, PolicyTrace, RuleTrace, Scope
from mockserver.state.onchain import Payment

decisions = Group("Decisions")


class TracedPayload(Payload, ControlBody):
    """What is known of the operation to evaluate."""


class TracePolicies(EvaluatePolicy, ControlBody):
    """An operation to evaluate, for the project or for one account of it."""

    payload: TracedPayload | None = None


class CriterionDecision(TypedDict):
    """What a criterion saw, and how it decided."""

    type: str
    operator: str
    matched: bool
    observed: Any
    reason: str


class RuleDecision(TypedDict):
    """How a rule was looked at; `matched` is null for one that is about another operation.

    `skipped_reason` is why it decided nothing, whatever it matched; null when it had a say.
    """

    id: str
    operation: str
    action: Literal["accept", "reject"]
    matched: bool | None
    criteria: list[CriterionDecision]
    skipped_reason: str | None


class PolicyDecision(TypedDict):
    """How a policy was looked at. `skipped_reason` is why it was not asked; null when it was."""

    id: str
    scope: Scope
    priority: int
    rules: list[RuleDecision]
    skipped_reason: str | None


class DecisionAnswer(TypedDict):
    """Whether something is allowed, by which rule (null: by none), and how that came about."""

    allowed: bool
    reason: str
    policy_id: str | None
    rule_id: str | None
    policies: list[PolicyDecision]


class SponsoringAnswer(TypedDict):
    """Whether the sponsorship that was asked for pays, and why or why not."""

    fee_sponsorship_id: str
    pays: bool
    reason: str
    calls: list[DecisionAnswer]
    """What its policy said of each call, up to the one that it refused."""


class PaidAnswer(TypedDict):
    """Who paid for the gas of a transaction, and the token in which the account paid them back."""

    payer: str
    wei: str
    token: str | None
    token_amount: str


class DecisionsAnswer(TypedDict):
    """What was decided when a transaction was made, and who paid for its gas in the end."""

    id: str
    sending: list[DecisionAnswer]
    """What the policies said of each call, up to the one that they refused; empty where none has a say."""
    sponsoring: SponsoringAnswer | None
    """Null when no sponsorship was asked for."""
    paid: PaidAnswer | None
    """Null until it is mined."""


@decisions.endpoint(
    "GET",
    "/_mock/projects/{p}/transactions/{tin}/decisions",
    "GetDecisions",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW,),
)
def get_decisions(call: ControlCall) -> DecisionsAnswer:
    """How the policies and the sponsorship decided about a transaction, call by call."""
    row = call.project.onchain.transactions.get(call.path["tin"])
    if row is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="transaction", id=call.path["tin"][:80])
    asked = row.sponsoring
    return {
        "id": row.id,
        "sending": [_decision(each) for each in row.sending],
        "sponsoring": None
        if asked is None
        else {
            "fee_sponsorship_id": asked.sponsorship_id,
            "pays": asked.pays,
            "reason": asked.reason,
            "calls": [_decision(each) for each in asked.calls],
        },
        "paid": None if row.receipt is None else _paid(row.receipt.payment),
    }


@decisions.endpoint(
    "POST",
    "/_mock/projects/{p}/policies/evaluate",
    "TracePolicies",
    ANYBODY,
    errors=(errors.ACCOUNT_NOT_FOUND,),
)
def trace_policies(call: ControlCall[TracePolicies]) -> DecisionAnswer:
    """Evaluate an operation as `POST /v2/policies/evaluate` does, and show how that came about.

    All policies are there, also those that had no say.
    """
    body, project = call.body, call.project
    if body.accountId is not None:
        require(project.wallets.accounts, body.accountId, errors.ACCOUNT_NOT_FOUND, "accountId")
    return _decision(explain(project, body.operation, facts_of(project, body), account_id=body.accountId))


def _paid(payment: Payment | None) -> PaidAnswer | None:
    if payment is None:
        return None
    return {
        "payer": payment.payer,
        "wei": str(payment.wei),
        "token": payment.token,
        "token_amount": str(payment.token_amount),
    }


def _decision(decision: Decision) -> DecisionAnswer:
    return {
        "allowed": decision.allowed,
        "reason": decision.reason,
        "policy_id": decision.policy_id,
        "rule_id": decision.rule_id,
        "policies": [_policy(trace) for trace in decision.trace],
    }


def _policy(trace: PolicyTrace) -> PolicyDecision:
    return {
        "id": trace.policy_id,
        "scope": trace.scope,
        "priority": trace.priority,
        "rules": [_rule(rule) for rule in trace.rules],
        "skipped_reason": trace.skipped_reason,
    }


def _rule(trace: RuleTrace) -> RuleDecision:
    return {
        "id": trace.rule_id,
        "operation": trace.operation,
        "action": trace.action,
        "matched": trace.matched,
        "criteria": [_criterion(criterion) for criterion in trace.criteria],
        "skipped_reason": trace.skipped_reason,
    }


def _criterion(trace: CriterionTrace) -> CriterionDecision:
    return {
        "type": trace.type,
        "operator": trace.operator,
        "matched": trace.matched,
        "observed": trace.observed,
        "reason": trace.reason,
    }
