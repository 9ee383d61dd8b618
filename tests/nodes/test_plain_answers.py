"""What nodes and bundlers answer in a word: state that never changes, switches, and refusals."""

from typing import Any

from mockserver.chain.user_operations import ENTRY_POINTS
from tests.nodes.cluster import ALICE as PAYER
from tests.nodes.cluster import TOKEN, Cluster
from tests.nodes.node import ALICE, BOB, CHAIN, Node
from tests.nodes.test_bundler import V07, funded, shape
from tests.tables import cases

NEVER = "0x" + "77" * 32
DRAFT = {"from": ALICE.address, "to": BOB.address, "gas": "0x186a0"}


def authorized(**changed: Any) -> dict[str, Any]:
    """What Alice has signed to delegate, as a bundler is sent it."""
    signed = {"chainId": CHAIN, "address": "0x" + "77" * 20, "nonce": 0, **changed}
    made = ALICE.sign_authorization(signed)
    return {**signed, "chainId": hex(signed["chainId"]), "nonce": hex(signed["nonce"])} | {
        "yParity": hex(made.y_parity),
        "r": hex(made.r),
        "s": hex(made.s),
    }


DELEGATING = {"sender": ALICE.address, "factory": "0x7702", "factoryData": None}


@cases(
    "method, params, answer",
    ("eth_getUncleCountByBlockNumber", ["latest"], "0x0"),
    ("eth_getUncleCountByBlockHash", [NEVER], None),
    ("eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"], None),
    ("eth_blobBaseFee", [], "0x1"),
    ("net_version", [], "84532"),
    ("net_listening", [], True),
    ("net_peerCount", [], "0x0"),
    ("eth_syncing", [], False),
    ("eth_protocolVersion", [], "0x41"),
    ("eth_coinbase", [], "0x" + "b10c" * 10),
    ("eth_pendingTransactions", [], []),
    ("txpool_status", [], {"pending": "0x0", "queued": "0x0"}),
    ("txpool_contentFrom", [ALICE.address], {"pending": {}, "queued": {}}),
    ("anvil_getAutomine", [], True),
    ("evm_setIntervalMining", ["0x1"], True),
    ("evm_setAutomine", [False], True),
    ("eth_getProof", [ALICE.address, [], "latest"], "proofs are not supported"),
    ("eth_getLogs", [{"blockHash": NEVER, "fromBlock": "0x1"}], "cannot specify both blockHash and"),
    ("eth_getLogs", [{"blockHash": NEVER, "toBlock": "0x1"}], "cannot specify both blockHash and"),
    ("eth_getLogs", [{"fromBlock": "0x2", "toBlock": "0x1"}], "invalid block range"),
    ("eth_getLogs", [{"fromBlock": "latest", "toBlock": "earliest"}], "invalid block range"),
    ("eth_getLogs", [{"fromBlock": "0x1", "toBlock": "0x1"}], []),
    ("eth_getBalance", [ALICE.address, "newest"], "must be a block's number, its hash or latest"),
    ("eth_getBalance", [ALICE.address, {}], "must have either blockNumber or blockHash"),
    ("eth_getBlockReceipts", [{"blockNumber": "0x0"}], []),
    ("anvil_reorg", ["0x1", [["0x", 0]]], "cannot be put into replaced blocks"),
    ("anvil_mine", [hex(1_000_001)], "at most 1000000 blocks are mined at once"),
    ("eth_call", [[0] * 20_001], "more than 20,000 values"),
    ("eth_call", [{"to": BOB.address, "authorizationList": [{}]}], "0x"),
    (
        "eth_fillTransaction",
        [DRAFT | {"authorizationList": [{}]}],
        "authorizationList: r is not between 1 and",
    ),
    ("eth_fillTransaction", [DRAFT | {"authorizationList": [], "to": None}], "to: Field required"),
    ("eth_call", [{"gasPrice": "0x5", "maxFeePerGas": "0x6"}], "both gasPrice and (maxFeePerGas or "),
    (
        "eth_fillTransaction",
        [DRAFT | {"gasPrice": "0x5", "maxPriorityFeePerGas": "0x1"}],
        "both gasPrice and",
    ),
    ("eth_fillTransaction", [{"to": BOB.address}], "from: Field required"),
    ("eth_sendTransaction", [{"to": BOB.address}], "from: Field required"),
)
def test_a_node_answers(node: Node, method: str, params: list[Any], answer: Any) -> None:
    found = node.ask(method, *params)
    if isinstance(found, dict) and "message" in found:
        assert answer in found["message"]
    else:
        assert found == answer


ACCOUNT = [str(PAYER.pubkey())]
SENT = "0x" + "00" * 20


@cases(
    "method, params",
    ("debug_traceCall", [{}, "latest", {}]),
    ("debug_traceCall", [{}, "latest", {"tracer": "callTracer", "tracerConfig": {}}]),
    ("eth_call", [{"authorizationList": [{}]}, "latest", {SENT: {}}, {}]),
    ("eth_simulateV1", [{"blockStateCalls": [{}]}]),
    ("eth_getLogs", [{}]),
    ("evm_mine", [{}]),
    ("anvil_reset", [{}]),
    ("getBalance", [*ACCOUNT, {}]),
    ("getBlock", [1, {}]),
    ("getLargestAccounts", [{}]),
    ("getLeaderSchedule", [None, {}]),
    ("getProgramAccounts", [*ACCOUNT, {}]),
    ("getSignaturesForAddress", [*ACCOUNT, {}]),
    ("getSignatureStatuses", [[], {}]),
    ("getTokenAccountsByOwner", [*ACCOUNT, {"programId": str(TOKEN)}]),
)
def test_all_options_may_be_left_out(node: Node, cluster: Cluster, method: str, params: list[Any]) -> None:
    found = (cluster if method.startswith("get") else node).ask(method, *params)
    assert not isinstance(found, dict) or "code" not in found


def test_mining_by_the_clock_is_switched_on_and_off(node: Node) -> None:
    for interval, is_automatic in (("0x1", False), ("0x0", True)):
        node.ask("evm_setIntervalMining", interval)
        assert node.ask("anvil_getAutomine") is is_automatic


def test_the_clock_is_set_to_a_second(node: Node) -> None:
    now = node.project.clock.now_s
    assert node.ask("evm_setTime", hex(now + 10)) == 10
    assert node.project.clock.now_s == now + 10
    assert f"is before now, {now + 10}" in node.ask("evm_setTime", hex(now + 9))["message"]


def test_whom_a_node_sends_for_without_a_key(node: Node) -> None:
    def send() -> bool:
        sent = node.ask("eth_sendTransaction", {"from": BOB.address, "to": ALICE.address, "value": "0x1"})
        return isinstance(sent, str)

    node.fund(BOB.address)
    assert not send()
    for switch, on, off in (
        ("anvil_autoImpersonateAccount", True, False),
        ("anvil_impersonateAccount", BOB.address, None),
    ):
        node.ask(switch, on)
        assert send()
        node.ask(switch, off) if off is not None else node.ask("anvil_stopImpersonatingAccount", on)
        assert not send()
    node.ask("anvil_addBalance", ALICE.address, "0x5")
    assert node.number("eth_getBalance", ALICE.address) == 2 + 5
    assert "2^256" in node.ask("anvil_addBalance", ALICE.address, hex(2**256 - 7))["message"]
    assert node.ask("anvil_addBalance", ALICE.address, hex(2**256 - 8)) is None


@cases(
    "changed, message",
    ({"maxFeePerGas": "0x0", "maxPriorityFeePerGas": "0x0"}, "maxFeePerGas must be more than 0"),
    ({"verificationGasLimit": "0x0"}, "must be more than 0: estimate them"),
    ({"factory": "0x7702"}, "the sender has not delegated yet"),
    ({**DELEGATING, "sender": BOB.address, "eip7702Auth": authorized()}, "eip7702Auth: is signed by"),
    ({**DELEGATING, "eip7702Auth": authorized(chainId=1)}, "eip7702Auth.chainId: 1 is not this chain"),
    ({**DELEGATING, "eip7702Auth": authorized(nonce=3)}, "eip7702Auth.nonce: must be 0"),
    ({**DELEGATING, "eip7702Auth": authorized() | {"r": "0x5"}}, "eip7702Auth: r is not the x coordinate"),
    ({**DELEGATING, "eip7702Auth": authorized() | {"r": "0x0"}}, "eip7702Auth: r is not between 1 and"),
    ({"version": "0.6", "initCode": "0x12"}, "initCode: begins with an address"),
    ({"version": "0.6", "paymasterAndData": "0x12"}, "paymasterAndData: begins with an address"),
)
def test_a_bundler_refuses(node: Node, changed: dict[str, Any], message: str) -> None:
    version = changed.get("version", "0.7")
    error = node.bundle("eth_sendUserOperation", shape(**changed), ENTRY_POINTS[version])
    assert message in error["message"]


@cases(
    "method, params, message",
    ("debug_bundler_setBundlingMode", ["x"], "mode: Input should be 'auto' or 'manual'"),
    ("pm_getPaymasterData", [shape(), V07, "0x1", {}], "chainId: 1 is not this chain, 84532"),
    ("pm_getPaymasterData", [shape(), V07, "0x14a34", {}], "no fee sponsorship is enabled on this chain"),
)
def test_a_bundler_says_what_does_not_fit(node: Node, method: str, params: list[Any], message: str) -> None:
    assert message in node.bundle(method, *params)["message"]


def test_an_operation_is_taken_once(node: Node) -> None:
    funded(node)
    assert node.bundle("pimlico_getUserOperationStatus", NEVER)["status"] == "not_found"
    node.ask("evm_setAutomine", False)
    sent = node.bundle("eth_sendUserOperation", shape(), V07)
    assert node.bundle("pimlico_getUserOperationStatus", sent)["status"] == "submitted"
    assert "Already known" in node.bundle("eth_sendUserOperation", shape(), V07)["message"]
    node.ask("evm_mine")
    assert "AA10" in node.bundle("eth_sendUserOperation", shape(nonce="0x1"), V07)["message"]
