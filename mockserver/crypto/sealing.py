"""Encryption of exported and imported private keys: RSA-OAEP with SHA-256 and MGF1 with SHA-256 (RFC
8017, specification, Backend wallets).

The import key is part of the package, private key included, and is the same everywhere. It protects
nothing: every user of the package can decrypt what is encrypted to it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import cache
from hashlib import sha256
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_der_public_key,
    load_pem_private_key,
)

KEY_BITS: Final = 4096

BLOB_SIZE: Final = KEY_BITS // 8
"""The size in bytes of every ciphertext: that of the key's modulus."""

SEED_SIZE: Final = 32
"""The size in bytes of the seed of OAEP: that of the hash."""

_NO_SPKI: Final = "it is not the base64 of a public key as SPKI DER"


class BadSeal(ValueError):
    """A text is not a valid ciphertext, or is encrypted to another key."""


def read_base64(text: str) -> bytes:
    """The bytes of standard base64 with its padding; BadSeal for anything else."""
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise BadSeal("it is not base64") from None


def read_public_key(text: str) -> RSAPublicKey:
    """The RSA-4096 public key of a base64-encoded SPKI DER; BadSeal for anything else."""
    try:
        raw = read_base64(text)
        key = load_der_public_key(raw)
    except (BadSeal, UnsupportedAlgorithm, ValueError):
        raise BadSeal(_NO_SPKI) from None
    if not isinstance(key, RSAPublicKey) or key.key_size != KEY_BITS:
        raise BadSeal(f"it is not an RSA key of {KEY_BITS} bits")
    # The library also accepts a bare PKCS #1 key, which is not SPKI.
    if key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) != raw:
        raise BadSeal(_NO_SPKI)
    return key


def seal(raw: bytes, key: RSAPublicKey, seed: bytes) -> str:
    """Encrypt bytes to a public key, as base64. OAEP takes a seed of 32 random bytes.

    BadSeal for a well-formed key that cannot encrypt, such as one with an even modulus.
    """
    try:
        # The library draws the seed itself, and a run would never repeat. It still judges the key.
        key.encrypt(b"", _padding())
    except ValueError:
        raise BadSeal("it is no RSA key that seals anything: mind its modulus and its exponent") from None
    numbers = key.public_numbers()
    sealed = pow(int.from_bytes(_encode(raw, seed), "big"), numbers.e, numbers.n)
    return b64encode(sealed.to_bytes(BLOB_SIZE, "big")).decode()


def _encode(raw: bytes, seed: bytes) -> bytes:
    """Encode a message for encryption (RFC 8017, 7.1.1, EME-OAEP), with an empty label."""
    padding = bytes(BLOB_SIZE - len(raw) - 2 * SEED_SIZE - 2)
    block = sha256(b"").digest() + padding + b"\1" + raw
    masked = _xor(block, _mask(seed, len(block)))
    return b"\0" + _xor(seed, _mask(masked, SEED_SIZE)) + masked


def _mask(seed: bytes, size: int) -> bytes:
    """The mask of a seed (RFC 8017, B.2.1, MGF1)."""
    count = -(-size // SEED_SIZE)
    return b"".join(sha256(seed + number.to_bytes(4, "big")).digest() for number in range(count))[:size]


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def unseal(blob: bytes) -> bytes:
    """Decrypt with the import key; BadSeal when it does not fit."""
    if len(blob) != BLOB_SIZE:
        raise BadSeal(f"it has {len(blob)} bytes, not {BLOB_SIZE}")
    # OpenSSL's error does not tell a wrong key from damaged padding (Manger's attack), and neither does ours.
    try:
        return import_key().decrypt(blob, _padding())
    except ValueError:
        raise BadSeal("it is not sealed under this server's import key") from None


@cache
def import_key() -> RSAPrivateKey:
    """The published private key that imports are encrypted to."""
    from importlib.resources import files

    pem = files("mockserver.crypto").joinpath("import_key.pem").read_bytes()
    # Validating the key takes a third of a second, and this one is known to be valid.
    key = load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
    assert isinstance(key, RSAPrivateKey)
    return key


def import_public_der() -> str:
    """The public key as base64 of its SPKI DER, on one line, as clients configure it."""
    public = import_key().public_key()
    return b64encode(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


def import_public_pem() -> str:
    """The public key as PEM."""
    public = import_key().public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def _padding() -> OAEP:
    return OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)
