"""The state before a transaction that is in a block, and executing it again in that state."""

from functools import partial
from typing import TYPE_CHECKING

from mockserver.domain.chains.failures import Failure
from mockserver.kernel.effort import Work, finish
from mockserver.state.history.event import Event
from mockserver.state.onchain import BlockPosition, Receipt, Transaction
from mockserver.state.project import Project
from mockserver.state.saved.rewinding import copy_of, rewind

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Watch


class Unrepeatable(Exception):
    """A transaction cannot be executed again as it was; the message says why."""


Repeated = tuple[Project, list[Transaction]]
"""A copy of the project in some state, and the transactions that its event included after that."""


def repeat(
    project: Project, row: Transaction, watch: "Watch", before: Repeated | None = None
) -> Work[Repeated]:
    """Execute a transaction again in a copy of the project, in slices; `watch` is told of each instruction.

    Returns the copy as it is then; `before` is that of the transaction before it, if that was executed again.
    Unrepeatable if the history does not reach back to it, or if the receipt is another one now.
    """
    receipt = row.receipt
    assert receipt is not None
    if before is None or not before[1] or before[1][0].id != row.id:
        before = yield from _go_back(project, row)
    copy, following = before
    again = yield from copy.ahead.run(partial(_mine, copy, row, watch))
    if (again.gas_used, again.error, again.logs) != (receipt.gas_used, receipt.error, receipt.logs):
        raise Unrepeatable("executed again, the transaction does something else")
    return copy, following[1:]


def state_before(project: Project, row: Transaction) -> Project:
    """A copy of the project in the state before a transaction that is in a block.

    That is the state before the event that included it, and then what the event included before it.
    Unrepeatable if the history does not reach back to it.
    """
    return finish(_go_back(project, row))[0]


def _go_back(project: Project, row: Transaction) -> Work[Repeated]:
    """The state before a transaction, which is the first of those that follow.

    Other calls are answered between those that come before it.
    """
    # A restored snapshot may have undone an earlier transaction with this id.
    for event in reversed(project.history.since(0)):
        included = _included_by(project, event, row.chain_id)
        if any(each.id == row.id for each in included):
            break
    else:
        raise Unrepeatable("the state before the transaction is not kept any more")
    copy = copy_of(project, rewind(project, event._replace(number=event.number - 1), with_rules=False))
    before = [each for each in included if _place_of(each) < _place_of(row)]
    for earlier in before:
        _mine(copy, earlier, None)
        yield
    return copy, included[len(before) :]


def _included_by(project: Project, event: Event, chain_id: int) -> list[Transaction]:
    """The transactions of a chain that an event has included in blocks, in their order."""
    if event.changes is None:
        return []
    rows = [
        change.after
        for change in project.changes_of(event).rows
        if isinstance(change.after, Transaction)
        and change.after.chain_id == chain_id
        and change.after.included is not None
        # A reorganization includes what was in a block before.
        and not (isinstance(change.before, Transaction) and change.before.included is not None)
    ]
    return sorted(rows, key=_place_of)


def _place_of(row: Transaction) -> BlockPosition:
    assert row.included is not None
    return row.included.place


def _mine(copy: Project, row: Transaction, watch: "Watch | None") -> Receipt:
    # Imported on first use: of what nodes are asked, few calls execute anything again.
    from mockserver.domain.transactions import mining
    from mockserver.domain.transactions.fates import fate_for

    assert row.receipt is not None
    assert row.execution is not None
    copy.clock.freeze_at(row.receipt.created_ms)
    try:
        return mining.mine(copy, row, row.execution, fate_for(copy, row), watch)[0]
    except Failure as failure:
        raise Unrepeatable(f"executed again, the transaction fails: {failure.error.reason}") from None
