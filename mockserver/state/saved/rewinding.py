"""Time travel: the state of a project after an earlier event, by undoing what its history has since."""

from collections.abc import Iterator
from typing import Any

from mockserver.kernel.table import Table, TableHead
from mockserver.state.history.changes import Changes, RowChange
from mockserver.state.history.event import Event
from mockserver.state.history.history import Histories
from mockserver.state.project import SCHEMAS, Project, ProjectState
from mockserver.state.saved.encoding import empty_project


class Unreachable(Exception):
    """Nothing leads back to an event any more; the message says why."""


def rewind(project: Project, event: Event, *, with_rules: bool = True) -> ProjectState:
    """The state of a project after an event that it has, exactly; the project stays as it is. Unreachable.

    To look at rows, other scenarios may be loaded than then: rules are not in the history.
    """
    if with_rules and tuple(scenario.id for scenario in project.scenarios) != event.after.scenarios:
        raise Unreachable("other scenarios are loaded now, and their rules are not in the history")
    copy = copy_of(project, project.snapshot())
    tables = dict(copy.named_tables())
    for later in reversed(project.history.since(event.number)):
        _undo(copy, tables, project.changes_of(later))
    return copy.snapshot()._replace(circumstances=event.after)


def copy_of(project: Project, state: ProjectState) -> Project:
    """A project in a state, that no world has."""
    copy = empty_project(project, Histories(0))
    copy.load(state)
    return copy


def _undo(project: Project, tables: dict[str, Table[Any]], changes: Changes) -> None:
    # Before the rows, too: a row is put in its place only if its number is below that of the next one.
    _restore_heads(tables, changes)
    # First all that go, because one that comes may need their numbers.
    for change in reversed(changes.rows):
        table = tables[change.table]
        number = table.number(change.id) if change.id in table else None
        if number is not None and (change.before is None or number != change.number):
            table.revert(number, None)
    _restore_heads(tables, changes)
    for change in reversed(changes.rows):
        if change.before is not None:
            tables[change.table].revert(change.number, change.before)
    _restore_heads(tables, changes)
    for stream, count in changes.draws:
        project.entropy.revert(stream, count or None)
    if changes.settings_before is not None:
        project.settings = changes.settings_before
    for timer in changes.timers_set:
        project.timers.revert(timer, None)
    for timer in changes.timers_removed:
        project.timers.revert(timer, timer)


def _restore_heads(tables: dict[str, Table[Any]], changes: Changes) -> None:
    for name, head in changes.heads:
        table = tables[name]
        table.head = TableHead(head.next_number, table.dropped if head.dropped is None else head.dropped)


def compare_states(before: ProjectState, after: ProjectState) -> Iterator[RowChange]:
    """The rows that differ between two states of a project."""
    for name, was, now in zip(SCHEMAS, before.tables, after.tables, strict=True):
        if was.rows is now.rows:
            continue
        for number, row in was.numbered():
            then = now.rows.get(row.id)
            if then is not row and then != row:
                yield RowChange(name, row.id, row, then, number)
        for number, row in now.numbered():
            if row.id not in was.rows:
                yield RowChange(name, row.id, None, row, number)
