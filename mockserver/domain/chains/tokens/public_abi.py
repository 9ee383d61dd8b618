"""The ABI of a publicly verified contract: that of the token standard that is known of it."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from mockserver.domain.chains.tokens.standards import Standard, standard_at
from mockserver.state.onchain import Contract
from mockserver.state.project import Project

_ENTRY = re.compile(r"(function|event) (\w+)\((.*?)\)(?: (view))?(?: returns \((\w+(?:\[\])?)\))?")

_ERC20 = (
    "function name() view returns (string)",
    "function symbol() view returns (string)",
    "function decimals() view returns (uint8)",
    "function totalSupply() view returns (uint256)",
    "function balanceOf(address account) view returns (uint256)",
    "function allowance(address owner, address spender) view returns (uint256)",
    "function transfer(address to, uint256 value) returns (bool)",
    "function approve(address spender, uint256 value) returns (bool)",
    "function transferFrom(address from, address to, uint256 value) returns (bool)",
    "event Transfer(address indexed from, address indexed to, uint256 value)",
    "event Approval(address indexed owner, address indexed spender, uint256 value)",
)
_ERC721 = (
    "function supportsInterface(bytes4 interfaceId) view returns (bool)",
    "function name() view returns (string)",
    "function symbol() view returns (string)",
    "function tokenURI(uint256 tokenId) view returns (string)",
    "function totalSupply() view returns (uint256)",
    "function balanceOf(address owner) view returns (uint256)",
    "function ownerOf(uint256 tokenId) view returns (address)",
    "function getApproved(uint256 tokenId) view returns (address)",
    "function isApprovedForAll(address owner, address operator) view returns (bool)",
    "function approve(address to, uint256 tokenId)",
    "function setApprovalForAll(address operator, bool approved)",
    "function transferFrom(address from, address to, uint256 tokenId)",
    "function safeTransferFrom(address from, address to, uint256 tokenId)",
    "function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)",
    "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
    "event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
    "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
)
_ERC1155 = (
    "function supportsInterface(bytes4 interfaceId) view returns (bool)",
    "function uri(uint256 id) view returns (string)",
    "function balanceOf(address account, uint256 id) view returns (uint256)",
    "function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])",
    "function isApprovedForAll(address account, address operator) view returns (bool)",
    "function setApprovalForAll(address operator, bool approved)",
    "function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)",
    "function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)",
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, "
    "uint256 id, uint256 value)",
    "event TransferBatch(address indexed operator, address indexed from, address indexed to, "
    "uint256[] ids, uint256[] values)",
    "event ApprovalForAll(address indexed account, address indexed operator, bool approved)",
    "event URI(string value, uint256 indexed id)",
)
_STANDARDS: Mapping[Standard, tuple[str, ...]] = {"ERC-20": _ERC20, "ERC-721": _ERC721, "ERC-1155": _ERC1155}


def known_abi(project: Project, contract: Contract) -> Sequence[Mapping[str, Any]]:
    """The ABI of a contract as registered, or of a publicly verified one as far as it can be inferred.

    That is the ABI of the token standard that its holders show, and of ERC-20 before there are any. It is
    not complete: such a contract may have other functions.
    """
    if contract.abi or not contract.public_verification:
        return contract.abi
    return abi_of_standard(standard_at(project, contract) or "ERC-20")


@cache
def abi_of_standard(standard: Standard) -> tuple[Mapping[str, Any], ...]:
    """The JSON ABI of a token standard (EIP-20, EIP-721 and EIP-1155)."""
    return tuple(map(_read, _STANDARDS[standard]))


def _read(line: str) -> Mapping[str, Any]:
    """An entry of a JSON ABI from its declaration in Solidity."""
    found = _ENTRY.fullmatch(line)
    assert found is not None
    kind, name, parameters, view, output = found.groups()
    inputs = [_parameter(text.split(), kind) for text in parameters.split(", ") if text]
    if kind == "event":
        return {"type": "event", "name": name, "inputs": inputs, "anonymous": False}
    return {
        "type": "function",
        "name": name,
        "inputs": inputs,
        "outputs": [{"name": "", "type": output}] if output else [],
        "stateMutability": view or "nonpayable",
    }


def _parameter(words: Sequence[str], kind: str) -> dict[str, Any]:
    """A parameter; those of events say whether they are indexed."""
    named = {"name": words[-1], "type": words[0]}
    return named if kind == "function" else {**named, "indexed": "indexed" in words}
