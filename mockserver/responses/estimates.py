"""Estimates of the cost of transactions, as both APIs show them (specification, Transaction intents)."""

from typing import NotRequired

from typing_extensions import TypedDict

from mockserver.responses.shapes import ABSENT, present
from mockserver.state.onchain import Estimate


class EstimateAnswer(TypedDict):
    """What a transaction will cost: gas, its fee in wei, US dollars and tokens, and the price of gas."""

    estimatedTXGas: str
    estimatedTXGasFee: str
    estimatedTXGasFeeUSD: str
    estimatedTXGasFeeToken: NotRequired[str]
    gasPrice: str


def estimate_answer(estimate: Estimate) -> EstimateAnswer:
    """An estimate, with tokens when they pay."""
    answer: EstimateAnswer = {
        "estimatedTXGas": str(estimate.gas),
        "estimatedTXGasFee": str(estimate.fee),
        "estimatedTXGasFeeUSD": estimate.fee_usd,
        "gasPrice": str(estimate.price),
        "estimatedTXGasFeeToken": ABSENT if estimate.token_fee is None else str(estimate.token_fee),
    }
    return present(answer)
