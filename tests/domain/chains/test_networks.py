"""What gas costs on a chain, and how a test makes it cost something else."""

from dataclasses import replace
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.networks import NETWORKS
from mockserver.chain.transactions import FeeMarketTransaction
from mockserver.domain.chains import networks
from mockserver.state.chains import PlainExecution
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings
from mockserver.state.world import World

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
