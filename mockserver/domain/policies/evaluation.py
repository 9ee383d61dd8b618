"""Whether policies allow an operation (specification, Policies).

Policies are evaluated by priority, the highest first, and the oldest first among equals; their rules in
order. The first rule that is about the operation and whose criteria all match decides.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from mockserver import errors
from mockserver.domain.policies.criteria import (
    SENDING,
    Criterion,
    Effort,
    Facts,
    match_criterion,
    rules_about,
)
from mockserver.domain.policies.net_change import net_change
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.kernel.spelling import shorten
from mockserver.state.existence import require_kept
from mockserver.state.guardrails import (
    EVERY_ACCOUNT,
    PROJECT_WIDE,
    CriterionTrace,
    Decision,
    Policy,
    PolicyRule,
    PolicyTrace,
    RuleTrace,
)
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project

# In the steps of an effort, of which a rule without criteria is a part of its policy's.
_WORK_PER_POLICY = 1_000
_WORK_PER_CRITERION = 1_000

_ACCOUNT_PAYS = "The account would pay by itself."


def find_policy(project: Project, policy_id: str, param: str | None = None) -> Policy:
    """The policy with this id; a deleted one is not there. ApiError with 404."""
    return require_kept(project.guardrails.policies, policy_id, errors.POLICY_NOT_FOUND, param)


def decide(project: Project, operation: str, facts: Facts, *, account_id: str | None = None) -> Decision:
    """Evaluate the policies in force for an operation (see `policies_in_force`); none is passed.

    Without any, everything is allowed; otherwise only what a rule accepts, but see `as_sent` for
    sending.
    """
    return evaluate(policies_in_force(project, operation, account_id), operation, facts)


def policies_in_force(
    project: Project, operation: str, account_id: str | None, policy_ids: Collection[str] = ()
) -> list[Policy]:
    """The project's policies, the account's, and those of scope transaction that are passed, oldest first.

    Only enabled ones with a rule about this very operation.
    """
    policies = project.guardrails.policies
    bound = [PROJECT_WIDE, *policy_ids]
    if account_id is not None:
        bound += [account_id, EVERY_ACCOUNT]
    wanted = [(name, counted) for name in bound for counted in rules_about(operation)]
    return policies.page(limit=max(1, len(policies)), order="asc", where={"in_force_for": wanted}).rows


def as_sent(decision: Decision) -> Decision:
    """A decision about sending as it takes effect: only a rule that rejects denies it.

    What a policy of scope transaction has to accept is decided for the sponsorship that passes it, where
    rules about sponsoring count as well.
    """
    if decision.allowed or decision.rule_id is not None:
        return decision
    return replace(
        decision, allowed=True, reason=decision.reason.replace(_ACCOUNT_PAYS, "It is sent all the same.")
    )


def evaluate(
    policies: Sequence[Policy], operation: str, facts: Facts, effort: Effort | None = None
) -> Decision:
    """Evaluate these policies, whatever their scope and whether or not they are enabled.

    The calls of one request share their effort.
    """
    effort = effort or Effort()
    policies = _sort_by_priority(policies)
    if not policies:
        return Decision(True, f"No policy applies to {operation}.", None, None, ())
    counted = rules_about(operation)
    traces: list[PolicyTrace] = []
    for policy in policies:
        rules: list[RuleTrace] = []
        for rule in policy.rules:
            rules.append(_trace_rule(rule, counted, facts, effort))
            # The first match decides, whether it accepts or rejects; what comes after is not evaluated.
            if rules[-1].matched:
                traces.append(PolicyTrace(policy.id, policy.scope, policy.priority, tuple(rules), None))
                return Decision(
                    rule.action == "accept", _reason_of_rule(rules[-1]), policy.id, rule.id, tuple(traces)
                )
        traces.append(PolicyTrace(policy.id, policy.scope, policy.priority, tuple(rules), None))
        if not effort.take(_WORK_PER_POLICY):
            break
    # Policies are allowlists: what no rule accepts is not allowed.
    reason = _reason_for_no_match(traces, operation, left_out=len(policies) - len(traces))
    return Decision(False, reason, None, None, tuple(traces))


def _sort_by_priority(policies: Iterable[Policy]) -> list[Policy]:
    return sorted(policies, key=lambda policy: -policy.priority)


def explain(project: Project, operation: str, facts: Facts, *, account_id: str | None = None) -> Decision:
    """The result of `decide`, with a trace of all policies: of those that were skipped, with the reason."""
    asked = _sort_by_priority(policies_in_force(project, operation, account_id))
    effort = Effort()
    decision = evaluate(asked, operation, facts, effort)
    traces, counted = list(decision.policies), rules_about(operation)
    if decision.rule_id is not None:
        seen, decided_by = traces[-1].rules, f"it comes after the rule {decision.rule_id}, which decided"
        later = asked[len(traces) - 1].rules[len(seen) :]
        rest = [
            replace(_trace_rule(rule, counted, facts, effort), skipped_reason=decided_by) for rule in later
        ]
        traces[-1] = replace(traces[-1], rules=(*seen, *rest))
    silent = [
        (policy, f"it comes after {decision.policy_id}, which decided") for policy in asked[len(traces) :]
    ]
    known = {policy.id for policy in asked}
    for policy in _sort_by_priority(project.guardrails.policies):
        if not policy.deleted and policy.id not in known:
            silent.append((policy, _skipped_reason(policy, operation, account_id)))
    for policy, reason in silent:
        if not effort.take(_WORK_PER_POLICY):
            break
        rules = tuple(_trace_rule(rule, counted, facts, effort) for rule in policy.rules)
        traces.append(PolicyTrace(policy.id, policy.scope, policy.priority, rules, reason))
    return replace(decision, policies=tuple(traces))


def _skipped_reason(policy: Policy, operation: str, account_id: str | None) -> str:
    """Why a policy is not in force for an operation."""
    if not policy.enabled:
        return "it is disabled"
    if policy.scope == "account" and policy.account_id not in (None, account_id):
        return f"it is for the account {policy.account_id}"
    if policy.scope == "account" and account_id is None:
        return "it is for accounts, and no account was named"
    if policy.scope == "transaction":
        return "its scope is transaction: it is asked about transactions whose fee sponsorship names it"
    return f"no rule of it is about {operation}"


def _trace_rule(rule: PolicyRule, operations: Collection[str], facts: Facts, effort: Effort) -> RuleTrace:
    if rule.operation not in operations:
        return RuleTrace(rule.id, rule.operation, rule.action, None, (), None)
    criteria = tuple(_trace_criterion(criterion, facts, effort) for criterion in rule.criteria)
    matched = all(criterion.matched for criterion in criteria)
    return RuleTrace(rule.id, rule.operation, rule.action, matched, criteria, None)


def _trace_criterion(criterion: Criterion, facts: Facts, effort: Effort) -> CriterionTrace:
    kind, operator = criterion["type"], criterion["operator"]
    if not effort.take(_WORK_PER_CRITERION):
        return CriterionTrace(kind, operator, False, None, "comes after too much other work")
    return CriterionTrace(kind, operator, *match_criterion(criterion, facts, effort))


def _reason_of_rule(rule: RuleTrace) -> str:
    if rule.action == "accept":
        return "Allowed by policy rule"
    reason = (
        "; ".join(criterion.reason for criterion in rule.criteria) or f"it rejects every {rule.operation}"
    )
    return f"Rejected by policy rule: {reason}."


def _reason_for_no_match(traces: Sequence[PolicyTrace], operation: str, left_out: int) -> str:
    """The reason when no rule matches: the first criterion that did not match, and what follows from it."""
    missed = (
        f"in {policy.id}, {criterion.type}: {shorten(criterion.reason)}"
        for policy in traces
        for rule in policy.rules
        for criterion in rule.criteria
        if not criterion.matched
    )
    reason = next(missed, f"none is about {operation}")
    if left_out:
        reason += f" (the last {left_out:,} policies come after too much other work)"
    return f"No policy rule matched: {reason}." + (f" {_ACCOUNT_PAYS}" if operation in SENDING else "")


def facts_of_calls(
    project: Project, chain_id: int, account_id: str, calls: Sequence[CallRecord]
) -> list[Facts]:
    """The facts about each call of a transaction."""
    account = acting_account(project, account_id)
    whole = change_of(project, chain_id, account.address if account else "", calls)
    facts = Facts(chainId=chain_id, **whole)
    return [Facts(**facts, to=call.to, value=str(call.value), data="0x" + call.data.hex()) for call in calls]


def change_of(project: Project, chain_id: int | None, account: str, calls: Sequence[CallRecord]) -> Facts:
    """The net change in US dollars of an account; empty for test keys, whose coins have no value."""
    if not project.livemode:
        return Facts()
    if chain_id is None:
        return Facts(netUSDChange=None)
    return Facts(netUSDChange=f"{net_change(project, chain_id, account, calls):f}")
