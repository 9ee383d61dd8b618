"""Accounts: whose an address is, what they are on other chains, and what goes with them."""

import pytest

from mockserver import errors
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.transactions.account_changes.removal import disable
from mockserver.domain.wallets.accounts import (
    accounts_with_key_of,
    create_contract_account,
    create_eoa,
    own_contract_for,
    switch_chain,
)
from mockserver.domain.wallets.keys.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.state.project import Project
from tests.accounts import AMOY, AccountKind, account_of
from tests.tables import cases

MAINNET, BASE_SEPOLIA = 1, 84532
OUTSIDER = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
CONTRACTS: tuple[AccountKind, ...] = ("Simple", "UpgradeableV6", "CaliburV9")


def test_an_address_is_in_one_wallet_and_custody_only(project: Project) -> None:
    first = create_eoa(project, create_wallet(project), "EVM", address=OUTSIDER)
    for chain_id in (None, AMOY):
        with pytest.raises(ApiError) as refused:
            create_eoa(project, create_wallet(project), "EVM", address=OUTSIDER, chain_id=chain_id)
        assert (refused.value.row, refused.value.param) == (errors.ADDRESS_TAKEN, "address")
    wallet = project.wallets.wallets[first.wallet_id]
    again = create_eoa(project, wallet, "EVM", address=OUTSIDER, chain_id=AMOY)
    assert again.signer_id == first.signer_id


@cases("kind", *CONTRACTS)
def test_a_contract_account_is_made_once_on_a_chain(project: Project, kind: AccountKind) -> None:
    assert kind != "plain"
    owner = account_of(project, "plain")
    made = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS[kind])
    assert (made.wallet_id, made.custody, made.signer_id) == (owner.wallet_id, owner.custody, owner.signer_id)
    assert (made.address == owner.address) == (made.account_type == "Delegated Account")
    assert accounts_with_key_of(project, made) == [owner, made]
    with pytest.raises(ApiError) as refused:
        create_contract_account(project, owner, AMOY, IMPLEMENTATIONS[kind])
    assert (refused.value.row, refused.value.param) == (errors.ADDRESS_TAKEN, "chainId")


def test_a_wallets_contract_is_found_for_a_chain_and_an_owner(project: Project) -> None:
    account = account_of(project, "Simple")
    assert own_contract_for(project, account.wallet_id, BASE_SEPOLIA) == account
    assert own_contract_for(project, account.wallet_id, AMOY, account.signing_address) == account
    assert own_contract_for(project, account.wallet_id, AMOY, OUTSIDER) is None


def test_a_disabled_account_keeps_its_key(project: Project) -> None:
    account = account_of(project)
    disable(project, account)
    assert project.wallets.accounts[account.id].disabled
    assert key_of(project, account) is not None


def test_an_account_that_is_on_a_chain_already_stays_as_it_is(project: Project) -> None:
    account = account_of(project, "Simple")
    project.clock.move_to(project.clock.now_ms + 1000)
    assert switch_chain(project, account, AMOY) == account
    assert project.wallets.accounts[account.id] == account
