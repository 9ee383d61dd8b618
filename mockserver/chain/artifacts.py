"""Compiled contracts, as Foundry, Hardhat and solc write them: their ABI, their code and their lines."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.chain.addresses import is_address

_PUSH0 = 0x5F
_PUSH32 = 0x7F


class Source(NamedTuple):
    """The source file of a contract, with what tells which of its lines an instruction is from."""

    path: str
    text: str
    code: str
    """The code of the contract in hexadecimal, with placeholders for libraries."""
    source_map: str
    """In solc's form: start, length and file of each instruction, of which only what differs is written."""
    file: int
    """The number of the source file in the map."""
    lines: tuple[tuple[int, int], ...]
    """Where in the code another line begins: a place, and the line, or 0 for one of another file."""


class Artifact(NamedTuple):
    """A compiled contract."""

    name: str | None
    abi: tuple[Mapping[str, Any], ...]
    creation_code: bytes
    source: Source | None = None


@contextmanager
def _as_compilers_write() -> Iterator[None]:
    """ValueError where a member is of another type than the compilers write, or is not there."""
    try:
        yield
    except (AttributeError, KeyError, TypeError):
        raise ValueError("it is not of the form that Foundry, Hardhat and solc write") from None


@_as_compilers_write()
def read_artifact(
    document: Mapping[str, Any], name: str | None = None, libraries: Mapping[str, str] | None = None
) -> Artifact:
    """The compiled contract in a file of Foundry, of Hardhat or of solc, whose output may have several.

    `libraries` has addresses by the names of libraries that it is linked to. ValueError, which says what is
    missing, if there is no such contract, or if it cannot be created.
    """
    found = dict(_contracts(document))
    if len(found) == 1 and (name is None or None in found):
        # A file of Foundry does not say its contract's name.
        (only,) = found
        found, name = {only or name: found[only]}, only or name
    if name not in found:
        what = "which of its contracts is meant" if name is None else f"no contract {name!r}"
        raise ValueError(f"the artifact does not say {what}" if name is None else f"the artifact has {what}")
    contract = found[name]
    abi = contract.get("abi")
    if not isinstance(abi, Sequence) or isinstance(abi, str):
        raise ValueError("the artifact has no abi")
    name = name or contract.get("contractName")
    if not isinstance(name, str | None):
        raise TypeError(name)
    return Artifact(
        name,
        tuple(abi),
        _creation_code(contract, libraries or {}),
        _source_of(document, contract),
    )


def read_document(file: Path) -> dict[str, Any]:
    """The content of an artifact's file, with its source. ValueError if it is of no compiler."""
    document = json.loads(file.read_bytes())
    if not isinstance(document, dict):
        raise ValueError("it is no object, as Foundry, Hardhat and solc write")
    return add_source(document, file)


@_as_compilers_write()
def add_source(document: dict[str, Any], file: Path) -> dict[str, Any]:
    """The content of an artifact's file, with the text of the source file as `source`, if it can be found.

    That is at the path which the compiler was given, from a folder that the artifact is in.
    """
    paths = {_path_in(_settings_of(contract)) for _, contract in _contracts(document)}
    path = paths.pop() if len(paths) == 1 else None
    if path is None or "source" in document:
        return document
    places = [folder / path for folder in file.resolve().parents if path.endswith((".sol", ".vy"))]
    found = next((place for place in places if place.is_file()), None)
    return document if found is None else {**document, "source": found.read_text("utf-8", "replace")}


def _contracts(document: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """The contracts of a document by name; one of Foundry or Hardhat is a contract itself."""
    if "contracts" not in document:
        yield document.get("contractName"), document
        return
    for file, contracts in document["contracts"].items():
        # solc --combined-json names a contract file.sol:Name; --standard-json has an object for each file.
        if ":" in file:
            yield file.rpartition(":")[2], contracts
        else:
            yield from contracts.items()


def _settings_of(contract: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a contract was compiled with, as its metadata have it."""
    metadata = contract.get("metadata")
    with suppress(ValueError):
        metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
    found = metadata.get("settings") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _path_in(settings: Mapping[str, Any]) -> str | None:
    """The path of the source file that was compiled."""
    return next(iter(settings.get("compilationTarget", ())), None)


def _source_of(document: Mapping[str, Any], contract: Mapping[str, Any]) -> Source | None:
    """The source file of a contract that names its lines. ValueError if its source map is none.

    The optimizer has several lines share code: what it compiled names none.
    """
    settings = _settings_of(contract)
    path, optimizer = _path_in(settings), settings.get("optimizer")
    is_optimized = not isinstance(optimizer, Mapping) or optimizer.get("enabled") is not False
    deployed = contract.get("evm", contract).get("deployedBytecode")
    if not isinstance(deployed, Mapping):
        deployed = {"object": contract.get("bin-runtime"), "sourceMap": contract.get("srcmap-runtime")}
    text, code, source_map = document.get("source"), deployed.get("object"), deployed.get("sourceMap")
    if path is None or is_optimized or not source_map:
        return None
    number = document.get("id")
    if "sourceList" in document:
        number = [*document["sourceList"], path].index(path)
    elif "contracts" in document:
        number = document.get("sources", {}).get(path, {}).get("id")
    if not (isinstance(number, int) and isinstance(text, str) and isinstance(code, str)):
        return None
    code = code.removeprefix("0x")
    try:
        lines = tuple(_find_lines(text, code, source_map, number))
    except (ValueError, AttributeError):
        raise ValueError("the artifact's sourceMap is not one of solc") from None
    return Source(path, text, code, source_map, number, lines)


def _find_lines(text: str, code: str, source_map: str, number: int) -> Iterator[tuple[int, int]]:
    """Where another line of a source file begins, by its number in the map."""
    starts = [0, *accumulate(len(line) for line in text.encode().splitlines(keepends=True))]
    start, file, place, last = 0, -1, 0, None
    for entry in source_map.split(";"):
        fields = entry.split(":")
        start, file = int(fields[0] or start), int((fields[2:] or [""])[0] or file)
        line = bisect_right(starts, start) if file == number else 0
        if line != last:
            yield place, line
            last = line
        opcode = int(code[2 * place : 2 * place + 2] or "0", 16)
        place += 1 + max(0, opcode - _PUSH0) * (opcode <= _PUSH32)


def _creation_code(contract: Mapping[str, Any], libraries: Mapping[str, str]) -> bytes:
    found = contract.get("evm", contract).get("bytecode", contract.get("bin"))
    references = contract.get("linkReferences", {})
    if isinstance(found, Mapping):
        references = found.get("linkReferences", {})
        found = found.get("object")
    if not isinstance(found, str) or found in ("", "0x"):
        raise ValueError("the artifact has no bytecode: it is an interface or an abstract contract")
    text = _link(found.removeprefix("0x"), references, libraries)
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ValueError("the artifact's bytecode is not hexadecimal") from None


def _link(text: str, references: Mapping[str, Any], libraries: Mapping[str, str]) -> str:
    for contracts in references.values():
        for name, places in contracts.items():
            address = libraries.get(name)
            if address is None or not is_address(address):
                raise ValueError(f"the artifact needs the address of its library {name}")
            for place in places:
                start = 2 * place["start"]
                text = text[:start] + address[2:].lower() + text[start + 40 :]
    return text
