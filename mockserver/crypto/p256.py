"""P-256 keys of wallet secrets and access tokens, made from a seed and written as PKCS#8, SPKI and JWK."""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from typing import Final

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
)

from mockserver.crypto import base64url

_FIELD: Final = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def private_key_from_seed(seed: bytes) -> ec.EllipticCurvePrivateKey:
    """Return the key of a 48-byte seed; ValueError for another length.

    The seed is reduced into 1 to n - 1; its 16 bytes to spare keep the bias under 2^-128 (FIPS 186-5, A.2.1).
    """
    if len(seed) != 48:
        raise ValueError(f"a seed is 48 bytes long, not {len(seed)}")
    return ec.derive_private_key(int.from_bytes(seed, "big") % (_ORDER - 1) + 1, ec.SECP256R1())


def pkcs8_base64(key: ec.EllipticCurvePrivateKey) -> str:
    """Return the private key as one line: base64 of PKCS#8 DER, unencrypted."""
    return b64encode(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())).decode()


def read_pkcs8(text: str) -> ec.EllipticCurvePrivateKey:
    """Return the key that `pkcs8_base64` wrote; ValueError for anything else."""
    key = load_der_private_key(b64decode(text), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        raise ValueError("this is no P-256 key")
    return key


def public_pem(key: ec.EllipticCurvePrivateKey | ec.EllipticCurvePublicKey) -> str:
    """Return the public key, or the public half of a private key, as SPKI in PEM."""
    public = key.public_key() if isinstance(key, ec.EllipticCurvePrivateKey) else key
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def jwk(public_key: ec.EllipticCurvePublicKey) -> dict[str, str]:
    """Return the JWK of a key for ES256 signatures; `kid` is its thumbprint of 43 characters (RFC 7638)."""
    numbers = public_key.public_numbers()
    required = {
        "crv": "P-256",
        "kty": "EC",
        "x": base64url.encode(numbers.x.to_bytes(32, "big")),
        "y": base64url.encode(numbers.y.to_bytes(32, "big")),
    }
    thumbprint = hashlib.sha256(orjson.dumps(required, option=orjson.OPT_SORT_KEYS)).digest()
    return required | {"kid": base64url.encode(thumbprint), "use": "sig", "alg": "ES256"}


def verify_digest(digest: bytes, r: int, s: int, x: int, y: int) -> bool:
    """Whether r, s is the signature of a 32-byte digest by the key with this point; s may be high."""
    if max(x, y) >= _FIELD:
        return False
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        key.verify(encode_dss_signature(r, s), digest, ec.ECDSA(Prehashed(SHA256())))
    except (ValueError, InvalidSignature):
        # No such point, or numbers that are out of range, are no signature either.
        return False
    return True
