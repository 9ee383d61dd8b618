"""Blocks of a Solana cluster: there is one in every slot."""

from typing import Any, Literal

from mockserver import errors
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.solana.cluster import Cluster, Commitment, SolanaMethods, require_settled
from mockserver.nodes.solana.records import show_record, signature_of
from mockserver.state.chains import SolanaRecord

methods = SolanaMethods()

_MOST_BLOCKS = 500_000
"""The most blocks that are listed at once, as Solana's nodes have it."""


class BlockOptions(Commitment, total=False):
    """How a block is shown."""

    transactionDetails: Literal["full", "accounts", "signatures", "none"]
    rewards: bool


@methods.method("getBlock", errors=(errors.RPC_NOT_SUPPORTED, errors.RPC_VERSION))
def get_block(cluster: Cluster, slot: int, options: BlockOptions | str = {}) -> dict[str, Any]:
    """Retrieve the block of a slot with its transactions."""
    require_settled(options)
    _require_block(cluster, slot)
    chosen: BlockOptions = options if isinstance(options, dict) else {}
    details = chosen.get("transactionDetails", "full")
    rows = cluster.records()
    records = [row for row in rows if row.slot == slot]
    block: dict[str, Any] = {
        "blockhash": cluster.blockhash(slot),
        "previousBlockhash": cluster.blockhash(max(0, slot - 1)),
        "parentSlot": max(0, slot - 1),
        "blockHeight": slot,
        "blockTime": cluster.time_of(slot),
    }
    if chosen.get("rewards", True):
        block["rewards"] = []
    if details == "signatures":
        block["signatures"] = [signature_of(row) for row in records]
    elif details == "accounts":
        block["transactions"] = [_show_accounts(cluster, row, chosen) for row in records]
    elif details != "none":
        block["transactions"] = [show_record(cluster, row, options) for row in records]
    return block


def _show_accounts(cluster: Cluster, row: SolanaRecord, options: BlockOptions) -> dict[str, Any]:
    """A transaction with the accounts that it names, and without what it does."""
    parsed: BlockOptions = {**options, "encoding": "jsonParsed"}
    shown = show_record(cluster, row, parsed)
    transaction, meta = shown["transaction"], shown["meta"]
    named = {"accountKeys": transaction["message"]["accountKeys"], "signatures": transaction["signatures"]}
    kept = ("err", "status", "fee", "rewards", *(name for name in meta if name.endswith("Balances")))
    return {**shown, "transaction": named, "meta": {name: meta[name] for name in kept}}


@methods.method("getBlockTime", errors=(errors.RPC_NOT_SUPPORTED,))
def get_block_time(cluster: Cluster, slot: int) -> int:
    """Retrieve the time of a slot in seconds."""
    _require_block(cluster, slot)
    return cluster.time_of(slot)


def _require_block(cluster: Cluster, slot: int) -> None:
    if not 0 <= slot <= cluster.slot:
        raise RpcError(errors.RPC_NOT_SUPPORTED, reason=f"Block not available for slot {slot}")


@methods.method("getBlocks")
def list_blocks(
    cluster: Cluster, start: int, end: int | Commitment | None = None, options: Commitment = {}
) -> list[int]:
    """List the slots that have blocks, which are all until now."""
    require_settled(end if isinstance(end, dict) else options)
    last = min(end, cluster.slot) if isinstance(end, int) else cluster.slot
    slots = range(max(0, start), last + 1)
    if len(slots) > _MOST_BLOCKS:
        raise invalid(f"Slot range too large; max {_MOST_BLOCKS}")
    return list(slots)


@methods.method("getBlocksWithLimit")
def list_first_blocks(cluster: Cluster, start: int, limit: int, options: Commitment = {}) -> list[int]:
    """List the first slots from one on that have blocks."""
    require_settled(options)
    if limit > _MOST_BLOCKS:
        raise invalid(f"Limit too large; max {_MOST_BLOCKS}")
    return list(range(max(0, start), min(start + limit, cluster.slot + 1)))
