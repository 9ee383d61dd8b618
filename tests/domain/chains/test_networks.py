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

THERE = "0x" + "11" * 20
SENT = PlainExecution(THERE, FeeMarketTransaction(84532, 0, 1, 2, 21_000, THERE, 5, b""))


def test_gas_counts_the_bytes_of_calldata() -> None:
    def gas(data: bytes) -> int:
        return networks.call_gas(CallRecord(THERE, 0, data, {}))

    assert gas(b"") == 0
    assert gas(b"\1\0\0") - gas(b"\1") == 8
    assert gas(b"\1\2") - gas(b"\1") == 16


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
