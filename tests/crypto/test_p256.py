"""P-256 keys from seeds, in the forms that clients load."""

import base64
import hashlib

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_public_key

from mockserver.crypto.p256 import (
    jwk,
    pkcs8_base64,
    private_key_from_seed,
    public_pem,
    read_pkcs8,
    verify_digest,
)
from tests.tables import cases

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SEED = bytes(range(48))


def scalar_of(key: ec.EllipticCurvePrivateKey) -> int:
    return key.private_numbers().private_value


@cases("number, scalar", (0, 1), (ORDER - 2, ORDER - 1), (ORDER - 1, 1), (2**256, 2**256 - ORDER + 2))
def test_seeds_wrap_around_into_the_range_of_keys(number: int, scalar: int) -> None:
    assert scalar_of(private_key_from_seed(number.to_bytes(48, "big"))) == scalar


@cases("length", 0, 32, 47, 49)
def test_a_seed_of_the_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"48 bytes long, not {length}"):
        private_key_from_seed(bytes(length))


def test_the_private_key_is_one_line_that_loads_back() -> None:
    key = private_key_from_seed(SEED)
    line = pkcs8_base64(key)
    loaded = load_der_private_key(base64.b64decode(line, validate=True), password=None)
    assert isinstance(loaded, ec.EllipticCurvePrivateKey)
    assert loaded.private_numbers() == key.private_numbers()
    assert "\n" not in line


def test_a_private_key_is_read_from_the_line_it_was_written_to() -> None:
    key = private_key_from_seed(SEED)
    assert scalar_of(read_pkcs8(pkcs8_base64(key))) == scalar_of(key)
    for wrong in ("", "AAAA", pkcs8_base64(ec.generate_private_key(ec.SECP384R1()))):
        with pytest.raises(ValueError, match=r"."):
            read_pkcs8(wrong)


def test_the_public_pem_of_either_half_loads_back() -> None:
    key = private_key_from_seed(SEED)
    assert public_pem(key) == public_pem(key.public_key())
    assert load_pem_public_key(public_pem(key).encode()) == key.public_key()


def test_pyjwt_reads_the_jwk_as_the_same_key() -> None:
    public_key = private_key_from_seed(SEED).public_key()
    described = jwk(public_key)
    assert jwt.PyJWK(described).key == public_key
    assert (described["use"], described["alg"]) == ("sig", "ES256")
    assert len(described["kid"]) == 43


def test_coordinates_keep_their_leading_zeros() -> None:
    scalar = next(
        scalar
        for scalar in range(1, 2000)
        if ec.derive_private_key(scalar, ec.SECP256R1()).public_key().public_numbers().x < 2**248
    )
    public_key = ec.derive_private_key(scalar, ec.SECP256R1()).public_key()
    assert len(jwk(public_key)["x"]) == 43
    assert jwt.PyJWK(jwk(public_key)).key == public_key


def test_the_key_id_is_the_thumbprint_of_rfc_7638() -> None:
    x, y = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
    public_key = jwt.PyJWK({"kty": "EC", "crv": "P-256", "x": x, "y": y}).key
    members = f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'
    kid = base64.urlsafe_b64encode(hashlib.sha256(members.encode()).digest()).decode().rstrip("=")
    described = jwk(public_key)
    assert (described["kid"], described["x"], described["y"]) == (kid, x, y)


def test_a_point_has_no_signature_under_another_name_of_it() -> None:
    field = 2**256 - 2**224 + 2**192 + 2**96 - 1
    base = ec.derive_private_key(1, ec.SECP256R1()).public_key().public_numbers()
    x, constant = 5, 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    y = pow(x**3 - 3 * x + constant, (field + 1) // 4, field)
    # The secret of this point is not known, and by the equation of ECDSA these numbers are a signature of it:
    # both factors are 1, so that r is of the sum of the base point and this one.
    slope = (y - base.y) * pow(x - base.x, -1, field)
    r = (slope**2 - base.x - x) % field
    assert verify_digest(r.to_bytes(32, "big"), r, r, x, y)
    assert not verify_digest(r.to_bytes(32, "big"), r, r, x + field, y)
