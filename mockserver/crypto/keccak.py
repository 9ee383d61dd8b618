"""Keccak-256, the hash of Ethereum (the original padding, not that of SHA3-256)."""

from __future__ import annotations

from functools import cache
from types import ModuleType


def keccak256(data: bytes) -> bytes:
    """Return the 32-byte Keccak-256 digest of `data`."""
    digest: bytes = _pycryptodome().new(data=data, digest_bits=256).digest()
    return digest


@cache
def _pycryptodome() -> ModuleType:
    # It starts cffi's parser, 70 ms that a start without hashing need not pay.
    from Crypto.Hash import keccak

    return keccak
