"""Lengths in Solana's transactions; the bytes are those of Solana's documentation of its compact-u16."""

import pytest

from mockserver.chain.solana.messages import COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, Instruction, Message
from mockserver.chain.solana.programs import fee_of
from mockserver.chain.solana.transactions import MEMO_PROGRAM, compact_u16
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


PRICE = b"\x03" + (10**6).to_bytes(8, "little")
LIMIT = b"\x02" + (500).to_bytes(4, "little")


@cases(
    "signers, datas, lamports",
    (2, [], 10_000),
    (1, [PRICE], 5_000 + 3_000 + 3_000 + 200_000),
    (1, [LIMIT, PRICE], 5_000 + 500),
    (1, [LIMIT, b"\x03" + (1).to_bytes(8, "little")], 5_000 + 1),
    (1, [LIMIT], 5_000),
    ids=["nothing else", "a price", "a price and a limit", "a part of a lamport", "a limit alone"],
)
def test_a_fee_is_for_signatures_and_for_priced_units(
    signers: int, datas: list[bytes], lamports: int
) -> None:
    asked = [(SYSTEM_PROGRAM, b"\x03" * 9), (MEMO_PROGRAM, b"\x02" * 5)]
    asked += [(COMPUTE_BUDGET_PROGRAM, data) for data in datas]
    instructions = tuple(Instruction(program, (), data) for program, data in asked)
    message = Message((), signers, 0, 0, "", instructions, False)
    assert fee_of(message) == lamports
