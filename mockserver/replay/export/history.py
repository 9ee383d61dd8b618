"""The part of a run that is about one project, as calls and moves of its clock."""

from typing import NamedTuple

from mockserver.api.endpoint import Endpoint
from mockserver.replay.shrinking.analysis import Analysis, analyse
from mockserver.replay.shrinking.links import Link, LinkedRequest, LinkTable
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.shrinking.rerun import Rerun
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer
from mockserver.server.assembly import ROUTES
from mockserver.state.project import Project

PROJECT = 0
"""The number of the answer, if there were one, with what the project itself is."""
PROJECT_MEMBERS = ("id", "secret_key", "publishable_key")

_CLOCK = frozenset({"AdvanceClock", "SetClock"})
_OF_SERVER = frozenset({"CreateProject", "DeleteProject", "GetProject", "ListProjects"})


class CannotExport(ValueError):
    """The run cannot be exported like this; the message says why."""


class Call(NamedTuple):
    """An exchange of the project."""

    number: int
    linked: LinkedRequest
    answer: RecordedAnswer | None
    endpoint: Endpoint | None
    """None for a path or a method that there is not."""


class Advance(NamedTuple):
    """The clock moved."""

    span_ms: int
    to_ms: int | None = None
    """The time to which it is moved, if it ticked: what waits on it then takes as long as it takes."""


Item = Call | Advance


class History(NamedTuple):
    """What happened to a project."""

    project: Project
    """As it is at the end of the run."""
    start_ms: int
    """What its clock showed before the first call."""
    items: tuple[Item, ...]
    table: LinkTable
    began: Project | None
    """As it is when the recording begins; None if it is made later."""
    writes: frozenset[int]
    """The exchanges that changed rows."""


def read_history(run: Run) -> History:
    """The history of the project that the last exchange of a run is about; CannotExport if it has none."""
    analysis = analyse(run)
    last = max(analysis.traces, default=0)
    project_id = next(
        (trace.project for _, trace in sorted(analysis.traces.items(), reverse=True) if trace.project), None
    )
    if project_id is None:
        raise CannotExport(f"none of the exchanges up to {last} is about a project")
    before, after = Rerun(run), Rerun(run)
    for step in run.steps:
        after.make(step)
    project = after.app.pipeline.world.get(project_id)
    if project is None:
        raise CannotExport(f"the project {project_id} is deleted in the run")
    began = before.app.pipeline.world.get(project_id)
    start_ms, items = _items(run, analysis, project)
    return History(project, start_ms, tuple(items), analysis.table, began, run.writes)


def _has_ticked(project: Project) -> bool:
    return "ticking" in (project.created_as[0].mode, project.clock.mode)


def _items(run: Run, analysis: Analysis, project: Project) -> tuple[int, list[Item]]:
    """The time at which it begins, the calls and what time passed between them."""
    for name in PROJECT_MEMBERS:
        analysis.table.add(getattr(project, name), Link(PROJECT, ValuePlace("body", f"/{name}")))
    start_ms, now_ms, items = None, 0, list[Item]()
    answers, ticks = run.answers(), _has_ticked(project)
    for number, request in run.requests().items():
        trace = analysis.traces[number]
        methods, _ = ROUTES.find(request.path)
        endpoint = methods.get(request.method)
        operation = None if endpoint is None else endpoint.operation
        if trace.project != project.id or operation in _OF_SERVER:
            continue
        if start_ms is None:
            start_ms = now_ms = trace.before_ms
        if trace.before_ms > now_ms:
            items.append(Advance(trace.before_ms - now_ms, trace.before_ms if ticks else None))
        now_ms = max(now_ms, trace.before_ms)
        if operation not in _CLOCK:
            linked = analysis.table.link(request, number)
            items.append(Call(number, linked, answers.get(number), endpoint))
            now_ms = trace.after_ms
    if project.clock.now_ms > now_ms and start_ms is not None:
        items.append(Advance(project.clock.now_ms - now_ms, project.clock.now_ms if ticks else None))
    return start_ms or 0, items
