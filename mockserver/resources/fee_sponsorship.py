"""Fee sponsorships: the payer of gas, and the tokens for it (specification, Fee sponsorship (v2))."""

from typing import Annotated, Any

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
    Text,
    Wei,
)
from mockserver.domain.chains.networks import CHAIN_ERRORS
from mockserver.domain.sponsorship import fee_sponsorships
from mockserver.domain.sponsorship.strategies import SponsorSchema, read_strategy
from mockserver.responses.fee_sponsorships import FeeSponsorshipAnswer, fee_sponsorship_answer
from mockserver.responses.lists import DEFAULT_LIMIT, Listing, list_rows, name_contains
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.state.guardrails import AcceptedToken, FeeSponsorship, Strategy

fee_sponsorship = Group("Fee Sponsorship")


_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")
_NOT_FOUND = (errors.FEE_SPONSORSHIP_NOT_FOUND,)
_FORWARDER = "forwarderContractId"


class TokenBody(Body):
    """A token the user may pay in. Without a static rate, `amount`, the rate is dynamic."""

    contract: Id
    """The token, `con_...` or its address."""
    amount: Wei | None = None
    """The fixed rate; a dynamic one without it."""


class StrategyBody(Body):
    """Who pays. The three ways to name tokens exclude each other."""

    sponsorSchema: SponsorSchema
    tokenContract: Annotated[Id | None, Field(deprecated=True)] = None
    tokenContractAmount: Annotated[Wei | None, Field(deprecated=True)] = None
    splTokens: Annotated[list[str], Field(min_length=1, max_length=100)] | None = None
    tokenContracts: Annotated[list[TokenBody], Field(min_length=1, max_length=100)] | None = None


class CreateFeeSponsorship(Body):
    """A fee sponsorship to create."""

    strategy: StrategyBody
    policyId: Id
    name: Name | None = None
    description: Text | None = None
    paymaster: PaymasterId | None = None
    chainId: ChainId | None = None
    forwarderContractId: ForwarderContractId | None = None


class UpdateFeeSponsorship(Body):
    """What to change; a strategy is replaced as a whole."""

    name: Name | None = None
    description: Text | None = None
    strategy: StrategyBody | None = None
    chainId: ChainId | None = None
    forwarderContractId: ForwarderContractId | None = None
    policyId: Id | None = None


class ListFeeSponsorships(PageQuery):
    """Filters of the list."""

    name: Text | None = None
    """A part of the name, in any case."""
    chainId: ChainId | None = None
    enabled: bool | None = None
    deleted: bool = False


@fee_sponsorship.endpoint("GET /v2/fee-sponsorship", "ListFeeSponsorships", _READ)
def list_fee_sponsorships(call: Call[None, ListFeeSponsorships]) -> Listing[FeeSponsorshipAnswer]:
    """List fee sponsorships, newest first."""
    query = call.query
    return list_rows(
        call,
        call.project.guardrails.fee_sponsorships,
        fee_sponsorship_answer,
        default_limit=DEFAULT_LIMIT,
        where={
            "deleted": None if query.deleted else False,
            "chain_id": query.chainId,
            "enabled": query.enabled,
        },
        accept=name_contains(query.name),
    )


@fee_sponsorship.endpoint(
    "POST /v2/fee-sponsorship",
    "CreateFeeSponsorship",
    _WRITE,
    status=201,
    errors=(
        errors.POLICY_NOT_FOUND,
        errors.CONTRACT_NOT_FOUND,
        errors.PAYMASTER_NOT_FOUND,
        errors.FORWARDER_CONTRACT_NOT_FOUND,
        *CHAIN_ERRORS,
    ),
)
def create_fee_sponsorship(call: Call[CreateFeeSponsorship]) -> FeeSponsorshipAnswer:
    """Create a fee sponsorship for a policy that was created before."""
    body, project = call.body, call.project
    strategy = _read_strategy(body.strategy)
    row = FeeSponsorship(
        id=project.new_id("pol"),
        created_ms=call.now_ms,
        name=body.name,
        chain_id=body.chainId,
        enabled=True,
        strategy=strategy,
        policy_id=body.policyId,
        description=body.description,
        paymaster_id=body.paymaster,
        forwarder_contract_id=body.forwarderContractId,
    )
    fee_sponsorships.add(project, row, _token_paths(body.strategy, strategy), _FORWARDER)
    return fee_sponsorship_answer(row)


@fee_sponsorship.endpoint(
    "GET /v2/fee-sponsorship/{feeSponsorshipId}", "GetFeeSponsorship", _READ, errors=_NOT_FOUND
)
def get_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Retrieve a fee sponsorship."""
    return fee_sponsorship_answer(_find(call))


@fee_sponsorship.endpoint(
    "PUT /v2/fee-sponsorship/{feeSponsorshipId}",
    "UpdateFeeSponsorship",
    _WRITE,
    errors=(
        errors.FEE_SPONSORSHIP_NOT_FOUND,
        errors.POLICY_NOT_FOUND,
        errors.CONTRACT_NOT_FOUND,
        errors.FORWARDER_CONTRACT_NOT_FOUND,
        *CHAIN_ERRORS,
    ),
)
def update_fee_sponsorship(call: Call[UpdateFeeSponsorship]) -> FeeSponsorshipAnswer:
    """Change a fee sponsorship; what is left out stays."""
    body, project = call.body, call.project
    strategy = None if body.strategy is None else _read_strategy(body.strategy)
    row = _find(call)
    changed = row._replace(
        name=row.name if body.name is None else body.name,
        description=row.description if body.description is None else body.description,
        strategy=row.strategy if strategy is None else strategy,
        chain_id=row.chain_id if body.chainId is None else body.chainId,
        forwarder_contract_id=body.forwarderContractId or row.forwarder_contract_id,
    )
    paths = _token_paths(body.strategy, changed.strategy)
    after = fee_sponsorships.change(project, row, changed, paths, _FORWARDER, body.policyId)
    return fee_sponsorship_answer(after)


@fee_sponsorship.endpoint(
    "DELETE /v2/fee-sponsorship/{feeSponsorshipId}",
    "DeleteFeeSponsorship",
    secret_key("fee_sponsorship:delete"),
    errors=_NOT_FOUND,
)
def delete_fee_sponsorship(call: Call) -> Deleted:
    """Delete a fee sponsorship: it pays no longer, and only lists with `deleted` show it."""
    fee_sponsorships.delete(call.project, call.path["feeSponsorshipId"])
    return deletion_answer(call.path["feeSponsorshipId"], "feeSponsorship")


@fee_sponsorship.endpoint(
    "PUT /v2/fee-sponsorship/{feeSponsorshipId}/enable", "EnableFeeSponsorship", _WRITE, errors=_NOT_FOUND
)
def enable_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Enable a fee sponsorship."""
    return _set_enabled(call, enabled=True)


@fee_sponsorship.endpoint(
    "PUT /v2/fee-sponsorship/{feeSponsorshipId}/disable", "DisableFeeSponsorship", _WRITE, errors=_NOT_FOUND
)
def disable_fee_sponsorship(call: Call) -> FeeSponsorshipAnswer:
    """Disable a fee sponsorship: it does not pay until it is enabled."""
    return _set_enabled(call, enabled=False)


def _set_enabled(call: Call, *, enabled: bool) -> FeeSponsorshipAnswer:
    row_id = call.path["feeSponsorshipId"]
    return fee_sponsorship_answer(fee_sponsorships.set_enabled(call.project, row_id, enabled=enabled))


def _find(call: Call[Any]) -> FeeSponsorship:
    return fee_sponsorships.find_sponsorship(call.project, call.path["feeSponsorshipId"])


def _read_strategy(body: StrategyBody) -> Strategy:
    return read_strategy(
        body.sponsorSchema,
        token_contracts=[AcceptedToken(token.contract, token.amount) for token in body.tokenContracts or ()],
        spl_tokens=body.splTokens,
        token_contract=body.tokenContract,
        token_contract_amount=body.tokenContractAmount,
    )


def _token_paths(body: StrategyBody | None, strategy: Strategy) -> list[str]:
    """The request paths of the tokens of a strategy; for an unchanged strategy those of a list."""
    if body is not None and body.tokenContract is not None:
        return ["strategy.tokenContract"]
    return [f"strategy.tokenContracts[{at}].contract" for at in range(len(strategy.tokens))]
