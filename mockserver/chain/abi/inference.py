"""Types of arguments whose function no ABI describes, inferred from the values."""

import re
from collections.abc import Callable, Sequence

from mockserver.chain.abi.functions import Function
from mockserver.chain.abi.grammar import IDENTIFIER, Parameter
from mockserver.chain.abi.types import ELEMENTARY, MAX_DEPTH, AbiError, AbiType, array_type
from mockserver.chain.abi.values import describe

_DECIMAL = re.compile(r"[0-9]+")
_BYTES = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_BOOLS = ("true", "false")
_REMEDY = "name the function by a signature such as mint(address)"


def infer_function(name: str, args: Sequence[object], is_address: Callable[[str], bool]) -> Function:
    """The function of this name that takes these arguments, given as JSON values.

    A text is an `address` when `is_address` says so, a `uint256` in decimal digits, a `bool` as `true`
    or `false`, `bytes` in 0x hex, and else a `string`. A list is an array of the type of its elements.
    AbiError at `functionArgs[i]` for a value that tells no type, and at `functionName` for no name.
    """
    if IDENTIFIER.fullmatch(name) is None:
        raise AbiError(f"{describe(name)} is not the name of a function.", "functionName")
    shapes = (_infer(arg, f"functionArgs[{i}]", is_address) for i, arg in enumerate(args))
    return Function(name, tuple(Parameter("", shape) for shape in shapes))


def _infer(value: object, path: str, is_address: Callable[[str], bool], depth: int = 0) -> AbiType:
    match value:
        case bool():
            return ELEMENTARY["bool"]
        case int():
            return ELEMENTARY["uint256"]
        case str():
            return ELEMENTARY[_type_of_text(value, is_address)]
        case list() if not value:
            raise AbiError(f"An empty list does not tell the type of its elements; {_REMEDY}.", path)
        case list() if depth < MAX_DEPTH:
            return _infer_array(value, path, is_address, depth)
        case list():
            raise AbiError(f"Lists are nested deeper than {MAX_DEPTH}.", path)
        case _:
            raise AbiError(f"{describe(value)} does not tell its type without an ABI; {_REMEDY}.", path)


def _infer_array(
    items: Sequence[object], path: str, is_address: Callable[[str], bool], depth: int
) -> AbiType:
    shapes = [_infer(item, f"{path}[{i}]", is_address, depth + 1) for i, item in enumerate(items)]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            found = f"{describe(items[i])} is of the type {shape.text}, the list's first element of the type"
            raise AbiError(f"{found} {shapes[0].text}; {_REMEDY}.", f"{path}[{i}]")
    return array_type(shapes[0], -1)


def _type_of_text(text: str, is_address: Callable[[str], bool]) -> str:
    if is_address(text):
        return "address"
    if _DECIMAL.fullmatch(text):
        return "uint256"
    if text in _BOOLS:
        return "bool"
    return "bytes" if _BYTES.fullmatch(text) else "string"
