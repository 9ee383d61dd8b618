"""The node of a project and Anvil, which are set up alike and asked the same."""

from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.kernel.mappings import map_texts
from mockserver.state.project import Project
from tests.nodes.anvil.judge import BASE_FEE, CHAIN, Anvil, anvil
from tests.nodes.anvil.random_calls import DEPLOYED, SENDERS, creation
from tests.nodes.node import Node

SENDING = ("eth_sendRawTransaction", "eth_sendTransaction")
TRACER = {"tracer": "callTracer"}
_POLLS = 10_000


class Pair:
    """Two nodes that are asked the same. What they name by themselves is translated."""

    def __init__(self, node: Node, judge: Anvil) -> None:
        self.node = node
        self.judge = judge
        self.snapshots: dict[str, str] = {}
        self.hashes: dict[str, str] = {}
        """Those of transactions without a signature: Anvil's, and ours."""
        self.mines = True

    def ask(self, method: str, params: list[Any]) -> tuple[Any, Any]:
        """What both answer."""
        if method in (*SENDING, "anvil_mine"):
            self.judge.ask("anvil_setNextBlockBaseFeePerGas", hex(BASE_FEE))
        names = self.snapshots if method == "evm_revert" else self.hashes
        ours = map_texts(params, lambda text: names.get(text, text))
        return self.node.ask(method, *ours), self.judge.ask(method, *params)

    def wait_for(self, sent: str) -> None:
        """Anvil answers before it mines."""
        receipts = (self.judge.ask("eth_getTransactionReceipt", sent) for _ in range(_POLLS))
        assert next(filter(None, receipts), None)


@pytest.fixture
def pair(api: Client, project: Project) -> Iterator[Pair]:
    """Two nodes with the same accounts and contracts."""
    node = Node(api, project, CHAIN)
    with anvil(node.number("eth_blockNumber"), ledger.FEE_RECIPIENT) as judge:
        both = Pair(node, judge)
        for sender in SENDERS:
            both.ask("anvil_setBalance", [sender.address, hex(10**20)])
        for nonce, name in enumerate(DEPLOYED):
            given: Any = {"nonce": nonce, "data": creation(name), "chainId": CHAIN}
            given |= {"gas": 3_000_000, "gasPrice": 2 * BASE_FEE, "value": 0}
            signed = SENDERS[0].sign_transaction(given)
            _, sent = both.ask("eth_sendRawTransaction", [signed.raw_transaction.to_0x_hex()])
            both.wait_for(sent)
        yield both
