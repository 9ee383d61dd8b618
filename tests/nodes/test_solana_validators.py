"""What explorers and wallets ask a Solana node of itself; solders reads the answers."""

import json
from base64 import b64decode
from typing import Any

from solders.clock import Clock
from solders.pubkey import Pubkey
from solders.rpc import responses
from solders.sysvar import CLOCK

from mockserver.nodes.solana.cluster import VERSION
from tests.nodes.cluster import ALICE, BOB, MINT, SOL, Cluster, make_token, move, pay, token
from tests.tables import cases

EPOCH_SLOTS = 432_000


def read(cluster: Cluster, method: str, *params: Any) -> Any:
    """The answer to a method, as solders reads it."""
    answer = {"jsonrpc": "2.0", "id": 0, "result": cluster.ask(method, *params)}
    kind = getattr(responses, f"{method[0].upper()}{method[1:]}Resp")
    found = kind.from_json(json.dumps(answer))
    assert isinstance(found, kind), found
    return found.value


@cases(
    "method, params",
    ("getBlockCommitment", [5]),
    ("getBlockHeight", []),
    ("getBlockProduction", []),
    ("getBlockTime", [5]),
    ("getBlocks", [5, 9]),
    ("getBlocksWithLimit", [5, 2]),
    ("getClusterNodes", []),
    ("getEpochInfo", []),
    ("getEpochSchedule", []),
    ("getFirstAvailableBlock", []),
    ("getGenesisHash", []),
    ("getHealth", []),
    ("getIdentity", []),
    ("getInflationGovernor", []),
    ("getInflationRate", []),
    ("getInflationReward", [[str(ALICE.pubkey())], {"epoch": 2}]),
    ("getLargestAccounts", [{"filter": "circulating"}]),
    ("getLatestBlockhash", []),
    ("getMaxRetransmitSlot", []),
    ("getMaxShredInsertSlot", []),
    ("getRecentPerformanceSamples", [3]),
    ("getSlot", []),
    ("getSlotLeader", []),
    ("getSlotLeaders", [5, 3]),
    ("getStakeMinimumDelegation", []),
    ("getSupply", [{"excludeNonCirculatingAccountsList": True}]),
    ("getTransactionCount", []),
    ("getVersion", []),
    ("getVoteAccounts", []),
    ("minimumLedgerSlot", []),
)
def test_solders_reads_the_answer_to_a_method(cluster: Cluster, method: str, params: list[Any]) -> None:
    cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert read(cluster, method, *params) is not None


@cases(
    "method, first, most",
    ("getSlotLeaders", 5, 5_000),
    ("getRecentPerformanceSamples", None, 720),
    ("requestAirdrop", str(BOB.pubkey()), 10**15),
)
def test_a_method_takes_as_much_as_the_node_allows(
    cluster: Cluster, method: str, first: Any, most: int
) -> None:
    first = [] if first is None else [first]
    assert not isinstance(cluster.ask(method, *first, most), dict)
    assert cluster.ask(method, *first, most + 1)["code"] == -32602


@cases(
    "method, answer",
    ("getVersion", {"solana-core": VERSION, "feature-set": 0}),
    ("getGenesisHash", "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"),
    ("getFirstAvailableBlock", 0),
    ("minimumLedgerSlot", 0),
    ("getBlockCommitment", {"commitment": None, "totalStake": 0}),
    (
        "getEpochSchedule",
        {
            "slotsPerEpoch": EPOCH_SLOTS,
            "leaderScheduleSlotOffset": EPOCH_SLOTS,
            "warmup": False,
            "firstNormalEpoch": 0,
            "firstNormalSlot": 0,
        },
    ),
)
def test_what_a_node_says_of_itself_never_changes(cluster: Cluster, method: str, answer: object) -> None:
    assert cluster.ask(method) == answer


def test_the_twenty_largest_accounts_are_listed(cluster: Cluster) -> None:
    for number in range(21):
        cluster.ask("requestAirdrop", str(Pubkey.from_bytes(bytes(31) + bytes([number + 9]))), 10**9 + number)
    assert len(cluster.ask("getLargestAccounts")["value"]) == 20


def test_the_only_validator_leads_all_slots(cluster: Cluster) -> None:
    leader = cluster.ask("getIdentity")["identity"]
    slot = cluster.ask("getSlot")
    assert cluster.ask("getSlotLeaders", slot, 2) == [leader, cluster.ask("getSlotLeader")]
    assert [node["pubkey"] for node in cluster.ask("getClusterNodes")] == [leader]
    assert len(cluster.ask("getLeaderSchedule", None, {"identity": leader})[leader]) == EPOCH_SLOTS
    assert cluster.ask("getLeaderSchedule", {"identity": str(BOB.pubkey())}) == {}


def test_blocks_are_counted_by_slots(cluster: Cluster) -> None:
    leader, slot = cluster.ask("getSlotLeader"), cluster.ask("getSlot")
    made = cluster.ask("getBlockProduction", {"range": {"firstSlot": slot - 4, "lastSlot": None}})["value"]
    assert made == {"byIdentity": {leader: [5, 5]}, "range": {"firstSlot": slot - 4, "lastSlot": slot}}
    others = cluster.ask("getBlockProduction", {"identity": str(BOB.pubkey())})["value"]
    assert others["byIdentity"] == {}
    refused = cluster.ask("getBlockProduction", {"range": {"firstSlot": slot + 1}})
    assert (refused["code"], "range" in refused["message"]) == (-32602, True)


def test_an_epoch_is_as_long_as_its_schedule_says(cluster: Cluster) -> None:
    info, schedule = cluster.ask("getEpochInfo"), cluster.ask("getEpochSchedule")
    assert schedule["slotsPerEpoch"] == info["slotsInEpoch"]
    assert info["epoch"] == cluster.ask("getInflationRate")["epoch"] == info["absoluteSlot"] // EPOCH_SLOTS


def test_transactions_are_counted_by_minutes(cluster: Cluster) -> None:
    before = cluster.ask("getTransactionCount")
    cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    assert cluster.ask("getTransactionCount") == cluster.ask("getEpochInfo")["transactionCount"] == before + 1
    latest, earlier = cluster.ask("getRecentPerformanceSamples", 2)
    assert (latest["numTransactions"], earlier["numTransactions"]) == (before + 1, 0)
    assert latest["slot"] - earlier["slot"] == latest["numSlots"] == 150


def test_the_supply_is_what_accounts_have(cluster: Cluster) -> None:
    cluster.send(pay(ALICE, BOB.pubkey(), SOL), signers=[ALICE])
    most = cluster.ask("getLargestAccounts")["value"]
    assert [each["lamports"] for each in most] == sorted((each["lamports"] for each in most), reverse=True)
    assert {str(ALICE.pubkey()), str(BOB.pubkey())} <= {each["address"] for each in most}
    supply = cluster.ask("getSupply")["value"]
    assert supply["total"] == supply["circulating"] == sum(each["lamports"] for each in most)
    assert (supply["nonCirculating"], supply["nonCirculatingAccounts"]) == (0, [])
    assert cluster.ask("getLargestAccounts", {"filter": "nonCirculating"})["value"] == []


def test_the_largest_accounts_of_a_mint_are_listed(cluster: Cluster) -> None:
    mine, theirs = make_token(cluster)
    cluster.send(move(mine, theirs, 1_000_000), signers=[ALICE])
    mint = MINT.pubkey()
    held = read(cluster, "getTokenLargestAccounts", str(mint))
    assert [(each.address, each.amount.ui_amount_string) for each in held] == [(mine, "4"), (theirs, "1")]
    assert cluster.ask("getTokenLargestAccounts", str(BOB.pubkey()))["code"] == -32602


def test_accounts_are_found_by_their_delegate(cluster: Cluster) -> None:
    mine, _ = make_token(cluster)
    approval = token(
        4,
        (7).to_bytes(8, "little"),
        (mine, False, True),
        (BOB.pubkey(), False, False),
        (ALICE.pubkey(), True, False),
    )
    wanted = {"mint": str(MINT.pubkey())}
    assert cluster.ask("getTokenAccountsByDelegate", str(BOB.pubkey()), wanted)["value"] == []
    cluster.send(approval, signers=[ALICE])
    found = cluster.ask("getTokenAccountsByDelegate", str(BOB.pubkey()), wanted, {"encoding": "jsonParsed"})
    assert [each["pubkey"] for each in found["value"]] == [str(mine)]
    assert cluster.ask("getTokenAccountsByDelegate", str(ALICE.pubkey()), wanted)["value"] == []


def test_there_is_no_snapshot_of_the_ledger(cluster: Cluster) -> None:
    assert cluster.ask("getHighestSnapshotSlot") == {"code": -32008, "message": "No snapshot"}


@cases(
    "method, params",
    ("getBalance", [str(ALICE.pubkey())]),
    ("getAccountInfo", [str(ALICE.pubkey())]),
    ("getSlot", []),
    ("getLatestBlockhash", []),
    ("getSignaturesForAddress", [str(ALICE.pubkey())]),
    ("getTransactionCount", []),
    ("sendTransaction", [""]),
)
def test_a_slot_that_is_not_reached_is_refused(cluster: Cluster, method: str, params: list[Any]) -> None:
    slot = cluster.ask("getSlot")
    refused = cluster.ask(method, *params, {"minContextSlot": slot + 1})
    assert (refused["code"], refused["data"]) == (-32016, {"contextSlot": slot})
    assert cluster.ask(method, *params, {"minContextSlot": slot}) != refused


def test_the_account_of_the_clock_follows_the_clock(cluster: Cluster) -> None:
    clock = str(CLOCK)
    (data, _) = cluster.ask("getAccountInfo", clock, {"encoding": "base64"})["value"]["data"]
    before = Clock.from_bytes(b64decode(data))
    assert (before.slot, before.epoch) == (cluster.ask("getSlot"), before.slot // EPOCH_SLOTS)
    cluster.api.post(f"/_mock/projects/{cluster.project.id}/clock/advance", json={"seconds": 60})
    (shown,) = cluster.ask("getMultipleAccounts", [clock], {"encoding": "jsonParsed"})["value"]
    assert (shown["data"]["program"], shown["data"]["parsed"]["type"]) == ("sysvar", "clock")
    assert shown["data"]["parsed"]["info"] == {
        "slot": before.slot + 150,
        "epoch": before.epoch,
        "epochStartTimestamp": before.epoch_start_timestamp,
        "leaderScheduleEpoch": before.leader_schedule_epoch,
        "unixTimestamp": before.unix_timestamp + 60,
    }
