"""Users that are made before they first sign in, with their accounts."""

import pytest

from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.pregeneration import (
    AccountSpec,
    create_accounts,
    create_first_accounts,
)
from mockserver.state.identity import User
from mockserver.state.project import Project
from tests.accounts import AMOY
from tests.tables import cases

EVM = AccountSpec("Externally Owned Account", "EVM", None, None)
SVM = AccountSpec("Externally Owned Account", "SVM", None, None)
SMART = AccountSpec("Smart Account", "EVM", AMOY, None)
DELEGATED = AccountSpec("Delegated Account", "EVM", AMOY, None)


@pytest.fixture
def user(project: Project) -> User:
    """A user without accounts."""
    return create_user(project, name="", email="ada@example.com")


@cases(
    "wanted, made",
    ([EVM], 1),
    ([EVM, SMART], 2),
    ([SMART, DELEGATED], 3),
    ([SMART, EVM], 2),
    ([SMART, SVM, EVM, EVM], 4),
    ([], 0),
)
def test_accounts_are_made_in_order_with_an_owner_if_needed(
    project: Project, user: User, wanted: list[AccountSpec], made: int
) -> None:
    accounts = create_accounts(project, user, wanted)
    assert [(row.account_type, row.chain_type) for row in accounts] == [
        (want.account_type, want.chain_type) for want in wanted
    ]
    assert len(project.wallets.accounts) == made
    owners = [row for row in project.wallets.accounts if row.account_type == "Externally Owned Account"]
    assert {row.owner_address for row in accounts} <= {None, *(row.address for row in owners)}
    assert len({row.wallet_id for row in project.wallets.accounts}) <= 1


@cases("chain", None, AMOY)
def test_first_accounts_are_made_once(project: Project, user: User, chain: int | None) -> None:
    first = create_first_accounts(project, user, chain)
    assert first is not None
    assert first.account_type == "Externally Owned Account"
    assert len(project.wallets.accounts) == (1 if chain is None else 2)
    assert create_first_accounts(project, user, chain) is None


def test_an_accounts_new_owner_gets_the_chain_asked_for_later(project: Project, user: User) -> None:
    smart, owner = create_accounts(project, user, [SMART, EVM._replace(chain_id=137)])
    assert (owner.chain_id, owner.address) == (137, smart.owner_address)
    assert project.wallets.accounts[owner.id].chain_id == 137
    assert len(project.wallets.accounts) == 2
