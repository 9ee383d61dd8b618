"""The function that a call or a read names: found in an ABI, or inferred from the arguments."""

from collections.abc import Sequence

from mockserver import leniencies
from mockserver.chain.abi.functions import Function, find_function
from mockserver.chain.abi.inference import infer_function
from mockserver.chain.addresses import is_address
from mockserver.domain.chains.tokens.public_abi import known_abi
from mockserver.leniencies import Accept
from mockserver.state.onchain import Contract
from mockserver.state.project import Project

ACCOUNT_PREFIXES = ("acc_", "dac_", "pla_")
ID_PREFIXES = (*ACCOUNT_PREFIXES, "con_")
"""The prefixes of ids that stand for addresses."""


def find_called_function(
    project: Project,
    contract: Contract | None,
    name: str,
    args: Sequence[object],
    param: str,
    accept: Accept,
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
    return is_address(text) or text.startswith(ID_PREFIXES)
