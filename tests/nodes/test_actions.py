"""What test clients of Anvil and Hardhat do to a chain, its clock and its mempool."""

from typing import Any

from httpx import Client

from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.nodes.node import ALICE, BOB, Node, calldata
from tests.tables import cases
from tests.transport import InProcessTransport

CLOCK = "0x" + "c1" * 20


def test_state_is_set(node: Node) -> None:
    node.ask("hardhat_setBalance", BOB.address, "0x5")
    node.ask("anvil_setNonce", BOB.address, "0x7")
    node.ask("anvil_setStorageAt", BOB.address, "0x1", "0x" + "00" * 31 + "09")
    node.ask("anvil_setCode", BOB.address, "0x6001")
    assert node.number("eth_getBalance", BOB.address) == 5
    assert node.number("eth_getTransactionCount", BOB.address) == 7
    assert node.number("eth_getStorageAt", BOB.address, "0x1", "latest") == 9
    assert node.ask("eth_getCode", BOB.address) == "0x6001"


@cases(
    "method, params",
    ("evm_increaseTime", [3600]),
    ("anvil_mine", ["0x3"]),
    ("evm_mine", []),
    ("evm_setTime", [1_800_000_000]),
)
def test_a_ticking_clock_that_was_moved_ticks_on(
    node: Node, world: World, method: str, params: list[object]
) -> None:
    real_ms = 0
    world.read_real_ms = lambda: real_ms
    node.project.clock.tick(world.read_real_ms)
    node.ask(method, *params)
    moved = node.number("eth_blockNumber")
    real_ms += 10_000
    assert node.number("eth_blockNumber") == moved + 5


def test_a_nonce_has_at_most_64_bits(node: Node) -> None:
    error = node.ask("anvil_setNonce", BOB.address, hex(2**64))
    assert (error["code"], "at most 64 bits" in error["message"]) == (-32602, True)
    node.ask("anvil_setNonce", BOB.address, hex(2**64 - 1))
    assert node.number("eth_getTransactionCount", BOB.address) == 2**64 - 1


def test_a_snapshot_is_gone_back_to_once(node: Node) -> None:
    node.fund(ALICE.address)
    taken, later = node.ask("evm_snapshot"), node.ask("evm_snapshot")
    before = node.ask("eth_getBlockByNumber", "latest", False)
    node.transact(to=BOB.address, gas=21_000)
    assert node.ask("evm_revert", taken) is True
    assert node.ask("eth_getBlockByNumber", "latest", False) == before
    assert node.number("eth_getTransactionCount", ALICE.address) == 0
    assert node.ask("evm_snapshot") not in (taken, later)
    assert [node.ask("evm_revert", each) for each in (taken, later)] == [False, False]


def test_time_moves_the_whole_project_on(node: Node) -> None:
    first, now_s = node.number("eth_blockNumber"), node.project.clock.now_s
    node.ask("evm_increaseTime", 60)
    assert node.project.clock.now_s == now_s + 60
    node.ask("anvil_mine", "0x3")
    assert node.number("eth_blockNumber") == first + 30 + 3
    node.ask("evm_setNextBlockTimestamp", now_s + 1000)
    node.fund(ALICE.address)
    receipt = node.transact(to=BOB.address, gas=21_000)
    assert int(node.ask("eth_getBlockByHash", receipt["blockHash"])["timestamp"], 16) == now_s + 1000
    assert "is before now" in node.ask("evm_setNextBlockTimestamp", 5)["message"]
    (mined,) = node.ask("evm_mine_detailed", {"timestamp": now_s + 2000})[-1:]
    assert int(mined["timestamp"], 16) == now_s + 2000


def test_a_block_has_the_odd_second_that_is_set_for_it(node: Node) -> None:
    # TIMESTAMP PUSH0 MSTORE, MSIZE PUSH0 RETURN
    node.ask("anvil_setCode", CLOCK, "0x425f52595ff3")
    now_s = node.project.clock.now_s
    node.fund(ALICE.address)
    node.ask("evm_setNextBlockTimestamp", now_s + 1001)
    receipt = node.transact(to=CLOCK, gas=50_000)
    times = [int(node.ask("eth_getBlockByHash", receipt["blockHash"])["timestamp"], 16)]
    node.ask("evm_mine", now_s + 2001)
    set_at = node.number("eth_blockNumber")
    for block in (set_at, set_at - 1):
        times.append(int(node.ask("eth_getBlockByNumber", hex(block), False)["timestamp"], 16))
        times.append(int(node.ask("eth_call", {"to": CLOCK}, hex(block)), 16))
    node.transact(to=BOB.address, gas=21_000)
    times.append(int(node.ask("eth_call", {"to": CLOCK}, hex(set_at)), 16))
    assert [each - now_s for each in times] == [1001, 2001, 2001, 1998, 1998, 2001]


def test_a_block_is_mined_though_the_next_ones_time_is_later(node: Node) -> None:
    latest = node.ask("eth_getBlockByNumber", "latest", False)
    time_s, number = (int(latest[name], 16) for name in ("timestamp", "number"))
    node.ask("evm_mine", time_s + 1)
    mined = node.ask("eth_getBlockByNumber", "latest", False)
    assert [int(mined[name], 16) for name in ("timestamp", "number")] == [time_s + 2, number + 1]


def test_a_reorganization_changes_hashes(node: Node) -> None:
    node.fund(ALICE.address)
    before = node.transact(to=BOB.address, gas=21_000)
    assert node.ask("anvil_reorg", 1) is None
    after = node.ask("eth_getTransactionReceipt", before["transactionHash"])
    assert after["blockNumber"] == before["blockNumber"]
    assert after["blockHash"] != before["blockHash"]
    assert node.ask("eth_getBlockByHash", before["blockHash"]) is None


def test_a_dump_is_loaded_again(node: Node) -> None:
    token = node.deploy_token()
    dump = node.ask("anvil_dumpState")
    node.transact(to=token, data=calldata("transfer", BOB.address, 5), gas=100_000)
    # Its header names no system, no time and one level, by which versions of Python differ.
    assert dump[:22] == "0x1f8b08000000000002ff"
    assert node.ask("anvil_loadState", dump) is True
    assert node.number("eth_call", {"to": token, "data": calldata("balanceOf", BOB.address)}) == 0


@cases("dump", "0x", "0x00", "0x" + b'{"accounts": {"0x12": {}}}'.hex())
def test_a_dump_that_is_none_is_refused(node: Node, dump: str) -> None:
    refused = node.ask("anvil_loadState", dump)
    assert (refused["code"], refused["message"].startswith("state: ")) == (-32602, True)


def test_what_waits_is_dropped(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    raw = node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex()
    sent = node.ask("eth_sendRawTransaction", raw)
    assert node.ask("anvil_dropTransaction", sent) == sent
    assert node.ask("anvil_dropTransaction", sent) is None
    assert node.ask("hardhat_dropTransaction", sent) is False
    node.ask(
        "eth_sendRawTransaction", node.sign(to=BOB.address, gas=21_000, value=1).raw_transaction.to_0x_hex()
    )
    node.ask("anvil_dropAllTransactions")
    node.ask("evm_mine")
    assert node.number("eth_getTransactionCount", ALICE.address, "pending") == 0
    mined = node.ask("eth_sendRawTransaction", raw)
    node.ask("evm_mine")
    assert node.ask("eth_getTransactionReceipt", mined)["status"] == "0x1"
    assert node.ask("anvil_dropTransaction", mined) is None


def test_the_base_fee_is_set(node: Node) -> None:
    node.ask("anvil_setNextBlockBaseFeePerGas", hex(3 * 10**9))
    assert int(node.ask("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16) == 3 * 10**9


def test_a_block_keeps_the_base_fee_that_it_had(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("anvil_setNextBlockBaseFeePerGas", hex(3 * 10**9))
    given = {"maxFeePerGas": 5 * 10**9, "maxPriorityFeePerGas": 10**9}
    receipt = node.transact(to=BOB.address, gas=21_000, **given)
    node.ask("anvil_setNextBlockBaseFeePerGas", "0x7")
    sent = node.ask("eth_getTransactionByHash", receipt["transactionHash"])
    assert sent["gasPrice"] == receipt["effectiveGasPrice"] == hex(4 * 10**9)
    assert node.ask("eth_getBlockByNumber", receipt["blockNumber"])["baseFeePerGas"] == hex(3 * 10**9)
    node.ask("evm_mine")
    assert node.ask("eth_feeHistory", "0x2", "latest")["baseFeePerGas"] == [hex(3 * 10**9), "0x7", "0x7"]


def test_a_reset_begins_anew(node: Node) -> None:
    node.fund(ALICE.address)
    # As viem asks for it without a fork.
    assert node.ask("anvil_reset", {"forking": {"blockNumber": None}}) is None
    assert node.number("eth_getBalance", ALICE.address) == 0
    assert (
        "no network"
        in node.ask("hardhat_reset", {"forking": {"jsonRpcUrl": "https://rpc.example"}})["message"]
    )


@cases("is_batch", False, True)
def test_actions_need_the_control_token(is_batch: bool) -> None:
    world = World()
    project = world.create(name="guarded")
    app = assemble(world, control=ControlAccess(token="secret-token"))
    with Client(transport=InProcessTransport(app), base_url="http://mock") as api:
        node = Node(api, project)
        assert node.number("eth_blockNumber") > 0
        action = {"id": 1, "method": "anvil_setBalance", "params": [BOB.address, "0x5"]}
        body = [action] if is_batch else action
        answer = api.post(node.path, json=body)
        assert "control token" in answer.text
        assert node.number("eth_getBalance", BOB.address) == 0
        api.post(node.path, json=body, headers={"x-mockserver-token": "secret-token"}).raise_for_status()
        assert node.number("eth_getBalance", BOB.address) == 5


def test_snapshots_that_tests_have_named_stay(node: Node, api: Client) -> None:
    taken = node.ask("evm_snapshot")
    for name in ("node-x", "node-01"):
        api.post("/_mock/projects/-/snapshots", json={"name": name})
    assert node.ask("evm_revert", taken) is True
    assert {"node-x", "node-01"} == set(node.project.snapshots)


def test_a_number_of_a_snapshot_means_one_that_is_kept(node: Node, api: Client) -> None:
    api.put("/_mock/projects/-/settings", json={"snapshots_kept": 2})
    _, second, third, fourth = (node.ask("evm_snapshot") for _ in range(4))
    assert [node.ask("evm_revert", each) for each in (second, third, fourth)] == [False, True, False]


@cases(
    "method, params, why",
    ("anvil_mine", ["0x2", "0x" + "f" * 60], "year 9999"),
    ("evm_setNextBlockTimestamp", ["0x" + "f" * 60], "year 9999"),
    ("anvil_addBalance", [BOB.address, "0x" + "f" * 64], "exceeds 2^256"),
    ("evm_mine", [{"timestam": 1}], "timestam: is not known here (did you mean timestamp?)"),
    ("anvil_reorg", [{"dept": 1}], "dept: is not known here (did you mean depth?)"),
    ("hardhat_reset", [{"fork": {}}], "fork: is not known here (did you mean forking?)"),
    ("evm_setIntervalMining", [-5], "must be a quantity"),
    ("evm_setIntervalMining", [True], "must be a quantity"),
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    node: Node, method: str, params: list[object], why: str
) -> None:
    node.fund(BOB.address)
    node.ask("evm_setNextBlockTimestamp", node.project.clock.now_s + 100)
    before = state_of(node)
    assert why in node.ask(method, *params)["message"]
    assert state_of(node) == before


def state_of(node: Node) -> tuple[int, list[object]]:
    """What a project's clock shows, and its rows."""
    return node.project.clock.now_ms, [dict(table.rows) for table in node.project.snapshot().tables]


def test_no_block_is_mined_where_none_is_wanted(node: Node) -> None:
    node.ask("evm_setNextBlockTimestamp", node.project.clock.now_s + 100)
    before = node.project.clock.now_ms
    assert node.ask("anvil_mine", "0x0") is None
    assert node.project.clock.now_ms == before


def test_of_many_mined_blocks_the_latest_are_shown(node: Node) -> None:
    mined = node.ask("anvil_mineDetailed", {"timestamp": node.project.clock.now_s + 10**9})
    assert (len(mined), int(mined[-1]["number"], 16)) == (1000, node.number("eth_blockNumber"))


def test_a_nonce_below_what_was_sent_is_a_quantity(node: Node) -> None:
    node.fund(ALICE.address)
    node.ask("evm_setAutomine", False)
    node.ask("eth_sendRawTransaction", node.sign(to=BOB.address, gas=21_000).raw_transaction.to_0x_hex())
    node.ask("anvil_setNonce", ALICE.address, "0x0")
    assert node.ask("eth_getTransactionCount", ALICE.address) == "0x0"


def test_balances_of_tokens_are_set(node: Node) -> None:
    usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
    for token in (usdc, node.deploy_token()):
        node.ask("anvil_dealERC20", BOB.address, token, "0x64")
        node.ask("anvil_setERC20Allowance", BOB.address, ALICE.address, token, "0x7")
        held = {"to": token, "data": calldata("balanceOf", BOB.address)}
        allowed = {"to": token, "data": calldata("allowance", BOB.address, ALICE.address)}
        assert [node.number("eth_call", asked) for asked in (held, allowed)] == [100, 7]


def test_what_is_no_token_has_no_balance_to_set(node: Node) -> None:
    # It answers 1 to everything: PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
    node.ask("anvil_setCode", BOB.address, "0x60015f5260205ff3")
    refused = node.ask("anvil_dealERC20", ALICE.address, BOB.address, "0x64")
    assert refused["code"] == -32004
    assert refused["message"].startswith(f"balanceOf(address) of {BOB.address} does not answer with a slot")


def test_impersonated_accounts_are_listed_as_by_anvil(node: Node) -> None:
    node.ask("anvil_impersonateAccount", BOB.address.lower())
    assert node.ask("eth_accounts") == [BOB.address]
    node.ask("anvil_stopImpersonatingAccount", BOB.address)
    assert node.ask("eth_accounts") == []


def test_any_account_sends_without_a_signature(node: Node) -> None:
    node.fund(BOB.address)
    sent = node.ask("eth_sendUnsignedTransaction", {"from": BOB.address, "to": ALICE.address, "value": "0x5"})
    assert node.ask("eth_getTransactionReceipt", sent)["status"] == "0x1"
    assert "unknown account" in node.ask("eth_sendTransaction", {"from": BOB.address})["message"]


@cases(
    "method, named",
    ("hardhat_setCoinbase", "gas fees are paid to one address"),
    ("anvil_setMinGasPrice", "anvil_setNextBlockBaseFeePerGas"),
    ("hardhat_setPrevRandao", "random number"),
    ("evm_setBlockGasLimit", "gas limit"),
    ("anvil_setBlockTimestampInterval", "evm_increaseTime"),
    ("anvil_setRpcUrl", "cannot be forked"),
)
def test_what_is_the_same_for_all_chains_is_not_set(node: Node, method: str, named: str) -> None:
    refused = node.ask(method, "0x1")
    assert refused["code"] == -32004
    assert named in refused["message"]


def test_tools_take_the_node_for_one_of_anvil(node: Node) -> None:
    version = node.ask("web3_clientVersion")
    assert version.startswith("anvil/mockserver-v")
    assert node.ask("anvil_metadata")["clientVersion"] == version


def test_filters_tell_what_a_reorganization_took_back(node: Node) -> None:
    token, transfer = node.deploy_token(), calldata("transfer", BOB.address, 5)
    start = node.number("eth_blockNumber") + 1
    later, first_only = {"fromBlock": hex(start + 1)}, {"fromBlock": hex(start), "toBlock": hex(start)}
    asked = *({"address": token} | each for each in ({}, later, first_only)), {"address": BOB.address}
    filters = [node.ask("eth_newFilter", each) for each in asked]
    blocks = node.ask("eth_newBlockFilter")

    def poll() -> list[Any]:
        return [node.ask("eth_getFilterChanges", each) for each in filters]

    first, second = (node.transact(to=token, data=transfer, gas=100_000) for _ in "12")
    assert poll() == [first["logs"] + second["logs"], second["logs"], first["logs"], []]
    assert len(node.ask("eth_getFilterChanges", blocks)) == 2
    node.ask("anvil_reorg", 2)
    removed = [{**log, "removed": True} for log in first["logs"] + second["logs"]]
    hashes = [node.ask("eth_getBlockByNumber", hex(start + number))["hash"] for number in range(2)]
    again = [log | {"blockHash": hashes[log is second["logs"][0]]} for log in first["logs"] + second["logs"]]
    assert poll() == [removed + again, removed[1:] + again[1:], [removed[0], again[0]], []]
    assert node.ask("eth_getFilterChanges", blocks) == hashes
    assert (poll(), node.ask("eth_getFilterChanges", blocks)) == ([[], [], [], []], [])
    # What was mined and replaced between two polls was never told.
    third = node.transact(to=token, data=transfer, gas=100_000)
    node.ask("anvil_reorg", 1)
    last = node.ask("eth_getBlockByNumber", "latest")["hash"]
    assert poll() == [[third["logs"][0] | {"blockHash": last}]] * 2 + [[], []]
