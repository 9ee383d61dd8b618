"""Parsers of contract ABI types and signatures, from text and from JSON ABI entries."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mockserver.chain.abi.types import MAX_DEPTH, AbiError, AbiType, array_type, elementary_type, tuple_type
from mockserver.kernel.spelling import shorten

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_WORD = re.compile(r"[A-Za-z]+[0-9]*(?:x[0-9]+)?")
_DIMENSION = re.compile(r"\[([0-9]*)\]")
_NAME = re.compile(r"\s+([A-Za-z_$][A-Za-z0-9_$]*)")
_SPACE = re.compile(r"\s*")
_TUPLE = re.compile(r"tuple((?:\[[0-9]*\])*)")
_MODIFIERS = frozenset({"indexed", "payable", "memory", "calldata", "storage"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or output, with its type as a tree."""

    name: str
    shape: AbiType

    @property
    def type(self) -> str:
        """The canonical type, with tuples spelled out (`(uint256,address)[]`)."""
        return self.shape.text


def parse_type(text: str) -> AbiType:
    """Read a type such as `uint8[2][]` or `(address to, uint256)[]`; AbiError when it is none."""
    found, end = _parse(text, 0, 0)
    if end != len(text):
        raise AbiError(f"{shorten(text[end:])!a} follows the type {shorten(found.text)}.")
    return found


def parse_signature(text: str) -> tuple[str, tuple[Parameter, ...]]:
    """Split a signature such as `transfer(address to, uint256)` into its name and its parameters."""
    name, bracket, _ = text.partition("(")
    if not bracket or IDENTIFIER.fullmatch(name.strip()) is None:
        raise AbiError(f"{shorten(text)!a} is not a signature such as mint(address).")
    members, names, end = _parse_members(text, len(name), 0)
    if text[end:].strip():
        raise AbiError(f"{shorten(text[end:])!a} follows the signature.")
    return name.strip(), tuple(map(Parameter, names, members))


def read_parameters(entries: object, path: str) -> tuple[Parameter, ...]:
    """Read the inputs or outputs of a JSON ABI's entry; AbiError with its path when one is malformed."""
    listed = enumerate(read_sequence(entries, path))
    return tuple(Parameter(*_read(entry, f"{path}[{i}]", 0)) for i, entry in listed)


def read_sequence(value: object, path: str) -> Sequence[object]:
    """Return a list of a JSON ABI, empty when it is absent."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise AbiError("This must be a list.", path)
    return value


def _read(entry: object, path: str, depth: int) -> tuple[str, AbiType]:
    if not isinstance(entry, Mapping):
        raise AbiError("This must be an object with a name and a type.", path)
    name = entry.get("name") or ""
    text = entry.get("type")
    if not isinstance(name, str):
        raise AbiError("A name must be a text.", f"{path}.name")
    if not isinstance(text, str):
        raise AbiError("A type must be a text such as uint256.", f"{path}.type")
    check_flags(entry, ("indexed",), path)
    dimensions = _TUPLE.fullmatch(text)
    with _add_path(f"{path}.type"):
        if dimensions is None:
            return name, parse_type(text)
        if depth > MAX_DEPTH:
            raise AbiError(f"Types are nested deeper than {MAX_DEPTH}.")
    inside = f"{path}.components"
    components = read_sequence(entry.get("components"), inside)
    read = [_read(component, f"{inside}[{i}]", depth + 1) for i, component in enumerate(components)]
    with _add_path(inside):
        found = tuple_type([shape for _, shape in read], [named for named, _ in read])
    with _add_path(f"{path}.type"):
        return name, _with_dimensions(found, dimensions[1], 0)[0]


def check_flags(entry: Mapping[str, object], names: Sequence[str], path: str) -> None:
    """Raise AbiError at a member that should be a JSON boolean and is not."""
    for name in names:
        if not isinstance(entry.get(name), bool | None):
            raise AbiError("This must be true or false.", f"{path}.{name}")


@contextmanager
def _add_path(path: str) -> Iterator[None]:
    try:
        yield
    except AbiError as error:
        raise AbiError(error.message, path, error.nearest) from None


def _parse(text: str, at: int, depth: int) -> tuple[AbiType, int]:
    if text.startswith("tuple(", at):
        at += len("tuple")
    if text.startswith("(", at):
        members, names, at = _parse_members(text, at, depth + 1)
        return _with_dimensions(tuple_type(members, names), text, at)
    word = _WORD.match(text, at)
    if word is None:
        raise AbiError(f"A type was expected where {shorten(text[at:])!a} stands.")
    return _with_dimensions(elementary_type(word[0]), text, word.end())


def _parse_members(text: str, at: int, depth: int) -> tuple[list[AbiType], list[str], int]:
    """Read from an opening bracket to its closing one."""
    if depth > MAX_DEPTH:
        raise AbiError(f"Types are nested deeper than {MAX_DEPTH}.")
    members: list[AbiType] = []
    names: list[str] = []
    at = _skip_space(text, at + 1)
    if text.startswith(")", at):
        return members, names, at + 1
    while True:
        member, at = _parse(text, _skip_space(text, at), depth)
        name, at = _parse_name(text, at)
        members.append(member)
        names.append(name)
        at = _skip_space(text, at)
        if text.startswith(")", at):
            return members, names, at + 1
        if not text.startswith(",", at):
            raise AbiError(f"A comma or a closing bracket was expected where {shorten(text[at:])!a} stands.")
        at += 1


def _parse_name(text: str, at: int) -> tuple[str, int]:
    name = ""
    while word := _NAME.match(text, at):
        if word[1] not in _MODIFIERS:
            name = word[1]
        at = word.end()
    return name, at


def _skip_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _with_dimensions(item: AbiType, text: str, at: int) -> tuple[AbiType, int]:
    while dimension := _DIMENSION.match(text, at):
        digits = dimension[1]
        if len(digits) > 9 or digits.startswith("0"):
            raise AbiError(f"An array cannot have the length {shorten(digits)}.")
        item = array_type(item, int(digits) if digits else -1)
        at = dimension.end()
    return item, at
