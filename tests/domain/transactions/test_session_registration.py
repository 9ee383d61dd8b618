"""Session keys, registered and revoked by transactions of their account."""

import pytest

from mockserver import errors
from mockserver.domain.transactions.account_changes import session_registration
from mockserver.domain.transactions.account_changes.session_registration import Grant
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account
from tests.accounts import AMOY, account_of
from tests.fates import add_fate
from tests.signing import owner_of, sign_hash
from tests.tables import cases

UNLIMITED = 2**48 - 1

KEY = "0x" + "55" * 20
DAY_S = 86_400


def register(project: Project, account: Account) -> SessionKey:
    """A key that is good for a day."""
    now_s = project.clock.now_s
    return session_registration.register(project, account, AMOY, Grant(KEY, now_s, now_s + DAY_S), None)


def sign(project: Project, account: Account, row: SessionKey) -> SessionKey:
    """The key, once the owner has signed what it waits for."""
    waiting = session_registration.transaction_of(project, row)
    assert waiting is not None
    assert waiting.execution is not None
    signature = sign_hash(owner_of(project, account), waiting.execution.signing_hash)
    session_registration.sign(project, row, bytes.fromhex(signature[2:]))
    return project.session_keys.rows[row.id]


def test_a_key_is_active_at_once_where_the_mock_signs(project: Project) -> None:
    row = register(project, account_of(project))
    assert (row.state, row.limit) == ("active", UNLIMITED)
    sent = session_registration.transaction_of(project, row)
    assert sent is not None
    assert (sent.purpose, sent.calls[0].to) == (
        "register_session_key",
        project.wallets.accounts[row.account_id].address,
    )


def test_a_key_waits_for_an_owner_who_signs(project: Project) -> None:
    account = account_of(project, held_by="User")
    row = register(project, account)
    assert row.state == "awaiting_signature"
    assert sign(project, account, row).state == "active"
    with pytest.raises(ApiError) as refused:
        sign(project, account, project.session_keys.rows[row.id])
    assert refused.value.row == errors.NOT_AWAITING_SIGNATURE


def test_a_key_is_registered_once_until_it_ends(project: Project) -> None:
    account = account_of(project)
    first = register(project, account)
    with pytest.raises(ApiError) as refused:
        register(project, account)
    assert refused.value.row == errors.SESSION_KEY_EXISTS
    TIMER_LOOP.advance(project, project.clock.now_ms + DAY_S * 1000)
    assert project.session_keys.rows[first.id].state == "expired"
    assert register(project, account).id != first.id


def test_a_plain_account_has_no_session_keys(project: Project) -> None:
    with pytest.raises(ApiError) as refused:
        register(project, account_of(project, "plain"))
    assert refused.value.param == "account"
    assert len(project.session_keys.rows) == 0


def test_a_revoked_key_ends_when_its_transaction_is_mined(project: Project) -> None:
    account = account_of(project)
    row = session_registration.revoke(project, account, register(project, account), None)
    assert row.state == "ending"
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    assert project.session_keys.rows[row.id].state == "revoked"
    with pytest.raises(ApiError) as refused:
        session_registration.revoke(project, account, project.session_keys.rows[row.id], None)
    assert refused.value.row == errors.SESSION_KEY_INACTIVE


def test_a_waiting_key_is_revoked_at_once(project: Project) -> None:
    account = account_of(project, held_by="User")
    row = session_registration.revoke(project, account, register(project, account), None)
    assert row.state == "revoked"
    waiting = session_registration.transaction_of(project, row)
    assert waiting is not None
    assert waiting.status == "failed"


def test_a_revocation_that_waits_for_the_owner_keeps_waiting(project: Project) -> None:
    account = account_of(project, held_by="User")
    row = sign(project, account, register(project, account))
    waiting = session_registration.revoke(project, account, row, None)
    assert waiting.state == "revoking"
    made = len(project.onchain.transactions)
    assert session_registration.revoke(project, account, waiting, None) == waiting
    assert len(project.onchain.transactions) == made, "it is revoked by the transaction that waits"
    assert sign(project, account, waiting).state == "ending"


@cases("outcome", "reverted", "dropped")
def test_a_key_whose_registration_does_not_succeed_has_failed(project: Project, outcome: str) -> None:
    add_fate(project, outcome)
    row = register(project, account_of(project))
    TIMER_LOOP.advance(project, project.clock.now_ms + 60_000)
    assert project.session_keys.rows[row.id].state == "failed"
