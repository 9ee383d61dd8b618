"""What gas costs on a chain, and how a test makes it cost something else."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.networks import NETWORKS
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.chain.user_operations import UserOperation
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.domain.chains import networks
from mockserver.state.chains import PlainExecution, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import CallRecord, Reservation
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings
from mockserver.state.world import World
from tests.tables import cases

# As in viem's definitions of chains; Mantle, Scroll and Blast's test network say in their documentation that
# they charge for data on the chain below.
MAIN = {1, 10, 25, 56, 100, 130, 137, 143, 146, 324, 480, 1329, 1868, 2020, 2741, 5000, 7777777, 8453, 33139}
MAIN |= {34443, 42161, 42170, 43114, 57073, 59144, 80094, 81457, 534352}
TEST = {
    97,
    300,
    338,
    919,
    1301,
    1328,
    1946,
    2021,
    4801,
    5003,
    10143,
    10200,
    11124,
    13337,
    31337,
    33111,
    43113,
}
TEST |= {59141, 80002, 80069, 84532, 421614, 534351, 763373, 11155111, 11155420, 168587773, 999999999}
ROLLUPS = {10, 130, 480, 1868, 5000, 7777777, 8453, 34443, 57073, 81457, 534352, 919, 1301, 1946, 4801, 5003}
ROLLUPS |= {84532, 534351, 763373, 11155420, 168587773, 999999999}
NATIVE = {300, 324, 2741, 11124}
THERE = "0x" + "11" * 20
SENT = PlainExecution(THERE, FeeMarketTransaction(84532, 0, 1, 2, 21_000, THERE, 5, b""))


def test_gas_counts_the_bytes_of_calldata() -> None:
    def gas(data: bytes) -> int:
        return networks.call_gas(CallRecord(THERE, 0, data, {}))

    assert gas(b"") == 0
    assert gas(b"\1\0\0") - gas(b"\1") == 8
    assert gas(b"\1\2") - gas(b"\1") == 16


def test_what_was_executed_counts_as_it_was() -> None:
    call = CallRecord(THERE, 0, b"\1\0", {})
    assert networks.call_gas(call) == 16 + 4 + 30_000
    assert networks.call_gas(call._replace(gas=7)) == 16 + 4 + 7
    assert networks.call_gas(call._replace(data=b"", gas=7)) == 7
    assert networks.gas_to_reserve(call) == 30_020
    assert networks.gas_to_reserve(call._replace(gas=7)) == 40, "half as much again"


OPERATION = UserOperation(
    sender=THERE,
    nonce=0,
    call_data=bytes(10),
    call_gas_limit=100_000,
    verification_gas_limit=40_000,
    pre_verification_gas=5_000,
    max_fee_per_gas=3,
    max_priority_fee_per_gas=1,
)
OPERATED = UserOperationExecution("0.6", OPERATION, b"")


@cases(
    "calls, used",
    ([None], 80_000),
    ([7], 28_000 + 7),
    ([7, None], 28_000 + 7),
    ([10**6], 100_000),
)
def test_a_user_operation_uses_a_part_of_its_limits(calls: list[int | None], used: int) -> None:
    made = [CallRecord(THERE, 0, b"", {}, gas=gas) for gas in calls]
    assert networks.gas_used(OPERATED, made) == used + 30_000 + 5_000
    assert networks.gas_limit(OPERATED) == 100_000 - 28_000


def test_a_transaction_of_zksync_uses_five_sixths_of_its_limit() -> None:
    made = ZkSyncTransaction(
        chain_id=300,
        nonce=0,
        max_priority_fee_per_gas=1,
        max_fee_per_gas=2,
        gas=600_000,
        sender=THERE,
        to=THERE,
        value=0,
        data=b"",
    )
    assert networks.gas_used(ZkSyncExecution(made), []) == 500_000


@cases("paymaster", None, "0x" + "22" * 20)
def test_a_user_operation_may_cost_all_its_limits(project: Project, paymaster: str | None) -> None:
    execution = OPERATED._replace(operation=replace(OPERATION, paymaster=paymaster))
    calls = [CallRecord(THERE, value, b"", {}) for value in (4, 5)]
    l1_gas = 1_600 + 4 * 330
    l1_fee = l1_gas * (10**9 // 20)
    payer = paymaster or THERE
    assert networks.reservation_for(project, 84532, execution, calls) == Reservation(
        sender=THERE, value=9, payer=payer, gas=145_000 * 3 + l1_fee, l1_gas=l1_gas, l1_fee=l1_fee
    )
    on_l1 = networks.reservation_for(project, 1, execution, calls)
    assert (on_l1.gas, on_l1.l1_gas, on_l1.l1_fee) == (145_000 * 3, None, None)


def test_the_networks_are_what_they_are() -> None:
    assert NETWORKS.keys() == MAIN | TEST
    assert {each.chain_id for each in NETWORKS.values() if each.testnet} == TEST
    assert {each.chain_id for each in NETWORKS.values() if each.rollup} == ROLLUPS
    assert {each.chain_id for each in NETWORKS.values() if each.native_accounts} == NATIVE


def test_only_rollups_pay_the_chain_below(project: Project) -> None:
    for chain_id, network in NETWORKS.items():
        assert (networks.l1_cost(project, chain_id, SENT) is not None) == network.rollup
    assert networks.l1_cost(project, 424242, SENT) is None


def test_a_sender_offers_more_than_the_price_of_now(project: Project) -> None:
    for chain_id in (1, 8453, 424242):
        fees = networks.fees_of(project, chain_id)
        assert fees.priority_fee < fees.price < fees.max_fee


@given(st.integers(0, 10**24), st.sampled_from(["2500", "0", "1.00000001", "999999999.99999999"]))
def test_a_cost_in_dollars_is_the_fee_to_eight_decimals(fee_wei: int, price: str) -> None:
    project = World().create(name="dollars")
    project.settings = replace(project.settings, native_price_usd=price)
    text = networks.format_fee_usd(project, 1, fee_wei)
    assert "e" not in text.lower()
    whole, _, decimals = text.partition(".")
    assert whole.isdigit()
    assert 1 <= len(decimals) <= 8
    assert abs(Decimal(text) - Decimal(fee_wei) * Decimal(price) / 10**18) <= Decimal("0.00000001")


def test_only_the_chain_that_is_set_costs_something_else(project: Project) -> None:
    chosen = ChainSettings(base_fee_wei=70, priority_fee_wei=5, l1_gas_price_wei=3, native_price_usd="4")
    project.settings = replace(project.settings, chains={"84532": chosen})
    assert networks.fees_of(project, 84532) == (70, 5)
    l1 = networks.l1_cost(project, 84532, SENT)
    assert l1 is not None
    assert l1.fee == 3 * l1.gas
    assert networks.format_fee_usd(project, 84532, 10**18) == "4.0"
    assert networks.fees_of(project, 80002) == (10**9, 10**8)
    assert networks.format_fee_usd(project, 80002, 10**18) == "2500.0"


def test_what_is_not_set_of_a_chain_stays(project: Project) -> None:
    project.settings = replace(project.settings, chains={"80002": ChainSettings(priority_fee_wei=0)})
    assert networks.fees_of(project, 80002) == (10**9, 0)
    assert networks.format_fee_usd(project, 80002, 10**18) == "2500.0"
