"""Seals: RSA-OAEP with SHA-256, judged by PyCryptodome."""

from base64 import b64decode, b64encode

import pytest
from Crypto.Cipher import PKCS1_OAEP
from Crypto.Hash import SHA256
from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mockserver.crypto.sealing import (
    BadSeal,
    import_key,
    import_public_der,
    import_public_pem,
    read_public_key,
    seal,
    unseal,
)
from tests.tables import cases

BLOB_SIZE = 512
SEED_SIZE = 32

SEED = bytes(range(SEED_SIZE))
OURS = RSA.import_key(import_public_pem())


def test_the_import_key_is_sound_rsa_4096_in_both_forms() -> None:
    numbers = import_key().private_numbers()
    # Building it checks that the primes and exponents belong together.
    built = RSA.construct(
        (numbers.public_numbers.n, numbers.public_numbers.e, numbers.d, numbers.p, numbers.q)
    )
    assert built.has_private()
    assert OURS.size_in_bits() == 4096
    assert RSA.import_key(b64decode(import_public_der())) == OURS == built.public_key()
    assert "\n" not in import_public_der()


def test_what_another_library_seals_is_opened() -> None:
    assert unseal(PKCS1_OAEP.new(OURS, hashAlgo=SHA256).encrypt(b"k" * 32)) == b"k" * 32


def test_another_library_opens_what_is_sealed() -> None:
    sealed = b64decode(seal(b"k" * 64, import_key().public_key(), SEED))
    numbers = import_key().private_numbers()
    theirs = RSA.construct((numbers.public_numbers.n, numbers.public_numbers.e, numbers.d))
    assert len(sealed) == BLOB_SIZE
    assert PKCS1_OAEP.new(theirs, hashAlgo=SHA256).decrypt(sealed) == b"k" * 64


def test_the_hash_is_sha_256_and_no_other() -> None:
    with pytest.raises(BadSeal, match="import key"):
        unseal(PKCS1_OAEP.new(OURS).encrypt(b"k" * 32))


def test_a_seal_repeats_with_its_seed_and_no_other() -> None:
    key = import_key().public_key()
    assert seal(b"the same", key, SEED) == seal(b"the same", key, SEED)
    assert seal(b"the same", key, SEED) != seal(b"the same", key, bytes(SEED_SIZE))


@cases("size", 0, 1, 446)
def test_whatever_fits_is_opened_again(size: int) -> None:
    raw = bytes(range(256))[:size].ljust(size, b"x")
    assert unseal(b64decode(seal(raw, import_key().public_key(), SEED))) == raw


@cases("size", 0, 1, BLOB_SIZE - 1, BLOB_SIZE + 1)
def test_a_blob_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(BadSeal, match=f"it has {size} bytes"):
        unseal(bytes(size))


@cases("text", "", "!", "AAAA", "A" * 4000, "ä", f"{import_public_der()}\n")
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(BadSeal):
        read_public_key(text)


def test_only_rsa_of_4096_bits_is_sealed_for() -> None:
    small = RSA.construct((RSA.generate(1024).n, 65537)).export_key("DER")
    others = (
        ec.derive_private_key(3, ec.SECP256R1()).public_key(),
        Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key(),
    )
    spkis = [key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) for key in others]
    for der in (small, *spkis):
        with pytest.raises(BadSeal, match="4096 bits"):
            read_public_key(b64encode(der).decode())


def test_a_key_outside_spki_is_refused() -> None:
    bare = import_key().public_key().public_bytes(Encoding.DER, PublicFormat.PKCS1)
    with pytest.raises(BadSeal, match="SPKI"):
        read_public_key(b64encode(bare).decode())


def test_a_key_that_cannot_encrypt_seals_nothing() -> None:
    even = rsa.RSAPublicNumbers(65537, 1 << 4095).public_key()
    with pytest.raises(BadSeal, match="mind its modulus"):
        seal(b"k", even, SEED)
