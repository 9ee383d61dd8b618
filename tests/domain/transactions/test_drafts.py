"""How calls become an execution, and what it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.user_operations import UserOperation
from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.chains.failures import Failure
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.transactions import creation, preparation
from mockserver.domain.transactions.preparation import Prepared
from mockserver.state.chains import PlainExecution, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from mockserver.state.world import World
from tests.accounts import AMOY, AccountKind, account_of
from tests.tables import cases

ZKSYNC_SEPOLIA, OPTIMISM_SEPOLIA = 300, 11155420
THERE = "0x" + "11" * 20
CALL = CallRecord(THERE, 1000, b"", {})
SPONSOR = Sponsor("pol_1")

CALLS = st.lists(
    st.builds(
        lambda value, data: CallRecord(THERE, value, data, {}), st.integers(0, 10**18), st.binary(max_size=40)
    ),
    min_size=1,
    max_size=3,
)


def nonces(project: Project, account: Account) -> tuple[int, int]:
    """The next nonces of an account: of its transactions, and of its user operations."""
    here = ledger.chain_account(project, AMOY, account.address)
    return here.nonce, here.operation_nonce


@cases(
    "kind, chain, expected",
    ("plain", AMOY, PlainExecution),
    ("Simple", AMOY, UserOperationExecution),
    ("CaliburV9", AMOY, UserOperationExecution),
    ("plain", ZKSYNC_SEPOLIA, PlainExecution),
    ("Simple", ZKSYNC_SEPOLIA, ZkSyncExecution),
)
def test_the_account_and_its_chain_decide_what_is_executed(
    project: Project, kind: AccountKind, chain: int, expected: type
) -> None:
    account = account_of(project, kind, chain=chain)
    execution = preparation.build(project, Prepared(account, chain, (CALL,))).execution
    assert isinstance(execution, expected)
    assert execution.sender == account.address


@cases("held_by", "Developer", "User")
@cases("kind, used", ("plain", (1, 0)), ("Simple", (0, 1)))
def test_a_transaction_uses_a_nonce_and_drafting_does_not(
    project: Project, kind: AccountKind, used: tuple[int, int], held_by: Custody
) -> None:
    account = account_of(project, kind, held_by=held_by)
    draft = preparation.draft(project, account, AMOY, [CALL])
    assert preparation.build(project, Prepared(account, AMOY, (CALL,))) == draft
    assert nonces(project, account) == (0, 0)
    creation.create(project, Prepared(account, AMOY, (CALL,)))
    assert nonces(project, account) == used


@cases("kind", "plain", "Simple")
def test_what_the_account_cannot_pay_uses_no_nonce(project: Project, kind: AccountKind) -> None:
    account = account_of(project, kind)
    row = creation.create(project, Prepared(account, AMOY, (CALL._replace(value=2**128),)))
    assert row.status == "failed"
    assert nonces(project, account) == (0, 0)


def test_a_first_operation_deploys_or_delegates_the_account(project: Project) -> None:
    smart = preparation.draft(project, account_of(project, "Simple"), AMOY, [CALL]).execution
    delegated = preparation.draft(project, account_of(project, "CaliburV9"), AMOY, [CALL]).execution
    assert isinstance(smart, UserOperationExecution)
    assert isinstance(delegated, UserOperationExecution)
    assert smart.operation.factory == IMPLEMENTATIONS["Simple"].factory_address
    assert delegated.operation.factory == "0x7702"
    assert delegated.operation.eip7702_auth == IMPLEMENTATIONS["CaliburV9"].address


@given(CALLS, st.sampled_from([AMOY, ZKSYNC_SEPOLIA, OPTIMISM_SEPOLIA]), st.booleans())
def test_value_and_highest_gas_are_taken(calls: list[CallRecord], chain: int, sponsored: bool) -> None:
    project = World().create(name="drafts")
    account = account_of(project, "Simple", chain=chain)
    sponsor = SPONSOR if sponsored else None
    execution, _, taken = preparation.draft(project, account, chain, calls, sponsor)
    assert taken.value == sum(call.value for call in calls)
    assert (taken.sender, taken.payer) == (
        account.address,
        paymaster_address(project) if sponsored else account.address,
    )
    if isinstance(execution, UserOperationExecution):
        limits = execution.operation
        gas = limits.call_gas_limit + limits.verification_gas_limit + limits.pre_verification_gas
        price = limits.max_fee_per_gas
    else:
        gas, price = execution.transaction.gas, execution.transaction.max_fee_per_gas
    assert taken.gas == gas * price + (taken.l1_fee or 0)
    assert (taken.l1_fee is not None) == (chain == OPTIMISM_SEPOLIA)


def test_a_user_operations_limits_follow_from_calls_and_deploy(project: Project) -> None:
    account = account_of(project, "Simple")

    def draft(data: bytes) -> UserOperation:
        execution = preparation.draft(project, account, AMOY, [CALL._replace(data=data)]).execution
        assert isinstance(execution, UserOperationExecution)
        return execution.operation

    short, long = draft(b""), draft(b"\x01" * 64)
    longer = len(long.call_data) - len(short.call_data)
    assert long.pre_verification_gas - short.pre_verification_gas == 16 * longer
    assert short.pre_verification_gas == 45_000 + 16 * len(short.call_data)
    assert long.call_gas_limit > short.call_gas_limit > 35_000
    here = ledger.chain_account(project, AMOY, account.address)
    project.chains.accounts.put(here._replace(deployed=True))
    assert short.verification_gas_limit - draft(b"").verification_gas_limit == 320_000


def test_a_sponsored_account_pays_no_gas_but_what_it_sends(project: Project) -> None:
    account = account_of(project, "Simple")
    balance = ledger.chain_account(project, AMOY, account.address).balance
    prepared = Prepared(account, AMOY, (CALL._replace(value=balance),), sponsor=SPONSOR)
    preparation.build(project, prepared)
    with pytest.raises(Failure):
        preparation.build(project, prepared._replace(sponsor=None))
