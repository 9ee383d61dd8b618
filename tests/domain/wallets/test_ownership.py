"""Who owns a smart account, as the calls decide that are sent to it."""

import pytest
from eth_abi import encode
from eth_utils import function_signature_to_4byte_selector, to_checksum_address

from mockserver.domain.wallets.ownership import settle_ownership
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import AMOY, account_of
from tests.tables import cases

OUTSIDER = to_checksum_address("0x" + "ab" * 20)
ZERO_ADDRESS = "0x" + "00" * 20


def transfer(account: Account, owner: str) -> CallRecord:
    """A call that names a new owner."""
    selector = function_signature_to_4byte_selector("transferOwnership(address)")
    return CallRecord(account.address, 0, selector + encode(["address"], [owner]), {})


def accept(account: Account) -> CallRecord:
    """A call that accepts to be the owner."""
    return CallRecord(account.address, 0, function_signature_to_4byte_selector("acceptOwnership()"), {})


def now(project: Project, account: Account) -> Account:
    """The account as it is now."""
    return project.wallets.accounts[account.id]


@pytest.fixture
def account(project: Project) -> Account:
    """A smart account."""
    return account_of(project, "Simple")


def test_an_account_changes_hands_in_two_steps(project: Project, account: Account) -> None:
    owner = account_of(project, "plain", held_by="User")
    assert settle_ownership(project, AMOY, account.address, transfer(account, owner.address)) == []
    assert now(project, account).pending_owner_address == owner.address
    assert now(project, account).owner_address == account.owner_address
    assert settle_ownership(project, AMOY, owner.address, accept(account)) == [account.id]
    taken = now(project, account)
    assert (taken.owner_address, taken.pending_owner_address) == (owner.address, None)
    assert (taken.wallet_id, taken.custody, taken.signer_id) == (
        owner.wallet_id,
        owner.custody,
        owner.signer_id,
    )
    assert taken.address == account.address


def test_the_key_of_the_owner_may_name_another_too(project: Project, account: Account) -> None:
    assert account.owner_address is not None
    settle_ownership(project, AMOY, account.owner_address, transfer(account, OUTSIDER))
    assert now(project, account).pending_owner_address == OUTSIDER


def test_naming_the_zero_address_takes_an_offer_back(project: Project, account: Account) -> None:
    settle_ownership(project, AMOY, account.address, transfer(account, OUTSIDER))
    settle_ownership(project, AMOY, account.address, transfer(account, ZERO_ADDRESS))
    assert now(project, account).pending_owner_address is None
    assert settle_ownership(project, AMOY, OUTSIDER, accept(account)) == []


@cases("chain", AMOY, 84532)
def test_others_and_other_chains_change_nothing(project: Project, account: Account, chain: int) -> None:
    sender = OUTSIDER if chain == AMOY else account.address
    for call in (transfer(account, OUTSIDER), accept(account)):
        assert settle_ownership(project, chain, sender, call) == []
    assert now(project, account) == account


@cases("data", b"", b"\xf2\xfd\xe3\x8b", b"\xf2\xfd\xe3\x8b" + b"\xff" * 32, b"\1\2\3\4")
def test_what_is_no_such_call_changes_nothing(project: Project, account: Account, data: bytes) -> None:
    assert settle_ownership(project, AMOY, account.address, CallRecord(account.address, 0, data, {})) == []
    assert now(project, account) == account


def test_a_plain_or_delegated_account_has_no_owner_to_change(project: Project) -> None:
    for account in (account_of(project, "plain"), account_of(project, "CaliburV9")):
        settle_ownership(project, AMOY, account.address, transfer(account, OUTSIDER))
        assert now(project, account) == account


def test_an_owner_from_outside_becomes_a_player_with_custody(project: Project, account: Account) -> None:
    settle_ownership(project, AMOY, account.address, transfer(account, OUTSIDER))
    assert settle_ownership(project, AMOY, OUTSIDER, accept(account)) == [account.id]
    taken = now(project, account)
    assert (taken.custody, taken.signer_id, taken.backend) == ("User", None, False)
    assert project.wallets.wallets[taken.wallet_id].user_id in {row.id for row in project.identity.users}
