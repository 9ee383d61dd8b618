"""Random calls, judged by Anvil: both nodes are set up alike, asked the same and have to answer the same.

`MOCKSERVER_THOROUGHNESS` says how many; `MOCKSERVER_ANVIL_SEED` where they begin.
"""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.state.project import Project
from tests.nodes.anvil.differences import differences, is_error
from tests.nodes.anvil.judge import BASE_FEE, CHAIN, Anvil, anvil
from tests.nodes.anvil.random_calls import DEPLOYED, IMPERSONATED, SENDERS, RandomCalls, creation
from tests.nodes.node import Node
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS

pytestmark = pytest.mark.clients

CALLS = 200
SEED = int(os.environ.get("MOCKSERVER_ANVIL_SEED", "0"))
_SENDING = ("eth_sendRawTransaction", "eth_sendTransaction")
_POLLS = 10_000
_MOST_SHOWN = 6
_TRACER = {"tracer": "callTracer"}


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
        if method in (*_SENDING, "anvil_mine"):
            self.judge.ask("anvil_setNextBlockBaseFeePerGas", hex(BASE_FEE))
        names = self.snapshots if method == "evm_revert" else self.hashes
        return self.node.ask(method, *_renamed(params, names)), self.judge.ask(method, *params)

    def compare(self, method: str, params: list[Any], calls: RandomCalls) -> list[str]:
        """What differs when both are asked."""
        ours, theirs = self.ask(method, params)
        failed = is_error(ours) or is_error(theirs)
        if method == "anvil_setAutomine":
            self.mines = params[0]
        if method == "evm_snapshot":
            self.snapshots[theirs] = ours
            calls.snapshots.append(theirs)
        if method == "evm_revert" and theirs is True:
            calls.sent.clear()
            # With us this is state, which goes back, too.
            self.ask("anvil_stopImpersonatingAccount", [IMPERSONATED])
        if method == "eth_sendTransaction" and not failed:
            self.hashes[theirs] = ours
        back = {ours: theirs for theirs, ours in self.hashes.items()}
        found = differences(method, _renamed(ours, back), theirs)
        if method in _SENDING and not failed and self.mines:
            calls.sent.append(theirs)
            self.wait_for(theirs)
            for asked in (["eth_getTransactionReceipt", theirs], ["debug_traceTransaction", theirs, _TRACER]):
                found += self.compare(asked[0], asked[1:], calls)
        return found

    def wait_for(self, sent: str) -> None:
        """Anvil answers before it mines."""
        receipts = (self.judge.ask("eth_getTransactionReceipt", sent) for _ in range(_POLLS))
        assert next(filter(None, receipts), None)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(each, names) for name, each in value.items()}
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


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


def test_random_calls_end_as_on_anvil(pair: Pair) -> None:
    calls = RandomCalls(SEED, pair.judge.ask)
    wrong: list[str] = []
    for number, (method, params) in enumerate(calls.draw(CALLS * THOROUGHNESS)):
        found = pair.compare(method, params, calls)
        wrong += [f"call {number}: {each}, of {params}"[:1500] for each in found]
        if len(wrong) > _MOST_SHOWN:
            break
    assert not wrong, "\n".join(wrong)


@cases("order", (3, 1, 2, 0), (1, 0), (2, 2, 1, 0))
def test_transactions_in_any_order_wait_as_on_anvil(pair: Pair, order: tuple[int, ...]) -> None:
    account = SENDERS[1]
    sent = []
    for nonce in order:
        given: Any = {"nonce": nonce, "to": SENDERS[2].address, "value": nonce, "chainId": CHAIN}
        raw = account.sign_transaction(given | {"gas": 21_000, "gasPrice": 2 * BASE_FEE}).raw_transaction
        ours, theirs = pair.ask("eth_sendRawTransaction", [raw.to_0x_hex()])
        assert is_error(ours) == is_error(theirs)
        sent += [theirs] if isinstance(theirs, str) else []
        # What is next Anvil mines after its answer.
        for asked in ("txpool_status", "txpool_content") if nonce == max(order) else ():
            mine, other = pair.ask(asked, [])
            assert mine == other
    for each in sent:
        pair.wait_for(each)
        mine, other = pair.ask("eth_getTransactionReceipt", [each])
        assert differences("eth_getTransactionReceipt", mine, other) == []
