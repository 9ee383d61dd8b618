"""Fee sponsorships: who pays for gas, and in what (specification, Fee sponsorship (v2))."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.answers.fee_sponsorships import FeeSponsorshipAnswer, fee_sponsorship_answer
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.finding import require
from mockserver.api.shapes import DEFAULT_LIMIT, deleted, listing, page_limit
from mockserver.api.wire import (
    Body,
    ChainId,
    Deleted,
    ForwarderContractId,
    Id,
    Listing,
    Name,
    PageQuery,
    PaymasterId,
    Text,
    Wei,
)
from mockserver.domain.chains import require_chain
from mockserver.domain.payers import check_changed_payers, check_forwarder_contract, check_paymaster
from mockserver.domain.strategies import SponsorSchema, check_tokens, read_strategy
from mockserver.errors import Refusal
from mockserver.state.guardrails import AcceptedToken, FeeSponsorship, Strategy
from mockserver.state.project import Project

fee_sponsorship = Group("Fee Sponsorship")


_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")


class TokenBody(Body):
    """A token the user may pay in. Without a static rate, `amount`, the rate is dynamic."""

    contract: Id
    amount: Wei | None = None


class StrategyBody(Body):
    """Who pays. The three ways to name tokens exclude each other."""

    sponsorSchema: SponsorSchema
    tokenContract: Id | None = None
    tokenContractAmount: Wei | None = None
    splTokens: Annotated[list[str], Field(min_length=1, max_length=100)] | None = None
    tokenContracts: Annotated[list[TokenBody], Field(min_length=1, max_length=100)] | None = None


class CreateFeeSponsorship(Body):
    """A fee sponsorship to create."""

    strategy: StrategyBody
    policyId: Id
    name: Name | None = None
    paymaster: PaymasterId | None = None
    chainId: ChainId | None = None
    forwarderContractId: ForwarderContractId | None = None


class UpdateFeeSponsorship(Body):
    """What to change; a strategy replaces the one there was."""

    name: Name | None = None
    strategy: StrategyBody | None = None
    chainId: ChainId | None = None
    forwarderContractId: ForwarderContractId | None = None
    policyId: Id | None = None


class ListFeeSponsorships(PageQuery):
    """Filters of the list."""

    name: Text | None = None
    chainId: ChainId | None = None
    enabled: bool | None = None
    deleted: bool = False


@fee_sponsorship.endpoint("GET", "/v2/fee-sponsorship", "ListFeeSponsorships", _READ)
def list_fee_sponsorships(call: Call[None, ListFeeSponsorships]) -> Listing[FeeSponsorshipAnswer]:
    """List fee sponsorships, newest first."""
    query = call.query
    page = call.project.guardrails.fee_sponsorships.page(
        skip=query.skip,
        limit=page_limit(query, DEFAULT_LIMIT),
        order=query.order,
        where={
            "deleted": None if query.deleted else False,
            "chain_id": query.chainId,
            "enabled": query.enabled,
        },
        accept=_named(query.name) if query.name else None,
    )
    return listing(call, page, fee_sponsorship_answer, DEFAULT_LIMIT)


@fee_sponsorship.endpoint(
    "POST",
    "/v2/fee-sponsorship",
    "CreateFeeSponsorship",
    _WRITE,
    status=201,
    errors=(
        errors.POLICY_NOT_FOUND,
        errors.CONTRACT_NOT_FOUND,
        errors.PAYMASTER_NOT_FOUND,
        errors.FORWARDER_CONTRACT_NOT_FOUND,
        errors.CHAIN_OF_OTHER_MODE,
    ),
)
def create_fee_sponsorship(call: Call[CreateFeeSponsorship]) -> FeeSponsorshipAnswer:
    """Create a fee sponsorship for a policy that was created before."""
    body, project = call.body, call.project
    strategy = _read_strategy(body.strategy)
    if body.chainId is not None:
        require_chain(project, body.chainId)
    check_tokens(project, strategy, body.chainId, _token_paths(body.strategy, strategy))
    _require_policy(project, body.policyId)
    if body.paymaster is not None:
        check_paymaster(project, body.paymaster, strategy.sponsor_schema)
    if body.forwarderContractId is not None:
        check_forwarder_contract(project, body.forwarderContractId, body.chainId)
    sponsorship = project.guardrails.fee_sponsorships.insert(
        FeeSponsorship(
            id=project.new_id("pol"),
            created_ms=call.now_ms,
            name=body.name,
            chain_id=body.chainId,
            enabled=True,
            strategy=strategy,
            policy_id=body.policyId,
            paymaster_id=body.paymaster,
            forwarder_contract_id=body.forwarderContractId,
        )
    )
    return fee_sponsorship_answer(sponsorship)


@fee_sponsorship.endpoint(
    "GET",
    "/v2/fee-sponsorship/{feeSponsorshipId}",
    "GetFeeSponsorship",
    _READ,
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND,),
)
def get_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Retrieve a fee sponsorship."""
    return fee_sponsorship_answer(_require(call))


@fee_sponsorship.endpoint(
    "PUT",
    "/v2/fee-sponsorship/{feeSponsorshipId}",
    "UpdateFeeSponsorship",
    _WRITE,
    errors=(
        errors.FEE_SPONSORSHIP_NOT_FOUND,
        errors.POLICY_NOT_FOUND,
        errors.CONTRACT_NOT_FOUND,
        errors.FORWARDER_CONTRACT_NOT_FOUND,
        errors.CHAIN_OF_OTHER_MODE,
    ),
)
def update_fee_sponsorship(call: Call[UpdateFeeSponsorship]) -> FeeSponsorshipAnswer:
    """Change a fee sponsorship; what is left out stays."""
    body, project = call.body, call.project
    strategy = None if body.strategy is None else _read_strategy(body.strategy)
    if body.chainId is not None:
        require_chain(project, body.chainId)
    row = _require(call)
    changed = row._replace(
        name=row.name if body.name is None else body.name,
        strategy=row.strategy if strategy is None else strategy,
        chain_id=row.chain_id if body.chainId is None else body.chainId,
        forwarder_contract_id=body.forwarderContractId or row.forwarder_contract_id,
        policy_id=body.policyId or row.policy_id,
    )
    if strategy is not None or body.chainId is not None:
        paths = _token_paths(body.strategy, changed.strategy)
        check_tokens(project, changed.strategy, changed.chain_id, paths)
    if body.policyId is not None:
        _require_policy(project, body.policyId)
    check_changed_payers(project, row, changed)
    return fee_sponsorship_answer(project.guardrails.fee_sponsorships.replace(changed))


@fee_sponsorship.endpoint(
    "DELETE",
    "/v2/fee-sponsorship/{feeSponsorshipId}",
    "DeleteFeeSponsorship",
    secret_key("fee_sponsorship:delete"),
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND,),
)
def delete_fee_sponsorship(call: Call) -> Deleted:
    """Delete a fee sponsorship: it pays for nothing any more, and only lists that ask show it."""
    row = _require(call)
    call.project.guardrails.fee_sponsorships.replace(row._replace(deleted=True))
    return deleted(row.id, "feeSponsorship")


@fee_sponsorship.endpoint(
    "PUT",
    "/v2/fee-sponsorship/{feeSponsorshipId}/enable",
    "EnableFeeSponsorship",
    _WRITE,
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND,),
)
def enable_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Let a fee sponsorship pay again."""
    return _switch(call, enabled=True)


@fee_sponsorship.endpoint(
    "PUT",
    "/v2/fee-sponsorship/{feeSponsorshipId}/disable",
    "DisableFeeSponsorship",
    _WRITE,
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND,),
)
def disable_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Keep a fee sponsorship from paying until it is enabled."""
    return _switch(call, enabled=False)


def _switch(call: Call, *, enabled: bool) -> FeeSponsorshipAnswer:
    changed = _require(call)._replace(enabled=enabled)
    return fee_sponsorship_answer(call.project.guardrails.fee_sponsorships.replace(changed))


def _require(call: Call[Any]) -> FeeSponsorship:
    row_id = call.path["feeSponsorshipId"]
    row = require(call.project.guardrails.fee_sponsorships, row_id, errors.FEE_SPONSORSHIP_NOT_FOUND)
    if row.deleted:
        raise Refusal(errors.FEE_SPONSORSHIP_NOT_FOUND, id=row_id)
    return row


def _require_policy(project: Project, policy_id: str) -> None:
    policy = require(project.guardrails.policies, policy_id, errors.POLICY_NOT_FOUND, "policyId")
    if policy.deleted:
        raise Refusal(errors.POLICY_NOT_FOUND, param="policyId", id=policy_id)


def _read_strategy(body: StrategyBody) -> Strategy:
    return read_strategy(
        body.sponsorSchema,
        token_contracts=[AcceptedToken(token.contract, token.amount) for token in body.tokenContracts or ()],
        spl_tokens=body.splTokens,
        token_contract=body.tokenContract,
        token_contract_amount=body.tokenContractAmount,
    )


def _token_paths(body: StrategyBody | None, strategy: Strategy) -> list[str]:
    """Where the tokens of a strategy were named; those of an earlier call, in the list."""
    if body is not None and body.tokenContract is not None:
        return ["strategy.tokenContract"]
    return [f"strategy.tokenContracts[{at}].contract" for at in range(len(strategy.tokens))]


def _named(part: str) -> Callable[[FeeSponsorship], bool]:
    wanted = part.lower()
    return lambda row: row.name is not None and wanted in row.name.lower()
