"""The simulated chains: blocks, gas, fees, nonces and balances."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.addresses import to_checksum
from mockserver.chain.networks import NETWORKS
from mockserver.domain import ledger
from mockserver.domain.accounts import create_eoa
from mockserver.domain.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.world import World

SOMEBODY = "0x" + "Aa" * 20


def test_blocks_follow_the_clock_and_repeat(project: Project) -> None:
    first = ledger.block_at(project, 80002, 10_000)
    assert first == ledger.block_at(project, 80002, 11_999)
    assert ledger.block_at(project, 80002, 12_000).number == first.number + 1
    assert ledger.block_at(project, 80002, 12_000).hash != first.hash
    assert ledger.block_at(project, 84532, 10_000).hash != first.hash
    assert len(first.hash) == 66


def test_no_clock_is_early_enough_for_a_block_before_the_first(project: Project) -> None:
    assert ledger.block_at(project, 1, 0).number == 0


def test_gas_counts_the_bytes_of_calldata() -> None:
    assert ledger.call_gas(b"") == 0
    assert ledger.call_gas(b"\1\0\0") - ledger.call_gas(b"\1") == 8
    assert ledger.call_gas(b"\1\2") - ledger.call_gas(b"\1") == 16


def test_only_rollups_pay_the_chain_below() -> None:
    for chain_id, network in NETWORKS.items():
        assert (ledger.l1_cost(chain_id, b"\1") is not None) == network.rollup
    assert ledger.l1_cost(424242, b"\1") is None


def test_a_sender_offers_more_than_the_price_of_now() -> None:
    for chain_id in (1, 8453, 424242):
        fees = ledger.fees_of(chain_id)
        assert fees.priority_fee < fees.price < fees.max_fee


@given(st.integers(0, 10**24), st.sampled_from(["2500", "0", "1.00000001", "999999999.99999999"]))
def test_a_cost_in_dollars_is_the_fee_to_eight_decimals(fee_wei: int, price: str) -> None:
    project = World().create(name="dollars")
    project.settings = replace(project.settings, native_price_usd=price)
    text = ledger.in_usd(project, fee_wei)
    assert "e" not in text.lower()
    whole, _, decimals = text.partition(".")
    assert whole.isdigit()
    assert 1 <= len(decimals) <= 8
    assert abs(Decimal(text) - Decimal(fee_wei) * Decimal(price) / 10**18) <= Decimal("0.00000001")


def test_the_projects_own_accounts_start_with_a_coin_on_every_chain(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    for chain_id in (80002, 84532, 424242):
        assert ledger.chain_account(project, chain_id, address).balance == 10**18
    assert ledger.chain_account(project, 80002, SOMEBODY).balance == 0


def test_what_an_address_was_sent_before_it_was_an_account_comes_on_top(project: Project) -> None:
    wallet = create_wallet(project)
    sender = create_eoa(project, wallet, "EVM").address
    ledger.move(project, 80002, sender, SOMEBODY, 7)
    assert ledger.chain_account(project, 80002, SOMEBODY).balance == 7
    create_eoa(project, wallet, "EVM", address=to_checksum(SOMEBODY))
    for _ in range(2):
        assert ledger.chain_account(project, 80002, SOMEBODY).balance == 10**18 + 7
        ledger.write(project, ledger.chain_account(project, 80002, SOMEBODY))


def test_money_moves_whatever_the_case_of_the_address(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    ledger.move(project, 80002, address.lower(), SOMEBODY, 7)
    ledger.move(project, 80002, address, SOMEBODY.lower(), 5)
    assert ledger.chain_account(project, 80002, SOMEBODY).balance == 12
    assert ledger.chain_account(project, 80002, address).balance == 10**18 - 12
    assert ledger.chain_account(project, 84532, address).balance == 10**18


def test_money_moved_to_oneself_is_still_there(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    ledger.move(project, 1, address, address, 10**18)
    assert ledger.chain_account(project, 1, address).balance == 10**18


def test_more_than_there_is_cannot_be_taken(project: Project) -> None:
    with pytest.raises(ValueError, match="has 0 wei on chain 5, not 1"):
        ledger.debit(project, 5, SOMEBODY, 1)
    assert len(project.onchain.chain_accounts) == 0


def test_nonces_of_transactions_and_of_user_operations_count_apart(project: Project) -> None:
    ledger.use_nonce(project, 1, SOMEBODY)
    ledger.use_nonce(project, 1, SOMEBODY.lower())
    ledger.use_operation_nonce(project, 1, SOMEBODY)
    row = ledger.chain_account(project, 1, SOMEBODY)
    assert (row.nonce, row.operation_nonce) == (2, 1)
    assert ledger.chain_account(project, 2, SOMEBODY).nonce == 0


def test_looking_at_an_address_stores_nothing(project: Project) -> None:
    ledger.chain_account(project, 1, SOMEBODY)
    assert len(project.onchain.chain_accounts) == 0
