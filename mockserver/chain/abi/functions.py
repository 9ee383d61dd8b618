"""The contract ABI: functions, their calls, plain values and event topics.

This is our own implementation because importing eth-abi takes a quarter of a second at start-up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, TypeVar

from mockserver.chain.abi.codec import decode_sequence, encode_sequence
from mockserver.chain.abi.grammar import (
    IDENTIFIER,
    Parameter,
    check_flags,
    parse_signature,
    parse_type,
    read_parameters,
)
from mockserver.chain.abi.types import ELEMENTARY, AbiType
from mockserver.chain.abi.types import AbiError as AbiError
from mockserver.chain.abi.values import Allowance, describe, read_value
from mockserver.crypto.keccak import keccak256
from mockserver.kernel.spelling import nearest, shorten

T = TypeVar("T")

_ENTRY_TYPES = ("function", "constructor", "event", "error", "fallback", "receive")
_NAMED_ENTRY_TYPES = frozenset({"function", "event", "error"})
_ENTRY_FLAGS = ("anonymous", "constant", "payable")
_MUTABILITIES = ("pure", "view", "nonpayable", "payable")


@dataclass(frozen=True)
class Function:
    """A function of a contract, or a custom error, which is encoded in the same way."""

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...] = ()

    @classmethod
    def parse(cls, signature: str) -> "Function":
        """Read a signature such as `transfer(address to, uint256)`; AbiError when it is none."""
        return cls(*parse_signature(signature))

    @property
    def signature(self) -> str:
        """The canonical signature, such as `transfer(address,uint256)`."""
        return f"{self.name}({','.join(parameter.type for parameter in self.inputs)})"

    @cached_property
    def selector(self) -> bytes:
        """The first four bytes of a call's data."""
        return keccak256(self.signature.encode())[:4]


def parse_function(entry: Mapping[str, object], path: str = "abi") -> Function:
    """Read a function or error of a JSON ABI; AbiError below `path` when it is malformed."""
    name = entry.get("name")
    if not isinstance(name, str) or IDENTIFIER.fullmatch(name) is None:
        raise AbiError(f"{describe(name)} is not a name.", f"{path}.name")
    inputs = read_parameters(entry.get("inputs"), f"{path}.inputs")
    outputs = read_parameters(entry.get("outputs"), f"{path}.outputs")
    _check_mutability(entry, path)
    return Function(name, inputs, outputs)


def functions_in(abi: Sequence[Mapping[str, object]], kind: str = "function") -> Iterator[Function]:
    """Read the functions of a JSON ABI, or its errors; AbiError when one is malformed."""
    for i, entry in enumerate(abi):
        if _entry_type(entry) == kind:
            yield parse_function(entry, f"abi[{i}]")


def function_of_call(abi: Sequence[Mapping[str, object]], calldata: bytes) -> Function | None:
    """Return the function of a JSON ABI that a call is of, by its selector, or None."""
    return next((each for each in functions_in(abi) if each.selector == calldata[:4]), None)


def find_function(
    abi: Sequence[Mapping[str, object]], name_or_signature: str, argument_count: int | None
) -> Function:
    """Return the function meant by a name, or by a signature such as `mint(address)`.

    Overloads are distinguished by the number of arguments. A signature needs no ABI. AbiError at
    `functionName`, with the nearest name, when nothing or more than one thing is meant.
    """
    entries = [(i, entry) for i, entry in enumerate(abi) if _entry_type(entry) == "function"]
    if "(" in name_or_signature:
        return _find_signature(entries, name_or_signature)
    if not entries:
        message = f"Without an ABI, {describe(name_or_signature)} must be a signature such as mint(address)."
        raise AbiError(message, "functionName")
    overloads = _overloads(entries, name_or_signature)
    if len(overloads) == 1:
        return overloads[0]
    fitting = [found for found in overloads if argument_count in (None, len(found.inputs))]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(found.signature for found in overloads)
    if fitting:
        raise AbiError(f"Several functions are meant; write one signature of {known}.", "functionName")
    raise AbiError(
        f"No {name_or_signature} takes {argument_count} arguments; there are {known}.", "functionArgs"
    )


def encode_call(function: Function, args: Sequence[object]) -> bytes:
    """Return selector and encoded arguments, given as JSON values; AbiError at `functionArgs[i]`."""
    expected = len(function.inputs)
    if not isinstance(args, list | tuple) or len(args) != expected:
        given = len(args) if isinstance(args, list | tuple) else describe(args)
        plural = "" if expected == 1 else "s"
        message = f"{shorten(function.signature)} takes {expected} argument{plural}, {given} given."
        raise AbiError(message, "functionArgs")
    shapes = [parameter.shape for parameter in function.inputs]
    return function.selector + _encode(shapes, args, "functionArgs")


def encode_values(types: Sequence[str], values: Sequence[object]) -> bytes:
    """Encode values, in Python's or in JSON's form; AbiError at `values[i]`."""
    if len(types) != len(values):
        raise AbiError(f"There are {len(types)} types and {len(values)} values.", "values")
    return _encode(list(map(_read_type, types)), values, "values")


def decode_values(types: Sequence[str], raw: bytes) -> tuple[object, ...]:
    """Decode to int, bool, bytes, str (addresses in EIP-55), lists and tuples; AbiError at `data`."""
    return decode_sequence(list(map(_read_type, types)), raw)


def _read_type(text: str) -> AbiType:
    # Most types are words, which need no parser.
    return ELEMENTARY.get(text) or parse_type(text)


def decode_call(function: Function, calldata: bytes) -> tuple[object, ...]:
    """Return the arguments of a call; AbiError when it is not a call of this function."""
    if calldata[:4] != function.selector:
        raise AbiError(f"The data does not start with the selector of {shorten(function.signature)}.", "data")
    return decode_sequence([parameter.shape for parameter in function.inputs], calldata[4:])


def encode_event(
    signature: str, indexed: Sequence[object], values: Sequence[object] = ()
) -> tuple[list[bytes], bytes]:
    """Return topics and data of an event, whose first arguments are indexed and have a word each."""
    topic, shapes = _read_event(signature)
    topics = [_encode([shape], [each], "indexed") for shape, each in zip(shapes, indexed, strict=False)]
    return [topic, *topics], _encode(shapes[len(indexed) :], values, "values")


def event_topic(signature: str) -> bytes:
    """Return the first topic of an event, by its signature."""
    return _read_event(signature)[0]


@lru_cache(maxsize=128)
def _read_event(signature: str) -> tuple[bytes, list[AbiType]]:
    event = Function.parse(signature)
    return keccak256(event.signature.encode()), [parameter.shape for parameter in event.inputs]


class FunctionTable(Generic[T]):
    """What functions of contracts do, by their signatures."""

    def __init__(self, functions: Mapping[str, Callable[..., T]]) -> None:
        self._functions = functions

    def __iter__(self) -> Iterator[Function]:
        return (function for function, _ in self._by_selector.values())

    def call(self, calldata: bytes, *subject: object) -> T:
        """Do what a call asks for, with the subject before its arguments. AbiError for one of no function."""
        known = self._by_selector.get(calldata[:4])
        if known is None:
            raise AbiError("There is no such function.")
        function, run = known
        return run(*subject, *decode_call(function, calldata))

    def has(self, calldata: bytes) -> bool:
        """Whether a call is of one of them."""
        return calldata[:4] in self._by_selector

    @cached_property
    def _by_selector(self) -> Mapping[bytes, tuple[Function, Callable[..., T]]]:
        # On first use: each selector costs a hash.
        parsed = ((Function.parse(signature), run) for signature, run in self._functions.items())
        return {function.selector: (function, run) for function, run in parsed}


def zero_value(type: str) -> object:
    """Return the default value of the type, which an uninitialised variable holds."""
    shape = parse_type(type)
    # A zero is its own encoding, and that of no bytes; as an offset it points to zeros.
    (value,) = decode_sequence([shape], bytes(shape.head_bytes + shape.least_bytes))
    return value


def validate_abi(abi: Sequence[Mapping[str, object]]) -> None:
    """Raise AbiError at the first malformed entry, such as `abi[3].inputs[0].type`."""
    for i, entry in enumerate(abi):
        path = f"abi[{i}]"
        if not isinstance(entry, Mapping):
            raise AbiError("An entry of an ABI must be an object.", path)
        kind = _entry_type(entry)
        if kind not in _ENTRY_TYPES:
            close = nearest(kind, _ENTRY_TYPES) if isinstance(kind, str) else None
            raise AbiError(f"{describe(kind)} is not a type of entry of an ABI.", f"{path}.type", close)
        if kind in _NAMED_ENTRY_TYPES:
            parse_function(entry, path)
        else:
            read_parameters(entry.get("inputs"), f"{path}.inputs")
            _check_mutability(entry, path)
        check_flags(entry, _ENTRY_FLAGS, path)
        if not isinstance(entry.get("gas"), str | None):
            raise AbiError(f"{describe(entry['gas'])} is not a text.", f"{path}.gas")


def _find_signature(entries: Sequence[tuple[int, Mapping[str, object]]], text: str) -> Function:
    try:
        bare = Function.parse(text)
    except AbiError as error:
        raise AbiError(error.message, "functionName", error.nearest) from None
    if not entries:
        return bare
    for found in _parse_entries(entries, bare.name):
        if found.signature == bare.signature:
            return found
    message = f"The ABI has no function {shorten(bare.signature)}."
    known = [parse_function(entry, f"abi[{i}]").signature for i, entry in entries]
    raise AbiError(message, "functionName", nearest(bare.signature, known))


def _overloads(entries: Sequence[tuple[int, Mapping[str, object]]], name: str) -> list[Function]:
    found = _parse_entries(entries, name)
    if not found:
        close = nearest(name, [str(entry.get("name")) for _, entry in entries])
        raise AbiError(f"The ABI has no function {describe(name)}.", "functionName", close)
    return found


def _parse_entries(entries: Sequence[tuple[int, Mapping[str, object]]], name: str) -> list[Function]:
    return [parse_function(entry, f"abi[{i}]") for i, entry in entries if entry.get("name") == name]


def _entry_type(entry: Mapping[str, object]) -> object:
    # The specification of the JSON ABI lets the type be left out, and means a function then.
    kind = entry.get("type")
    return "function" if kind is None else kind


def _check_mutability(entry: Mapping[str, object], path: str) -> None:
    stated = entry.get("stateMutability")
    # Compilers before Solidity 0.6 wrote two flags instead.
    if stated is not None and stated not in _MUTABILITIES:
        problem = f"{describe(stated)} is not one of {', '.join(_MUTABILITIES)}."
        raise AbiError(problem, f"{path}.stateMutability")


def _encode(shapes: Sequence[AbiType], values: Sequence[object], path: str) -> bytes:
    allowance = Allowance()
    read = [
        read_value(shape, value, f"{path}[{i}]", allowance)
        for i, (shape, value) in enumerate(zip(shapes, values, strict=True))
    ]
    return encode_sequence(shapes, read)
