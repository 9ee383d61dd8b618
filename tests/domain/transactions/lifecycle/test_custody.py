"""Transactions by custody and kind of account: who signs, and what the timeline shows."""

import pytest

from mockserver.domain.chains import ledger
from mockserver.domain.transactions import creation, lifecycle
from mockserver.domain.transactions.account_changes import removal
from mockserver.errors import ApiError
from mockserver.kernel.machine import Machine
from mockserver.state.project import Project
from tests.accounts import AccountKind
from tests.domain.transactions.lifecycle.helpers import (
    CHAIN,
    account_of,
    error_of,
    events,
    send,
    settled,
    sign,
)
from tests.tables import cases


def test_the_life_checks_itself_and_draws_itself() -> None:
    life = lifecycle.LIFECYCLE
    parts = {name: getattr(life, name) for name in ("initial", "terminal", "transitions", "undoing")}
    again = Machine(life.name, **parts)
    assert set(again.states) == {"new", "awaiting_signature", "sent", "successful", "reverted", "failed"}
    drawn = life.mermaid()
    assert "awaiting_signature --> sent: broadcast" in drawn
    assert drawn.count("--> [*]") == 3


def test_a_plain_transaction_in_custody_is_sent_and_succeeds(project: Project) -> None:
    row = send(project, account_of(project, "plain"))
    assert (row.status, events(row)) == ("sent", ["new", "sent"])
    row = settled(project, row)
    assert (row.status, events(row)) == ("successful", ["new", "sent", "successful"])
    assert row.receipt is not None
    assert row.receipt.error is None


def test_the_monitor_sees_an_operation_indexed_and_confirmed(project: Project) -> None:
    row = settled(project, send(project, account_of(project, "UpgradeableV6")))
    assert events(row) == ["new", "sent", "indexed", "confirmed", "successful"]


@cases("kind", "plain", "UpgradeableV6", "Simple", "CaliburV9")
def test_a_users_account_waits_for_its_owner(project: Project, kind: AccountKind) -> None:
    row = send(project, account_of(project, kind, "User"))
    assert (row.status, events(row)) == ("awaiting_signature", ["awaiting_signature"])
    assert settled(project, row, 10**9).status == "awaiting_signature"
    row = sign(project, row)
    assert (row.status, events(row)) == ("sent", ["awaiting_signature", "sent"])
    assert settled(project, row).status == "successful"


def test_only_a_user_operation_may_be_signed_as_a_message(project: Project) -> None:
    assert sign(project, send(project, account_of(project, "Simple", "User")), eip191=True).status == "sent"
    with pytest.raises(ApiError) as refused:
        sign(project, send(project, account_of(project, "plain", "User")), eip191=True)
    assert refused.value.row.code == "invalid_signature"


def test_a_transaction_of_a_leaving_account_has_failed(project: Project) -> None:
    account = account_of(project, "plain", "User")
    row = send(project, account)
    removal.remove(project, account)
    row = project.onchain.transactions[row.id]
    assert (row.status, events(row)) == ("failed", ["awaiting_signature", "failed"])
    with pytest.raises(ApiError) as refused:
        creation.sign(project, row, bytes(65))
    assert refused.value.row.code == "not_awaiting_signature"


def test_a_poor_owners_transaction_fails_with_its_execution(project: Project) -> None:
    account = account_of(project, "plain", "User")
    row = send(project, account, 10)
    ledger.set_balance(project, CHAIN, account.address, 1)
    row = sign(project, row)
    assert (row.status, events(row)) == ("failed", ["awaiting_signature", "failed"])
    assert row.execution is not None
    assert "insufficient funds" in error_of(row).reason
