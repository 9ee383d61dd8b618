"""Sets of public keys (RFC 7517), and whether one of them signed a token (RFC 7515)."""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, SHA512, HashAlgorithm

from mockserver.crypto import base64url
from mockserver.crypto.tokens import BadToken, peek

Jwk = Mapping[str, Any]
Key = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | bytes

_HASHES: Final[Mapping[str, HashAlgorithm]] = {"256": SHA256(), "384": SHA384(), "512": SHA512()}
_CURVES: Final[Mapping[str, tuple[str, ec.EllipticCurve]]] = {
    "P-256": ("ES256", ec.SECP256R1()),
    "P-384": ("ES384", ec.SECP384R1()),
    "P-521": ("ES512", ec.SECP521R1()),
}
_FAMILIES: Final[Mapping[str, frozenset[str]]] = {
    "RSA": frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    "OKP": frozenset({"EdDSA"}),
    "oct": frozenset({"HS256", "HS384", "HS512"}),
}


def require_keys(keys: Sequence[Jwk]) -> Sequence[Jwk]:
    """The keys, if each is a public key or a shared secret that can verify; ValueError otherwise."""
    for place, key in enumerate(keys):
        try:
            _read_key(key)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(f"keys[{place}] is no key that verifies signatures: {reason}") from None
    return keys


def read_signed(token: str, keys: Sequence[Jwk]) -> dict[str, Any]:
    """The claims of a token that one of the keys signed; BadToken otherwise.

    A key counts when its type takes the token's algorithm, its own `alg` is no other, and its `kid` is
    the token's or one of them has none. RSA, P-256, P-384, P-521, Ed25519 and shared secrets are known.
    """
    header, claims = peek(token)
    if "crit" in header:
        raise BadToken("the header has critical extensions, and none is understood")
    algorithm, kid = header.get("alg"), header.get("kid")
    fitting = [key for key in keys if _fits(key, algorithm, kid)]
    if not fitting:
        raise BadToken(f"no key of the set fits the algorithm {str(algorithm)[:20]} and the key id")
    text, _, last = token.rpartition(".")
    signed, signature = text.encode(), base64url.decode(last)
    if not any(_verifies(_read_key(key), str(algorithm), signed, signature) for key in fitting):
        raise BadToken("the signature is wrong")
    return claims


def _fits(key: Jwk, algorithm: object, kid: object) -> bool:
    if key.get("alg", algorithm) != algorithm:
        return False
    takes = {_CURVES[key["crv"]][0]} if key["kty"] == "EC" else _FAMILIES[key["kty"]]
    return algorithm in takes and (kid is None or key.get("kid") in (None, kid))


def _read_key(key: Jwk) -> Key:
    kind = key["kty"]
    if kind == "RSA":
        return rsa.RSAPublicNumbers(_number(key["e"]), _number(key["n"])).public_key()
    if kind == "EC":
        if key["crv"] not in _CURVES:
            raise ValueError(f"the curve {key['crv']} is not known")
        curve = _CURVES[key["crv"]][1]
        return ec.EllipticCurvePublicNumbers(_number(key["x"]), _number(key["y"]), curve).public_key()
    if kind == "OKP":
        if key["crv"] != "Ed25519":
            raise ValueError(f"the curve {key['crv']} is not known")
        return ed25519.Ed25519PublicKey.from_public_bytes(base64url.decode(key["x"]))
    if kind == "oct":
        return base64url.decode(key["k"])
    raise ValueError(f"the key type {kind} is not known")


def _verifies(key: Key, algorithm: str, signed: bytes, signature: bytes) -> bool:
    digest = _HASHES.get(algorithm[2:], SHA512())
    if isinstance(key, bytes):
        return hmac.compare_digest(hmac.digest(key, signed, digest.name), signature)
    try:
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, signed)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            size = (key.curve.key_size + 7) // 8
            if len(signature) != 2 * size:
                return False
            r, s = int.from_bytes(signature[:size], "big"), int.from_bytes(signature[size:], "big")
            key.verify(encode_dss_signature(r, s), signed, ec.ECDSA(digest))
        elif algorithm.startswith("PS"):
            key.verify(signature, signed, padding.PSS(padding.MGF1(digest), digest.digest_size), digest)
        else:
            key.verify(signature, signed, padding.PKCS1v15(), digest)
    except InvalidSignature:
        return False
    return True


def _number(text: str) -> int:
    return int.from_bytes(base64url.decode(text), "big")
