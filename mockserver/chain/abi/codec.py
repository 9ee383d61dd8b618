"""Encoding and decoding of contract ABI values: heads, tails and offsets."""

from collections.abc import Sequence
from typing import cast

from mockserver.chain.abi.types import AbiError, AbiType
from mockserver.chain.addresses import checksum_of
from mockserver.kernel.spelling import shorten

# How many times the decoder may read the same bytes on average. Nothing in the ABI forbids two offsets to
# point at one tail, and some encoders do that. Nested arrays that do it at each level would let a few
# hundred bytes decode into gigabytes.
_SHARING = 8


def encode_sequence(types: Sequence[AbiType], values: Sequence[object]) -> bytes:
    """Encode values that already have the types' own forms (see `abi_values.read_value`)."""
    heads: list[bytes] = []
    tails: list[bytes] = []
    # Offsets of dynamic values count from the start of this sequence, not from the start of the calldata:
    # a nested tuple or array has heads and offsets of its own.
    offset = sum(shape.head_bytes for shape in types)
    for shape, value in zip(types, values, strict=True):
        body = _encode(shape, value)
        if shape.is_dynamic:
            heads.append(offset.to_bytes(32, "big"))
            tails.append(body)
            offset += len(body)
        else:
            heads.append(body)
    return b"".join(heads + tails)


def _encode(shape: AbiType, value: object) -> bytes:
    match shape.kind:
        case "uint" | "int" | "bool":
            return cast(int, value).to_bytes(32, "big", signed=shape.kind == "int")
        case "address":
            return bytes(12) + bytes.fromhex(cast(str, value)[2:])
        case "fixed_bytes":
            # bytesN is left-aligned, while numbers and addresses are right-aligned.
            return cast(bytes, value).ljust(32, b"\0")
        case "bytes":
            return _with_length(cast(bytes, value))
        case "string":
            return _with_length(cast(str, value).encode())
        case "array":
            items = cast(Sequence[object], value)
            body = encode_sequence(shape.members * len(items), items)
            # Only arrays of dynamic length have a length word; offsets of their elements count from after it.
            return body if shape.size >= 0 else len(items).to_bytes(32, "big") + body
        case "tuple":
            return encode_sequence(shape.members, cast(Sequence[object], value))


def _with_length(raw: bytes) -> bytes:
    return len(raw).to_bytes(32, "big") + raw + bytes(-len(raw) % 32)


def decode_sequence(types: Sequence[AbiType], raw: bytes) -> tuple[object, ...]:
    """Decode values; AbiError when the bytes end early or hold what a type cannot.

    As strict as Solidity's decoder: non-zero padding is an error, unreferenced bytes are ignored.
    """
    return tuple(_Decoder(raw).sequence(types, 0))


class _Decoder:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._allowance_bytes = _SHARING * len(raw)

    def sequence(self, types: Sequence[AbiType], start: int) -> list[object]:
        values: list[object] = []
        at = start
        for shape in types:
            body = start + self._take_unsigned(at) if shape.is_dynamic else at
            values.append(self._value(shape, body))
            at += shape.head_bytes
        return values

    def _value(self, shape: AbiType, at: int) -> object:
        match shape.kind:
            case "bytes":
                return self._take_counted(at)
            case "string":
                return self._text(at)
            case "array":
                return self._array(shape, at)
            case "tuple":
                return tuple(self.sequence(shape.members, at))
            case _:
                return _word_value(shape, self._take(at, 32))

    def _array(self, shape: AbiType, at: int) -> list[object]:
        item, count = shape.members[0], shape.size
        if count < 0:
            count = self._take_unsigned(at)
            at += 32
        # Check before `shape.members * count` is built: the count comes from the data and may be 2^256 - 1.
        if count * item.head_bytes > len(self._raw) - at:
            raise AbiError(f"The data ends inside the {count} elements of a {shorten(shape.text)}.", "data")
        return self.sequence(shape.members * count, at)

    def _text(self, at: int) -> str:
        try:
            return self._take_counted(at).decode()
        except UnicodeDecodeError:
            raise AbiError("A string is not UTF-8.", "data") from None

    def _take_counted(self, at: int) -> bytes:
        return self._take(at + 32, self._take_unsigned(at))

    def _take_unsigned(self, at: int) -> int:
        return int.from_bytes(self._take(at, 32), "big")

    def _take(self, at: int, count: int) -> bytes:
        if at + count > len(self._raw):
            raise AbiError(f"The data has {len(self._raw)} bytes and ends before its last value.", "data")
        self._allowance_bytes -= count
        if self._allowance_bytes < 0:
            raise AbiError("The offsets in the data point at the same bytes over and over.", "data")
        return self._raw[at : at + count]


def _word_value(shape: AbiType, word: bytes) -> object:
    number = int.from_bytes(word, "big", signed=shape.kind == "int")
    match shape.kind:
        case "int":
            fits = -1 << shape.size - 1 <= number < 1 << shape.size - 1
        case "fixed_bytes":
            fits = not any(word[shape.size :])
        case _:
            fits = number < 1 << shape.size
    if not fits:
        raise AbiError(f"0x{word.hex()} is not the encoding of a {shape.text}.", "data")
    if shape.kind == "address":
        return checksum_of(word[12:])
    if shape.kind == "fixed_bytes":
        return word[: shape.size]
    return bool(number) if shape.kind == "bool" else number
