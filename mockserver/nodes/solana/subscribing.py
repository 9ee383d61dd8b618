"""Subscriptions to slots, accounts, logs and signatures of a Solana cluster."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from mockserver.nodes.endpoints import SOLANA, SOLANA_NODE
from mockserver.nodes.solana.accounts import Pubkey, Signature, show_account, show_keyed
from mockserver.nodes.solana.cluster import FINAL_SLOTS, SLOT_MS, Cluster, Commitment, Level, ask_cluster
from mockserver.nodes.solana.programs import ProgramOptions, accounts_of
from mockserver.nodes.solana.records import error_of, find_record, message_of, signature_of
from mockserver.nodes.subscriptions import News, SubscriptionMethods, subscribe, unsubscribe, watcher
from mockserver.state.chains import Subscription
from mockserver.state.project import Project

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


@methods.method("slotSubscribe")
def subscribe_to_slots(cluster: Cluster) -> int:
    """Be told of new slots."""
    return _subscribe(cluster, "slot")


@methods.method("rootSubscribe")
def subscribe_to_roots(cluster: Cluster) -> int:
    """Be told of slots that are final."""
    return _subscribe(cluster, "root")


@methods.method("accountSubscribe")
def subscribe_to_account(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> int:
    """Be told when an account changes."""
    return _subscribe(cluster, "account", address, options)


@methods.method("programSubscribe")
def subscribe_to_program(cluster: Cluster, program: Pubkey, options: ProgramOptions = {}) -> int:
    """Be told when an account changes that a program owns."""
    return _subscribe(cluster, "program", program, options)


@methods.method("logsSubscribe")
def subscribe_to_logs(
    cluster: Cluster, filter: Literal["all", "allWithVotes"] | Mentions, options: Commitment = {}
) -> int:
    """Be told of transactions with their logs: of all, or of those that name an account."""
    return _subscribe(cluster, "solanaLogs", [] if isinstance(filter, str) else filter["mentions"])


@methods.method("signatureSubscribe")
def subscribe_to_signature(cluster: Cluster, signature: Signature, options: SignatureOptions = {}) -> int:
    """Be told once when a transaction is as settled as is asked for."""
    return _subscribe(cluster, "signature", signature, options.get("commitment", "finalized"))


@methods.method(
    "slotUnsubscribe",
    "rootUnsubscribe",
    "accountUnsubscribe",
    "programUnsubscribe",
    "logsUnsubscribe",
    "signatureUnsubscribe",
)
def unsubscribe_from(cluster: Cluster, id: int) -> bool:
    """End a subscription."""
    return unsubscribe(cluster.project, id)


def _subscribe(cluster: Cluster, kind: str, *about: object) -> int:
    wanted = Subscription("", cluster.name, kind, orjson.dumps(about).decode())
    return subscribe(cluster.project, wanted, _ID_BYTES)


@watcher("slot", "slotNotification", SLOT_MS)
def watch_slots(project: Project, wanted: Subscription) -> News:
    """The latest slot, if it is a new one."""
    for slot in _new_slots(Cluster(project, wanted.place)):
        yield [{"parent": each - 1, "root": max(0, each - FINAL_SLOTS), "slot": each} for each in slot]


@watcher("root", "rootNotification", SLOT_MS)
def watch_roots(project: Project, wanted: Subscription) -> News:
    """The latest slot that is final, if it is a new one."""
    for slot in _new_slots(Cluster(project, wanted.place)):
        yield [max(0, each - FINAL_SLOTS) for each in slot]


def _new_slots(cluster: Cluster) -> Iterator[list[int]]:
    """The latest slot, or nothing while it is the one of before."""
    told = -1
    while True:
        slot = cluster.slot
        yield [slot] if told != slot else []
        told = slot


@watcher("account", "accountNotification")
def watch_account(project: Project, wanted: Subscription) -> News:
    """An account, whenever it has changed."""
    cluster = Cluster(project, wanted.place)
    address, options = orjson.loads(wanted.about)
    told = cluster.state_of(address)
    while True:
        state = cluster.state_of(address)
        changed = [] if state == told else [state]
        yield [cluster.in_context(show_account(cluster, each, options, is_told=True)) for each in changed]
        told = state


@watcher("program", "programNotification")
def watch_program(project: Project, wanted: Subscription) -> News:
    """The accounts of a program that are new or have changed."""
    cluster = Cluster(project, wanted.place)
    program, options = orjson.loads(wanted.about)
    told = accounts_of(cluster, program, options)
    while True:
        found = accounts_of(cluster, program, options)
        changed = [pubkey for pubkey, state in found.items() if told.get(pubkey) != state]
        shown = (show_keyed(cluster, each, found[each], options, is_told=True) for each in changed)
        yield [cluster.in_context(each) for each in shown]
        told = found


@watcher("solanaLogs", "logsNotification")
def watch_logs(project: Project, wanted: Subscription) -> News:
    """Transactions with their logs."""
    cluster = Cluster(project, wanted.place)
    (mentions,) = orjson.loads(wanted.about)
    told = len(cluster.records())
    found: list[dict[str, Any]] = []
    while True:
        yield found
        rows = cluster.records()
        found = []
        for row in rows[min(told, len(rows)) :]:
            if not mentions or not set(mentions).isdisjoint(message_of(row).keys):
                shown = {"signature": signature_of(row), "err": error_of(row), "logs": list(row.logs)}
                found.append({"context": {"slot": row.slot}, "value": shown})
        told = len(rows)


@watcher("signature", "signatureNotification", SLOT_MS)
def watch_signature(project: Project, wanted: Subscription) -> News:
    """A transaction once it is as settled as is asked for, and nothing afterwards."""
    cluster = Cluster(project, wanted.place)
    signature, commitment = orjson.loads(wanted.about)
    while True:
        record = find_record(cluster, signature)
        settled = -1 if record is None else _COMMITMENTS.index(cluster.commitment_of(record.slot))
        if record is not None and settled >= _COMMITMENTS.index(commitment):
            yield [cluster.in_context({"err": error_of(record)})]
            return
        yield []
