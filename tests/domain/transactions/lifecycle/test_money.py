"""What a transaction takes, and sets aside while it is underway."""

from dataclasses import replace

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.failures import Failure
from mockserver.domain.transactions import preparation
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AccountKind
from tests.domain.transactions.lifecycle.helpers import (
    CHAIN,
    THERE,
    account_of,
    create,
    error_of,
    send,
    settled,
    sign,
)
from tests.tables import cases


def test_an_account_that_cannot_pay_fails_at_once(project: Project) -> None:
    row = send(project, account_of(project, "plain"), 10**18)
    assert (row.status, row.execution) == ("failed", None)
    assert error_of(row).reason.startswith("insufficient funds for gas * price + value: balance 10000000")


def test_a_user_operation_that_nobody_prefunds_is_aa21(project: Project) -> None:
    project.settings = replace(project.settings, starting_balance_wei=0)
    error = error_of(send(project, account_of(project, "Simple"), 0))
    assert error.reason == "AA21: didn't pay prefund"
    assert error.cause
    assert error.solution


def test_a_sponsored_poor_account_pays_no_gas_but_its_value(project: Project) -> None:
    project.settings = replace(project.settings, starting_balance_wei=500)
    account = account_of(project, "Simple")
    assert settled(project, send(project, account, 500, sponsored=True)).status == "successful"
    assert ledger.chain_account(project, CHAIN, account.address).balance == 0
    assert error_of(send(project, account, 1, sponsored=True)).reason.startswith("insufficient funds")


def test_what_is_underway_is_set_aside_by_address(project: Project) -> None:
    delegated = account_of(project, "CaliburV9")
    owner = next(row for row in project.wallets.accounts if row.smart_account is None)
    assert owner.address == delegated.address
    first = send(project, owner, 6 * 10**17)
    assert (first.status, send(project, delegated, 6 * 10**17).status) == ("sent", "failed")
    assert settled(project, first).status == "successful"


def test_the_rollups_fee_of_what_is_underway_is_set_aside_too(project: Project) -> None:
    account = account_of(project, "plain")
    first = create(project, account, [{"to": THERE, "data": "0x" + "ff" * 5000}])
    low, high = 0, 10**18
    while high - low > 1:  # the most that a second transaction may move
        middle = (low + high) // 2
        transfer = resolve_calls(project, CHAIN, [{"to": THERE, "value": str(middle)}])
        try:
            preparation.build(project, Prepared(account, CHAIN, transfer))
            low = middle
        except Failure:
            high = middle
    second = send(project, account, low)
    assert second.status == "sent"
    assert settled(project, second).status == "successful"
    assert settled(project, first).status == "successful"
    assert ledger.chain_account(project, CHAIN, account.address).balance >= 0


def test_operations_and_transactions_of_an_address_count_apart(project: Project) -> None:
    delegated = account_of(project, "CaliburV9")
    owner = next(row for row in project.wallets.accounts if row.smart_account is None)
    nonces = []
    for account in (owner, delegated, owner, delegated):
        execution = send(project, account).execution
        if isinstance(execution, UserOperationExecution):
            nonces.append(("operation", execution.operation.nonce))
        elif execution is not None:
            nonces.append(("transaction", execution.transaction.nonce))
    assert nonces == [("transaction", 0), ("operation", 0), ("transaction", 1), ("operation", 1)]


@cases("after_s, status", (3600, "sent"), (3601, "failed"))
def test_an_approval_that_ends_before_signing_fails(project: Project, after_s: int, status: str) -> None:
    account = account_of(project, "Simple", held_by="User")
    row = create(project, account, [{"to": THERE}], sponsored=True)
    project.clock.move_to(project.clock.now_ms + after_s * 1000)
    row = sign(project, row)
    assert row.status == status
    if status == "failed":
        assert error_of(row).reason.startswith("AA32")
        assert ledger.chain_account(project, CHAIN, account.address).reserved == 0


@cases("kind, sponsored", ("plain", False), ("Simple", False), ("Simple", True))
@cases("left, status", (0, "successful"), (-1, "failed"))
def test_a_payer_needs_no_more_than_the_most_that_can_be_due(
    project: Project, kind: AccountKind, sponsored: bool, left: int, status: str
) -> None:
    account = account_of(project, kind)
    reservation = send(project, account, 1000, sponsored=sponsored).reservation
    assert reservation is not None
    value = 0 if sponsored else reservation.value
    project = World().create(name="again")
    account = account_of(project, kind)
    payer = paymaster_address(project) if sponsored else account.address
    paymaster = ledger.paymaster_account(project, CHAIN, payer)
    ledger.write(project, paymaster._replace(endowed=True, balance=reservation.gas + value + left))
    assert settled(project, send(project, account, 1000, sponsored=sponsored)).status == status


@cases("left, status", (0, "successful"), (-1, "failed"))
def test_a_fee_takes_all_that_its_payer_still_has(project: Project, left: int, status: str) -> None:
    account = account_of(project, "plain")
    fee = fee_of(settled(project, send(project, account, 0)))
    row = send(project, account, 0)
    ledger.set_balance(project, CHAIN, account.address, fee + left)
    assert settled(project, row).status == status
    assert ledger.chain_account(project, CHAIN, account.address).balance == (0 if left == 0 else fee + left)


@cases("beyond, status", (0, "successful"), (1, "reverted"))
def test_a_balance_reaches_the_largest_number(project: Project, beyond: int, status: str) -> None:
    account = account_of(project, "plain")
    ledger.set_balance(project, CHAIN, THERE, 2**256 - 1 - 1000 + beyond)
    row = settled(project, send(project, account, 1000))
    assert row.status == status
    if status == "reverted":
        assert "0x11" in error_of(row).reason


def fee_of(row: Transaction) -> int:
    assert row.receipt is not None
    assert row.receipt.payment is not None
    return row.receipt.payment.wei
