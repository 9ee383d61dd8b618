"""Random calls, judged by Anvil: both nodes are set up alike, asked the same and have to answer the same.

`TESTS_THOROUGHNESS` says how many; `MOCKSERVER_ANVIL_SEED` where they begin.
"""

import os
from typing import Any

import pytest

from mockserver.kernel.mappings import map_texts
from tests.nodes.anvil.differences import differences, is_error
from tests.nodes.anvil.judge import BASE_FEE, CHAIN
from tests.nodes.anvil.pair import SENDING, TRACER, Pair
from tests.nodes.anvil.random_calls import IMPERSONATED, SENDERS, RandomCalls
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS

pytestmark = pytest.mark.clients

CALLS = 200
SEED = int(os.environ.get("MOCKSERVER_ANVIL_SEED", "0"))
_MOST_SHOWN = 6


def _compare(pair: Pair, method: str, params: list[Any], calls: RandomCalls) -> list[str]:
    """What differs when both are asked."""
    ours, theirs = pair.ask(method, params)
    failed = is_error(ours) or is_error(theirs)
    if method == "anvil_setAutomine":
        pair.mines = params[0]
    if method == "evm_snapshot":
        pair.snapshots[theirs] = ours
        calls.snapshots.append(theirs)
    if method == "evm_revert" and theirs is True:
        calls.sent.clear()
        # With us this is state, which goes back, too.
        pair.ask("anvil_stopImpersonatingAccount", [IMPERSONATED])
    if method == "eth_sendTransaction" and not failed:
        pair.hashes[theirs] = ours
    back = {ours: theirs for theirs, ours in pair.hashes.items()}
    found = differences(method, map_texts(ours, lambda text: back.get(text, text)), theirs)
    if method in SENDING and not failed and pair.mines:
        calls.sent.append(theirs)
        pair.wait_for(theirs)
        for asked in (["eth_getTransactionReceipt", theirs], ["debug_traceTransaction", theirs, TRACER]):
            found += _compare(pair, asked[0], asked[1:], calls)
    return found


def test_random_calls_end_as_on_anvil(pair: Pair) -> None:
    calls = RandomCalls(SEED, pair.judge.ask)
    wrong: list[str] = []
    for number, (method, params) in enumerate(calls.draw(CALLS * THOROUGHNESS)):
        found = _compare(pair, method, params, calls)
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
