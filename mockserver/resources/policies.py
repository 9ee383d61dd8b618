"""Policies: what may be signed, sent and sponsored (specification, Policies (v2))."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors, leniencies
from mockserver.api.access import Scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import MOST_FINDINGS, Address, Body, ChainId, Hex, Id, PageQuery, Text, Wei, summary
from mockserver.domain.policies.criteria import (
    LONGEST_PATTERNS,
    Facts,
    Operation,
    find_problems,
    interface_length,
    normalize_criterion,
    patterns_weight,
)
from mockserver.domain.policies.evaluation import change_of, decide, find_policy
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.kernel.codec import read_base64
from mockserver.responses.lists import DEFAULT_LIMIT, Listing, list_rows
from mockserver.responses.shapes import Deleted, deletion_answer, optional, present
from mockserver.state.existence import require
from mockserver.state.guardrails import Policy, PolicyRule, Scope
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project

policies = Group("Policies")


def _base64(text: str) -> str:
    try:
        read_base64(text)
    except ValueError:
        raise ValueError("must be base64") from None
    return text


SolAddress = Annotated[str, Field(pattern=r"^[1-9A-HJ-NP-Za-km-z]{32,44}$")]
Priority = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]


class RuleBody(Body):
    """A rule: what to do with an operation that every criterion matches."""

    action: Literal["accept", "reject"]
    operation: Operation
    criteria: Annotated[list[dict[str, Any]], Field(max_length=10)] | None = None


Rules = Annotated[list[RuleBody], Field(min_length=1, max_length=10)]


class CreatePolicy(Body):
    """A policy to create. `accountId` belongs to the scope account; without it, every account is meant."""

    scope: Scope
    rules: Rules
    description: Text | None = None
    accountId: Id | None = None
    enabled: bool = True
    priority: Priority = 0


class UpdatePolicy(Body):
    """What to change; rules are replaced as a whole."""

    description: Text | None = None
    enabled: bool | None = None
    priority: Priority | None = None
    rules: Rules | None = None


class ListPolicies(PageQuery):
    """Filters of the list."""

    scope: list[Scope] | None = None
    enabled: bool | None = None
    accountId: Id | None = None
    operation: list[str] | None = None
    operationNotIn: list[str] | None = None


class EvmPayload(Body):
    """The facts about an operation on EVM."""

    chainId: ChainId | None = None
    to: Address | None = None
    value: Wei | None = None
    data: Hex | None = None
    """The calldata."""
    verifyingContract: Address | None = None
    domain: dict[str, Any] | None = None
    message: dict[str, Any] | None = None
    """The message of the typed data (EIP-712)."""
    primaryType: str | None = None
    evmMessage: str | None = None


class SolanaPayload(Body):
    """The facts about an operation on Solana."""

    network: Literal["mainnet-beta", "devnet", "testnet"] | None = None
    recipients: list[SolAddress] | None = None
    solValue: Wei | None = None
    splRecipients: list[SolAddress] | None = None
    splValue: Wei | None = None
    mintAddress: SolAddress | None = None
    programIds: list[SolAddress] | None = None
    solMessage: str | None = None
    instructionData: Annotated[str, AfterValidator(_base64)] | None = None


class Payload(SolanaPayload, EvmPayload):
    """The facts about the operation to evaluate."""


class EvaluatePolicy(Body):
    """An operation to evaluate, for the project or for one account of it."""

    operation: Operation
    accountId: Id | None = None
    payload: Payload | None = None


class RuleAnswer(TypedDict):
    """A rule of a policy."""

    id: str
    object: Literal["policyV2Rule"]
    createdAt: int
    action: Literal["accept", "reject"]
    operation: str
    criteria: list[dict[str, Any]]


class PolicyAnswer(TypedDict):
    """A policy, as the specification's Policy (v2)."""

    id: str
    object: Literal["policyV2"]
    createdAt: int
    scope: Scope
    description: str | None
    accountId: str | None
    enabled: bool
    priority: int
    rules: list[RuleAnswer]


class EvaluationAnswer(TypedDict):
    """The decision of policies about an operation that is not performed."""

    object: Literal["policy_evaluation"]
    allowed: bool
    reason: str
    operation: str
    """The operation that was evaluated."""
    accountId: NotRequired[str]
    matchedPolicyId: NotRequired[str]
    matchedRuleId: NotRequired[str]


_LONGEST_INTERFACES = 256 * 1024

_READ = secret_key("policies:read")
_WRITE = secret_key("policies:write")
_NOT_FOUND = (errors.POLICY_NOT_FOUND,)


@policies.endpoint("GET /v2/policies", "ListPolicies", _READ)
def list_policies(call: Call[None, ListPolicies]) -> Listing[PolicyAnswer]:
    """List policies, newest first. Filters that contradict each other give an empty page."""
    query = call.query
    return list_rows(
        call,
        call.project.guardrails.policies,
        policy_answer,
        default_limit=DEFAULT_LIMIT,
        where={
            "deleted": False,
            "scope": query.scope or None,
            "enabled": query.enabled,
            "account_id": query.accountId,
        },
        accept=_filter_operations(query.operation, query.operationNotIn),
    )


@policies.endpoint(
    "POST /v2/policies", "CreatePolicyV2", _WRITE, status=201, errors=(errors.ACCOUNT_NOT_FOUND,)
)
def create_policy(call: Call[CreatePolicy]) -> PolicyAnswer:
    """Create a policy with its rules."""
    body, project = call.body, call.project
    _check_account(call)
    _check_rules(body.rules)
    if body.accountId is not None:
        require(project.wallets.accounts, body.accountId, errors.ACCOUNT_NOT_FOUND, "accountId")
    policy = project.guardrails.policies.insert(
        Policy(
            id=project.new_id("ply"),
            created_ms=call.now_ms,
            scope=body.scope,
            description=body.description,
            account_id=body.accountId,
            enabled=body.enabled,
            priority=body.priority,
            rules=_new_rules(project, body.rules),
        )
    )
    return policy_answer(policy)


@policies.endpoint(
    "POST /v2/policies/evaluate",
    "EvaluatePolicyV2",
    secret_key("policies:write", Scheme.PUBLISHABLE_KEY),
    errors=(errors.ACCOUNT_NOT_FOUND,),
)
def evaluate_policy(call: Call[EvaluatePolicy]) -> EvaluationAnswer:
    """Evaluate an operation against the policies without performing it."""
    body, project = call.body, call.project
    if body.accountId is not None:
        require(project.wallets.accounts, body.accountId, errors.ACCOUNT_NOT_FOUND, "accountId")
    decision = decide(project, body.operation, facts_of(project, body), account_id=body.accountId)
    answer: EvaluationAnswer = {
        "object": "policy_evaluation",
        "allowed": decision.allowed,
        "reason": decision.reason,
        "operation": body.operation,
        "accountId": optional(body.accountId),
        "matchedPolicyId": optional(decision.policy_id),
        "matchedRuleId": optional(decision.rule_id),
    }
    return present(answer)


@policies.endpoint("GET /v2/policies/{policyId}", "GetPolicyV2", _READ, errors=_NOT_FOUND)
def get_policy(call: Call) -> PolicyAnswer:
    """Retrieve a policy."""
    return policy_answer(find_policy(call.project, call.path["policyId"]))


@policies.endpoint("POST /v2/policies/{policyId}", "UpdatePolicyV2", _WRITE, errors=_NOT_FOUND)
def update_policy(call: Call[UpdatePolicy]) -> PolicyAnswer:
    """Change a policy; rules, if given, are replaced as a whole."""
    body, project = call.body, call.project
    if body.rules is not None:
        _check_rules(body.rules)
    policy = find_policy(project, call.path["policyId"])
    changed = policy._replace(
        description=policy.description if body.description is None else body.description,
        enabled=policy.enabled if body.enabled is None else body.enabled,
        priority=policy.priority if body.priority is None else body.priority,
        rules=policy.rules if body.rules is None else _new_rules(project, body.rules),
    )
    return policy_answer(project.guardrails.policies.replace(changed))


@policies.endpoint(
    "DELETE /v2/policies/{policyId}", "DeletePolicyV2", secret_key("policies:delete"), errors=_NOT_FOUND
)
def delete_policy(call: Call) -> Deleted:
    """Delete a policy: it is no longer evaluated, and no list shows it."""
    policy = find_policy(call.project, call.path["policyId"])
    call.project.guardrails.policies.replace(policy._replace(deleted=True))
    return deletion_answer(policy.id, "policyV2")


def policy_answer(row: Policy) -> PolicyAnswer:
    """A policy as the API shows it."""
    return {
        "id": row.id,
        "object": "policyV2",
        "createdAt": to_seconds(row.created_ms),
        "scope": row.scope,
        "description": row.description,
        "accountId": row.account_id,
        "enabled": row.enabled,
        "priority": row.priority,
        "rules": [_rule_answer(rule) for rule in row.rules],
    }


def _rule_answer(rule: PolicyRule) -> RuleAnswer:
    return {
        "id": rule.id,
        "object": "policyV2Rule",
        "createdAt": to_seconds(rule.created_ms),
        "action": rule.action,
        "operation": rule.operation,
        "criteria": [dict(criterion) for criterion in rule.criteria],
    }


def _check_account(call: Call[CreatePolicy]) -> None:
    """With another scope than account, `accountId` would have no effect and is rejected."""
    body = call.body
    if body.scope == "account" and body.accountId is None:
        call.accept_leniently(leniencies.ACCOUNT_POLICY_WITHOUT_ACCOUNT)
    if body.scope != "account" and body.accountId is not None:
        message = f"is for the scope account; this policy has the scope {body.scope}"
        raise _invalid_criteria({"accountId": {"message": message, "value": body.accountId}})


def _check_rules(rules: list[RuleBody]) -> None:
    criteria = [criterion for rule in rules for criterion in rule.criteria or ()]
    _check_size("patterns", sum(map(patterns_weight, criteria)), LONGEST_PATTERNS)
    _check_size("ABIs and IDLs", sum(map(interface_length, criteria)), _LONGEST_INTERFACES)
    found: dict[str, dict[str, object]] = {}
    for at, rule in enumerate(rules):
        path = f"rules[{at}].criteria"
        if rule.operation == "signEvmHash" and rule.criteria:
            found[path] = {"message": "a rule about signEvmHash has no criteria: a hash shows nothing"}
            continue
        for number, criterion in enumerate(rule.criteria or ()):
            for member, message in find_problems(criterion, rule.operation).items():
                found[f"{path}[{number}].{member}"] = {"message": message}
    if found:
        raise _invalid_criteria(found)


def _check_size(what: str, together: int, most: int) -> None:
    """All rules are checked, and evaluated, in one request."""
    if together > most:
        raise wrong_field("rules", f"have {what} of {together:,} characters together; {most:,} are allowed")


def _invalid_criteria(every: Mapping[str, Mapping[str, object]]) -> ApiError:
    found = dict(islice(every.items(), MOST_FINDINGS))
    return ApiError(errors.INVALID_PARAMETERS, summary=summary(found), param=next(iter(found)), details=found)


def _new_rules(project: Project, rules: list[RuleBody]) -> tuple[PolicyRule, ...]:
    return tuple(
        PolicyRule(
            id=project.new_id("plr"),
            created_ms=project.clock.now_ms,
            action=rule.action,
            operation=rule.operation,
            criteria=tuple(normalize_criterion(criterion) for criterion in rule.criteria or ()),
        )
        for rule in rules
    )


def facts_of(project: Project, body: EvaluatePolicy) -> Facts:
    """The facts in a payload, and the net change of its call."""
    facts = cast(Facts, body.payload.given_members() if body.payload else {})
    account = project.wallets.accounts.get(body.accountId)
    data = bytes.fromhex(facts.get("data", "0x")[2:])
    call = CallRecord(facts.get("to", "0x"), int(facts.get("value", "0")), data, {})
    change = change_of(project, facts.get("chainId"), account.address if account else "", [call])
    return Facts(**facts, **change)


def _filter_operations(some: list[str] | None, not_all: list[str] | None) -> Callable[[Policy], bool] | None:
    """A filter: policies with a rule about one of `some` operations, and with one about none of `not_all`."""
    # Without a filter no policy is looked at, however many there are.
    if not some and not not_all:
        return None

    wanted, unwanted = frozenset(some or ()), frozenset(not_all or ())

    def accept(policy: Policy) -> bool:
        operations = {rule.operation for rule in policy.rules}
        return (not wanted or not operations.isdisjoint(wanted)) and (
            not unwanted or not operations.issubset(unwanted)
        )

    return accept
