"""Sets of public keys (RFC 7517), and whether one of them signed a token (RFC 7515)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mockserver.crypto import base64url
from mockserver.crypto.tokens import BadToken, peek

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
    from jwt.algorithms import Algorithm

    Key = rsa.RSAPublicKey | ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | bytes

Jwk = Mapping[str, Any]

_CURVES: Final = {
    "P-256": ("ES256", "SECP256R1"),
    "P-384": ("ES384", "SECP384R1"),
    "P-521": ("ES512", "SECP521R1"),
}
"""By their names the algorithms of curves, and what the library calls them."""
_FAMILIES: Final[Mapping[str, Sequence[str]]] = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "OKP": ("EdDSA",),
    "oct": ("HS256", "HS384", "HS512"),
}

_MOST_RSA_BITS: Final = 4096
_MOST_RSA_EXPONENT: Final = 2**32 - 1
"""Larger ones take milliseconds for each signature, and are in no provider's key set."""
_MOST_SHOWN: Final = 80


def require_keys(keys: Sequence[Jwk]) -> Sequence[Jwk]:
    """The keys, if each is a public key or a shared secret that can verify; ValueError otherwise."""
    for place, key in enumerate(keys):
        try:
            _read_key(key)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise ValueError(
                f"keys[{place}] is no key that verifies signatures: {reason[:_MOST_SHOWN]}"
            ) from None
    return keys


def read_signed(token: str, keys: Sequence[Jwk]) -> dict[str, Any]:
    """The claims of a token that one of the keys signed; BadToken otherwise.

    A key is tried if its type fits the token's algorithm, its `alg` is the same or absent, and its
    `kid` is the token's or one of them has none. RSA of up to 4096 bits, P-256, P-384, P-521, Ed25519 and
    shared secrets are known.
    """
    header, claims = peek(token)
    if "crit" in header:
        raise BadToken("the header has critical extensions, and none is understood")
    algorithm, kid = header.get("alg"), header.get("kid")
    fitting = [key for key in keys if _is_candidate(key, algorithm, kid)]
    if not fitting:
        raise BadToken(f"no key of the set fits the algorithm {str(algorithm)[:20]} and the key id")
    text, _, last = token.rpartition(".")
    signed, signature = text.encode(), base64url.decode(last)
    verifier = _algorithm(str(algorithm))
    if not any(_verifies(verifier, signed, _read_key(key), signature) for key in fitting):
        raise BadToken("the signature is wrong")
    return claims


def _verifies(verifier: Algorithm, signed: bytes, key: Key, signature: bytes) -> bool:
    try:
        return verifier.verify(signed, key, signature)
    except ValueError:
        # An RSA key that is too short for the digest of the algorithm.
        return False


def _is_candidate(key: Jwk, algorithm: object, kid: object) -> bool:
    if key.get("alg", algorithm) != algorithm:
        return False
    takes = (_CURVES[key["crv"]][0],) if key["kty"] == "EC" else _FAMILIES[key["kty"]]
    return algorithm in takes and (kid is None or key.get("kid") in (None, kid))


def _algorithm(name: str) -> Algorithm:
    # Only the algorithm and not jwt.decode, which would read the header a second time, by rules of its own,
    # and warn of short keys. Not jwt.get_algorithm_by_name either: the code under test may change its table.
    from jwt import PyJWS

    return PyJWS().get_algorithm_by_name(name)


def _read_key(key: Jwk) -> Key:
    # Imported on first use: few projects are given keys.
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    # Not jwt.PyJWK, which takes private keys and other curves, and whose reasons name no member.
    kind = key["kty"]
    if kind == "RSA":
        exponent, modulus = _number(key["e"]), _number(key["n"])
        if modulus.bit_length() > _MOST_RSA_BITS or exponent > _MOST_RSA_EXPONENT:
            raise ValueError(f"an RSA key has up to {_MOST_RSA_BITS} bits, and an exponent of 32")
        return rsa.RSAPublicNumbers(exponent, modulus).public_key()
    if kind == "EC":
        if key["crv"] not in _CURVES:
            raise ValueError(f"the curve {key['crv']} is not known")
        curve = getattr(ec, _CURVES[key["crv"]][1])()
        return ec.EllipticCurvePublicNumbers(_number(key["x"]), _number(key["y"]), curve).public_key()
    if kind == "OKP":
        if key["crv"] != "Ed25519":
            raise ValueError(f"the curve {key['crv']} is not known")
        return ed25519.Ed25519PublicKey.from_public_bytes(base64url.decode(key["x"]))
    if kind == "oct":
        return base64url.decode(key["k"])
    raise ValueError(f"the key type {kind} is not known")


def _number(text: str) -> int:
    return int.from_bytes(base64url.decode(text), "big")
