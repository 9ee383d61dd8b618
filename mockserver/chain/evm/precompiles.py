"""Precompiled contracts, by their number (Yellow Paper, appendix E, and the EIPs since)."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TypeAlias

from mockserver.chain.evm import hashes
from mockserver.chain.evm.frames import ExceptionalHalt, Frame, Signal, Slices, Unsupported, cut, words_of
from mockserver.chain.evm.state import Fork
from mockserver.crypto import alt_bn128, secp256k1
from mockserver.crypto.keccak import keccak256

Precompile: TypeAlias = Callable[[Frame], Signal]
_ZERO = bytes(12)


def precompile_at(address: bytes, fork: Fork) -> Precompile | None:
    """The precompiled contract at an address, or None."""
    if any(address[:18]):
        return None
    number = int.from_bytes(address[18:], "big")
    found = _ALL.get(number)
    return found[2] if found is not None and fork >= found[0] else None


@cache
def precompiles_of(fork: Fork) -> Mapping[str, bytes]:
    """The addresses of all of them, which are warm from the start (EIP-2929), by their names (EIP-7910)."""
    return {name: number.to_bytes(20, "big") for number, (since, name, _) in _ALL.items() if fork >= since}


def _ecrecover(frame: Frame) -> bytes:
    frame.charge(3000)
    data = cut(frame.call.data, 0, 128)
    digest, (v, r, s) = data[:32], _numbers(data[32:], 3)
    if v not in (27, 28):
        return b""
    try:
        # Unlike for transactions a high s is fine: it is the low one with the other parity.
        parity, s = (v - 27, s) if 2 * s <= secp256k1.N else (28 - v, secp256k1.N - s)
        key = secp256k1.recover(digest, secp256k1.Signature(r, s, parity))
    except secp256k1.BadSignature:
        return b""
    return _ZERO + keccak256(key)[12:]


def _sha256(frame: Frame) -> bytes:
    frame.charge(60 + 12 * words_of(len(frame.call.data)))
    return hashlib.sha256(frame.call.data).digest()


def _ripemd160(frame: Frame) -> Slices:
    frame.charge(600 + 120 * words_of(len(frame.call.data)))
    return hashes.ripemd160(frame.call.data)


def _identity(frame: Frame) -> bytes:
    frame.charge(15 + 3 * words_of(len(frame.call.data)))
    return frame.call.data


def _modexp(frame: Frame) -> bytes:
    """EIP-198, priced by EIP-2565, since Osaka by EIP-7883, with the bounds of EIP-7823."""
    data, is_osaka = frame.call.data, frame.environment.fork >= Fork.OSAKA
    base_size, exponent_size, modulus_size = sizes = _numbers(cut(data, 0, 96), 3)
    if is_osaka and max(sizes) > 1024:
        raise ExceptionalHalt("modexp: a length is more than 1024")
    head_at = 96 + base_size
    head = int.from_bytes(cut(data, head_at, min(exponent_size, 32)), "big")
    frame.charge(_modexp_gas(base_size, exponent_size, modulus_size, head, is_osaka=is_osaka))
    if not (base_size or modulus_size):
        return b""
    base = int.from_bytes(cut(data, 96, base_size), "big")
    exponent = int.from_bytes(cut(data, head_at, exponent_size), "big")
    modulus = int.from_bytes(cut(data, head_at + exponent_size, modulus_size), "big")
    return (pow(base, exponent, modulus) if modulus else 0).to_bytes(modulus_size, "big")


def _modexp_gas(base_size: int, exponent_size: int, modulus_size: int, head: int, *, is_osaka: bool) -> int:
    size = max(base_size, modulus_size)
    complexity = ((size + 7) // 8) ** 2
    if is_osaka:
        complexity = 2 * complexity if size > 32 else 16
    rounds = max(0, head.bit_length() - 1) + (16 if is_osaka else 8) * max(0, exponent_size - 32)
    if is_osaka:
        return max(500, complexity * max(1, rounds))
    return max(200, complexity * max(1, rounds) // 3)


@contextmanager
def _points() -> Iterator[None]:
    """What is no point of the curve halts."""
    try:
        yield
    except ValueError as error:
        raise ExceptionalHalt(f"alt_bn128: {error}") from None


def _bn_add(frame: Frame) -> bytes:
    frame.charge(150)
    with _points():
        return alt_bn128.add(*_numbers(cut(frame.call.data, 0, 128), 4))


def _bn_multiply(frame: Frame) -> bytes:
    frame.charge(6000)
    with _points():
        return alt_bn128.multiply(*_numbers(cut(frame.call.data, 0, 96), 3))


def _bn_pairing(frame: Frame) -> Slices:
    """EIP-197, priced by EIP-1108: whether the product of pairings is 1, as a word."""
    count, rest = divmod(len(frame.call.data), 192)
    frame.charge(45_000 + 34_000 * count)
    if rest:
        raise ExceptionalHalt("alt_bn128: a pair is incomplete")
    numbers = iter(_numbers(frame.call.data, 6 * count))
    with _points():
        is_one = yield from alt_bn128.is_product_one(zip(*[numbers] * 6, strict=True))
    return int(is_one).to_bytes(32, "big")


def _blake2f(frame: Frame) -> Slices:
    """EIP-152, a gas for each round."""
    data = frame.call.data
    if len(data) != 213 or data[212] > 1:
        raise ExceptionalHalt("blake2f: invalid input")
    rounds = int.from_bytes(data[:4], "big")
    frame.charge(rounds)
    return hashes.blake2f(rounds, data[4:68], data[68:196], data[196:212], is_final=data[212] == 1)


def _p256_verify(frame: Frame) -> bytes:
    """EIP-7951: 1 as a word for a valid signature, else nothing."""
    from mockserver.crypto import p256

    frame.charge(6900)
    data = frame.call.data
    if len(data) != 160 or not p256.verify_digest(data[:32], *_numbers(data[32:], 4)):
        return b""
    return (1).to_bytes(32, "big")


def _unsupported(name: str) -> Precompile:
    def refuse(frame: Frame) -> bytes:
        raise Unsupported(f"the precompiled contract {name} is not supported")

    return refuse


_BLS = {
    0x0B: "BLS12_G1ADD",
    0x0C: "BLS12_G1MSM",
    0x0D: "BLS12_G2ADD",
    0x0E: "BLS12_G2MSM",
    0x0F: "BLS12_PAIRING_CHECK",
    0x10: "BLS12_MAP_FP_TO_G1",
    0x11: "BLS12_MAP_FP2_TO_G2",
}
_ALL: dict[int, tuple[Fork, str, Precompile]] = {
    0x01: (Fork.CANCUN, "ECREC", _ecrecover),
    0x02: (Fork.CANCUN, "SHA256", _sha256),
    0x03: (Fork.CANCUN, "RIPEMD160", _ripemd160),
    0x04: (Fork.CANCUN, "ID", _identity),
    0x05: (Fork.CANCUN, "MODEXP", _modexp),
    0x06: (Fork.CANCUN, "BN254_ADD", _bn_add),
    0x07: (Fork.CANCUN, "BN254_MUL", _bn_multiply),
    0x08: (Fork.CANCUN, "BN254_PAIRING", _bn_pairing),
    0x09: (Fork.CANCUN, "BLAKE2F", _blake2f),
    0x0A: (Fork.CANCUN, "KZG_POINT_EVALUATION", _unsupported("POINT_EVALUATION (KZG)")),
    **{number: (Fork.PRAGUE, name, _unsupported(name)) for number, name in _BLS.items()},
    0x100: (Fork.OSAKA, "P256VERIFY", _p256_verify),
}


def _numbers(data: bytes, count: int) -> list[int]:
    """The first words of data."""
    return [int.from_bytes(data[32 * i : 32 * i + 32], "big") for i in range(count)]
