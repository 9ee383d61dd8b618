"""Rules about how much: gas of one transaction, and gas and transactions of an interval."""

from dataclasses import replace
from typing import Any

from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings
from mockserver.state.world import World
from tests.fates import add_fate
from tests.operations.gas_policy_rules.helpers import (
    AMOY,
    DAILY,
    ELSEWHERE,
    FREE,
    ITEMS,
    Add,
    Send,
    daily,
    limit,
    sponsored,
    why_not,
)
from tests.operations.sponsoring import fee_of
from tests.tables import cases
from tests.transport import InProcessTransport

DAY_MS = 86_400_000


def test_a_number_of_transactions_is_paid_for_in_an_interval(project: Project, add: Add, send: Send) -> None:
    add(**daily(2))
    start_ms = project.clock.now_ms
    assert [sponsored(send(optimistic=True)) for _ in range(3)] == [True, True, False]
    TIMER_LOOP.advance(project, start_ms + DAY_MS - 1)
    assert not sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + DAY_MS)
    assert [sponsored(send()) for _ in range(3)] == [True, True, False]


@cases(
    "unit, value, length_ms",
    ("minute", 1, 60_000),
    ("minute", 90, 90 * 60_000),
    ("hour", 1, 3_600_000),
    ("week", 1, 7 * DAY_MS),
    # The clock begins on January 1, and February has 28 days.
    ("month", 1, 31 * DAY_MS),
    ("month", 2, 59 * DAY_MS),
    ("month", 2**31 - 1, None),
    ("week", 2**31 - 1, None),
)
def test_an_interval_ends_by_the_projects_clock(
    project: Project, add: Add, send: Send, unit: str, value: int, length_ms: int | None
) -> None:
    add(**daily(1, unit, value))
    start_ms = project.clock.now_ms
    assert sponsored(send(optimistic=True))
    if length_ms is None:
        TIMER_LOOP.advance(project, start_ms + 4000 * DAY_MS)
        assert not sponsored(send(optimistic=True))
        return
    TIMER_LOOP.advance(project, start_ms + length_ms - 1)
    assert not sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + length_ms)
    assert sponsored(send(optimistic=True))


def test_a_month_ends_no_later_than_a_shorter_month_before_it(project: Project, add: Add, send: Send) -> None:
    add(**daily(1, "month"))
    start_ms = project.clock.now_ms
    TIMER_LOOP.advance(project, start_ms + 59 * DAY_MS - 1)  # The end of February 28.
    assert sponsored(send(optimistic=True))
    TIMER_LOOP.advance(project, start_ms + 87 * DAY_MS - 2)  # The end of March 28, a moment before.
    assert not sponsored(send(optimistic=True))
    for day in (88, 89, 90):  # March 30 and 31, April 1.
        with_one_left = project.snapshot()
        TIMER_LOOP.advance(project, start_ms + day * DAY_MS)
        assert sponsored(send(optimistic=True))
        project.restore(with_one_left)


def test_an_intervals_gas_is_held_until_spent(project: Project, policy: str, add: Add, send: Send) -> None:
    first, pending = send(), send(optimistic=True)
    held = project.onchain.transactions[pending["id"]].reservation
    assert held is not None
    rule_limit = fee_of(first) + 2 * held.gas
    add(**limit("gas_per_interval", gasLimit=str(rule_limit), timeIntervalType="day", timeIntervalValue=1))
    assert sponsored(send(optimistic=True))
    assert not sponsored(send(optimistic=True))
    # Once they are mined, what they cost is less than what they could have cost.
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    taken = sum(
        row.receipt.payment.wei
        for row in project.onchain.transactions.find("fee_sponsorship_id", policy)
        if row.receipt is not None and row.receipt.payment is not None
    )
    more = (rule_limit - taken) // held.gas
    assert more >= 1
    assert [sponsored(send(optimistic=True)) for _ in range(more + 1)] == [True] * more + [False]


def test_what_waits_for_its_owner_counts_too(api: Client, project: Project, policy: str, add: Add) -> None:
    owner = {"chainId": AMOY, "externalOwnerAddress": ELSEWHERE}
    account = api.post("/v1/accounts", json=owner).json()["id"]
    rule = add(**daily(1))
    body = {
        "chainId": AMOY,
        "account": account,
        "policy": policy,
        "interactions": [{"to": ITEMS, "data": "0x12345678"}],
    }
    waiting = api.post("/v1/transaction_intents", json=body).json()
    assert (sponsored(waiting), "nextAction" in waiting) == (True, True)
    assert not sponsored(api.post("/v1/transaction_intents", json=body).json())
    assert "(count_per_interval)" in why_not(project, policy, account)
    api.delete(f"/v1/policy_rules/{rule['id']}")
    row = project.onchain.transactions[waiting["id"]]
    assert row.execution is not None
    most = reservation_for(project, AMOY, row.execution, row.calls).gas
    add(**limit("gas_per_interval", gasLimit=str(2 * most - 1), **DAILY))
    assert f"{most} are taken, and this transaction may take {most}" in why_not(project, policy, account)


def test_failures_do_not_count_and_reverted_ones_do(project: Project, add: Add, send: Send) -> None:
    add(**daily(2))
    add_fate(project, "failed")
    add_fate(project, "dropped")
    add_fate(project, "reverted")
    project.undo.mark()
    assert [send()["response"]["status"] for _ in range(3)] == [0, 0, 0]
    assert [sponsored(send()) for _ in range(2)] == [True, False]


def test_every_limit_has_to_hold(project: Project, policy: str, account: str, add: Add, send: Send) -> None:
    add(**daily(5))
    hourly = add(**daily(1, "hour"))
    assert sponsored(send())
    assert not sponsored(send())
    reason = why_not(project, policy, account)
    assert reason == (
        f"The rule {hourly['id']} (count_per_interval) pays for 1 transactions in 1 hour, and there were 1."
    )


STEPS = st.lists(
    st.one_of(
        st.just(("send", 0)),
        st.just(("sent at once", 0)),
        st.tuples(st.just("hours"), st.integers(1, 30)),
        st.tuples(st.just("base fee"), st.integers(1, 5 * 10**9)),
        st.tuples(st.just("fate"), st.sampled_from(["reverted", "failed", "dropped"])),
    ),
    max_size=25,
)


@settings(max_examples=30)
@given(steps=STEPS, count=st.integers(1, 4), gas=st.integers(10**14, 10**16))
def test_no_interval_exceeds_its_limits(steps: list[tuple[str, Any]], count: int, gas: int) -> None:
    world = World()
    project = world.create(name="limits")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with Client(transport=transport, base_url="http://mock", headers=headers) as api:
        made = api.post("/v1/policies", json={"name": "gas", "chainId": AMOY, "strategy": FREE})
        policy = made.json()["id"]
        by_gas = limit("gas_per_interval", gasLimit=str(gas), timeIntervalType="day", timeIntervalValue=1)
        for members in (by_gas, daily(count, "hour", 10)):
            assert api.post("/v1/policy_rules", json={"policy": policy, **members}).status_code == 200
        account = api.post("/v1/accounts", json={"chainId": AMOY}).json()["id"]
        body = {"chainId": AMOY, "account": account, "policy": policy, "interactions": [{"to": ITEMS}]}
        for step, value in steps:
            if step == "hours":
                TIMER_LOOP.advance(project, project.clock.now_ms + value * 3_600_000)
            elif step == "base fee":
                chosen = {str(AMOY): ChainSettings(base_fee_wei=value)}
                project.settings = replace(project.settings, chains=chosen)
            elif step == "fate":
                add_fate(project, value)
                project.undo.mark()
            else:
                answer = api.post("/v1/transaction_intents", json={**body, "optimistic": step != "send"})
                assert answer.status_code == 200
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    paid = [
        (row.created_ms, row.receipt.payment.wei)
        for row in project.onchain.transactions.find("fee_sponsorship_id", policy)
        if row.receipt is not None and row.receipt.payment is not None
    ]
    for end_ms, _ in paid:
        day = [wei for at_ms, wei in paid if end_ms - DAY_MS < at_ms <= end_ms]
        assert sum(day) <= gas
        hours = [wei for at_ms, wei in paid if end_ms - 36_000_000 < at_ms <= end_ms]
        assert len(hours) <= count
