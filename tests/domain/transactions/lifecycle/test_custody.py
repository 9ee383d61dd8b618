"""Transactions by custody and kind of account: who signs, and what the timeline shows."""

import pytest

from mockserver.domain.chains import ledger
from mockserver.domain.transactions import creation, lifecycle
from mockserver.domain.transactions.account_changes import removal
from mockserver.errors import ApiError
from mockserver.kernel.machine import Machine
from mockserver.state.project import Project
from tests.domain.transactions.lifecycle.helpers import (
    CHAIN,
    account_of,
    error_of,
    events,
    send,
    sign,
)


def test_the_life_checks_itself_and_draws_itself() -> None:
    life = lifecycle.LIFECYCLE
    parts = {name: getattr(life, name) for name in ("initial", "terminal", "transitions", "undoing")}
    again = Machine(life.name, **parts)
    assert set(again.states) == {"new", "awaiting_signature", "sent", "successful", "reverted", "failed"}
    drawn = life.mermaid()
    assert "awaiting_signature --> sent: broadcast" in drawn
    assert drawn.count("--> [*]") == 3


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
