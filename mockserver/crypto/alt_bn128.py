"""The curve alt_bn128, y^2 = x^3 + 3: addition and multiplication (EIP-196), and pairings (EIP-197).

Fp2 is Fp[i] with i^2 = -1, Fp12 is Fp[w] with w^12 = 18 w^6 - 82, so that w^6 = 9 + i. The second group is on
the twist y^2 = x^3 + 3 / (9 + i) over Fp2, and (x, y) there is (x w^2, y w^3) on the curve over Fp12.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import cache
from typing import TypeAlias, TypeVar

_P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
_ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
_LOOP = 0x19D797039BE763BA8
"""6u + 2 for u = 4965661367192848881, by which the curve is made: over it goes the optimal ate pairing."""
_FINAL = (_P**4 - _P**2 + 1) // _ORDER

AnyPoint = TypeVar("AnyPoint")
Point: TypeAlias = "tuple[int, int] | None"
"""A point of the curve; None is the one at infinity, which is written as two zeros."""
Fp2: TypeAlias = tuple[int, int]
"""a + b i."""
TwistPoint: TypeAlias = "tuple[Fp2, Fp2] | None"
"""A point of the second group; None is the one at infinity."""
Line: TypeAlias = "tuple[Fp2, Fp2, Fp2]"
"""Slope, x and y of a line on the twist."""


def add(x1: int, y1: int, x2: int, y2: int) -> bytes:
    """The sum of two points, as two words; ValueError if one is not on the curve."""
    return _encode(_add(_read(x1, y1), _read(x2, y2)))


def multiply(x: int, y: int, scalar: int) -> bytes:
    """A multiple of a point, as two words; ValueError if it is not on the curve."""
    return _encode(_multiple(_read(x, y), scalar, _add))


def is_product_one(pairs: Iterable[Iterable[int]]) -> Generator[None, None, bool]:
    """Whether the product of pairings is 1, pausing after each; ValueError if a point is in neither group.

    A pair is six numbers as EIP-197 orders them: x and y of a point, and of one on the twist the imaginary
    and the real part of x, and of y.
    """
    product = 1
    for x, y, x_imaginary, x_real, y_imaginary, y_real in pairs:
        point = _read(x, y)
        twisted = _read_twisted((x_real, x_imaginary), (y_real, y_imaginary))
        if point is not None and twisted is not None:
            product = _product(product, _miller_loop(point, twisted))
        yield
    # The pairing is f^((p^12 - 1) / r), and p^12 - 1 = (p^6 - 1) (p^6 + 1): it is 1 when f^((p^6 + 1) / r) is
    # in Fp6, whose elements have no odd powers of w; and p^6 + 1 = (p^2 + 1) (p^4 - p^2 + 1).
    zeta = _constants()[2]
    conjugate = [each * pow(zeta, at, _P) for at, each in enumerate(_unpack(product, 12))]
    return not any(_unpack(_power(_product(product, _pack(conjugate)), _FINAL), 12)[1::2])


def _read(x: int, y: int) -> Point:
    if x >= _P or y >= _P:
        raise ValueError("coordinate is not in the field")
    if not (x or y):
        return None
    if (y * y - x * x * x - 3) % _P:
        raise ValueError("point is not on the curve")
    return x, y


def _add(left: Point, right: Point) -> Point:
    if left is None or right is None:
        return right if left is None else left
    (x1, y1), (x2, y2) = left, right
    if x1 == x2 and (y1 + y2) % _P == 0:
        return None
    rise, run = (3 * x1 * x1, 2 * y1) if left == right else (y2 - y1, x2 - x1)
    slope = rise * pow(run, -1, _P)
    x = (slope * slope - x1 - x2) % _P
    return x, (slope * (x1 - x) - y1) % _P


def _multiple(
    point: AnyPoint, scalar: int, add_points: Callable[[AnyPoint | None, AnyPoint | None], AnyPoint | None]
) -> AnyPoint | None:
    """A multiple of a point of either group, by doubling and adding."""
    total: AnyPoint | None = None
    for bit in bin(scalar)[2:]:
        total = add_points(total, total)
        if bit == "1":
            total = add_points(total, point)
    return total


def _encode(point: Point) -> bytes:
    x, y = point or (0, 0)
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


# --- Fp2 and the twist ---------------------------------------------------------------------------------


def _times(left: Fp2, right: Fp2) -> Fp2:
    (a, b), (c, d) = left, right
    return (a * c - b * d) % _P, (a * d + b * c) % _P


def _minus(left: Fp2, right: Fp2) -> Fp2:
    return left[0] - right[0], left[1] - right[1]


def _over(left: Fp2, right: Fp2) -> Fp2:
    a, b = right
    norm = pow(a * a + b * b, -1, _P)
    return _times(left, (a * norm, -b * norm))


def _read_twisted(x: Fp2, y: Fp2) -> TwistPoint:
    if max(*x, *y) >= _P:
        raise ValueError("coordinate is not in the field")
    if not any((*x, *y)):
        return None
    a, b = _minus(_times(y, y), _times(x, _times(x, x)))
    if (a - _TWIST[0]) % _P or (b - _TWIST[1]) % _P:
        raise ValueError("point is not on the twist")
    if _multiple((x, y), _ORDER, _add_twisted) is not None:
        raise ValueError("point of the twist is not in the group")
    return x, y


_TWIST = _over((3, 0), (9, 1))


def _add_twisted(left: TwistPoint, right: TwistPoint) -> TwistPoint:
    if left is None or right is None:
        return right if left is None else left
    if left[0] == right[0] and left != right:
        return None
    return _step(left, right)[0]


def _step(left: tuple[Fp2, Fp2], right: tuple[Fp2, Fp2]) -> tuple[tuple[Fp2, Fp2], Line]:
    """The sum of points that are not opposite, and the line through them."""
    (x1, y1), (x2, y2) = left, right
    if left == right:
        square = _times(x1, x1)
        slope = _over((3 * square[0], 3 * square[1]), (2 * y1[0], 2 * y1[1]))
    else:
        slope = _over(_minus(y2, y1), _minus(x2, x1))
    x = _minus(_minus(_times(slope, slope), x1), x2)
    x = x[0] % _P, x[1] % _P
    y = _minus(_times(slope, _minus(x1, x)), y1)
    return (x, (y[0] % _P, y[1] % _P)), (slope, x1, y1)


def _endomorphism(point: tuple[Fp2, Fp2]) -> tuple[Fp2, Fp2]:
    """(x^p, y^p) of the point on the curve over Fp12."""
    (x, y), (of_x, of_y, _) = point, _constants()
    return _times((x[0], -x[1]), of_x), _times((y[0], -y[1]), of_y)


# --- Fp12, as an integer that has a coefficient in each slot -------------------------------------------

_SLOT = 64
"""Bytes of a slot: a coefficient of a product is below 12 p^2, which is below 2^512."""


def _pack(coefficients: list[int]) -> int:
    slots = [(each % _P).to_bytes(_SLOT, "little") for each in coefficients]
    return int.from_bytes(b"".join(slots), "little")


def _unpack(element: int, count: int) -> list[int]:
    raw = element.to_bytes(count * _SLOT, "little")
    return [int.from_bytes(raw[at : at + _SLOT], "little") for at in range(0, len(raw), _SLOT)]


def _product(left: int, right: int) -> int:
    """A product, by one multiplication of integers (Kronecker substitution)."""
    found = _unpack(left * right, 23)
    for power in range(22, 11, -1):
        found[power - 6] += 18 * found[power]
        found[power - 12] -= 82 * found[power]
    return _pack(found[:12])


def _power(base: int, exponent: int) -> int:
    total = 1
    for digit in f"{exponent:b}":
        total = _product(total, total)
        if digit == "1":
            total = _product(total, base)
    return total


@cache
def _constants() -> tuple[Fp2, Fp2, int]:
    """w^(2 (p - 1)) and w^(3 (p - 1)), which are in Fp2, and w^(p^2 - 1), which is in Fp."""
    exponents = (2 * (_P - 1), 3 * (_P - 1), _P**2 - 1)
    of_x, of_y, of_w = (_unpack(_power(1 << 8 * _SLOT, each), 12) for each in exponents)
    return (of_x[0] + 9 * of_x[6], of_x[6]), (of_y[0] + 9 * of_y[6], of_y[6]), of_w[0]


def _miller_loop(point: tuple[int, int], twisted: tuple[Fp2, Fp2]) -> int:
    """The function of the optimal ate pairing, before its final exponentiation."""
    value, total = 1, twisted

    def add_to_total(other: tuple[Fp2, Fp2]) -> None:
        nonlocal value, total
        total, line = _step(total, other)
        value = _product(value, _value(line, point))

    for bit in bin(_LOOP)[3:]:
        value = _product(value, value)
        add_to_total(total)
        if bit == "1":
            add_to_total(twisted)
    once = _endomorphism(twisted)
    x, y = _endomorphism(once)
    add_to_total(once)
    add_to_total((x, (-y[0] % _P, -y[1] % _P)))
    return value


def _value(line: Line, point: tuple[int, int]) -> int:
    """A line of the twist at a point of the curve: y' - slope x' w + (slope x - y) w^3."""
    slope, x, y = line
    a, b = slope[0] * -point[0], slope[1] * -point[0]
    c, d = _minus(_times(slope, x), y)
    # i is w^6 - 9.
    return _pack([point[1], a - 9 * b, 0, c - 9 * d, 0, 0, 0, b, 0, d])
