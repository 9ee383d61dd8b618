"""The revert data of transactions: as a fate asks for it, and as the ABIs of the called contracts read it."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.chain.abi.functions import AbiError, Function, encode_call, functions_in
from mockserver.chain.abi.reverts import decode_revert, encode_panic, encode_reason
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.wallets.outcomes import Outcome
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.state.onchain import Fate, Transaction, TransactionError
from mockserver.state.project import Project

_DEFAULT_REASON = "execution reverted"


def revert_data(project: Project, row: Transaction, fate: Fate) -> bytes:
    """The revert data that a fate asks for, encoded as a contract would."""
    options = fate.options
    if "panic" in options:
        return encode_panic(options["panic"])
    if "error" in options:
        return _custom_error(options["error"], options.get("args", ()), _abi(project, row))
    return encode_reason(options.get("reason", _DEFAULT_REASON))


def decode_error(project: Project, row: Transaction, outcome: Outcome) -> TransactionError:
    """Decode the revert data of calls by the ABIs of the contracts that were called, by code as well."""
    if outcome.halted is not None:
        return TransactionError(reason=outcome.halted)
    inner = [call.to for call in outcome.trace if call.error is not None]
    name, reason = decode_revert(outcome.reverted or b"", _abi(project, row, inner))
    return TransactionError(reason=reason, name=name)


def explain_revert(project: Project, chain_id: int, data: bytes, addresses: Sequence[str]) -> str | None:
    """What the data of a revert says: its reason, or an error of the ABIs registered at some addresses."""
    abi = _abi_at(project, chain_id, addresses)
    name, reason = decode_revert(data, abi)
    return None if name is None else reason


def _abi_at(project: Project, chain_id: int, addresses: Sequence[str]) -> list[Mapping[str, Any]]:
    called = [contract_on_chain(project, chain_id, address) for address in addresses]
    return [entry for contract in called if contract is not None for entry in contract.abi]


def _abi(project: Project, row: Transaction, inner: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """The latest registered ABIs of the contracts that a transaction calls, and of others."""
    addresses = dict.fromkeys([*(call.to for call in row.calls), *inner])
    return _abi_at(project, row.chain_id, list(addresses))


def _custom_error(error: str, args: Sequence[object], abi: Sequence[Mapping[str, Any]]) -> bytes:
    """A custom error, named by its signature or by its name in a called contract's ABI."""
    known = [*functions_in(abi, "error")]
    function = next((each for each in known if error in (each.name, each.signature)), None)
    meant = "" if function is not None else did_you_mean(nearest(error, [each.name for each in known]))
    try:
        if function is None:
            function = Function.parse(error if "(" in error else f"{error}()")
        if meant:
            raise AbiError("no called contract has such an error")
        return encode_call(function, args)
    except AbiError as wrong:
        return encode_reason(f"{error}{meant} could not be encoded: {wrong}")
