"""The curve secp256k1, and ECDSA on it as Ethereum uses it: deterministic (RFC 6979), with a low s (EIP-2).

`libsecp256k1` does it where it is installed, but for the first few multiplications, which take less than its
import. Elsewhere arithmetic (SEC 2, section 2.4.1) is in plain Python integers. OpenSSL multiplies on this
curve with its generic ladder (0.4 ms, and 0.8 ms to derive a key) and never gives the y coordinate of a
product. A table of multiples of the generator, and the curve's endomorphism for every other point, take less
than half of that.
Nothing here is constant-time: the keys are those of tests.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice
from operator import itemgetter, length_hint
from typing import Final, Self, TypeAlias

from mockserver.crypto import libsecp256k1

# --- points ------------------------------------------------------------------------------------------

P: Final = 2**256 - 2**32 - 977
N: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141

Point: TypeAlias = tuple[int, int] | None
"""Affine coordinates; None is the point at infinity."""

Affine: TypeAlias = tuple[int, int]
Jacobian: TypeAlias = tuple[int, int, int]
"""Jacobian coordinates: (X, Y, Z) is the affine point (X/Z^2, Y/Z^3); Z = 0 is the point at infinity."""

G: Final[Affine] = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
_INFINITY: Final[Jacobian] = (1, 1, 0)

# GLV: secp256k1 has the endomorphism LAMBDA * (x, y) = (BETA * x, y), so a multiplication by a 256-bit scalar
# can be two by 128-bit scalars that share their doublings. (A1, B1) and (A2, B2) are the short lattice basis
# that splits the scalar (Guide to Elliptic Curve Cryptography, algorithm 3.74).
_BETA: Final = 0x7AE96A2B657C07106E64479EAC3434E99CF0497512F58995C1396C28719501EE
_A1: Final = 0x3086D221A7D46BCDE86C90E49284EB15
_B1: Final = -0xE4437ED6010E88286F547FA90ABFE4C3
_A2: Final = 0x114CA50F7A8E2F3F657C1108D9D44CFD8
_B2: Final = _A1

_WINDOW_BITS: Final = 9
_WINDOW: Final = 1 << _WINDOW_BITS
_WINDOWS: Final = 15
"""So many hold half of a split scalar, of up to 128 bits, and a carry."""

_without_table = iter(range(8))
"""Counts the first multiplications of the generator: its table takes as long as 22, importing a library as
long as seven, and a start needs two."""


def lift_x(x: int, odd: bool) -> Affine:
    """Return the point with this x whose y is odd or even; ValueError if the curve has no such x."""
    if not 0 <= x < P:
        raise ValueError("x is no element of the field")
    square = (x * x * x + 7) % P
    # P % 4 == 3, so this power is a square root if there is one.
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        raise ValueError("x is not on the curve")
    return (x, P - y) if bool(y & 1) != odd else (x, y)


def multiply_generator(scalar: int) -> Point:
    """Return scalar * G."""
    return _to_affine(_add_generator_multiple(_INFINITY, scalar))


def combine(generator_scalar: int, scalar: int, point: Affine) -> Point:
    """Return generator_scalar * G + scalar * point, which recovering a public key needs."""
    return _to_affine(_add_generator_multiple(_multiply(scalar, point), generator_scalar))


def _add_generator_multiple(total: Jacobian, scalar: int) -> Jacobian:
    """Return total + scalar * G, with an addition from a table for every nine bits of the scalar."""
    scalar %= N
    if next(_without_table, None) is not None:
        product = _to_affine(_multiply(scalar, G))
        return total if product is None else _add(total, product)
    for half, rows in zip(_split_scalar(scalar), _generator_multiples(), strict=True):
        rest, is_negative = abs(half), half < 0
        for row in rows:
            digit = rest & (_WINDOW - 1)
            rest >>= _WINDOW_BITS
            # Signed digits: a digit above half is taken as negative with a carry into the next window.
            # Negating a point is free, so the table needs only half of the multiples.
            if digit > _WINDOW // 2:
                rest += 1
                x, y = row[_WINDOW - digit - 1]
                total = _add(total, (x, y if is_negative else P - y))
            elif digit:
                x, y = row[digit - 1]
                total = _add(total, (x, P - y if is_negative else y))
    return total


def _multiply(scalar: int, point: Affine) -> Jacobian:
    """Return scalar * point: both halves of the split scalar share one run of some 128 doublings."""
    first, second = _split_scalar(scalar % N)
    odd = _odd_multiples(point)
    # Multiples of LAMBDA * point for one field multiplication each, thanks to the endomorphism.
    turned = [(x * _BETA % P, y) for x, y in odd]
    terms = [(position, digit, odd) for position, digit in _sparse_digits(first)]
    terms += [(position, digit, turned) for position, digit in _sparse_digits(second)]
    terms.sort(key=itemgetter(0), reverse=True)
    total = _INFINITY
    height = terms[0][0] if terms else 0
    for position, digit, multiples in terms:
        for _ in range(height - position):
            total = _double(total)
        height = position
        x, y = multiples[abs(digit) >> 1]
        total = _add(total, (x, y if digit > 0 else P - y))
    for _ in range(height):
        total = _double(total)
    return total


def _double(point: Jacobian) -> Jacobian:
    x, y, z = point
    square = y * y % P
    d = 4 * x * square % P
    e = 3 * x * x % P
    x3 = (e * e - 2 * d) % P
    return x3, (e * (d - x3) - 8 * square * square) % P, 2 * y * z % P


def _add(left: Jacobian, right: Affine) -> Jacobian:
    x1, y1, z1 = left
    x2, y2 = right
    if not z1:
        return x2, y2, 1
    z_square = z1 * z1 % P
    h = (x2 * z_square - x1) % P
    r = (y2 * z_square * z1 - y1) % P
    # The formula fails for equal x: the points are opposite, or the same, which has to be doubled.
    if not h:
        return _INFINITY if r else _double(left)
    h_square = h * h % P
    h_cube = h * h_square % P
    v = x1 * h_square % P
    x3 = (r * r - h_cube - 2 * v) % P
    return x3, (r * (v - x3) - y1 * h_cube) % P, z1 * h % P


def _to_affine(point: Jacobian) -> Point:
    x, y, z = point
    if not z:
        return None
    inverse = pow(z, -1, P)
    square = inverse * inverse % P
    return x * square % P, y * square * inverse % P


def _all_to_affine(points: list[Jacobian]) -> list[Affine]:
    """Convert finite points to affine coordinates."""
    affine: list[Affine] = []
    for (x, y, _), inverse in zip(points, _invert_all([z for _, _, z in points]), strict=True):
        square = inverse * inverse % P
        affine.append((x * square % P, y * square * inverse % P))
    return affine


def _invert_all(values: list[int]) -> list[int]:
    """Return the inverses of values, none of them 0, with a single inversion (Montgomery's trick)."""
    products = list(accumulate(values, lambda a, b: a * b % P, initial=1))
    inverse = pow(products.pop(), -1, P)
    inverses: list[int] = []
    for value, product in zip(reversed(values), reversed(products), strict=True):
        inverses.append(inverse * product % P)
        inverse = inverse * value % P
    return inverses[::-1]


def _odd_multiples(point: Affine) -> list[Affine]:
    """Return 1, 3, 5 ... 15 times the point."""
    (twice,) = _all_to_affine([_double((*point, 1))])
    added = accumulate(range(7), lambda total, _: _add(total, twice), initial=(*point, 1))
    return _all_to_affine(list(added))


@cache
def _generator_multiples() -> tuple[list[list[Affine]], list[list[Affine]]]:
    """Return, for every window of half a scalar, 1 to 256 times the generator shifted to that window.

    The second table has LAMBDA times the points of the first. Each round of additions doubles
    every row, and all of a round share one inversion.
    """
    shifted: Jacobian = (*G, 1)
    bases = [shifted]
    while len(bases) < _WINDOWS:
        for _ in range(_WINDOW_BITS):
            shifted = _double(shifted)
        bases.append(shifted)
    rows = [[base] for base in _all_to_affine(bases)]
    while len(rows[0]) < _WINDOW // 2:
        sums = iter(_add_pairs([(point, row[-1]) for row in rows for point in row]))
        for row in rows:
            row += list(islice(sums, len(row)))
    return rows, [[(x * _BETA % P, y) for x, y in row] for row in rows]


def _add_pairs(pairs: list[tuple[Affine, Affine]]) -> list[Affine]:
    """Return the sum of each pair of points, none of which may be opposite, with a single inversion."""
    slopes = [_slope(left, right) for left, right in pairs]
    sums: list[Affine] = []
    for (left, right), (rise, _), inverse in zip(
        pairs, slopes, _invert_all([run for _, run in slopes]), strict=True
    ):
        x1, y1 = left
        slope = rise * inverse % P
        x3 = (slope * slope - x1 - right[0]) % P
        sums.append((x3, (slope * (x1 - x3) - y1) % P))
    return sums


def _slope(left: Affine, right: Affine) -> tuple[int, int]:
    """Return the rise and the run of the line through points that are not opposite; of a tangent for one."""
    (x1, y1), (x2, y2) = left, right
    return (3 * x1 * x1, 2 * y1) if left == right else (y2 - y1, x2 - x1)


def _split_scalar(scalar: int) -> tuple[int, int]:
    """Return two signed halves with first + second * LAMBDA = scalar (mod N), each of about 128 bits."""
    # Round to the nearest lattice point; the difference to it is short.
    c1 = (_B2 * scalar + N // 2) // N
    c2 = (-_B1 * scalar + N // 2) // N
    return scalar - c1 * _A1 - c2 * _A2, -c1 * _B1 - c2 * _B2


def _sparse_digits(scalar: int) -> Iterator[tuple[int, int]]:
    """Yield the width-5 non-adjacent form as (position, odd digit from -15 to 15), the lowest first."""
    position = 0
    while scalar:
        zeros = (scalar & -scalar).bit_length() - 1
        position += zeros
        scalar >>= zeros
        digit = scalar & 31
        if digit > 16:
            digit -= 32
        scalar -= digit
        yield position, digit


# --- signatures --------------------------------------------------------------------------------------


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
        # 27 % 27 and 0 % 27 are both parity 0: wallets write either.
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
    scalar = _read_secret(secret)
    return libsecp256k1.public_key(secret) if _has_library() else _encode(multiply_generator(scalar))


def sign(secret: bytes, digest: bytes) -> Signature:
    """Sign a 32-byte digest: the same secret and digest always give the same signature, with a low s."""
    scalar = _read_secret(secret)
    z = _read_digest(digest)
    reduced_digest = (z % N).to_bytes(32, "big")
    if _has_library():
        raw = libsecp256k1.sign(secret, reduced_digest)
        return Signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:64], "big"), raw[64])
    nonces = _nonces(secret, reduced_digest)
    while True:
        nonce = next(nonces)
        point = multiply_generator(nonce)
        # r is x mod N, and recovery would need to know whether x was reduced (recovery ids 2 and 3). Ethereum
        # has no v for that, so the next nonce is tried; the probability is about 2^-127.
        if point is None or not 0 < point[0] < N:
            continue
        r, y = point
        s = pow(nonce, -1, N) * (z + r * scalar) % N
        # EIP-2: of s and N - s, which are both valid, only the lower one is accepted. Negating s negates the
        # nonce point, so the parity of its y flips.
        if s > N // 2:
            return Signature(r, N - s, y & 1 ^ 1)
        if s:
            return Signature(r, s, y & 1)


def recover(digest: bytes, signature: Signature) -> bytes:
    """Return the 64-byte key that signed a 32-byte digest; BadSignature for a high s or where no key can."""
    z = _read_digest(digest)
    if signature.s > N // 2:
        raise BadSignature("s is in the upper half of the order (EIP-2)")
    if _has_library():
        key = libsecp256k1.recover(digest, signature.to_bytes()[:64] + bytes([signature.y_parity]))
        # Without a key, what follows says why.
        if key is not None:
            return key
    try:
        nonce_point = lift_x(signature.r, odd=signature.y_parity == 1)
    except ValueError:
        raise BadSignature("r is not the x coordinate of a point on the curve") from None
    # Q = r^-1 * (s * R - z * G) (SEC 1, 4.1.6).
    inverse = pow(signature.r, -1, N)
    point = combine(-z * inverse, signature.s * inverse, nonce_point)
    if point is None:
        raise BadSignature("the key would be the point at infinity")
    return _encode(point)


def _has_library() -> bool:
    return not length_hint(_without_table) and libsecp256k1.is_installed()


def _encode(point: tuple[int, int] | None) -> bytes:
    assert point is not None, "no multiple of the generator by 1 to N - 1 is at infinity"
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
    # K and V of RFC 6979, steps b to h. The digest is passed reduced mod N (bits2octets).
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
