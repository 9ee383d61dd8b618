"""Players and the one account each has on a chain."""

import pytest

from mockserver import errors
from mockserver.domain import accounts, players
from mockserver.domain.people import create_user
from mockserver.errors import Refusal
from mockserver.state.project import Project

AMOY, BASE = 80002, 84532


def test_a_player_has_one_account_on_a_chain(project: Project) -> None:
    player = players.new_player(project)
    first = players.create_account(project, player, AMOY)
    with pytest.raises(Refusal) as refused:
        players.create_account(project, player, AMOY, implementation="CaliburV9")
    assert refused.value.row is errors.ACCOUNT_EXISTS
    assert first.id in refused.value.message
    assert players.create_account(project, player, BASE).address == first.address


def test_an_account_is_found_by_its_own_user_while_the_older_api_knows_it(project: Project) -> None:
    player = players.new_player(project)
    account = players.create_account(project, player, AMOY)
    owner = project.identity.users[player.user_id or ""]
    stranger = create_user(project, name="Eve", email=None)
    for user in (None, owner):
        assert players.find_older_account(project, account.id, user) is account
    with pytest.raises(Refusal):
        players.find_older_account(project, account.id, stranger)
    assert project.wallets.wallets.first("user_id", stranger.id) is None, "looking makes no wallet"
    accounts.disable(project, account)
    with pytest.raises(Refusal):
        players.find_older_account(project, account.id)
