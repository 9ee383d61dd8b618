"""The encodings are judged by eth_abi."""

from contextlib import suppress
from typing import Any

import eth_abi
import pytest
from eth_abi.exceptions import DecodingError, InvalidPointer, NonEmptyPaddingBytes
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.abi.functions import AbiError, decode_values, encode_values, event_topic, zero_value
from tests.tables import cases

Typed = tuple[str, Any]


def _words() -> st.SearchStrategy[Typed]:
    bits = st.integers(1, 32).map(lambda n: n * 8)
    return st.one_of(
        bits.flatmap(lambda n: st.tuples(st.just(f"uint{n}"), st.integers(0, 2**n - 1))),
        bits.flatmap(lambda n: st.tuples(st.just(f"int{n}"), st.integers(-(2 ** (n - 1)), 2 ** (n - 1) - 1))),
        st.integers(1, 32).flatmap(
            lambda n: st.tuples(st.just(f"bytes{n}"), st.binary(min_size=n, max_size=n))
        ),
        st.tuples(st.just("address"), st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())),
        st.tuples(st.just("bool"), st.booleans()),
        st.tuples(st.just("bytes"), st.binary(max_size=70)),
        st.tuples(st.just("string"), st.text(max_size=40)),
    )


def _nested(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    def tuple_of(members: list[Typed]) -> Typed:
        return f"({','.join(text for text, _ in members)})", tuple(value for _, value in members)

    def array_of(drawn: tuple[Typed, int, bool]) -> Typed:
        (text, value), count, is_open = drawn
        return f"{text}[{'' if is_open else count}]", [value] * count

    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(tuple_of),
        st.tuples(inner, st.integers(1, 3), st.booleans()).map(array_of),
        inner.map(lambda typed: (f"{typed[0]}[]", [])),
    )


TYPED = st.recursive(_words(), _nested, max_leaves=6)
ARGUMENTS = st.lists(TYPED, max_size=4).map(lambda typed: ([t for t, _ in typed], [v for _, v in typed]))


def plain(value: Any) -> Any:
    """Addresses in lower case and lists as tuples, which is how eth_abi answers."""
    if isinstance(value, list | tuple):
        return tuple(plain(item) for item in value)
    return value.lower() if isinstance(value, str) and value.startswith("0x") and len(value) == 42 else value


@given(ARGUMENTS)
def test_values_are_encoded_and_decoded_as_by_eth_abi(arguments: tuple[list[str], list[Any]]) -> None:
    types, values = arguments
    raw = encode_values(types, values)
    assert raw == eth_abi.encode(types, values)
    assert plain(decode_values(types, raw)) == plain(values) == eth_abi.decode(types, raw)


@given(ARGUMENTS, st.data())
def test_damaged_data_is_refused_or_means_what_eth_abi_says(
    arguments: tuple[list[str], list[Any]], draw: st.DataObject
) -> None:
    types, values = arguments
    raw = bytearray(eth_abi.encode(types, values))
    if raw:
        for _ in range(draw.draw(st.integers(1, 3))):
            at = draw.draw(st.integers(0, len(raw) - 1))
            raw[at] = draw.draw(st.sampled_from([0, 1, 0x20, 0x40, 0x60, 0x7F, 0xFF]))
    damaged = bytes(raw[: draw.draw(st.integers(0, len(raw)))]) if draw.draw(st.booleans()) else bytes(raw)
    try:
        decoded = decode_values(types, damaged)
    except AbiError:
        with pytest.raises((DecodingError, UnicodeDecodeError, OverflowError)):
            eth_abi.decode(types, damaged)
        return
    # Solidity reads what eth_abi refuses to: offsets that point back among the offsets, and dirty padding.
    # Padding that is missing is zero.
    with suppress(InvalidPointer, NonEmptyPaddingBytes):
        assert plain(decoded) == eth_abi.decode(types, damaged + bytes(31), strict=False)


@given(st.lists(TYPED, max_size=3), st.binary(max_size=400))
def test_any_bytes_decode_or_raise_an_abi_error(typed: list[Typed], raw: bytes) -> None:
    with suppress(AbiError):
        assert len(decode_values([text for text, _ in typed], raw)) == len(typed)


@cases("length", *range(0, 96, 5))
def test_data_that_ends_early_is_refused(length: int) -> None:
    raw = encode_values(["uint8", "string"], [1, "x" * 32])
    with pytest.raises(AbiError, match="ends before") as caught:
        decode_values(["uint8", "string"], raw[: length + 32])
    assert caught.value.path == "data"


@given(TYPED)
def test_the_zero_value_is_what_zero_words_decode_to(typed: Typed) -> None:
    text, _ = typed
    zero = zero_value(text)
    assert plain(decode_values([text], eth_abi.encode([text], [zero]))) == (plain(zero),)
    assert not any(_leaves(zero))


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in _leaves(item)]
    if isinstance(value, bytes):
        return [any(value)]
    return [value not in (0, False, "", "0x" + "0" * 40)]


def test_values_decode_to_the_forms_that_are_promised() -> None:
    address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    types = ["uint8", "int8", "bool", "address", "bytes2", "bytes", "string", "uint8[]", "(uint8,string)"]
    values = (255, -128, True, address, b"\x01\x02", b"\x03", "é", [1, 2], (3, "x"))
    assert decode_values(types, eth_abi.encode(types, values)) == values


def test_offsets_that_multiply_a_small_input_are_refused() -> None:
    # Each of the thirty offsets of a level points at the one list of the next: 30^9 numbers in 9 kB.
    level = (30).to_bytes(32, "big") + (30 * 32).to_bytes(32, "big") * 30
    raw = (32).to_bytes(32, "big") + level * 9
    with pytest.raises(AbiError, match="over and over"):
        decode_values(["uint256" + "[]" * 9], raw)


@cases(
    "type_text, word",
    ("bool", "02"),
    ("uint8", "0100"),
    ("int8", "80"),
    ("int8", "ff" * 31 + "7f"),
    ("address", "01" + "00" * 20),
    ("bytes31", "01"),
    ("uint256[]", "ff" * 32),
    ("string", "ff" * 32),
)
def test_a_word_that_a_type_cannot_hold_is_refused(type_text: str, word: str) -> None:
    with pytest.raises(AbiError) as caught:
        decode_values([type_text], bytes.fromhex(word).rjust(32, b"\0"))
    assert caught.value.path == "data"


def test_a_string_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(AbiError, match="UTF-8"):
        decode_values(["string"], eth_abi.encode(["bytes"], [b"\xff"]))


def test_event_topics_are_the_ones_known_from_the_chain() -> None:
    transfer = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    assert event_topic("Transfer(address,address,uint256)").hex() == transfer
    assert event_topic("Transfer(address indexed from, address indexed to, uint value)").hex() == transfer


def test_types_and_values_must_be_as_many() -> None:
    with pytest.raises(AbiError, match="1 types and 2 values") as caught:
        encode_values(["uint8"], [1, 2])
    assert caught.value.path == "values"
