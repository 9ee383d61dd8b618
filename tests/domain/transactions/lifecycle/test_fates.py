"""What becomes of a transaction by its fate."""

from pydantic import TypeAdapter

from mockserver.domain.chains import ledger
from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.chains import PlainExecution
from mockserver.state.onchain import Contract
from mockserver.state.project import Project
from mockserver.state.wallets import Custody
from tests.accounts import AccountKind
from tests.domain.transactions.lifecycle.helpers import (
    CHAIN,
    THERE,
    account_of,
    create,
    error_of,
    events,
    send,
    settled,
    sign,
)
from tests.fates import add_fate
from tests.tables import cases


@cases("kind", "plain", "Simple")
@cases(
    "options, name, reason",
    ({}, "Error", "execution reverted"),
    ({"reason": "not enough \u2764"}, "Error", "not enough \u2764"),
    ({"panic": 0x11}, "Panic", "Panic 0x11: an arithmetic operation overflowed or underflowed"),
    ({"error": "Unknown(uint256)", "args": [7]}, None, "execution reverted with 0x"),
    ({"error": "Unknown"}, None, "execution reverted with 0x"),
    ({"error": "Bad", "args": ["x"]}, "Error", "Bad could not be encoded"),
    ({"reason": None, "after_ms": None, "panic": None}, "Error", "execution reverted"),
)
def test_a_revert_says_why(
    project: Project, kind: AccountKind, options: dict[str, object], name: str | None, reason: str
) -> None:
    TypeAdapter(FateSpec).validate_python({"outcome": "reverted", **options})
    add_fate(project, "reverted", options=options)
    account = account_of(project, kind)
    row = settled(project, send(project, account))
    assert row.status == "reverted"
    assert events(row)[-1] == "reverted"
    assert error_of(row).name == name
    assert error_of(row).reason.startswith(reason)
    assert error_of(row).cause is None
    assert ledger.chain_account(project, CHAIN, THERE).balance == 0


@cases("by_id", True, False)
def test_a_custom_error_is_decoded_with_the_callees_abi(project: Project, by_id: bool) -> None:
    numbers = [{"name": "has", "type": "uint256"}, {"name": "who", "type": "address"}]
    abi = (
        {"type": "function", "name": "go", "inputs": []},
        {"type": "error", "name": "Poor", "inputs": numbers},
    )
    address = "0x" + "ab" * 20
    project.onchain.contracts.insert(Contract("con_1", 0, None, CHAIN, address, abi))
    add_fate(project, "reverted", options={"error": "Poor", "args": [5, THERE]})
    called = {"contractId": "con_1", "functionName": "go"} if by_id else {"to": address, "data": "0x01020304"}
    row = create(project, account_of(project, "plain"), [called])
    error = error_of(settled(project, row))
    assert (error.name, error.reason) == ("Poor", f"Poor(5, {THERE})")
    add_fate(project, "reverted", options={"error": "Por", "args": [5, THERE]})
    error = error_of(settled(project, create(project, account_of(project, "plain"), [called])))
    assert error.reason.startswith("Por (did you mean Poor?) could not be encoded: ")
    for options in ({"error": "Por"}, {"error": "Poor", "args": [5]}):
        add_fate(project, "reverted", options=options)
        error = error_of(settled(project, create(project, account_of(project, "plain"), [called])))
        meant = " (did you mean Poor?)" if options["error"] == "Por" else ""
        assert error.reason.startswith(f"{options['error']}{meant} could not be encoded: ")


@cases("held_by", "User", "Developer")
def test_a_fate_to_fail_keeps_a_transaction_from_being_built(project: Project, held_by: Custody) -> None:
    add_fate(project, "failed", options={"code": "AA31"})
    account = account_of(project, "Simple", held_by)
    row = send(project, account)
    assert (row.status, events(row), row.execution) == ("failed", ["failed"], None)
    error = error_of(row)
    assert (error.reason, error.name) == ("AA31: paymaster deposit too low", "FailedOp")
    assert error.cause
    assert error.solution
    assert ledger.chain_account(project, CHAIN, account.address).operation_nonce == 0


@cases("outcome", "dropped", "expired")
def test_what_leaves_the_mempool_fails_without_a_block(project: Project, outcome: str) -> None:
    monitored: dict[AccountKind, list[str]] = {"plain": [], "Simple": [outcome]}
    for kind, seen in monitored.items():
        add_fate(project, outcome, options={"after_ms": 5})
        row = settled(project, send(project, account_of(project, kind)), 5)
        assert row.status == "failed"
        assert events(row) == ["new", "sent", *seen, "failed"]
        assert row.receipt is not None
        assert row.receipt.place is None
        assert f"the transaction {'was ' if outcome == 'dropped' else ''}{outcome}" in error_of(row).reason


def test_a_replaced_transaction_succeeds_under_another_hash(project: Project) -> None:
    monitored: dict[AccountKind, list[str]] = {"plain": [], "Simple": ["replaced", "indexed", "confirmed"]}
    for kind, seen in monitored.items():
        add_fate(project, "replaced")
        row = settled(project, send(project, account_of(project, kind)))
        assert row.status == "successful"
        assert events(row) == ["new", "sent", *seen, "successful"]
        assert row.receipt is not None
        if isinstance(row.execution, PlainExecution):
            assert row.execution.hash is not None
            assert row.receipt.transaction_hash != "0x" + row.execution.hash.hex()


def test_a_transaction_that_is_never_mined_stays_sent(project: Project) -> None:
    add_fate(project, "never_mined")
    row = settled(project, send(project, account_of(project, "plain")), 10**10)
    assert row.status == "sent"
    assert row.receipt is None


@cases(
    "outcome, status",
    ("successful", "successful"),
    ("reverted", "reverted"),
    ("failed", "failed"),
    ("dropped", "failed"),
    ("replaced", "successful"),
    ("never_mined", "sent"),
)
@cases("when", "sent", "awaiting")
def test_a_fate_by_id_decides_what_was_open(project: Project, outcome: str, status: str, when: str) -> None:
    row = send(project, account_of(project, "Simple", "User"))
    if when == "awaiting":
        add_fate(project, outcome, transaction_id=row.id)
        row = sign(project, row)
    else:
        row = sign(project, row)
        add_fate(project, outcome, transaction_id=row.id)
    row = settled(project, row)
    assert row.status == status
    assert ("replaced" in events(row)) == (outcome == "replaced")
    assert events(row).count("replaced") <= 1


def test_a_failure_by_id_gives_its_own_reason(project: Project) -> None:
    for options, reason in (({"code": "AA25"}, "AA25: invalid account nonce"), ({"reason": "no"}, "no")):
        row = send(project, account_of(project, "Simple"))
        add_fate(project, "failed", transaction_id=row.id, options=options)
        assert error_of(settled(project, row)).reason == reason


def test_a_fate_by_id_counts_its_delay_from_when_it_is_set(project: Project) -> None:
    row = send(project, account_of(project, "plain"))
    TIMER_LOOP.advance(project, project.clock.now_ms + 1000)
    add_fate(project, "successful", transaction_id=row.id, options={"after_ms": 9000})
    assert settled(project, row, 8999).status == "sent"
    assert settled(project, row, 1).status == "successful"


def test_a_fate_by_id_frees_a_never_mined_transaction(project: Project) -> None:
    add_fate(project, "never_mined")
    row = settled(project, send(project, account_of(project, "plain")))
    add_fate(project, "successful", transaction_id=row.id)
    assert settled(project, row).status == "successful"


def test_a_fate_for_a_finished_transaction_changes_nothing(project: Project) -> None:
    row = settled(project, send(project, account_of(project, "plain")))
    add_fate(project, "reverted", transaction_id=row.id)
    assert settled(project, row) == row


def test_what_cannot_pay_for_its_first_block_fails_without_one(project: Project) -> None:
    add_fate(project, "reorged")
    account = account_of(project, "plain")
    row = send(project, account)
    ledger.set_balance(project, CHAIN, account.address, 0)
    row = settled(project, row)
    assert (row.status, row.taken_back) == ("failed", ())
    assert row.receipt is not None
    assert (row.receipt.place, row.receipt.orphaned) == (None, ())
    assert "insufficient funds" in error_of(row).reason
    assert project.timers.next_due_ms(row.id) is None
    assert ledger.chain_account(project, CHAIN, account.address).reserved == 0
