"""Making the exchanges of a run again, other requests among them, or fewer."""

from io import BytesIO

from mockserver.replay.loading import load
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, Step
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.answering.render import Response
from mockserver.server.recording.lines import Sink, encode_answer
from mockserver.server.recording.reading import Lines
from mockserver.server.recording.recorder import Recorder
from mockserver.server.recording.stepper import ReplayTime, Stepper
from mockserver.state.project import Project


class Rerun:
    """A server in the state in which a run begins. With a sink, what happens to it is recorded."""

    def __init__(self, run: Run, sink: Sink | None = None) -> None:
        time = ReplayTime()
        _, self.app, _ = load(Lines(BytesIO(run.opening)), time.real_ms)
        self._recorder = None if sink is None else Recorder(self.app.pipeline, sink)
        self._stepper = Stepper(self.app.pipeline, time)
        self.project: Project | None = None
        """The project of the call that was made last."""

    def make(self, step: Step, request: RecordedRequest | None = None) -> RecordedAnswer | None:
        """Make a step, with another request than its own if one is given; the answer, if it is made.

        What belongs to a call that waited when it was recorded, and does not wait now, is left out.
        """
        given = request or step.request
        asked = given and given.to_request()
        outcome = self._stepper.make(step.n, asked, tick=step.tick, real_ms=step.real_ms)
        if outcome is None:
            return None
        self.project = outcome.project
        return None if isinstance(outcome, WaitingCall) else recorded_answer(outcome)

    def stop(self) -> None:
        """End the recording, if one is made."""
        if self._recorder is not None:
            self._recorder.stop()


def recorded_answer(response: Response) -> RecordedAnswer:
    """An answer as a recording has it."""
    line = encode_answer(response)
    return RecordedAnswer(**{**line, "headers": tuple(line["headers"])})
