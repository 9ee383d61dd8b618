"""Private keys as clients write them: bytes, hexadecimal digits or base58."""

import re
from typing import NamedTuple

from mockserver.chain.base58 import base58_decode
from mockserver.crypto import ed25519
from mockserver.domain.wallets.keys.custody import address_of_secret
from mockserver.state.wallets import ChainType

_SECRET_SIZE = 32
_KEYPAIR_SIZE = 64
_HEX = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{64}){1,2})")


class BadKey(ValueError):
    """What was given is no private key. The message never shows it."""


class PrivateKey(NamedTuple):
    """A secp256k1 secret for EVM, an ed25519 seed for SVM, with its address."""

    chain_type: ChainType
    secret: bytes
    address: str

    def __repr__(self) -> str:
        return f"PrivateKey({self.address!r})"


def parse_private_key(text: str) -> PrivateKey:
    """The private key in a text.

    An EVM key is 64 hexadecimal digits, with or without 0x; a Solana key is the base58 of its seed, or
    of seed and public key, which may also be 128 hexadecimal digits. BadKey for anything else.
    """
    digits = _HEX.fullmatch(text)
    if digits is not None:
        return read_private_key(bytes.fromhex(digits[1]), None)
    try:
        raw = base58_decode(text)
    except ValueError:
        raise BadKey("it is neither hexadecimal digits nor base58") from None
    return read_private_key(raw, "SVM")


def read_private_key(raw: bytes, chain_type: ChainType | None) -> PrivateKey:
    """The private key in 32 bytes, or in the 64 of a Solana seed and its public key.

    Without a type of chain 32 bytes are an EVM key. BadKey for anything else.
    """
    if chain_type is None and len(raw) not in (_SECRET_SIZE, _KEYPAIR_SIZE):
        raise BadKey(f"a key has {_SECRET_SIZE} or {_KEYPAIR_SIZE} bytes, not {len(raw)}")
    kind: ChainType = chain_type or ("EVM" if len(raw) == _SECRET_SIZE else "SVM")
    secret = _secret(raw, kind)
    try:
        return PrivateKey(kind, secret, address_of_secret(secret, kind))
    except ValueError:
        # Do not show a library's message, which might contain the key.
        raise BadKey("it is out of the range of private keys") from None


def _secret(raw: bytes, chain_type: ChainType) -> bytes:
    """The secret in bytes; BadKey for a wrong size, or a public key that does not fit."""
    if chain_type == "EVM":
        if len(raw) != _SECRET_SIZE:
            raise BadKey(f"an EVM key has {_SECRET_SIZE} bytes, not {len(raw)}")
        return raw
    if len(raw) not in (_SECRET_SIZE, _KEYPAIR_SIZE):
        raise BadKey(f"an SVM key has {_SECRET_SIZE} or {_KEYPAIR_SIZE} bytes, not {len(raw)}")
    seed, public = raw[:_SECRET_SIZE], raw[_SECRET_SIZE:]
    if public and public != ed25519.public_key(seed):
        raise BadKey("the second half is not the public key of the first")
    return seed
