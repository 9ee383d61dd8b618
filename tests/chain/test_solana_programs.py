"""The programs of Solana beside the programs themselves, which LiteSVM runs."""

import json
import struct
from functools import cache
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from solders.account import Account
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.litesvm import LiteSVM
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.token import state
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from mockserver.chain.solana.messages import COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, parse_message
from mockserver.chain.solana.programs import MEMO_PROGRAMS, PROGRAMS, Executed, execute
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    EMPTY,
    TOKEN_PROGRAM,
    Mint,
    SolanaState,
    TokenAccount,
    associated_token_address,
    rent_exempt,
)
from mockserver.chain.solana.transactions import MEMO_PROGRAM
from tests.tables import cases

RENT = "SysvarRent111111111111111111111111111111111"
ALICE, BOB, CAROL, MINT, COIN, MINE, THEIRS, COINS, CLOSED, BLANK, PLAN, FAKE, FALSE, NEW = (
    str(Pubkey.from_bytes(bytes([number]) * 32)) for number in range(10, 24)
)
HELD, UNOPENED = associated_token_address(ALICE, MINT), associated_token_address(BOB, MINT)


def tokens(mint: str, owner: str, amount: int = 0, **others: Any) -> SolanaState:
    return SolanaState(rent_exempt(165), TOKEN_PROGRAM, TokenAccount(mint, owner, amount, **others).pack())


ACCOUNTS = {
    ALICE: SolanaState(10**9),
    BOB: SolanaState(10**9),
    CAROL: SolanaState(3_000_000),
    MINT: SolanaState(rent_exempt(82), TOKEN_PROGRAM, Mint(ALICE, 1000, 6, BOB).pack()),
    COIN: SolanaState(rent_exempt(82), TOKEN_PROGRAM, Mint(BOB, 2**64 - 10, 2).pack()),
    MINE: tokens(MINT, ALICE, 100, delegate=BOB, delegated=40),
    THEIRS: tokens(MINT, BOB, 50),
    COINS: tokens(COIN, ALICE),
    CLOSED: tokens(MINT, BOB, closer=ALICE),
    BLANK: SolanaState(rent_exempt(165), TOKEN_PROGRAM, bytes(165)),
    PLAN: SolanaState(rent_exempt(82), TOKEN_PROGRAM, bytes(82)),
    HELD: tokens(MINT, ALICE),
    # Of a program that keeps the same bytes.
    FAKE: SolanaState(rent_exempt(82), MEMO_PROGRAM, Mint(ALICE, 1000, 6).pack()),
    FALSE: tokens(MINT, ALICE, 100)._replace(owner=MEMO_PROGRAM),
}
POOL = (*ACCOUNTS, NEW, UNOPENED)


class Step(NamedTuple):
    program: str
    kind: bytes
    accounts: tuple[str, ...]
    amount: int | None = None
    rest: bytes = b""

    @property
    def data(self) -> bytes:
        return self.kind + (b"" if self.amount is None else struct.pack("<Q", self.amount)) + self.rest


def raw(address: str) -> bytes:
    return bytes(Pubkey.from_string(address))


def system(kind: int, *accounts: str, amount: int | None = None, rest: bytes = b"") -> Step:
    return Step(SYSTEM_PROGRAM, struct.pack("<I", kind), accounts, amount, rest)


def token(kind: int, *accounts: str, amount: int | None = None, rest: bytes = b"") -> Step:
    return Step(TOKEN_PROGRAM, bytes([kind]), accounts, amount, rest)


def opened(kind: bytes, address: str, owner: str) -> Step:
    accounts = (ALICE, address, owner, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM)
    return Step(ASSOCIATED_TOKEN_PROGRAM, kind, accounts)


MOVED = (
    system(2, ALICE, BOB, amount=5_000_000),
    token(3, MINE, THEIRS, ALICE, amount=30),
    token(3, MINE, THEIRS, BOB, amount=40),
    token(3, MINE, MINE, ALICE, amount=30),
    token(12, MINE, MINT, THEIRS, ALICE, amount=30, rest=b"\6"),
    token(7, MINT, MINE, ALICE, amount=30),
    token(7, COIN, COINS, BOB, amount=9),
    token(14, MINT, MINE, ALICE, amount=30, rest=b"\6"),
    token(8, MINE, MINT, ALICE, amount=30),
    token(15, MINE, MINT, BOB, amount=30, rest=b"\6"),
    token(4, MINE, CAROL, ALICE, amount=30),
    token(13, MINE, MINT, CAROL, ALICE, amount=30, rest=b"\6"),
    token(5, MINE, ALICE),
    token(9, HELD, BOB, ALICE),
    token(9, CLOSED, BOB, ALICE),
    token(20, PLAN, rest=bytes([9]) + raw(ALICE) + b"\0"),
    token(18, BLANK, MINT, rest=raw(BOB)),
    opened(b"", UNOPENED, BOB),
    opened(b"\0", UNOPENED, BOB),
    opened(b"\1", UNOPENED, BOB),
    opened(b"\1", HELD, ALICE),
    token(3, FALSE, THEIRS, ALICE, amount=30),
    token(18, BLANK, FAKE, rest=raw(BOB)),
    system(0, ALICE, NEW, amount=rent_exempt(165), rest=struct.pack("<Q", 165) + raw(TOKEN_PROGRAM)),
)
FIXED = (
    system(1, CAROL, rest=raw(TOKEN_PROGRAM)),
    system(8, CAROL, amount=82),
    token(0, PLAN, RENT, rest=bytes([9]) + raw(ALICE) + b"\1" + raw(BOB)),
    token(1, BLANK, MINT, BOB, RENT),
    token(16, BLANK, MINT, RENT, rest=raw(BOB)),
    *(Step(memo, b"hello", ()) for memo in MEMO_PROGRAMS),
    Step(COMPUTE_BUDGET_PROGRAM, b"\2", (), rest=struct.pack("<I", 300_000)),
    Step(COMPUTE_BUDGET_PROGRAM, b"\3", (), amount=123_456),
)
AMOUNTS = (0, 1, 30, 39, 40, 41, 50, 51, 99, 100, 101, 10**9, 2**64 - 1)


@st.composite
def steps(draw: st.DrawFn) -> Step:
    """An instruction, of which one account or the amount may be another."""
    step = draw(st.sampled_from(MOVED + FIXED))
    change = draw(st.sampled_from(["nothing", "account", "amount"]))
    if change == "amount" and step in MOVED and step.amount:
        return step._replace(amount=draw(st.sampled_from(AMOUNTS)))
    if change == "account" and step in MOVED:
        accounts = list(step.accounts)
        accounts[draw(st.integers(0, len(accounts[:4]) - 1))] = draw(st.sampled_from(POOL))
        return step._replace(accounts=tuple(accounts))
    return step


def compiled(given_steps: list[Step], signers: set[str]) -> MessageV0:
    made = [
        Instruction(
            Pubkey.from_string(step.program),
            step.data,
            [AccountMeta(Pubkey.from_string(each), each in signers, True) for each in step.accounts],
        )
        for step in given_steps
    ]
    return MessageV0.try_compile(Pubkey.from_string(ALICE), made, [], Hash.default())


@cache
def machine() -> LiteSVM:
    return LiteSVM().with_sigverify(False).with_blockhash_check(False).with_transaction_history(0)


def judged(message: MessageV0) -> tuple[Any, dict[str, Any]]:
    """The error and the accounts afterwards, of the programs themselves."""
    svm = machine()
    for key in POOL:
        before = ACCOUNTS.get(key, EMPTY)
        held = Account(before.lamports, before.data, Pubkey.from_string(before.owner))
        svm.set_account(Pubkey.from_string(key), held)
    signatures = [Signature.default()] * message.header.num_required_signatures
    sent = svm.send_transaction(VersionedTransaction.populate(message, signatures))
    error = sent.err() if isinstance(sent, FailedTransactionMetadata) else None
    accounts = {key: svm.get_account(Pubkey.from_string(key)) for key in POOL}
    return error, {
        key: EMPTY if each is None else SolanaState(each.lamports, str(each.owner), bytes(each.data))
        for key, each in accounts.items()
    }


def executed(message: MessageV0) -> Executed:
    programs = dict.fromkeys((*PROGRAMS, RENT), SolanaState(10**9))
    return execute(parse_message(to_bytes_versioned(message)), programs | ACCOUNTS)


def shown(account: SolanaState) -> Any:
    """An account as solders reads it; without lamports it is gone, and of a delegate nothing may be left."""
    if not account.lamports:
        return EMPTY
    if account.owner != TOKEN_PROGRAM or not any(account.data):
        return account
    kind: Any = state.Mint if len(account.data) == 82 else state.TokenAccount
    return account._replace(data=str(kind.from_bytes(account.data)).encode())


@settings(max_examples=300)
@given(
    st.lists(
        steps(), min_size=1, max_size=3, unique_by=lambda step: (step.program, step.kind, step.accounts)
    ),
    st.sets(st.sampled_from([BOB, CAROL, NEW]), min_size=1),
)
def test_transactions_do_as_on_solana(given_steps: list[Step], signers: set[str]) -> None:
    message = compiled(given_steps, {ALICE, *signers})
    error, accounts = judged(message)
    done = executed(message)
    assert (done.error is None) == (error is None), (done.error, error)
    for key in POOL:
        assert shown(done.accounts.get(key, ACCOUNTS.get(key, EMPTY))) == shown(accounts[key]), key


SENT, TAKEN, CHECKED, MINTED, BURNT = MOVED[1], MOVED[2], MOVED[4], MOVED[5], MOVED[8]


@cases(
    "step, signers",
    (MOVED[0]._replace(amount=10**9), ()),
    (MOVED[0]._replace(amount=10**9 - 5_100), ()),
    (system(2, BOB, ALICE, amount=1), ()),
    (MOVED[-1], ()),
    (MOVED[-1]._replace(amount=10**9), (NEW,)),
    (MOVED[-1]._replace(accounts=(ALICE, BOB)), (BOB,)),
    (MOVED[-1]._replace(rest=struct.pack("<Q", 10 * 2**20 + 1) + raw(TOKEN_PROGRAM)), (NEW,)),
    (system(99, ALICE), ()),
    (system(2, ALICE, BOB, rest=b"\1\2"), ()),
    (system(1, ALICE, rest=raw(TOKEN_PROGRAM)[1:]), ()),
    (system(2, MINE, BOB, amount=1), (MINE,)),
    (FIXED[0], ()),
    (FIXED[1], ()),
    (SENT._replace(amount=101), ()),
    (SENT._replace(accounts=(MINE, COINS, ALICE)), ()),
    (SENT._replace(accounts=(MINE, THEIRS, CAROL)), (CAROL,)),
    (SENT._replace(accounts=(MINE, THEIRS)), ()),
    (SENT._replace(accounts=(ALICE, THEIRS, ALICE)), ()),
    (TAKEN, ()),
    (TAKEN._replace(amount=41), (BOB,)),
    (CHECKED._replace(accounts=CHECKED.accounts[:3]), ()),
    (CHECKED._replace(accounts=(MINE, COIN, *CHECKED.accounts[2:])), ()),
    (CHECKED._replace(rest=b"\5"), ()),
    (MINTED._replace(accounts=(MINT, COINS, ALICE)), ()),
    (MINTED._replace(accounts=(MINT, MINE, BOB)), (BOB,)),
    (MOVED[6]._replace(amount=10), (BOB,)),
    (MOVED[6], ()),
    (MOVED[7]._replace(rest=b"\5"), ()),
    (BURNT._replace(accounts=(MINE, COIN, ALICE)), ()),
    (BURNT._replace(amount=101), ()),
    (MOVED[9]._replace(rest=b"\5"), (BOB,)),
    (MOVED[10]._replace(accounts=(MINE, CAROL, CAROL)), (CAROL,)),
    (token(5, THEIRS, ALICE), ()),
    (token(9, MINE, BOB, ALICE), ()),
    (token(9, CLOSED, BOB, BOB), (BOB,)),
    (token(9, HELD, HELD, ALICE), ()),
    (token(20, MINT, rest=bytes([9]) + raw(ALICE) + b"\0"), ()),
    (token(20, PLAN, rest=bytes([9]) + raw(ALICE)), ()),
    (token(18, BLANK, MINT, rest=raw(BOB)[1:]), ()),
    (token(3, MINE, THEIRS, ALICE, rest=b"\1\2"), ()),
    (token(6, MINE, ALICE, rest=b"\2"), ()),
    (token(6, MINE, ALICE, rest=b"\2\0"), ()),
    (token(6, MINE, ALICE, rest=b"\2\1" + raw(BOB)[1:]), ()),
    (token(6, MINE, ALICE, rest=b"\4\0"), ()),
    (opened(b"\0", UNOPENED, BOB)._replace(accounts=(ALICE, UNOPENED, BOB, MINT, SYSTEM_PROGRAM, BOB)), ()),
    (token(20, BLANK, rest=bytes([9]) + raw(ALICE) + b"\0"), ()),
    (token(18, MINE, MINT, rest=raw(BOB)), ()),
    (token(18, BLANK, MINE, rest=raw(BOB)), ()),
    (token(18, PLAN, MINT, rest=raw(BOB)), ()),
    (opened(b"\0", HELD, ALICE), ()),
    (opened(b"\0", NEW, BOB), ()),
    (opened(b"\0", UNOPENED, BOB)._replace(accounts=(ALICE, UNOPENED, BOB, MINT, SYSTEM_PROGRAM)), ()),
)
def test_what_fails_fails_for_the_reason_it_has_on_solana(step: Step, signers: tuple[str, ...]) -> None:
    message = compiled([FIXED[5], step], {ALICE, *signers})
    error, accounts = judged(message)
    done = executed(message)
    assert done.error is not None
    assert words_of(done.error) == json.loads(error.to_json())
    assert done.accounts[ALICE].lamports == accounts[ALICE].lamports


def test_logs_have_memos_and_where_it_failed() -> None:
    memo, too_much = Step(MEMO_PROGRAM, b"hello", ()), MOVED[0]._replace(amount=10**9)
    assert executed(compiled([memo, too_much], {ALICE})).logs == (
        f"Program {MEMO_PROGRAM} invoke [1]",
        'Program log: Memo (len 5): "hello"',
        f"Program {MEMO_PROGRAM} success",
        f"Program {SYSTEM_PROGRAM} invoke [1]",
        "Program log: Transfer: insufficient lamports 999995000, need 1000000000",
        f"Program {SYSTEM_PROGRAM} failed: custom program error: 0x1",
    )


@cases(
    "lamports, error",
    (None, "AccountNotFound"),
    (4_999, "InsufficientFundsForFee"),
    (5_000, {"InstructionError": [0, "UnsupportedProgramId"]}),
)
def test_what_is_not_executed_says_why(lamports: int | None, error: object) -> None:
    message = parse_message(to_bytes_versioned(compiled([Step(NEW, b"", ())], {ALICE})))
    done = execute(message, {} if lamports is None else {ALICE: SolanaState(lamports)})
    assert (done.error, done.fee) == (error, 5_000 if lamports == 5_000 else 0)


def words_of(error: Any) -> Any:
    """An error as solders writes it."""
    [words] = error.values()
    if isinstance(words, dict):
        return words
    place, reason = words
    return [place, reason["Custom"] if isinstance(reason, dict) else reason]
