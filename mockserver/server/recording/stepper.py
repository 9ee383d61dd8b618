"""Moves a server by the steps of a recording: when waiting requests go on, and which real time is read."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Pending, Response
from mockserver.server.recording.lines import Sink
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.recorder import Recorder
from mockserver.state.saved.encoding import Line

Outcome = Response | Pending


class ReplayTime:
    """Gives the recorded readings of real time, one after the other."""

    def __init__(self) -> None:
        self.now_ms = 0
        """The reading of the step that is being replayed."""

    def real_ms(self) -> int:
        """The real time."""
        return self.now_ms


@dataclass(slots=True)
class _Written:
    """What the recorder of a replay writes, to be compared with the recording."""

    copy: Sink | None = None
    """Is given the lines, too."""
    lines: list[Line] = field(default_factory=list)

    def write(self, line: Line) -> None:
        """See `Sink`."""
        self.lines.append(line)
        if self.copy is not None:
            self.copy.write(line)


class Stepper:
    """The replay of a recording in a world whose real time is that of the recording.

    It is recorded in turn: what a step came to is in the lines that are written. Requests that wait and
    answers that are delayed go on when a step says so, and at no other time.
    """

    def __init__(
        self, pipeline: Pipeline, time: ReplayTime, mask: Mask | None, copy: Sink | None = None
    ) -> None:
        """Begin, with what masks the lines as the recording is masked. `copy` is given all lines, too."""
        self.time = time
        self._pipeline = pipeline
        self._written = _Written(copy)
        self._recorder = Recorder(pipeline, self._written, mask)
        self._pending: dict[int, Pending] = {}
        self._delayed: dict[int, Response] = {}
        self._on_outcome: dict[int, Callable[[Outcome], None]] = {}

    def number_of(self, outcome: Outcome) -> int:
        """The number of the exchange that an outcome belongs to which waits or is delayed."""
        return self._recorder.number_of(outcome)

    def take(self) -> list[Line]:
        """The lines since this was last called."""
        lines, self._written.lines = self._written.lines, []
        return lines

    def keep(
        self, number: int, outcome: Outcome, on_outcome: Callable[[Outcome], None] | None = None
    ) -> None:
        """Keep what goes on later. `on_outcome` is given the answer when it is to be sent."""
        if on_outcome is not None:
            self._on_outcome[number] = on_outcome
        if isinstance(outcome, Pending):
            self._pending[number] = outcome
            # A project in which something waits is not put away.
            outcome.project.waiting += 1
        elif outcome.delay_ms and outcome.effects is not None:
            self._delayed[number] = outcome
        else:
            self._hand_over(number, outcome)

    def _hand_over(self, number: int, outcome: Outcome) -> None:
        on_outcome = self._on_outcome.pop(number, None)
        if on_outcome is not None:
            on_outcome(outcome)

    def advance(self, number: int) -> bool:
        """Make the next part of the answer to a request that waited; whether there is such a request."""
        pending = self._pending.pop(number, None)
        if pending is None:
            return False
        try:
            outcome = pending.advance() or pending
        finally:
            pending.project.waiting -= 1
        self.keep(number, outcome)
        return True

    def act(self, number: int) -> bool:
        """Let happen what a rule put off until after a delay; whether there is such an answer."""
        answer = self._delayed.get(number)
        if answer is None:
            return False
        effects: RuleEffects | None = answer.effects
        assert effects is not None
        answer.delay_ms = self._pipeline.act(effects)
        if not answer.delay_ms:
            del self._delayed[number]
            self._hand_over(number, answer)
        return True

    def tick(self, project_id: str) -> None:
        """Let a ticking clock show the real time."""
        project = self._pipeline.world.get(project_id)
        if project is not None:
            self._pipeline.catch_up(project)

    def end(self) -> None:
        """End what records the replay, as the recording ended."""
        self._recorder.stop()

    def go_on(self, read_real_ms: Callable[[], int]) -> None:
        """Leave the world to other requests, with the real time.

        What waits goes on if it can still be sent, and is given up else.
        """
        self.end()
        world = self._pipeline.world
        world.real_ms = read_real_ms
        for project in world:
            project.clock.anchor(read_real_ms())
        pending, self._pending = self._pending, {}
        delayed, self._delayed = self._delayed, {}
        for number, waiting in pending.items():
            waiting.project.waiting -= 1
            if number not in self._on_outcome:
                waiting.project.interrupt_waits()
            self._hand_over(number, waiting)
        for number, answer in delayed.items():
            self._hand_over(number, answer)
