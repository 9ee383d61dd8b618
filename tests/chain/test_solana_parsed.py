"""Instructions in the encoding `jsonParsed`: whole ones are read, and others are left as bytes."""

import struct
from typing import Any

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM
from mockserver.chain.solana.messages import SYSTEM_PROGRAM, Instruction
from mockserver.chain.solana.parsed import parse_instruction, show_amount
from mockserver.chain.solana.tokens import TOKEN_PROGRAM
from tests.tables import cases

ONE, TWO, SIX, SEVEN = (base58_encode(bytes([number]) * 32) for number in (1, 2, 6, 7))
KEYS = b"\6" * 32, b"\7" * 32
TABLE = {"lookupTableAccount": ONE, "lookupTableAuthority": TWO, "payerAccount": ONE, "systemProgram": TWO}


def instruction(program: str, accounts: int, data: bytes) -> Instruction:
    return Instruction(program, tuple([ONE, TWO] * 3)[:accounts], data)


@cases(
    "program, accounts, data, info",
    (
        SYSTEM_PROGRAM,
        2,
        struct.pack("<IQQ", 0, 5, 7) + KEYS[0],
        {"source": ONE, "newAccount": TWO, "lamports": 5, "space": 7, "owner": SIX},
    ),
    (SYSTEM_PROGRAM, 2, struct.pack("<IQ", 2, 300), {"source": ONE, "destination": TWO, "lamports": 300}),
    (
        TOKEN_PROGRAM,
        2,
        b"\0\x09" + KEYS[0] + b"\1" + KEYS[1],
        {"mint": ONE, "rentSysvar": TWO, "decimals": 9, "mintAuthority": SIX, "freezeAuthority": SEVEN},
    ),
    (
        TOKEN_PROGRAM,
        2,
        b"\0\x09" + KEYS[0] + b"\0",
        {"mint": ONE, "rentSysvar": TWO, "decimals": 9, "mintAuthority": SIX},
    ),
    (
        TOKEN_PROGRAM,
        3,
        struct.pack("<BQ", 3, 2**63),
        {"source": ONE, "destination": TWO, "authority": ONE, "amount": str(2**63)},
    ),
    (
        TOKEN_PROGRAM,
        4,
        struct.pack("<BQB", 12, 1_250, 2),
        {
            "source": ONE,
            "mint": TWO,
            "destination": ONE,
            "authority": TWO,
            "tokenAmount": {"amount": "1250", "decimals": 2, "uiAmount": 12.5, "uiAmountString": "12.5"},
        },
    ),
    (
        TOKEN_PROGRAM,
        2,
        b"\6\3\1" + KEYS[1],
        {"account": ONE, "authority": TWO, "authorityType": "closeAccount", "newAuthority": SEVEN},
    ),
    (
        TOKEN_PROGRAM,
        2,
        b"\6\1\0",
        {"mint": ONE, "authority": TWO, "authorityType": "freezeAccount", "newAuthority": None},
    ),
    (LOOKUP_TABLE_PROGRAM, 4, struct.pack("<IQB", 0, 99, 3), {**TABLE, "recentSlot": 99, "bumpSeed": 3}),
    (
        LOOKUP_TABLE_PROGRAM,
        4,
        struct.pack("<IQ", 2, 2) + KEYS[0] + KEYS[1],
        {**TABLE, "newAddresses": [SIX, SEVEN]},
    ),
)
def test_only_whole_instructions_are_parsed(program: str, accounts: int, data: bytes, info: Any) -> None:
    found = parse_instruction(instruction(program, accounts, data))
    assert found is not None
    assert found["parsed"]["info"] == info
    assert parse_instruction(instruction(program, accounts - 1, data)) is None
    for length in range(len(data)):
        assert parse_instruction(instruction(program, accounts, data[:length])) is None


@cases(
    "program, data",
    (TOKEN_PROGRAM, b"\6\4\0"),
    (TOKEN_PROGRAM, b"\xff"),
    (SYSTEM_PROGRAM, b"\xff\0\0\0"),
    (ONE, b""),
)
def test_what_is_unknown_stays_bytes(program: str, data: bytes) -> None:
    assert parse_instruction(instruction(program, 6, data)) is None


@cases(
    "amount, decimals, text",
    (0, 0, "0"),
    (7, 0, "7"),
    (7, 2, "0.07"),
    (700, 2, "7"),
    (123, 2, "1.23"),
)
def test_an_amount_is_shown_in_whole_tokens(amount: int, decimals: int, text: str) -> None:
    shown = {"amount": str(amount), "decimals": decimals, "uiAmount": float(text), "uiAmountString": text}
    assert show_amount(amount, decimals) == shown
