"""Hash functions of precompiled contracts that the standard library does not have, or not everywhere."""

import struct
from collections.abc import Callable, Sequence
from math import isqrt

from mockserver.chain.evm.frames import Slices

_MASK_32 = 0xFFFFFFFF
_MASK_64 = 0xFFFFFFFFFFFFFFFF

# RIPEMD-160 (Dobbertin, Bosselaers, Preneel): two lines of five rounds with 16 steps each.
_PERMUTATION = (7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8)
_LEFT_ORDER = range(16)
_RIGHT_ORDER = [(9 * i + 5) % 16 for i in range(16)]
_LEFT_CONSTANTS = (0, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E)
_RIGHT_CONSTANTS = (0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0)
_ROTATIONS = (
    (11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    (12, 13, 11, 15, 6, 9, 9, 7, 12, 15, 11, 13, 7, 8, 7, 7),
    (13, 15, 14, 11, 7, 7, 6, 8, 13, 14, 13, 12, 5, 5, 6, 9),
    (14, 11, 12, 14, 8, 6, 5, 5, 15, 12, 15, 14, 9, 9, 8, 6),
    (15, 12, 13, 13, 9, 5, 8, 6, 14, 11, 12, 11, 8, 6, 5, 5),
)


_FUNCTIONS: tuple[Callable[[int, int, int], int], ...] = (
    lambda x, y, z: x ^ y ^ z,
    lambda x, y, z: (x & y) | (~x & z),
    lambda x, y, z: (x | ~y) ^ z,
    lambda x, y, z: (x & z) | (y & ~z),
    lambda x, y, z: x ^ (y | ~z),
)

_BLOCKS_IN_A_SLICE = 50


def ripemd160(data: bytes) -> Slices:
    """The digest of RIPEMD-160 as a word, in slices: OpenSSL has it only with old algorithms switched on."""
    padded = data + b"\x80" + bytes(-(len(data) + 9) % 64) + struct.pack("<Q", 8 * len(data))
    chain = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    for start in range(0, len(padded), 64):
        words = struct.unpack_from("<16I", padded, start)
        left = _run_line(chain, words, _LEFT_ORDER, _LEFT_CONSTANTS, _FUNCTIONS)
        right = _run_line(chain, words, _RIGHT_ORDER, _RIGHT_CONSTANTS, _FUNCTIONS[::-1])
        chain = [(chain[(i + 1) % 5] + left[(i + 2) % 5] + right[(i + 3) % 5]) & _MASK_32 for i in range(5)]
        if start // 64 % _BLOCKS_IN_A_SLICE == _BLOCKS_IN_A_SLICE - 1:
            yield
    return struct.pack("<12x5I", *chain)


def _run_line(
    chain: Sequence[int],
    words: Sequence[int],
    order: Sequence[int],
    constants: Sequence[int],
    functions: Sequence[Callable[[int, int, int], int]],
) -> list[int]:
    """One of the two lines of RIPEMD-160 over a block: five rounds, each in another order of the words."""
    a, b, c, d, e = chain
    for constant, function, rotations in zip(constants, functions, _ROTATIONS, strict=True):
        for word in order:
            total = (a + function(b, c, d) + words[word] + constant) & _MASK_32
            rotated = _rotate_left(total, rotations[word], 32) + e
            a, b, c, d, e = e, rotated & _MASK_32, b, _rotate_left(c, 10, 32), d
        order = [_PERMUTATION[word] for word in order]
    return [a, b, c, d, e]


def _rotate_left(value: int, count: int, bits: int) -> int:
    return (value << count | value >> bits - count) & ((1 << bits) - 1)


# BLAKE2b (RFC 7693): the initial vector, and the order of words in ten rounds.
_INITIAL = tuple(isqrt(prime << 128) & _MASK_64 for prime in (2, 3, 5, 7, 11, 13, 17, 19))
_SCHEDULE = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
_MIXED = [
    (i, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4)
    for shift in (0, 1)
    for i in range(4)
]
_ROUNDS_IN_A_SLICE = 1000


def blake2f(rounds: int, chain: bytes, block: bytes, offsets: bytes, *, is_final: bool) -> Slices:
    """The compression function F of BLAKE2b (RFC 7693, 3.2), in slices of some ten milliseconds."""
    h, words, counts = (
        struct.unpack("<8Q", chain),
        struct.unpack("<16Q", block),
        struct.unpack("<2Q", offsets),
    )
    v = [*h, *_INITIAL]
    v[12] ^= counts[0]
    v[13] ^= counts[1]
    if is_final:
        v[14] ^= _MASK_64
    for number in range(rounds):
        _mix_all(v, words, _SCHEDULE[number % 10])
        if number % _ROUNDS_IN_A_SLICE == _ROUNDS_IN_A_SLICE - 1:
            yield
    return struct.pack("<8Q", *(h[i] ^ v[i] ^ v[i + 8] for i in range(8)))


def _mix_all(v: list[int], words: Sequence[int], order: Sequence[int]) -> None:
    for i, (a, b, c, d) in enumerate(_MIXED):
        for word, first, second in ((order[2 * i], 32, 24), (order[2 * i + 1], 16, 63)):
            v[a] = (v[a] + v[b] + words[word]) & _MASK_64
            v[d] = _rotate_left(v[d] ^ v[a], 64 - first, 64)
            v[c] = (v[c] + v[d]) & _MASK_64
            v[b] = _rotate_left(v[b] ^ v[c], 64 - second, 64)
