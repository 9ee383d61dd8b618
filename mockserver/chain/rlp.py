"""Recursive Length Prefix, Ethereum's serialization (Yellow Paper, appendix B)."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

RlpItem: TypeAlias = "bytes | int | Sequence[RlpItem]"
DecodedRlp: TypeAlias = "bytes | list[DecodedRlp]"

# No format of the chain nests deeper than five lists; the limit bounds recursion on hostile input.
MAX_DEPTH = 64

_SHORT = 55
"""Up to this length it is in the prefix itself."""
_STRING_HEADERS = [bytes([0x80 + length]) for length in range(_SHORT + 1)]
_LIST_HEADERS = [bytes([0xC0 + length]) for length in range(_SHORT + 1)]


def encode(item: RlpItem) -> bytes:
    """Encode bytes, integers, or lists of them nested to any reasonable depth."""
    if isinstance(item, int):
        item = _integer_bytes(item)
    if isinstance(item, bytes):
        length = len(item)
        # Canonical form: a single byte below 0x80 is its own encoding, without a header.
        if length == 1 and item < b"\x80":
            return item
        return (_STRING_HEADERS[length] if length <= _SHORT else _long_header(length, 0x80)) + item
    return encode_list(encode_items(item))


def encode_items(items: Iterable[RlpItem]) -> bytes:
    """Encode items one behind the other, for a list."""
    return b"".join(map(encode, items))


def encode_list(body: bytes) -> bytes:
    """Encode a list whose items are encoded already, one behind the other."""
    length = len(body)
    return (_LIST_HEADERS[length] if length <= _SHORT else _long_header(length, 0xC0)) + body


def decode(raw: bytes) -> DecodedRlp:
    """Decode exactly one item; ValueError for trailing bytes and for any non-canonical encoding."""
    item, end = _read(raw, 0, len(raw), 0)
    if end != len(raw):
        raise ValueError(f"RLP: {len(raw) - end} bytes follow the item.")
    return item


def _integer_bytes(value: int) -> bytes:
    # Big-endian without leading zeros, so zero is empty.
    if value < 0:
        raise ValueError("RLP: an integer cannot be negative.")
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def _long_header(length: int, offset: int) -> bytes:
    # The prefix gives the length of the length.
    size = _integer_bytes(length)
    return bytes([offset + _SHORT + len(size)]) + size


def _read(raw: bytes, start: int, limit: int, depth: int) -> tuple[DecodedRlp, int]:
    if start >= limit:
        raise ValueError("RLP: the input ends before its item.")
    if depth > MAX_DEPTH:
        raise ValueError(f"RLP: lists are nested deeper than {MAX_DEPTH}.")
    prefix = raw[start]
    if prefix < 0x80:
        return raw[start : start + 1], start + 1
    offset = 0x80 if prefix < 0xC0 else 0xC0
    body, end = _span(raw, start, limit, prefix - offset)
    if offset == 0x80:
        if end - body == 1 and raw[body] < 0x80:
            raise ValueError("RLP: a single byte below 0x80 stands for itself.")
        return raw[body:end], end
    items: list[DecodedRlp] = []
    # The limit is the list's own end, not the input's: an item must not reach beyond its list.
    while body < end:
        item, body = _read(raw, body, end, depth + 1)
        items.append(item)
    return items, end


def _span(raw: bytes, start: int, limit: int, code: int) -> tuple[int, int]:
    body = start + 1
    length = code
    if code > _SHORT:
        body += code - _SHORT
        size = raw[start + 1 : min(body, limit)]
        length = int.from_bytes(size, "big")
        if len(size) < code - _SHORT:
            raise ValueError("RLP: the input ends inside a length.")
        # Each item has exactly one encoding, or two raw transactions could have the same fields and
        # different hashes: no leading zeros, and no long form where the short one would do.
        if size[0] == 0 or length <= _SHORT:
            raise ValueError("RLP: a length is not in its shortest form.")
    if body + length > limit:
        raise ValueError("RLP: the input ends inside an item.")
    return body, body + length
