"""The curve secp256k1 by libsecp256k1: in C, where the package coincurve is installed (the extra `fast`).

It has the bytes of `secp256k1`, which reads what is given to it and is the one that uses it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coincurve import PrivateKey


@cache
def is_installed() -> bool:
    """Whether coincurve is there; it is imported."""
    try:
        import coincurve  # noqa: F401
    except ImportError:
        return False
    return True


def public_key(secret: bytes) -> bytes:
    """Return the 64 bytes x, y of the public key of a secret from 1 to N - 1."""
    encoded: bytes = _key(secret).public_key.format(compressed=False)
    return encoded[1:]


def sign(secret: bytes, reduced_digest: bytes) -> bytes:
    """Sign a digest modulo N, as RFC 6979 reduces it and libsecp256k1 does not: r, s, parity of y."""
    signature: bytes = _key(secret).sign_recoverable(reduced_digest, hasher=None)
    return signature


def recover(digest: bytes, signature: bytes) -> bytes | None:
    """Return the 64-byte key of a signature (r, s, parity of y), or None where no key can have made it."""
    from coincurve import PublicKey

    try:
        key = PublicKey.from_signature_and_message(signature, digest, hasher=None)
    except ValueError:
        return None
    encoded: bytes = key.format(compressed=False)
    return encoded[1:]


@lru_cache(maxsize=256)
def _key(secret: bytes) -> PrivateKey:
    # Making one takes two multiplications, signing with it one; and the same accounts sign again and again.
    from coincurve import PrivateKey

    return PrivateKey(secret)
