"""The mempool: transactions that wait for a block, or for others with the nonces before theirs."""

from collections.abc import Iterable
from typing import Any

from mockserver.chain.addresses import to_checksum
from mockserver.chain.transactions import EvmTransaction
from mockserver.chain.user_operations import UserOperation
from mockserver.nodes.endpoints import refused
from mockserver.nodes.evm.blocks import raw_of, show_sent, show_transaction
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.values import Address, Hash, to_hex
from mockserver.state.chains import RawExecution

methods = NodeMethods()

_MOST_QUEUED = 1024
"""How many transactions of a chain wait for others, as geth has it."""
_RAISE_PERCENT = 110
"""What the fees of a transaction have to be beside those of the one that it replaces."""


@methods.method("eth_getTransactionByHash")
def get_transaction(chain: Chain, hash: Hash) -> dict[str, Any] | None:
    """Retrieve a transaction, which need not be in a block yet."""
    row = chain.find(hash)
    if row is not None:
        return show_transaction(chain, row)
    queued = find_queued(chain, hash)
    return None if queued is None else _show_queued(chain, queued)


@methods.method("eth_getRawTransactionByHash", "debug_getRawTransaction")
def get_raw_transaction(chain: Chain, hash: Hash) -> str | None:
    """Retrieve a transaction as it was sent."""
    row = chain.find(hash)
    if row is not None:
        return to_hex(raw_of(row))
    queued = find_queued(chain, hash)
    return None if queued is None else to_hex(queued.raw)


@methods.method("eth_pendingTransactions")
def list_pending(chain: Chain) -> list[dict[str, Any]]:
    """List the transactions that wait for a block."""
    return [show_transaction(chain, row) for row in chain.waiting()]


@methods.method("txpool_status")
def get_pool_status(chain: Chain) -> dict[str, str]:
    """Count the transactions that wait for a block, and for others before them."""
    return {"pending": hex(len(chain.waiting())), "queued": hex(len(chain.node.queued))}


@methods.method("txpool_content")
def get_pool(chain: Chain) -> dict[str, Any]:
    """Retrieve the transactions that wait for a block, and for others before them, by sender and nonce."""
    queued = (_show_queued(chain, each) for each in chain.node.queued)
    return {"pending": _by_sender(list_pending(chain)), "queued": _by_sender(queued)}


@methods.method("txpool_inspect")
def inspect_pool(chain: Chain) -> dict[str, Any]:
    """Describe the transactions that wait, by sender and nonce, in a line each."""
    return {
        state: {
            sender: {nonce: _describe(shown) for nonce, shown in sent.items()}
            for sender, sent in senders.items()
        }
        for state, senders in get_pool(chain).items()
    }


@methods.method("txpool_contentFrom")
def get_pool_of(chain: Chain, address: Address) -> dict[str, Any]:
    """Retrieve the transactions of an address that wait, by nonce."""
    return {state: senders.get(address.lower(), {}) for state, senders in get_pool(chain).items()}


def _by_sender(transactions: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for shown in transactions:
        found.setdefault(shown["from"], {})[str(int(shown["nonce"], 16))] = shown
    return found


def _describe(shown: dict[str, Any]) -> str:
    value, gas, price = (int(shown[name], 16) for name in ("value", "gas", "gasPrice"))
    receiver = "contract creation" if shown["to"] is None else to_checksum(shown["to"])
    return f"{receiver}: {value} wei + {gas} gas × {price} wei"


def _show_queued(chain: Chain, execution: RawExecution) -> dict[str, Any]:
    shown = show_sent(chain, execution)
    nowhere = dict.fromkeys(("blockHash", "blockNumber", "transactionIndex"))
    return {"gasPrice": hex(execution.transaction.max_fee_per_gas), **nowhere, **shown}


# --- waiting for others ----------------------------------------------------------------------------------


def queue(chain: Chain, execution: RawExecution) -> None:
    """Keep a transaction until its sender's others before it were sent. RpcError if there is no place."""
    others = []
    for each in chain.node.queued:
        if (each.sender, each.transaction.nonce) == (execution.sender, execution.transaction.nonce):
            require_raise(each.transaction, execution.transaction)
        else:
            others.append(each)
    if len(others) == _MOST_QUEUED:
        raise refused("txpool is full")
    chain.change_node(queued=(*others, execution))


def find_queued(chain: Chain, hash: bytes) -> RawExecution | None:
    """The transaction with a hash, if it waits for others before it."""
    return next((each for each in chain.node.queued if each.hash == hash), None)


def require_raise(before: EvmTransaction | UserOperation, after: EvmTransaction | UserOperation) -> None:
    """RpcError unless what replaces another offers a tenth more, of both fees."""
    fees = (before.max_fee_per_gas, after.max_fee_per_gas)
    priority_fees = (before.max_priority_fee_per_gas, after.max_priority_fee_per_gas)
    if any(new * 100 < old * _RAISE_PERCENT for old, new in (fees, priority_fees)):
        raise refused("replacement transaction underpriced")
