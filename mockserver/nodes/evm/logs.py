"""Logs, and the filters that clients poll."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.domain.chains.ledger import block_by_number
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.blocks import hash_of, list_logs, show_logs
from mockserver.nodes.evm.chain import Chain, NodeMethods, position
from mockserver.nodes.values import Address, Block, Hash, to_hex
from mockserver.state.chains import LogFilter
from mockserver.state.onchain import Transaction

methods = NodeMethods()

_MOST_FILTERS = 1_000
_MOST_LOGS = 10_000
_MOST_BLOCKS = 1_000


def _as_list(value: object) -> object:
    return [] if value is None else value if isinstance(value, list) else [value]


Addresses = Annotated[list[Address], Field(max_length=1_000), BeforeValidator(_as_list)]
Topics = Annotated[list[Hash], Field(max_length=1_000), BeforeValidator(_as_list)]


class LogCriteria(TypedDict, total=False):
    """Which logs are meant."""

    address: Addresses
    topics: Annotated[list[Topics], Field(max_length=4)]
    fromBlock: Block
    toBlock: Block
    blockHash: Hash


@methods.method("eth_getLogs", errors=(errors.RPC_TOO_MUCH,))
def get_logs(chain: Chain, criteria: LogCriteria) -> list[dict[str, Any]]:
    """Retrieve the logs of some blocks, by address and topics."""
    return _find_logs(chain, _make_filter(chain, criteria))


@methods.method("eth_newFilter", errors=(errors.RPC_TOO_MUCH,))
def new_log_filter(chain: Chain, criteria: LogCriteria) -> str:
    """Begin to poll for logs."""
    made = _make_filter(chain, criteria)
    if criteria.get("fromBlock", "latest") in ("latest", "pending"):
        # As geth does: from now on, without what the latest block has already.
        made = made._replace(seen=latest_position(chain))
    return _keep(chain, made)


@methods.method("eth_newBlockFilter", errors=(errors.RPC_TOO_MUCH,))
def new_block_filter(chain: Chain) -> str:
    """Begin to poll for blocks."""
    return _keep(chain, LogFilter("", chain.id, "blocks", seen=(chain.latest, 0)))


@methods.method("eth_newPendingTransactionFilter", errors=(errors.RPC_TOO_MUCH,))
def new_transaction_filter(chain: Chain) -> str:
    """Begin to poll for transactions that are sent."""
    told = tuple(sent_since(chain, chain.latest))
    return _keep(chain, LogFilter("", chain.id, "transactions", seen=(chain.latest, 0), told=told))


@methods.method("eth_getFilterChanges", errors=(errors.RPC_TOO_MUCH,))
def get_filter_changes(chain: Chain, id: str) -> list[Any]:
    """Retrieve what is new since the last poll; of logs whose blocks were replaced, that they are removed."""
    row = _require(_find_filter(chain, id))
    reorganizations = [*chain.project.chains.reorganizations]
    replaced = [each.first_block for each in reorganizations[row.replaced :] if each.chain_id == chain.id]
    # What is in the place of a replaced block is new.
    after = min([row.seen, *((max(first, row.first_block), -1) for first in replaced)])
    found: list[Any]
    if row.kind == "blocks":
        first = max(after[0] + (after == row.seen), chain.latest - _MOST_BLOCKS)
        found, seen = [chain.hash_of(number) for number in range(first, chain.latest + 1)], (chain.latest, 0)
    elif row.kind == "transactions":
        sent, told = sent_since(chain, row.seen[0]), {*row.told}
        found, seen = [named for named in sent if named not in told], (chain.latest, 0)
        row = row._replace(told=tuple(sent))
    else:
        included = chain.included(max(0, after[0]), row.last_block)
        new = [each for each in included if position(each) > after]
        found = [*_removed_logs(chain, row)] if replaced else []
        found += [log for each in new for log in matching_logs(chain, row, each)]
        seen = position(new[-1]) if new else after
    chain.project.chains.filters.replace(row._replace(seen=seen, replaced=len(reorganizations)))
    return found


def _removed_logs(chain: Chain, seen: LogFilter) -> Iterator[dict[str, Any]]:
    """The logs that a filter had when it was polled, of blocks that were replaced since."""
    for row in chain.project.onchain.transactions.find("chain_id", chain.id):
        for before in row.taken_back if row.receipt is None else row.receipt.orphaned:
            place, number = before.place, before.place.block_number
            then = block_by_number(chain.project, chain.id, number, seen.replaced)
            is_told = seen.first_block <= number and (number, place.transaction_index) <= seen.seen
            if is_told and place.block_hash == then.hash:
                shown = list_logs(before.logs, place, before.transaction_hash, chain.time_of(number))
                yield from ({**log, "removed": True} for log in shown if _match_log(seen, log))


@methods.method("eth_getFilterLogs", errors=(errors.RPC_TOO_MUCH,))
def get_filter_logs(chain: Chain, id: str) -> list[dict[str, Any]]:
    """Retrieve all logs of a filter."""
    row = _find_filter(chain, id)
    return _find_logs(chain, _require(row if row and row.kind == "logs" else None))


@methods.method("eth_uninstallFilter")
def uninstall_filter(chain: Chain, id: str) -> bool:
    """End polling."""
    known = _find_filter(chain, id) is not None
    if known:
        chain.project.chains.filters.remove(id)
    return known


def _find_logs(chain: Chain, criteria: LogFilter) -> list[dict[str, Any]]:
    """The logs in blocks from its first one on that match a filter. RpcError for too many."""
    rows = chain.included(criteria.first_block, criteria.last_block)
    found = [log for row in rows for log in matching_logs(chain, criteria, row)]
    if len(found) > _MOST_LOGS:
        raise RpcError(errors.RPC_TOO_MUCH, reason=f"query returns more than {_MOST_LOGS} results")
    return found


def _match_log(criteria: LogFilter, log: dict[str, Any]) -> bool:
    topics = log["topics"]
    return (
        (not criteria.addresses or log["address"] in criteria.addresses)
        and len(topics) >= len(criteria.topics)
        and all(not wanted or topics[place] in wanted for place, wanted in enumerate(criteria.topics))
    )


def make_filter(criteria: LogCriteria, chain_id: int) -> LogFilter:
    """The addresses and topics of criteria."""
    topics = criteria.get("topics", [])
    while topics and not topics[-1]:
        topics = topics[:-1]
    return LogFilter(
        "",
        chain_id,
        "logs",
        tuple(address.lower() for address in criteria.get("address", ())),
        tuple(tuple(map(to_hex, each)) for each in topics),
    )


def _make_filter(chain: Chain, criteria: LogCriteria) -> LogFilter:
    made = make_filter(criteria, chain.id)
    if "blockHash" in criteria:
        if "fromBlock" in criteria or "toBlock" in criteria:
            raise invalid("cannot specify both blockHash and fromBlock/toBlock, choose one or the other")
        number = chain.number_of(criteria["blockHash"])
        return made._replace(seen=(number, -1), first_block=number, last_block=number)
    first, last = criteria.get("fromBlock", "latest"), criteria.get("toBlock", "latest")
    start = first if isinstance(first, int) else chain.number_of(first)
    # A block that is not there yet is the end of a filter all the same.
    end = last if isinstance(last, int) else chain.number_of(last)
    is_open = isinstance(last, str) and last != "earliest"
    if not is_open and start > end:
        raise invalid("invalid block range params")
    return made._replace(seen=(start, -1), first_block=start, last_block=None if is_open else end)


def matching_logs(chain: Chain, criteria: LogFilter, row: Transaction) -> list[dict[str, Any]]:
    """The logs of a transaction that a filter is for, whichever block they are in."""
    return [log for log in show_logs(chain, row) if _match_log(criteria, log)]


def latest_position(chain: Chain) -> tuple[int, int]:
    """Where the last transaction in a block is: the number of the block, and its place there."""
    last = chain.project.onchain.transactions.highest("block", chain.id)
    return position(last) if last else (0, -1)


def sent_since(chain: Chain, block: int) -> dict[str, Transaction]:
    """By their hashes the transactions that are in this block or a later one, or wait for one."""
    return {hash_of(row): row for row in [*chain.included(block), *chain.waiting()]}


def _keep(chain: Chain, made: LogFilter) -> str:
    filters = chain.project.chains.filters
    if len(filters) >= _MOST_FILTERS:
        filters.remove(next(iter(filters)).id)
    named = hex(int.from_bytes(chain.project.entropy.draw("node_filter", 8), "big"))
    replaced = len(chain.project.chains.reorganizations)
    return filters.insert(made._replace(id=named, replaced=replaced)).id


def _find_filter(chain: Chain, named: str) -> LogFilter | None:
    row = chain.project.chains.filters.get(named)
    return row if row is not None and row.chain_id == chain.id else None


def _require(row: LogFilter | None) -> LogFilter:
    if row is None:
        raise refused("filter not found")
    return row
