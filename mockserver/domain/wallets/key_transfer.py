"""Export and import of encrypted private keys (specification, Backend wallets)."""

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
    """Export an account's private key, encrypted to an RSA-4096 key, as base64.

    32 bytes for EVM; for SVM 64, seed and public key. ApiError with 400 for an invalid RSA key, and
    with 404 when the mock does not have the account's key.
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
    """Decrypt a private key for import; returns it with its type of chain.

    None when the project is lenient and the ciphertext is encrypted to another server's key. ApiError
    with 400 for anything else that is not a private key encrypted to this server's import key.
    """
    sealed = b""
    try:
        sealed = sealing.read_base64(blob)
        raw = sealing.unseal(sealed)
    except BadSeal as error:
        if project.settings.lenient_imports and len(sealed) == BLOB_SIZE:
            return None
        raise _bad_key("encryptedPrivateKey", str(error)) from None
    kind: ChainType = chain_type or ("EVM" if len(raw) == _SECRET_SIZE else "SVM")
    try:
        if chain_type is None and len(raw) not in (_SECRET_SIZE, _KEYPAIR_SIZE):
            raise BadSeal(f"a key has {_SECRET_SIZE} or {_KEYPAIR_SIZE} bytes, not {len(raw)}")
        secret = _secret(raw, kind)
        address_of_secret(secret, kind)
    except ValueError as error:
        # Do not show a library's message, which might contain the key.
        reason = str(error) if isinstance(error, BadSeal) else "it is out of the range of private keys"
        raise _bad_key("encryptedPrivateKey", reason) from None
    return secret, kind


def import_account(project: Project, wallet: Wallet, secret: bytes, chain_type: ChainType) -> Account:
    """Create the backend wallet of a private key. ApiError with 409 when its address has an account."""
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
    """The secret in decrypted bytes; BadSeal for a wrong size, or a public key that does not fit."""
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


def _bad_key(param: str, reason: str) -> ApiError:
    return ApiError(
        errors.KEY_MATERIAL_INVALID, param=param, details={param: {"message": reason}}, reason=reason
    )
