"""Fee sponsorships as the API shows them (specification, Fee sponsorship (v2))."""

from typing import Literal, NotRequired, TypedDict

from mockserver.api.shapes import seconds
from mockserver.state.guardrails import FeeSponsorship, Strategy


class TokenContractAnswer(TypedDict):
    """A token the user may pay in, at a static rate unless `amount` is absent."""

    contract: str
    amount: NotRequired[str]


class StrategyAnswer(TypedDict):
    """Who pays, and in what."""

    sponsorSchema: str
    tokenContracts: NotRequired[list[TokenContractAnswer]]
    tokenContract: NotRequired[str]
    tokenContractAmount: NotRequired[str]
    dynamicExchangeRate: NotRequired[bool]
    splTokens: NotRequired[list[str]]


class FeeSponsorshipAnswer(TypedDict):
    """A fee sponsorship."""

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
        "createdAt": seconds(row.created_ms),
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
    """One accepted token is also shown as the deprecated pair."""
    answer: StrategyAnswer = {"sponsorSchema": strategy.sponsor_schema}
    if strategy.spl_tokens:
        answer["splTokens"] = list(strategy.spl_tokens)
    if not strategy.tokens:
        return answer
    answer["tokenContracts"] = [
        {"contract": token.contract}
        if token.amount is None
        else {"contract": token.contract, "amount": token.amount}
        for token in strategy.tokens
    ]
    answer["dynamicExchangeRate"] = any(token.amount is None for token in strategy.tokens)
    if len(strategy.tokens) == 1:
        answer["tokenContract"] = strategy.tokens[0].contract
        if strategy.tokens[0].amount is not None:
            answer["tokenContractAmount"] = strategy.tokens[0].amount
    return answer
