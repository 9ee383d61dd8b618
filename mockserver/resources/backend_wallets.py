"""Backend wallets, whose keys the service has, and the wallet secrets that authorize their use
(specification, Backend wallet, Wallet secret, Backend wallets)."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import Access, Scheme, secret_key, wallet_auth
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Hex, Id
from mockserver.domain.policies import signing
from mockserver.domain.transactions.account_changes import removal
from mockserver.domain.wallets import wallet_secrets
from mockserver.domain.wallets.accounts import accounts_with_key_of, create_eoa
from mockserver.domain.wallets.key_transfer import export_key, import_account, read_import
from mockserver.domain.wallets.keys import custody
from mockserver.domain.wallets.wallet_auth import verify_possession
from mockserver.domain.wallets.wallets import create_wallet, find_wallet
from mockserver.errors import ApiError
from mockserver.kernel.clock import to_seconds
from mockserver.kernel.secrecy import PublicKey, Secret, Token
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.state.existence import require
from mockserver.state.project import Project
from mockserver.state.wallets import Account, ChainType

backend_wallets = Group("Backend wallets")

Pem = Annotated[PublicKey, Field(min_length=1, max_length=4096)]
Jwt = Annotated[Token, Field(min_length=1, max_length=8192)]
Sealed = Annotated[Secret, Field(min_length=1, max_length=4096)]

_SIGNING_ERRORS = (errors.WALLET_AUTH_MISSING, errors.WALLET_AUTH_INVALID, errors.WALLET_SECRET_MISSING)


class CreateBackendWallet(Body):
    """A backend wallet to create, in a wallet of its own unless `wallet` names one (`pla_`)."""

    chainType: ChainType
    wallet: Id | None = None


class SignData(Body):
    """What to sign: a hash, a message with its EIP-191 prefix, a transaction, or an SVM message."""

    data: Hex
    """0x and hexadecimal digits."""


class ExportKey(Body):
    """The recipient's RSA-4096 public key: base64 of its SPKI DER."""

    encryptionKey: Sealed


class ImportKey(Body):
    """A private key, encrypted to the server's import key with RSA-OAEP and SHA-256, as base64."""

    encryptedPrivateKey: Sealed
    chainType: ChainType | None = None
    wallet: Id | None = None


class RegisterSecret(Body):
    """A public key, and a proof of possession: a token signed with its private key."""

    publicKey: Pem
    walletAuthToken: Jwt
    keyId: Id | None = None


class RevokeSecret(Body):
    """Which secret to end."""

    keyId: Id


class RotateSecrets(Body):
    """The new public key, and a proof of possession: a token signed with its private key."""

    newPublicKey: Pem
    walletAuthToken: Jwt
    newKeyId: Id | None = None


class BackendWalletAnswer(TypedDict):
    """A backend wallet, as the specification's Backend wallet."""

    object: Literal["account"]
    id: str
    address: str
    walletId: str
    chainType: ChainType
    createdAt: int


class SignatureAnswer(TypedDict):
    """A signature: r, s, v on EVM, 64 bytes of ed25519 on SVM."""

    object: Literal["signature"]
    account: str
    signature: str


class ExportedKeyAnswer(TypedDict):
    """A private key, encrypted to the recipient's public key."""

    object: Literal["exportedKey"]
    encryptedPrivateKey: Secret


class RotationAnswer(TypedDict):
    """That another secret is active now."""

    object: Literal["walletSecretRotation"]
    success: bool
    rotatedAt: int


class SecretAnswer(TypedDict):
    """A secret that was registered."""

    object: Literal["walletSecret"]
    keyId: str
    registeredAt: int


class RevocationAnswer(TypedDict):
    """A secret that was revoked."""

    object: Literal["walletSecretRevocation"]
    keyId: str
    revoked: bool
    revokedAt: int


@backend_wallets.endpoint(
    "POST /v2/accounts/backend",
    "createBackendWallet",
    wallet_auth("accounts:write"),
    errors=(*_SIGNING_ERRORS, errors.WALLET_NOT_FOUND),
)
def create_backend_wallet(call: Call[CreateBackendWallet]) -> BackendWalletAnswer:
    """Create a backend wallet with a new key."""
    body, project = call.body, call.project
    wallet = create_wallet(project) if body.wallet is None else find_wallet(project, body.wallet, "wallet")
    account = create_eoa(project, wallet, body.chainType, held_by="Developer", backend=True)
    return backend_wallet_answer(account)


@backend_wallets.endpoint(
    "DELETE /v2/accounts/backend/{id}",
    "deleteBackendWallet",
    wallet_auth("accounts:delete"),
    errors=(*_SIGNING_ERRORS, errors.ACCOUNT_NOT_FOUND),
)
def delete_backend_wallet(call: Call) -> Deleted:
    """Delete a backend wallet, its key, and the key's other accounts."""
    project = call.project
    account = _backend_account(project, call.path["id"])
    if account.account_type != "Externally Owned Account":
        raise ApiError(errors.ACCOUNT_NOT_FOUND, id=account.id)
    for row in accounts_with_key_of(project, account):
        removal.remove(project, row)
    return deletion_answer(account.id, "backendWallet")


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/{id}/sign",
    "sign",
    wallet_auth("accounts:sign"),
    errors=(*_SIGNING_ERRORS, errors.ACCOUNT_NOT_FOUND, errors.POLICY_REFUSED),
)
def sign_data(call: Call[SignData]) -> SignatureAnswer:
    """Sign with a backend wallet's key.

    On EVM, 32 bytes are signed as they are; a message with its EIP-191 prefix and a serialized unsigned
    transaction are hashed first. On SVM the bytes themselves are signed. Policies may forbid it.
    """
    project = call.project
    account = _backend_account(project, call.path["id"])
    raw = bytes.fromhex(call.body.data[2:])
    is_evm = account.chain_type == "EVM"
    signable = signing.read_evm(raw) if is_evm else signing.read_svm(raw)
    signing.require_allowed(project, account.id, signable)
    sign = custody.sign_digest if is_evm else custody.sign_message_bytes
    signature = sign(project, account, signable.payload)
    return {"object": "signature", "account": account.id, "signature": "0x" + signature.hex()}


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/register-secret",
    "registerWalletSecret",
    secret_key("api_key:write"),
    errors=(
        errors.WALLET_AUTH_INVALID,
        errors.WALLET_SECRET_ACTIVE,
        errors.WALLET_SECRET_ENDED,
        errors.WALLET_SECRET_ID_TAKEN,
    ),
)
def register_secret(call: Call[RegisterSecret]) -> SecretAnswer:
    """Register the wallet secret of a project that has none."""
    body, project = call.body, call.project
    key = wallet_secrets.read_public_key(body.publicKey, "publicKey")
    verify_possession(project, body.walletAuthToken, key, call.request)
    secret = wallet_secrets.register(project, body.publicKey, body.keyId)
    return {"object": "walletSecret", "keyId": secret.id, "registeredAt": to_seconds(secret.registered_ms)}


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/revoke-secret",
    "revokeWalletSecret",
    wallet_auth("api_key:delete"),
    errors=(*_SIGNING_ERRORS, errors.WALLET_SECRET_NOT_FOUND),
)
def revoke_secret(call: Call[RevokeSecret]) -> RevocationAnswer:
    """Revoke a wallet secret for good."""
    secret = wallet_secrets.revoke(call.project, call.body.keyId)
    ended_ms = call.now_ms if secret.ended_ms is None else secret.ended_ms
    return {
        "object": "walletSecretRevocation",
        "keyId": secret.id,
        "revoked": secret.state == "revoked",
        "revokedAt": to_seconds(ended_ms),
    }


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/rotate-secrets",
    "rotateWalletSecret",
    Access(frozenset({Scheme.SECRET_KEY}), "api_key:rotate", aal2=True),
    errors=(
        errors.AAL2_REQUIRED,
        errors.WALLET_AUTH_INVALID,
        errors.WALLET_SECRET_MISSING,
        errors.WALLET_SECRET_SAME,
        errors.WALLET_SECRET_ENDED,
        errors.WALLET_SECRET_ID_TAKEN,
    ),
)
def rotate_secrets(call: Call[RotateSecrets]) -> RotationAnswer:
    """Replace the active wallet secret, which is invalid at once."""
    body, project = call.body, call.project
    key = wallet_secrets.read_public_key(body.newPublicKey, "newPublicKey")
    verify_possession(project, body.walletAuthToken, key, call.request)
    secret = wallet_secrets.rotate(project, body.newPublicKey, body.newKeyId)
    return {"object": "walletSecretRotation", "success": True, "rotatedAt": to_seconds(secret.registered_ms)}


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/{id}/export",
    "exportPrivateKey",
    wallet_auth("accounts:export"),
    errors=(*_SIGNING_ERRORS, errors.ACCOUNT_NOT_FOUND, errors.KEY_MATERIAL_INVALID),
)
def export_private_key(call: Call[ExportKey]) -> ExportedKeyAnswer:
    """Export a backend wallet's private key, encrypted: 32 bytes on EVM, seed and public key on SVM."""
    account = _backend_account(call.project, call.path["id"])
    sealed = export_key(call.project, account, call.body.encryptionKey)
    return {"object": "exportedKey", "encryptedPrivateKey": sealed}


@backend_wallets.endpoint(
    "POST /v2/accounts/backend/import",
    "importPrivateKey",
    wallet_auth("accounts:import"),
    errors=(*_SIGNING_ERRORS, errors.WALLET_NOT_FOUND, errors.KEY_MATERIAL_INVALID, errors.ADDRESS_TAKEN),
)
def import_private_key(call: Call[ImportKey]) -> BackendWalletAnswer:
    """Create a backend wallet from a private key that is encrypted to the server's import key."""
    body, project = call.body, call.project
    key = read_import(project, body.encryptedPrivateKey, body.chainType, call.accept_leniently)
    wallet = create_wallet(project) if body.wallet is None else find_wallet(project, body.wallet, "wallet")
    return backend_wallet_answer(import_account(project, wallet, key))


def backend_wallet_answer(account: Account) -> BackendWalletAnswer:
    """A backend wallet as the API shows it."""
    return {
        "object": "account",
        "id": account.id,
        "address": account.address,
        "walletId": account.wallet_id,
        "chainType": account.chain_type,
        "createdAt": to_seconds(account.created_ms),
    }


def _backend_account(project: Project, account_id: str) -> Account:
    accounts = project.wallets.accounts
    return require(accounts, account_id, errors.ACCOUNT_NOT_FOUND, accept=lambda row: row.backend)
