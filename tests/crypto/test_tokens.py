"""ES256 tokens against PyJWT and the example of RFC 7515, appendix A.3."""

import base64
from typing import Any

import jwt
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto.p256 import private_key_from_seed
from mockserver.crypto.tokens import BadToken, peek, read_es256, sign_es256
from tests.tables import cases

KEY = private_key_from_seed(bytes(range(48)))
PUBLIC_KEY = KEY.public_key()
CLAIMS: dict[str, Any] = {"sub": "usr_1", "iat": 1_700_000_000, "roles": ["a", "b"], "name": "Zoë"}


def part(value: object) -> str:
    raw = value if isinstance(value, bytes) else orjson.dumps(value)
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def sign_with_pyjwt(headers: dict[str, Any] | None = None) -> str:
    return jwt.encode(CLAIMS, KEY, algorithm="ES256", headers=headers)


def test_pyjwt_verifies_our_token() -> None:
    token = sign_es256(KEY, CLAIMS)
    assert jwt.decode(token, PUBLIC_KEY, algorithms=["ES256"]) == CLAIMS
    assert jwt.get_unverified_header(token) == {"alg": "ES256", "typ": "JWT"}


def test_the_key_id_is_in_the_header_when_given() -> None:
    assert jwt.get_unverified_header(sign_es256(KEY, CLAIMS, "key-1"))["kid"] == "key-1"


def test_signing_twice_gives_the_same_token() -> None:
    assert sign_es256(KEY, CLAIMS) == sign_es256(KEY, CLAIMS)


def test_the_example_of_rfc_7515_is_read() -> None:
    token = (
        "eyJhbGciOiJFUzI1NiJ9"
        ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    )
    x, y = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    key = jwt.PyJWK({"kty": "EC", "crv": "P-256", "x": x, "y": y}).key
    assert read_es256(token, key) == {"iss": "joe", "exp": 1300819380, "http://example.com/is_root": True}


@settings(max_examples=25)
@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers(-(2**53), 2**53), max_size=6))
def test_any_claims_are_read_as_they_were(claims: dict[str, object]) -> None:
    assert read_es256(sign_es256(KEY, claims), PUBLIC_KEY) == claims


def test_a_token_of_another_key_is_refused() -> None:
    with pytest.raises(BadToken, match="signature is wrong"):
        read_es256(sign_es256(private_key_from_seed(bytes(48)), CLAIMS), PUBLIC_KEY)


@cases("which", 0, 1)
def test_a_changed_header_or_claim_is_refused(which: int) -> None:
    parts = sign_es256(KEY, CLAIMS).split(".")
    parts[which] = part([{"alg": "ES256"}, CLAIMS | {"sub": "usr_2"}][which])
    with pytest.raises(BadToken, match="signature is wrong"):
        read_es256(".".join(parts), PUBLIC_KEY)


@cases("alg", "none", "HS256", "ES384", "es256", None, 7)
def test_an_algorithm_other_than_es256_is_refused(alg: object) -> None:
    signature = sign_es256(KEY, CLAIMS).rpartition(".")[2]
    with pytest.raises(BadToken, match="not ES256"):
        read_es256(f"{part({'alg': alg})}.{part(CLAIMS)}.{signature}", PUBLIC_KEY)


def test_a_header_without_an_algorithm_is_refused() -> None:
    with pytest.raises(BadToken, match="not ES256"):
        read_es256(f"{part({'typ': 'JWT'})}.{part(CLAIMS)}.", PUBLIC_KEY)


def test_critical_extensions_are_refused_despite_the_signature() -> None:
    with pytest.raises(BadToken, match="critical"):
        read_es256(sign_with_pyjwt({"crit": ["b64"]}), PUBLIC_KEY)


@cases("length", 0, 63, 65, 70)
def test_a_signature_of_the_wrong_length_is_refused(length: int) -> None:
    signed = sign_es256(KEY, CLAIMS).rpartition(".")[0]
    with pytest.raises(BadToken, match=f"64 bytes long, not {length}"):
        read_es256(f"{signed}.{part(bytes(length))}", PUBLIC_KEY)


def test_a_signature_of_zeros_is_refused() -> None:
    signed = sign_es256(KEY, CLAIMS).rpartition(".")[0]
    with pytest.raises(BadToken, match="signature is wrong"):
        read_es256(f"{signed}.{part(bytes(64))}", PUBLIC_KEY)


@cases(
    "token, reason",
    ("", "three parts, not 1"),
    ("a.b", "three parts, not 2"),
    ("a.b.c.d", "three parts, not 4"),
    ("..", "the header is not JSON"),
    (f"{part({})}.a.", "the claims is not base64url"),
    (f"{part({})}=.{part({})}.", "the header is not base64url"),
    (f" {part({})}.{part({})}.", "the header is not base64url"),
    (f"{part({})}\n.{part({})}.", "the header is not base64url"),
    (f"{part({})}.{part({})}.a+b/", "the signature is not base64url"),
    (f"{part({})}.{part({})}.AB", "shortest form"),
    (f"{part([])}.{part({})}.", "the header is not a JSON object"),
    (f"{part({})}.{part('text')}.", "the claims is not a JSON object"),
    (f"{part({})}.{part(b'{')}.", "the claims is not JSON"),
    (f"{part({})}.{part(bytes([0xFF]))}.", "the claims is not JSON"),
)
def test_what_is_not_shaped_like_a_token_is_refused(token: str, reason: str) -> None:
    with pytest.raises(BadToken, match=reason):
        peek(token)
    with pytest.raises(BadToken, match=reason):
        read_es256(token, PUBLIC_KEY)


def test_a_second_spelling_of_the_same_signature_is_refused() -> None:
    token = sign_es256(KEY, CLAIMS)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    respelled = token[:-1] + alphabet[alphabet.index(token[-1]) + 1]
    assert base64.urlsafe_b64decode(respelled[-86:] + "==") == base64.urlsafe_b64decode(token[-86:] + "==")
    with pytest.raises(BadToken, match="shortest form"):
        read_es256(respelled, PUBLIC_KEY)


def test_peeking_reads_header_and_claims_of_any_signer() -> None:
    assert peek(jwt.encode(CLAIMS, "s" * 32, algorithm="HS256")) == ({"alg": "HS256", "typ": "JWT"}, CLAIMS)
