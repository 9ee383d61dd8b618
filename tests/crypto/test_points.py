"""Multiples of points of secp256k1, against OpenSSL."""

from itertools import repeat

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto import secp256k1 as points
from mockserver.crypto.secp256k1 import G, N, P, combine, lift_x, multiply_generator
from tests.tables import cases

scalars = st.integers(1, N - 1)
AWKWARD_SCALARS = [
    *range(1, 70),
    *(2**bits + near for bits in (5, 6, 12, 127, 128, 129, 252, 255) for near in (-1, 0, 1)),
    *range(N - 70, N),
    N // 2,
    N // 2 + 1,
    int("20" * 32, 16),
]


def derive_with_openssl(scalar: int) -> tuple[int, int]:
    numbers = ec.derive_private_key(scalar, ec.SECP256K1()).public_key().public_numbers()
    return numbers.x, numbers.y


@cases("scalar", *AWKWARD_SCALARS)
def test_multiples_at_the_edges_are_those_of_openssl(scalar: int) -> None:
    expected = derive_with_openssl(scalar)
    assert multiply_generator(scalar) == expected
    assert combine(0, scalar, G) == expected


def test_the_first_multiples_are_those_of_openssl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points, "_without_table", repeat(0))
    point = derive_with_openssl(7)
    for scalar in AWKWARD_SCALARS[:: len(AWKWARD_SCALARS) // 40]:
        assert multiply_generator(scalar) == derive_with_openssl(scalar)
        assert combine(scalar, 3, point) == derive_with_openssl((scalar + 21) % N)
    assert multiply_generator(N) is None
    assert combine(N - 7 * 11, 11, point) is None


@settings(max_examples=40)
@given(scalars)
def test_any_multiple_of_the_generator_is_that_of_openssl(scalar: int) -> None:
    assert multiply_generator(scalar) == derive_with_openssl(scalar)


@settings(max_examples=40)
@given(scalars, scalars, scalars)
def test_a_combination_with_any_point_is_that_of_openssl(generator: int, scalar: int, base: int) -> None:
    total = (generator + scalar * base) % N
    expected = derive_with_openssl(total) if total else None
    assert combine(generator, scalar, derive_with_openssl(base)) == expected


def test_multiples_of_the_order_are_at_infinity() -> None:
    point = derive_with_openssl(7)
    assert multiply_generator(0) is None
    assert multiply_generator(N) is None
    assert combine(0, 0, point) is None
    assert combine(N, 2 * N, point) is None


def test_terms_that_cancel_sum_to_infinity() -> None:
    assert combine(N - 7 * 11, 11, derive_with_openssl(7)) is None


def test_terms_that_are_equal_are_doubled() -> None:
    assert combine(7 * 11, 11, derive_with_openssl(7)) == derive_with_openssl(2 * 7 * 11)


@settings(max_examples=25)
@given(scalars)
def test_a_point_is_found_by_its_x_and_the_parity_of_y(scalar: int) -> None:
    x, y = derive_with_openssl(scalar)
    assert lift_x(x, odd=y % 2 == 1) == (x, y)
    assert lift_x(x, odd=y % 2 == 0) == (x, P - y)


@cases("x", 0, 5, P, P + 1, -1)
def test_an_x_off_the_curve_is_refused(x: int) -> None:
    with pytest.raises(ValueError, match="x is"):
        lift_x(x, odd=False)
