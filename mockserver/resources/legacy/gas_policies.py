"""Gas policies: fee sponsorships in the older API (specification, Older endpoints)."""

from collections.abc import Collection, Sequence
from typing import Annotated, Literal, cast

from pydantic import Field

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import (
    Body,
    ChainId,
    ForwarderContractId,
    Id,
    Name,
    PageQuery,
    PaymasterId,
    Query,
    Text,
    Wei,
    empty,
)
from mockserver.domain.chains.networks import CHAIN_ERRORS
from mockserver.domain.sponsorship import fee_sponsorships
from mockserver.domain.sponsorship.strategies import SponsorSchema, read_strategy
from mockserver.domain.wallets.developer_accounts import find_developer_account
from mockserver.errors import wrong_field
from mockserver.responses.gas_policies import (
    GasPolicyFields,
    GasRuleAnswer,
    gas_policy_answer,
    gas_rule_answer,
)
from mockserver.responses.lists import Listing, list_rows, name_contains
from mockserver.responses.shapes import Deleted, Reference, deletion_answer
from mockserver.responses.transaction_intents import IntentAnswer, latest_intent_answers
from mockserver.state.guardrails import FeeSponsorship, Strategy
from mockserver.state.project import Project

gas_policies = Group("Gas policies (v1)")

Expansion = Literal["transactionIntents", "policyRules"]
DepositorId = Annotated[str, Field(pattern=r"^dac_[0-9A-Za-z-]{1,64}$")]

_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")
_NOT_FOUND = (errors.FEE_SPONSORSHIP_NOT_FOUND,)
_FORWARDER = "forwarderContract"
_UNFIT = (
    errors.CONTRACT_NOT_FOUND,
    errors.PAYMASTER_NOT_FOUND,
    errors.FORWARDER_CONTRACT_NOT_FOUND,
    errors.DEVELOPER_ACCOUNT_NOT_FOUND,
    *CHAIN_ERRORS,
)
"""The errors of ids in a gas policy."""


class GasStrategyBody(Body):
    """The payer. Where the account does, in which token and at what rate."""

    sponsorSchema: SponsorSchema
    tokenContract: Id | None = None
    tokenContractAmount: Wei | None = None
    depositor: DepositorId | None = None


class CreateGasPolicy(Body):
    """A gas policy to create."""

    name: Name
    chainId: ChainId
    strategy: GasStrategyBody
    paymaster: PaymasterId | None = None
    forwarderContract: ForwarderContractId | None = None


class UpdateGasPolicy(Body):
    """What to change; a strategy is replaced as a whole."""

    name: Name | None = None
    chainId: ChainId | None = None
    strategy: GasStrategyBody | None = None
    paymaster: PaymasterId | None = None
    forwarderContract: ForwarderContractId | None = None
    deleted: bool | None = None


class ExpandGasPolicy(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListGasPolicies(ExpandGasPolicy, PageQuery):
    """Filters of the list."""

    name: Text | None = None
    """A part of the name, in any case."""
    deleted: bool = False
    chainId: ChainId | None = None
    enabled: bool | None = None


class ExpandedGasPolicyAnswer(GasPolicyFields):
    """A gas policy, with the related objects that `expand` names."""

    transactionIntents: Sequence[IntentAnswer | Reference]
    policyRules: Sequence[GasRuleAnswer | Reference]


@gas_policies.endpoint("GET /v1/policies", "GetGasPoliciesLegacy", _READ)
def list_gas_policies(call: Call[None, ListGasPolicies]) -> Listing[ExpandedGasPolicyAnswer]:
    """List gas policies, newest first: every fee sponsorship that the older API can express."""
    query = call.query
    named = name_contains(query.name)
    return list_rows(
        call,
        call.project.guardrails.fee_sponsorships,
        lambda row: _answer(call.project, row, query.expand),
        where={
            "deleted": None if query.deleted else False,
            "chain_id": query.chainId,
            "enabled": query.enabled,
        },
        accept=lambda row: row.is_known_to_older_api and (named is None or named(row)),
    )


@gas_policies.endpoint("POST /v1/policies", "CreateGasPolicyLegacy", _WRITE, errors=_UNFIT)
def create_gas_policy(call: Call[CreateGasPolicy]) -> ExpandedGasPolicyAnswer:
    """Create a gas policy; without rules it pays for every transaction on its chain."""
    body, project = call.body, call.project
    strategy = _read_strategy(project, body.strategy)
    row = FeeSponsorship(
        id=project.new_id("pol"),
        created_ms=call.now_ms,
        name=body.name,
        chain_id=body.chainId,
        enabled=True,
        strategy=strategy,
        policy_id=None,
        paymaster_id=body.paymaster,
        forwarder_contract_id=body.forwarderContract,
    )
    fee_sponsorships.add(project, row, _token_paths(strategy), _FORWARDER)
    return _answer(project, row)


@gas_policies.endpoint("GET /v1/policies/{id}", "GetGasPolicyLegacy", _READ, errors=_NOT_FOUND)
def get_gas_policy(call: Call[None, ExpandGasPolicy]) -> ExpandedGasPolicyAnswer:
    """Retrieve a gas policy; a deleted one says so."""
    row = fee_sponsorships.find_gas_policy(call.project, call.path["id"])
    return _answer(call.project, row, call.query.expand)


@gas_policies.endpoint(
    "POST /v1/policies/{id}",
    "UpdateGasPolicyLegacy",
    _WRITE,
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND, *_UNFIT),
)
def update_gas_policy(call: Call[UpdateGasPolicy]) -> ExpandedGasPolicyAnswer:
    """Change the given members. `deleted` deletes or restores a policy."""
    body, project = call.body, call.project
    strategy = None if body.strategy is None else _read_strategy(project, body.strategy)
    row = fee_sponsorships.find_gas_policy(project, call.path["id"])
    changed = row._replace(
        name=row.name if body.name is None else body.name,
        chain_id=row.chain_id if body.chainId is None else body.chainId,
        strategy=row.strategy if strategy is None else strategy,
        paymaster_id=body.paymaster or row.paymaster_id,
        forwarder_contract_id=body.forwarderContract or row.forwarder_contract_id,
        deleted=row.deleted if body.deleted is None else body.deleted,
    )
    paths = _token_paths(changed.strategy)
    return _answer(project, fee_sponsorships.change(project, row, changed, paths, _FORWARDER))


@gas_policies.endpoint(
    "DELETE /v1/policies/{id}",
    "DeleteGasPolicyLegacy",
    secret_key("fee_sponsorship:delete"),
    errors=_NOT_FOUND,
)
def delete_gas_policy(call: Call) -> Deleted:
    """Delete a gas policy: it pays no longer, and only lists with `deleted` show it."""
    policy = fee_sponsorships.find_gas_policy(call.project, call.path["id"])
    fee_sponsorships.delete(call.project, policy.id)
    return deletion_answer(policy.id, "policy")


@gas_policies.endpoint("PUT /v1/policies/{id}/disable", "DisableGasPolicyLegacy", _WRITE, errors=_NOT_FOUND)
def disable_gas_policy(call: Call) -> ExpandedGasPolicyAnswer:
    """Disable a gas policy: it does not pay until it is enabled."""
    return _set_enabled(call, enabled=False)


@gas_policies.endpoint("PUT /v1/policies/{id}/enable", "EnableGasPolicyLegacy", _WRITE, errors=_NOT_FOUND)
def enable_gas_policy(call: Call) -> ExpandedGasPolicyAnswer:
    """Enable a gas policy."""
    return _set_enabled(call, enabled=True)


# --- rows and answers ----------------------------------------------------------------------------------


def _set_enabled(call: Call, *, enabled: bool) -> ExpandedGasPolicyAnswer:
    project = call.project
    policy = fee_sponsorships.find_gas_policy(project, call.path["id"])
    return _answer(project, fee_sponsorships.set_enabled(project, policy.id, enabled=enabled))


def _token_paths(strategy: Strategy) -> list[str]:
    """The request paths of the tokens of a strategy."""
    return ["strategy.tokenContract"] * len(strategy.tokens)


def _read_strategy(project: Project, body: GasStrategyBody) -> Strategy:
    """Read and validate a strategy. ApiError with 400, or with 404 for an unknown depositor.

    Unlike a fee sponsorship's, the rate cannot be dynamic.
    """
    if body.sponsorSchema != "pay_for_user":
        for field in ("tokenContract", "tokenContractAmount"):
            if getattr(body, field) is None:
                raise wrong_field(f"strategy.{field}", f"is required for {body.sponsorSchema}")
    strategy = read_strategy(
        body.sponsorSchema,
        token_contracts=None,
        spl_tokens=None,
        token_contract=body.tokenContract,
        token_contract_amount=body.tokenContractAmount,
    )
    if body.depositor is not None:
        find_developer_account(project, body.depositor, "strategy.depositor")
    return strategy._replace(depositor=body.depositor)


def _answer(
    project: Project, row: FeeSponsorship, expand: Collection[Expansion] = ()
) -> ExpandedGasPolicyAnswer:
    answer = cast(ExpandedGasPolicyAnswer, gas_policy_answer(project, row))
    if "transactionIntents" in expand:
        answer["transactionIntents"] = latest_intent_answers(project, "fee_sponsorship_id", row.id)
    if "policyRules" in expand:
        rules = project.guardrails.gas_rules.find("sponsorship_id", row.id)
        answer["policyRules"] = [gas_rule_answer(project, rule) for rule in rules]
    return answer
