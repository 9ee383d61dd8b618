"""What contracts do when they are executed, with code from solc and with single instructions."""

import hashlib
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import decode_values
from mockserver.chain.abi.reverts import decode_revert
from mockserver.chain.addresses import address_bytes, create_address
from mockserver.chain.evm import hashes
from mockserver.chain.evm.frames import Call
from mockserver.chain.evm.instructions.arithmetic import WORD, signed
from mockserver.chain.evm.interpreter import execute
from mockserver.chain.evm.state import Account, State
from mockserver.chain.transactions import EvmTransaction
from mockserver.kernel.effort import finish
from tests.chain.evm.machines import (
    ALICE,
    BOB,
    CONTRACTS,
    ENVIRONMENT,
    HERE,
    Memory,
    apply,
    assemble,
    calldata,
    deploy,
    run,
    send,
)
from tests.chain.evm.random_cases import NEGATIVE, POINT, TWIST_POINT
from tests.tables import cases

WORDS = st.one_of(st.integers(0, WORD), st.sampled_from([0, 1, 31, 32, 255, 256, 2**255, 2**255 - 1, WORD]))
ETHER = 10**18


def word(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(32, "big") for value in values)


# --- contracts -----------------------------------------------------------------------------------------


def test_a_transfer_moves_tokens_and_says_so() -> None:
    memory = Memory()
    token = deploy(memory, "Token", "Token", "TKN", 1000)
    sent = send(memory, token, calldata("Token", "transfer", "0x" + BOB.hex(), 300))
    assert (sent.error, word(sent.output)) == (None, 1)
    balances = [
        word(send(memory, token, calldata("Token", "balanceOf", "0x" + who.hex())).output)
        for who in (ALICE, BOB)
    ]
    assert balances == [700, 300]


def test_a_revert_carries_its_error_and_changes_nothing() -> None:
    memory = Memory()
    token = deploy(memory, "Token", "Token", "TKN", 3)
    before = dict(memory.slots)
    sent = send(memory, token, calldata("Token", "transfer", "0x" + BOB.hex(), 10))
    assert sent.error == "execution reverted"
    name, reason = decode_revert(sent.output, CONTRACTS["Token"]["abi"])
    assert name == "ERC20InsufficientBalance"
    assert "3, 10" in reason
    assert memory.slots == before


@cases(
    "function, expected",
    ("plain", b""),
    ("text", "plain text"),
    ("panicAssert", 0x01),
    ("burn", None),
    ids=lambda value: str(value),
)
def test_each_way_to_fail_says_which_it_was(function: str, expected: Any) -> None:
    memory = Memory()
    failed = send(memory, deploy(memory, "Reverts"), calldata("Reverts", function), gas=50_000)
    if expected is None:
        assert (failed.error, failed.gas_left) == ("invalid opcode: 0xfe", 0)
    elif expected == b"":
        assert failed.output == b""
    else:
        kind = "string" if isinstance(expected, str) else "uint256"
        assert decode_values([kind], failed.output[4:]) == (expected,)
        assert failed.gas_left > 0


def test_reentrancy_empties_a_bank_that_has_no_guard() -> None:
    for guarded in (False, True):
        memory = Memory({ALICE: Account(balance=10 * ETHER), BOB: Account(balance=10 * ETHER)})
        bank = deploy(memory, "Bank", guarded)
        send(memory, bank, calldata("Bank", "deposit"), sender=BOB, value=3 * ETHER)
        attacker = deploy(memory, "Attacker", "0x" + bank.hex())
        attack = send(memory, attacker, calldata("Attacker", "attack"), value=ETHER)
        assert (attack.error is not None) == guarded
        assert memory.account(bank).balance == (3 * ETHER if guarded else 0)


# Where there is a contract already, all gas is lost but a 64th.
@cases("is_taken, lost", (False, 0), (True, 967_994 - 967_994 // 64))
def test_where_a_contract_is_created_is_warm_afterwards(is_taken: bool, lost: int) -> None:
    made = address_bytes(create_address("0x" + HERE.hex(), 0))
    memory = Memory({made: Account(code=b"\x00")} if is_taken else {})
    # Three times PUSH0, CREATE, and EXTCODESIZE of a warm address.
    trace = run(f"PUSH0 PUSH0 PUSH0 CREATE 0x{made.hex()} EXTCODESIZE STOP", memory=memory)
    assert trace.gas_used == 6 + 32_000 + lost + 3 + 100


def test_a_factory_creates_where_it_predicts() -> None:
    memory = Memory({ALICE: Account(balance=ETHER)})
    factory, salt = deploy(memory, "Factory"), bytes(range(32))
    predicted = send(memory, factory, calldata("Factory", "predict", 7, salt)).output[12:]
    made = send(memory, factory, calldata("Factory", "make", 7, salt), value=5).output[12:]
    assert made == predicted
    assert memory.account(made).balance == 5
    assert word(send(memory, made, calldata("Child", "v")).output) == 7
    assert send(memory, factory, calldata("Factory", "make", 7, salt)).error == "execution reverted"


def test_only_a_contract_of_the_same_transaction_is_destroyed() -> None:
    memory = Memory({ALICE: Account(balance=ETHER)})
    factory = deploy(memory, "Factory")
    nonce = memory.account(factory).nonce
    send(memory, factory, calldata("Factory", "makeAndBoom", 1), value=9)
    child = address_bytes(create_address("0x" + factory.hex(), nonce))
    assert memory.account(child) == Account()
    assert memory.account(factory).balance == 9
    later = word(send(memory, factory, calldata("Factory", "makePlain", 1)).output).to_bytes(20, "big")
    send(memory, later, calldata("Child", "boom"))
    assert memory.account(later).code, "one that is older stays"


def test_a_proxy_runs_other_code_on_its_own_storage() -> None:
    memory = Memory()
    token = deploy(memory, "Token", "Token", "TKN", 0)
    proxy = deploy(memory, "Proxy", "0x" + token.hex())
    send(memory, proxy, calldata("Token", "mint", "0x" + BOB.hex(), 5))
    held = [
        word(send(memory, at, calldata("Token", "balanceOf", "0x" + BOB.hex())).output)
        for at in (proxy, token)
    ]
    assert held == [5, 0]


def test_a_delegated_account_runs_the_code_of_its_delegate() -> None:
    memory = Memory({ALICE: Account(balance=ETHER)})
    batch = deploy(memory, "Batch")
    memory.accounts[BOB] = Account(balance=ETHER, code=b"\xef\x01\x00" + batch)
    transaction = EvmTransaction(ALICE, BOB, 1, calldata("Batch", "execute", []), 100_000, 0, 0, 0)
    outcome = finish(apply(memory, ENVIRONMENT, transaction))
    assert outcome.trace.error is None
    (account,) = [outcome.accounts[BOB]]
    assert account is not None
    assert account.balance == ETHER + 1


def test_calls_nest_to_a_depth_of_1024() -> None:
    memory = Memory()
    target = deploy(memory, "Reverts")
    assert send(memory, target, calldata("Reverts", "deep", 200), gas=10**9).error is None
    recursive = "PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 ADDRESS GAS CALL PUSH0 SLOAD 0x01 ADD PUSH0 SSTORE"
    refused = "PUSH0 PUSH0 PUSH0 CREATE ISZERO 0x01 SLOAD ADD 0x01 SSTORE"
    run(f"{recursive} {refused}", memory=memory, gas=10**15)
    assert (memory.slots[HERE, 0], memory.slots[HERE, 1]) == (1025, 1), "the deepest creates nothing"


def test_creations_nest_like_calls() -> None:
    memory = Memory()
    init_code = assemble("PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 CALLER GAS CALL").hex()
    create = f"0x{init_code} PUSH0 MSTORE 0x08 0x18 PUSH0 CREATE"
    run(f"PUSH0 SLOAD 0x01 ADD PUSH0 SSTORE {create}", memory=memory, gas=10**15)
    assert memory.slots[HERE, 0] == 513, "every other call is that of a constructor"


def test_an_endless_loop_pauses_until_its_gas_is_gone() -> None:
    memory = Memory()
    target = deploy(memory, "Reverts")
    call = Call(
        "CALL", ALICE, target, 0, calldata("Reverts", "loop"), 3 * 10**6, memory.account(target).code, target
    )
    pauses = execute(State(memory), ENVIRONMENT, call)
    count = sum(1 for _ in pauses)
    assert count > 5


# --- instructions --------------------------------------------------------------------------------------


def evaluate(program: str, *operands: int) -> int:
    """What an instruction leaves, with operands from the top of the stack down."""
    pushes = b"".join(b"\x7f" + operand.to_bytes(32, "big") for operand in reversed(operands))
    return word(run(pushes + assemble(f"{program} PUSH0 MSTORE 0x20 PUSH0 RETURN")).output)


@given(left=WORDS, right=WORDS)
def test_arithmetic_is_that_of_words(left: int, right: int) -> None:
    assert evaluate("ADD", left, right) == (left + right) % 2**256
    assert evaluate("SUB", left, right) == (left - right) % 2**256
    assert evaluate("MUL", left, right) == (left * right) % 2**256
    assert evaluate("EXP", left, right) == pow(left, right, 2**256)
    quotient, rest = divmod(left, right) if right else (0, 0)
    assert (evaluate("DIV", left, right), evaluate("MOD", left, right)) == (quotient, rest)


@given(left=WORDS, right=WORDS)
def test_signed_division_rounds_towards_zero(left: int, right: int) -> None:
    quotient, rest = signed(evaluate("SDIV", left, right)), signed(evaluate("SMOD", left, right))
    if right == 0:
        assert (quotient, rest) == (0, 0)
    elif (left, signed(right)) == (2**255, -1):
        assert (quotient, rest) == (-(2**255), 0)
    else:
        assert quotient * signed(right) + rest == signed(left)
        assert abs(rest) < abs(signed(right))
        assert rest == 0 or (rest < 0) == (signed(left) < 0)


@given(shift=st.one_of(st.integers(0, 300), WORDS), value=WORDS)
def test_shifts_fill_with_zeros_or_the_sign(shift: int, value: int) -> None:
    within = min(shift, 256)
    assert evaluate("SHL", shift, value) == (value << within) % 2**256
    assert evaluate("SHR", shift, value) == value >> within
    assert signed(evaluate("SAR", shift, value)) == signed(value) >> within


@given(value=WORDS)
def test_leading_zeros_are_counted(value: int) -> None:
    assert evaluate("CLZ", value) == f"{value:0256b}".index("1") if value else 256


@given(size=st.integers(0, 40), value=WORDS)
def test_a_sign_is_extended_from_its_byte(size: int, value: int) -> None:
    raw = value.to_bytes(32, "big")
    expected = value if size > 31 else int.from_bytes(raw[31 - size :], "big", signed=True) % 2**256
    assert evaluate("SIGNEXTEND", size, value) == expected


@given(index=st.integers(0, 40) | WORDS, value=WORDS)
def test_a_byte_is_counted_from_the_left(index: int, value: int) -> None:
    assert evaluate("BYTE", index, value) == (value.to_bytes(32, "big")[index] if index < 32 else 0)


@given(left=WORDS, right=WORDS, modulus=WORDS)
def test_words_are_compared_and_combined(left: int, right: int, modulus: int) -> None:
    expected = {
        "LT": left < right,
        "GT": left > right,
        "SLT": signed(left) < signed(right),
        "SGT": signed(left) > signed(right),
        "EQ": left == right,
        "AND": left & right,
        "OR": left | right,
        "XOR": left ^ right,
    }
    assert {name: evaluate(name, left, right) for name in expected} == expected
    assert (evaluate("ISZERO", left), evaluate("NOT", left)) == (left == 0, WORD - left)
    for name, result in (("ADDMOD", left + right), ("MULMOD", left * right)):
        assert evaluate(name, left, right, modulus) == (result % modulus if modulus else 0)


@cases(
    "original, stored, used, refund",
    (0, (0, 0), 212, 0),
    (0, (0, 1), 20_112, 0),
    (0, (1, 0), 20_112, 19_900),
    (0, (1, 2), 20_112, 0),
    (0, (1, 1), 20_112, 0),
    (1, (0, 0), 3012, 4800),
    (1, (0, 1), 3012, 2800),
    (1, (0, 2), 3012, 0),
    (1, (2, 0), 3012, 4800),
    (1, (2, 3), 3012, 0),
    (1, (2, 1), 3012, 2800),
    (1, (2, 2), 3012, 0),
    (1, (1, 0), 3012, 4800),
    (1, (1, 2), 3012, 0),
    (1, (1, 1), 212, 0),
    (0, (1, 0, 1), 40_118, 19_900),
    (1, (0, 1, 0), 5918, 7600),
)
def test_storing_costs_what_eip_3529_lists(
    original: int, stored: tuple[int, ...], used: int, refund: int
) -> None:
    memory = Memory({HERE: Account(0, 0, b"")})
    memory.slots[HERE, 0] = original
    state = State(memory)
    state.warm((HERE, 0))
    code = assemble(" ".join(f"0x{value:02x} 0x00 SSTORE" for value in stored))
    call = Call("CALL", ALICE, HERE, 0, b"", 100_000, code, HERE)
    trace = finish(execute(state, ENVIRONMENT, call))
    assert (100_000 - trace.gas_left, state.refunds) == (used, refund)


@cases(
    "code, error",
    ("ADD", "stack underflow"),
    ("0x05 JUMP", "invalid jump destination"),
    ("0x5b PUSH0 JUMP", "invalid jump destination"),
    ("0x01 0x05 JUMPI", "invalid jump destination"),
    ("0xffffffff MLOAD", "out of gas"),
    ("0x01 PUSH0 PUSH0 RETURNDATACOPY", "return data out of bounds"),
    ("0xc001 PUSH0 PUSH0 CREATE", "max initcode size exceeded"),
)
def test_what_cannot_be_done_ends_the_call_and_takes_its_gas(code: str, error: str) -> None:
    ended = run(code)
    assert (ended.error, ended.gas_left) == (error, 0)
    assert ended.stopped_at == len(assemble(code)) - 1


def test_a_full_stack_ends_the_call() -> None:
    assert run(b"\x5f" * 1024).error is None
    assert run(b"\x5f" * 1025).error == "stack limit reached 1024"


def test_bytes_behind_a_push_are_no_place_to_jump_to() -> None:
    assert run(bytes.fromhex("605b600156")).error == "invalid jump destination"
    assert run(bytes.fromhex("5b60005600")).error == "out of gas"


# --- precompiled contracts -----------------------------------------------------------------------------


def precompiled(number: int, data: bytes) -> bytes:
    """What a precompiled contract answers, called by code."""
    target = number.to_bytes(20, "big")
    memory = Memory()
    return send(memory, target, data, gas=10**8).output


@given(data=st.binary(max_size=300))
def test_hashes_are_those_of_the_standard_library(data: bytes) -> None:
    assert precompiled(2, data) == hashlib.sha256(data).digest()
    assert precompiled(4, data) == data


@cases(
    "text, digest",
    (b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"),
    (b"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
    (b"1234567890" * 8, "9b752e45573d4b39f4dbd3323cab82bf63326bfb"),
)
def test_ripemd_160_has_the_published_digests(text: bytes, digest: str) -> None:
    assert precompiled(3, text).hex() == digest.zfill(64)


@given(data=st.binary(max_size=128))
@example(data=bytes(range(128)))
def test_a_block_of_blake2_is_that_of_the_standard_library(data: bytes) -> None:
    # The parameter block of an unkeyed digest of 64 bytes.
    first = hashes._INITIAL[0] ^ 0x01010040
    chain = b"".join(each.to_bytes(8, "little") for each in (first, *hashes._INITIAL[1:]))
    block, offsets = data.ljust(128, b"\0"), len(data).to_bytes(16, "little")
    compressed = precompiled(9, (12).to_bytes(4, "big") + chain + block + offsets + b"\1")
    assert compressed == hashlib.blake2b(data).digest()


@given(base=WORDS, exponent=WORDS, modulus=WORDS)
def test_modexp_is_a_power(base: int, exponent: int, modulus: int) -> None:
    expected = pow(base, exponent, modulus) if modulus else 0
    assert precompiled(5, words(32, 32, 32, base, exponent, modulus)) == words(expected)


@cases(
    "base_size, exponent, gas",
    (32, b"\1" + bytes(31), 16 * 248),
    (32, bytes(32), 500),
    (33, b"\1" + bytes(31), 2 * 5**2 * 248),
    (64, b"\1" + bytes(39), 2 * 8**2 * (248 + 16 * 8)),
    (65, bytes(40), 2 * 9**2 * 16 * 8),
)
def test_modexp_costs_what_eip_7883_says(base_size: int, exponent: bytes, gas: int) -> None:
    data = words(base_size, len(exponent), 1) + bytes(base_size) + exponent + b"\1"
    ended = send(Memory(), (5).to_bytes(20, "big"), data, gas=10**6)
    assert 10**6 - ended.gas_left == gas


def test_points_of_alt_bn128_add_up() -> None:
    double = precompiled(6, words(1, 2, 1, 2))
    assert precompiled(7, words(1, 2, 2)) == double
    order = 21888242871839275222246405745257275088548364400416034343698204186575808495617
    assert precompiled(7, words(1, 2, order)) == words(0, 0)


def test_pairings_are_checked_and_paid_for_by_the_pair() -> None:
    pair, opposite = words(*POINT, *TWIST_POINT), words(*NEGATIVE, *TWIST_POINT)
    assert precompiled(8, b"") == precompiled(8, pair + opposite) == words(1)
    assert precompiled(8, pair) == words(0)
    whole = send(Memory(), (8).to_bytes(20, "big"), pair, gas=10**6)
    assert 10**6 - whole.gas_left == 45_000 + 34_000
    for data in (pair[:-1], pair + b"\0", words(1, 3, *TWIST_POINT)):
        refused = send(Memory(), (8).to_bytes(20, "big"), data, gas=10**6)
        assert ((refused.error or "")[:10], refused.gas_left) == ("alt_bn128:", 0)


# --- transactions --------------------------------------------------------------------------------------


def transfer(**changed: Any) -> EvmTransaction:
    return EvmTransaction(ALICE, BOB, 1, b"", 21_000, 0, 10**9, 0)._replace(**changed)


def test_a_transaction_burns_the_base_fee_and_pays_the_rest() -> None:
    memory = Memory({ALICE: Account(balance=ETHER)})
    environment = ENVIRONMENT._replace(base_fee=7, coinbase=HERE)
    outcome = finish(apply(memory, environment, transfer(max_priority_fee_per_gas=2)))
    memory.keep(outcome.accounts, outcome.storage)
    assert outcome.gas_used == 21_000
    assert memory.account(HERE).balance == 2 * 21_000
    assert sum(account.balance for account in memory.accounts.values()) == ETHER - 7 * 21_000


@cases(
    "init_code, code, error",
    ("6160005ff3", bytes(24_576), None),
    ("6160015ff3", b"", "max code size exceeded"),
    ("60ee5f5360015ff3", b"\xee", None),
    ("60ef5f5360015ff3", b"", "invalid code: must not begin with 0xef"),
)
def test_what_a_creation_returns_is_code_within_bounds(
    init_code: str, code: bytes, error: str | None
) -> None:
    memory = Memory({ALICE: Account(balance=ETHER)})
    given = transfer(to=None, value=0, data=bytes.fromhex(init_code), gas=10**7)
    outcome = finish(apply(memory, ENVIRONMENT, given))
    memory.keep(outcome.accounts, outcome.storage)
    made = address_bytes(create_address("0x" + ALICE.hex(), 0))
    assert (memory.account(made).code, outcome.trace.error) == (code, error)


def test_the_address_of_a_new_contract_is_the_published_one() -> None:
    sender = "0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0"
    assert create_address(sender, 0).lower() == "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d"
