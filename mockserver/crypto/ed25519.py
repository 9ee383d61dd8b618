"""Ed25519 signatures (RFC 8032), the curve of Solana."""

from __future__ import annotations


def public_key(seed: bytes) -> bytes:
    """Return the 32-byte public key of a 32-byte seed; ValueError for another length."""
    # Here and below imported on first use: most accounts are those of EVM chains.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64-byte signature of the message; ValueError unless the seed is 32 bytes long."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the signature is right; a key or a signature of the wrong form makes it wrong."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
