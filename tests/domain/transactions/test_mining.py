"""What a block makes of a transaction: its receipt, its logs, its place."""

import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

from eth_abi import decode
from eth_utils import keccak
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger, networks
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.transactions import creation, preparation
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import Log, Receipt, Transaction
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from mockserver.state.world import World
from tests import accounts
from tests.accounts import AccountKind
from tests.fates import add_fate
from tests.tables import cases

CHAIN = 11155420
THERE = "0x" + "11" * 20
TOKEN = "0x" + "22" * 20
ZERO_ADDRESS = "0x" + "00" * 20


def account_of(project: Project, kind: AccountKind) -> Account:
    return accounts.account_of(project, kind, chain=CHAIN)


def send(project: Project, account: Account, calls: Sequence[dict[str, Any]], **how: Any) -> Transaction:
    prepared = Prepared(account, CHAIN, resolve_calls(project, CHAIN, calls), **how)
    return creation.create(project, prepared)


def mined(project: Project, *rows: Transaction) -> list[Receipt]:
    TIMER_LOOP.advance(project, project.clock.now_ms + 2000)
    found = [project.onchain.transactions[row.id].receipt for row in rows]
    assert all(found)
    return [receipt for receipt in found if receipt]


def topic(signature: str) -> str:
    return "0x" + keccak(text=signature).hex()


def padded(address: str) -> str:
    return "0x" + "00" * 12 + address[2:].lower()


def named(log: Log) -> str:
    events = (
        "Transfer(address,address,uint256)",
        "Approval(address,address,uint256)",
        "AccountDeployed(bytes32,address,address,address)",
        "BeforeExecution()",
        "UserOperationRevertReason(bytes32,address,uint256,bytes)",
        "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)",
    )
    return {topic(event): event.partition("(")[0] for event in events}[log.topics[0]]


@cases(
    "function, args, event, parties",
    ("transfer(address,uint256)", [THERE, 5], "Transfer", ("self", THERE)),
    ("transferFrom(address,address,uint256)", [TOKEN, THERE, 5], "Transfer", (TOKEN, THERE)),
    ("approve(address,uint256)", [THERE, 5], "Approval", ("self", THERE)),
    ("mint(address,uint256)", [THERE, 5], "Transfer", (ZERO_ADDRESS, THERE)),
)
@cases("kind", "plain", "Simple")
def test_the_standard_calls_of_a_token_emit_their_events(
    project: Project,
    kind: AccountKind,
    function: str,
    args: list[object],
    event: str,
    parties: tuple[str, str],
) -> None:
    account = account_of(project, kind)
    call = {"to": TOKEN, "functionName": function, "functionArgs": args, "dataSuffix": "0xdead"}
    (receipt,) = mined(project, send(project, account, [call]))
    log = next(log for log in receipt.logs if log.address.lower() == TOKEN)
    assert named(log) == event
    assert list(log.topics[1:]) == [padded(account.address if it == "self" else it) for it in parties]
    assert decode(["uint256"], bytes.fromhex(log.data[2:])) == (5,)


@cases("data", "0xa9059cbb", "0xa9059cbb" + "ff" * 64, "0xdeadbeef", "0x", "0xa9")
def test_other_calls_emit_nothing(project: Project, data: str) -> None:
    (receipt,) = mined(project, send(project, account_of(project, "plain"), [{"to": TOKEN, "data": data}]))
    assert receipt.logs == ()


def test_a_revert_leaves_the_entry_points_events_only(project: Project) -> None:
    add_fate(project, "reverted")
    account = account_of(project, "Simple")
    call = {"to": TOKEN, "functionName": "mint(address,uint256)", "functionArgs": [THERE, 5]}
    row = send(project, account, [call])
    (receipt,) = mined(project, row)
    assert [named(log) for log in receipt.logs] == [
        "AccountDeployed",
        "BeforeExecution",
        "UserOperationRevertReason",
        "UserOperationEvent",
    ]
    nonce, returned = decode(["uint256", "bytes"], bytes.fromhex(receipt.logs[-2].data[2:]))
    assert (nonce, returned[:4].hex()) == (0, "08c379a0")
    last = receipt.logs[-1]
    assert row.execution is not None
    assert last.topics[1:] == (
        "0x" + row.execution.signing_hash.hex(),
        padded(account.address),
        padded(ZERO_ADDRESS),
    )
    values = decode(["uint256", "bool", "uint256", "uint256"], bytes.fromhex(last.data[2:]))
    assert receipt.gas_fee is not None
    assert receipt.l1_gas_fee
    assert values == (0, False, receipt.gas_fee + receipt.l1_gas_fee, receipt.gas_used)


def test_only_an_accounts_first_operation_deploys_it(project: Project) -> None:
    account = account_of(project, "UpgradeableV6")
    rows = [send(project, account, [{"to": THERE}]) for _ in range(2)]
    together = mined(project, *rows)
    alone = mined(project, send(project, account, [{"to": THERE}]))
    deployments = [sum(named(log) == "AccountDeployed" for log in each.logs) for each in together + alone]
    assert deployments == [1, 0, 0]
    smart = project.wallets.accounts[account.id].smart_account
    assert smart is not None
    assert smart.deployed_tx == together[0].transaction_hash
    assert smart.deployed_ms == together[0].created_ms
    assert together[0].gas_used is not None
    assert alone[0].gas_used is not None
    assert together[0].gas_used > alone[0].gas_used


def test_a_delegated_account_delegates_once_without_deploying(project: Project) -> None:
    account = account_of(project, "CaliburV9")
    first = send(project, account, [{"to": THERE}])
    (receipt,) = mined(project, first)
    assert [named(log) for log in receipt.logs] == ["BeforeExecution", "UserOperationEvent"]
    delegate = ledger.chain_account(project, CHAIN, account.address).delegate
    assert delegate == IMPLEMENTATIONS["CaliburV9"].address
    executions = [first.execution, send(project, account, [{"to": THERE}]).execution]
    factories = [each.operation.factory for each in executions if isinstance(each, UserOperationExecution)]
    assert factories == ["0x7702", None]


def test_transactions_of_a_block_stand_one_after_the_other(project: Project) -> None:
    call = {"to": TOKEN, "functionName": "mint(address,uint256)", "functionArgs": [THERE, 5]}
    kinds: tuple[AccountKind, ...] = ("plain", "Simple", "plain", "UpgradeableV6")
    found = mined(project, *(send(project, account_of(project, kind), [call]) for kind in kinds))
    places = [each.place for each in found if each.place]
    assert len({(place.block_number, place.block_hash) for place in places}) == 1
    assert [place.transaction_index for place in places] == [0, 1, 2, 3]
    starts = [place.first_log_index for place in places]
    numbers = [start + i for start, each in zip(starts, found, strict=True) for i in range(len(each.logs))]
    assert numbers == list(range(len(numbers)))
    assert len({each.transaction_hash for each in found}) == 4
    (later,) = mined(project, send(project, account_of(project, "plain"), [call]))
    assert later.place is not None
    assert (later.place.transaction_index, later.place.first_log_index) == (0, 0)


def test_a_call_reverts_when_its_money_is_gone(project: Project) -> None:
    account = account_of(project, "Simple")
    row = send(project, account, [{"to": THERE, "value": "1000"}], sponsor=Sponsor("pol_1"))
    ledger.set_balance(project, CHAIN, account.address, 0)
    (receipt,) = mined(project, row)
    assert receipt.error is not None
    assert receipt.error.reason == "insufficient balance for transfer"
    assert project.onchain.transactions[row.id].status == "reverted"


def test_a_batch_moves_all_of_its_money_or_none(project: Project) -> None:
    account = account_of(project, "Simple")
    calls = [{"to": THERE, "value": "3"}, {"to": account.address, "value": "5"}, {"to": THERE, "value": "4"}]
    (receipt,) = mined(project, send(project, account, calls))
    assert ledger.chain_account(project, CHAIN, THERE).balance == 7
    paid = (receipt.gas_fee or 0) + (receipt.l1_gas_fee or 0)
    assert ledger.chain_account(project, CHAIN, account.address).balance == 10**18 - 7 - paid


def work_of_mining(project: Project, count: int) -> int:
    """How many functions are called to mine transactions of one account in one block."""
    account = account_of(project, "Simple")
    for _ in range(count):
        send(project, account, [{"to": THERE, "value": "1"}])
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before, to_ms = sys.getprofile(), project.clock.now_ms + 10_000
    sys.setprofile(note)
    try:
        fired = TIMER_LOOP.advance(project, to_ms)
    finally:
        sys.setprofile(before)
    assert len(fired) == count
    return calls


def test_a_blocks_transactions_cost_the_same_each() -> None:
    # The first time, some functions are called that remember what they return.
    _, few, many = [work_of_mining(World().create(name="block"), count) for count in (5, 20, 100)]
    assert many < 5.2 * few


@given(
    st.sampled_from(["plain", "Simple", "UpgradeableV6", "Calibur", "CaliburV9"]),
    st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=300)), min_size=1, max_size=4),
)
def test_none_takes_more_than_was_set_aside(kind: AccountKind, wanted: list[tuple[int, bytes]]) -> None:
    project = World().create(name="limits")
    account = account_of(project, kind)
    asked = [{"to": THERE, "value": str(value), "data": "0x" + data.hex()} for value, data in wanted]
    calls = resolve_calls(project, CHAIN, asked[:1] if kind == "plain" else asked)
    draft, _, reservation = preparation.draft(project, account, CHAIN, calls)
    l1 = networks.l1_cost(project, CHAIN, draft)
    assert l1 is not None
    price = networks.fees_of(project, CHAIN).price
    assert networks.gas_used(draft, calls) * price + l1.fee <= reservation.gas
    assert reservation.payer == account.address
    if kind != "plain":
        sponsored = preparation.draft(project, account, CHAIN, calls, Sponsor("pol_1"))
        assert sponsored.reservation.payer == paymaster_address(project)
