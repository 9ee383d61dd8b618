"""Waiting until what was sent is in a block."""

from collections.abc import Callable
from typing import Any

from mockserver.api.waiting import Later
from mockserver.errors import RpcError
from mockserver.nodes.evm.chain import Chain
from mockserver.responses.transactions import until_settled
from mockserver.state.onchain import Transaction


def answer_when_mined(chain: Chain, row: Transaction, answer: Callable[[Transaction], str]) -> Any:
    """The answer about a transaction that was sent; where the clock is frozen, once it was mined."""
    if chain.project.clock.mode != "frozen" or not chain.node.automine:
        return answer(row)

    def mine() -> Later[str]:
        yield until_settled(chain.project, row.id)
        return answer(row)

    return mine()


def wait_for_receipt(
    chain: Chain, row: Transaction, show: Callable[[Chain, Transaction], Any], late: RpcError
) -> Later[Any]:
    """The receipt of a transaction, once it is in a block; `late` is raised if it gets into none."""
    yield until_settled(chain.project, row.id)
    settled = chain.project.onchain.transactions.get(row.id)
    if settled is None or settled.included is None:
        raise late
    return show(chain, settled)
