"""What was executed in a transaction, in the words of the ABIs that are registered."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter

from mockserver.chain.abi.functions import AbiError, decode_call, function_of_call
from mockserver.chain.abi.reverts import decode_revert, spell_call
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.execution import REVERTED
from mockserver.state.chains import TracedCall
from mockserver.state.project import Project


def describe_call(project: Project, chain_id: int, call: TracedCall, *, arguments: bool = True) -> str:
    """A call as `Token.transfer(0x..., 5)`, as far as the contract is registered."""
    contract = contract_on_chain(project, chain_id, call.to)
    name = (contract.name if contract else None) or call.to
    if call.kind in ("CREATE", "CREATE2"):
        return f"new {name}"
    function = None if contract is None else function_of_call(contract.abi, call.input)
    if function is None:
        return f"{name}.{'0x' + call.input[:4].hex() if call.input else 'receive()'}"
    if not arguments:
        return f"{name}.{function.name}"
    try:
        return f"{name}.{spell_call(function, decode_call(function, call.input))}"
    except AbiError:
        return f"{name}.{function.name}(...)"


def describe_error(project: Project, chain_id: int, call: TracedCall) -> str | None:
    """Why a call was undone, decoded by the ABI of its contract; None if it was not."""
    if call.error != REVERTED:
        return call.error
    contract = contract_on_chain(project, chain_id, call.to)
    return decode_revert(call.output, contract.abi if contract else ())[1]


def explain(project: Project, chain_id: int, trace: Sequence[TracedCall]) -> str | None:
    """Where a transaction failed, as `reverted in Token.transfer: InsufficientBalance(3, 10)`, or None.

    That is the first call which failed without one of its own that did.
    """
    for place, call in enumerate(trace):
        following = trace[place + 1 :]
        inner = next((i for i, other in enumerate(following) if other.depth <= call.depth), len(following))
        if call.error is None or any(other.error for other in following[:inner]):
            continue
        where = describe_call(project, chain_id, call, arguments=False)
        line = find_line(project, chain_id, call)
        where += f" ({line})" if line else ""
        return f"reverted in {where}: {describe_error(project, chain_id, call)}"
    return None


def find_line(project: Project, chain_id: int, call: TracedCall) -> str | None:
    """The line that undid a call, as `src/Token.sol:21`, if its contract was deployed with a source map."""
    contract = contract_on_chain(project, chain_id, call.to)
    if contract is None or call.stopped_at is None or call.kind in ("CREATE", "CREATE2"):
        return None
    place = bisect_right(contract.lines, call.stopped_at, key=itemgetter(0)) - 1
    line = contract.lines[place][1] if contract.lines else 0
    return f"{contract.source}:{line}" if line else None
