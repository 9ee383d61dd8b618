"""Export and import of encrypted private keys (specification, Backend wallets)."""

from collections.abc import Sequence

from mockserver import errors, leniencies
from mockserver.crypto import sealing
from mockserver.crypto.sealing import BLOB_SIZE, SEED_SIZE, BadSeal
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.keys.custody import generate_key, key_of, portable_bytes, store_key
from mockserver.domain.wallets.keys.private_keys import BadKey, PrivateKey, read_private_key
from mockserver.errors import ApiError
from mockserver.leniencies import Accept
from mockserver.state.project import Project
from mockserver.state.wallets import Account, ChainType, Key, Wallet, key_id


def export_key(project: Project, account: Account, encryption_key: str) -> str:
    """Export an account's private key, encrypted to an RSA-4096 key, as base64.

    32 bytes for EVM; for SVM 64, seed and public key. ApiError with 400 for an invalid RSA key, and
    with 404 when the mock does not have the account's key.
    """
    try:
        recipient = sealing.read_public_key(encryption_key)
        key = key_of(project, account)
        if key is None:
            raise ApiError(errors.ACCOUNT_NOT_FOUND, id=account.id)
        return sealing.seal(portable_bytes(key), recipient, project.entropy.draw("seal", SEED_SIZE))
    except BadSeal as error:
        raise _bad_key("encryptionKey", str(error)) from None


def read_import(project: Project, blob: str, chain_type: ChainType | None, accept: Accept) -> PrivateKey:
    """The private key of an import.

    Official clients encrypt to the real service's import key, whose private half only the service has.
    For theirs the key is the next that was announced, or else a new one: a leniency for
    `accept`. ApiError with 400
    for anything else that is not a private key encrypted to this server's import key.
    """
    sealed = b""
    try:
        sealed = sealing.read_base64(blob)
        return read_private_key(sealing.unseal(sealed), chain_type)
    except BadKey as error:
        raise _bad_key("encryptedPrivateKey", str(error)) from None
    except BadSeal as error:
        if len(sealed) != BLOB_SIZE:
            raise _bad_key("encryptedPrivateKey", str(error)) from None
    accept(leniencies.IMPORT_FOR_THE_SERVICE, None)
    announced = _take_announced_key(project, chain_type)
    if announced is not None:
        return announced
    key, _ = generate_key(project, chain_type or "EVM")
    return read_private_key(key.secret, key.chain_type)


def import_account(project: Project, wallet: Wallet, key: PrivateKey) -> Account:
    """Create the backend wallet of a private key. ApiError with 409 when its address has an account."""
    known = project.wallets.accounts.first("address", key_id(key.address, key.chain_type))
    if known is not None:
        raise ApiError(errors.ADDRESS_TAKEN, param="encryptedPrivateKey", address=key.address, id=known.id)
    store_key(project, key.secret, key.chain_type, imported=True)
    return create_eoa(
        project,
        wallet,
        key.chain_type,
        address=key.address,
        held_by="Developer",
        backend=True,
        param="encryptedPrivateKey",
    )


def announce_keys(project: Project, keys: Sequence[PrivateKey]) -> None:
    """Announce the keys of the next imports that clients encrypt to the real service's import key."""
    announced = project.wallets.announced_keys
    for row in list(announced):
        announced.remove(row.id)
    for key in keys:
        announced.insert(Key(key_id(key.address, key.chain_type), key.chain_type, key.secret, imported=True))


def _take_announced_key(project: Project, chain_type: ChainType | None) -> PrivateKey | None:
    """The next announced key, of a type of chain if one is given; None without any."""
    announced = project.wallets.announced_keys
    row = next((row for row in announced if chain_type in (None, row.chain_type)), None)
    if row is None:
        return None
    announced.remove(row.id)
    return read_private_key(row.secret, row.chain_type)


def _bad_key(param: str, reason: str) -> ApiError:
    return ApiError(
        errors.KEY_MATERIAL_INVALID, param=param, details={param: {"message": reason}}, reason=reason
    )
