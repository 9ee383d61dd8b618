"""The calls of a transaction: from what a client asks for to destination, value and calldata."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver import errors
from mockserver.chain.abi import AbiError, encode_call, find_function
from mockserver.chain.addresses import is_address, to_checksum
from mockserver.errors import Refusal
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from mockserver.state.wallets import Account

_ID_PREFIXES = ("acc_", "pla_", "con_")


def resolve_calls(
    project: Project, chain_id: int, requested: Sequence[Mapping[str, Any]], path: str = "calls"
) -> tuple[CallRecord, ...]:
    """The calls as they will be made on a chain.

    Each has `to` (an address or an `acc_` or `pla_` id) or `contractId`; `data`, or `functionName` and
    `functionArgs`; `value` in wei; and `dataSuffix`. Refused with 400, or 404 for an unknown id; the
    refusal names the field by its path.
    """
    return tuple(_resolve(project, chain_id, call, f"{path}[{i}]") for i, call in enumerate(requested))


def _resolve(project: Project, chain_id: int, call: Mapping[str, Any], path: str) -> CallRecord:
    contract = _contract(project, chain_id, call, path)
    to = contract.address if contract else _destination(project, chain_id, call, path)
    args = call.get("functionArgs")
    converted = [
        _convert(project, chain_id, arg, f"{path}.functionArgs[{i}]") for i, arg in enumerate(args or [])
    ]
    data = _data(call, contract, converted, path)
    shown = dict(call)
    if contract is None:
        shown["to"] = to
    if args is not None:
        shown["functionArgs"] = converted
    suffix = bytes.fromhex(call.get("dataSuffix", "0x")[2:])
    return CallRecord(to=to, value=int(call.get("value", "0")), data=data + suffix, requested=shown)


def _contract(project: Project, chain_id: int, call: Mapping[str, Any], path: str) -> Contract | None:
    contract_id = call.get("contractId")
    if contract_id is None:
        return None
    if "to" in call:
        raise _wrong(f"{path}.to", "a call has either to or contractId, not both")
    contract = project.onchain.contracts.get(contract_id)
    if contract is None or contract.deleted:
        raise Refusal(errors.CONTRACT_NOT_FOUND, param=f"{path}.contractId", id=contract_id[:80])
    if contract.chain_id != chain_id:
        raise _wrong(f"{path}.contractId", f"the contract is on chain {contract.chain_id}, not {chain_id}")
    return contract


def _destination(project: Project, chain_id: int, call: Mapping[str, Any], path: str) -> str:
    to = call.get("to")
    if to is None:
        raise _wrong(f"{path}.to", "a call needs to or contractId")
    if is_address(to):
        return to_checksum(to)
    if to.startswith(("acc_", "pla_")):
        return address_of_id(project, chain_id, to, f"{path}.to")
    raise _wrong(f"{path}.to", "must be an address, or the id of an account or wallet")


def _data(call: Mapping[str, Any], contract: Contract | None, args: Sequence[object], path: str) -> bytes:
    name = call.get("functionName")
    if name is None:
        if "functionArgs" in call:
            raise _wrong(f"{path}.functionArgs", "arguments need a functionName")
        if contract is not None and "data" not in call:
            raise _wrong(f"{path}.functionName", "a call of a contract needs a functionName or data")
        return bytes.fromhex(call.get("data", "0x")[2:])
    if "data" in call:
        raise _wrong(f"{path}.data", "a call has either data or a functionName, not both")
    try:
        return encode_call(find_function(contract.abi if contract else (), name, len(args)), args)
    except AbiError as error:
        hint = f" (did you mean {error.nearest}?)" if error.nearest else ""
        raise _wrong(f"{path}.{error.path or 'functionName'}", f"{error}{hint}") from None


def _convert(project: Project, chain_id: int, value: object, path: str) -> object:
    """An argument with every id in it turned into its address."""
    if isinstance(value, str) and value.startswith(_ID_PREFIXES):
        return address_of_id(project, chain_id, value, path)
    if isinstance(value, list):
        return [_convert(project, chain_id, member, f"{path}[{i}]") for i, member in enumerate(value)]
    if isinstance(value, dict):
        return {key: _convert(project, chain_id, member, f"{path}.{key}") for key, member in value.items()}
    return value


def address_of_id(project: Project, chain_id: int, row_id: str, param: str) -> str:
    """The address an id stands for on a chain; refused with 404 when it stands for nothing."""
    if row_id.startswith("con_"):
        contract = project.onchain.contracts.get(row_id)
        if contract is None or contract.deleted:
            raise Refusal(errors.CONTRACT_NOT_FOUND, param=param, id=row_id[:80])
        return contract.address
    if row_id.startswith("acc_"):
        account = project.wallets.accounts.get(row_id)
        if account is None or account.chain_type != "EVM":
            raise Refusal(errors.ACCOUNT_NOT_FOUND, param=param, id=row_id[:80])
        return account.address
    account = account_of_wallet(project, row_id, chain_id)
    if account is None:
        raise Refusal(errors.WALLET_NOT_FOUND, param=param, id=row_id[:80])
    return account.address


def account_of_wallet(project: Project, wallet_id: str, chain_id: int) -> Account | None:
    """A wallet's account on a chain: one made for the chain before one that is on every chain."""
    accounts = [
        row for row in project.wallets.accounts.find("wallet_id", wallet_id) if row.chain_type == "EVM"
    ]
    on_chain = [row for row in accounts if row.chain_id == chain_id]
    everywhere = [row for row in accounts if row.smart_account is None]
    return next(iter([*on_chain, *everywhere]), None)


def _wrong(path: str, message: str) -> Refusal:
    return Refusal(
        errors.INVALID_PARAMETERS,
        summary=f"{path}: {message}",
        param=path,
        details={path: {"message": message}},
    )
