"""What is wrong with a type, an ABI or a value is said whole, and what is quoted is cut."""

from collections.abc import Callable
from typing import Any

import pytest

from mockserver.chain.abi.functions import AbiError, Function, decode_call, encode_call, find_function
from mockserver.chain.abi.grammar import parse_signature, parse_type, read_parameters
from tests.tables import cases

DEEPEST = 24
WIDE = ",".join(["uint8"] * 20)
CUT = f"({WIDE[:116]}..."


def in_tuples(levels: int) -> str:
    """A type in so many tuples."""
    return "(" * levels + "uint8" + ")" * levels


def components(levels: int) -> list[dict[str, Any]]:
    """The same in a JSON ABI."""
    entry: dict[str, Any] = {"type": "uint8"}
    for _ in range(levels):
        entry = {"type": "tuple", "components": [entry]}
    return [entry]


def encode(type_: str, value: object) -> bytes:
    return encode_call(Function.parse(f"f({type_})"), [value])


@cases(
    "refused, message",
    (lambda: parse_type("uint8" + "!" * 50), f"{'!' * 50!a} follows the type uint8."),
    (lambda: parse_type(f"({WIDE})!"), f"'!' follows the type {CUT}."),
    (lambda: parse_type("!" * 50), f"A type was expected where {'!' * 50!a} stands."),
    (
        lambda: parse_type("(uint8 " + "!" * 50),
        f"A comma or a closing bracket was expected where {'!' * 50!a} stands.",
    ),
    (lambda: parse_type("x" * 50), f"{'x' * 50} is not a type of the contract ABI."),
    (lambda: parse_type("uint8[1" + "0" * 50 + "]"), f"An array cannot have the length 1{'0' * 50}."),
    (lambda: parse_type("uint8[1000000000]"), "An array cannot have the length 1000000000."),
    (lambda: parse_type(f"({WIDE})[99999]"), f"A value of {CUT} takes more than 1048576 bytes."),
    (lambda: parse_signature("f" * 70), f"{'f' * 70!a} is not a signature such as mint(address)."),
    (lambda: parse_signature("f()" + "!" * 50), f"{'!' * 50!a} follows the signature."),
    (lambda: encode_call(Function.parse("f(bool)"), []), "f(bool) takes 1 argument, 0 given."),
    (
        lambda: encode_call(Function.parse(f"f({WIDE})"), "12"),
        f'f{CUT[:-4]}... takes 20 arguments, "12" given.',
    ),
    (
        lambda: decode_call(Function.parse(f"f({WIDE})"), b""),
        f"The data does not start with the selector of f{CUT[:-4]}....",
    ),
    (
        lambda: find_function([{"type": "function", "name": "g"}], f"f({WIDE})", None),
        f"The ABI has no function f{CUT[:-4]}....",
    ),
    (lambda: encode(f"({WIDE})[2]", 1), f"1 is not a list for {CUT}."),
    (lambda: encode(f"({WIDE})[2]", []), f"{CUT} takes 2 elements, 0 given."),
    (lambda: encode(f"({WIDE})", 1), f"1 is not a list or an object for {CUT}."),
    (lambda: encode(f"({WIDE})", [1]), f"{CUT} takes 20 components, 1 given."),
    (lambda: encode("address", "x" * 120), f'"{"x" * 120}" is not an address: 0x and 40 hex digits.'),
    (lambda: encode("address", "x" * 121), f'"{"x" * 117}..." is not an address: 0x and 40 hex digits.'),
    (lambda: encode("uint8", 2**300 - 1), f"{2**300 - 1} is out of range for uint8: 0 to 255."),
    (lambda: encode("uint8", 2**300), "A number of 301 bits is out of range for uint8: 0 to 255."),
)
def test_a_mistake_is_said_whole(refused: Callable[[], object], message: str) -> None:
    with pytest.raises(AbiError) as caught:
        refused()
    assert caught.value.message == message


@cases(
    "read",
    lambda levels: parse_type(in_tuples(levels)),
    lambda levels: parse_type("uint8" + "[]" * levels),
    lambda levels: parse_signature(f"f({in_tuples(levels)})"),
    lambda levels: read_parameters(components(levels), "abi"),
    ids=["tuples", "arrays", "signature", "components"],
)
def test_types_are_nested_so_deep_and_no_deeper(read: Callable[[int], object]) -> None:
    read(DEEPEST)
    with pytest.raises(AbiError, match=r"^Types are nested deeper than 24\.$"):
        read(DEEPEST + 1)


def test_a_type_is_as_large_as_a_mebibyte() -> None:
    assert parse_type("uint8[32768]").least_bytes == 1 << 20
    with pytest.raises(AbiError, match="more than 1048576 bytes"):
        parse_type("uint8[32769]")
