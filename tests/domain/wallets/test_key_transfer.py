"""Private keys that come and go under seal."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from eth_keys import keys
from solders.keypair import Keypair

from mockserver import errors
from mockserver.crypto.sealing import import_public_der, read_base64, seal, unseal
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.key_transfer import export_key, import_account, read_import
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.leniencies import refuse
from mockserver.state.project import Project
from mockserver.state.wallets import ChainType
from tests.tables import cases

SECRET = bytes(range(1, 33))
PUBLIC = import_public_der()


def sealed(raw: bytes) -> str:
    """What only this server can open."""
    key = load_der_public_key(read_base64(PUBLIC))
    assert isinstance(key, RSAPublicKey)
    return seal(raw, key, bytes(32))


def test_an_evm_key_goes_and_comes_back(project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    raw = unseal(read_base64(export_key(project, account, PUBLIC)))
    assert keys.PrivateKey(raw).public_key.to_checksum_address() == account.address
    assert read_import(project, sealed(raw), None, refuse)[:2] == ("EVM", raw)


def test_an_svm_key_goes_with_its_public_half(project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "SVM", held_by="Developer")
    raw = unseal(read_base64(export_key(project, account, PUBLIC)))
    assert str(Keypair.from_bytes(raw).pubkey()) == account.address
    assert read_import(project, sealed(raw), None, refuse)[:2] == ("SVM", raw[:32])
    assert read_import(project, sealed(raw[:32]), "SVM", refuse)[:2] == ("SVM", raw[:32])


def test_a_key_that_is_elsewhere_is_not_exported(project: Project) -> None:
    address = keys.PrivateKey(SECRET).public_key.to_checksum_address()
    account = create_eoa(project, create_wallet(project), "EVM", address=address)
    with pytest.raises(ApiError) as refused:
        export_key(project, account, PUBLIC)
    assert refused.value.row == errors.ACCOUNT_NOT_FOUND


@cases("key", "", "not base64", b64encode(b"no key").decode())
def test_what_is_no_key_to_seal_under_is_refused(project: Project, key: str) -> None:
    account = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    with pytest.raises(ApiError) as refused:
        export_key(project, account, key)
    assert (refused.value.row, refused.value.param) == (errors.KEY_MATERIAL_INVALID, "encryptionKey")


@cases(
    "raw, chain_type",
    (b"", None),
    (SECRET + b"\0", None),
    (SECRET * 2, None),
    (SECRET * 2, "EVM"),
    (SECRET[:31], "SVM"),
    (bytes(32), "EVM"),
    (b"\xff" * 32, "EVM"),
)
def test_what_is_no_private_key_is_refused_and_never_shown(
    project: Project, raw: bytes, chain_type: ChainType | None
) -> None:
    with pytest.raises(ApiError) as refused:
        read_import(project, sealed(raw), chain_type, refuse)
    assert refused.value.row == errors.KEY_MATERIAL_INVALID
    assert not raw or raw.hex() not in refused.value.message


def test_a_key_is_imported_once(project: Project) -> None:
    key = read_import(project, sealed(SECRET), "EVM", refuse)
    account = import_account(project, create_wallet(project), key)
    assert account.address == keys.PrivateKey(SECRET).public_key.to_checksum_address()
    assert (account.custody, account.backend) == ("Developer", True)
    with pytest.raises(ApiError) as refused:
        import_account(project, create_wallet(project), key)
    assert refused.value.row == errors.ADDRESS_TAKEN
