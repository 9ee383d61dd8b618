"""What comes of the calls of a transaction: events and changes, or a revert that undoes them all."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mockserver.domain.chains import ledger
from mockserver.domain.chains.executing_ahead import AheadExecutor
from mockserver.domain.chains.execution import Executor, ask_contract
from mockserver.domain.chains.networks import call_gas
from mockserver.domain.chains.tokens.holdings import MOST, CallReverted, overflow
from mockserver.domain.chains.tokens.standards import make_call
from mockserver.domain.wallets import ownership
from mockserver.kernel.effort import finish
from mockserver.state.chains import TracedCall
from mockserver.state.onchain import CallRecord, Log
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Watch


class Outcome(NamedTuple):
    """What comes of the calls: their events, or their revert data."""

    logs: tuple[Log, ...] = ()
    reverted: bytes | None = None
    halted: str | None = None
    """Why executed code was stopped, unless it reverted by itself."""
    transferred_ids: tuple[str, ...] = ()
    """The accounts that have another owner now."""
    calls: tuple[CallRecord, ...] = ()
    """The calls that were made, with the gas that executing them took."""
    trace: tuple[TracedCall, ...] = ()
    """What was executed."""


def make_calls(
    project: Project,
    chain_id: int,
    sender: str,
    calls: Sequence[CallRecord],
    gas: int | None,
    watch: "Watch | None" = None,
) -> Outcome:
    """Make all calls atomically, those to code with at most so much gas together (None: there is no code)."""
    executor: Executor | None = None
    outcome = Outcome()
    savepoint = project.undo.savepoint()
    try:
        for call in calls:
            if gas is not None and ledger.is_run(project, chain_id, call.to):
                executor = executor or AheadExecutor(project, chain_id, sender, watch)
                outcome = _execute(executor, sender, call, gas, outcome)
                gas -= call_gas(outcome.calls[-1])
            else:
                outcome = _simulate(project, chain_id, sender, call, outcome)
            if outcome.reverted is not None:
                break
    except CallReverted as revert:
        outcome = outcome._replace(reverted=revert.data)
    if outcome.reverted is None:
        return outcome
    project.undo.roll_back_to(savepoint)
    return outcome._replace(logs=(), transferred_ids=())


def measure_gas(
    project: Project, chain_id: int, sender: str, calls: tuple[CallRecord, ...], gas: int
) -> tuple[CallRecord, ...]:
    """The calls with the gas that executing them takes, as for `make_calls`. Nothing is changed."""
    with project.undo.undone():
        made = make_calls(project, chain_id, sender, calls, gas).calls
    return made + calls[len(made) :]


def _execute(executor: Executor, sender: str, call: CallRecord, gas: int, before: Outcome) -> Outcome:
    executed = finish(executor.call(sender, call.to, call.value, call.data, max(gas, 0)))
    calls = (*before.calls, call._replace(gas=executed.gas_used))
    outcome = before._replace(calls=calls, trace=before.trace + executed.trace)
    if executed.error is None:
        return outcome._replace(logs=before.logs + executed.logs)
    return outcome._replace(reverted=executed.output, halted=executed.halted)


def _simulate(project: Project, chain_id: int, sender: str, call: CallRecord, before: Outcome) -> Outcome:
    """Make a call to an address without code: move coins, and do what a token does."""
    logs, transferred_ids = before.logs, before.transferred_ids
    if call.value:
        _send_value(project, chain_id, sender, call)
    if call.data:
        ask = partial(ask_contract, project, chain_id, call.to)
        logs += tuple(make_call(project, chain_id, sender, call, ask))
        transferred_ids += tuple(ownership.settle_ownership(project, chain_id, sender, call))
    return before._replace(logs=logs, transferred_ids=transferred_ids, calls=(*before.calls, call))


def _send_value(project: Project, chain_id: int, sender: str, call: CallRecord) -> None:
    here = ledger.chain_account(project, chain_id, sender)
    if call.value > here.balance:
        raise CallReverted("Error(string)", "insufficient balance for transfer")
    # Only control calls can issue that much; a real chain has no such balance.
    if ledger.move(project, chain_id, here, call.to, call.value).balance > MOST:
        raise overflow()
