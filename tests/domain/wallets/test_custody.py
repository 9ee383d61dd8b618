"""Keys that the mock mints, against the libraries that did not."""

import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from eth_keys import keys
from eth_utils import keccak
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.domain.wallets.accounts import create_eoa, remove_account
from mockserver.domain.wallets.keys import custody
from mockserver.domain.wallets.keys.private_keys import read_private_key
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.world import World


def test_an_evm_key_has_the_address_that_eth_account_derives(project: Project) -> None:
    for _ in range(3):
        key, address = custody.generate_key(project, "EVM")
        assert EthAccount.from_key(key.secret).address == address
        assert key.id == address.lower()


def test_an_svm_key_has_the_address_that_solders_derives(project: Project) -> None:
    key, address = custody.generate_key(project, "SVM")
    assert str(Keypair.from_seed(key.secret).pubkey()) == address
    assert key.id == address


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


def test_a_digest_is_signed_by_the_account(project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "EVM")
    digest = keccak(b"anything")
    raw = custody.sign_digest(project, account, digest)
    assert len(raw) == 65
    assert raw[64] in (27, 28)
    signature = keys.Signature(raw[:64] + bytes([raw[64] - 27]))
    assert signature.recover_public_key_from_msg_hash(digest).to_checksum_address() == account.address


def test_a_message_is_recovered_by_eth_account(project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "EVM")
    digest = keccak(b"\x19Ethereum Signed Message:\n5hello")
    raw = custody.sign_digest(project, account, digest)
    assert EthAccount.recover_message(encode_defunct(text="hello"), signature=raw) == account.address


def test_svm_bytes_are_signed_by_the_account(project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "SVM")
    raw = custody.sign_message_bytes(project, account, b"hello")
    public_key = Pubkey.from_string(account.address)
    assert Signature.from_bytes(raw).verify(public_key, b"hello")
    assert not Signature.from_bytes(raw).verify(public_key, b"hullo")


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
    remove_account(project, first)
    assert custody.key_of(project, second) is not None
    remove_account(project, second)
    assert len(project.wallets.keys) == 0
