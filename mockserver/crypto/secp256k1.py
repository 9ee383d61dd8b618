"""ECDSA on secp256k1 as Ethereum uses it: deterministic (RFC 6979), with a low s (EIP-2), keys recovered."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from mockserver.crypto.points import N, combine, lift_x, multiply_generator

__all__ = ["BadSignature", "N", "Signature", "public_key", "recover", "secret_from_seed", "sign", "verify"]


class BadSignature(ValueError):
    """The bytes are not a valid signature; the message says why."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature with the parity of its nonce point; raises BadSignature where a number is out of range."""

    r: int
    s: int
    y_parity: int

    def __post_init__(self) -> None:
        for name, value in (("r", self.r), ("s", self.s)):
            if not 0 < value < N:
                raise BadSignature(f"{name} is not between 1 and the order of the curve")
        if self.y_parity not in (0, 1):
            raise BadSignature(f"the parity of y is 0 or 1, not {self.y_parity}")

    @classmethod
    def from_bytes(cls, raw: bytes) -> Self:
        """Read the 65 bytes r, s, v, where v is 0, 1, 27 or 28; raises BadSignature."""
        if len(raw) != 65:
            raise BadSignature(f"a signature is 65 bytes long, not {len(raw)}")
        v = raw[64]
        if v not in (0, 1, 27, 28):
            raise BadSignature(f"v is 0, 1, 27 or 28, not {v}")
        return cls(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:64], "big"), v % 27)

    def to_bytes(self) -> bytes:
        """Return the 65 bytes r, s, v, where v is 27 or 28."""
        return self.r.to_bytes(32, "big") + self.s.to_bytes(32, "big") + bytes([27 + self.y_parity])

    @property
    def hex(self) -> str:
        """The 65 bytes as 0x and 130 hex digits."""
        return "0x" + self.to_bytes().hex()


def secret_from_seed(seed: bytes) -> bytes:
    """Return the secret of a seed of 32 bytes or more; ValueError for a shorter one.

    The seed is reduced into 1 to N - 1. 16 bytes to spare keep the bias under 2^-128 (FIPS 186-5,
    A.2.1).
    """
    if len(seed) < 32:
        raise ValueError(f"a seed is 32 bytes long or longer, not {len(seed)}")
    return (int.from_bytes(seed, "big") % (N - 1) + 1).to_bytes(32, "big")


def public_key(secret: bytes) -> bytes:
    """Return the 64 bytes x, y of the public key; ValueError unless the secret is 32 bytes in 1 to N - 1."""
    return _encode(multiply_generator(_read_secret(secret)))


def sign(secret: bytes, digest: bytes) -> Signature:
    """Sign a 32-byte digest: the same secret and digest always give the same signature, with a low s."""
    scalar = _read_secret(secret)
    z = _read_digest(digest)
    for nonce in _nonces(secret, (z % N).to_bytes(32, "big")):
        point = multiply_generator(nonce)
        if point is None or not 0 < point[0] < N:
            continue
        r, y = point
        s = pow(nonce, -1, N) * (z + r * scalar) % N
        if s > N // 2:
            return Signature(r, N - s, y & 1 ^ 1)
        if s:
            return Signature(r, s, y & 1)
    raise AssertionError("the nonces of RFC 6979 never end")


def recover(digest: bytes, signature: Signature) -> bytes:
    """Return the 64-byte key that signed a 32-byte digest; BadSignature for a high s or where no key can."""
    z = _read_digest(digest)
    if signature.s > N // 2:
        raise BadSignature("s is in the upper half of the order (EIP-2)")
    try:
        nonce_point = lift_x(signature.r, odd=signature.y_parity == 1)
    except ValueError:
        raise BadSignature("r is not the x coordinate of a point on the curve") from None
    inverse = pow(signature.r, -1, N)
    key = combine(-z * inverse, signature.s * inverse, nonce_point)
    if key is None:
        raise BadSignature("the key would be the point at infinity")
    return _encode(key)


def verify(public_key: bytes, digest: bytes, signature: Signature) -> bool:
    """Whether `recover` gives this 64-byte key; False for a high s or the wrong parity."""
    try:
        return recover(digest, signature) == public_key
    except BadSignature:
        return False


def _encode(point: tuple[int, int] | None) -> bytes:
    if point is None:
        raise AssertionError("no multiple of the generator by 1 to N - 1 is at infinity")
    return point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def _read_secret(secret: bytes) -> int:
    if len(secret) != 32:
        raise ValueError(f"a secret is 32 bytes long, not {len(secret)}")
    scalar = int.from_bytes(secret, "big")
    if not 0 < scalar < N:
        raise ValueError("the secret is not between 1 and the order of the curve")
    return scalar


def _read_digest(digest: bytes) -> int:
    if len(digest) != 32:
        raise ValueError(f"a digest is 32 bytes long, not {len(digest)}")
    return int.from_bytes(digest, "big")


def _nonces(secret: bytes, reduced_digest: bytes) -> Iterator[int]:
    """Yield the candidates for the nonce in the order of RFC 6979, section 3.2, with HMAC-SHA256."""
    key, value = bytes(32), b"\x01" * 32
    for mark in (b"\x00", b"\x01"):
        key = hmac.digest(key, value + mark + secret + reduced_digest, "sha256")
        value = hmac.digest(key, value, "sha256")
    while True:
        value = hmac.digest(key, value, "sha256")
        nonce = int.from_bytes(value, "big")
        if 0 < nonce < N:
            yield nonce
        key = hmac.digest(key, value + b"\x00", "sha256")
        value = hmac.digest(key, value, "sha256")
