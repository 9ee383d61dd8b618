import pytest
import rlp as judge
from hypothesis import given, settings
from hypothesis import strategies as st
from rlp.exceptions import RLPException

from mockserver.chain import rlp
from tests.tables import cases

items = st.recursive(
    st.one_of(st.binary(max_size=4), st.binary(min_size=54, max_size=58)),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


@given(items)
def test_items_are_encoded_as_the_rlp_library_does(item: rlp.DecodedRlp) -> None:
    raw = rlp.encode(item)
    assert raw == judge.encode(item)
    assert rlp.decode(raw) == item


@cases("byte, encoded", ("7f", "7f"), ("80", "8180"), ("ff", "81ff"), ("00", "00"))
def test_a_byte_up_to_7f_is_its_own_encoding_and_80_is_not(byte: str, encoded: str) -> None:
    assert rlp.encode(bytes.fromhex(byte)).hex() == encoded == judge.encode(bytes.fromhex(byte)).hex()
    assert rlp.decode(bytes.fromhex(encoded)) == bytes.fromhex(byte)
    assert rlp.decode(bytes.fromhex("80")) == b""


@cases("size", 55, 56, 255, 256, 65_536)
def test_long_items_carry_the_length_of_their_length(size: int) -> None:
    for item in (bytes(size), [b"a"] * size):
        assert rlp.encode(item) == judge.encode(item)
        assert rlp.decode(rlp.encode(item)) == item


@settings(max_examples=300)
@given(
    st.one_of(
        st.binary(max_size=12),
        st.builds(lambda n, b: bytes([n]) + b, st.integers(0x7F, 0xFF), st.binary(max_size=70)),
    )
)
def test_any_bytes_are_read_or_refused_as_by_the_rlp_library(raw: bytes) -> None:
    try:
        judged = judge.decode(raw, strict=True)
    except RLPException:
        with pytest.raises(ValueError, match="RLP"):
            rlp.decode(raw)
    else:
        assert rlp.encode(rlp.decode(raw)) == judge.encode(judged) == raw


@cases(
    "raw, words",
    ("", "ends before"),
    ("8101", "stands for itself"),
    ("b800", "shortest form"),
    ("b90001" + "00", "shortest form"),
    ("b8", "inside a length"),
    ("83aabb", "inside an item"),
    ("c283aabb", "inside an item"),
    ("0000", "1 bytes follow"),
    ("bfffffffffffffffff00", "inside an item"),
)
def test_each_non_canonical_spelling_is_refused_with_its_reason(raw: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rlp.decode(bytes.fromhex(raw))


def nested(levels: int) -> bytes:
    raw = b"\xc0"
    for _ in range(levels):
        raw = judge.codec.length_prefix(len(raw), 0xC0) + raw
    return raw


def test_lists_are_nested_so_deep_and_no_deeper() -> None:
    assert rlp.decode(nested(64)) == judge.decode(nested(64), strict=True)
    for levels in (65, 2_000):
        with pytest.raises(ValueError, match="nested deeper than 64"):
            rlp.decode(nested(levels))


@given(st.integers(0, 2**256))
def test_integers_are_big_endian_without_leading_zeros(value: int) -> None:
    assert rlp.encode(value) == judge.encode(value)


def test_a_negative_integer_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        rlp.encode(-1)
