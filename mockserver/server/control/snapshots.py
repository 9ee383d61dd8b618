"""Snapshots: all of a project at a moment, to be gone back to any number of times."""

from typing import Annotated, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.project import Project, ProjectState

snapshots = Group("Snapshots")

SnapshotName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,128}$")]


class TakeSnapshot(ControlBody):
    """A snapshot to take. Its name is its id; a number is made up when there is none."""

    name: SnapshotName | None = None


class SnapshotAnswer(TypedDict):
    """A snapshot, and what the project's clock showed when it was taken. What it holds stays inside."""

    id: str
    now: str


class SnapshotList(TypedDict):
    """Every snapshot, oldest first."""

    data: list[SnapshotAnswer]
    total: int


class DeletedSnapshot(TypedDict):
    """What a deletion answers."""

    id: str
    deleted: bool


@snapshots.endpoint("GET", "/_mock/projects/{p}/snapshots", "ListSnapshots", ANYBODY)
def list_snapshots(call: ControlCall) -> SnapshotList:
    """List snapshots, oldest first."""
    taken = [_answer(name, state) for name, state in call.project.snapshots.items()]
    return {"data": taken, "total": len(taken)}


@snapshots.endpoint(
    "POST",
    "/_mock/projects/{p}/snapshots",
    "TakeSnapshot",
    ANYBODY,
    status=201,
    errors=(errors.CONTROL_SNAPSHOT_EXISTS,),
)
def take_snapshot(call: ControlCall[TakeSnapshot]) -> SnapshotAnswer:
    """Keep all of a project: rows, clock, entropy, timers, settings, outbox, scenario position."""
    project = call.project
    name = call.body.name or _free_name(project)
    if name in project.snapshots:
        raise ApiError(errors.CONTROL_SNAPSHOT_EXISTS, param="name", id=name)
    project.snapshots[name] = project.snapshot()
    return _answer(name, project.snapshots[name])


@snapshots.endpoint(
    "POST",
    "/_mock/projects/{p}/snapshots/{s}/restore",
    "RestoreSnapshot",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_SNAPSHOT,),
)
def restore_snapshot(call: ControlCall) -> SnapshotAnswer:
    """Make a project what it was; the journal and the snapshots themselves stay."""
    state = _require(call)
    call.project.restore(state, call.world.real_ms())
    return _answer(call.path["s"], state)


@snapshots.endpoint(
    "DELETE",
    "/_mock/projects/{p}/snapshots/{s}",
    "DeleteSnapshot",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_SNAPSHOT,),
)
def delete_snapshot(call: ControlCall) -> DeletedSnapshot:
    """Forget a snapshot."""
    _require(call)
    del call.project.snapshots[call.path["s"]]
    return {"id": call.path["s"], "deleted": True}


def _require(call: ControlCall) -> ProjectState:
    state = call.project.snapshots.get(call.path["s"])
    if state is None:
        raise ApiError(errors.CONTROL_UNKNOWN_SNAPSHOT, id=call.path["s"][:128])
    return state


def _free_name(project: Project) -> str:
    number = len(project.snapshots) + 1
    while f"snapshot-{number}" in project.snapshots:
        number += 1
    return f"snapshot-{number}"


def _answer(name: str, state: ProjectState) -> SnapshotAnswer:
    return {"id": name, "now": timestamps.format_iso(state.clock.now_ms)}
