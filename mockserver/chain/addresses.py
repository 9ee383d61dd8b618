"""EVM addresses: from keys (EIP-55), from deployments (CREATE and CREATE2)."""

import re
from functools import lru_cache

from mockserver.chain import rlp
from mockserver.crypto.keccak import keccak256

ZERO_ADDRESS = "0x" + "0" * 40
"""The zero address: the sender of mints, the recipient of burns, and the encoding of no address."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")


def is_address(text: str) -> bool:
    """Whether the text is `0x` and forty hex digits, whatever their case."""
    return _ADDRESS.fullmatch(text) is not None


def address_bytes(address: str) -> bytes:
    """Return the twenty bytes of an address; ValueError when it is none."""
    if not is_address(address):
        raise ValueError("An address is 0x and 40 hex digits.")
    return bytes.fromhex(address[2:])


def to_checksum(address: str) -> str:
    """Return an address with its EIP-55 checksum; ValueError when it is none."""
    return _spell(address_bytes(address))


def checksum_of(raw: bytes) -> str:
    """Return the EIP-55 address of twenty bytes; ValueError for another length."""
    if len(raw) != 20:
        raise ValueError(f"An address has 20 bytes, not {len(raw)}.")
    return _spell(raw)


def address_of(public_key: bytes) -> str:
    """Return the EIP-55 address of a public key, given as its 64 bytes x and y."""
    if len(public_key) != 64:
        raise ValueError(f"A public key has 64 bytes, not {len(public_key)}.")
    return _spell(keccak256(public_key)[12:])


def create_address(sender: str, nonce: int) -> str:
    """Return the address of the contract that an account creates with this nonce (Yellow Paper, 7)."""
    return _spell(keccak256(rlp.encode([address_bytes(sender), nonce]))[12:])


def create2_address(factory: str, salt: bytes, init_code_hash: bytes) -> str:
    """Return the address of a CREATE2 deployment (EIP-1014); salt and hash have 32 bytes each."""
    if len(salt) != 32 or len(init_code_hash) != 32:
        raise ValueError("The salt and the hash of the init code have 32 bytes each.")
    return _spell(keccak256(b"\xff" + address_bytes(factory) + salt + init_code_hash)[12:])


# EIP-55 capitalises a letter if the same nibble of the hash is eight or more. Of such a digit this table
# makes 0x20, the case bit of ASCII, and of the others zero.
_RAISED = bytes.maketrans(b"0123456789abcdef", bytes(8) + b"\x20" * 8)
_LETTER_BITS = int.from_bytes(b"\x40" * 40, "big")


@lru_cache(maxsize=4096)
def _spell(raw: bytes) -> str:
    # All forty digits at once as one big integer: every address in every answer is written here.
    digits = raw.hex().encode("ascii")
    raised = int.from_bytes(keccak256(digits)[:20].hex().encode("ascii").translate(_RAISED), "big")
    number = int.from_bytes(digits, "big")
    # ASCII letters have the bit 0x40, which digits lack. Shifted right by one it is the case bit 0x20, so
    # the mask never changes a digit.
    spelt = number ^ (raised & (number & _LETTER_BITS) >> 1)
    return "0x" + spelt.to_bytes(40, "big").decode("ascii")
