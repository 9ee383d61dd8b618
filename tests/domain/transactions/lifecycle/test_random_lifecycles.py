"""Transactions at random: status, receipt, timeline, answers and money agree."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.chains import ledger
from mockserver.domain.sponsorship.sponsor_accounts import sponsor_account
from mockserver.domain.transactions import lifecycle
from mockserver.domain.transactions.mining import next_place
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.responses.transaction_intents import intent_answer
from mockserver.responses.transactions import transaction_answer
from mockserver.state.chains import PlainExecution, ZkSyncExecution
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AccountKind
from tests.domain.transactions.lifecycle.helpers import CHAIN, THERE, ZKSYNC, account_of, create, events, sign
from tests.fates import add_fate
from tests.tables import cases

MONITOR_ONLY = {"indexed", "confirmed", "dropped", "replaced", "expired"}
OUTCOMES = ["successful", "reverted", "failed", "dropped", "expired", "replaced", "reorged", "never_mined"]
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("create"),
            st.integers(0, 5),
            st.sampled_from([0, 1, 10**9, 3 * 10**17, 10**18, 2**255]),
            st.booleans(),
        ),
        st.tuples(
            st.just("fate"),
            st.sampled_from(OUTCOMES),
            st.sampled_from([None, 0, 1, 500, 5000]),
            st.one_of(st.none(), st.integers(0, 9)),
        ),
        st.tuples(st.just("sign"), st.integers(0, 9)),
        st.tuples(st.just("advance"), st.sampled_from([0, 1, 999, 2000, 60_000])),
    ),
    max_size=25,
)


def check_agreement(row: Transaction) -> None:
    """Status, receipt and timeline of a transaction never contradict each other."""
    valued = [event for event in events(row) if event not in MONITOR_ONLY]
    assert valued[-1] == row.status
    assert len(set(valued)) == len(valued) or row.is_provisional or row.taken_back
    assert (row.receipt is not None) == (row.status in lifecycle.TERMINAL)
    if row.receipt is not None:
        assert (row.receipt.error is not None) == (row.status != "successful")
        assert (row.receipt.place is not None) == (row.status != "failed")
    times = [event.at_ms for event in row.timeline]
    assert times == sorted(times)
    assert row.timeline[0].at_ms >= row.created_ms
    # Only a reorganization changes a transaction without moving its life on.
    moved = row.receipt is not None and row.receipt.orphaned != ()
    assert row.timeline[-1].at_ms == row.updated_ms or moved
    if isinstance(row.execution, PlainExecution | ZkSyncExecution):
        assert not MONITOR_ONLY.intersection(events(row))
    if row.execution is None:
        assert row.status == "failed"
    assert bool(row.reservation and row.status == "sent") == (row.status == "sent")


REACHED: dict[str, set[str | None]] = {
    "new": {None},
    "awaiting_signature": {None},
    "sent": {"sent", "indexed", "replaced"},
    "successful": {"confirmed"},
    "reverted": {"reverted"},
    "failed": {"dropped", "expired", None},
}
"""The last status in the older words that goes with each in the newer; None before anything is signed."""


def check_answers(project: Project, row: Transaction) -> None:
    """What the two vocabularies of the API say of a transaction never contradicts itself or the other."""
    new = transaction_answer(project, row, frozenset({"timeline", "logs"}))
    old = intent_answer(project, row)
    assert new["status"] == row.status
    assert ("nextAction" in new) == ("nextAction" in old) == (row.status == "awaiting_signature")
    assert ("receipt" in new) == ("response" in old) == (row.status in lifecycle.TERMINAL)
    if "receipt" in new:
        assert old["response"]["status"] == int(row.status == "successful")
        shared = {name: value for name, value in old["response"].items() if name != "status"}
        assert shared == new["receipt"]
        assert ("error" in new["receipt"]) == (row.status != "successful")
        assert new["receipt"]["createdAt"] * 1000 <= row.updated_ms
    assert ("costUsd" in new) == ("finalCost" in old) == (row.status in ("successful", "reverted"))
    transitions = old.get("transitions", [])
    steps = [("none", "none", 0), *((it["fromStatus"], it["toStatus"], it["at"]) for it in transitions)]
    for before, after in itertools.pairwise(steps):
        assert after[0] == before[1]
        assert after[2] >= before[2]
    assert (transitions[-1]["toStatus"] if transitions else None) in REACHED[row.status]
    assert {"sent" in (it["toStatus"] for it in transitions)} == {"sent" in events(row)}


def check_next_place(project: Project, chain: int) -> None:
    """The next transaction of the current block comes after all that are in it, and so do its logs."""
    place = next_place(project, chain)
    before = [row.included for row in project.onchain.transactions if row.chain_id == chain]
    there = [each for each in before if each and each.place.block_hash == place.block_hash]
    indexes = [each.place.transaction_index + 1 for each in there]
    logs = [each.place.first_log_index + len(each.logs) for each in there]
    assert place.transaction_index == max(indexes, default=0)
    assert place.first_log_index == max(logs, default=0)


@cases(
    "chain, kinds", (CHAIN, ("plain", "Simple", "CaliburV9")), (ZKSYNC, ("plain", "Simple", "UpgradeableV6"))
)
@given(steps=STEPS)
def test_lives_are_consistent_and_money_goes_only_for_gas(
    chain: int, kinds: tuple[AccountKind, ...], steps: list[tuple[Any, ...]]
) -> None:
    project = World().create(name="lives")
    accounts = [account_of(project, kind, who, chain) for who in ("Developer", "User") for kind in kinds]
    # The sender is among those that receive, so that coins come back.
    around = [account.address for account in accounts] + [THERE]
    born = {row.address: 10**18 for row in project.wallets.accounts}
    made: list[str] = []
    for number, (step, *what) in enumerate(steps):
        if step == "create":
            call = {"to": around[number % len(around)], "value": str(what[1])}
            account = accounts[what[0]]
            sponsored = what[2] and account.smart_account is not None
            made.append(create(project, account, [call], sponsored=sponsored, chain=chain).id)
        elif step == "fate":
            named = made[what[2] % len(made)] if made and what[2] is not None else None
            allowed = {} if what[0] in ("failed", "never_mined") else {"after_ms": what[1]}
            add_fate(project, what[0], transaction_id=named, options=allowed)
        elif step == "sign" and made:
            row = project.onchain.transactions[made[what[0] % len(made)]]
            if row.status == "awaiting_signature":
                sign(project, row)
        elif step == "advance":
            TIMER_LOOP.advance(project, project.clock.now_ms + what[0])
        for row in project.onchain.transactions:
            check_agreement(row)
            check_answers(project, row)
        check_next_place(project, chain)
    rows = list(project.onchain.transactions)
    # What a block does that will be taken back is shown, and not done.
    settled = [row for row in rows if not row.is_provisional]
    paid = [row.receipt.payment for row in settled if row.receipt and row.receipt.payment]
    own = sum(payment.wei for payment in paid if payment.sponsorship_id is None)
    left = sum(ledger.chain_account(project, chain, address).balance for address in {*born, THERE})
    assert left == sum(born.values()) - own
    assert sponsor_account(project, "pol_1").spent_wei == sum(payment.wei for payment in paid) - own
    assert sum(row.balance - row.issued for row in project.chains.accounts) == 0
    underway = [row for row in rows if row.status == "sent" or row.is_provisional]
    assert sum(row.reserved for row in project.chains.accounts) == sum(
        row.reservation.value + row.reservation.gas for row in underway if row.reservation
    )
    blocks = [
        (row.receipt.place.block_number, row.receipt.place.transaction_index)
        for row in rows
        if row.receipt and row.receipt.place
    ]
    assert len(set(blocks)) == len(blocks)
