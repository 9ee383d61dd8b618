"""`evmData` and `solData`: criteria about the called function or instruction and its arguments."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from mockserver.chain.abi.functions import AbiError, Function, decode_call, find_function, validate_abi
from mockserver.chain.abi.types import AbiType
from mockserver.chain.abi.values import Allowance, read_value
from mockserver.chain.solana import anchor, anchor_types
from mockserver.domain.policies.criteria.arguments import Slot, find_constraint_problems, match_arguments
from mockserver.domain.policies.criteria.facts import Criterion, Facts, Verdict, unmatched
from mockserver.domain.policies.criteria.matchers import missing_fact
from mockserver.kernel.codec import read_base64
from mockserver.kernel.effort import Effort
from mockserver.kernel.spelling import shorten

_PLAIN_KINDS = frozenset({"uint", "int", "address", "bool", "string", "bytes", "fixed_bytes"})
_ORDERED_KINDS = frozenset({"uint", "int"})
_WORK_PER_CHARACTER = 2
"""The steps that decoding data, and showing it in a verdict, cost."""


def match_evm_call(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """Match calldata by its function and the constraints on its arguments.

    `not in` without constraints matches any other function; with constraints it matches this function
    with arguments outside of them.
    """
    observed = facts.get("data")
    if observed is None:
        return missing_fact("data")
    named = criterion["abi"], criterion["functionName"]
    if not effort.take_once(("evm", criterion["abi"]), _WORK_PER_CHARACTER * len(criterion["abi"])):
        return unmatched(observed, "data comes after too much other work to read the ABI")
    function, selector, slots = effort.memoize(("evm", *named), lambda: _evm_function(*named))
    name = shorten(function.signature)
    if observed[2:10].lower() != selector:
        return _other(criterion, observed, f"data does not call {name}")
    if not effort.take(_WORK_PER_CHARACTER * len(observed)):
        return unmatched(observed, f"data comes after too much other work to be read as {name}")
    try:
        values = decode_call(function, bytes.fromhex(observed[2:]))
    except AbiError as error:
        return unmatched(observed, f"data cannot be read as {name}: {error}")
    return _match_slots(criterion, observed, f"data calls {name}", slots, values, effort)


def _evm_function(abi: str, name: str) -> tuple[Function, str, list[Slot]]:
    """The function of an ABI with its selector in hex, and its arguments."""
    function = find_function(orjson.loads(abi), name, None)
    return function, function.selector.hex(), abi_slots(function)


def match_sol_call(criterion: Criterion, facts: Facts, effort: Effort) -> Verdict:
    """The same for the data of an instruction of an Anchor program."""
    observed = facts.get("instructionData")
    if observed is None:
        return missing_fact("instructionData")
    named = criterion["idl"], criterion["instructionName"]
    if not effort.take_once(("solana", criterion["idl"]), _WORK_PER_CHARACTER * len(criterion["idl"])):
        return unmatched(observed, "instructionData comes after too much other work to read the IDL")
    instruction, slots = effort.memoize(("solana", *named), lambda: _sol_instruction(*named))
    name = shorten(instruction.name)
    if not effort.take(_WORK_PER_CHARACTER * len(observed)):
        return unmatched(observed, f"instructionData comes after too much other work to be read as {name}")
    try:
        raw = read_base64(observed)
    except ValueError:
        return unmatched(observed, "instructionData is not base64")
    if not raw.startswith(instruction.discriminator):
        return _other(criterion, observed, f"instructionData is not of {name}")
    try:
        values = anchor.decode_instruction(instruction, raw)
    except anchor_types.IdlError as error:
        return unmatched(observed, f"instructionData cannot be read as {name}: {error}")
    return _match_slots(criterion, observed, f"instructionData is of {name}", slots, values, effort)


def _sol_instruction(idl: str, name: str) -> tuple[anchor.IdlInstruction, list[Slot]]:
    instruction = anchor.find_instruction(orjson.loads(idl), name)
    return instruction, idl_slots(instruction)


def _other(criterion: Criterion, observed: str, reason: str) -> Verdict:
    """The verdict when another function is called."""
    return Verdict(criterion["operator"] == "not in" and not criterion.get("args"), observed, reason)


def _match_slots(
    criterion: Criterion,
    observed: str,
    reason: str,
    slots: list[Slot],
    values: Sequence[object],
    effort: Effort,
) -> Verdict:
    constraints, operator = criterion.get("args"), criterion["operator"]
    if not constraints:
        return Verdict(operator != "not in", observed, reason)
    found = match_arguments(slots, values, constraints, operator, effort)
    return Verdict(found.matched, found.observed, f"{reason}: {found.reason}")


def find_evm_call_problems(criterion: Criterion) -> Mapping[str, str]:
    """What is wrong with an `evmData` criterion whose members are of the right kind."""
    abi = _parse_json(criterion["abi"])
    if not isinstance(abi, list):
        return {"abi": "must be a JSON list: the ABI of the contract"}
    try:
        validate_abi(abi)
    except AbiError as error:
        return {"abi": f"{error.path}: {error}"}
    try:
        function = find_function(abi, criterion["functionName"], None)
    except AbiError as error:
        return {"functionName": str(error)}
    return _argument_problems(criterion, abi_slots(function))


def find_sol_call_problems(criterion: Criterion) -> Mapping[str, str]:
    """What is wrong with a `solData` criterion whose members are of the right kind."""
    idl = _parse_json(criterion["idl"])
    if not isinstance(idl, dict) or not isinstance(idl.get("instructions"), list):
        return {"idl": "must be a JSON object: an Anchor IDL with its instructions"}
    try:
        instruction = anchor.find_instruction(idl, criterion["instructionName"])
    except anchor_types.IdlError as error:
        return {"instructionName": str(error)}
    return _argument_problems(criterion, idl_slots(instruction))


def _argument_problems(criterion: Criterion, slots: list[Slot]) -> Mapping[str, str]:
    found = find_constraint_problems(slots, criterion.get("args") or {}, criterion["operator"])
    return {f"args.{shorten(name)}": problem for name, problem in found}


def _parse_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def abi_slots(function: Function) -> list[Slot]:
    """The arguments of a function."""
    return [_abi_slot(parameter.name, parameter.shape) for parameter in function.inputs]


def _abi_slot(name: str, shape: AbiType) -> Slot:
    return Slot(
        name,
        shorten(shape.text),
        ordered=shape.kind in _ORDERED_KINDS,
        plain=shape.kind in _PLAIN_KINDS,
        read=lambda constraint: _fold(shape, read_value(shape, constraint, "args", Allowance())),
        fold=partial(_fold, shape),
        parts=lambda: [
            _abi_slot(shape.names[position] if shape.names else "", member)
            for position, member in enumerate(shape.members)
        ],
        repeated=shape.kind == "array",
    )


def _fold(shape: AbiType, value: Any) -> object:
    """See `Slot.fold`: addresses compare without regard to case."""
    match shape.kind:
        case "address":
            return str(value).lower()
        case "array":
            return [_fold(shape.members[0], item) for item in value]
        case "tuple":
            return tuple(_fold(member, item) for member, item in zip(shape.members, value, strict=True))
        case _:
            return value


def idl_slots(instruction: anchor.IdlInstruction) -> list[Slot]:
    """The arguments of an instruction that can be read."""
    return [_idl_slot(name, type_) for name, type_ in instruction.readable]


def _idl_slot(name: str, type_: anchor_types.ArgumentType) -> Slot:
    return Slot(
        name,
        anchor_types.spell_type(type_),
        ordered=isinstance(type_, str) and type_[1:].isdecimal(),
        plain=isinstance(type_, (str, anchor_types.Variants)),
        read=partial(anchor_types.read_argument, type_),
        parts=lambda: _idl_parts(type_),
        repeated=_is_list(type_),
    )


def _idl_parts(type_: anchor_types.ArgumentType) -> list[Slot]:
    """The fields of a struct, the entry of a list; an option is transparent."""
    match type_:
        case anchor_types.Struct():
            return [_idl_slot(name, field) for name, field in type_.fields]
        case ("option", element, _):
            return _idl_parts(element)
        case (_, element, _):
            return [_idl_slot("", element)]
    return []


def _is_list(type_: anchor_types.ArgumentType) -> bool:
    match type_:
        case ("option", element, _):
            return _is_list(element)
        case tuple():
            return True
    return False
