"""The curve alt_bn128. Random pairs are judged by the executable specification, in `tests/chain/evm`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.crypto.alt_bn128 import is_product_one, multiply
from mockserver.kernel.effort import finish
from tests.chain.evm.random_cases import NEGATIVE, POINT, TWIST_POINT
from tests.tables import cases
from tests.thoroughness import THOROUGHNESS

P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
ORDER = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
PAIRS = (
    (
        0x1C76476F4DEF4BB94541D57EBBA1193381FFA7AA76ADA664DD31C16024C43F59,
        0x3034DD2920F673E204FEE2811C678745FC819B55D3E9D294E45C9B03A76AEF41,
        0x209DD15EBFF5D46C4BD888E51A93CF99A7329636C63514396B4A452003A35BF7,
        0x04BF11CA01483BFA8B34B43561848D28905960114C8AC04049AF4B6315A41678,
        0x2BB8324AF6CFC93537A2AD1A445CFD0CA2A71ACD7AC41FADBF933C2A51BE344D,
        0x120A2A4CF30C1BF9845F20C6FE39E07EA2CCE61F0C9BB048165FE5E4DE877550,
    ),
    (
        0x111E129F1CF1097710D41C4AC70FCDFA5BA2023C6FF1CBEAC322DE49D1B6DF7C,
        0x2032C61A830E3C17286DE9462BF242FCA2883585B93870A73853FACE6A6BF411,
        *TWIST_POINT,
    ),
)
"""Of which the product is 1, as a client of Ethereum tests it."""
OUTSIDE_Y = (
    0x0D1271953ED9EA0836846E70A1934187998C7F790CB4D7511B7F8DA82DE048A4,
    0x2869111D5381F072F8E2728FDB825A51AADD70E52C9830E9AB4B871C0531F1BB,
)
"""With an x of 1, on the twist and not in the group; found by py_ecc."""


def multiple_of(scalar: int) -> tuple[int, int]:
    found = multiply(*POINT, scalar)
    return int.from_bytes(found[:32], "big"), int.from_bytes(found[32:], "big")


def test_a_known_product_of_pairings_is_one() -> None:
    assert finish(is_product_one(PAIRS))
    assert finish(is_product_one([*reversed(PAIRS), (0, 0, *TWIST_POINT), (*POINT, 0, 0, 0, 0)]))
    assert not finish(is_product_one(PAIRS[:1]))
    assert not finish(is_product_one([PAIRS[0], PAIRS[0]]))
    assert finish(is_product_one([]))


@settings(max_examples=4 * THOROUGHNESS)
@given(first=st.integers(0, ORDER), second=st.integers(0, ORDER))
def test_pairings_are_bilinear(first: int, second: int) -> None:
    points = multiple_of(first), multiple_of(second), multiple_of(-(first + second) % ORDER)
    assert finish(is_product_one((*point, *TWIST_POINT) for point in points))
    points = multiple_of(first), multiple_of(second), multiple_of(1 - (first + second) % ORDER + ORDER)
    assert not finish(is_product_one((*point, *TWIST_POINT) for point in points))


@cases(
    "pair, reason",
    ((1, 3, *TWIST_POINT), "not on the curve"),
    ((1, P + 2, *TWIST_POINT), "not in the field"),
    ((*POINT, *TWIST_POINT[:3], P), "not in the field"),
    ((*POINT, *TWIST_POINT[:3], TWIST_POINT[3] + 1), "not on the twist"),
    ((0, 0, *TWIST_POINT[2:], *TWIST_POINT[:2]), "not on the twist"),
    ((*NEGATIVE, 0, 1, *OUTSIDE_Y), "not in the group"),
)
def test_what_is_in_neither_group_is_refused(pair: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        finish(is_product_one([PAIRS[0], pair]))
