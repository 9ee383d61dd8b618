"""Fee sponsorships as the API shows them (specification, Fee sponsorship (v2))."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.shapes import optional, present
from mockserver.state.guardrails import FeeSponsorship, Strategy


class TokenAnswer(TypedDict):
    """An accepted token."""

    contract: str
    """The token, `con_...` or its address."""
    amount: NotRequired[str]
    """The fixed rate; absent for a dynamic one."""


class StrategyAnswer(TypedDict):
    """A strategy; one with a single ERC-20 token also shows it in the deprecated pair."""

    sponsorSchema: str
    tokenContract: NotRequired[Annotated[str, Field(deprecated=True)]]
    tokenContractAmount: NotRequired[Annotated[str, Field(deprecated=True)]]
    dynamicExchangeRate: NotRequired[bool]
    splTokens: NotRequired[list[str]]
    tokenContracts: NotRequired[list[TokenAnswer]]


class FeeSponsorshipAnswer(TypedDict):
    """A fee sponsorship, as the specification's Fee sponsorship (v2)."""

    id: str
    object: Literal["feeSponsorship"]
    createdAt: int
    name: str | None
    description: str | None
    chainId: int | None
    enabled: bool
    strategy: StrategyAnswer
    paymasterId: str | None
    forwarderContractId: str | None
    policyId: str | None


def fee_sponsorship_answer(row: FeeSponsorship) -> FeeSponsorshipAnswer:
    """A fee sponsorship as the API shows it."""
    return {
        "id": row.id,
        "object": "feeSponsorship",
        "createdAt": to_seconds(row.created_ms),
        "name": row.name,
        "description": row.description,
        "chainId": row.chain_id,
        "enabled": row.enabled,
        "strategy": _strategy_answer(row.strategy),
        "paymasterId": row.paymaster_id,
        "forwarderContractId": row.forwarder_contract_id,
        "policyId": row.policy_id,
    }


def _strategy_answer(strategy: Strategy) -> StrategyAnswer:
    answer: StrategyAnswer = {"sponsorSchema": strategy.sponsor_schema}
    tokens = strategy.tokens
    if tokens:
        shown = [TokenAnswer(contract=token.contract, amount=optional(token.amount)) for token in tokens]
        answer["tokenContracts"] = [present(token) for token in shown]
    if strategy.spl_tokens:
        answer["splTokens"] = list(strategy.spl_tokens)
    if tokens or strategy.spl_tokens:
        answer["dynamicExchangeRate"] = not tokens or any(token.amount is None for token in tokens)
    if len(tokens) == 1:
        answer["tokenContract"] = tokens[0].contract
        if tokens[0].amount is not None:
            answer["tokenContractAmount"] = tokens[0].amount
    return answer
