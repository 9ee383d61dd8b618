"""What policies see of a payload that a key is asked to sign."""

import pytest
from eth_account.messages import encode_defunct
from eth_utils.crypto import keccak
from hypothesis import given
from hypothesis import strategies as st
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from mockserver.chain import rlp
from mockserver.chain.solana.messages import TOKEN_PROGRAMS
from mockserver.domain.policies.signing import read_evm, read_svm
from mockserver.errors import ApiError
from tests.tables import cases

PREFIX = b"\x19Ethereum Signed Message:\n"
PAYER = Keypair.from_seed(bytes([1] * 32)).pubkey()
KNOWN = Keypair.from_seed(bytes([2] * 32)).pubkey()
HIDDEN = Keypair.from_seed(bytes([3] * 32)).pubkey()
TABLE = Keypair.from_seed(bytes([4] * 32)).pubkey()
MINT = Keypair.from_seed(bytes([5] * 32)).pubkey()
TOKEN = Pubkey.from_string(min(TOKEN_PROGRAMS))


@given(st.text(max_size=120))
def test_a_message_is_seen_without_its_prefix_and_length(text: str) -> None:
    signable = encode_defunct(text=text)
    raw = b"\x19" + signable.version + signable.header + signable.body
    read = read_evm(raw)
    assert (read.operation, read.facts) == ("signEvmMessage", {"evmMessage": text})
    assert read.payload == keccak(raw)


@cases(
    "rest, message",
    # The message starts with a digit: its length is 1, not 12.
    (b"12", "2"),
    (b"0", ""),
    (b"912 apples", "12 apples"),
    # No number of digits gives the length of the rest, so nothing is taken off.
    (b"7apples!!", "7apples!!"),
    (b"apples", "apples"),
    (b"", ""),
    (b"2\xff\xfe", "0xfffe"),
)
def test_a_messages_length_is_taken_off_only_where_right(rest: bytes, message: str) -> None:
    read = read_evm(PREFIX + rest)
    assert read.facts == {"evmMessage": message}
    assert read.payload == keccak(PREFIX + rest)


def test_typed_data_shows_nothing_of_its_content() -> None:
    raw = b"\x19\x01" + bytes(range(64))
    assert read_evm(raw) == (keccak(raw), "signEvmTypedData", {})


@cases(
    "data, message",
    (b"\x00" + b"\xff" * 20, "0x00" + "ff" * 20),
    (b"Ethereum, not quite", "Ethereum, not quite"),
)
def test_any_other_eip_191_version_is_shown_with_it(data: bytes, message: str) -> None:
    raw = b"\x19" + data
    assert read_evm(raw) == (keccak(raw), "signEvmMessage", {"evmMessage": message})


def test_32_bytes_are_a_hash_even_if_they_start_like_typed_data() -> None:
    raw = b"\x19\x01" + bytes(30)
    assert read_evm(raw) == (raw, "signEvmHash", {})


def test_a_creation_of_no_chain_shows_no_destination() -> None:
    raw = rlp.encode([b"", b"\x01", b"\x52\x08", b"", b"\x05", b"\x60\x00"])
    assert read_evm(raw) == (keccak(raw), "signEvmTransaction", {"value": "5", "data": "0x6000"})


def test_what_is_nothing_that_an_evm_key_signs_is_refused() -> None:
    with pytest.raises(ApiError) as caught:
        read_evm(b"\x7f" + bytes(40))
    assert "unsigned transaction: 0x7f starts no known type" in str(caught.value.details)


def lamports(recipient: Pubkey, amount: int) -> Instruction:
    return transfer(TransferParams(from_pubkey=PAYER, to_pubkey=recipient, lamports=amount))


def tokens(recipient: Pubkey, amount: int, *, mint: bool) -> Instruction:
    """An instruction TransferChecked, which names the mint, or Transfer, which does not."""
    places = [PAYER, MINT, recipient, PAYER] if mint else [PAYER, recipient, PAYER]
    data = bytes([12 if mint else 3]) + amount.to_bytes(8, "little") + (b"\x06" if mint else b"")
    return Instruction(TOKEN, data, [AccountMeta(place, place == PAYER, True) for place in places])


def with_table(*instructions: Instruction) -> bytes:
    table = AddressLookupTableAccount(TABLE, [HIDDEN])
    return to_bytes_versioned(MessageV0.try_compile(PAYER, list(instructions), [table], Hash.default()))


def test_recipients_are_unknown_once_a_lookup_table_has_one() -> None:
    known = read_svm(with_table(lamports(KNOWN, 3)))
    assert (known.operation, known.facts["recipients"]) == ("signSolTransaction", [str(KNOWN)])
    hidden = read_svm(with_table(lamports(KNOWN, 3), lamports(HIDDEN, 4)))
    assert hidden.facts["solValue"] == "7"
    assert "recipients" not in hidden.facts


def test_token_recipients_are_unknown_once_a_table_has_one() -> None:
    hidden = read_svm(with_table(tokens(KNOWN, 3, mint=True), tokens(HIDDEN, 4, mint=True)))
    assert (hidden.facts["splValue"], hidden.facts["mintAddress"]) == ("7", str(MINT))
    assert "splRecipients" not in hidden.facts


def test_the_mint_is_unknown_once_a_transfer_omits_it() -> None:
    read = read_svm(with_table(tokens(KNOWN, 3, mint=True), tokens(KNOWN, 4, mint=False)))
    assert (read.facts["splValue"], read.facts["splRecipients"]) == ("7", [str(KNOWN)] * 2)
    assert "mintAddress" not in read.facts


def test_bytes_that_are_no_text_are_shown_in_hex() -> None:
    assert read_svm(b"\xff\xfe") == (b"\xff\xfe", "signSolMessage", {"solMessage": "0xfffe"})
