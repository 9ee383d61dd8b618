"""What gas costs."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.domain.chains.networks import BLOB_BASE_FEE, fees_of
from mockserver.nodes.doors import NODE
from mockserver.nodes.evm.blocks import GAS_LIMIT, gas_used_in
from mockserver.nodes.evm.chain import Chain, ask_chain
from mockserver.nodes.methods import Methods
from mockserver.nodes.values import Block, Quantity

methods = Methods("JSON-RPC", ask_chain, NODE)

_MOST_BLOCKS = 1024


class FeeHistory(TypedDict, total=False):
    """Fees of blocks that follow one another, and of the one after them."""

    oldestBlock: str
    baseFeePerGas: list[str]
    gasUsedRatio: list[float]
    baseFeePerBlobGas: list[str]
    blobGasUsedRatio: list[float]
    reward: list[list[str]]


@methods.method("eth_gasPrice")
def get_gas_price(chain: Chain) -> str:
    """Retrieve what a unit of gas costs now: base fee and priority fee."""
    return hex(fees_of(chain.project, chain.id).price)


@methods.method("eth_maxPriorityFeePerGas")
def get_priority_fee(chain: Chain) -> str:
    """Retrieve the usual priority fee."""
    return hex(fees_of(chain.project, chain.id).priority_fee)


@methods.method("eth_baseFee")
def get_base_fee(chain: Chain) -> str:
    """Retrieve the base fee of the next block."""
    return hex(fees_of(chain.project, chain.id).base_fee)


@methods.method("eth_blobBaseFee")
def get_blob_base_fee(chain: Chain) -> str:
    """Retrieve what a unit of blob gas costs."""
    return hex(BLOB_BASE_FEE)


@methods.method("eth_feeHistory")
def get_fee_history(
    chain: Chain,
    blockCount: Quantity,  # noqa: N803
    newestBlock: Block,  # noqa: N803
    rewardPercentiles: Annotated[list[float], Field(max_length=100)] = [],  # noqa: N803, B006
) -> FeeHistory:
    """Retrieve the fees of blocks: those that the project's settings say now, for all of them."""
    newest, fees = chain.number_of(newestBlock), fees_of(chain.project, chain.id)
    count = min(blockCount, _MOST_BLOCKS, newest + 1)
    oldest = newest - count + 1
    found: FeeHistory = {
        "oldestBlock": hex(oldest),
        "baseFeePerGas": [hex(fees.base_fee)] * (count + 1),
        "gasUsedRatio": [gas_used_in(chain, oldest + each) / GAS_LIMIT for each in range(count)],
        "baseFeePerBlobGas": [hex(BLOB_BASE_FEE)] * (count + 1),
        "blobGasUsedRatio": [0.0] * count,
    }
    if rewardPercentiles:
        found["reward"] = [[hex(fees.priority_fee)] * len(rewardPercentiles)] * count
    return found
