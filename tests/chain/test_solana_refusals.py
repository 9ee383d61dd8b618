"""What whole messages of Solana are refused for, beside LiteSVM: their payers, accounts and budgets."""

import json
import struct
from typing import Any

import pytest
from solders.account import Account
from solders.hash import Hash
from solders.instruction import CompiledInstruction
from solders.keypair import Keypair
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM, read_lookup_table
from mockserver.chain.solana.messages import (
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    UPGRADEABLE_LOADER,
    parse_message,
    parse_transaction,
)
from mockserver.chain.solana.programs import PROGRAMS, WITH_EXTRA, execute, fee_of, units_of
from mockserver.chain.solana.running import is_program
from mockserver.chain.solana.tokens import TOKEN_PROGRAM, SolanaState
from mockserver.chain.solana.transactions import MEMO_PROGRAM
from tests.chain.svm import (
    ACCOUNTS,
    ALICE,
    BOB,
    CAROL,
    GIVEN,
    MINE,
    NEW,
    NONCE,
    RENT,
    SLOT,
    UNSET,
    machine,
    raw,
    reset,
)
from tests.tables import cases

CLOCK = "SysvarC1ock11111111111111111111111111111111"
ED25519 = WITH_EXTRA[0]

Called = tuple[int, bytes, list[int]]


def build(keys: tuple[str, ...], *called: Called, signers: int = 1, readonly: int = 1) -> Message:
    """A message with these accounts in their order, of which the last ones are only to be read."""
    return Message.new_with_compiled_instructions(
        signers,
        0,
        readonly,
        [Pubkey.from_string(key) for key in keys],
        Hash.default(),
        [CompiledInstruction(place, data, bytes(accounts)) for place, data, accounts in called],
    )


def judged(message: Message) -> tuple[Any, int]:
    """The error, and what the transaction has cost, of Solana itself."""
    svm, payer = reset(machine()), message.account_keys[0]
    before = svm.get_account(payer)
    signatures = [Signature.default()] * message.header.num_required_signatures
    sent = svm.send_transaction(VersionedTransaction.populate(message, signatures))
    assert isinstance(sent, FailedTransactionMetadata)
    after = svm.get_account(payer)
    assert before is not None
    assert after is not None
    error: Any = sent.err()
    name = type(error).__name__.removeprefix("TransactionError")
    shown = str(error).rpartition(".")[2] if name == "Fieldless" else {name: json.loads(error.to_json())}
    return shown, before.lamports - after.lamports


def pay(lamports: int) -> bytes:
    return struct.pack("<IQ", 2, lamports)


def budget(*data: bytes) -> Message:
    called = [(2, each, list[int]()) for each in data]
    keys = (ALICE, BOB, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM)
    return build(keys, *called, (3, pay(1_000_000), [0, 1]), readonly=2)


def remark(payer: str) -> Message:
    return build((payer, MEMO_PROGRAM), (1, b"hello", []))


@cases(
    "message",
    *(remark(each) for each in (MINE, GIVEN, UNSET)),
    build((ALICE, BOB, BOB, SYSTEM_PROGRAM), (3, pay(1_000_000), [0, 1])),
    # What is a part of each cluster, and what is called, is only read, whatever the message says.
    build((ALICE, SYSTEM_PROGRAM), (1, pay(1_000_000), [0, 1]), readonly=0),
    build((ALICE, CLOCK, SYSTEM_PROGRAM), (2, pay(10_000_000), [0, 1])),
    build((ALICE, MEMO_PROGRAM, SYSTEM_PROGRAM), (2, pay(10_000_000), [0, 1]), (1, b"hello", [])),
    budget(b""),
    budget(b"\0" + bytes(8)),
    budget(b"\2\1\1\1"),
    budget(b"\3" + bytes(7)),
    budget(b"\5" + bytes(8)),
    *(budget(b"\1" + struct.pack("<I", size)) for size in (31 * 1024, 33_000, 257 * 1024)),
    budget(b"\4" + bytes(4)),
    budget(b"\2" + bytes(4), b"\2" + bytes(4)),
    budget(b"\3" + struct.pack("<Q", 2**64 - 1)),
)
def test_a_message_is_refused_as_on_solana(message: Message) -> None:
    error, cost = judged(message)
    done = execute(
        parse_message(bytes(message)),
        dict.fromkeys((*PROGRAMS, CLOCK), SolanaState(10**9)) | ACCOUNTS,
        SLOT,
        bytes(32),
    )
    assert (done.error, done.fee) == (error, cost)


def test_what_is_set_of_the_budget_has_bounds() -> None:
    sizes = [b"\1" + struct.pack("<I", kibibytes * 1024) for kibibytes in (32, 256)]
    for taken in (*sizes, b"\2" + bytes(4), b"\3" + bytes(8), b"\4" + struct.pack("<I", 1)):
        message = parse_message(bytes(budget(taken)))
        assert (
            execute(message, {ALICE: SolanaState(10**9), BOB: SolanaState(10**9)}, SLOT, bytes(32)).error
            is None
        )


@cases(
    "lamports, kept",
    (5_000, 0),
    (895_880, 890_880),
    (895_879, None),
    (800_000, 795_000),
)
def test_who_pays_keeps_the_rent_or_nothing(lamports: int, kept: int | None) -> None:
    svm, message = reset(machine()), remark(NEW)
    svm.set_account(Pubkey.from_string(NEW), Account(lamports, b"", Pubkey.from_string(SYSTEM_PROGRAM)))
    sent = svm.send_transaction(VersionedTransaction.populate(message, [Signature.default()]))
    assert isinstance(sent, FailedTransactionMetadata) == (kept is None)
    accounts = {MEMO_PROGRAM: SolanaState(1), NEW: SolanaState(lamports)}
    done = execute(parse_message(bytes(message)), accounts, SLOT, bytes(32))
    assert done.error == (None if kept is not None else {"InsufficientFundsForRent": {"account_index": 0}})
    assert done.accounts[NEW].lamports == (lamports if kept is None else kept)


def test_a_nonce_pays_what_is_beyond_its_rent() -> None:
    message = parse_message(bytes(remark(NONCE)))
    for lamports, error in ((1_452_680, None), (1_452_679, "InsufficientFundsForFee")):
        held = ACCOUNTS[NONCE]._replace(lamports=lamports)
        assert execute(message, ACCOUNTS | {NONCE: held}, SLOT, bytes(32)).error == error


PRICE = (2, b"\3" + struct.pack("<Q", 1_000_000), list[int]())


@cases(
    "program, data, called",
    (SYSTEM_PROGRAM, pay(0), 1),
    (MEMO_PROGRAM, b"hello", 1),
    (MEMO_PROGRAM, b"hello", 9),
    (LOOKUP_TABLE_PROGRAM, b"", 1),
    (TOKEN_PROGRAM, b"", 1),
)
def test_a_message_costs_what_it_costs_on_solana(program: str, data: bytes, called: int) -> None:
    keys, calls = (ALICE, program, COMPUTE_BUDGET_PROGRAM), [(1, data, [0, 0])] * called
    require_fee(build(keys, PRICE, *calls, readonly=2))


@cases("program", *WITH_EXTRA)
def test_signatures_that_programs_check_are_paid(program: str) -> None:
    for counts in (b"", b"\0", b"\1\3"):
        require_fee(build((ALICE, program), *((1, bytes([count, 0]), []) for count in counts), (1, b"", [])))


def require_fee(message: Message) -> None:
    signatures = [Signature.default()]
    sent = reset(machine()).send_transaction(VersionedTransaction.populate(message, signatures))
    meta = sent.meta() if isinstance(sent, FailedTransactionMetadata) else sent
    assert fee_of(parse_message(bytes(message))) == meta.fee()


def test_units_are_read_from_what_the_node_says_and_no_program() -> None:
    logs = [
        *(f"Program {SYSTEM_PROGRAM} invoke [1]", f"Program {SYSTEM_PROGRAM} success"),
        *(
            f"Program {TOKEN_PROGRAM} invoke [1]",
            f"Program {BOB} invoke [2]",
            "Program log: consumed all of it",
        ),
        *("Program log: success", "Transfer: insufficient lamports 1, need 2", "Program log:"),
        *(f"Program {BOB} consumed 100 of 900 compute units", f"Program {BOB} success"),
        *(
            f"Program {TOKEN_PROGRAM} consumed 700 of 900 compute units",
            f"Program {TOKEN_PROGRAM} failed: no",
        ),
        *(f"Program {MEMO_PROGRAM} invoke [1]", f"Program {MEMO_PROGRAM} success"),
    ]
    assert units_of(logs) == 150 + 700 + 4_645


def test_a_limit_of_compute_units_has_a_most() -> None:
    message = parse_message(bytes(budget(b"\2" + b"\xff" * 4, PRICE[1])))
    assert fee_of(message) == 5_000 + 1_400_000


@cases("program", 0, 2)
def test_a_program_neither_pays_nor_is_looked_up(program: int) -> None:
    one = struct.pack("B", program)
    message = bytes([0x80, 1, 0, 1, 2]) + raw(ALICE) + raw(BOB) + bytes(32) + b"\1" + one + b"\0\0"
    transaction = b"\1" + bytes(64) + message + b"\1" + raw(CAROL) + b"\1\0\0"
    with pytest.raises(ValueError, match="a program is in the message itself, and does not pay"):
        parse_transaction(transaction, lambda _: ((CAROL,), ()))


def test_an_account_that_is_nowhere_is_none_that_is_looked_up() -> None:
    message = bytes(build((ALICE, BOB, MEMO_PROGRAM), (2, b"", [3])))
    with pytest.raises(ValueError, match="an account that is not there"):
        parse_message(message, lambda _: ((), ()))


def test_a_length_is_written_in_one_way() -> None:
    signed = bytes(VersionedTransaction(remark(str(KEYS.pubkey())), [KEYS]))
    assert parse_transaction(signed)[0] == [signed[1:65]]
    with pytest.raises(ValueError, match="a length is no compact-u16"):
        parse_transaction(b"\x81\0" + signed[1:])


KEYS = Keypair.from_seed(bytes(32))


def test_what_is_called_may_be_written_to_as_it_is_upgraded() -> None:
    for loader, is_writable in ((UPGRADEABLE_LOADER, True), (RENT, False)):
        called: tuple[Called, ...] = ((1, b"", []), (2, b"", []))
        message = parse_message(bytes(build((ALICE, BOB, loader), *called)))
        assert message.is_writable(1) == is_writable


def test_data_that_are_cut_off_are_no_program_and_no_table() -> None:
    code = b"\2\0\0\0" + raw(ALICE)
    assert is_program(SolanaState(1, UPGRADEABLE_LOADER, code))
    assert not is_program(SolanaState(1, UPGRADEABLE_LOADER, code[:-1]))
    table = bytes(56) + raw(ALICE)
    assert read_lookup_table(SolanaState(1, LOOKUP_TABLE_PROGRAM, table)) is not None
    assert read_lookup_table(SolanaState(1, LOOKUP_TABLE_PROGRAM, table[:-1])) is None
