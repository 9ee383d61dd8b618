"""Lengths in Solana's transactions; the bytes are those of Solana's documentation of its compact-u16."""

import pytest

from mockserver.chain.solana.transactions import compact_u16
from tests.tables import cases


@cases(
    "value, encoded",
    (0x0000, "00"),
    (0x007F, "7f"),
    (0x0080, "8001"),
    (0x00FF, "ff01"),
    (0x0100, "8002"),
    (0x07FF, "ff0f"),
    (0x3FFF, "ff7f"),
    (0x4000, "808001"),
    (0xFFFF, "ffff03"),
)
def test_a_length_takes_seven_bits_a_byte(value: int, encoded: str) -> None:
    assert compact_u16(value).hex() == encoded


@cases("value", -1, 0x10000)
def test_a_length_has_sixteen_bits(value: int) -> None:
    with pytest.raises(ValueError, match="below 65536"):
        compact_u16(value)
