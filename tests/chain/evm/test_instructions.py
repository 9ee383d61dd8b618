"""The instructions: their bytes, names and constant gas, and what those get that ask for something."""

from mockserver.chain.evm.instructions import instructions_of
from mockserver.chain.evm.state import Account, Environment, Fork
from tests.chain.evm.machines import ALICE, BOB, HERE, Memory, run
from tests.tables import cases

# The Yellow Paper, appendix H, and EIP-7939: from a byte on, names with the constant part of the gas.
# A name without one has what depends on the account or the slot, and costs nothing besides.
TABLE = """
00 STOP ADD:3 MUL:5 SUB:3 DIV:5 SDIV:5 MOD:5 SMOD:5 ADDMOD:8 MULMOD:8 EXP:10 SIGNEXTEND:5
10 LT:3 GT:3 SLT:3 SGT:3 EQ:3 ISZERO:3 AND:3 OR:3 XOR:3 NOT:3 BYTE:3 SHL:3 SHR:3 SAR:3 CLZ:5
20 KECCAK256:30
30 ADDRESS:2 BALANCE ORIGIN:2 CALLER:2 CALLVALUE:2 CALLDATALOAD:3 CALLDATASIZE:2 CALLDATACOPY:3 CODESIZE:2
39 CODECOPY:3 GASPRICE:2 EXTCODESIZE EXTCODECOPY RETURNDATASIZE:2 RETURNDATACOPY:3 EXTCODEHASH BLOCKHASH:20
41 COINBASE:2 TIMESTAMP:2 NUMBER:2 PREVRANDAO:2 GASLIMIT:2 CHAINID:2 SELFBALANCE:5 BASEFEE:2 BLOBHASH:3
4a BLOBBASEFEE:2
50 POP:2 MLOAD:3 MSTORE:3 MSTORE8:3 SLOAD SSTORE JUMP:8 JUMPI:10 PC:2 MSIZE:2 GAS:2 JUMPDEST:1 TLOAD:100
5d TSTORE:100 MCOPY:3 PUSH0:2
a0 LOG0:375 LOG1:750 LOG2:1125 LOG3:1500 LOG4:1875
f0 CREATE:32000 CALL CALLCODE RETURN DELEGATECALL CREATE2:32000
fa STATICCALL
fd REVERT
ff SELFDESTRUCT:5000
"""
EVERYWHERE = Environment(
    chain_id=5,
    number=6,
    timestamp=7,
    fork=Fork.OSAKA,
    coinbase=BOB,
    base_fee=8,
    gas_limit=9,
    prev_randao=10,
    blob_base_fee=11,
    origin=HERE,
    gas_price=12,
)


def written_table() -> dict[int, tuple[str, int]]:
    found = {0x60 + n: (f"PUSH{n + 1}", 3) for n in range(32)}
    found |= {0x80 + n: (f"DUP{n + 1}", 3) for n in range(16)}
    found |= {0x90 + n: (f"SWAP{n + 1}", 3) for n in range(16)}
    for line in TABLE.split("\n")[1:-1]:
        first, *named = line.split()
        for byte, text in enumerate(named, int(first, 16)):
            name, _, gas = text.partition(":")
            found[byte] = name, int(gas or 0)
    return found


def test_each_byte_is_the_instruction_of_the_specification() -> None:
    table = dict.fromkeys(range(256), ("INVALID", 0)) | written_table()
    for fork in Fork:
        if fork < Fork.OSAKA:
            table[0x1E] = "INVALID", 0
        else:
            table |= written_table()
        assert {byte: (each.name, each.gas) for byte, each in enumerate(instructions_of(fork))} == table


@cases(
    "program, value",
    ("ADDRESS", int.from_bytes(HERE, "big")),
    ("ORIGIN", int.from_bytes(HERE, "big")),
    ("CALLER", int.from_bytes(ALICE, "big")),
    ("CALLVALUE", 3),
    ("CALLDATASIZE", 4),
    ("CODESIZE", 7),
    ("GASPRICE", 12),
    ("RETURNDATASIZE", 0),
    ("COINBASE", int.from_bytes(BOB, "big")),
    ("TIMESTAMP", 7),
    ("NUMBER", 6),
    ("PREVRANDAO", 10),
    ("GASLIMIT", 9),
    ("CHAINID", 5),
    ("SELFBALANCE", 103),
    ("BASEFEE", 8),
    ("BLOBBASEFEE", 11),
    ("PC", 0),
    ("PUSH0 POP PC", 2),
    ("MSIZE", 0),
    ("PUSH0 MLOAD POP MSIZE", 32),
    ("GAS", 100_000 - 2),
    ("0xff CLZ", 248),
    ("PUSH0 CLZ", 256),
)
def test_an_instruction_that_asks_gets_what_is_so(program: str, value: int) -> None:
    memory = Memory({ALICE: Account(balance=1_000), HERE: Account(balance=100)})
    code = f"{program} PUSH0 MSTORE 0x20 PUSH0 RETURN"
    trace = run(code, b"data", memory=memory, value=3, gas=100_000, environment=EVERYWHERE)
    assert (trace.error, int.from_bytes(trace.output, "big")) == (None, value)


# EIP-2929 and, for transient storage, EIP-1153.
@cases(
    "name, first, again",
    ("SLOAD", 2100, 100),
    ("TLOAD", 100, 100),
    ("BALANCE", 2600, 100),
    ("EXTCODESIZE", 2600, 100),
    ("EXTCODEHASH", 2600, 100),
)
def test_what_was_looked_at_costs_less_again(name: str, first: int, again: int) -> None:
    look = f"0x{'ee' * 20} {name} POP"
    assert run(f"{look} {look} STOP").gas_used == 2 * (3 + 2) + first + again
