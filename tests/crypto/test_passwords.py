"""Password hashes against RFC 7914 and the scrypt of cryptography."""

import pytest
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from mockserver.crypto.passwords import hash_password, verify_password
from tests.tables import cases

SALT = bytes(range(16))


def test_the_hash_is_scrypt_with_the_parameters_it_names() -> None:
    name, n, r, p, salt, digest = hash_password("correct horse", SALT).split("$")
    kdf = Scrypt(salt=bytes.fromhex(salt), length=32, n=int(n), r=int(r), p=int(p))
    assert name == "scrypt"
    assert salt == SALT.hex()
    kdf.verify(b"correct horse", bytes.fromhex(digest))


def test_the_vector_of_rfc_7914_matches_with_its_own_parameters() -> None:
    digest = "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
    assert verify_password("", f"scrypt$16$1$1$${digest}")
    assert not verify_password("", f"scrypt$16$2$1$${digest}")


def test_only_the_same_password_matches() -> None:
    stored = hash_password("correct horse", SALT)
    assert verify_password("correct horse", stored)
    assert not verify_password("correct horse ", stored)
    assert not verify_password("", stored)


def test_two_spellings_of_the_same_characters_are_one_password() -> None:
    composed, decomposed, full_width = "caf\u00e9 1", "cafe\u0301 1", "caf\u00e9 \uff11"
    stored = hash_password(composed, SALT)
    assert verify_password(decomposed, stored)
    assert verify_password(full_width, stored)
    assert not verify_password("cafe 1", stored)


@cases(
    "stored",
    "",
    "plain",
    "bcrypt$16$8$1$00$00",
    "scrypt$16$8$1$00",
    "scrypt$16$8$1$0g$00",
    "scrypt$x$8$1$00$00",
)
def test_what_is_no_stored_password_is_an_error(stored: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        verify_password("correct horse", stored)
