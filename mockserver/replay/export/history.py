"""The part of a run that is about one project, as calls and moves of its clock."""

from typing import NamedTuple

from mockserver.api.endpoint import Endpoint
from mockserver.errors import is_error
from mockserver.replay.shrinking.analysis import Analysis, analyse
from mockserver.replay.shrinking.conditions import endpoint_of, operation_of
from mockserver.replay.shrinking.links import Link, LinkedRequest, LinkTable
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.shrinking.rerun import Rerun
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer
from mockserver.state.project import Project
from mockserver.state.settings import Settings

PROJECT = 0
"""The number of the answer, if there were one, with what the project itself is."""
OF_CONNECTIONS = frozenset(
    {
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "referer",
        "sec-ch-ua",
        "sec-ch-ua-mobile",
        "sec-ch-ua-platform",
        "sec-fetch-dest",
        "sec-fetch-mode",
        "sec-fetch-site",
        "sec-fetch-storage-access",
        "te",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    }
)
"""Headers that clients send by themselves, such as browsers, Node and Java, and no answer depends on."""
SIGNED = "x-wallet-auth"
"""The header of a request that the wallet secret has signed."""
PROJECT_MEMBERS = ("id", "secret_key", "publishable_key")

OTHERS = "--to curl and --to har export it, and `mockserver replay --to N` serves the state after exchange N"
"""What helps where a run cannot be a scenario or a test."""

_CLOCK = frozenset({"AdvanceClock", "SetClock"})
_DELETION = "DeleteProject"
_OF_SERVER = frozenset({"CreateProject", _DELETION})


class CannotExport(ValueError):
    """The run cannot be exported like this; the message says why."""


class Exchange(NamedTuple):
    """An exchange of the project."""

    number: int
    linked: LinkedRequest
    answer: RecordedAnswer | None
    endpoint: Endpoint | None
    """None for a path or a method that there is not."""
    to_ms: int | None = None
    """The time to which it moved a frozen clock, as a delay does."""


class Advance(NamedTuple):
    """The clock moved."""

    span_ms: int
    to_ms: int | None = None
    """The time to which it is moved, if it ticked: what waits on it then takes as long as it takes."""


Item = Exchange | Advance


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
    others: int
    """How many calls of other projects the run has."""

    @property
    def settings(self) -> Settings:
        """What its settings were before the first call."""
        return self.project.created_as[1] if self.began is None else self.began.settings


class _Life(NamedTuple):
    """A project, and the exchanges between which it is there."""

    project_id: str
    after: int
    before: int

    def has(self, number: int) -> bool:
        """Whether an exchange is one of its own time."""
        return self.after < number < self.before


def read_history(run: Run) -> History:
    """The history of the project that a run was last about, until it is deleted; CannotExport if of none.

    What tells how a project came to be, what deletes it, and what only looks at it by the control API, as
    the clients of tests do after a test, is no part of its history.
    """
    analysis = analyse(run)
    life = _find_life(run, analysis)
    before, after = Rerun(run), Rerun(run)
    for step in run.steps:
        if step.n == life.before:
            break
        after.make(step)
    project = after.app.pipeline.world.get(life.project_id)
    if project is None:
        raise CannotExport(f"the project is deleted when the run is made again; {OTHERS}")
    requests = run.requests()
    began = None if life.after else before.app.pipeline.world.get(life.project_id)
    start_ms, items = _read_items(run, analysis, project, life)
    traces = analysis.traces.items()
    owners = [each.project for number, each in traces if not _is_left_out(endpoint_of(requests[number]))]
    others = sum(owner not in (None, project.id) for owner in owners)
    return History(project, start_ms, tuple(items), analysis.table, began, run.writes, others)


def _find_life(run: Run, analysis: Analysis) -> _Life:
    """That of the project that was last called, or else that was last asked about."""
    about = {
        number: (trace.project, endpoint_of(run.requests()[number]))
        for number, trace in analysis.traces.items()
        if trace.project is not None
    }
    if not about:
        last = max(analysis.traces, default=0)
        raise CannotExport(f"none of the exchanges up to {last} is about a project; {OTHERS}")
    calls = [number for number, (_, endpoint) in about.items() if not _is_left_out(endpoint)]
    last = max(calls or about)
    project_id, _ = about[last]
    answers = run.answers()
    deletions = [
        number
        for number, (owner, endpoint) in about.items()
        if owner == project_id and endpoint is not None and endpoint.operation == _DELETION
        if number in answers and not is_error(answers[number].status)
    ]
    before = min((number for number in deletions if number >= last), default=max(about) + 1)
    return _Life(project_id, max((number for number in deletions if number < last), default=0), before)


def _is_left_out(endpoint: Endpoint | None) -> bool:
    """Whether a call is none of a project's history: it makes or deletes it, or only looks at it."""
    if endpoint is None or endpoint.family.public:
        return False
    return endpoint.operation in _OF_SERVER or endpoint.method == "GET"


def _read_items(run: Run, analysis: Analysis, project: Project, life: _Life) -> tuple[int, list[Item]]:
    """The time at which it begins, the calls and what time passed between them."""
    for name in PROJECT_MEMBERS:
        analysis.table.add(getattr(project, name), Link(PROJECT, ValuePlace("body", f"/{name}")))
    requests, answers, traces = run.requests(), run.answers(), analysis.traces
    linked = {number: analysis.table.link(request, number) for number, request in requests.items()}
    wanted = {link.exchange for each in linked.values() for link in each.links()}
    operations = {number: operation_of(request) for number, request in requests.items()}
    moved = {
        number: trace.after_ms
        for number, trace in traces.items()
        if trace.after_ms > trace.before_ms and operations[number] not in _CLOCK
    }
    is_absolute = bool(moved) or "ticking" in (project.created_as[0].mode, project.clock.mode)
    own = [number for number in requests if traces[number].project == project.id and life.has(number)]
    own = [number for number in own if operations[number] not in _OF_SERVER]
    start_ms = now_ms = traces[own[0]].before_ms if own else project.clock.now_ms
    items: list[Item] = []
    for number in own:
        trace, endpoint = traces[number], endpoint_of(requests[number])
        if trace.before_ms > now_ms:
            items.append(Advance(trace.before_ms - now_ms, trace.before_ms if is_absolute else None))
            now_ms = trace.before_ms
        # What fired has ids in the answer, which a later call may name.
        if operations[number] not in _CLOCK or number in wanted:
            items.append(Exchange(number, linked[number], answers.get(number), endpoint, moved.get(number)))
            now_ms = trace.after_ms
    if project.clock.now_ms > now_ms:
        items.append(Advance(project.clock.now_ms - now_ms, project.clock.now_ms if is_absolute else None))
    return start_ms, _without_looks(items)


def _without_looks(items: list[Item]) -> list[Item]:
    """The items without calls that only look at the project, unless a later one has a value from there."""
    kept: list[Item] = []
    wanted: set[int] = set()
    for item in reversed(items):
        if isinstance(item, Advance) or not _is_left_out(item.endpoint) or item.number in wanted:
            kept.append(item)
            wanted |= frozenset() if isinstance(item, Advance) else item.linked.exchanges()
    return kept[::-1]
