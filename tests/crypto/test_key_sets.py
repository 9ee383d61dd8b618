"""Sets of public keys, judged by tokens that another library signed."""

from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, HMACAlgorithm, OKPAlgorithm, RSAAlgorithm

from mockserver.crypto.key_sets import read_signed, require_keys
from mockserver.crypto.tokens import BadToken

CLAIMS = {"sub": "ada", "exp": 4_000_000_000}
RSA_KEY = rsa.generate_private_key(65537, 2048)
ED_KEY = ed25519.Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
EC_KEYS = {
    "ES256": ec.derive_private_key(7, ec.SECP256R1()),
    "ES384": ec.derive_private_key(7, ec.SECP384R1()),
    "ES512": ec.derive_private_key(7, ec.SECP521R1()),
}
SECRET = b"s" * 64

RSA_JWK = RSAAlgorithm.to_jwk(RSA_KEY.public_key(), as_dict=True)
ED_JWK = OKPAlgorithm.to_jwk(ED_KEY.public_key(), as_dict=True)
SECRET_JWK = HMACAlgorithm.to_jwk(SECRET, as_dict=True)
EC_JWKS = {name: ECAlgorithm.to_jwk(key.public_key(), as_dict=True) for name, key in EC_KEYS.items()}

SIGNERS: list[tuple[str, Any, dict[str, Any]]] = [
    *((name, RSA_KEY, RSA_JWK) for name in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")),
    *((name, EC_KEYS[name], EC_JWKS[name]) for name in EC_KEYS),
    ("EdDSA", ED_KEY, ED_JWK),
    *((name, SECRET, SECRET_JWK) for name in ("HS256", "HS384", "HS512")),
]
ALL = [RSA_JWK, *EC_JWKS.values(), ED_JWK, SECRET_JWK]


@pytest.mark.parametrize(("algorithm", "key", "jwk"), SIGNERS, ids=[name for name, *_ in SIGNERS])
def test_what_another_library_signed_is_read(algorithm: str, key: Any, jwk: dict[str, Any]) -> None:
    token = jwt.encode(CLAIMS, key, algorithm)
    assert read_signed(token, [jwk]) == CLAIMS
    assert read_signed(token, ALL) == CLAIMS


@pytest.mark.parametrize(("algorithm", "key", "jwk"), SIGNERS, ids=[name for name, *_ in SIGNERS])
def test_other_claims_under_a_signature_are_refused(algorithm: str, key: Any, jwk: dict[str, Any]) -> None:
    head, _, signature = jwt.encode(CLAIMS, key, algorithm).split(".")
    other = jwt.encode({"sub": "eve"}, key, algorithm).split(".")[1]
    with pytest.raises(BadToken, match="signature is wrong"):
        read_signed(f"{head}.{other}.{signature}", [jwk])


def test_a_public_key_is_no_shared_secret() -> None:
    forged = jwt.encode(CLAIMS, b"n" * 32, "HS256")
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(forged, [RSA_JWK, ED_JWK, *EC_JWKS.values()])


def test_a_token_that_nobody_signed_is_refused() -> None:
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(jwt.encode(CLAIMS, "", "none"), ALL)


def test_an_empty_set_verifies_nothing() -> None:
    with pytest.raises(BadToken):
        read_signed(jwt.encode(CLAIMS, SECRET, "HS256"), [])


def test_a_key_that_is_for_another_algorithm_does_not_count() -> None:
    token = jwt.encode(CLAIMS, RSA_KEY, "RS256")
    assert read_signed(token, [RSA_JWK | {"alg": "RS256"}]) == CLAIMS
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(token, [RSA_JWK | {"alg": "PS256"}])


def test_a_key_id_chooses_the_key() -> None:
    token = jwt.encode(CLAIMS, SECRET, "HS256", headers={"kid": "one"})
    assert read_signed(token, [SECRET_JWK | {"kid": "one"}]) == CLAIMS
    assert read_signed(token, [SECRET_JWK]) == CLAIMS
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(token, [SECRET_JWK | {"kid": "two"}])


def test_critical_extensions_are_refused() -> None:
    token = jwt.encode(CLAIMS, SECRET, "HS256", headers={"crit": ["x"], "x": 1})
    with pytest.raises(BadToken, match="critical"):
        read_signed(token, ALL)


@given(st.binary(max_size=200))
def test_no_signature_made_of_anything_is_right(signature: bytes) -> None:
    for algorithm, key, jwk in SIGNERS:
        signed = jwt.encode(CLAIMS, key, algorithm).rpartition(".")[0]
        token = f"{signed}.{jwt.utils.base64url_encode(signature).decode()}"
        with pytest.raises(BadToken):
            read_signed(token, [jwk])


def test_keys_that_verify_are_accepted() -> None:
    assert require_keys(ALL) == ALL


@pytest.mark.parametrize(
    "key",
    [
        {},
        {"kty": "dog"},
        {"kty": ["RSA"]},
        {"kty": "RSA", "n": "AQ"},
        {"kty": "RSA", "n": 5, "e": "AQAB"},
        {"kty": "EC", "crv": "secp256k1", "x": "AQ", "y": "AQ"},
        {"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"},
        {"kty": "OKP", "crv": "X25519", "x": "AQ"},
        {"kty": "OKP", "crv": "Ed25519", "x": "AQ"},
        {"kty": "oct"},
    ],
)
def test_what_is_no_key_is_named_by_its_place(key: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"keys\[1\] is no key"):
        require_keys([SECRET_JWK, key])
