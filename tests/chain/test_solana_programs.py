"""The programs of Solana beside the programs themselves, which LiteSVM runs."""

import json
import struct
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.token import state
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from mockserver.chain.solana.lookup_tables import LOOKUP_TABLE_PROGRAM, LookupFailed, look_up
from mockserver.chain.solana.messages import COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM, parse_message
from mockserver.chain.solana.programs import PROGRAMS, Executed, execute
from mockserver.chain.solana.running import rent_exempt
from mockserver.chain.solana.tokens import (
    ASSOCIATED_TOKEN_PROGRAM,
    EMPTY,
    NATIVE_MINT,
    TOKEN_PROGRAM,
    SolanaState,
    associated_token_address,
)
from mockserver.chain.solana.transactions import FIRST_MEMO_PROGRAM, MEMO_PROGRAM, MEMO_PROGRAMS
from tests.chain.svm import (
    ACCOUNTS,
    ALICE,
    BLANK,
    BLOCKHASHES,
    BOB,
    CAROL,
    CLOSED,
    COIN,
    COINS,
    COLD,
    EMPTIED,
    ENDING,
    FAKE,
    FALSE,
    GIVEN,
    GONE,
    HELD,
    LATE,
    MADE,
    MADE_BY,
    MINE,
    MINT,
    NEW,
    NONCE,
    OLD,
    PLAN,
    POOL,
    POOR,
    RENT,
    SEEDED,
    SEEDED_LAMPORTS,
    SEEDED_TOKEN,
    SLOT,
    SOL,
    SOLS,
    TABLE,
    THEIRS,
    UNOPENED,
    UNSET,
    machine,
    raw,
    reset,
)
from tests.tables import cases

# LiteSVM does not have it.
NEWEST_MEMO_PROGRAM = "Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH"


class Step(NamedTuple):
    program: str
    kind: bytes
    accounts: tuple[str, ...]
    amount: int | None = None
    rest: bytes = b""

    @property
    def data(self) -> bytes:
        return self.kind + (b"" if self.amount is None else struct.pack("<Q", self.amount)) + self.rest


def system(kind: int, *accounts: str, amount: int | None = None, rest: bytes = b"") -> Step:
    return Step(SYSTEM_PROGRAM, struct.pack("<I", kind), accounts, amount, rest)


def token(kind: int, *accounts: str, amount: int | None = None, rest: bytes = b"") -> Step:
    return Step(TOKEN_PROGRAM, bytes([kind]), accounts, amount, rest)


def opened(kind: bytes, address: str, owner: str) -> Step:
    accounts = (ALICE, address, owner, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM)
    return Step(ASSOCIATED_TOKEN_PROGRAM, kind, accounts)


def table(kind: int, *accounts: str, rest: bytes = b"") -> Step:
    return Step(LOOKUP_TABLE_PROGRAM, struct.pack("<I", kind), accounts, rest=rest)


def seed(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def based(text: str) -> bytes:
    return raw(ALICE) + seed(text)


NONCES = (
    system(4, NONCE, BLOCKHASHES, ALICE),
    system(5, NONCE, BOB, BLOCKHASHES, RENT, ALICE, amount=rent_exempt(165) - rent_exempt(80)),
    system(6, UNSET, BLOCKHASHES, RENT, rest=raw(BOB)),
    system(7, NONCE, ALICE, rest=raw(BOB)),
)
SEEDS = (
    system(3, ALICE, SEEDED, rest=based("new") + struct.pack("<QQ", rent_exempt(9), 9) + raw(TOKEN_PROGRAM)),
    system(9, SEEDED_TOKEN, ALICE, rest=based("old") + struct.pack("<Q", 20) + raw(TOKEN_PROGRAM)),
    system(10, SEEDED_TOKEN, ALICE, rest=based("old") + raw(TOKEN_PROGRAM)),
    system(11, SEEDED_LAMPORTS, ALICE, BOB, amount=5_000_000, rest=seed("coins") + raw(SYSTEM_PROGRAM)),
)
SEEDED_BY = (b"new", b"old", b"old", b"coi")
OF_MARK = str(Pubkey.from_bytes(bytes(11) + b"ProgramDerivedAddress"))
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
    token(9, SOL, ALICE, BOB),
    token(9, SOLS, ALICE, BOB),
    token(3, SOL, SOLS, ALICE, amount=30),
    token(8, SOL, NATIVE_MINT, ALICE, amount=30),
    token(10, MINE, MINT, BOB),
    token(11, COLD, MINT, BOB),
    token(17, SOL),
    table(0, MADE, ALICE, ALICE, SYSTEM_PROGRAM, rest=MADE_BY),
    table(2, TABLE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 2) + raw(MINE) + raw(MINT)),
    table(1, TABLE, ALICE),
    table(3, TABLE, ALICE),
    table(4, OLD, ALICE, BOB),
    token(6, SOL, ALICE, rest=b"\2\1" + raw(BOB)),
    token(18, BLANK, NATIVE_MINT, rest=raw(BOB)),
    token(20, PLAN, rest=bytes([9]) + raw(ALICE) + b"\0"),
    token(18, BLANK, MINT, rest=raw(BOB)),
    opened(b"", UNOPENED, BOB),
    opened(b"\0", UNOPENED, BOB),
    opened(b"\1", UNOPENED, BOB),
    opened(b"\1", HELD, ALICE),
    token(3, FALSE, THEIRS, ALICE, amount=30),
    token(18, BLANK, FAKE, rest=raw(BOB)),
    *NONCES,
    system(5, NONCE, BOB, BLOCKHASHES, RENT, ALICE, amount=rent_exempt(165)),
    *SEEDS,
    system(0, ALICE, NEW, amount=rent_exempt(165), rest=struct.pack("<Q", 165) + raw(TOKEN_PROGRAM)),
)
FIXED = (
    system(1, CAROL, rest=raw(TOKEN_PROGRAM)),
    system(8, CAROL, amount=82),
    token(0, PLAN, RENT, rest=bytes([9]) + raw(ALICE) + b"\1" + raw(BOB)),
    token(1, BLANK, MINT, BOB, RENT),
    token(16, BLANK, MINT, RENT, rest=raw(BOB)),
    *(Step(memo, b"hello", (BOB,)) for memo in MEMO_PROGRAMS if memo != NEWEST_MEMO_PROGRAM),
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
        # An account of another program is not refused where nothing is written to it.
        others = [each for each in POOL if each != FALSE]
        places = [place for place, each in enumerate(accounts[:4]) if each != SYSTEM_PROGRAM]
        accounts[draw(st.sampled_from(places))] = draw(st.sampled_from(others))
        return step._replace(accounts=tuple(accounts))
    return step


def compiled(given_steps: list[Step], signers: set[str], read_only: str = "") -> MessageV0:
    made = [
        Instruction(
            Pubkey.from_string(step.program),
            step.data,
            [
                AccountMeta(Pubkey.from_string(each), each in signers, each != read_only)
                for each in step.accounts
            ],
        )
        for step in given_steps
    ]
    return MessageV0.try_compile(Pubkey.from_string(ALICE), made, [], Hash.default())


def judged(message: MessageV0) -> tuple[Any, dict[str, Any], list[str]]:
    """The error, the accounts afterwards and the logs, of the programs themselves."""
    svm = reset(machine())
    signatures = [Signature.default()] * message.header.num_required_signatures
    sent = svm.send_transaction(VersionedTransaction.populate(message, signatures))
    error = sent.err() if isinstance(sent, FailedTransactionMetadata) else None
    logs = sent.meta().logs() if isinstance(sent, FailedTransactionMetadata) else sent.logs()
    accounts = {key: svm.get_account(Pubkey.from_string(key)) for key in (*POOL, MADE)}
    after = {
        key: EMPTY if each is None else SolanaState(each.lamports, str(each.owner), bytes(each.data))
        for key, each in accounts.items()
    }
    return error, after, logs


def executed(message: MessageV0) -> Executed:
    programs = dict.fromkeys((*PROGRAMS, RENT, BLOCKHASHES), SolanaState(10**9))
    return execute(parse_message(to_bytes_versioned(message)), programs | ACCOUNTS, SLOT, bytes(32))


def shown(account: SolanaState) -> Any:
    """An account as solders reads it; without lamports it is gone, and of a delegate nothing may be left."""
    if not account.lamports:
        return EMPTY
    if account.owner != TOKEN_PROGRAM or not any(account.data):
        return account
    kind: Any = state.Mint if len(account.data) == 82 else state.TokenAccount
    return account._replace(data=str(kind.from_bytes(account.data)).encode())


@settings(max_examples=200)
@given(
    st.lists(
        steps(), min_size=1, max_size=3, unique_by=lambda step: (step.program, step.kind, step.accounts)
    ),
    st.sets(st.sampled_from([BOB, CAROL, NEW]), min_size=1),
)
@example([Step(TOKEN_PROGRAM, b"\3", (MINE, MINE, BOB), 30)], {BOB})
@example([Step(TOKEN_PROGRAM, b"\5", (MINE, BOB), None)], {BOB})
@example([table(4, OLD, ALICE, BOB), system(2, ALICE, OLD, amount=5_000_000)], {BOB})
def test_transactions_do_as_on_solana(given_steps: list[Step], signers: set[str]) -> None:
    require_alike(given_steps, signers)


def test_every_amount_is_moved_or_refused_as_on_solana() -> None:
    for step in MOVED + FIXED:
        for amount in AMOUNTS if step in MOVED and step.amount else (step.amount,):
            require_alike([step._replace(amount=amount)], {BOB, CAROL, NEW})


def require_alike(given_steps: list[Step], signers: set[str]) -> None:
    message = compiled(given_steps, {ALICE, *signers})
    error, accounts, _ = judged(message)
    done = executed(message)
    assert (done.error is None) == (error is None), (done.error, error)
    for key in (*POOL, MADE):
        assert shown(done.accounts.get(key, ACCOUNTS.get(key, EMPTY))) == shown(accounts[key]), key


NO_MINTS = associated_token_address(BOB, MINE, TOKEN_PROGRAM)
OF_NO_PROGRAM = associated_token_address(BOB, MINT, BOB)
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
    (FIXED[1]._replace(accounts=(MINE,)), (MINE,)),
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
    (token(6, MINE, BOB, rest=b"\2\1" + raw(BOB)), (BOB,)),
    (token(6, CLOSED, BOB, rest=b"\3\0"), (BOB,)),
    (token(6, MINT, BOB, rest=b"\0\0"), (BOB,)),
    (token(6, NATIVE_MINT, ALICE, rest=b"\0\1" + raw(ALICE)), ()),
    (token(6, COIN, BOB, rest=b"\1\1" + raw(BOB)), (BOB,)),
    (opened(b"\0", UNOPENED, BOB)._replace(accounts=(ALICE, UNOPENED, BOB, MINT, SYSTEM_PROGRAM, BOB)), ()),
    (
        opened(b"\0", OF_NO_PROGRAM, BOB)._replace(
            accounts=(ALICE, OF_NO_PROGRAM, BOB, MINT, SYSTEM_PROGRAM, BOB)
        ),
        (),
    ),
    (token(20, BLANK, rest=bytes([9]) + raw(ALICE) + b"\0"), ()),
    (token(18, MINE, MINT, rest=raw(BOB)), ()),
    (token(18, BLANK, MINE, rest=raw(BOB)), ()),
    (token(18, PLAN, MINT, rest=raw(BOB)), ()),
    (SENT._replace(accounts=(COLD, THEIRS, ALICE)), ()),
    (SENT._replace(accounts=(MINE, COLD, ALICE)), ()),
    (MINTED._replace(accounts=(MINT, COLD, ALICE)), ()),
    (MINTED._replace(accounts=(NATIVE_MINT, SOL, ALICE)), ()),
    (BURNT._replace(accounts=(COLD, MINT, ALICE), amount=1), ()),
    (BURNT._replace(accounts=(SOL, NATIVE_MINT, ALICE)), ()),
    (token(4, COLD, CAROL, ALICE, amount=30), ()),
    (token(5, COLD, ALICE), ()),
    (token(6, COLD, ALICE, rest=b"\2\1" + raw(BOB)), ()),
    (token(10, COLD, MINT, BOB), (BOB,)),
    (token(11, MINE, MINT, BOB), (BOB,)),
    (token(10, MINE, MINT, ALICE), ()),
    (token(10, MINE, COIN, BOB), (BOB,)),
    (token(10, COINS, COIN, BOB), (BOB,)),
    (token(10, SOL, NATIVE_MINT, ALICE), ()),
    (token(17, MINE), ()),
    (table(0, TABLE, ALICE, ALICE, SYSTEM_PROGRAM, rest=MADE_BY), ()),
    (table(0, MADE, ALICE, rest=MADE_BY), ()),
    (table(0, NEW, ALICE, ALICE, SYSTEM_PROGRAM, rest=MADE_BY), ()),
    (table(0, MADE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", SLOT + 9) + b"\0"), ()),
    (table(2, TABLE, BOB, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), (BOB,)),
    (table(2, GONE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    (table(2, OLD, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    (table(2, TABLE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 0)), ()),
    (table(2, TABLE, ALICE, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    (table(2, TABLE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 2) + raw(MINE)), ()),
    (table(2, TABLE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 255) + raw(MINE) * 255), ()),
    (table(2, MINE, ALICE, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    *((table(kind, TABLE, BOB, BOB), (BOB,)) for kind in (1, 3, 4)),
    *((table(kind, GONE, ALICE, BOB), ()) for kind in (1, 3, 4)),
    *((table(kind, MINE, ALICE, BOB), ()) for kind in (1, 3, 4)),
    *((table(kind, OLD, ALICE), ()) for kind in (1, 3, 4)),
    (table(1, EMPTIED, ALICE), ()),
    (table(4, TABLE, ALICE, BOB), ()),
    (table(4, ENDING, ALICE, BOB), ()),
    (table(4, OLD, ALICE, OLD), ()),
    (opened(b"\0", HELD, ALICE), ()),
    (opened(b"\0", NEW, BOB), ()),
    (
        opened(b"\0", UNOPENED, BOB)._replace(
            accounts=(BOB, UNOPENED, BOB, MINT, SYSTEM_PROGRAM, TOKEN_PROGRAM)
        ),
        (),
    ),
    (
        opened(b"\0", NO_MINTS, BOB)._replace(
            accounts=(ALICE, NO_MINTS, BOB, MINE, SYSTEM_PROGRAM, TOKEN_PROGRAM)
        ),
        (),
    ),
    (token(6, MINE, BOB, rest=b"\2\1" + raw(BOB)), ()),
    (table(0, MADE, ALICE, BOB, SYSTEM_PROGRAM, rest=MADE_BY), ()),
    (table(2, TABLE, BOB, ALICE, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    (table(2, TABLE, ALICE, BOB, SYSTEM_PROGRAM, rest=struct.pack("<Q", 1) + raw(MINE)), ()),
    (opened(b"\0", UNOPENED, BOB)._replace(accounts=(ALICE, UNOPENED, BOB, MINT, SYSTEM_PROGRAM)), ()),
    (system(1, MINE, rest=raw(MEMO_PROGRAM)), (MINE,)),
    (system(0, MINE, NEW, amount=rent_exempt(0), rest=bytes(8) + raw(TOKEN_PROGRAM)), (MINE, NEW)),
    (system(2, GIVEN, ALICE, amount=5), (GIVEN,)),
    (NONCES[0]._replace(accounts=(NONCE, RENT, ALICE)), ()),
    (NONCES[0]._replace(accounts=(NONCE, BLOCKHASHES)), ()),
    (NONCES[0]._replace(accounts=(NONCE,)), ()),
    *(
        (step._replace(accounts=(other, *step.accounts[1:])), ())
        for step in NONCES
        for other in (NONCE, UNSET, BOB, MINE)
        if other != step.accounts[0]
    ),
    (NONCES[1]._replace(amount=rent_exempt(165) - rent_exempt(80) + 1), ()),
    (NONCES[1]._replace(amount=2**64 - 1), ()),
    (NONCES[1]._replace(accounts=(NONCE, BOB, BLOCKHASHES, RENT)), ()),
    (NONCES[2]._replace(rest=raw(BOB)[1:]), ()),
    (NONCES[3]._replace(accounts=(NONCE, BOB)), (BOB,)),
    *(
        (step._replace(rest=step.rest.replace(made, b"any")), ())
        for step, made in zip(SEEDS, SEEDED_BY, strict=True)
    ),
    (SEEDS[0]._replace(rest=based("x" * 33) + struct.pack("<QQ", 9, 9) + raw(TOKEN_PROGRAM)), ()),
    (SEEDS[0]._replace(rest=based("x" * 32) + struct.pack("<QQ", 9, 9) + raw(TOKEN_PROGRAM)), ()),
    (SEEDS[0]._replace(accounts=(BOB, SEEDED)), (BOB,)),
    (SEEDS[0]._replace(accounts=(BOB, SEEDED, ALICE)), ()),
    (SEEDS[3]._replace(accounts=(SEEDED_LAMPORTS, CAROL, ALICE)), ()),
    (MOVED[-1]._replace(accounts=(BOB, NEW)), (NEW,)),
    (NONCES[2]._replace(accounts=(POOR, BLOCKHASHES, RENT)), ()),
    (SEEDS[1]._replace(rest=based("old") + struct.pack("<Q", 11 * 2**20) + raw(TOKEN_PROGRAM)), ()),
    (SEEDS[2]._replace(rest=based("old") + raw(OF_MARK)), ()),
    (SEEDS[3]._replace(amount=10**10), ()),
    (SEEDS[3]._replace(accounts=(SEEDED_LAMPORTS, BOB, ALICE)), (BOB,)),
    (SEEDS[3]._replace(accounts=(SEEDED_LAMPORTS, ALICE)), ()),
    (Step(MEMO_PROGRAM, b"hello", (BOB,)), ()),
    (Step(FIRST_MEMO_PROGRAM, b"h\xff", ()), ()),
)
def test_what_fails_fails_for_the_reason_it_has_on_solana(step: Step, signers: tuple[str, ...]) -> None:
    # The first instruction succeeds, so that the second is the one that fails.
    message = compiled([Step(FIRST_MEMO_PROGRAM, b"hello", (BOB,)), step], {ALICE, *signers})
    error, accounts, logs = judged(message)
    done = executed(message)
    assert done.error is not None
    assert words_of(done.error) == json.loads(error.to_json())
    assert done.logs[-1] == logs[-1]
    assert done.accounts[ALICE].lamports == accounts[ALICE].lamports


EMPTYING = system(5, NONCE, BOB, BLOCKHASHES, RENT, ALICE, amount=rent_exempt(165))


@cases(
    "steps, read_only",
    ([NONCES[0], NONCES[0]], ""),
    ([NONCES[0], EMPTYING], ""),
    ([NONCES[0], NONCES[1]], ""),
    ([EMPTYING, system(2, ALICE, NONCE, amount=rent_exempt(80))], ""),
    ([NONCES[2], EMPTYING._replace(accounts=(UNSET, *EMPTYING.accounts[1:]))], ""),
    ([NONCES[2]._replace(accounts=(UNSET, RENT, RENT))], ""),
    ([NONCES[2]._replace(accounts=(UNSET, BLOCKHASHES, BLOCKHASHES))], ""),
    ([NONCES[1]._replace(accounts=(NONCE, BOB, BLOCKHASHES, BLOCKHASHES, ALICE))], ""),
    *(([step], step.accounts[0]) for step in NONCES),
)
def test_nonces_end_as_on_solana(steps: list[Step], read_only: str) -> None:
    message = compiled(steps, {ALICE, BOB}, read_only=read_only)
    error, accounts, _ = judged(message)
    done = executed(message)
    assert (done.error and words_of(done.error)) == (error and json.loads(error.to_json()))
    for key in (NONCE, UNSET, BOB):
        assert done.accounts.get(key, ACCOUNTS[key]) == accounts[key], key


def test_what_is_only_to_be_read_is_changed_by_no_program() -> None:
    reasons = {"ModifiedProgramId", "ReadonlyDataModified", "ReadonlyLamportChange"}
    for step in MOVED + FIXED:
        for address in dict.fromkeys(step.accounts):
            message = compiled([step], {ALICE, BOB, CAROL, NEW}, read_only=address)
            error, done = judged(message)[0], executed(message).error
            assert (done is None) == (error is None), (step, address)
            reason = None if error is None else json.loads(error.to_json())[1]
            if reason in reasons and FALSE not in step.accounts:
                assert words_of(done)[1] == reason, (step, address)


def lookup_of(table_address: str, *addresses: str) -> VersionedTransaction:
    """Lamports for an address that comes from a table, whatever that has."""
    known = AddressLookupTableAccount(
        Pubkey.from_string(table_address), [Pubkey.from_string(each) for each in addresses]
    )
    accounts = [AccountMeta(Pubkey.from_string(ALICE), True, True)]
    accounts.append(AccountMeta(Pubkey.from_string(addresses[-1]), False, True))
    data = struct.pack("<IQ", 2, 5_000_000)
    sent = Instruction(Pubkey.from_string(SYSTEM_PROGRAM), data, accounts)
    message = MessageV0.try_compile(Pubkey.from_string(ALICE), [sent], [known], Hash.default())
    return VersionedTransaction.populate(message, [Signature.default()])


@cases(
    "address, addresses, error",
    (TABLE, (BOB,), None),
    (TABLE, (BOB, CAROL), None),
    (TABLE, (BOB, CAROL, MINE), "invalid index"),
    (LATE, (BOB,), None),
    (LATE, (BOB, CAROL), "invalid index"),
    (OLD, (BOB,), "doesn't exist"),
    (GONE, (BOB,), None),
    (NEW, (BOB,), "doesn't exist"),
    (MINE, (BOB,), "invalid owner"),
)
def test_addresses_are_loaded_as_on_solana(address: str, addresses: Any, error: str | None) -> None:
    transaction = lookup_of(address, *addresses)
    sent = reset(machine()).send_transaction(transaction)
    assert isinstance(sent, FailedTransactionMetadata) == (error is not None)
    raw_message = to_bytes_versioned(transaction.message)

    def find(lookups: Any) -> Any:
        return look_up(lookups, lambda key: ACCOUNTS.get(key, EMPTY), SLOT)

    if error is not None:
        with pytest.raises(LookupFailed, match=error):
            parse_message(raw_message, find)
        return
    message = parse_message(raw_message, find)
    done = execute(message, {SYSTEM_PROGRAM: SolanaState(1)} | ACCOUNTS, SLOT, bytes(32))
    held = machine().get_account(Pubkey.from_string(addresses[-1]))
    assert held is not None
    assert done.accounts[addresses[-1]].lamports == held.lamports
    assert [message.is_writable(place) for place in range(len(message.keys))] == [True, False, True]


def test_logs_have_memos_and_where_it_failed() -> None:
    memo, too_much = Step(MEMO_PROGRAM, b"hello", ()), MOVED[0]._replace(amount=10**9)
    assert executed(compiled([memo, too_much], {ALICE})).logs == (
        f"Program {MEMO_PROGRAM} invoke [1]",
        'Program log: Memo (len 5): "hello"',
        f"Program {MEMO_PROGRAM} success",
        f"Program {SYSTEM_PROGRAM} invoke [1]",
        "Transfer: insufficient lamports 999995000, need 1000000000",
        f"Program {SYSTEM_PROGRAM} failed: custom program error: 0x1",
    )
    # What is not built into the node logs with a mark.
    assert (
        executed(compiled([SENT._replace(amount=101)], {ALICE})).logs[1]
        == judged(compiled([SENT._replace(amount=101)], {ALICE}))[2][1]
    )


@cases(
    "lamports, error",
    (None, "AccountNotFound"),
    (4_999, "InsufficientFundsForFee"),
    (5_000, {"InstructionError": [0, "UnsupportedProgramId"]}),
)
def test_what_is_not_executed_says_why(lamports: int | None, error: object) -> None:
    message = parse_message(to_bytes_versioned(compiled([Step(NEW, b"", ())], {ALICE})))
    done = execute(message, {} if lamports is None else {ALICE: SolanaState(lamports)}, SLOT, bytes(32))
    assert (done.error, done.fee) == (error, 5_000 if lamports == 5_000 else 0)


def words_of(error: Any) -> Any:
    """An error as solders writes it."""
    [words] = error.values()
    if isinstance(words, dict):
        return words
    place, reason = words
    return [place, reason["Custom"] if isinstance(reason, dict) else reason]
