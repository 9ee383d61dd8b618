"""Keccak-256, the hash of Ethereum (the original padding, not that of SHA3-256)."""

from __future__ import annotations

from typing import Any

try:
    from sha3 import keccak_256 as _keccak_256  # type: ignore[import-untyped]
except ImportError:
    # safe-pysha3 has no wheels for macOS and Windows, where the slower pycryptodome is installed instead.

    def _keccak_256(data: bytes) -> Any:
        # It starts cffi's parser, some 30 ms that a start without hashing need not pay.
        from Crypto.Hash import keccak

        return keccak.new(data=data, digest_bits=256)


def keccak256(data: bytes) -> bytes:
    """Return the 32-byte Keccak-256 digest of `data`."""
    digest: bytes = _keccak_256(data).digest()
    return digest
