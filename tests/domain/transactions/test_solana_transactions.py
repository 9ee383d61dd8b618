"""Sponsored Solana transactions: their wires read by solders, their lives."""

import pytest
from solders.transaction import Transaction as SoldersTransaction

from mockserver.chain.base58 import address_of
from mockserver.crypto import ed25519
from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel.machine import Machine
from mockserver.state.onchain import SolanaTransaction
from mockserver.state.project import Project
from tests.fates import add_fate
from tests.tables import cases


def later(project: Project, row: SolanaTransaction, ms: int) -> SolanaTransaction:
    TIMER_LOOP.advance(project, project.clock.now_ms + ms)
    return project.onchain.solana_transactions[row.id]


def test_the_life_checks_itself_and_draws_itself() -> None:
    life = solana_transactions.LIFECYCLE
    Machine(life.name, initial=life.initial, terminal=life.terminal, transitions=life.transitions)
    assert set(life.states) == {"sent", "confirmed", "failed", "expired"}
    assert life.mermaid().count("sent -->") == 3


def test_a_transaction_is_signed_by_the_sponsoring_signer(project: Project) -> None:
    row = solana_transactions.submit(project, external_id="order-1")
    (wire,) = row.raw_transactions
    read = SoldersTransaction.from_bytes(wire)
    read.verify()
    assert bytes(read) == wire
    assert str(read.signatures[0]) == row.signature
    payer = ed25519.public_key(solana_transactions.payer_seed(project))
    assert str(read.message.account_keys[0]) == address_of(payer)
    assert row.child_signatures == ()
    assert row.bundle_id is None


def test_the_children_of_a_bundle_differ_and_stand_in_order(project: Project) -> None:
    row = solana_transactions.submit(project, bundle_size=5)
    read = [SoldersTransaction.from_bytes(wire) for wire in row.raw_transactions]
    for each in read:
        each.verify()
    assert [str(each.signatures[0]) for each in read] == list(row.child_signatures)
    assert len(set(row.child_signatures)) == 5
    assert row.signature == row.child_signatures[0]
    assert row.bundle_id is not None


def test_it_is_confirmed_a_second_later(project: Project) -> None:
    row = solana_transactions.submit(project)
    assert later(project, row, 999).status == "sent"
    assert later(project, row, 1).status == "confirmed"


def test_one_that_is_only_signed_has_no_signature_and_expires(project: Project) -> None:
    add_fate(project, "failed", kind="solana_transaction")
    row = solana_transactions.submit(project, sign_only=True)
    assert row.signature is None
    assert later(project, row, 89_999).status == "sent"
    row = later(project, row, 1)
    assert (row.status, row.signature, row.error_message) == ("expired", None, None)
    assert len(project.onchain.fates) == 1


@cases("outcome", "confirmed", "failed")
def test_what_landed_has_its_signature(project: Project, outcome: solana_transactions.Outcome) -> None:
    row = solana_transactions.submit(project, sign_only=True)
    landed = solana_transactions.settle(project, row, outcome)
    assert landed.signature == str(SoldersTransaction.from_bytes(row.raw_transactions[0]).signatures[0])


@cases(
    "outcome, options, after_ms, error",
    ("confirmed", {"after_ms": 7}, 7, None),
    ("failed", {}, 1000, "Error processing Instruction 0: custom program error: 0x1"),
    ("failed", {"error_message": "no", "after_ms": 0}, 0, "no"),
    ("failed", {"error_message": None, "after_ms": None}, 1000, "Error processing Instruction 0"),
    ("expired", {}, 90_000, None),
)
def test_every_fate_comes_at_its_time(
    project: Project, outcome: str, options: dict[str, object], after_ms: int, error: str | None
) -> None:
    add_fate(project, outcome, kind="solana_transaction", options=options)
    row = solana_transactions.submit(project)
    if after_ms:
        assert later(project, row, after_ms - 1).status == "sent"
    row = later(project, row, min(after_ms, 1))
    assert row.status == outcome
    assert (row.error_message or "").startswith(error or "")
    assert (row.error_message is None) == (error is None)


def test_one_that_has_ended_stays_so(project: Project) -> None:
    row = solana_transactions.settle(project, solana_transactions.submit(project), "expired")
    with pytest.raises(ValueError, match="is expired, which is final"):
        solana_transactions.settle(project, row, "confirmed")
    assert later(project, row, 10**6).status == "expired"


def test_an_error_belongs_to_a_failure_alone(project: Project) -> None:
    assert (
        solana_transactions.settle(project, solana_transactions.submit(project), "expired", "x").error_message
        is None
    )
    assert (
        solana_transactions.settle(project, solana_transactions.submit(project), "failed", "x").error_message
        == "x"
    )


@cases("error, status", (None, "confirmed"), ("no funds", "failed"))
def test_what_a_cluster_has_processed_settles_its_row_only(
    project: Project, error: str | None, status: str
) -> None:
    rows = [solana_transactions.submit(project, bundle_size=size) for size in (1, 2)]
    solana_transactions.settle_sent(project, rows[1].raw_transactions[1], error)
    assert [row.status for row in project.onchain.solana_transactions] == ["sent", status]
