"""Wallet secrets: the P-256 keys that sign `X-Wallet-Auth` (specification, Wallet secret)."""

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from mockserver import errors
from mockserver.crypto import p256
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.machine import Machine, Transition
from mockserver.state.existence import require
from mockserver.state.project import Project
from mockserver.state.wallets import DEFAULT_KEY_ID, WalletSecret

LIFECYCLE = Machine(
    "Wallet secret",
    initial=["active"],
    terminal=["revoked"],
    transitions=[
        Transition("active", "rotate", "rotated"),
        Transition("active", "revoke", "revoked"),
        Transition("rotated", "revoke", "revoked"),
    ],
)


def active_secret(project: Project) -> WalletSecret | None:
    """The project's one active secret, or None."""
    return project.wallets.secrets.first("state", "active")


def read_public_key(pem: str, param: str) -> EllipticCurvePublicKey:
    """The key of a PEM text. ApiError with 400 unless it is a P-256 public key."""
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, UnsupportedAlgorithm):
        raise wrong_field(param, "it is not a public key in PEM.") from None
    if not isinstance(key, EllipticCurvePublicKey) or not isinstance(key.curve, SECP256R1):
        raise wrong_field(param, "it is not a key on the curve P-256.")
    return key


def register(project: Project, public_key_pem: str, key_id: str | None = None) -> WalletSecret:
    """Make a key the active secret. ApiError with 400 for no P-256 key, 409 when one is active already.

    An id is generated unless given. A key, or an id, that was used before is ApiError with 409: a
    stolen and revoked secret must not become valid by registering it again.
    """
    key = read_public_key(public_key_pem, "publicKey")
    active = active_secret(project)
    if active is not None:
        raise ApiError(errors.WALLET_SECRET_ACTIVE, param="publicKey", id=active.id)
    return _insert(project, p256.public_pem(key), key_id, "publicKey", "keyId")


def revoke(project: Project, key_id: str) -> WalletSecret:
    """Revoke a secret, idempotently. ApiError with 404."""
    secret = require(project.wallets.secrets, key_id, errors.WALLET_SECRET_NOT_FOUND, "keyId")
    return _end(project, secret, "revoke")


def rotate(project: Project, public_key_pem: str, new_key_id: str | None = None) -> WalletSecret:
    """Replace the active secret, which is invalid at once.

    ApiError with 401 when no secret is active, 400 for no P-256 key, and 409 for an id or a key that
    was used before.
    """
    key = read_public_key(public_key_pem, "newPublicKey")
    active = active_secret(project)
    if active is None:
        raise ApiError(errors.WALLET_SECRET_MISSING)
    if active.public_key_pem == p256.public_pem(key):
        raise ApiError(errors.WALLET_SECRET_SAME, param="newPublicKey", id=active.id)
    secret = _insert(project, p256.public_pem(key), new_key_id, "newPublicKey", "newKeyId")
    _end(project, active, "rotate")
    return secret


def default_secret(project: Project) -> str:
    """A wallet secret that works from the start: base64 of its PKCS#8, as clients take it.

    It is derived from the project's seed. Its public key is registered, unless it was before or another
    secret is active.
    """
    key = p256.private_key_from_seed(project.entropy.derive("wallet_secret", 48))
    pem, secrets = p256.public_pem(key), project.wallets.secrets
    was_used = DEFAULT_KEY_ID in secrets or secrets.first("public_key_pem", pem) is not None
    if not was_used and active_secret(project) is None:
        register(project, pem, DEFAULT_KEY_ID)
        # No call asked for the registration, so the rollback of a rejected call must not revert it.
        project.undo.mark()
    return p256.pkcs8_base64(key)


def _insert(project: Project, pem: str, key_id: str | None, key_param: str, id_param: str) -> WalletSecret:
    """Store a secret. ApiError with 409 for a key, or an id, that was used before."""
    secrets = project.wallets.secrets
    known = secrets.first("public_key_pem", pem)
    if known is not None:
        raise ApiError(errors.WALLET_SECRET_ENDED, param=key_param, id=known.id, state=known.state)
    if key_id in secrets:
        raise ApiError(errors.WALLET_SECRET_ID_TAKEN, param=id_param, id=key_id)
    secret_id = key_id or project.new_id("ws")
    return secrets.insert(WalletSecret(secret_id, pem, registered_ms=project.clock.now_ms))


def _end(project: Project, secret: WalletSecret, event: str) -> WalletSecret:
    """Apply an event of the lifecycle; an event that does not apply in its state is ignored."""
    target = LIFECYCLE.targets.get((secret.state, event))
    if target is None:
        return secret
    return project.wallets.secrets.replace(secret._replace(state=target, ended_ms=project.clock.now_ms))
