"""Methods and answers are those of the execution API's OpenRPC document."""

from typing import Any

from mockserver.server.assembly import ROUTES
from tests.nodes.execution_api.recorded import read_methods, wrong_shapes
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata

OURS = frozenset(ROUTES.methods_at("/_mock/projects/{p}/chains/{chain}/rpc"))
ABSENT = frozenset(
    {
        *("debug_getBadBlocks", "debug_getRawBlock", "debug_getRawHeader"),
        *("debug_getRawBlockAccessList", "eth_getBlockAccessList"),
    }
)
"""Raw blocks: the hash of one is known before its content. And what is not in use yet."""


def _without_l1(answer: Any) -> Any:
    if isinstance(answer, list):
        return [_without_l1(each) for each in answer]
    return {k: v for k, v in answer.items() if not k.startswith("l1")} if isinstance(answer, dict) else answer


def test_every_method_of_the_document_is_there() -> None:
    wanted = {name for name in read_methods() if not name.startswith(("engine_", "testing_"))} - ABSENT
    assert wanted - OURS == set()


def test_answers_have_the_shapes_of_the_document(node: Node) -> None:
    token = node.deploy_token()
    transfer = {"from": ALICE.address, "to": token, "data": calldata("transfer", BOB.address, 1)}
    receipt = node.transact(to=token, data=transfer["data"], gas=100_000)
    block, sent = receipt["blockHash"], receipt["transactionHash"]
    logs = node.ask("eth_newFilter", {"fromBlock": "earliest"})
    wrong = []
    for name, *params in (
        ("eth_chainId",),
        ("eth_syncing",),
        ("eth_accounts",),
        ("eth_blockNumber",),
        ("eth_gasPrice",),
        ("eth_maxPriorityFeePerGas",),
        ("eth_baseFee",),
        ("eth_blobBaseFee",),
        ("net_version",),
        ("eth_getBalance", ALICE.address, "latest"),
        ("eth_getCode", token, "latest"),
        ("eth_getStorageAt", token, "0x2", "latest"),
        ("eth_getTransactionCount", ALICE.address, "pending"),
        ("eth_getBlockByHash", block, True),
        ("eth_getBlockByNumber", "latest", False),
        ("eth_getBlockReceipts", "latest"),
        ("eth_getBlockTransactionCountByHash", block),
        ("eth_getTransactionByHash", sent),
        ("eth_getTransactionByBlockHashAndIndex", block, "0x0"),
        ("eth_getTransactionReceipt", sent),
        ("eth_getLogs", {"fromBlock": "earliest", "toBlock": "latest"}),
        ("eth_getFilterChanges", logs),
        ("eth_feeHistory", "0x2", "latest", [10, 90]),
        ("eth_call", transfer, "latest"),
        ("eth_estimateGas", transfer),
        ("eth_createAccessList", transfer, "latest"),
        ("eth_simulateV1", {"blockStateCalls": [{"calls": [transfer]}]}, "latest"),
        ("debug_getRawTransaction", sent),
        ("debug_getRawReceipts", "latest"),
        ("debug_traceTransaction", sent, {"enableMemory": True, "enableReturnData": True}),
        ("debug_traceBlockByNumber", receipt["blockNumber"]),
        ("debug_traceBlockByHash", block),
        ("eth_capabilities",),
        ("eth_config",),
        ("eth_getStorageValues", {token: [f"0x{2:064x}"]}),
    ):
        # A rollup has more in its receipts.
        wrong += wrong_shapes(name, _without_l1(node.ask(name, *params)))
    assert wrong == []
    assert int(node.ask("net_version")) == CHAIN
