"""Subscriptions to slots, accounts, logs and signatures of a Solana cluster."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Annotated, Literal, TypeVar

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from mockserver.nodes.endpoints import SOLANA, SOLANA_NODE
from mockserver.nodes.solana.accounts import ProgramOptions, accounts_of, show_account
from mockserver.nodes.solana.cluster import (
    FINAL_SLOTS,
    SLOT_MS,
    Cluster,
    Commitment,
    Level,
    Pubkey,
    Signature,
    ask_cluster,
)
from mockserver.nodes.solana.records import error_of, find_record, message_of, signature_of
from mockserver.nodes.subscriptions import News, SubscriptionMethods, subscribe, unsubscribe, watcher
from mockserver.state.chains import Subscription
from mockserver.state.project import Project

W = TypeVar("W", bound=Callable[..., News])

_COMMITMENTS = ("processed", "confirmed", "finalized")
_ID_BYTES = 4

methods = SubscriptionMethods(ask_cluster, SOLANA, SOLANA_NODE)


class Mentions(TypedDict):
    """Transactions by an account that they name."""

    mentions: Annotated[list[Pubkey], Field(min_length=1, max_length=1)]


class SignatureOptions(TypedDict, total=False):
    """When one is told of a transaction."""

    commitment: Level
    enableReceivedNotification: bool


def _subscription(name: str, period_ms: int | None = None) -> Callable[[W], W]:
    """Declare what clients subscribe to by a name: how it is watched, by the parameters of the method."""

    def declare(watch: W) -> W:
        kind = f"{name}Notification"

        @wraps(watch)
        def subscribe_to(cluster: Cluster, **about: object) -> int:
            wanted = Subscription("", cluster.name, kind, orjson.dumps(about).decode())
            return subscribe(cluster.project, wanted, _ID_BYTES)

        @watcher(kind, kind, period_ms)
        def find_news(project: Project, wanted: Subscription) -> News:
            return watch(Cluster(project, wanted.place), **orjson.loads(wanted.about))

        methods.method(f"{name}Subscribe")(subscribe_to)
        methods.method(f"{name}Unsubscribe")(unsubscribe_from)
        return watch

    return declare


def unsubscribe_from(cluster: Cluster, id: int) -> bool:
    """End a subscription."""
    return unsubscribe(cluster.project, id)


@_subscription("slot", SLOT_MS)
def watch_slots(cluster: Cluster) -> News:
    """Be told of new slots."""
    for slot in _new_slots(cluster):
        yield [{"parent": each - 1, "root": max(0, each - FINAL_SLOTS), "slot": each} for each in slot]


@_subscription("root", SLOT_MS)
def watch_roots(cluster: Cluster) -> News:
    """Be told of slots that are final."""
    for slot in _new_slots(cluster):
        yield [max(0, each - FINAL_SLOTS) for each in slot]


def _new_slots(cluster: Cluster) -> Iterator[list[int]]:
    """The latest slot, or nothing while it is the one of before."""
    told = -1
    while True:
        slot = cluster.slot
        yield [slot] if told != slot else []
        told = slot


@_subscription("account")
def watch_account(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> News:
    """Be told when an account changes."""
    told = cluster.state_of(address)
    while True:
        state = cluster.state_of(address)
        changed = [] if state == told else [state]
        yield [cluster.in_context(show_account(cluster, each, options, is_told=True)) for each in changed]
        told = state


@_subscription("program")
def watch_program(cluster: Cluster, program: Pubkey, options: ProgramOptions = {}) -> News:
    """Be told when an account changes that a program owns."""
    told = accounts_of(cluster, program, options)
    while True:
        found = accounts_of(cluster, program, options)
        changed = [pubkey for pubkey, state in found.items() if told.get(pubkey) != state]
        shown = ((each, show_account(cluster, found[each], options, is_told=True)) for each in changed)
        yield [cluster.in_context({"pubkey": pubkey, "account": account}) for pubkey, account in shown]
        told = found


@_subscription("logs")
def watch_logs(
    cluster: Cluster, filter: Literal["all", "allWithVotes"] | Mentions, options: Commitment = {}
) -> News:
    """Be told of transactions with their logs: of all, or of those that name an account."""
    mentions = [] if isinstance(filter, str) else filter["mentions"]
    told = len(cluster.records())
    while True:
        rows, found = cluster.records(), []
        for row in rows[min(told, len(rows)) :]:
            if not mentions or not set(mentions).isdisjoint(message_of(row).keys):
                shown = {"signature": signature_of(row), "err": error_of(row), "logs": list(row.logs)}
                found.append({"context": {"slot": row.slot}, "value": shown})
        told = len(rows)
        yield found


@_subscription("signature", SLOT_MS)
def watch_signature(cluster: Cluster, signature: Signature, options: SignatureOptions = {}) -> News:
    """Be told once when a transaction is as settled as is asked for."""
    wanted = _COMMITMENTS.index(options.get("commitment", "finalized"))
    while True:
        record = find_record(cluster, signature)
        if record is not None and _COMMITMENTS.index(cluster.commitment_of(record.slot)) >= wanted:
            yield [cluster.in_context({"err": error_of(record)})]
            return
        yield []
