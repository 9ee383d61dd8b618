"""Transactions that a Solana cluster has processed, and its blocks: there is one in every slot."""

from base64 import b64encode
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from mockserver import errors
from mockserver.chain.base58 import base58_decode, base58_encode
from mockserver.chain.solana.messages import Message, parse_transaction
from mockserver.chain.solana.parsed import show_inner, show_message
from mockserver.chain.solana.programs import units_of
from mockserver.chain.solana.tokens import SolanaState, read_token_account
from mockserver.chain.solana.transactions import MEMO_PROGRAMS
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.solana.cluster import (
    Cluster,
    Commitment,
    Pubkey,
    Signature,
    SolanaMethods,
    require_settled,
)
from mockserver.state.chains import SolanaAccountState, SolanaRecord

methods = SolanaMethods()

_MOST_BLOCKS = 500_000
"""The most blocks that are listed at once, as Solana's nodes have it."""


class HistoryOptions(Commitment, total=False):
    """Which transactions of an account are listed."""

    limit: Annotated[int, Field(ge=1, le=1000)]
    before: Signature
    until: Signature


class BlockOptions(Commitment, total=False):
    """How a block is shown."""

    transactionDetails: Literal["full", "accounts", "signatures", "none"]
    rewards: bool


@methods.method("getSignatureStatuses")
def get_statuses(
    cluster: Cluster, signatures: Annotated[list[Signature], Field(max_length=256)], options: Commitment = {}
) -> dict[str, Any]:
    """Retrieve what became of transactions."""
    return cluster.in_context([_show_status(cluster, find_record(cluster, each)) for each in signatures])


@methods.method("getTransaction", errors=(errors.RPC_VERSION,))
def get_transaction(
    cluster: Cluster, signature: Signature, options: Commitment | str = {}
) -> dict[str, Any] | None:
    """Retrieve a transaction, with what it changed."""
    require_settled(options)
    record = find_record(cluster, signature)
    if record is None:
        return None
    shown = show_record(cluster, record, options)
    return {"slot": record.slot, "blockTime": cluster.time_of(record.slot), **shown}


@methods.method("getSignaturesForAddress")
def list_signatures(cluster: Cluster, address: Pubkey, options: HistoryOptions = {}) -> list[dict[str, Any]]:
    """List the transactions that name an account, newest first."""
    require_settled(options)
    found: list[dict[str, Any]] = []
    started, key = "before" not in options, base58_decode(address)
    for record in reversed(cluster.records()):
        signature = signature_of(record)
        if signature == options.get("until") or len(found) == options.get("limit", 1000):
            break
        # Most transactions are not read, which takes as long as a hundred looks at their bytes.
        is_near = key in record.raw or any(address in each for each in record.loaded)
        if started and is_near and address in (message := message_of(record)).keys:
            found.append(
                {
                    "signature": signature,
                    "slot": record.slot,
                    "err": error_of(record),
                    "memo": memo_of(message),
                    "blockTime": cluster.time_of(record.slot),
                    "confirmationStatus": cluster.commitment_of(record.slot),
                }
            )
        started = started or signature == options.get("before")
    return found


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


# --- how they are shown ----------------------------------------------------------------------------------


def find_record(cluster: Cluster, signature: str) -> SolanaRecord | None:
    """The transaction with a signature that the cluster has processed."""
    return cluster.project.chains.solana_records.get(f"{cluster.name}:{signature}")


def message_of(record: SolanaRecord) -> Message:
    """The message of a transaction that was processed, with the addresses that were loaded."""
    return parse_transaction(record.raw, lambda _: record.loaded)[2]


def memo_of(message: Message) -> str | None:
    """The memos of a transaction, each with its length, as the RPC API lists them."""
    data = [each.data for each in message.instructions if each.program in MEMO_PROGRAMS]
    return "; ".join(f"[{len(each)}] {each.decode(errors='replace')}" for each in data) or None


def signature_of(record: SolanaRecord) -> str:
    """The signature that a transaction is known by."""
    return record.id.partition(":")[2]


def error_of(record: SolanaRecord) -> Any:
    """Why a transaction failed, as the RPC API spells it; None of one that did not."""
    return None if record.error is None else orjson.loads(record.error)


def show_record(cluster: Cluster, record: SolanaRecord, options: Commitment | str) -> dict[str, Any]:
    """A transaction that is in a block, with what it changed. RpcError for a version that is not known."""
    chosen: Commitment = {} if isinstance(options, str) else options
    encoding = options if isinstance(options, str) else options.get("encoding", "json")
    signatures, message = parse_transaction(record.raw)[0], message_of(record)
    known = "maxSupportedTransactionVersion"
    if message.is_versioned and known not in chosen:
        again = f'Please try the request again with the following configuration parameter: "{known}": 0'
        raise RpcError(errors.RPC_VERSION, reason=f"by the requesting client. {again}")
    shown: Any = [b64encode(record.raw).decode(), "base64"]
    if encoding in ("json", "jsonParsed"):
        shown = {"signatures": [*map(base58_encode, signatures)], "message": show_message(message, encoding)}
    version = {"version": 0 if message.is_versioned else "legacy"} if known in chosen else {}
    return {"transaction": shown, **version, "meta": _show_meta(cluster, record, message, encoding)}


def _show_status(cluster: Cluster, record: SolanaRecord | None) -> dict[str, Any] | None:
    if record is None:
        return None
    error, commitment = error_of(record), cluster.commitment_of(record.slot)
    return {
        "slot": record.slot,
        "confirmations": None if commitment == "finalized" else cluster.slot - record.slot,
        **_show_error(error),
        "confirmationStatus": commitment,
    }


def _show_error(error: Any) -> dict[str, Any]:
    return {"err": error, "status": {"Ok": None} if error is None else {"Err": error}}


def _show_meta(cluster: Cluster, record: SolanaRecord, message: Message, encoding: str) -> dict[str, Any]:
    return {
        **_show_error(error_of(record)),
        "fee": record.fee,
        "preBalances": [lamports for lamports, _, _ in record.before],
        "postBalances": [lamports for lamports, _, _ in record.after],
        "preTokenBalances": _show_tokens(cluster, record.before),
        "postTokenBalances": _show_tokens(cluster, record.after),
        "innerInstructions": show_inner(record.inner, message, encoding),
        "logMessages": list(record.logs),
        "loadedAddresses": dict(zip(("writable", "readonly"), map(list, record.loaded), strict=True)),
        "rewards": [],
        "computeUnitsConsumed": units_of(record.logs),
    }


def _show_tokens(cluster: Cluster, states: tuple[SolanaAccountState, ...]) -> list[dict[str, Any]]:
    known = (SolanaState(*state) for state in states)
    held = ((place, state, read_token_account(state)) for place, state in enumerate(known))
    return [
        {
            "accountIndex": place,
            "mint": account.mint,
            "owner": account.owner,
            "programId": state.owner,
            "uiTokenAmount": cluster.show_amount(account.mint, account.amount),
        }
        for place, state, account in held
        if account is not None
    ]
