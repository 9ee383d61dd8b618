"""Passwords as scrypt hashes (RFC 7914), at a cost that is low on purpose.

At the cost that production needs, every sign-up and sign-in of a test would wait 60 ms or more. A test
double protects no secrets, so n = 2^4.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from typing import Final

_N: Final = 2**4
_R: Final = 8
_P: Final = 1


def hash_password(password: str, salt: bytes, n: int = _N, r: int = _R, p: int = _P) -> str:
    """Return "scrypt$n$r$p$salt$hash", salt and hash in hex; the password is normalised (NFKC) first."""
    return f"scrypt${n}${r}${p}${salt.hex()}${_derive(password, salt, n, r, p).hex()}"


def verify_password(password: str, stored: str) -> bool:
    """Whether the password matches a stored hash; ValueError if the stored text is malformed."""
    name, *fields = stored.split("$")
    if name != "scrypt" or len(fields) != 5:
        raise ValueError("a stored password reads scrypt$n$r$p$salt$hash")
    n, r, p = map(int, fields[:3])
    salt, expected = map(bytes.fromhex, fields[3:])
    return hmac.compare_digest(_derive(password, salt, n, r, p), expected)


def _derive(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    normal = unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(normal, salt=salt, n=n, r=r, p=p, dklen=32)
