"""Snapshots: the whole state of a project, which can be restored any number of times."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, DeletedAnswer, ListAnswer, ListQuery, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.effects import (
    RowChangeAnswer,
    row_change_answer,
    shown_by,
    shown_tables,
)
from mockserver.state.existence import note_of_dropped
from mockserver.state.project import Project, ProjectState
from mockserver.state.saved.rewinding import compare_states

snapshots = ControlGroup("Snapshots")

SnapshotName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]


class TakeSnapshot(ControlBody):
    """A snapshot to take."""

    name: SnapshotName | None = None
    """Its id; `snapshot-1`, `snapshot-2` and so on unless given."""


class SnapshotAnswer(TypedDict):
    """A snapshot, and the time of the project's clock when it was taken."""

    id: str
    now: str


class CompareSnapshot(ListQuery):
    """How rows are shown."""

    unmasked: bool = False
    """Show tokens, passwords and codes too."""


@snapshots.operation("GET /snapshots", "ListSnapshots")
def list_snapshots(call: ControlCall[None, ListQuery]) -> ListAnswer[SnapshotAnswer]:
    """List snapshots, oldest first."""
    taken = call.project.snapshots
    return list_answer(call.query, taken, lambda name: _snapshot_answer(name, taken[name]))


@snapshots.operation("POST /snapshots", "TakeSnapshot", errors.CONTROL_SNAPSHOT_EXISTS, status=201)
def take_snapshot(call: ControlCall[TakeSnapshot]) -> SnapshotAnswer:
    """Take a snapshot of a project: rows, clock, entropy, timers, settings, outbox, scenario state."""
    project = call.project
    name = call.body.name or _unused_name(project)
    if name in project.snapshots:
        raise ApiError(errors.CONTROL_SNAPSHOT_EXISTS, param="name", id=name)
    project.take_snapshot(name)
    return _snapshot_answer(name, project.snapshots[name])


@snapshots.operation("POST /snapshots/{s}/restore", "RestoreSnapshot", errors.CONTROL_UNKNOWN_SNAPSHOT)
def restore_snapshot(call: ControlCall) -> SnapshotAnswer:
    """Restore a snapshot. The journal and the snapshots stay as they are."""
    state = _require_snapshot(call)
    call.project.restore(state, call.world.real_ms)
    return _snapshot_answer(call.path["s"], state)


@snapshots.operation("GET /snapshots/{s}/differences", "CompareSnapshot", errors.CONTROL_UNKNOWN_SNAPSHOT)
def compare_snapshot(call: ControlCall[None, CompareSnapshot]) -> ListAnswer[RowChangeAnswer]:
    """List the rows that were created, changed or removed since a snapshot was taken."""
    return list_differences(call, _require_snapshot(call), call.project.snapshot(), call.query.unmasked)


def list_differences(
    call: ControlCall[None, Any], before: ProjectState, after: ProjectState, unmasked: bool
) -> ListAnswer[RowChangeAnswer]:
    """The rows that differ between two states of a project."""
    tables, walker = shown_tables(call.project), shown_by(call, unmasked)
    found = [change for change in compare_states(before, after) if change.table in tables]
    return list_answer(call.query, found, lambda row: row_change_answer(tables[row.table], row, walker))


@snapshots.operation("DELETE /snapshots/{s}", "DeleteSnapshot", errors.CONTROL_UNKNOWN_SNAPSHOT)
def delete_snapshot(call: ControlCall) -> DeletedAnswer:
    """Delete a snapshot."""
    _require_snapshot(call)
    del call.project.snapshots[call.path["s"]]
    return {"deleted": 1}


def _require_snapshot(call: ControlCall[Any, Any]) -> ProjectState:
    state = call.project.snapshots.get(call.path["s"])
    if state is None:
        note = note_of_dropped(call.project.dropped_snapshots, "snapshots", "snapshots_kept")
        raise ApiError(errors.CONTROL_UNKNOWN_SNAPSHOT, note=note, id=shorten(call.path["s"]))
    return state


def _unused_name(project: Project) -> str:
    number = len(project.snapshots) + 1
    while f"snapshot-{number}" in project.snapshots:
        number += 1
    return f"snapshot-{number}"


def _snapshot_answer(name: str, state: ProjectState) -> SnapshotAnswer:
    return {"id": name, "now": timestamps.format_iso(state.circumstances.now_ms)}
