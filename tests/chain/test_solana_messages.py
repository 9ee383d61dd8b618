"""Messages of Solana transactions, made by another library, read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import Message, MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import (
    AllocateParams,
    CreateAccountWithSeedParams,
    TransferParams,
    WithdrawNonceAccountParams,
    allocate,
    create_account_with_seed,
    transfer,
    withdraw_nonce_account,
)
from solders.token.associated import get_associated_token_address

from mockserver.chain.solana.messages import (
    SYSTEM_PROGRAM,
    TOKEN_PROGRAMS,
    Transfer,
    read_lamport_transfer,
    read_message,
    read_token_transfer,
)
from mockserver.chain.solana.messages import Message as ReadMessage
from tests.tables import cases

PAYER = Keypair.from_seed(bytes([1] * 32)).pubkey()
THERE = Keypair.from_seed(bytes([2] * 32)).pubkey()
MINT = Keypair.from_seed(bytes([3] * 32)).pubkey()
PROGRAM = Keypair.from_seed(bytes([4] * 32)).pubkey()
TOKEN = Pubkey.from_string(next(iter(sorted(TOKEN_PROGRAMS))))
FROM, TO = get_associated_token_address(PAYER, MINT), get_associated_token_address(THERE, MINT)


def moving(lamports: int) -> Instruction:
    return transfer(TransferParams(from_pubkey=PAYER, to_pubkey=THERE, lamports=lamports))


def token_call(kind: int, amount: int, *accounts: Pubkey) -> Instruction:
    data = bytes([kind]) + amount.to_bytes(8, "little") + (b"\x06" if kind == 12 else b"")
    return Instruction(TOKEN, data, [AccountMeta(account, False, True) for account in accounts])


def legacy(*instructions: Instruction) -> bytes:
    return bytes(Message.new_with_blockhash(list(instructions), PAYER, Hash.default()))


def test_what_is_moved_is_read() -> None:
    checked, plain = token_call(12, 7, FROM, MINT, TO, PAYER), token_call(3, 9, FROM, TO, PAYER)
    read = read_message(legacy(moving(5), checked, plain))
    assert read[0].program == SYSTEM_PROGRAM == "11111111111111111111111111111111"
    assert read_lamport_transfer(read[0]) == Transfer(str(THERE), 5)
    assert read_token_transfer(read[1]) == Transfer(str(TO), 7, str(MINT))
    assert read_token_transfer(read[2]) == Transfer(str(TO), 9)
    assert read_lamport_transfer(read[1]) is None
    assert read_token_transfer(read[0]) is None


def test_money_moves_by_rarer_instructions_too() -> None:
    program = Pubkey.from_string(SYSTEM_PROGRAM)
    seeded = create_account_with_seed(
        CreateAccountWithSeedParams(
            from_pubkey=PAYER, to_pubkey=THERE, base=PAYER, seed="s" * 9, lamports=5, space=1, owner=program
        )
    )
    withdrawn = withdraw_nonce_account(
        WithdrawNonceAccountParams(nonce_pubkey=MINT, authorized_pubkey=PAYER, to_pubkey=THERE, lamports=6)
    )
    # The token program's extension for fees: TransferCheckedWithFee, its amount, decimals and fee.
    data = b"\x1a\x01" + (7).to_bytes(8, "little") + b"\x06" + bytes(8)
    metas = [AccountMeta(account, False, True) for account in (FROM, MINT, TO, PAYER)]
    read = read_message(legacy(seeded, withdrawn, Instruction(TOKEN, data, metas)))
    assert read_lamport_transfer(read[0]) == Transfer(str(THERE), 5)
    assert read_lamport_transfer(read[1]) == Transfer(str(THERE), 6)
    assert read_token_transfer(read[2]) == Transfer(str(TO), 7, str(MINT))


@given(
    st.lists(
        st.tuples(st.binary(max_size=300), st.lists(st.sampled_from([PAYER, THERE, MINT]), max_size=5)),
        max_size=5,
    ),
    st.booleans(),
)
def test_instructions_are_read_again(wanted: list[tuple[bytes, list[Pubkey]]], versioned: bool) -> None:
    instructions = [
        Instruction(PROGRAM, data, [AccountMeta(account, False, True) for account in accounts])
        for data, accounts in wanted
    ]
    raw = legacy(*instructions)
    if versioned:
        raw = to_bytes_versioned(MessageV0.try_compile(PAYER, instructions, [], Hash.default()))
    read = read_message(raw)
    assert [(each.program, list(each.accounts), each.data) for each in read] == [
        (str(PROGRAM), [str(account) for account in accounts], data) for data, accounts in wanted
    ]
    for end in {0, 1, len(raw) // 2, len(raw) - 1}:
        with pytest.raises(ValueError, match=r"\w"):
            read_message(raw[:end])
    with pytest.raises(ValueError, match="after the message"):
        read_message(raw + b"\0")


def test_an_account_from_a_lookup_table_is_unknown() -> None:
    table = AddressLookupTableAccount(PROGRAM, [THERE])
    raw = to_bytes_versioned(MessageV0.try_compile(PAYER, [moving(5)], [table], Hash.default()))
    (read,) = read_message(raw)
    assert read_lamport_transfer(read) == Transfer(None, 5)


@given(st.text(max_size=200))
def test_what_people_write_is_no_message_of_a_transaction(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_message(text.encode("utf-8", "replace"))


@cases(
    "place, byte, reason",
    (0, 0, "the first signer pays"),
    (0, 4, "the first signer pays"),
    (1, 1, "has to be writable"),
    (2, 3, "more read-only accounts than accounts"),
    (-14, 9, "an account that is not there"),
)
def test_a_message_that_names_accounts_it_does_not_have_is_none(place: int, byte: int, reason: str) -> None:
    raw = bytearray(legacy(moving(1)))
    raw[place] = byte
    with pytest.raises(ValueError, match=reason):
        read_message(bytes(raw))


def test_other_instructions_of_the_programs_are_no_transfers() -> None:
    allocated = allocate(AllocateParams(pubkey=THERE, space=7))
    approved = token_call(4, 7, FROM, TO, PAYER)
    without_accounts = [token_call(3, 7, FROM, TO), token_call(12, 7, FROM, MINT, TO)]
    checked = token_call(13, 7, FROM, MINT, TO, PAYER)
    read = read_message(legacy(allocated, approved, checked, *without_accounts))
    assert [read_lamport_transfer(each) for each in read] == [None] * 5
    assert [read_token_transfer(each) for each in read] == [None] * 5


def test_a_system_transfer_without_a_recipient_is_no_transfer() -> None:
    cut = Instruction(Pubkey.from_string(SYSTEM_PROGRAM), moving(5).data, moving(5).accounts[:1])
    (read,) = read_message(legacy(cut))
    assert read_lamport_transfer(read) is None


@cases("version", 1, 2, 127)
def test_a_message_of_a_later_version_is_not_known(version: int) -> None:
    instructions = [transfer(TransferParams(from_pubkey=PAYER, to_pubkey=THERE, lamports=7))]
    raw = to_bytes_versioned(MessageV0.try_compile(PAYER, instructions, [], Hash.default()))
    assert read_message(raw)
    with pytest.raises(ValueError, match="version 0"):
        read_message(bytes([0x80 | version]) + raw[1:])


def test_which_accounts_may_be_changed_depends_on_places() -> None:
    named = tuple(map(str, (PAYER, THERE, FROM, TO, PROGRAM)))
    loaded = (("a", "b"), ("c",))
    message = ReadMessage((*named, "a", "b", "c"), 2, 1, 1, "", (), is_versioned=True, loaded=loaded)
    assert message.named == 5
    writable = [message.is_writable(place) for place in range(8)]
    assert writable == [True, False, True, True, False, True, True, False]
