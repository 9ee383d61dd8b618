"""Sets of public keys, judged by tokens that another library signed."""

import hashlib
import hmac
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import ECAlgorithm, HMACAlgorithm, OKPAlgorithm, RSAAlgorithm

from mockserver.crypto import base64url
from mockserver.crypto.key_sets import read_signed, require_keys
from mockserver.crypto.tokens import BadToken
from tests.tables import cases

CLAIMS = {"sub": "ada", "exp": 4_000_000_000}
RSA_KEY = rsa.generate_private_key(65537, 2048)
ED_KEY = ed25519.Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
EC_KEYS = {
    "ES256": ec.derive_private_key(7, ec.SECP256R1()),
    "ES384": ec.derive_private_key(7, ec.SECP384R1()),
    "ES512": ec.derive_private_key(7, ec.SECP521R1()),
}
SECRET = b"s" * 64
ED448_X = base64url.encode(
    ed448.Ed448PrivateKey.from_private_bytes(b"\x07" * 57).public_key().public_bytes_raw()
)

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


def compact(header: str | dict[str, Any], claims: str | dict[str, Any] = CLAIMS) -> str:
    """The part of a token that is signed."""
    parts = (part if isinstance(part, str) else json.dumps(part) for part in (header, claims))
    return ".".join(base64url.encode(part.encode()) for part in parts)


def signed_by_secret(header: str | dict[str, Any], secret: bytes = SECRET, **rest: Any) -> str:
    """A token with an HS256 signature, whatever its header says."""
    signed = compact(header, **rest)
    return f"{signed}.{base64url.encode(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


@cases("algorithm, key, jwk", *SIGNERS, ids=[name for name, *_ in SIGNERS])
def test_what_another_library_signed_is_read(algorithm: str, key: Any, jwk: dict[str, Any]) -> None:
    token = jwt.encode(CLAIMS, key, algorithm)
    assert read_signed(token, [jwk]) == CLAIMS
    assert read_signed(token, ALL) == CLAIMS


@cases("algorithm, key, jwk", *SIGNERS, ids=[name for name, *_ in SIGNERS])
def test_other_claims_under_a_signature_are_refused(algorithm: str, key: Any, jwk: dict[str, Any]) -> None:
    head, _, signature = jwt.encode(CLAIMS, key, algorithm).split(".")
    other = jwt.encode({"sub": "eve"}, key, algorithm).split(".")[1]
    with pytest.raises(BadToken, match="signature is wrong"):
        read_signed(f"{head}.{other}.{signature}", [jwk])


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


@cases(
    "header",
    {"alg": "HS256", "crit": []},
    {"alg": "HS256", "crit": None},
    {"alg": "HS256", "crit": ["b64"], "b64": True},
    {"alg": "HS256", "crit": ["b64"], "b64": False},
)
def test_no_extension_is_understood_even_if_the_library_does(header: dict[str, Any]) -> None:
    with pytest.raises(BadToken, match="critical"):
        read_signed(signed_by_secret(header), ALL)


def test_a_payload_beside_the_token_is_no_payload() -> None:
    signed = base64url.encode(b'{"alg":"HS256","b64":false}') + "."
    signature = base64url.encode(hmac.digest(SECRET, signed.encode(), hashlib.sha256))
    with pytest.raises(BadToken, match="claims is not JSON"):
        read_signed(f"{signed}.{signature}", ALL)


def test_noncritical_members_of_the_header_are_overlooked() -> None:
    for member in (
        {"b64": False},
        {"cty": "JWT"},
        {"typ": 5},
        {"jwk": RSA_JWK},
        {"jku": "https://a.example"},
    ):
        assert read_signed(signed_by_secret({"alg": "HS256"} | member), ALL) == CLAIMS


def test_a_token_inside_of_a_token_is_no_claims() -> None:
    nested = json.dumps(signed_by_secret({"alg": "HS256"}))
    with pytest.raises(BadToken, match="claims is not a JSON object"):
        read_signed(signed_by_secret({"alg": "HS256", "cty": "JWT"}, claims=nested), ALL)


def test_of_equally_named_members_the_last_counts() -> None:
    assert read_signed(signed_by_secret('{"alg":"none","alg":"HS256"}'), ALL) == CLAIMS
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(signed_by_secret('{"alg":"HS256","alg":"none"}'), ALL)
    token = signed_by_secret({"alg": "HS256"}, claims='{"sub":"ada","sub":"eve"}')
    assert read_signed(token, ALL) == {"sub": "eve"}


@cases("algorithm", None, 5, "", "hs256", "none", "None", ["HS256"], {"HS256": 1})
def test_what_is_no_algorithm_fits_no_key(algorithm: object) -> None:
    for keys in (ALL, [SECRET_JWK | {"alg": algorithm}]):
        with pytest.raises(BadToken, match="no key of the set"):
            read_signed(signed_by_secret({"alg": algorithm}), keys)


def test_an_algorithm_that_only_the_library_knows_fits_no_key() -> None:
    signed = compact({"alg": "ES521"})
    token = f"{signed}.{jwt.encode(CLAIMS, EC_KEYS['ES512'], 'ES512').rpartition('.')[2]}"
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(token, ALL)
    koblitz = ec.derive_private_key(7, ec.SECP256K1())
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(jwt.encode(CLAIMS, koblitz, "ES256K"), ALL)


@cases("secret", b"", b"s", b"s" * 31, b"-----BEGIN PUBLIC KEY-----", b'{"kty": "oct"}')
def test_a_secret_is_taken_however_weak_it_is(secret: bytes) -> None:
    keys = require_keys([{"kty": "oct", "k": base64url.encode(secret)}])
    assert read_signed(signed_by_secret({"alg": "HS256"}, secret), keys) == CLAIMS


def test_a_short_rsa_key_is_taken() -> None:
    key = rsa.generate_private_key(65537, 1024)
    signed = compact({"alg": "RS256"})
    signature = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    keys = require_keys([RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)])
    assert read_signed(f"{signed}.{base64url.encode(signature)}", keys) == CLAIMS


@cases("algorithm", "RS512", "PS256", "PS512")
def test_a_key_too_short_for_an_algorithm_verifies_nothing(algorithm: str) -> None:
    (key,) = require_keys([{"kty": "RSA", "n": base64url.encode(b"\xff" * 40), "e": "AQAB"}])
    token = f"{compact({'alg': algorithm})}.{base64url.encode(bytes(40))}"
    with pytest.raises(BadToken, match="the signature is wrong"):
        read_signed(token, [key])


def rsa_jwk(bits: int, exponent: int) -> dict[str, str]:
    """A key of a size; nothing tells whether its modulus has two factors."""
    modulus = (1 << bits - 1) + 1
    sizes = (modulus, bits // 8), (exponent, 8)
    n, e = (base64url.encode(number.to_bytes(size, "big")) for number, size in sizes)
    return {"kty": "RSA", "n": n, "e": e}


def test_an_rsa_key_is_as_large_as_providers_have_it_at_most() -> None:
    assert require_keys([rsa_jwk(4096, 2**32 - 1)])
    for key in (rsa_jwk(4104, 65537), rsa_jwk(2048, 2**32 + 1)):
        with pytest.raises(ValueError, match=r"keys\[0\] .* up to 4096 bits, and an exponent of 32"):
            require_keys([key])


def test_what_is_wrong_with_a_key_is_told_in_short() -> None:
    with pytest.raises(ValueError, match="the key type") as found:
        require_keys([{"kty": "x" * 10_000}])
    assert len(str(found.value)) < 200


@cases("jwk", RSA_JWK, *EC_JWKS.values(), ED_JWK, ids=lambda jwk: jwk.get("crv", "RSA"))
def test_no_spelling_of_a_public_key_is_a_shared_secret(jwk: dict[str, Any]) -> None:
    spellings = [json.dumps(jwk).encode(), *(base64url.decode(jwk[name]) for name in "nexy" if name in jwk)]
    for secret in spellings:
        with pytest.raises(BadToken, match="no key of the set"):
            read_signed(signed_by_secret({"alg": "HS256"}, secret), [jwk])


def test_one_padding_of_rsa_is_not_the_other() -> None:
    for signed_as, named in (("PS256", "RS256"), ("RS256", "PS256")):
        signed = compact({"alg": named})
        signature = jwt.get_algorithm_by_name(signed_as).sign(signed.encode(), RSA_KEY)
        with pytest.raises(BadToken, match="signature is wrong"):
            read_signed(f"{signed}.{base64url.encode(signature)}", [RSA_JWK])


def test_a_key_on_another_curve_does_not_count() -> None:
    signed = compact({"alg": "ES256"})
    signature = jwt.get_algorithm_by_name("ES384").sign(signed.encode(), EC_KEYS["ES384"])
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(f"{signed}.{base64url.encode(signature)}", [EC_JWKS["ES384"]])
    with pytest.raises(BadToken, match="no key of the set"):
        read_signed(f"{signed}.{base64url.encode(signature)}", [EC_JWKS["ES384"] | {"alg": "ES256"}])


def test_of_several_keys_that_fit_any_may_have_signed() -> None:
    others = [SECRET_JWK | {"k": base64url.encode(bytes([n]) * 32)} for n in range(3)]
    assert read_signed(signed_by_secret({"alg": "HS256"}), [*others, SECRET_JWK]) == CLAIMS
    with pytest.raises(BadToken, match="signature is wrong"):
        read_signed(signed_by_secret({"alg": "HS256"}), others)


def test_a_keys_private_half_and_purpose_are_overlooked() -> None:
    private: list[tuple[str, Any, dict[str, Any]]] = [
        ("RS256", RSA_KEY, RSAAlgorithm.to_jwk(RSA_KEY, as_dict=True)),
        ("ES256", EC_KEYS["ES256"], ECAlgorithm.to_jwk(EC_KEYS["ES256"], as_dict=True)),
        ("EdDSA", ED_KEY, OKPAlgorithm.to_jwk(ED_KEY, as_dict=True)),
    ]
    for algorithm, key, jwk in private:
        assert "d" in jwk
        for more in ({}, {"d": "AQ"}, {"use": "enc"}, {"key_ops": ["sign"]}):
            keys = require_keys([jwk | more])
            assert read_signed(jwt.encode(CLAIMS, key, algorithm), keys) == CLAIMS


def test_a_coordinate_may_leave_out_its_leading_zeros() -> None:
    number = next(n for n in range(1, 9999) if _point(n).x >> 248 == 0)
    x, y = _point(number).x, _point(number).y
    short = {"x": base64url.encode(x.to_bytes(31, "big")), "y": base64url.encode(y.to_bytes(33, "big"))}
    token = jwt.encode(CLAIMS, ec.derive_private_key(number, ec.SECP256R1()), "ES256")
    assert read_signed(token, require_keys([{"kty": "EC", "crv": "P-256"} | short])) == CLAIMS


def _point(number: int) -> ec.EllipticCurvePublicNumbers:
    return ec.derive_private_key(number, ec.SECP256R1()).public_key().public_numbers()


@cases("part", 0, 1, 2)
def test_each_part_has_one_spelling(part: int) -> None:
    # 28, 13 and 32 bytes: each part ends in a character with bits to spare.
    parts = signed_by_secret('{"typ": "JWT","alg":"HS256"}', claims='{"sub":"ada"}').split(".")
    parts[part] += "="
    with pytest.raises(BadToken, match="base64url"):
        read_signed(".".join(parts), ALL)
    parts[part] = parts[part][:-2] + chr(ord(parts[part][-2]) + 1)
    with pytest.raises(BadToken, match="shortest form"):
        read_signed(".".join(parts), ALL)


def test_a_long_token_is_read() -> None:
    claims = CLAIMS | {"roles": ["x" * 1000] * 1000}
    assert read_signed(signed_by_secret({"alg": "HS256"}, claims=claims), ALL) == claims


def test_expiry_is_none_of_its_business() -> None:
    claims = {"sub": "ada", "exp": 1, "nbf": 9_000_000_000, "iat": "never", "aud": ["a"]}
    assert read_signed(signed_by_secret({"alg": "HS256"}, claims=claims), ALL) == claims


def test_other_use_of_the_library_changes_nothing() -> None:
    token = signed_by_secret({"alg": "HS256"})
    known = jwt.get_algorithm_by_name("HS256")
    jwt.unregister_algorithm("HS256")
    try:
        assert read_signed(token, ALL) == CLAIMS
    finally:
        jwt.register_algorithm("HS256", known)


@given(st.binary(max_size=200))
def test_no_signature_made_of_anything_is_right(signature: bytes) -> None:
    for algorithm, key, jwk in SIGNERS:
        signed = jwt.encode(CLAIMS, key, algorithm).rpartition(".")[0]
        token = f"{signed}.{jwt.utils.base64url_encode(signature).decode()}"
        with pytest.raises(BadToken):
            read_signed(token, [jwk])


def test_keys_that_verify_are_accepted() -> None:
    assert require_keys(ALL) == ALL


@cases(
    "key",
    {},
    {"kty": "dog"},
    {"kty": ["RSA"]},
    {"kty": "RSA", "n": "AQ"},
    {"kty": "RSA", "n": 5, "e": "AQAB"},
    {"kty": "EC", "crv": "secp256k1", "x": "AQ", "y": "AQ"},
    {"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"},
    {"kty": "OKP", "crv": "X25519", "x": ED_JWK["x"]},
    {"kty": "OKP", "crv": "Ed25519", "x": "AQ"},
    {"kty": "OKP", "crv": "Ed448", "x": ED448_X},
    {"kty": "oct"},
)
def test_what_is_no_key_is_named_by_its_place(key: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"keys\[1\] is no key"):
        require_keys([SECRET_JWK, key])
