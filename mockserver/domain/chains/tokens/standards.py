"""The token standard of a contract, and what its calls and reads do.

No contract code runs: the functions of the standards are implemented, with the behaviour of
OpenZeppelin's contracts where a standard leaves it open. Any caller may mint.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from mockserver.chain.abi.functions import AbiError, Function, FunctionTable
from mockserver.chain.abi.grammar import Parameter, parse_type
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.tokens import erc20, erc721, erc1155, holdings, signed
from mockserver.domain.chains.tokens.holdings import Ask, CallReverted, Token, ask_none, token_settings
from mockserver.state.onchain import CallRecord, Contract, Log
from mockserver.state.project import Project

Standard = Literal["ERC-20", "ERC-721", "ERC-1155"]

_CALLS: Mapping[Standard, FunctionTable[list[Log]]] = {
    "ERC-20": FunctionTable({**erc20.CALLS, **signed.CALLS}),
    "ERC-721": FunctionTable(erc721.CALLS),
    "ERC-1155": FunctionTable(erc1155.CALLS),
}
_READS: Mapping[Standard, Mapping[str, tuple[str, Callable[..., object]]]] = {
    "ERC-20": {**erc20.READS, **signed.READS},
    "ERC-721": erc721.READS,
    "ERC-1155": erc1155.READS,
}
_OUTPUTS: Mapping[str, str] = {
    **dict.fromkeys(("name()", "symbol()", "tokenURI(uint256)", "uri(uint256)"), "string"),
    "supportsInterface(bytes4)": "bool",
    **{signature: output for reads in _READS.values() for signature, (output, _) in reads.items()},
}
"""The return types of the standard reads. An ABI with other types has another function of the same name."""
_INTERFACES: Mapping[Standard, frozenset[str]] = {
    "ERC-20": frozenset({"01ffc9a7", "36372b07"}),
    "ERC-721": frozenset({"01ffc9a7", "80ac58cd", "5b5e139f"}),
    "ERC-1155": frozenset({"01ffc9a7", "d9b67a26", "0e89341c"}),
}
"""The interface ids that each standard supports (ERC-165)."""


def known_functions() -> Iterator[Function]:
    """The functions of all standards, with what the standard reads return."""
    for calls in _CALLS.values():
        yield from calls
    for reads in _READS.values():
        yield from (add_outputs(Function.parse(each)) for each in reads)


def make_call(
    project: Project, chain_id: int, sender: str, call: CallRecord, ask: Ask = ask_none
) -> list[Log]:
    """Execute a call if it is a token function; returns the events. CallReverted when it reverts."""
    known = [standard for standard, calls in _CALLS.items() if calls.has(call.data)]
    if not known:
        return []
    token = Token(project, chain_id, call.to, ask)
    contract = contract_on_chain(project, chain_id, call.to)
    standard = standard_of(contract.abi) if contract and contract.abi else _assumed_standard(token, known)
    if standard not in known:
        return []
    try:
        return _CALLS[standard].call(call.data, token, sender)
    except AbiError:
        return []


def _assumed_standard(token: Token, standards: Collection[Standard]) -> Standard:
    """Of the standards with a function, that of a contract without an ABI: ERC-20 unless it has token ids."""
    # Of the functions that ERC-721 and ERC-1155 share, both have the same effect.
    has_ids = holdings.has_ids(token)
    fitting = [standard for standard in standards if (standard != "ERC-20") == has_ids]
    return next(iter([*fitting, *standards]), "ERC-20")


def read(
    project: Project, contract: Contract, function: Function, arguments: tuple[object, ...]
) -> tuple[object, ...] | None:
    """The result of a read function of a token's standard, or None for any other function."""
    signature = function.signature
    output = function.outputs[0].type if len(function.outputs) == 1 else None
    if output is None or not _may_return(signature, output):
        return None
    token = Token(project, contract.chain_id, contract.address)
    standard = _standard_of_read(project, token, contract, signature)
    if signature == "name()":
        return (_text(holdings.name_of(token), output),)
    if signature == "symbol()":
        symbol = token_settings(token).symbol
        return (_text(contract.name or "" if symbol is None else symbol, output),)
    if signature == "supportsInterface(bytes4)":
        (interface,) = arguments
        return (isinstance(interface, bytes) and interface.hex() in _INTERFACES[standard],)
    known = _READS[standard].get(signature)
    return None if known is None else (known[1](token, *arguments),)


def _may_return(signature: str, output: str) -> bool:
    """Whether a read may return this type: the standard's, or bytes32 names as in some old ERC-20 tokens."""
    if signature == "decimals()":
        return output.startswith("uint") and output[4:].isdigit()
    return output == _OUTPUTS.get(signature) or (output == "bytes32" and signature in ("name()", "symbol()"))


def _text(text: str, output: str) -> str | bytes:
    """A name as a string, or as bytes32, cut after a whole UTF-8 character."""
    if output == "string":
        return text
    return text.encode()[:32].decode(errors="ignore").encode().ljust(32, b"\0")


def add_outputs(function: Function) -> Function:
    """Add to a function without an ABI the return types that it has in the standards."""
    output = _OUTPUTS.get(function.signature)
    return function if output is None else replace(function, outputs=(Parameter("", parse_type(output)),))


def _standard_of_read(project: Project, token: Token, contract: Contract, signature: str) -> Standard:
    """The standard by which a contract answers a read: its own if that has it."""
    standard = standard_at(project, contract)
    everywhere = signature == "supportsInterface(bytes4)"
    if standard is not None and (contract.abi or everywhere or signature in _READS[standard]):
        return standard
    return _assumed_standard(token, [each for each, reads in _READS.items() if signature in reads])


def set_token_balance(token: Token, holder: str, balance: int, token_id: int | None) -> None:
    """Set the balance of an address.

    ValueError when the token's standard rules it out (an ERC-721 token has one owner), or when the
    supply would exceed uint256.
    """
    contract = contract_on_chain(token.project, token.chain_id, token.address)
    standard = standard_of(contract.abi) if contract and contract.abi else None
    if standard == "ERC-20" and token_id is not None:
        raise ValueError("an ERC-20 has no token ids")
    if standard in ("ERC-721", "ERC-1155") and token_id is None:
        raise ValueError(f"of an {standard} contract a token_id is needed")
    if standard == "ERC-721" and token_id is not None:
        if balance > 1:
            raise ValueError("of an ERC-721 token there is one")
        owner = holdings.owner_of(token, token_id)
        if balance and owner is not None:
            holdings.set_balance(token, owner, 0, token_id)
    try:
        holdings.set_balance(token, holder, balance, token_id)
    except CallReverted:
        raise ValueError("there would be more of it than a uint256 holds") from None


def standard_at(project: Project, contract: Contract) -> Standard | None:
    """The token standard of a contract, by its ABI, or of a publicly verified one by its holders.

    None if it is not known.
    """
    if contract.abi:
        return standard_of(contract.abi)
    if not contract.public_verification:
        return None
    most = holdings.most_of_one_id(Token(project, contract.chain_id, contract.address))
    return None if most is None else "ERC-721" if most <= 1 else "ERC-1155"


def standard_of(abi: Sequence[Mapping[str, Any]]) -> Standard:
    """The token standard of an ABI, by its functions; ERC-20 when it is ambiguous."""
    names = {entry.get("name") for entry in abi}
    if names & {"safeBatchTransferFrom", "balanceOfBatch", "TransferSingle", "TransferBatch"}:
        return "ERC-1155"
    if names & {"ownerOf", "getApproved", "safeMint", "safeTransferFrom", "tokenURI"}:
        return "ERC-721"
    for entry in abi:
        inputs = entry.get("inputs") or []
        if entry.get("name") == "Transfer" and len(inputs) == 3 and inputs[2].get("indexed"):
            return "ERC-721"
    return "ERC-20"
