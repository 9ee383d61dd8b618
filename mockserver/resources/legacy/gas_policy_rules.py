"""The rules of gas policies (specification, Older endpoints and Limits)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Id, Name, PageQuery, Wei, empty
from mockserver.chain.abi.functions import AbiError
from mockserver.domain.chains.contracts import find_contract
from mockserver.domain.sponsorship.fee_sponsorships import find_any_sponsorship, find_sponsorship
from mockserver.domain.sponsorship.gas_rules import ALL_FUNCTIONS, find_functions
from mockserver.errors import wrong_field
from mockserver.kernel.mappings import without_none
from mockserver.responses.gas_policies import GasRuleAnswer, gas_rule_answer
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.state.existence import require
from mockserver.state.guardrails import FeeSponsorship, GasRule, GasRuleKind, IntervalType
from mockserver.state.project import Project

gas_policy_rules = Group("Gas policy rules (v1)")

RuleType = Literal["contract_functions", "account_functions", "rate_limit"]

Members = dict[str, Any]
"""The members of a rule except its type, as sent."""

_WRITE = secret_key("policies:write")
_NEEDED: Mapping[GasRuleKind, tuple[str, ...]] = {
    "contract_functions": ("contract", "functionName"),
    "account_functions": (),
    "gas_per_transaction": ("gasLimit",),
    "gas_per_interval": ("gasLimit", "timeIntervalType", "timeIntervalValue"),
    "count_per_interval": ("countLimit", "timeIntervalType", "timeIntervalValue"),
}
"""The required members of each kind of rule."""

_LIMITS: tuple[GasRuleKind, ...] = ("gas_per_transaction", "gas_per_interval", "count_per_interval")


class UpdateGasRule(Body):
    """A rule. For a `rate_limit`, `functionName` is the kind of limit; its other members show it, too."""

    type: RuleType
    functionName: Name | None = None
    contract: Id | None = None
    wildcard: bool | None = None
    gasLimit: Wei | None = None
    countLimit: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    timeIntervalType: IntervalType | None = None
    timeIntervalValue: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class CreateGasRule(UpdateGasRule):
    """A rule to add to a gas policy."""

    policy: Id


class ListGasRules(PageQuery):
    """Whose rules."""

    policy: Id
    expand: list[Literal["contract"]] = Field(default_factory=empty)


@gas_policy_rules.endpoint(
    "GET /v1/policy_rules",
    "GetGasPolicyRulesLegacy",
    secret_key("policies:read"),
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND,),
)
def list_gas_rules(call: Call[None, ListGasRules]) -> Listing[GasRuleAnswer]:
    """List the rules of a gas policy, newest first."""
    query, project = call.query, call.project
    policy = find_any_sponsorship(project, query.policy, "policy")
    return list_rows(
        call,
        project.guardrails.gas_rules,
        lambda row: gas_rule_answer(project, row, query.expand),
        where={"sponsorship_id": policy.id},
    )


@gas_policy_rules.endpoint(
    "POST /v1/policy_rules",
    "CreateGasPolicyRuleLegacy",
    _WRITE,
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND, errors.CONTRACT_NOT_FOUND),
)
def create_gas_rule(call: Call[CreateGasRule]) -> GasRuleAnswer:
    """Add a rule to a gas policy; it applies to later transactions."""
    project, body = call.project, call.body
    members = _members(body)
    rule = _read(project, members.pop("policy"), body.type, members)
    rule = rule._replace(id=project.new_id("afu"), created_ms=call.now_ms)
    return gas_rule_answer(project, project.guardrails.gas_rules.insert(rule))


@gas_policy_rules.endpoint(
    "POST /v1/policy_rules/{id}",
    "UpdateGasPolicyRuleLegacy",
    _WRITE,
    errors=(errors.GAS_RULE_NOT_FOUND, errors.FEE_SPONSORSHIP_NOT_FOUND, errors.CONTRACT_NOT_FOUND),
)
def update_gas_rule(call: Call[UpdateGasRule]) -> GasRuleAnswer:
    """Change a rule; missing members are unchanged, unless the kind of the rule changes."""
    project, body = call.project, call.body
    row = require(project.guardrails.gas_rules, call.path["id"], errors.GAS_RULE_NOT_FOUND)
    members = _members(body)
    rule = _read(project, row.sponsorship_id, body.type, {**_kind_members(row, body), **members})
    rule = rule._replace(id=row.id, created_ms=row.created_ms)
    return gas_rule_answer(project, project.guardrails.gas_rules.replace(rule))


@gas_policy_rules.endpoint(
    "DELETE /v1/policy_rules/{id}",
    "DeleteGasPolicyRuleLegacy",
    secret_key("policies:delete"),
    errors=(errors.GAS_RULE_NOT_FOUND,),
)
def delete_gas_rule(call: Call) -> Deleted:
    """Delete a rule."""
    row = require(call.project.guardrails.gas_rules, call.path["id"], errors.GAS_RULE_NOT_FOUND)
    call.project.guardrails.gas_rules.remove(row.id)
    return deletion_answer(row.id, "policyRule")


# --- reading -------------------------------------------------------------------------------------------


def _members(body: UpdateGasRule) -> Members:
    """The members that were sent, except the type."""
    members = body.given_members()
    del members["type"]
    return members


def _kind_members(row: GasRule, body: UpdateGasRule) -> Members:
    """The members of a changed rule that are unchanged: none when its kind changes."""
    limit = row.kind if row.kind in _LIMITS else None
    if body.type != ("rate_limit" if limit else row.kind):
        return {}
    if limit is not None and _is_other_limit(limit, body):
        return {}
    kept = {
        "functionName": row.function_name,
        "contract": None if body.wildcard else row.contract_id,
        "wildcard": row.kind == "contract_functions" and row.contract_id is None and body.contract is None,
        "gasLimit": None if row.gas_limit_wei is None else str(row.gas_limit_wei),
        "countLimit": row.count_limit,
        "timeIntervalType": row.interval_type,
        "timeIntervalValue": row.interval_count,
    }
    return without_none(kept)


def _is_other_limit(limit: GasRuleKind, body: UpdateGasRule) -> bool:
    """Whether an update of a limit is about another kind of limit."""
    if body.functionName is not None:
        return body.functionName != limit
    return (body.gasLimit if limit == "count_per_interval" else body.countLimit) is not None


def _read(project: Project, policy_id: str, kind: RuleType, members: Members) -> GasRule:
    """Read and validate a rule; it has no id yet. ApiError with 400, or with 404 for an unknown id."""
    wildcard = members.pop("wildcard", False)
    named = _kind(kind, members)
    if wildcard and named != "contract_functions":
        raise wrong_field("wildcard", "is for rules of the type contract_functions")
    needed = () if wildcard else _NEEDED[named]
    for name in needed:
        if name not in members:
            raise wrong_field(name, f"is required for {named}")
    allowed = ("functionName",) if wildcard else needed
    for name in members:
        if name not in allowed:
            raise wrong_field(name, f"has no meaning for {'every contract' if wildcard else named}")
    policy = find_sponsorship(project, policy_id, "policy")
    if "contract" in members:
        _check_function(project, policy, members)
    gas_limit = members.get("gasLimit")
    return GasRule(
        id="",
        created_ms=0,
        sponsorship_id=policy.id,
        kind=named,
        contract_id=members.get("contract"),
        function_name=members.get("functionName"),
        gas_limit_wei=None if gas_limit is None else int(gas_limit),
        count_limit=members.get("countLimit"),
        interval_type=members.get("timeIntervalType"),
        interval_count=members.get("timeIntervalValue"),
    )


def _kind(kind: RuleType, members: Members) -> GasRuleKind:
    """The kind of a rule, by its type and the members, of which the kind's own name is removed."""
    if kind == "contract_functions":
        return kind
    name = members.pop("functionName", None)
    if kind == "account_functions":
        # Clients send the members of contract_functions with it; there is nothing that they could select.
        members.pop("contract", None)
        return kind
    if name is None:
        return _limit_of(members)
    for limit in _LIMITS:
        if name == limit:
            return limit
    raise wrong_field("functionName", f"a rate_limit is one of {', '.join(_LIMITS)}")


def _limit_of(members: Members) -> GasRuleKind:
    """The kind of limit that has these members."""
    if "countLimit" in members:
        return "count_per_interval"
    if "gasLimit" not in members:
        raise wrong_field("gasLimit", "a rate_limit needs a gasLimit or a countLimit")
    within_interval = "timeIntervalType" in members or "timeIntervalValue" in members
    return "gas_per_interval" if within_interval else "gas_per_transaction"


def _check_function(project: Project, policy: FeeSponsorship, members: Members) -> None:
    """ApiError unless the contract is on the policy's chain, and its ABI, if known, has the function."""
    contract_id, function = members["contract"], members["functionName"]
    contract = find_contract(project, contract_id, "contract")
    if policy.chain_id not in (None, contract.chain_id):
        raise wrong_field("contract", f"is on chain {contract.chain_id}, not on {policy.chain_id}")
    if function == ALL_FUNCTIONS:
        return
    try:
        find_functions(contract.abi, function)
    except AbiError as error:
        raise wrong_field("functionName", str(error)) from None
