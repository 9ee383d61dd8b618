"""The life of a session key, driven at random beside a small model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.transactions.account_changes import session_registration
from mockserver.domain.transactions.account_changes.session_registration import Grant
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets import session_keys
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.state.onchain import CallRecord, Transaction
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey, SessionKeyState
from mockserver.state.world import World
from tests.tables import cases

CHAIN = 80002
KEY = "0x" + "55" * 20
THERE, ELSEWHERE = "0x" + "11" * 20, "0x" + "22" * 20


def registered(project: Project, after_s: int, until_s: int, limit: int, listed: bool) -> SessionKey:
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    account = create_contract_account(project, owner, CHAIN, IMPLEMENTATIONS["UpgradeableV6"])
    now_s = project.clock.now_s
    grant = Grant(KEY, now_s + after_s, now_s + until_s, limit, (THERE,) if listed else ())
    return session_registration.register(project, account, CHAIN, grant, None)


def transaction_to(project: Project, to: str) -> Transaction:
    registration = next(iter(project.onchain.transactions))
    return registration._replace(calls=(CallRecord(to, 0, b"", {}),), purpose=None)


@given(
    after_s=st.integers(0, 10),
    lasts_s=st.integers(1, 20),
    limit=st.integers(1, 4),
    listed=st.booleans(),
    moves=st.lists(st.tuples(st.integers(0, 6_000), st.sampled_from([THERE, ELSEWHERE])), max_size=12),
)
def test_a_key_signs_exactly_what_it_may(
    after_s: int, lasts_s: int, limit: int, listed: bool, moves: list[tuple[int, str]]
) -> None:
    project = World().create(name="keys")
    start_ms = project.clock.now_s * 1000
    row = registered(project, after_s, after_s + lasts_s, limit, listed)
    uses = 0
    for pause_ms, to in moves:
        TIMER_LOOP.advance(project, project.clock.now_ms + pause_ms)
        row = project.session_keys.rows[row.id]
        passed_ms = project.clock.now_ms - start_ms
        ended = passed_ms >= (after_s + lasts_s) * 1000
        assert row.is_active == (not ended and uses < limit)
        allowed = row.is_active and passed_ms >= after_s * 1000 and (to == THERE or not listed)
        try:
            session_keys.require_usable(project, row, transaction_to(project, to), "0x" + "99" * 20)
        except ApiError:
            assert not allowed
        else:
            assert allowed
            session_keys.use(project, row)
            uses += 1


def test_a_key_that_ended_leaves_no_timer() -> None:
    project = World().create(name="keys")
    row = registered(project, 0, 60, 1, False)
    session_keys.use(project, row)
    assert [timer for timer in project.timers.pending() if timer.kind == session_keys.KIND] == []
    assert project.session_keys.rows[row.id].state == "exhausted"


@cases("state", *sorted(session_keys.LIFECYCLE.terminal))
def test_nothing_wakes_a_key_that_ended(state: SessionKeyState) -> None:
    project = World().create(name="keys")
    row = registered(project, 0, 60, 1, False)
    row = project.session_keys.rows.replace(row._replace(state=state))
    for step in session_keys.LIFECYCLE.transitions:
        assert session_keys.step(project, row, step.event).state == state


def test_an_address_is_a_key_again_once_its_key_has_ended() -> None:
    project = World().create(name="keys")
    first = registered(project, 0, 60, 1, False)
    account = project.wallets.accounts[first.account_id]
    grant = Grant(KEY, project.clock.now_s, project.clock.now_s + 60, 1, ())
    with pytest.raises(ApiError, match=f"{first.id}. It is active"):
        session_registration.register(project, account, CHAIN, grant, None)
    session_keys.use(project, first)
    second = session_registration.register(project, account, CHAIN, grant, None)
    found = session_keys.find_session_key(project, account, KEY)
    assert (found and found.id) == second.id
