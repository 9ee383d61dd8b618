"""Accounts that a signed-in user creates or imports, and signs with."""

from mockserver import errors
from mockserver.chain.base58 import base58_encode
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.keys.custody import (
    key_of,
    portable_bytes,
    sign_digest,
    sign_message_bytes,
    store_key,
)
from mockserver.domain.wallets.keys.private_keys import PrivateKey
from mockserver.domain.wallets.pregeneration import AccountSpec, build_on
from mockserver.domain.wallets.selectors import find_account
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_DIGEST_SIZE = 32


def create_embedded(project: Project, user: User, want: AccountSpec, key: PrivateKey | None) -> Account:
    """Create an account of a user with a new key, or with an imported one.

    ApiError with 409 when an imported key signs for an account already.
    """
    address = None
    if key is not None:
        store_key(project, key.secret, key.chain_type, imported=True)
        address = key.address
    wallet, is_eoa = wallet_of_user(project, user), want.account_type == "Externally Owned Account"
    owner = create_eoa(
        project,
        wallet,
        want.chain_type,
        address=address,
        chain_id=want.chain_id if is_eoa else None,
        param="privateKey",
    )
    if is_eoa:
        return owner
    account = build_on(project, owner, want)
    # The client lists what its user created, and the owner of a contract is no account of its own.
    project.wallets.accounts.remove(owner.id)
    return account


def find_embedded(project: Project, account_id: str, user: User) -> Account:
    """An account in a user's own custody. ApiError with 404 for another one, and without its key."""
    account = find_account(project, account_id, user, "account")
    if account.custody != "User" or key_of(project, account) is None:
        raise ApiError(errors.ACCOUNT_NOT_FOUND, param="account", id=account.id)
    return account


def sign_embedded(project: Project, account: Account, raw: bytes, *, as_personal_message: bool) -> str:
    """Sign with the key of an account: r, s, v in hex for EVM, base58 for SVM.

    The bytes are signed as they are, which has to be a digest of 32 for EVM, or their digest as a personal
    message (EIP-191).
    """
    if as_personal_message:
        raw = personal_message_digest(raw)
    if account.chain_type == "SVM":
        return base58_encode(sign_message_bytes(project, account, raw))
    if len(raw) != _DIGEST_SIZE:
        raise wrong_field("message", f"must be {_DIGEST_SIZE} bytes, the digest to sign")
    return "0x" + sign_digest(project, account, raw).hex()


def export_embedded(project: Project, account: Account) -> str:
    """The private key of an account: hex for EVM, the base58 of seed and public key for SVM."""
    key = key_of(project, account)
    assert key is not None, f"the key of {account.id} is not held here"
    raw = portable_bytes(key)
    return "0x" + raw.hex() if key.chain_type == "EVM" else base58_encode(raw)
