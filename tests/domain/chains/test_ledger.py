"""The simulated chains: blocks and balances."""

import pytest

from mockserver.chain.addresses import to_checksum
from mockserver.domain.chains import ledger
from mockserver.domain.chains.reorganizations import reorganize
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project

RECIPIENT = "0x" + "Aa" * 20


def move(project: Project, chain_id: int, sender: str, receiver: str, value: int) -> None:
    ledger.move(project, chain_id, ledger.chain_account(project, chain_id, sender), receiver, value)


def test_blocks_follow_the_clock_and_repeat(project: Project) -> None:
    first = ledger.block_at(project, 80002, 10_000)
    assert first == ledger.block_at(project, 80002, 11_999)
    assert ledger.block_at(project, 80002, 12_000).number == first.number + 1
    assert ledger.block_at(project, 80002, 12_000).hash != first.hash
    assert ledger.block_at(project, 84532, 10_000).hash != first.hash
    assert len(first.hash) == 66


def test_a_reorganization_changes_the_hashes_of_its_blocks_only(project: Project) -> None:
    now = ledger.block_at(project, 80002, project.clock.now_ms).number
    blocks = [(80002, now - 2), (80002, now - 1), (80002, now), (80002, now + 1), (84532, now)]
    before = [ledger.block_by_number(project, *block).hash for block in blocks]
    reorganize(project, 80002, now - 1)
    after = [ledger.block_by_number(project, *block).hash for block in blocks]
    kept = [one == other for one, other in zip(before, after, strict=True)]
    assert kept == [True, False, False, True, True]


def test_no_clock_is_early_enough_for_a_block_before_the_first(project: Project) -> None:
    assert ledger.block_at(project, 1, 0).number == 0


def test_the_projects_own_accounts_start_with_a_coin(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    for chain_id in (80002, 84532, 424242):
        assert ledger.chain_account(project, chain_id, address).balance == 10**18
    assert ledger.chain_account(project, 80002, RECIPIENT).balance == 0


def test_what_an_address_was_sent_earlier_comes_on_top(project: Project) -> None:
    wallet = create_wallet(project)
    sender = create_eoa(project, wallet, "EVM").address
    move(project, 80002, sender, RECIPIENT, 7)
    assert ledger.chain_account(project, 80002, RECIPIENT).balance == 7
    create_eoa(project, wallet, "EVM", address=to_checksum(RECIPIENT))
    for _ in range(2):
        assert ledger.chain_account(project, 80002, RECIPIENT).balance == 10**18 + 7
        ledger.write(project, ledger.chain_account(project, 80002, RECIPIENT))


def test_money_moves_whatever_the_case_of_the_address(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    move(project, 80002, address.lower(), RECIPIENT, 7)
    move(project, 80002, address, RECIPIENT.lower(), 5)
    assert ledger.chain_account(project, 80002, RECIPIENT).balance == 12
    assert ledger.chain_account(project, 80002, address).balance == 10**18 - 12
    assert ledger.chain_account(project, 84532, address).balance == 10**18


def test_money_moved_to_oneself_is_still_there(project: Project) -> None:
    address = create_eoa(project, create_wallet(project), "EVM").address
    move(project, 1, address, address, 10**18)
    assert ledger.chain_account(project, 1, address).balance == 10**18


def test_more_than_there_is_cannot_be_taken(project: Project) -> None:
    with pytest.raises(ValueError, match="has 0 wei, not 1"):
        move(project, 5, RECIPIENT, "0x" + "bb" * 20, 1)
    assert len(project.chains.accounts) == 0


def test_looking_at_an_address_stores_nothing(project: Project) -> None:
    ledger.chain_account(project, 1, RECIPIENT)
    assert len(project.chains.accounts) == 0


def test_a_slot_of_zero_takes_no_place(project: Project) -> None:
    ledger.set_slot(project, 1, RECIPIENT.upper().replace("X", "x"), 7, 5)
    assert (ledger.slot_at(project, 1, RECIPIENT, 7), ledger.slot_at(project, 2, RECIPIENT, 7)) == (5, 0)
    ledger.set_slot(project, 1, RECIPIENT, 7, 0)
    assert (ledger.slot_at(project, 1, RECIPIENT, 7), len(project.chains.slots)) == (0, 0)
    ledger.set_slot(project, 1, RECIPIENT, 7, 0)
