"""Keys that the mock mints, against the libraries that did not."""

import pytest
from eth_account import Account as EthAccount
from eth_utils import keccak

from mockserver.domain.transactions.account_changes.removal import remove
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.keys import custody
from mockserver.domain.wallets.keys.private_keys import read_private_key
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.world import World


def test_keys_repeat_with_the_seed_and_never_within_a_project() -> None:
    minted = []
    for _ in range(2):
        project = World(seed="again").create(name="tests")
        minted.append(
            [custody.generate_key(project, kind)[0].secret for kind in ("EVM", "EVM", "SVM", "SVM")]
        )
    assert minted[0] == minted[1]
    assert len(set(minted[0])) == 4


def test_the_keys_of_a_project_are_not_those_of_another() -> None:
    world = World()
    first, second = (custody.generate_key(world.create(name=name), "EVM")[1] for name in ("one", "two"))
    assert first != second


def test_an_address_whose_key_is_elsewhere_cannot_be_signed_for(project: Project) -> None:
    elsewhere = EthAccount.from_key(keccak(b"elsewhere")).address
    account = create_eoa(project, create_wallet(project), "EVM", address=elsewhere)
    assert custody.key_of(project, account) is None
    with pytest.raises(ValueError, match=account.id):
        custody.sign_digest(project, account, bytes(32))


def test_the_wrong_kind_of_signature_is_a_mistake_of_the_caller(project: Project) -> None:
    wallet = create_wallet(project)
    with pytest.raises(ValueError, match="not an SVM one"):
        custody.sign_message_bytes(project, create_eoa(project, wallet, "EVM"), b"")
    with pytest.raises(ValueError, match="not an EVM one"):
        custody.sign_digest(project, create_eoa(project, wallet, "SVM"), bytes(32))


def test_a_key_that_is_held_already_is_held_once(project: Project) -> None:
    secret = keccak(b"held")
    assert custody.store_key(project, secret, "EVM") is custody.store_key(project, secret, "EVM")
    assert len(project.wallets.keys) == 1


def test_a_secret_out_of_range_is_no_key(project: Project) -> None:
    for secret in (bytes(32), b"\xff" * 32, b"short"):
        with pytest.raises(ValueError, match="secret"):
            custody.store_key(project, secret, "EVM")


def test_a_key_does_not_show_its_secret(project: Project) -> None:
    held, _ = custody.generate_key(project, "EVM")
    for key in (held, read_private_key(held.secret, "EVM")):
        assert key.secret.hex() not in repr(key)
        assert repr(key.secret) not in repr(key)


def test_a_key_goes_with_the_last_account_that_needs_it(project: Project) -> None:
    wallet = create_wallet(project)
    first = create_eoa(project, wallet, "EVM", chain_id=80002)
    second = create_eoa(project, wallet, "EVM", chain_id=84532, address=first.address)
    remove(project, first)
    assert custody.key_of(project, second) is not None
    remove(project, second)
    assert len(project.wallets.keys) == 0
