"""Blocks, their transactions and receipts, as the execution API shows them."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from mockserver.chain.rpc_shapes import bloom, encode_receipt, fields_of, fields_of_raw, show_signature
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import ENTRY_POINTS, handle_ops
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.secp256k1 import Signature
from mockserver.domain.chains import ledger
from mockserver.domain.chains.entry_points import BUNDLER
from mockserver.domain.chains.networks import BLOB_BASE_FEE
from mockserver.domain.transactions.mining import offered_fees
from mockserver.nodes.evm.chain import Chain, NodeMethods, position
from mockserver.nodes.values import Block, Hash, Quantity, to_hex
from mockserver.state.chains import PlainExecution, RawExecution, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import BlockPosition, Log, Transaction

methods = NodeMethods()

GAS_LIMIT = 30_000_000
_EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
_NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
_NO_REQUESTS = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
_ZERO_HASH = "0x" + "00" * 32
_UNPROTECTED = ("0x1b", "0x1c")
"""The recovery numbers of a signature for any chain, as before EIP-155."""

# --- blocks ----------------------------------------------------------------------------------------------


@methods.method("eth_getBlockByNumber")
def get_block_by_number(chain: Chain, block: Block, full: bool = False) -> dict[str, Any] | None:
    """Retrieve a block by its number or tag."""
    if block == "pending":
        return show_block(chain, chain.latest + 1, chain.waiting(), full=full)
    number = chain.find_number(block)
    return None if number is None else show_block(chain, number, full=full)


@methods.method("eth_getBlockByHash")
def get_block_by_hash(chain: Chain, block: Hash, full: bool = False) -> dict[str, Any] | None:
    """Retrieve a block by its hash."""
    number = chain.find_number(block)
    return None if number is None else show_block(chain, number, full=full)


@methods.method("eth_getBlockTransactionCountByNumber", "eth_getBlockTransactionCountByHash")
def count_transactions(chain: Chain, block: Block) -> str | None:
    """Count the transactions in a block."""
    rows = _rows_of(chain, block)
    return None if rows is None else hex(len(rows))


@methods.method("eth_getUncleCountByBlockNumber", "eth_getUncleCountByBlockHash")
def count_uncles(chain: Chain, block: Block) -> str | None:
    """Count the uncles of a block: none."""
    return None if _rows_of(chain, block) is None else "0x0"


@methods.method("eth_getUncleByBlockNumberAndIndex", "eth_getUncleByBlockHashAndIndex")
def get_uncle(chain: Chain, block: Block, index: Quantity) -> None:
    """Retrieve an uncle of a block, of which there are none."""


@methods.method("eth_getBlockReceipts")
def get_block_receipts(chain: Chain, block: Block) -> list[dict[str, Any]] | None:
    """Retrieve the receipts of all transactions in a block."""
    rows = None if block == "pending" else _rows_of(chain, block)
    return None if rows is None else _show_receipts(chain, rows)


@methods.method("debug_getRawReceipts")
def get_raw_receipts(chain: Chain, block: Block) -> list[str]:
    """Retrieve the receipts of all transactions in a block as they are hashed (EIP-2718)."""
    return [
        to_hex(encode_receipt(each)) for each in _show_receipts(chain, rows_in(chain, chain.number_of(block)))
    ]


# --- transactions ----------------------------------------------------------------------------------------


@methods.method("eth_getTransactionByBlockNumberAndIndex", "eth_getTransactionByBlockHashAndIndex")
def get_transaction_in_block(chain: Chain, block: Block, index: Quantity) -> dict[str, Any] | None:
    """Retrieve a transaction by its place in a block."""
    rows = _rows_of(chain, block) or ()
    return show_transaction(chain, rows[index]) if index < len(rows) else None


@methods.method("eth_getTransactionReceipt")
def get_receipt(chain: Chain, hash: Hash) -> dict[str, Any] | None:
    """Retrieve the receipt of a transaction that is in a block."""
    row = chain.find(hash)
    return None if row is None or row.included is None else show_receipt(chain, row)


# --- how they are shown ----------------------------------------------------------------------------------


def rows_in(chain: Chain, number: int) -> list[Transaction]:
    """The transactions in a block, in their order."""
    return chain.included(number, number)


def base_fee_of(rows: Sequence[Transaction], fee: int) -> int:
    """The base fee of a block: the one that is set now, unless its transactions paid otherwise (EIP-1559)."""
    for row in rows:
        assert row.execution is not None
        price, (most, priority) = _price_paid(row), offered_fees(row.execution)
        if 0 < price < most:
            return price - priority
        # One that paid all that it offered tells between what the fee was.
        fee = min(max(fee, price - priority), price) if price else fee
    return fee


def show_block(
    chain: Chain, number: int, rows: list[Transaction] | None = None, *, full: bool = False
) -> dict[str, Any]:
    """A block, with other transactions than its own if they are given.

    What would prove its content is made up: simulated chains have no tries.
    """
    rows, hash_ = rows_in(chain, number) if rows is None else rows, chain.hash_of(number)
    return {
        "number": hex(number),
        "hash": hash_,
        "parentHash": chain.hash_of(number - 1) if number else _ZERO_HASH,
        "nonce": "0x0000000000000000",
        "sha3Uncles": _NO_UNCLES,
        "logsBloom": bloom([log for row in rows if row.receipt for log in row.receipt.logs]),
        "transactionsRoot": made_up("transactions", hash_) if rows else _EMPTY_TRIE,
        "stateRoot": made_up("state", hash_),
        "receiptsRoot": made_up("receipts", hash_) if rows else _EMPTY_TRIE,
        "miner": ledger.FEE_RECIPIENT,
        "difficulty": "0x0",
        "extraData": "0x",
        "size": hex(540 + sum(len(raw_of(row)) for row in rows)),
        "gasLimit": hex(GAS_LIMIT),
        "gasUsed": hex(sum(map(used_by, rows))),
        "timestamp": hex(chain.time_of(number)),
        "transactions": [show_transaction(chain, row) if full else hash_of(row) for row in rows],
        "uncles": [],
        "mixHash": hash_,
        "baseFeePerGas": hex(base_fee_of(rows, chain.fees.base_fee)),
        "withdrawals": [],
        "withdrawalsRoot": _EMPTY_TRIE,
        "blobGasUsed": hex(sum(map(blob_gas_of, rows))),
        "excessBlobGas": "0x0",
        "parentBeaconBlockRoot": _ZERO_HASH,
        "requestsHash": _NO_REQUESTS,
    }


def show_transaction(chain: Chain, row: Transaction) -> dict[str, Any]:
    """A transaction, in a block or waiting for one."""
    included = row.included
    fields = _fields_of(row)
    shown = {
        **_identify(row.chain_id, hash_of(row), fields),
        "blockHash": included.place.block_hash if included else None,
        "blockNumber": hex(included.place.block_number) if included else None,
        "transactionIndex": hex(included.place.transaction_index) if included else None,
        **fields,
    }
    if included:
        shown["blockTimestamp"] = hex(chain.time_of(included.place.block_number))
    if "gasPrice" not in shown:
        # What it pays is known once it is in a block.
        shown["gasPrice"] = hex(_price_paid(row)) if included else shown["maxFeePerGas"]
    return shown


def _identify(chain_id: int, hash_: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The hash of a transaction, and the chain that it is signed for; one may be for any (before EIP-155)."""
    return {"hash": hash_} if fields["v"] in _UNPROTECTED else {"hash": hash_, "chainId": hex(chain_id)}


def show_receipt(chain: Chain, row: Transaction) -> dict[str, Any]:
    """The receipt of a transaction that is in a block."""
    place = position(row)
    rows = rows_in(chain, place[0])
    return _show_receipt(chain, row, sum(used_by(each) for each in rows if position(each) < place))


def _show_receipts(chain: Chain, rows: Sequence[Transaction]) -> list[dict[str, Any]]:
    """The receipts of all transactions in a block, in one pass."""
    before = accumulate(map(used_by, rows), initial=0)
    return [_show_receipt(chain, row, used) for row, used in zip(rows, before, strict=False)]


def used_by(row: Transaction) -> int:
    """The gas that a transaction has used."""
    return (row.receipt.gas_used or 0) if row.receipt else 0


def _price_paid(row: Transaction) -> int:
    """What a transaction in a block paid for a unit of gas."""
    receipt, used = row.receipt, used_by(row)
    return (receipt.gas_fee or 0) // used if receipt and used else 0


def _show_receipt(chain: Chain, row: Transaction, before: int) -> dict[str, Any]:
    """The receipt of a transaction before which its block used so much gas."""
    receipt, included, execution = row.receipt, row.included, row.execution
    assert receipt is not None
    assert included is not None
    place, used = included.place, used_by(row)
    # The transaction of a bundle succeeds also when the calls of its user operation are reverted.
    failed = receipt.error is not None and not isinstance(execution, UserOperationExecution)
    fields = _fields_of(row)
    shown = {
        "type": fields["type"],
        "status": "0x0" if failed else "0x1",
        "transactionHash": included.transaction_hash,
        "transactionIndex": hex(place.transaction_index),
        "blockHash": place.block_hash,
        "blockNumber": hex(place.block_number),
        "from": fields["from"],
        "to": fields["to"],
        "cumulativeGasUsed": hex(before + used),
        "gasUsed": hex(used),
        "effectiveGasPrice": hex(_price_paid(row)),
        # Also of a creation that failed: it is where the contract would be.
        "contractAddress": row.calls[0].to.lower() if fields["to"] is None else None,
        "logs": show_logs(chain, row),
        "logsBloom": bloom(receipt.logs),
    }
    if receipt.l1_gas_fee is not None:
        on_l1 = receipt.l1_gas_used or 0
        shown |= {"l1Fee": hex(receipt.l1_gas_fee), "l1GasUsed": hex(on_l1), "l1FeeScalar": "1"}
        shown["l1GasPrice"] = hex(receipt.l1_gas_fee // on_l1 if on_l1 else 0)
    if blob_gas_of(row):
        shown |= {"blobGasUsed": hex(blob_gas_of(row)), "blobGasPrice": hex(BLOB_BASE_FEE)}
    return shown


def blob_gas_of(row: Transaction) -> int:
    """The gas of the blobs of a transaction."""
    return row.execution.transaction.blob_gas if isinstance(row.execution, RawExecution) else 0


def show_logs(chain: Chain, row: Transaction) -> list[dict[str, Any]]:
    """The logs of a transaction that is in a block, or of the last one that it was in."""
    included = row.included or (row.taken_back[-1] if row.taken_back else None)
    if included is None:
        return []
    at_s = chain.time_of(included.place.block_number)
    return list_logs(included.logs, included.place, included.transaction_hash, at_s)


def list_logs(
    logs: Sequence[Log], place: BlockPosition, transaction_hash: str, at_s: int
) -> list[dict[str, Any]]:
    """Logs of a transaction at its place in a block, whose time is in seconds."""
    return [
        {
            "address": log.address.lower(),
            "topics": list(log.topics),
            "data": log.data,
            "blockNumber": hex(place.block_number),
            "blockHash": place.block_hash,
            "blockTimestamp": hex(at_s),
            "transactionHash": transaction_hash,
            "transactionIndex": hex(place.transaction_index),
            "logIndex": hex(place.first_log_index + number),
            "removed": False,
        }
        for number, log in enumerate(logs)
    ]


def _rows_of(chain: Chain, block: int | bytes | str) -> list[Transaction] | None:
    """The transactions in a block, or in the next one; None if there is no such block."""
    if block == "pending":
        return chain.waiting()
    number = chain.find_number(block)
    return None if number is None else rows_in(chain, number)


def hash_of(row: Transaction) -> str:
    """The hash of a transaction that has one."""
    return (row.chain_hash or "").partition(":")[2]


def made_up(what: str, block_hash: str) -> str:
    """What stands for a root that a block has."""
    return to_hex(keccak256(f"{what}/{block_hash}".encode()))


def raw_of(row: Transaction) -> bytes:
    """A transaction as it was signed; nothing if it was not."""
    execution = row.execution
    if isinstance(execution, RawExecution):
        return execution.raw
    if isinstance(execution, PlainExecution) and row.signature is not None:
        return execution.transaction.serialize(Signature.from_bytes(row.signature))
    return b""


def _fields_of(row: Transaction) -> dict[str, Any]:
    """What a transaction of any type is, without its block."""
    execution = row.execution
    if isinstance(execution, RawExecution):
        return fields_of_raw(execution.transaction, execution.raw)
    assert execution is not None
    transaction: FeeMarketTransaction | ZkSyncTransaction
    if isinstance(execution, UserOperationExecution):
        sender, transaction = BUNDLER, bundle_of(execution, row.chain_id)
    else:
        sender, transaction = execution.sender.lower(), execution.transaction
    signature = 0, 0, 0
    if isinstance(execution, PlainExecution) and row.signature is not None:
        made = Signature.from_bytes(row.signature)
        signature = made.y_parity, made.r, made.s
    kind = 0x71 if isinstance(execution, ZkSyncExecution) else 2
    to = transaction.to.lower() if transaction.to else None
    return {**fields_of(kind, sender, to, transaction), "accessList": [], **show_signature(*signature)}


def bundle_of(execution: UserOperationExecution, chain_id: int) -> FeeMarketTransaction:
    """The transaction of a bundle, which was never sent: `handleOps` with one user operation."""
    operation, version = execution.operation, execution.entry_point_version
    gas = operation.call_gas_limit + operation.verification_gas_limit + operation.pre_verification_gas
    gas += operation.paymaster_verification_gas_limit + operation.paymaster_post_op_gas_limit
    fees = operation.max_priority_fee_per_gas, operation.max_fee_per_gas
    data = handle_ops(operation, version, ledger.FEE_RECIPIENT)
    return FeeMarketTransaction(chain_id, 0, *fees, gas, ENTRY_POINTS[version], 0, data)


def show_sent(chain: Chain, execution: RawExecution) -> dict[str, Any]:
    """A transaction that a node is sent, whether or not it will be in a block."""
    fields = fields_of_raw(execution.transaction, execution.raw)
    return {**_identify(chain.id, to_hex(execution.hash), fields), **fields}
