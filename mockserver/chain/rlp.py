"""Recursive Length Prefix, Ethereum's serialization (Yellow Paper, appendix B)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

RlpItem: TypeAlias = "bytes | Sequence[RlpItem]"
DecodedRlp: TypeAlias = "bytes | list[DecodedRlp]"

# No format of the chain nests deeper than five lists; the limit bounds recursion on hostile input.
MAX_DEPTH = 64


def integer_bytes(value: int) -> bytes:
    """Return the canonical bytes of an integer: big-endian without leading zeros, so zero is empty."""
    if value < 0:
        raise ValueError("RLP: an integer cannot be negative.")
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


def encode(item: RlpItem) -> bytes:
    """Encode bytes, or lists of them nested to any reasonable depth."""
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < 0x80:
            return item
        return _header(len(item), 0x80) + item
    body = b"".join(map(encode, item))
    return _header(len(body), 0xC0) + body


def decode(raw: bytes) -> DecodedRlp:
    """Decode exactly one item; ValueError for trailing bytes and for any non-canonical encoding."""
    item, end = _read(raw, 0, len(raw), 0)
    if end != len(raw):
        raise ValueError(f"RLP: {len(raw) - end} bytes follow the item.")
    return item


def _header(length: int, offset: int) -> bytes:
    if length <= 55:
        return bytes([offset + length])
    size = integer_bytes(length)
    return bytes([offset + 55 + len(size)]) + size


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
    while body < end:
        item, body = _read(raw, body, end, depth + 1)
        items.append(item)
    return items, end


def _span(raw: bytes, start: int, limit: int, code: int) -> tuple[int, int]:
    body = start + 1
    length = code
    if code > 55:
        body += code - 55
        size = raw[start + 1 : min(body, limit)]
        length = int.from_bytes(size, "big")
        if len(size) < code - 55:
            raise ValueError("RLP: the input ends inside a length.")
        if size[0] == 0 or length <= 55:
            raise ValueError("RLP: a length is not in its shortest form.")
    if body + length > limit:
        raise ValueError("RLP: the input ends inside an item.")
    return body, body + length
