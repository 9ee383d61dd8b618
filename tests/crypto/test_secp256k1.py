"""Ethereum's ECDSA, by each implementation, against eth_keys, OpenSSL and published vectors."""

import hashlib
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from eth_keys import datatypes as keys
from eth_keys.backends.native.main import NativeECCBackend
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto import libsecp256k1, secp256k1
from mockserver.crypto.secp256k1 import BadSignature, N, Signature, multiply_generator, recover, sign
from tests.tables import cases

SECRET = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
PUBLIC_KEY = secp256k1.public_key(SECRET)
DIGEST = hashlib.sha256(b"a message").digest()
ETH_KEYS = NativeECCBackend()

secrets = st.integers(1, N - 1).map(lambda scalar: scalar.to_bytes(32, "big"))
digests = st.binary(min_size=32, max_size=32)


@pytest.fixture(params=["plain Python", "libsecp256k1"], autouse=True, scope="module")
def implementation(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test of this module is about both."""
    by_library = request.param == "libsecp256k1"
    if by_library:
        pytest.importorskip("coincurve")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secp256k1, "_without_table", iter(()))
        patch.setattr(libsecp256k1, "is_installed", lambda: by_library)
        yield request.param


def sign_with_eth_keys(secret: bytes, digest: bytes) -> Signature:
    signature = ETH_KEYS.ecdsa_sign(digest, keys.PrivateKey(secret, ETH_KEYS))
    return Signature(signature.r, signature.s, signature.v)


@cases("length", 32, 48)
@cases("number, scalar", (0, 1), (N - 2, N - 1), (N - 1, 1), (N, 2))
def test_seeds_wrap_around_into_the_range_of_secrets(length: int, number: int, scalar: int) -> None:
    assert secp256k1.secret_from_seed(number.to_bytes(length, "big")) == scalar.to_bytes(32, "big")


def test_a_seed_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="not 31"):
        secp256k1.secret_from_seed(bytes(31))


@cases(
    "secret, message, r_and_s",
    (
        1,
        b"Satoshi Nakamoto",
        "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
        "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5",
    ),
    (
        1,
        b"All those moments will be lost in time, like tears in rain. Time to die...",
        "8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b"
        "547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21",
    ),
    (
        N - 1,
        b"Satoshi Nakamoto",
        "fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0"
        "6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5",
    ),
)
def test_published_deterministic_signatures_are_reproduced(secret: int, message: bytes, r_and_s: str) -> None:
    signature = sign(secret.to_bytes(32, "big"), hashlib.sha256(message).digest())
    assert signature.to_bytes()[:64].hex() == r_and_s


@settings(max_examples=25)
@given(secrets, digests)
def test_signatures_equal_those_of_eth_keys(secret: bytes, digest: bytes) -> None:
    signature = sign(secret, digest)
    public_key = keys.PrivateKey(secret, ETH_KEYS).public_key.to_bytes()
    assert signature == sign_with_eth_keys(secret, digest)
    assert secp256k1.public_key(secret) == public_key
    assert recover(digest, signature) == public_key


@cases("digest", bytes(32), N.to_bytes(32, "big"), (N + 5).to_bytes(32, "big"), b"\xff" * 32)
def test_extreme_digests_are_signed_as_eth_keys_does(digest: bytes) -> None:
    signature = sign(SECRET, digest)
    assert signature == sign_with_eth_keys(SECRET, digest)
    assert recover(digest, signature) == secp256k1.public_key(SECRET)


@settings(max_examples=25)
@given(secrets, digests)
def test_openssl_accepts_our_signatures_and_they_have_a_low_s(secret: bytes, digest: bytes) -> None:
    signature = sign(secret, digest)
    key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256K1()).public_key()
    key.verify(encode_dss_signature(signature.r, signature.s), digest, ec.ECDSA(Prehashed(SHA256())))
    assert signature.s <= N // 2


@settings(max_examples=25)
@given(st.integers(1, N - 1), st.integers(1, N // 2), st.integers(0, 1), digests)
def test_keys_are_recovered_exactly_when_eth_keys_does(r: int, s: int, y_parity: int, digest: bytes) -> None:
    theirs = keys.Signature(vrs=(y_parity, r, s), backend=ETH_KEYS)
    try:
        expected = theirs.recover_public_key_from_msg_hash(digest).to_bytes()
    except Exception:  # eth_keys has a class of its own for each refusal, and only that it refuses matters.
        with pytest.raises(BadSignature):
            recover(digest, Signature(r, s, y_parity))
    else:
        assert recover(digest, Signature(r, s, y_parity)) == expected


def test_a_high_s_signature_is_refused() -> None:
    signature = sign(SECRET, DIGEST)
    twin = Signature(signature.r, N - signature.s, 1 - signature.y_parity)
    with pytest.raises(BadSignature, match="EIP-2"):
        recover(DIGEST, twin)


def test_an_s_of_exactly_half_the_order_is_low() -> None:
    signature = Signature(sign(SECRET, DIGEST).r, N // 2, 0)
    assert len(recover(DIGEST, signature)) == 64


def test_an_r_that_is_no_x_of_the_curve_is_refused() -> None:
    with pytest.raises(BadSignature, match="not the x coordinate"):
        recover(DIGEST, Signature(5, 1, 0))


def nonce_point(nonce: int) -> tuple[int, int]:
    """Return r and the parity of y of nonce * G."""
    point = multiply_generator(nonce)
    assert point is not None
    return point[0], point[1] & 1


def test_a_signature_whose_key_would_be_at_infinity_is_refused() -> None:
    r, y_parity = nonce_point(1234)
    digest = (1234 * 99 % N).to_bytes(32, "big")
    with pytest.raises(BadSignature, match="infinity"):
        recover(digest, Signature(r, 99, y_parity))


def test_two_equal_terms_give_the_key_of_eth_keys() -> None:
    r, y_parity = nonce_point(1234)
    digest = (-1234 * 99 % N).to_bytes(32, "big")
    theirs = keys.Signature(vrs=(y_parity, r, 99), backend=ETH_KEYS)
    expected = theirs.recover_public_key_from_msg_hash(digest).to_bytes()
    assert recover(digest, Signature(r, 99, y_parity)) == expected


@cases("v, y_parity", (0, 0), (1, 1), (27, 0), (28, 1))
def test_all_spellings_of_v_are_read_and_27_or_28_written(v: int, y_parity: int) -> None:
    numbers = sign(SECRET, DIGEST).to_bytes()[:64]
    signature = Signature.from_bytes(numbers + bytes([v]))
    assert signature.y_parity == y_parity
    assert signature.to_bytes() == numbers + bytes([27 + y_parity])
    assert signature.hex == "0x" + signature.to_bytes().hex()


@cases("v", 2, 26, 29, 35, 255)
def test_any_other_v_is_refused(v: int) -> None:
    with pytest.raises(BadSignature, match="v is"):
        Signature.from_bytes(sign(SECRET, DIGEST).to_bytes()[:64] + bytes([v]))


@cases("length", 0, 64, 66, 130)
def test_a_signature_of_the_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(BadSignature, match=f"65 bytes long, not {length}"):
        Signature.from_bytes(b"\x01" * length)


@cases("number", 0, N, N + 1, 2**256 - 1)
@cases("name", "r", "s")
def test_numbers_out_of_range_are_refused(name: str, number: int) -> None:
    numbers = {"r": 1, "s": 1, name: number}
    with pytest.raises(BadSignature, match=f"{name} is not between"):
        Signature.from_bytes(numbers["r"].to_bytes(32, "big") + numbers["s"].to_bytes(32, "big") + b"\x1b")


def test_a_parity_other_than_zero_or_one_is_refused() -> None:
    with pytest.raises(BadSignature, match="parity"):
        Signature(1, 1, 27)


@cases("secret", bytes(32), N.to_bytes(32, "big"), b"\xff" * 32, b"\x01" * 31, b"")
def test_a_secret_out_of_range_is_refused(secret: bytes) -> None:
    with pytest.raises(ValueError, match="secret"):
        secp256k1.public_key(secret)
    with pytest.raises(ValueError, match="secret"):
        sign(secret, DIGEST)


@cases("length", 0, 31, 33)
def test_a_digest_of_the_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="a digest is 32 bytes"):
        sign(SECRET, bytes(length))
    with pytest.raises(ValueError, match="a digest is 32 bytes"):
        recover(bytes(length), sign(SECRET, DIGEST))


def test_each_implementation_is_the_one_that_runs(
    implementation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    multiplied: list[int] = []

    def multiply(scalar: int) -> tuple[int, int]:
        multiplied.append(scalar)
        return 1, 1

    monkeypatch.setattr(secp256k1, "multiply_generator", multiply)
    sign(SECRET, DIGEST)
    secp256k1.public_key(SECRET)
    assert bool(multiplied) is (implementation == "plain Python")


def test_the_first_signatures_import_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secp256k1, "_without_table", iter(range(2)))
    monkeypatch.setattr(libsecp256k1, "is_installed", lambda: pytest.fail("it is looked for"))
    assert recover(DIGEST, sign(SECRET, DIGEST)) == PUBLIC_KEY
