"""Private keys that come and go under seal (specification, Backend wallets)."""

from mockserver import errors
from mockserver.crypto import ed25519, sealing
from mockserver.crypto.sealing import BLOB_SIZE, BadSeal
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.custody import address_of_secret, key_of, store_key
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.wallets import Account, ChainType, Wallet, key_id

_SECRET_SIZE = 32
_KEYPAIR_SIZE = 64


def export_key(project: Project, account: Account, encryption_key: str) -> str:
    """An account's private key, sealed under an RSA-4096 key, as base64.

    32 bytes for EVM; for SVM 64, the seed and the public key. ApiError with 400 for no such key, and
    with 404 when the mock does not hold the account's key.
    """
    try:
        recipient = sealing.read_public_key(encryption_key)
        key = key_of(project, account)
        if key is None:
            raise ApiError(errors.ACCOUNT_NOT_FOUND, id=account.id)
        raw = key.secret if key.chain_type == "EVM" else key.secret + ed25519.public_key(key.secret)
        return sealing.seal(raw, recipient)
    except BadSeal as error:
        raise _bad_key("encryptionKey", str(error)) from None


def unseal_import(
    project: Project, blob: str, chain_type: ChainType | None
) -> tuple[bytes, ChainType] | None:
    """The secret that was sealed for import, and the kind of chain it is for.

    None when the project is lenient and the blob is sealed under a key that nobody here holds. ApiError
    with 400 for anything that is no private key under this server's seal.
    """
    try:
        sealed = sealing.read_base64(blob)
        raw = sealing.unseal(sealed)
    except BadSeal as error:
        if project.settings.lenient_imports and _may_be_sealed(blob):
            return None
        raise _bad_key("encryptedPrivateKey", str(error)) from None
    kind: ChainType = chain_type or ("EVM" if len(raw) == _SECRET_SIZE else "SVM")
    try:
        if chain_type is None and len(raw) not in (_SECRET_SIZE, _KEYPAIR_SIZE):
            raise BadSeal(f"a key has {_SECRET_SIZE} or {_KEYPAIR_SIZE} bytes, not {len(raw)}")
        secret = _secret(raw, kind)
        address_of_secret(secret, kind)
    except ValueError as error:
        # Only our own words are shown: a library might put the key into its own.
        reason = str(error) if isinstance(error, BadSeal) else "it is out of the range of private keys"
        raise _bad_key("encryptedPrivateKey", reason) from None
    return secret, kind


def import_account(project: Project, wallet: Wallet, secret: bytes, chain_type: ChainType) -> Account:
    """The backend wallet of a private key. ApiError with 409 when there is an account at its address."""
    address = address_of_secret(secret, chain_type)
    known = project.wallets.accounts.first("address", key_id(address, chain_type))
    if known is not None:
        raise ApiError(errors.ADDRESS_TAKEN, param="encryptedPrivateKey", address=address, id=known.id)
    store_key(project, secret, chain_type)
    return create_eoa(
        project,
        wallet,
        chain_type,
        address=address,
        held_by="Developer",
        backend=True,
        param="encryptedPrivateKey",
    )


def _secret(raw: bytes, chain_type: ChainType) -> bytes:
    """The secret in what was sealed: BadSeal when its size, or the public key beside it, is wrong."""
    if chain_type == "EVM":
        if len(raw) != _SECRET_SIZE:
            raise BadSeal(f"an EVM key has {_SECRET_SIZE} bytes, not {len(raw)}")
        return raw
    if len(raw) not in (_SECRET_SIZE, _KEYPAIR_SIZE):
        raise BadSeal(f"an SVM key has {_SECRET_SIZE} or {_KEYPAIR_SIZE} bytes, not {len(raw)}")
    seed, public = raw[:_SECRET_SIZE], raw[_SECRET_SIZE:]
    if public and public != ed25519.public_key(seed):
        raise BadSeal("the second half is not the public key of the first")
    return seed


def _may_be_sealed(blob: str) -> bool:
    try:
        return len(sealing.read_base64(blob)) == BLOB_SIZE
    except BadSeal:
        return False


def _bad_key(param: str, reason: str) -> ApiError:
    return ApiError(
        errors.KEY_MATERIAL_INVALID, param=param, details={param: {"message": reason}}, reason=reason
    )
