"""What geth answered about a chain is answered here too, once the chain is imported."""

from typing import Any

import pytest
from httpx import Client

from mockserver.kernel.mappings import map_texts
from mockserver.state.project import Project
from tests.nodes.comparing import Difference, is_meant, walk
from tests.nodes.execution_api.recorded import (
    CHAIN,
    PRODUCER,
    Exchange,
    import_chain,
    read_exchanges,
    wrong_shapes,
)
from tests.nodes.node import Node

MEANT = (
    Difference(".*", r".*\.(timestamp|blockTimestamp)", "blocks are two seconds long"),
    Difference(
        "eth_simulateV1/.*|eth_getBlock.*|testing_.*",
        r"\.result(\[\])?\.(size|mixHash|miner|gasLimit|.*Root)",
        "blocks are not encoded, and have what all of ours have",
    ),
    Difference("eth_simulateV1/.*", r".*\.(hash|parentHash|blockHash)", "blocks are not hashed"),
    Difference("eth_simulateV1/.*-as-many-.*", r".*\.logIndex", "geth counts the logs of calls that failed"),
    Difference(
        "eth_getBlock.*/get-(latest|safe|finalized)|testing_.*",
        r"\.result\.baseFeePerGas",
        "what transactions with a gas price pay does not tell it",
    ),
    Difference("eth_simulateV1/.*", r".*\.(baseFeePerGas|gasPrice)", "the base fee of a chain is a setting"),
    Difference(".*-block-(override|timestamp)-.*", r"\.error\.message", "blocks are two seconds long"),
    Difference(
        "eth_simulateV1/.*-(get-block-properties|calls-itself|existing-contract|but-now-with-fit|blockhash-.*)",
        r".*\.returnData",
        "a contract answers what it finds of its block, as its time and hash",
    ),
    Difference("eth_simulateV1/.*-override-all-in-.*", r"\.(error|result)", "blocks are two seconds long"),
    Difference("eth_call/call-callenv.*", r"\.result", "a contract answers what it finds of its block"),
    Difference(
        "eth_getBlock.*/get-(block-by-hash|genesis|block-.*-fork)|eth_simulateV1/.*-firstblock",
        r"\.result(\[\])?\..*",
        "blocks before Osaka have what those after it have",
    ),
    Difference(
        ".*/(get-block-receipts-(by-hash|n)|get-legacy-(contract|input|receipt))|debug_getRawReceipts/.*-n",
        r"\.result(\[\])?(\.(cumulativeGasUsed|gasUsed|root|status))?",
        "what was executed by the rules before Osaka needed other gas",
    ),
    Difference("eth_getLogs/contract-addr", r".*\.logIndex", "one transaction failed by the first rules"),
    Difference("debug_getRaw(Block|Header)/.*|testing_.*/build.*", r".*", "there is no such method"),
    Difference("eth_getProof/.*", r".*", "there are no proofs"),
    Difference("eth_config/.*", r"\.result\.current\..*", "the network is another one"),
    Difference(".*/trace-genesis", r".*", "the first block is like all others"),
    Difference(
        "(debug|eth_(call|get)).*(invalid|range|panic).*",
        r"\.error\.message",
        "what is wrong is said in other words",
    ),
    Difference("eth_getLogs/filter-error-future.*", r".*", "logs of blocks to come are those that are there"),
    Difference(
        ".*(not-found|unknown-tx|plus1|future-block)", r"\.error\.(code|message)", "the code is EIP-1474's"
    ),
)
"""What differs on purpose, by the name of the recording."""
BLOCK = {"gasLimit": hex(200_000_000), "feeRecipient": PRODUCER}
"""What blocks of the chain have, and those of ours have not."""
Hashes = dict[str, str]


@pytest.fixture
def imported(api: Client, project: Project) -> tuple[Node, Hashes]:
    """A node with the chain, and the hashes of its blocks."""
    node = Node(api, project, CHAIN)
    return node, import_chain(node)


def test_recorded_calls_are_answered_as_by_geth(imported: tuple[Node, Hashes]) -> None:
    node, hashes = imported
    known = {ours: theirs for theirs, ours in hashes.items()}
    wrong: dict[str, None] = {}
    for each in read_exchanges():
        answer = map_texts(_ask(node, each, hashes), lambda text: known.get(text, text))
        # Of geth's own answers some have not the shape.
        found = [shape for shape in _shapes(each, answer) if shape not in _shapes(each, each.answer)]
        if not each.is_example:
            found += _differences(each, answer)
        wrong |= dict.fromkeys(found)
    assert not wrong, "\n".join(wrong)


def _shapes(exchange: Exchange, answer: dict[str, Any]) -> list[str]:
    return wrong_shapes(exchange.method, answer["result"]) if "result" in answer else []


def _ask(node: Node, exchange: Exchange, hashes: Hashes) -> dict[str, Any]:
    params = map_texts(exchange.request.get("params", []), lambda text: hashes.get(text, text))
    if exchange.method == "eth_simulateV1":
        first = params[0]["blockStateCalls"][0]
        first["blockOverrides"] = BLOCK | first.get("blockOverrides", {})
    answer = node.send({**exchange.request, "params": params})
    return {name: value for name, value in answer.items() if name in ("result", "error")}


def _differences(exchange: Exchange, answer: dict[str, Any]) -> list[str]:
    return [
        f"{exchange.name} {path}: {str(ours)[:150]!r}, and geth {str(theirs)[:150]!r}"
        for path, ours, theirs in walk(answer, exchange.answer)
        if not is_meant(MEANT, exchange.name, path)
    ]
