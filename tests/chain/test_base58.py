import pytest
from hypothesis import given
from hypothesis import strategies as st
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.chain.base58 import address_of, base58_decode, base58_encode, is_address
from tests.tables import cases

# draft-msporny-base58-03, "Test Vectors".
VECTORS = [
    (b"Hello World!", "2NEpo7TZRRrLZSi2U"),
    (
        b"The quick brown fox jumps over the lazy dog.",
        "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z",
    ),
    (bytes.fromhex("0000287fb4cd"), "11233QC4"),
]


@cases("raw, text", *VECTORS)
def test_the_published_vectors_hold_both_ways(raw: bytes, text: str) -> None:
    assert base58_encode(raw) == text
    assert base58_decode(text) == raw


@given(st.binary(min_size=32, max_size=32))
def test_addresses_are_those_of_solders(key: bytes) -> None:
    address = address_of(key)
    assert address == str(Pubkey.from_bytes(key))
    assert is_address(address)
    assert base58_decode(address) == key


@given(st.binary(min_size=64, max_size=64))
def test_signatures_are_spelled_as_solders_spells_them(raw: bytes) -> None:
    assert base58_encode(raw) == str(Signature.from_bytes(raw))


@given(st.integers(0, 12), st.binary(max_size=80))
def test_bytes_survive_with_their_leading_zeros(zeros: int, rest: bytes) -> None:
    raw = bytes(zeros) + rest
    assert base58_decode(base58_encode(raw)) == raw


@cases("symbol", "0", "O", "I", "l", " ", "é", "-")
def test_a_character_outside_the_alphabet_is_named(symbol: str) -> None:
    with pytest.raises(ValueError, match=f"'{symbol}'"):
        base58_decode("abc" + symbol)


@given(st.text("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0", min_size=30, max_size=46))
def test_a_text_is_an_address_exactly_when_solders_takes_it(text: str) -> None:
    try:
        Pubkey.from_string(text)
    except ValueError:
        assert not is_address(text)
    else:
        assert is_address(text)


def test_the_system_program_is_exactly_thirty_two_ones() -> None:
    assert is_address("1" * 32)
    assert address_of(bytes(32)) == "1" * 32
    assert not is_address("1" * 31)
    assert not is_address("1" * 33)
    assert not is_address("1" * 1_000_000)


@cases("length", 0, 31, 33, 64)
def test_a_public_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        address_of(bytes(length))


def test_a_text_longer_than_any_transaction_is_not_read() -> None:
    assert len(base58_decode(base58_encode(b"\xff" * 1_232))) == 1_232
    with pytest.raises(ValueError, match="base58 of 300000 characters is longer than 1683"):
        base58_decode("z" * 300_000)
