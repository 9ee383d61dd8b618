"""Digests of what wallets sign: personal messages (EIP-191, version 0x45) and typed data (EIP-712)."""

from __future__ import annotations

from collections.abc import Mapping

from mockserver.crypto.keccak import keccak256
from mockserver.crypto.typed_data import hash_domain, hash_message


def personal_message_digest(message: bytes) -> bytes:
    """Return the 32-byte digest that `personal_sign` signs (EIP-191, version 0x45)."""
    return keccak256(b"\x19Ethereum Signed Message:\n%d" % len(message) + message)


def typed_data_digest(typed_data: Mapping[str, object]) -> bytes:
    """Return the 32-byte digest that `eth_signTypedData_v4` signs (EIP-712).

    Takes the whole document, `{types, domain, primaryType, message}`, as parsed JSON. `domain` may lack
    any of its fields, and `types` may lack `EIP712Domain`, which is then the fields that `domain` has.
    Raises ValueError with a sentence that names the place in the document.
    """
    encoded = b"\x19\x01" + hash_domain(typed_data)
    # EIP-712 does not define a document whose primary type is the domain. Wallets hash the domain alone.
    if typed_data.get("primaryType") != "EIP712Domain":
        encoded += hash_message(typed_data)
    return keccak256(encoded)
