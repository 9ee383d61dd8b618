"""Contract reads: code is executed; else tokens are read from the ledger, and other functions are zero."""

from collections.abc import Sequence

from pydantic_core import from_json

from mockserver import errors
from mockserver.chain.abi.functions import AbiError, Function, decode_call, decode_values, zero_value
from mockserver.chain.abi.reverts import decode_revert
from mockserver.chain.abi.types import AbiType
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains import ledger
from mockserver.domain.chains.execution import REVERTED, Executed, Executor, try_out
from mockserver.domain.chains.tokens import standards
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.domain.transactions.calls import encode_arguments, find_called_function
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.effort import Work, finish
from mockserver.leniencies import Accept
from mockserver.state.onchain import Contract
from mockserver.state.project import Project

_PLAIN_BITS = 48
"""Integer types up to this many bits fit a JSON number everywhere; wider ones are decimal texts."""


def read_contract(
    project: Project, contract: Contract, name: str, arguments: Sequence[str], accept: Accept
) -> object:
    """The same as `read_in_slices`, at once."""
    return finish(read_in_slices(project, contract, name, arguments, accept))


def read_in_slices(
    project: Project, contract: Contract, name: str, arguments: Sequence[str], accept: Accept
) -> Work[object]:
    """Read a function of a contract: execute its code, else a token standard's result, else default values.

    No value is null, one value is returned by itself, several as a list; a tuple is an object when all
    of its components have names. ApiError with 409, and the nearest name, for a function that the ABI
    lacks, and with 400 for arguments that do not fit, or that the contract reverts for.
    """
    try:
        # Without an ABI a list is known by its JSON text.
        given = [_parse(text) if text.startswith("[") else text for text in arguments]
        function = find_called_function(project, contract, name, given, "functionName", accept)
    except AbiError as error:
        if error.path.startswith("functionArgs"):
            raise wrong_field(error.path, str(error)) from None
        raise ApiError(errors.FUNCTION_NOT_FOUND, param="functionName", reason=str(error)) from None
    if not function.outputs and not contract.abi:
        function = standards.add_outputs(function)
    read = _read_texts(function, arguments)
    encoded = encode_arguments(project, contract.chain_id, function, read)
    if ledger.is_run(project, contract.chain_id, contract.address):
        return _show(function, (yield from _execute(project, contract, function, encoded)))
    try:
        values = standards.read(project, contract, function, decode_call(function, encoded))
    except CallReverted as revert:
        raise wrong_field("functionArgs", f"the contract reverts with {revert}") from None
    if values is None:
        values = tuple(zero_value(output.shape.text) for output in function.outputs)
    return _show(function, values)


def _execute(
    project: Project, contract: Contract, function: Function, data: bytes
) -> Work[tuple[object, ...]]:
    """What the code of a contract returns, called by the zero address. What it changes is undone."""

    def attempt(here: Project) -> Work[Executed]:
        executor = Executor(here, contract.chain_id, ZERO_ADDRESS)
        return executor.call(ZERO_ADDRESS, contract.address, 0, data, here.settings.contract_gas_limit)

    executed = yield from try_out(project, attempt)
    if executed.error is not None:
        why = executed.error
        if why == REVERTED:
            _, why = decode_revert(executed.output, contract.abi)
        raise wrong_field("functionArgs", f"the contract reverts with {why}")
    try:
        return decode_values([output.type for output in function.outputs], executed.output)
    except AbiError as error:
        raise wrong_field("functionName", f"what the contract returns is not of its ABI: {error}") from None


def _show(function: Function, values: tuple[object, ...]) -> object:
    shown = [
        _to_json_value(output.shape, value) for output, value in zip(function.outputs, values, strict=True)
    ]
    if not shown:
        return None
    return shown[0] if len(shown) == 1 else shown


def _read_texts(function: Function, arguments: Sequence[str]) -> list[object]:
    """The arguments, with lists and tuples parsed from their JSON text in a query."""
    if len(arguments) != len(function.inputs):
        return list(arguments)
    shapes = [parameter.shape for parameter in function.inputs]
    return [
        _parse(text) if shape.kind in ("array", "tuple") else text
        for shape, text in zip(shapes, arguments, strict=True)
    ]


def _parse(text: str) -> object:
    try:
        return from_json(text)
    except ValueError:
        return text


def _to_json_value(shape: AbiType, value: object) -> object:
    """Convert an ABI value to JSON."""
    match value:
        case int() if shape.size > _PLAIN_BITS:
            return str(value)
        case bytes():
            return "0x" + value.hex()
        case list():
            return [_to_json_value(shape.members[0], item) for item in value]
        case tuple():
            members = [
                _to_json_value(member, item) for member, item in zip(shape.members, value, strict=True)
            ]
            return dict(zip(shape.names, members, strict=True)) if all(shape.names) else members
    return value
