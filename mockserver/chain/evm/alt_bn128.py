"""Addition and multiplication on the curve alt_bn128, y^2 = x^3 + 3 (EIP-196)."""

from __future__ import annotations

from typing import TypeAlias

from mockserver.chain.evm.frames import ExceptionalHalt

_P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
Point: TypeAlias = "tuple[int, int] | None"
"""A point of the curve; None is the one at infinity, which is written as two zeros."""


def add(x1: int, y1: int, x2: int, y2: int) -> bytes:
    """The sum of two points, as two words; ExceptionalHalt if one is not on the curve."""
    return _encode(_add(_read(x1, y1), _read(x2, y2)))


def multiply(x: int, y: int, scalar: int) -> bytes:
    """A multiple of a point, as two words; ExceptionalHalt if it is not on the curve."""
    point, total = _read(x, y), None
    for bit in bin(scalar)[2:]:
        total = _add(total, total)
        if bit == "1":
            total = _add(total, point)
    return _encode(total)


def _read(x: int, y: int) -> Point:
    if x >= _P or y >= _P:
        raise ExceptionalHalt("alt_bn128: coordinate is not in the field")
    if not (x or y):
        return None
    if (y * y - x * x * x - 3) % _P:
        raise ExceptionalHalt("alt_bn128: point is not on the curve")
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


def _encode(point: Point) -> bytes:
    x, y = point or (0, 0)
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")
