"""Players and the one account each has on a chain."""

import pytest

from mockserver import errors
from mockserver.chain.implementations import IMPLEMENTATIONS, ImplementationType
from mockserver.chain.networks import NETWORKS
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.account_changes import removal
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.wallets import accounts, players
from mockserver.domain.wallets.selectors import address_of_id
from mockserver.errors import ApiError
from mockserver.state.project import Project
from tests.tables import cases

AMOY, BASE = 80002, 84532


def test_a_player_has_one_account_on_a_chain(project: Project) -> None:
    player = players.new_player(project)
    first = players.create_account(project, player, AMOY)
    with pytest.raises(ApiError) as refused:
        players.create_account(project, player, AMOY, implementation="CaliburV9")
    assert refused.value.row is errors.ACCOUNT_EXISTS
    assert first.id in refused.value.message
    assert players.create_account(project, player, BASE).address == first.address


def test_an_account_is_its_users_while_the_older_api_knows_it(project: Project) -> None:
    player = players.new_player(project)
    account = players.create_account(project, player, AMOY)
    owner = project.identity.users[player.user_id or ""]
    stranger = create_user(project, name="Eve", email=None)
    for user in (None, owner):
        assert players.find_older_account(project, account.id, user) is account
    with pytest.raises(ApiError):
        players.find_older_account(project, account.id, stranger)
    assert project.wallets.wallets.first("user_id", stranger.id) is None, "looking makes no wallet"
    removal.disable(project, account)
    with pytest.raises(ApiError):
        players.find_older_account(project, account.id)


@cases("implementation", None, "UpgradeableV5", "CaliburV9")
@cases("chain_id", AMOY, BASE)
def test_a_players_id_is_their_accounts_address_in_advance_too(
    project: Project, implementation: ImplementationType | None, chain_id: int
) -> None:
    player = players.new_player(project)
    first = players.create_account(project, player, AMOY, implementation=implementation)
    assert address_of_id(project, chain_id, player.id, "to") == first.address
    assert resolve_calls(project, chain_id, [{"to": player.id, "value": "7"}])[0].to == first.address


def test_unimplemented_a_players_id_is_the_next_account(project: Project) -> None:
    player = players.new_player(project)
    players.create_account(project, player, AMOY, implementation="CaliburV9")
    lacking = next(
        chain_id
        for chain_id in sorted(IMPLEMENTATIONS["CaliburV9"].absent_on)
        if chain_id in NETWORKS and NETWORKS[chain_id].testnet
    )
    meant = address_of_id(project, lacking, player.id, "to")
    selector = players.AccountSelector(player=player.id)
    assert meant == players.find_or_create_account(project, None, lacking, selector).address


def test_the_id_of_a_player_with_a_key_means_its_address(project: Project) -> None:
    player = players.new_player(project)
    key = accounts.create_eoa(project, player, "EVM")
    assert address_of_id(project, BASE, player.id, "to") == key.address


def test_the_id_of_a_player_without_any_account_means_nothing(project: Project) -> None:
    player = players.new_player(project)
    accounts.create_eoa(project, player, "SVM")
    with pytest.raises(ApiError) as refused:
        address_of_id(project, BASE, player.id, "to")
    assert refused.value.row is errors.WALLET_NOT_FOUND
