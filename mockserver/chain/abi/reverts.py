"""The data that a reverted call returns: reasons, panics and custom errors of Solidity."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from mockserver.chain.abi.functions import Function, decode_call, encode_call, functions_in
from mockserver.chain.abi.types import AbiError, AbiType

_REASON = Function.parse("Error(string)")
_PANIC = Function.parse("Panic(uint256)")
# The errors of ERC-4337 entry points, which name the failed operation and an AA code.
_FAILED_OPS = (
    Function.parse("FailedOp(uint256,string)"),
    Function.parse("FailedOpWithRevert(uint256,string,bytes)"),
)

# The errors of token contracts (ERC-6093), decoded even if the ABI does not declare them.
_TOKEN_ERRORS = tuple(
    Function.parse(signature)
    for signature in (
        "ERC20InsufficientBalance(address,uint256,uint256)",
        "ERC20InsufficientAllowance(address,uint256,uint256)",
        "ERC721NonexistentToken(uint256)",
        "ERC721IncorrectOwner(address,uint256,address)",
        "ERC721InvalidSender(address)",
        "ERC721InsufficientApproval(address,uint256)",
        "ERC1155InsufficientBalance(address,uint256,uint256,uint256)",
        "ERC1155InvalidArrayLength(uint256,uint256)",
        "ERC1155MissingApprovalForAll(address,address)",
    )
)

# Solidity documentation, "Panic via assert and Error via require".
_PANICS: Mapping[int, str] = {
    0x00: "a panic inserted by the compiler",
    0x01: "an assertion failed",
    0x11: "an arithmetic operation overflowed or underflowed",
    0x12: "a division or modulo by zero",
    0x21: "a value was converted to an enum that has no such member",
    0x22: "a byte array in storage is incorrectly encoded",
    0x31: "an element was popped from an empty array",
    0x32: "an index is out of the bounds of its array",
    0x41: "too much memory was allocated, or an array is too large",
    0x51: "an uninitialised variable of function type was called",
}


def encode_reason(text: str) -> bytes:
    """Return what `revert("text")` returns: `Error(string)`."""
    return encode_call(_REASON, [text])


def encode_panic(code: int) -> bytes:
    """Return what a failed check of the compiler returns: `Panic(uint256)`."""
    return encode_call(_PANIC, [code])


_MOST_SHOWN = 256
"""How many bytes of unknown revert data are shown."""


def decode_revert(data: bytes, abi: Sequence[Mapping[str, object]]) -> tuple[str | None, str]:
    """Return the name of the error and the reason as text.

    The name is None for an error that neither Solidity, nor the entry point, nor the ABI, nor ERC-6093
    knows; a custom error reads like a call, `InsufficientBalance(1, 2)`. AbiError when the ABI is
    malformed.
    """
    for function in _candidate_errors(abi):
        if data[:4] == function.selector:
            try:
                return function.name, _reason(function, decode_call(function, data))
            except AbiError:
                continue
    if not data:
        return None, "execution reverted"
    if len(data) > _MOST_SHOWN:
        return None, f"execution reverted with {len(data)} bytes, 0x{data[:_MOST_SHOWN].hex()}..."
    return None, f"execution reverted with 0x{data.hex()}"


def _candidate_errors(abi: Sequence[Mapping[str, object]]) -> Iterator[Function]:
    yield from (_REASON, _PANIC, *_FAILED_OPS)
    yield from functions_in(abi, "error")
    yield from _TOKEN_ERRORS


def _reason(function: Function, values: tuple[object, ...]) -> str:
    if function is _REASON:
        return cast(str, values[0])
    if function in _FAILED_OPS:
        return cast(str, values[1])
    if function is _PANIC:
        code = cast(int, values[0])
        return f"Panic 0x{code:02x}: {_PANICS.get(code, 'a code that Solidity does not define')}"
    return spell_call(function, values)


def spell_call(function: Function, values: tuple[object, ...]) -> str:
    """A call, or a custom error, as it would be written: `InsufficientBalance(1, 2)`."""
    spelled = (
        _spell(parameter.shape, value) for parameter, value in zip(function.inputs, values, strict=True)
    )
    return f"{function.name}({', '.join(spelled)})"


def _spell(shape: AbiType, value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case bytes():
            return f"0x{value.hex()}"
        case str():
            return value if shape.kind == "address" else json.dumps(value, ensure_ascii=False)
        case list():
            return f"[{', '.join(_spell(shape.members[0], item) for item in value)}]"
        case tuple():
            return f"({', '.join(map(_spell, shape.members, value))})"
        case _:
            return str(value)
