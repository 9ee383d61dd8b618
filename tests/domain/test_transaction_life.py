"""The life of a transaction: every fate, in every custody, on every kind of account."""

import itertools
from dataclasses import replace

import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.gas import reservation_for
from mockserver.domain.sponsorship.sponsor_accounts import sponsor_account
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.transactions import building, lifecycle, removal
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.kernel.machine import Machine
from mockserver.responses.transaction_intents import intent_answer
from mockserver.responses.transactions import transaction_answer
from mockserver.state.onchain import (
    Contract,
    PlainExecution,
    Transaction,
    TransactionError,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from mockserver.state.world import World

CHAIN, ZKSYNC = 84532, 300
THERE = "0x" + "11" * 20
MONITOR_ONLY = {"indexed", "confirmed", "dropped", "replaced", "expired"}


def account_of(project: Project, kind: str, held_by: Custody = "Developer", chain: int = CHAIN) -> Account:
    """An account: `plain`, or the name of an implementation."""
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by)
    if kind == "plain":
        return owner
    return create_contract_account(project, owner, chain, IMPLEMENTATIONS[kind])  # type: ignore[index]


def send(project: Project, account: Account, value: int = 1000, sponsored: bool = False) -> Transaction:
    return create(project, account, [{"to": THERE, "value": str(value)}], sponsored=sponsored)


def create(
    project: Project,
    account: Account,
    asked: list[dict[str, str]],
    *,
    sponsored: bool = False,
    chain: int = CHAIN,
) -> Transaction:
    calls = resolve_calls(project, chain, asked)
    if not sponsored:
        return lifecycle.create(project, Prepared(account, chain, calls))
    prepared = Prepared(account, chain, calls, sponsorship_id="pol_1", sponsor=Sponsor("pol_1"))
    return lifecycle.create(project, prepared)


def sign(project: Project, row: Transaction, *, eip191: bool = False) -> Transaction:
    key = key_of(project, project.wallets.accounts[row.account_id])
    assert key is not None
    assert row.execution is not None
    signer = EthAccount.from_key(key.secret)
    digest = row.execution.signing_hash
    signed = signer.sign_message(encode_defunct(digest)) if eip191 else signer.unsafe_sign_hash(digest)
    return lifecycle.sign(project, row, bytes(signed.signature))


def settled(project: Project, row: Transaction, after_ms: int = 60_000) -> Transaction:
    TIMER_LOOP.advance(project, project.clock.now_ms + after_ms)
    return project.onchain.transactions[row.id]


def events(row: Transaction) -> list[str]:
    return [event.event for event in row.timeline]


def error_of(row: Transaction) -> TransactionError:
    assert row.receipt is not None
    assert row.receipt.error is not None
    return row.receipt.error


def test_the_life_checks_itself_and_draws_itself() -> None:
    life = lifecycle.LIFECYCLE
    again = Machine(life.name, initial=life.initial, terminal=life.terminal, steps=life.steps)
    assert set(again.states) == {"new", "awaiting_signature", "sent", "successful", "reverted", "failed"}
    drawn = life.mermaid()
    assert "awaiting_signature --> sent: broadcast" in drawn
    assert drawn.count("--> [*]") == 3


def test_a_plain_transaction_in_the_mocks_custody_is_sent_at_once_and_succeeds(project: Project) -> None:
    row = send(project, account_of(project, "plain"))
    assert (row.status, events(row)) == ("sent", ["new", "sent"])
    row = settled(project, row)
    assert (row.status, events(row)) == ("successful", ["new", "sent", "successful"])
    assert row.receipt is not None
    assert row.receipt.error is None


def test_the_monitor_sees_a_user_operation_indexed_and_confirmed(project: Project) -> None:
    row = settled(project, send(project, account_of(project, "UpgradeableV6")))
    assert events(row) == ["new", "sent", "indexed", "confirmed", "successful"]


@pytest.mark.parametrize("kind", ["plain", "UpgradeableV6", "Simple", "CaliburV9"])
def test_a_users_account_waits_for_its_owner(project: Project, kind: str) -> None:
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


def test_a_transaction_that_waits_for_an_account_that_goes_has_failed(project: Project) -> None:
    account = account_of(project, "plain", "User")
    row = send(project, account)
    removal.remove(project, account)
    row = project.onchain.transactions[row.id]
    assert (row.status, events(row)) == ("failed", ["awaiting_signature", "failed"])
    with pytest.raises(ApiError) as refused:
        lifecycle.sign(project, row, bytes(65))
    assert refused.value.row.code == "not_awaiting_signature"


def test_an_owner_that_became_poor_meanwhile_fails_with_its_execution_shown(project: Project) -> None:
    account = account_of(project, "plain", "User")
    row = send(project, account, 10)
    ledger.debit(project, CHAIN, account.address, 10**18 - 1)
    row = sign(project, row)
    assert (row.status, events(row)) == ("failed", ["awaiting_signature", "failed"])
    assert row.execution is not None
    assert "insufficient funds" in error_of(row).reason


# --- fates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "Simple"])
@pytest.mark.parametrize(
    ("options", "name", "reason"),
    [
        ({}, "Error", "execution reverted"),
        ({"reason": "not enough \u2764"}, "Error", "not enough \u2764"),
        ({"panic": 0x11}, "Panic", "Panic 0x11: an arithmetic operation overflowed or underflowed"),
        ({"error": "Unknown(uint256)", "args": [7]}, None, "execution reverted with 0x"),
        ({"error": "Unknown"}, None, "execution reverted with 0x"),
        ({"error": "Bad", "args": ["x"]}, "Error", "Bad could not be encoded"),
        ({"reason": None, "after_ms": None, "panic": None}, "Error", "execution reverted"),
    ],
)
def test_a_revert_says_why(
    project: Project, kind: str, options: dict[str, object], name: str | None, reason: str
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


@pytest.mark.parametrize("by_id", [True, False])
def test_a_custom_error_is_decoded_with_the_abi_of_what_is_called(project: Project, by_id: bool) -> None:
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
    assert error.name == "Poor"
    assert error.reason == f"Poor(5, {THERE})"
    add_fate(project, "reverted", options={"error": "Por", "args": [5, THERE]})
    error = error_of(settled(project, create(project, account_of(project, "plain"), [called])))
    assert error.reason.startswith("Por (did you mean Poor?) could not be encoded: ")
    for options in ({"error": "Por"}, {"error": "Poor", "args": [5]}):
        add_fate(project, "reverted", options=options)
        error = error_of(settled(project, create(project, account_of(project, "plain"), [called])))
        meant = " (did you mean Poor?)" if options["error"] == "Por" else ""
        assert error.reason.startswith(f"{options['error']}{meant} could not be encoded: ")


@pytest.mark.parametrize("held_by", ["User", "Developer"])
def test_a_fate_to_fail_keeps_a_transaction_from_being_built(project: Project, held_by: Custody) -> None:
    add_fate(project, "failed", options={"code": "AA31"})
    account = account_of(project, "Simple", held_by)
    row = send(project, account)
    assert (row.status, events(row), row.execution) == ("failed", ["failed"], None)
    error = error_of(row)
    assert error.reason == "AA31: paymaster deposit too low"
    assert error.name == "FailedOp"
    assert error.cause
    assert error.solution
    assert ledger.chain_account(project, CHAIN, account.address).operation_nonce == 0


def test_a_transaction_that_is_dropped_fails_without_a_block(project: Project) -> None:
    for kind, seen in (("plain", []), ("Simple", ["dropped"])):
        add_fate(project, "dropped", options={"after_ms": 5})
        row = settled(project, send(project, account_of(project, kind)), 5)
        assert row.status == "failed"
        assert events(row) == ["new", "sent", *seen, "failed"]
        assert row.receipt is not None
        assert row.receipt.place is None
        assert "dropped" in error_of(row).reason


def test_a_transaction_that_is_replaced_succeeds_under_another_hash(project: Project) -> None:
    for kind, seen in (("plain", []), ("Simple", ["replaced", "indexed", "confirmed"])):
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


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("successful", "successful"),
        ("reverted", "reverted"),
        ("failed", "failed"),
        ("dropped", "failed"),
        ("replaced", "successful"),
        ("never_mined", "sent"),
    ],
)
@pytest.mark.parametrize("when", ["sent", "awaiting"])
def test_a_fate_by_id_decides_what_was_not_decided_yet(
    project: Project, outcome: str, status: str, when: str
) -> None:
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


def test_a_fate_by_id_frees_a_transaction_that_was_never_to_be_mined(project: Project) -> None:
    add_fate(project, "never_mined")
    row = settled(project, send(project, account_of(project, "plain")))
    add_fate(project, "successful", transaction_id=row.id)
    assert settled(project, row).status == "successful"


def test_a_fate_set_for_a_transaction_that_is_over_changes_nothing(project: Project) -> None:
    row = settled(project, send(project, account_of(project, "plain")))
    add_fate(project, "reverted", transaction_id=row.id)
    assert settled(project, row) == row


# --- money ---------------------------------------------------------------------------------------------


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


def test_a_sponsored_account_without_money_pays_no_gas_but_its_value(project: Project) -> None:
    project.settings = replace(project.settings, starting_balance_wei=500)
    account = account_of(project, "Simple")
    row = settled(project, send(project, account, 500, sponsored=True))
    assert row.status == "successful"
    assert ledger.chain_account(project, CHAIN, account.address).balance == 0
    assert error_of(send(project, account, 1, sponsored=True)).reason.startswith("insufficient funds")


def test_what_is_underway_is_set_aside_even_for_another_account_with_the_address(project: Project) -> None:
    delegated = account_of(project, "CaliburV9")
    owner = next(row for row in project.wallets.accounts if row.smart_account is None)
    assert owner.address == delegated.address
    first = send(project, owner, 6 * 10**17)
    second = send(project, delegated, 6 * 10**17)
    assert (first.status, second.status) == ("sent", "failed")
    assert settled(project, first).status == "successful"


def test_the_rollups_fee_of_what_is_underway_is_set_aside_too(project: Project) -> None:
    account = account_of(project, "plain")
    first = create(project, account, [{"to": THERE, "data": "0x" + "ff" * 5000}])
    low, high = 0, 10**18
    while high - low > 1:  # the most that a second transaction may move
        middle = (low + high) // 2
        transfer = resolve_calls(project, CHAIN, [{"to": THERE, "value": str(middle)}])
        draft = building.draft_execution(project, account, CHAIN, transfer, None)
        reservation = reservation_for(project, CHAIN, draft, transfer)
        try:
            building.require_funds(project, CHAIN, draft, reservation, None)
            low = middle
        except Failure:
            high = middle
    second = send(project, account, low)
    assert second.status == "sent"
    assert settled(project, second).status == "successful"
    assert settled(project, first).status == "successful"
    assert ledger.chain_account(project, CHAIN, account.address).balance >= 0


def test_user_operations_and_transactions_of_an_address_count_apart(project: Project) -> None:
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


# --- random lives --------------------------------------------------------------------------------------

OUTCOMES = ["successful", "reverted", "failed", "dropped", "replaced", "reorged", "never_mined"]
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
    assert len(set(valued)) == len(valued)
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


REACHED = {
    "new": {None},
    "awaiting_signature": {None},
    "sent": {"sent", "indexed", "replaced"},
    "successful": {"confirmed"},
    "reverted": {"reverted"},
    "failed": {"dropped", None},
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


@pytest.mark.parametrize(
    ("chain", "kinds"),
    [(CHAIN, ("plain", "Simple", "CaliburV9")), (ZKSYNC, ("plain", "Simple", "UpgradeableV6"))],
)
@given(steps=STEPS)
def test_lives_agree_with_themselves_and_money_goes_only_for_gas(
    chain: int,
    kinds: tuple[str, ...],
    steps: list[tuple],  # type: ignore[type-arg]
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
    rows = list(project.onchain.transactions)
    paid = [row.receipt.payment for row in rows if row.receipt and row.receipt.payment]
    own = sum(payment.wei for payment in paid if payment.sponsorship_id is None)
    left = sum(ledger.chain_account(project, chain, address).balance for address in {*born, THERE})
    assert left == sum(born.values()) - own
    assert sponsor_account(project, "pol_1").spent_wei == sum(payment.wei for payment in paid) - own
    assert sum(row.balance - row.issued for row in project.chains.accounts) == 0
    underway = [row for row in rows if row.status == "sent"]
    assert sum(row.reserved for row in project.chains.accounts) == sum(
        row.reservation.value + row.reservation.gas for row in underway if row.reservation
    )
    blocks = [
        (row.receipt.place.block_number, row.receipt.place.transaction_index)
        for row in rows
        if row.receipt and row.receipt.place
    ]
    assert len(set(blocks)) == len(blocks)
