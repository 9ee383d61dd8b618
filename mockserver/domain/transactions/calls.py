"""Encoding of requested calls to destination, value and calldata; the functions that they name."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockserver import leniencies
from mockserver.chain.abi.functions import AbiError, Function, encode_call, find_function
from mockserver.chain.abi.inference import infer_function
from mockserver.chain.abi.types import AbiType
from mockserver.chain.abi.values import Allowance, read_json_text
from mockserver.chain.addresses import is_address, to_checksum
from mockserver.domain.chains.contracts import find_contract_on
from mockserver.domain.chains.tokens.public_abi import known_abi
from mockserver.domain.wallets.selectors import address_of_id
from mockserver.errors import ApiError, wrong_field
from mockserver.leniencies import Accept, refuse
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project

_ACCOUNT_PREFIXES = ("acc_", "dac_", "pla_")
_ID_PREFIXES = (*_ACCOUNT_PREFIXES, "con_")
"""The prefixes of ids that stand for addresses."""


def resolve_calls(
    project: Project,
    chain_id: int,
    requested: Sequence[Mapping[str, Any]],
    path: str = "calls",
    contract_field: str = "contractId",
    accept: Accept = refuse,
) -> tuple[CallRecord, ...]:
    """Resolve and encode the calls of a request.

    Each has `to` (an address or an `acc_`, `dac_` or `pla_` id) or `contractId`; `data`, or
    `functionName` and `functionArgs`; `value` in wei; and `dataSuffix`. ApiError with 400, or 404 for
    an unknown id; `accept` is asked about a function without an ABI. Errors name the field by its path;
    `contract_field` is the request's name for the contract. The arguments of all calls have a limit of
    values together.
    """
    conversion = _Conversion(project, chain_id, Allowance(), contract_field, accept)
    return tuple(_resolve(conversion, call, f"{path}[{i}]") for i, call in enumerate(requested))


class _Conversion(NamedTuple):
    """What the calls of a request are converted by."""

    project: Project
    chain_id: int
    allowance: Allowance
    contract_field: str = "contractId"
    accept: Accept = refuse


def _resolve(conversion: _Conversion, call: Mapping[str, Any], path: str) -> CallRecord:
    contract = _contract(conversion, call, path)
    to = contract.address if contract else _destination(conversion, call, path)
    shown = dict(call)
    if contract is None:
        shown["to"] = to
    function = _function(conversion, call, contract, path)
    if function is None:
        data = bytes.fromhex(call.get("data", "0x")[2:])
    else:
        args = _arguments(conversion, function, call.get("functionArgs", []), f"{path}.functionArgs")
        try:
            data = encode_call(function, args)
        except AbiError as error:
            raise _unencodable(error, path) from None
        if "functionArgs" in call:
            shown["functionArgs"] = args
    suffix = bytes.fromhex(call.get("dataSuffix", "0x")[2:])
    return CallRecord(to=to, value=int(call.get("value", "0")), data=data + suffix, requested=shown)


def _contract(conversion: _Conversion, call: Mapping[str, Any], path: str) -> Contract | None:
    contract_id, field = call.get("contractId"), conversion.contract_field
    if contract_id is None:
        return None
    if "to" in call:
        raise wrong_field(f"{path}.to", f"a call has either to or {field}, not both")
    return find_contract_on(conversion.project, conversion.chain_id, contract_id, f"{path}.{field}")


def _destination(conversion: _Conversion, call: Mapping[str, Any], path: str) -> str:
    to = call.get("to")
    if to is None:
        raise wrong_field(f"{path}.to", f"a call needs to or {conversion.contract_field}")
    if is_address(to):
        return to_checksum(to)
    if to.startswith(_ACCOUNT_PREFIXES):
        return address_of_id(conversion.project, conversion.chain_id, to, f"{path}.to")
    raise wrong_field(f"{path}.to", "must be an address, or the id of an account or wallet")


def _function(
    conversion: _Conversion, call: Mapping[str, Any], contract: Contract | None, path: str
) -> Function | None:
    """The function that a call names, or None for raw or empty data."""
    name = call.get("functionName")
    if name is None:
        if "functionArgs" in call:
            raise wrong_field(f"{path}.functionArgs", "arguments need a functionName")
        if contract is not None and "data" not in call:
            raise wrong_field(f"{path}.functionName", "a call of a contract needs a functionName or data")
        return None
    if "data" in call:
        raise wrong_field(f"{path}.data", "a call has either data or a functionName, not both")
    try:
        args, param = call.get("functionArgs", []), f"{path}.functionName"
        return find_called_function(conversion.project, contract, name, args, param, conversion.accept)
    except AbiError as error:
        raise _unencodable(error, path) from None


def find_called_function(
    project: Project, contract: Contract | None, name: str, args: Sequence[object], param: str, accept: Accept
) -> Function:
    """The function of a contract, or of an address when it is None, with a name or a signature.

    Without an ABI a name means the function that takes these arguments, by their inferred types: of a
    publicly verified contract, or else if `accept` accepts it, whose error names `param`. AbiError
    below `functionName` or `functionArgs`.
    """
    if (contract is not None and contract.abi) or "(" in name:
        return find_function(contract.abi if contract else (), name, len(args))
    if contract is None or not contract.public_verification:
        function = infer_function(name, args, _stands_for_address)
        accept(leniencies.FUNCTION_WITHOUT_ABI.fill(signature=function.signature), param)
        return function
    known = known_abi(project, contract)
    # The inferred ABI is not complete: the contract may well have an overload that it lacks.
    fitting = [entry for entry in known if entry["name"] == name and len(entry["inputs"]) == len(args)]
    if any(entry["type"] == "function" for entry in fitting):
        return find_function(known, name, len(args))
    return infer_function(name, args, _stands_for_address)


def _stands_for_address(text: str) -> bool:
    return is_address(text) or text.startswith(_ID_PREFIXES)


def _arguments(conversion: _Conversion, function: Function, args: list[Any], path: str) -> list[object]:
    if len(args) != len(function.inputs):
        return args
    try:
        conversion.allowance.take(len(args), path)
        return [
            _convert(conversion, parameter.shape, arg, f"{path}[{i}]")
            for i, (parameter, arg) in enumerate(zip(function.inputs, args, strict=True))
        ]
    except AbiError as error:
        raise wrong_field(error.path, str(error)) from None


def encode_arguments(project: Project, chain_id: int, function: Function, args: list[object]) -> bytes:
    """The data of a call, with ids turned into addresses; ApiError with 400, or 404 for an unknown id."""
    conversion = _Conversion(project, chain_id, Allowance())
    try:
        return encode_call(function, _arguments(conversion, function, args, "functionArgs"))
    except AbiError as error:
        raise wrong_field(error.path or "functionArgs", str(error)) from None


def _unencodable(error: AbiError, path: str) -> ApiError:
    return wrong_field(f"{path}.{error.path or 'functionName'}", str(error))


def _convert(conversion: _Conversion, shape: AbiType, value: object, path: str) -> object:
    """Replace every id in an address argument by its address; leave what does not fit for the encoder.

    AbiError at the list or tuple whose values are more than the allowance.
    """
    match value:
        case str() if shape.kind == "address" and value.startswith(_ID_PREFIXES):
            return address_of_id(conversion.project, conversion.chain_id, value, path)
        case str() if shape.kind in ("array", "tuple"):
            return _convert_text(conversion, shape, value, path)
        case list():
            conversion.allowance.take(len(value), path)
            members = shape.members * len(value) if shape.kind == "array" else shape.members
            if len(members) != len(value):
                return value
            return [
                _convert(conversion, member, item, f"{path}[{i}]")
                for i, (member, item) in enumerate(zip(members, value, strict=True))
            ]
        case dict():
            conversion.allowance.take(len(value), path)
            named = dict(zip(shape.names, shape.members, strict=False))
            return {
                name: _convert(conversion, named[name], item, f"{path}.{name}") if name in named else item
                for name, item in value.items()
            }
        case _:
            return value


def _convert_text(conversion: _Conversion, shape: AbiType, text: str, path: str) -> object:
    """A list or tuple given as JSON text: unchanged unless it has ids."""
    try:
        given = read_json_text(text, path)
    except AbiError:
        return text
    converted = _convert(conversion, shape, given, path) if given is not text else text
    return text if converted == given else converted
