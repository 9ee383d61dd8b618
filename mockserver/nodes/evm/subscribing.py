"""Subscriptions to blocks, logs and transactions (`eth_subscribe`, as geth has it)."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from mockserver.domain.chains.ledger import BLOCK_TIME_MS
from mockserver.nodes.endpoints import NODE
from mockserver.nodes.evm.blocks import show_block, show_transaction
from mockserver.nodes.evm.chain import Chain, ask_chain, position
from mockserver.nodes.evm.logs import LogCriteria, latest_position, make_filter, matching_logs, sent_since
from mockserver.nodes.subscriptions import News, SubscriptionMethods, subscribe, unsubscribe, watcher
from mockserver.nodes.values import Quantity
from mockserver.state.chains import Subscription
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project

_MOST_BLOCKS = 256
"""So many blocks are told at most when a clock jumps, and can be replaced by others."""
_MOST_TRANSACTIONS = 1_000
"""So many transactions are remembered for their logs, in case that their blocks are replaced."""
_OF_BODY = ("transactions", "uncles", "withdrawals", "size")
_IN_FULL = "full"

_Criteria = Annotated[
    Annotated[LogCriteria, Tag("[mapping]")] | Annotated[bool, Tag("[bool]")],
    Discriminator(lambda given: "[mapping]" if isinstance(given, dict) else "[bool]"),
]

methods = SubscriptionMethods(ask_chain, NODE)


@methods.method("eth_subscribe")
def subscribe_to(
    chain: Chain,
    kind: Literal["newHeads", "logs", "newPendingTransactions", "syncing"],
    criteria: _Criteria = False,
) -> str:
    """Be told of new blocks, of logs or of transactions that are sent."""
    logs = make_filter({} if isinstance(criteria, bool) else criteria, chain.id) if kind == "logs" else None
    about = _IN_FULL if criteria is True else ""
    return hex(subscribe(chain.project, Subscription("", str(chain.id), kind, about, logs), 16))


@methods.method("eth_unsubscribe")
def unsubscribe_from(chain: Chain, id: Quantity) -> bool:
    """End a subscription."""
    return unsubscribe(chain.project, id)


@watcher("newHeads", "eth_subscription", BLOCK_TIME_MS)
def watch_blocks(project: Project, wanted: Subscription) -> News:
    """New blocks, and those that replace others in a reorganization."""
    chain = Chain(project, int(wanted.place))
    told = {chain.latest: chain.hash_of(chain.latest)}
    while True:
        last = max(told)
        # What replaces a block replaces those behind it: the last one that is as it was is looked for.
        while told and (last > chain.latest or chain.hash_of(last) != told[last]):
            del told[last]
            last = max(told, default=last - 1)
        first = max(last + 1, chain.latest - _MOST_BLOCKS + 1)
        found = [_show_head(chain, number) for number in range(first, chain.latest + 1)]
        told |= {int(head["number"], 16): head["hash"] for head in found}
        told = dict(list(told.items())[-_MOST_BLOCKS:]) or {chain.latest: chain.hash_of(chain.latest)}
        yield found


def _show_head(chain: Chain, number: int) -> dict[str, Any]:
    shown = show_block(chain, number)
    return {name: shown[name] for name in shown if name not in _OF_BODY}


@watcher("logs", "eth_subscription")
def watch_logs(project: Project, wanted: Subscription) -> News:
    """New logs, and again those whose blocks were replaced, as removed."""
    chain, criteria = Chain(project, int(wanted.place)), wanted.logs
    assert criteria is not None
    after = latest_position(chain)
    told: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    while True:
        found: list[dict[str, Any]] = []
        for row_id, (block, logs) in list(told.items()):
            if _block_of(project.onchain.transactions.get(row_id)) != block:
                found += [{**log, "removed": True} for log in logs]
                del told[row_id]
        for row in chain.included(max(0, after[0])):
            if position(row) > after and row.id not in told:
                logs = matching_logs(chain, criteria, row)
                told[row.id] = _block_of(row), logs
                found += logs
        while len(told) > _MOST_TRANSACTIONS:
            oldest = project.onchain.transactions.get(next(iter(told)))
            told.pop(next(iter(told)))
            after = after if oldest is None or oldest.included is None else position(oldest)
        yield found


def _block_of(row: Transaction | None) -> str:
    return "" if row is None or row.included is None else row.included.place.block_hash


@watcher("newPendingTransactions", "eth_subscription")
def watch_pending(project: Project, wanted: Subscription) -> News:
    """Transactions that are sent: their hashes, or all of them."""
    chain = Chain(project, int(wanted.place))
    seen, told = chain.latest, sent_since(chain, chain.latest)
    while True:
        sent = sent_since(chain, seen)
        new = [named for named in sent if named not in told]
        seen, told = chain.latest, sent
        yield [show_transaction(chain, sent[named]) for named in new] if wanted.about == _IN_FULL else new


@watcher("syncing", "eth_subscription")
def watch_syncing(project: Project, wanted: Subscription) -> News:
    """Nothing: the node is never behind."""
    while True:
        yield []
