"""Private keys that come and go under seal."""

import pytest
from eth_keys import keys

from mockserver import errors
from mockserver.crypto.sealing import import_public_der
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.key_transfer import export_key
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.errors import ApiError
from mockserver.state.project import Project

SECRET = bytes(range(1, 33))
PUBLIC = import_public_der()


def test_a_key_that_is_elsewhere_is_not_exported(project: Project) -> None:
    address = keys.PrivateKey(SECRET).public_key.to_checksum_address()
    account = create_eoa(project, create_wallet(project), "EVM", address=address)
    with pytest.raises(ApiError) as refused:
        export_key(project, account, PUBLIC)
    assert refused.value.row == errors.ACCOUNT_NOT_FOUND
