"""Keccak-256, the hash of Ethereum (the original padding, not that of SHA3-256)."""

from __future__ import annotations


def keccak256(data: bytes) -> bytes:
    """Return the 32-byte Keccak-256 digest of `data`."""
    # pycryptodome starts cffi's parser, 70 ms that a start without hashing need not pay.
    from Crypto.Hash import keccak

    return keccak.new(data=data, digest_bits=256).digest()
