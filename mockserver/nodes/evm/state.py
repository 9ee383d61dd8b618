"""The state of a chain: balances, nonces, code and storage; what gas costs, and the node itself."""

from typing import Annotated, Any
from zlib import crc32

from pydantic import Field

from mockserver import errors
from mockserver.chain.transactions import GAS_PER_BLOB
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import deposits, ledger
from mockserver.domain.chains.execution import code_seen
from mockserver.domain.chains.networks import BLOB_BASE_FEE
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import BUNDLER, NODE, invalid, refused
from mockserver.nodes.evm.blocks import GAS_LIMIT, base_fee_of, blob_gas_of, rows_in, used_by
from mockserver.nodes.evm.chain import Chain, NodeMethods, ask_chain, position
from mockserver.nodes.methods import Methods
from mockserver.nodes.values import Address, Block, Data, Quantity, to_hex, to_word
from mockserver.state.onchain import nonce_queue_of
from mockserver.version import __version__

everywhere = Methods(ask_chain, NODE, BUNDLER)
methods = NodeMethods()

CLIENT_VERSION = f"anvil/mockserver-v{__version__}"
_MOST_SLOTS = 1024
"""The most slots that are retrieved at once, as geth has it."""
_BLOBS = {"target": 6, "max": 9, "baseFeeUpdateFraction": 5_007_716}
"""The blobs of a block since Prague (EIP-7691)."""
_MOST_BLOB_GAS = _BLOBS["max"] * GAS_PER_BLOB
_MOST_BLOCKS = 1024


everywhere.retrieve({"eth_chainId": ("the id of the chain", lambda chain: hex(chain.id))})
methods.retrieve(
    {
        "eth_blockNumber": ("the number of the latest block", lambda chain: hex(chain.latest)),
        "net_version": ("the id of the network, which is that of the chain", lambda chain: str(chain.id)),
        "net_listening": ("whether the node listens to others", lambda chain: True),
        "net_peerCount": ("how many nodes it knows: none", lambda chain: "0x0"),
        "eth_syncing": ("whether the node is behind", lambda chain: False),
        "eth_protocolVersion": ("the version of the protocol", lambda chain: "0x41"),
        "eth_coinbase": ("the address to which gas fees are paid", lambda chain: ledger.FEE_RECIPIENT),
        "web3_clientVersion": (
            "name and version of the node. It begins as Anvil's, by which tools know test nodes",
            lambda chain: CLIENT_VERSION,
        ),
        "eth_gasPrice": (
            "what a unit of gas costs now: base fee and priority fee",
            lambda chain: hex(chain.fees.price),
        ),
        "eth_maxPriorityFeePerGas": ("the usual priority fee", lambda chain: hex(chain.fees.priority_fee)),
        "eth_baseFee": ("the base fee of the next block", lambda chain: hex(chain.fees.base_fee)),
        "eth_blobBaseFee": ("what a unit of blob gas costs", lambda chain: hex(BLOB_BASE_FEE)),
    }
)


@methods.method("web3_sha3")
def hash_data(chain: Chain, data: Data) -> str:
    """Hash data by Keccak-256."""
    return to_hex(keccak256(data))


@methods.method("eth_config")
def get_config(chain: Chain) -> dict[str, Any]:
    """Retrieve the rules of the chain: those of Osaka from its first block on, and no others."""
    from mockserver.chain.evm.precompiles import precompiles_of
    from mockserver.chain.evm.state import Fork

    genesis = bytes.fromhex(chain.hash_of(0)[2:])
    current = {
        "activationTime": 0,
        "blobSchedule": _BLOBS,
        "chainId": hex(chain.id),
        # Of a chain without later forks it is the checksum of the first block's hash (EIP-2124).
        "forkId": f"0x{crc32(genesis):08x}",
        "precompiles": {name: to_hex(address) for name, address in precompiles_of(Fork.OSAKA).items()},
        "systemContracts": {},
    }
    return {"current": current, "next": None, "last": None}


@methods.method("eth_capabilities")
def get_capabilities(chain: Chain) -> dict[str, Any]:
    """Retrieve from which block on the node has state, transactions, logs and receipts."""
    included = chain.included()
    last = position(included[-1])[0] if included else 0
    everything: dict[str, Any] = {"disabled": False, "oldestBlock": "0x0"}
    return {
        "head": {"number": hex(chain.latest), "hash": chain.hash_of(chain.latest)},
        # How far the history reaches back is not promised.
        "state": {**everything, "oldestBlock": hex(last)},
        "stateproofs": {"disabled": True},
        **dict.fromkeys(("tx", "logs", "receipts", "blocks"), everything),
    }


@methods.method("anvil_nodeInfo")
def get_node_info(chain: Chain) -> dict[str, Any]:
    """Retrieve rules, fees and latest block, by which Foundry's tools set up what they execute themselves."""
    fees = chain.fees
    prices = {"baseFee": hex(fees.base_fee), "gasPrice": hex(fees.price)}
    return {
        "currentBlockNumber": hex(chain.latest),
        "currentBlockTimestamp": chain.time_of(chain.latest),
        "currentBlockHash": chain.hash_of(chain.latest),
        "hardFork": "Osaka",
        "transactionOrder": "fifo",
        "environment": {**prices, "chainId": chain.id, "gasLimit": hex(GAS_LIMIT)},
        "forkConfig": dict.fromkeys(("forkUrl", "forkBlockNumber", "forkRetryBackoff")),
    }


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
        "gasUsedRatio": [sum(map(used_by, rows)) / GAS_LIMIT for rows in blocks],
        "baseFeePerBlobGas": [hex(BLOB_BASE_FEE)] * (count + 1),
        "blobGasUsedRatio": [sum(map(blob_gas_of, rows)) / _MOST_BLOB_GAS for rows in blocks],
    }
    if rewardPercentiles:
        found["reward"] = [[hex(fees.priority_fee)] * len(rewardPercentiles)] * count
    return found


@methods.method("eth_getBalance")
def get_balance(chain: Chain, address: Address, block: Block = "latest") -> str:
    """Retrieve the wei of an address."""
    chain = chain.at(block)
    return hex(deposits.account_at(chain.project, chain.id, address).balance)


@methods.method("eth_getTransactionCount")
def get_transaction_count(chain: Chain, address: Address, block: Block = "latest") -> str:
    """Retrieve the nonce of an address: with `pending` that of its next transaction."""
    chain = chain.at(block)
    here = chain.account(address)
    if block == "pending":
        return hex(here.nonce)
    waiting = chain.project.onchain.unmined(nonce_queue_of(chain.id, address))
    # `anvil_setNonce` may have set it below what was sent.
    return hex(max(0, here.nonce - len(waiting)))


@methods.method("eth_getCode")
def get_code(chain: Chain, address: Address, block: Block = "latest") -> str:
    """Retrieve the code of an address.

    A contract whose calls are simulated has one byte, a delegated account the designator of EIP-7702.
    """
    chain = chain.at(block)
    return to_hex(code_seen(chain.project, chain.id, address))


@methods.method("eth_getAccountInfo")
def get_account_info(chain: Chain, address: Address, block: Block = "latest") -> dict[str, str]:
    """Retrieve balance, nonce and code of an address in one, as forks of Foundry ask for them."""
    chain = chain.at(block)
    asked = {"balance": get_balance, "nonce": get_transaction_count, "code": get_code}
    return {name: ask(chain, address) for name, ask in asked.items()}


@methods.method("eth_getStorageAt")
def get_storage_at(chain: Chain, address: Address, slot: Quantity, block: Block = "latest") -> str:
    """Retrieve what is in a slot of the storage of an address."""
    chain = chain.at(block)
    return _slot(chain, address, slot)


@methods.method("eth_getStorageValues")
def get_storage_values(
    chain: Chain, requests: dict[Address, list[Quantity]], block: Block = "latest"
) -> dict[str, list[str]]:
    """Retrieve what is in slots of the storage of several addresses."""
    chain = chain.at(block)
    count = sum(map(len, requests.values()))
    if not 0 < count <= _MOST_SLOTS:
        raise invalid(f"too many slots (max {_MOST_SLOTS})" if count else "empty request")
    return {
        address.lower(): [_slot(chain, address, slot) for slot in slots]
        for address, slots in requests.items()
    }


def _slot(chain: Chain, address: str, slot: int) -> str:
    return to_word(ledger.slot_at(chain.project, chain.id, address, slot))


@methods.method("eth_getProof", errors=(errors.RPC_NOT_SUPPORTED,))
def get_proof(chain: Chain, address: Address, slots: list[Quantity], block: Block = "latest") -> Any:
    """Proofs of state are not made: simulated chains have no state trie."""
    raise RpcError(errors.RPC_NOT_SUPPORTED, reason="proofs are not supported: there is no state trie")
