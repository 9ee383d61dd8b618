"""Ed25519 against the vectors of RFC 8032, section 7.1, and solders."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.keypair import Keypair

from mockserver.crypto import ed25519
from tests.tables import cases

SEED = bytes(range(32))


@cases(
    "seed, public_key, message, signature",
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
)
def test_the_vectors_of_rfc_8032_hold(seed: str, public_key: str, message: str, signature: str) -> None:
    assert ed25519.public_key(bytes.fromhex(seed)).hex() == public_key
    assert ed25519.sign(bytes.fromhex(seed), bytes.fromhex(message)).hex() == signature
    assert ed25519.verify(bytes.fromhex(public_key), bytes.fromhex(message), bytes.fromhex(signature))


@settings(max_examples=25)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_keys_and_signatures_equal_those_of_solders(seed: bytes, message: bytes) -> None:
    pair = Keypair.from_seed(seed)
    assert ed25519.public_key(seed) == bytes(pair.pubkey())
    assert ed25519.sign(seed, message) == bytes(pair.sign_message(message))


def test_a_signature_of_another_message_or_key_is_wrong() -> None:
    signature = ed25519.sign(SEED, b"message")
    assert not ed25519.verify(ed25519.public_key(SEED), b"massage", signature)
    assert not ed25519.verify(ed25519.public_key(SEED[::-1]), b"message", signature)


def test_a_key_or_signature_of_the_wrong_length_is_never_right() -> None:
    signature = ed25519.sign(SEED, b"message")
    assert not ed25519.verify(ed25519.public_key(SEED)[:31], b"message", signature)
    assert not ed25519.verify(ed25519.public_key(SEED), b"message", signature + b"\0")


def test_a_seed_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        ed25519.sign(bytes(64), b"message")
