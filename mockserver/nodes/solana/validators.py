"""The node itself, epochs, inflation and supply of a Solana cluster: it has one validator, and no stakes."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from mockserver import errors
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.solana.cluster import SLOT_MS, VERSION, Cluster, Commitment, Count, SolanaMethods

methods = SolanaMethods()

EPOCH_SLOTS = 432_000
_MOST_LEADERS = 5_000
_MOST_SAMPLES = 720
_SAMPLE_S = 60
_LARGEST = 20
_GENESIS = {
    "mainnet-beta": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "devnet": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
    "testnet": "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY",
}
_FACTS: Mapping[str, tuple[str, Callable[[Cluster], Any]]] = {
    "getHealth": ("whether the node is healthy", lambda own: "ok"),
    "getVersion": ("the version of the node", lambda own: {"solana-core": VERSION, "feature-set": 0}),
    "getGenesisHash": (
        "the hash by which clients know the cluster",
        lambda own: _GENESIS.get(own.name) or own.blockhash(0),
    ),
    "getSlot": ("the latest slot", lambda own: own.slot),
    "getBlockHeight": ("the height of the latest block, which is its slot", lambda own: own.slot),
    "getIdentity": ("the public key of the only validator", lambda own: {"identity": own.validator}),
    "getSlotLeader": ("the leader of the latest slot", lambda own: own.validator),
    "getFirstAvailableBlock": ("the first slot whose block the node has", lambda own: 0),
    "minimumLedgerSlot": ("the first slot that the node has", lambda own: 0),
    "getMaxRetransmitSlot": ("the latest slot that the node has passed on", lambda own: own.slot),
    "getMaxShredInsertSlot": ("the latest slot that the node has received", lambda own: own.slot),
    "getTransactionCount": ("how many transactions were processed", lambda own: len(own.records())),
    "getVoteAccounts": ("the accounts that vote: none", lambda own: {"current": [], "delinquent": []}),
    "getStakeMinimumDelegation": ("the least lamports of a stake", lambda own: own.in_context(10**9)),
    "getBlockCommitment": (
        "what was staked on a block: nothing",
        lambda own: {"commitment": None, "totalStake": 0},
    ),
    "getInflationGovernor": (
        "how inflation goes on: there is none",
        lambda own: dict.fromkeys(("initial", "terminal", "taper", "foundation", "foundationTerm"), 0.0),
    ),
    "getInflationRate": (
        "the inflation of the epoch: there is none",
        lambda own: {"epoch": own.slot // EPOCH_SLOTS, "total": 0.0, "validator": 0.0, "foundation": 0.0},
    ),
    "getEpochInfo": (
        "where in an epoch the cluster is",
        lambda own: {
            **dict.fromkeys(("absoluteSlot", "blockHeight"), own.slot),
            **dict(zip(("epoch", "slotIndex"), divmod(own.slot, EPOCH_SLOTS), strict=True)),
            "slotsInEpoch": EPOCH_SLOTS,
            "transactionCount": len(own.records()),
        },
    ),
    "getEpochSchedule": (
        "how long epochs are, which is always the same",
        lambda own: {
            **dict.fromkeys(("slotsPerEpoch", "leaderScheduleSlotOffset"), EPOCH_SLOTS),
            "warmup": False,
            "firstNormalEpoch": 0,
            "firstNormalSlot": 0,
        },
    ),
}
"""What depends on the cluster alone, whatever options a method is given."""


def _with_options(find: Callable[[Cluster], Any]) -> Callable[..., Any]:
    def answer(cluster: Cluster, options: Commitment | int = {}) -> Any:
        return find(cluster)

    return answer


methods.retrieve({name: (what, _with_options(find)) for name, (what, find) in _FACTS.items()})


class LeaderOptions(Commitment, total=False):
    """Whose slots are listed, and which: those of the epoch unless a range is given."""

    identity: str
    range: dict[Literal["firstSlot", "lastSlot"], Count | None]


class LargestOptions(Commitment, total=False):
    """Which accounts are listed: all circulate."""

    filter: Literal["circulating", "nonCirculating"]


@methods.method("getClusterNodes")
def list_nodes(cluster: Cluster) -> list[dict[str, Any]]:
    """List the nodes of the cluster: this one, which others cannot reach."""
    absent = ("gossip", "tpu", "tpuQuic", "tvu", "rpc", "pubsub", "featureSet", "shredVersion")
    return [{"pubkey": cluster.validator, "version": VERSION, **dict.fromkeys(absent)}]


@methods.method("getHighestSnapshotSlot", errors=(errors.RPC_NO_SNAPSHOT,))
def get_snapshot_slot(cluster: Cluster) -> None:
    """The node has no snapshots of its ledger."""
    raise RpcError(errors.RPC_NO_SNAPSHOT)


@methods.method("getRecentPerformanceSamples")
def list_samples(
    cluster: Cluster, limit: Annotated[int, Field(ge=0, le=_MOST_SAMPLES)] = _MOST_SAMPLES
) -> list[dict[str, int]]:
    """List how many slots and transactions the latest minutes had, the latest one first."""
    length = _SAMPLE_S * 1000 // SLOT_MS
    found = Counter((cluster.slot - row.slot) // length for row in cluster.records())
    samples = []
    for place, last in enumerate(range(cluster.slot, max(0, cluster.slot - limit * length), -length)):
        counts = {
            **dict.fromkeys(("numTransactions", "numNonVoteTransactions"), found[place]),
            "numSlots": length,
        }
        samples.append({"slot": last, "samplePeriodSecs": _SAMPLE_S, **counts})
    return samples


@methods.method("getSlotLeaders")
def list_leaders(
    cluster: Cluster, start: Count, limit: Annotated[int, Field(ge=1, le=_MOST_LEADERS)]
) -> list[str]:
    """List the leaders of slots, which are all the same."""
    return [cluster.validator] * limit


@methods.method("getLeaderSchedule")
def get_leader_schedule(
    cluster: Cluster, slot: int | LeaderOptions | None = None, options: LeaderOptions = {}
) -> dict[str, list[int]]:
    """Retrieve which slots of an epoch each validator leads, counted from its first one."""
    chosen = slot if isinstance(slot, dict) else options
    is_led = chosen.get("identity", cluster.validator) == cluster.validator
    return {cluster.validator: list(range(EPOCH_SLOTS))} if is_led else {}


@methods.method("getBlockProduction")
def get_block_production(cluster: Cluster, options: LeaderOptions = {}) -> dict[str, Any]:
    """Count the slots that each validator has led, and the blocks that it has made: one a slot."""
    asked = options.get("range", {})
    first, last = asked.get("firstSlot"), asked.get("lastSlot")
    first = cluster.slot - cluster.slot % EPOCH_SLOTS if first is None else first
    last = cluster.slot if last is None else last
    if not first <= last <= cluster.slot:
        raise invalid(
            f"invalid argument 0: options.range: {first} to {last}, with the latest slot {cluster.slot}"
        )
    is_led = options.get("identity", cluster.validator) == cluster.validator
    made = {cluster.validator: [last - first + 1] * 2} if is_led else {}
    return cluster.in_context({"byIdentity": made, "range": {"firstSlot": first, "lastSlot": last}})


@methods.method("getInflationReward")
def list_rewards(cluster: Cluster, addresses: list[str], options: Commitment = {}) -> list[None]:
    """Retrieve what accounts were paid in an epoch: nothing."""
    return [None] * len(addresses)


@methods.method("getSupply")
def get_supply(cluster: Cluster, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve the lamports of all accounts, which all circulate."""
    total = sum(state.lamports for _, state in cluster.accounts())
    found = {"total": total, "circulating": total, "nonCirculating": 0, "nonCirculatingAccounts": []}
    return cluster.in_context(found)


@methods.method("getLargestAccounts")
def list_largest(cluster: Cluster, options: LargestOptions = {}) -> dict[str, Any]:
    """List the twenty accounts with the most lamports."""
    is_empty = options.get("filter") == "nonCirculating"
    found = [] if is_empty else sorted(cluster.accounts(), key=lambda each: -each[1].lamports)[:_LARGEST]
    return cluster.in_context([{"address": key, "lamports": state.lamports} for key, state in found])
