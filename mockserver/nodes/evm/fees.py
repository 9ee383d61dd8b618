"""What gas costs."""

from typing import Annotated, Any

from pydantic import Field

from mockserver.chain.transactions import GAS_PER_BLOB
from mockserver.domain.chains.networks import BLOB_BASE_FEE
from mockserver.nodes.envelope import refused
from mockserver.nodes.evm.blocks import GAS_LIMIT, base_fee_of, blob_gas_of, gas_used_by, rows_in
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.state import BLOBS
from mockserver.nodes.values import Block, Quantity

methods = NodeMethods()

_MOST_BLOCKS = 1024
_MOST_BLOB_GAS = BLOBS["max"] * GAS_PER_BLOB


methods.retrieve(
    {
        "eth_gasPrice": (
            "what a unit of gas costs now: base fee and priority fee",
            lambda chain: hex(chain.fees.price),
        ),
        "eth_maxPriorityFeePerGas": ("the usual priority fee", lambda chain: hex(chain.fees.priority_fee)),
        "eth_baseFee": ("the base fee of the next block", lambda chain: hex(chain.fees.base_fee)),
        "eth_blobBaseFee": ("what a unit of blob gas costs", lambda chain: hex(BLOB_BASE_FEE)),
    }
)


@methods.method("eth_feeHistory")
def get_fee_history(
    chain: Chain,
    blockCount: Quantity,
    newestBlock: Block,
    rewardPercentiles: Annotated[list[float], Field(max_length=100)] = [],
) -> dict[str, Any]:
    """Retrieve the fees of blocks: those of the settings now, unless transactions paid otherwise."""
    within = [0, *rewardPercentiles, 100]
    if within != sorted(within):
        raise refused("invalid reward percentile")
    newest, fees = chain.number_of(newestBlock), chain.fees
    count = min(blockCount, _MOST_BLOCKS, newest + 1)
    oldest = newest - count + 1
    blocks = [rows_in(chain, oldest + each) for each in range(count)]
    found: dict[str, Any] = {
        "oldestBlock": hex(oldest),
        "baseFeePerGas": [*(hex(base_fee_of(rows, fees.base_fee)) for rows in blocks), hex(fees.base_fee)],
        "gasUsedRatio": [gas_used_by(rows) / GAS_LIMIT for rows in blocks],
        "baseFeePerBlobGas": [hex(BLOB_BASE_FEE)] * (count + 1),
        "blobGasUsedRatio": [sum(map(blob_gas_of, rows)) / _MOST_BLOB_GAS for rows in blocks],
    }
    if rewardPercentiles:
        found["reward"] = [[hex(fees.priority_fee)] * len(rewardPercentiles)] * count
    return found
