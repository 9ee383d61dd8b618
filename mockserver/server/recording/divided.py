"""Several recordings at once, each of projects of its own: an observer that gives each its steps."""

from collections.abc import Callable, Sequence

from mockserver.api.call import Request
from mockserver.kernel.undo import Change
from mockserver.server.answering.control_call import UNRECORDED_PATHS
from mockserver.server.answering.pipeline import Outcome, Pipeline, WaitingCall
from mockserver.server.recording.recorder import Recorder
from mockserver.state.project import Project


class Divided:
    """Lets each recorder see the steps of its projects, and the changes in them."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._recorders: dict[Project, Recorder] = {}

    def has(self, projects: Sequence[Project]) -> bool:
        """Whether one of the projects is recorded."""
        return any(self._find(project) is not None for project in projects)

    def add(self, recorder: Recorder, projects: Sequence[Project]) -> None:
        """Give a recorder the steps of these projects from now on."""
        self._recorders |= dict.fromkeys(projects, recorder)
        self._pipeline.observer = self
        self._pipeline.world.histories.on_changes = self._note

    def _find(self, project: Project | None) -> Recorder | None:
        found = None if project is None else self._recorders.get(project)
        return found if found is not None and found.is_active else None

    def remove(self, recorder: Recorder) -> None:
        """Give a recorder no more steps; the last one that is removed ends the observation."""
        kept = {project: each for project, each in self._recorders.items() if each is not recorder}
        self._recorders = kept
        if not kept and self._pipeline.observer is self:
            self._pipeline.observer = None
            self._pipeline.world.histories.on_changes = None

    def answer(self, request: Request, make: Callable[[Request], Outcome]) -> Outcome:
        """See `Observer`."""
        if request.path.startswith(UNRECORDED_PATHS):
            return make(request)
        # Before it is answered: a code that it spends is no secret, and is not known afterwards.
        recorder = self._find(self._pipeline.find_project(request))
        return make(request) if recorder is None else recorder.answer(request, make)

    def resume(self, waiting: WaitingCall, make: Callable[[WaitingCall], Outcome]) -> Outcome:
        """See `Observer`."""
        recorder = self._find(waiting.project)
        return make(waiting) if recorder is None else recorder.resume(waiting, make)

    def tick(self, project: Project, make: Callable[[Project], None]) -> None:
        """See `Observer`."""
        recorder = self._find(project)
        if recorder is None:
            make(project)
        else:
            recorder.tick(project, make)

    def _note(self, project: Project, changes: Sequence[Change]) -> None:
        recorder = self._find(project)
        if recorder is not None:
            recorder.changes.note(project, changes)
