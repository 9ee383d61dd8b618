"""The one loop that moves time."""

from collections.abc import Callable

import pytest

from mockserver.domain.time.loop import TimerLoop
from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel.clock import no_time
from mockserver.kernel.effort import finish
from mockserver.kernel.timers import Fired
from mockserver.state.project import Project
from tests.fates import add_fate
from tests.tables import cases


def statuses(project: Project) -> list[str]:
    return [row.status for row in project.onchain.solana_transactions]


def test_what_is_due_happens_on_the_way_in_order(project: Project) -> None:
    began = project.clock.now_ms
    for after_ms in (300, 100, 200, 200):
        add_fate(project, "confirmed", kind="solana_transaction", options={"after_ms": after_ms})
    rows = [solana_transactions.submit(project) for _ in range(4)]
    fired = TIMER_LOOP.advance(project, began + 250)
    assert [(each.at_ms - began, each.id) for each in fired] == [
        (100, rows[1].id),
        (200, rows[2].id),
        (200, rows[3].id),
    ]
    assert {(each.kind, each.event, each.source, each.target) for each in fired} == {
        ("solana_transaction", "confirm", "sent", "confirmed")
    }
    assert project.clock.now_ms == began + 250
    assert statuses(project) == ["sent", "confirmed", "confirmed", "confirmed"]


def test_a_timer_fires_at_its_very_moment_and_not_before(project: Project) -> None:
    solana_transactions.submit(project)
    now = project.clock.now_ms
    assert TIMER_LOOP.advance(project, now + 999) == []
    assert len(TIMER_LOOP.advance(project, now + 1000)) == 1
    assert TIMER_LOOP.advance(project, now + 10**6) == []


def test_time_does_not_go_back(project: Project) -> None:
    with pytest.raises(ValueError, match="time only goes forward"):
        TIMER_LOOP.advance(project, project.clock.now_ms - 1)


def advance_in_slices(loop: TimerLoop, project: Project, to_ms: int) -> list[Fired]:
    return finish(loop.advance_in_slices(project, to_ms))


@cases("advance", TimerLoop.advance, advance_in_slices)
def test_a_fault_when_a_timer_fires_does_not_hold_the_clock(
    project: Project, advance: Callable[[TimerLoop, Project, int], list[Fired]]
) -> None:
    began = project.clock.now_ms
    solana_transactions.submit(project)
    project.commit()

    def fail(*_: object) -> None:
        add_fate(project, "confirmed", kind="solana_transaction")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        advance(TimerLoop(lambda _: fail), project, began + 5_000)
    project.undo.roll_back()
    assert len(project.onchain.fates) == 0
    assert TIMER_LOOP.advance(project, began + 5_000) == []
    assert (statuses(project), project.clock.now_ms) == (["sent"], began + 5_000)


def test_running_until_jumps_to_the_row_and_no_further(project: Project) -> None:
    began = project.clock.now_ms
    rows = []
    for after_ms in (500, 700, 900):
        add_fate(project, "confirmed", kind="solana_transaction", options={"after_ms": after_ms})
        rows.append(solana_transactions.submit(project))
    table = project.onchain.solana_transactions
    TIMER_LOOP.run_until(project, lambda: table[rows[1].id].status != "sent", rows[1].id, began + 1000)
    assert project.clock.now_ms == began + 700
    assert statuses(project) == ["confirmed", "confirmed", "sent"]


def test_running_until_what_is_too_far_off_moves_nothing(project: Project) -> None:
    row = solana_transactions.submit(project)
    began = project.clock.now_ms
    TIMER_LOOP.run_until(project, lambda: False, row.id, began + 999)
    TIMER_LOOP.run_until(project, lambda: False, "sol_other", began + 10**6)
    assert project.clock.now_ms == began


def test_a_timer_of_a_row_that_is_gone_or_over_means_nothing(project: Project) -> None:
    row = solana_transactions.submit(project)
    project.timers.set(project.clock.now_ms, "transaction", "tin_gone", "settle")
    project.timers.set(project.clock.now_ms + 5000, solana_transactions.KIND, row.id, "expire")
    project.timers.set(project.clock.now_ms + 5000, solana_transactions.KIND, "sol_gone", "expire")
    assert [each.id for each in TIMER_LOOP.advance(project, project.clock.now_ms + 9000)] == [row.id]
    assert statuses(project) == ["confirmed"]


def test_a_ticking_project_catches_up_with_real_time(project: Project) -> None:
    solana_transactions.submit(project)
    began = project.clock.now_ms
    project.clock.tick(lambda: 5_000, rate=2.0)
    TIMER_LOOP.catch_up(project, lambda: 5_000)
    assert statuses(project) == ["sent"]
    assert len(project.history) == 0
    TIMER_LOOP.catch_up(project, lambda: 5_500)
    assert [(event.cause, len(event.fired)) for event in project.history] == [("clock", 1)]
    assert project.clock.now_ms == began + 1000
    assert statuses(project) == ["confirmed"]
    TIMER_LOOP.catch_up(project, lambda: 5_100)
    assert project.clock.now_ms == began + 1000


def test_a_clock_does_not_make_up_for_what_is_executed_ahead(project: Project) -> None:
    began = project.clock.now_ms
    project.clock.tick(lambda: 5_000)
    project.ahead.begun += 1
    TIMER_LOOP.catch_up(project, lambda: 7_000)
    assert project.clock.now_ms == began
    project.ahead.begun -= 1
    TIMER_LOOP.catch_up(project, lambda: 7_500)
    assert project.clock.now_ms == began + 500


def test_a_frozen_project_does_not_catch_up(project: Project) -> None:
    began = project.clock.now_ms
    TIMER_LOOP.catch_up(project, no_time)
    assert project.clock.now_ms == began


def test_what_time_brought_about_outlives_a_refused_call(project: Project) -> None:
    solana_transactions.submit(project)
    project.undo.mark()
    TIMER_LOOP.advance(project, project.clock.now_ms + 1000)
    project.undo.roll_back()
    assert statuses(project) == ["confirmed"]
