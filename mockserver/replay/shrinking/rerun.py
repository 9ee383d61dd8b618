"""Making the exchanges of a run again, other requests among them, or fewer."""

from io import BytesIO

from mockserver.replay.loading import load
from mockserver.replay.shrinking.run import Moment, Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering.render import Pending, Response
from mockserver.server.recording.lines import Sink, encode_answer
from mockserver.server.recording.reading import Lines
from mockserver.server.recording.recorder import Recorder
from mockserver.server.recording.stepper import ReplayTime
from mockserver.state.project import Project


class Rerun:
    """A server in the state in which a run begins. With a sink, what happens to it is recorded."""

    def __init__(self, run: Run, sink: Sink | None = None) -> None:
        self._time = ReplayTime()
        self.app = load(Lines(BytesIO(run.opening)), self._time.real_ms).app
        self._recorder = None if sink is None else Recorder(self.app.pipeline, sink)
        self.project: Project | None = None
        """The project of the request that was made last."""
        self._pending: dict[int, Pending] = {}
        self._delayed: dict[int, RuleEffects] = {}

    def make(self, moment: Moment, request: RecordedRequest | None = None) -> RecordedAnswer | None:
        """Let a moment happen, with another request than its own if one is given; the answer, if it is made.

        What belongs to a request that waited when it was recorded, and does not wait now, is left out.
        """
        if moment.real_ms is not None:
            self._time.now_ms = moment.real_ms
        pipeline = self.app.pipeline
        given = request or moment.request
        if given is not None:
            return self._keep(moment.number, pipeline.answer(given.to_request()))
        if moment.kind == "advance" and moment.number in self._pending:
            pending = self._pending.pop(moment.number)
            return self._keep(moment.number, pending.advance() or pending)
        if moment.kind == "act" and moment.number in self._delayed:
            if not pipeline.act(self._delayed[moment.number]):
                del self._delayed[moment.number]
        elif moment.kind == "tick":
            project = pipeline.world.get(moment.project or "")
            if project is not None:
                pipeline.catch_up(project)
        return None

    def _keep(self, number: int, outcome: Response | Pending) -> RecordedAnswer | None:
        if isinstance(outcome, Pending):
            self._pending[number] = outcome
            self.project = outcome.project
            return None
        self.project = self.app.pipeline.touched
        if outcome.delay_ms and outcome.effects is not None:
            self._delayed[number] = outcome.effects
        line = encode_answer(outcome)
        return RecordedAnswer(**{**line, "headers": tuple(line["headers"])})

    def stop(self) -> None:
        """End the recording, if one is made."""
        if self._recorder is not None:
            self._recorder.stop()
