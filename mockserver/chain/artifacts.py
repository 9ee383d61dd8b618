"""Compiled contracts, as Foundry, Hardhat and solc write them: their ABI and their creation code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.chain.addresses import is_address


class Artifact(NamedTuple):
    """A compiled contract."""

    name: str | None
    abi: tuple[Mapping[str, Any], ...]
    creation_code: bytes


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
    return Artifact(
        name or contract.get("contractName"), tuple(abi), _creation_code(contract, libraries or {})
    )


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
