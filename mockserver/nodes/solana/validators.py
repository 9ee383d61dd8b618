"""Validators, epochs, inflation and supply of a Solana cluster: it has one validator, and no stakes."""

from typing import Annotated, Any, Literal

from pydantic import Field

from mockserver import errors
from mockserver.errors import RpcError
from mockserver.nodes.solana.cluster import EPOCH_SLOTS, SLOT_MS, Cluster, Commitment, Count, solana_methods

methods = solana_methods()

_MOST_LEADERS = 5_000
_MOST_SAMPLES = 720
_SAMPLE_S = 60
_LARGEST = 20
_Limit = Annotated[int, Field(ge=1, le=_MOST_LEADERS)]
_Samples = Annotated[int, Field(ge=0, le=_MOST_SAMPLES)]


class LeaderOptions(Commitment, total=False):
    """Whose slots are listed."""

    identity: str


class SupplyOptions(Commitment, total=False):
    """What the supply is listed without, and which accounts are."""

    excludeNonCirculatingAccountsList: bool
    filter: Literal["circulating", "nonCirculating"]
    sortResults: bool


class EpochOptions(Commitment, total=False):
    """Which epoch is asked for."""

    epoch: Count


class ProductionOptions(LeaderOptions, total=False):
    """Which slots are asked for: those of the epoch unless it is said."""

    range: dict[Literal["firstSlot", "lastSlot"], Count]


# --- the node and its ledger -----------------------------------------------------------------------------


@methods.method("getIdentity")
def get_identity(cluster: Cluster) -> dict[str, str]:
    """Retrieve the public key of the node, which is the only validator."""
    return {"identity": cluster.validator}


@methods.method("getClusterNodes")
def list_nodes(cluster: Cluster) -> list[dict[str, Any]]:
    """List the nodes of the cluster: this one, which others cannot reach."""
    absent = ("gossip", "tpu", "tpuQuic", "tvu", "rpc", "pubsub", "featureSet", "shredVersion")
    return [{"pubkey": cluster.validator, "version": "3.0.0", **dict.fromkeys(absent)}]


@methods.method("getFirstAvailableBlock", "minimumLedgerSlot")
def get_first_slot(cluster: Cluster) -> int:
    """Retrieve the first slot that the node has: it has all."""
    return 0


@methods.method("getMaxRetransmitSlot", "getMaxShredInsertSlot")
def get_latest_slot(cluster: Cluster) -> int:
    """Retrieve the latest slot that the node has seen."""
    return cluster.slot


@methods.method("getHighestSnapshotSlot", errors=(errors.RPC_NO_SNAPSHOT,))
def get_snapshot_slot(cluster: Cluster) -> None:
    """The node has no snapshots of its ledger."""
    raise RpcError(errors.RPC_NO_SNAPSHOT)


@methods.method("getTransactionCount")
def count_transactions(cluster: Cluster, options: Commitment = {}) -> int:  # noqa: B006
    """Count the transactions of the cluster."""
    return len(cluster.records())


@methods.method("getRecentPerformanceSamples")
def list_samples(cluster: Cluster, limit: _Samples = _MOST_SAMPLES) -> list[dict[str, int]]:
    """List how many slots and transactions the latest minutes had, the latest one first."""
    length = _SAMPLE_S * 1000 // SLOT_MS
    slots = [row.slot for row in cluster.records()]
    samples = []
    for last in range(cluster.slot, max(0, cluster.slot - limit * length), -length):
        count = sum(last - length < slot <= last for slot in slots)
        counts = {"numTransactions": count, "numNonVoteTransactions": count, "numSlots": length}
        samples.append({"slot": last, "samplePeriodSecs": _SAMPLE_S, **counts})
    return samples


# --- epochs and leaders ----------------------------------------------------------------------------------


@methods.method("getEpochSchedule")
def get_epoch_schedule(cluster: Cluster) -> dict[str, int | bool]:
    """Retrieve how long epochs are: all are equally long."""
    first = {"firstNormalEpoch": 0, "firstNormalSlot": 0}
    return {"slotsPerEpoch": EPOCH_SLOTS, "leaderScheduleSlotOffset": EPOCH_SLOTS, "warmup": False, **first}


@methods.method("getSlotLeader")
def get_leader(cluster: Cluster, options: Commitment = {}) -> str:  # noqa: B006
    """Retrieve the leader of the latest slot."""
    return cluster.validator


@methods.method("getSlotLeaders")
def list_leaders(cluster: Cluster, start: Count, limit: _Limit) -> list[str]:
    """List the leaders of slots, which are all the same."""
    return [cluster.validator] * limit


@methods.method("getLeaderSchedule")
def get_leader_schedule(
    cluster: Cluster,
    slot: int | LeaderOptions | None = None,
    options: LeaderOptions = {},  # noqa: B006
) -> dict[str, list[int]]:
    """Retrieve which slots of an epoch each validator leads, counted from its first one."""
    chosen = slot if isinstance(slot, dict) else options
    is_led = chosen.get("identity", cluster.validator) == cluster.validator
    return {cluster.validator: list(range(EPOCH_SLOTS))} if is_led else {}


@methods.method("getBlockProduction")
def get_block_production(cluster: Cluster, options: ProductionOptions = {}) -> dict[str, Any]:  # noqa: B006
    """Count the slots that validators have led, and the blocks that they have made: one a slot."""
    chosen = options.get("range", {})
    first = chosen.get("firstSlot", cluster.slot - cluster.slot % EPOCH_SLOTS)
    last = chosen.get("lastSlot", cluster.slot)
    if not first <= last <= cluster.slot:
        summary = (
            f"invalid argument 0: options.range: {first} to {last}, and the latest slot is {cluster.slot}"
        )
        raise RpcError(errors.RPC_INVALID_PARAMS, summary=summary)
    is_led = options.get("identity", cluster.validator) == cluster.validator
    made = {cluster.validator: [last - first + 1] * 2} if is_led else {}
    return cluster.in_context({"byIdentity": made, "range": {"firstSlot": first, "lastSlot": last}})


@methods.method("getBlockCommitment")
def get_block_commitment(cluster: Cluster, slot: Count) -> dict[str, Any]:
    """Retrieve what was staked on a block: nothing."""
    return {"commitment": None, "totalStake": 0}


# --- stakes, inflation and supply ------------------------------------------------------------------------


@methods.method("getVoteAccounts")
def list_vote_accounts(cluster: Cluster, options: dict[str, Any] = {}) -> dict[str, list[Any]]:  # noqa: B006
    """List the accounts that vote: none, as nothing is staked."""
    return {"current": [], "delinquent": []}


@methods.method("getStakeMinimumDelegation")
def get_least_stake(cluster: Cluster, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the lamports that a stake has to have."""
    return cluster.in_context(10**9)


@methods.method("getInflationGovernor")
def get_inflation_governor(cluster: Cluster, options: Commitment = {}) -> dict[str, float]:  # noqa: B006
    """Retrieve how inflation goes on: there is none."""
    return dict.fromkeys(("initial", "terminal", "taper", "foundation", "foundationTerm"), 0.0)


@methods.method("getInflationRate")
def get_inflation_rate(cluster: Cluster) -> dict[str, float]:
    """Retrieve the inflation of the epoch: there is none."""
    return {"epoch": cluster.slot // EPOCH_SLOTS, **dict.fromkeys(("total", "validator", "foundation"), 0.0)}


@methods.method("getInflationReward")
def list_rewards(
    cluster: Cluster,
    addresses: list[str],
    options: EpochOptions = {},  # noqa: B006
) -> list[None]:
    """Retrieve what accounts were paid in an epoch: nothing."""
    return [None] * len(addresses)


@methods.method("getSupply")
def get_supply(cluster: Cluster, options: SupplyOptions = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the lamports of all accounts, which all circulate."""
    total = sum(state.lamports for _, state in cluster.accounts())
    found = {"total": total, "circulating": total, "nonCirculating": 0, "nonCirculatingAccounts": []}
    return cluster.in_context(found)


@methods.method("getLargestAccounts")
def list_largest(cluster: Cluster, options: SupplyOptions = {}) -> dict[str, Any]:  # noqa: B006
    """List the twenty accounts with the most lamports."""
    is_empty = options.get("filter") == "nonCirculating"
    found = [] if is_empty else sorted(cluster.accounts(), key=lambda each: -each[1].lamports)[:_LARGEST]
    return cluster.in_context([{"address": key, "lamports": state.lamports} for key, state in found])
