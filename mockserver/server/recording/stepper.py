"""Makes the steps of a recording in a server: requests, and calls that go on when a step says so."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import Outcome, Pipeline, WaitingCall
from mockserver.server.recording.lines import Sink
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.recorder import Recorder
from mockserver.state.saved.encoding import Line


class ReplayTime:
    """Gives the recorded readings of real time, one after the other."""

    def __init__(self) -> None:
        self.now_ms = 0
        """The reading of the step that is being made."""

    def real_ms(self) -> int:
        """The real time."""
        return self.now_ms


class Stepper:
    """Makes steps in a world with the real time of a recording. Calls that wait go on at no other time."""

    def __init__(self, pipeline: Pipeline, time: ReplayTime) -> None:
        self._pipeline, self._time = pipeline, time
        pipeline.is_replayed = True
        self._waiting: dict[int, WaitingCall] = {}

    def make(
        self,
        number: int = 0,
        request: Request | None = None,
        *,
        tick: str | None = None,
        real_ms: int | None = None,
    ) -> Outcome | None:
        """Make a step: the request of an exchange, or else its call goes on; None if it does not wait.

        With `tick` the ticking clock of a project shows the real time instead.
        """
        if real_ms is not None:
            self._time.now_ms = real_ms
        if request is not None:
            return self._keep(number, self._pipeline.answer(request))
        if tick is not None and (project := self._pipeline.world.get(tick)) is not None:
            self._pipeline.tick(project)
        waiting = self._waiting.pop(number, None)
        return None if waiting is None else self._keep(number, self._pipeline.resume(waiting))

    def _keep(self, number: int, outcome: Outcome) -> Outcome:
        if isinstance(outcome, WaitingCall):
            self._waiting[number] = outcome
        return outcome


@dataclass(slots=True)
class _Written:
    """What the recorder of a replay writes, to be compared with the recording."""

    copy: Sink | None = None
    """Is given the lines, too."""
    lines: list[Line] = field(default_factory=list)

    def write(self, *lines: Line) -> None:
        """See `Sink`."""
        self.lines += lines
        if self.copy is not None:
            self.copy.write(*lines)


class Replay(Stepper):
    """A replay, which is recorded in turn: what a step came to is in the lines that are written."""

    def __init__(
        self, pipeline: Pipeline, time: ReplayTime, mask: Mask | None = None, copy: Sink | None = None
    ) -> None:
        """Begin, with what masks the lines as the recording is masked. `copy` is given all lines, too."""
        super().__init__(pipeline, time)
        self._written = _Written(copy)
        self._recorder = Recorder(pipeline, self._written, mask)
        self._on_answer: dict[int, Callable[[Outcome], None]] = {}

    def take(self) -> list[Line]:
        """The lines since this was last called."""
        lines, self._written.lines = self._written.lines, []
        return lines

    def hold(self, waiting: WaitingCall, on_answer: Callable[[Outcome], None]) -> None:
        """Hold a call that a client waits for. `on_answer` is given its answer when a step has made it."""
        self._waiting[waiting.number] = waiting
        self._on_answer[waiting.number] = on_answer

    def _keep(self, number: int, outcome: Outcome) -> Outcome:
        super()._keep(number, outcome)
        if not isinstance(outcome, WaitingCall) and number in self._on_answer:
            self._on_answer.pop(number)(outcome)
        return outcome

    def end(self) -> None:
        """End what records the replay, as the recording ended."""
        self._recorder.stop()
        self._pipeline.is_replayed = False

    def go_on(self, read_real_ms: Callable[[], int]) -> None:
        """Leave the world to other requests, with the real time.

        What a client waits for goes on, all else that waits is given up.
        """
        self.end()
        world = self._pipeline.world
        world.read_real_ms = read_real_ms
        world.begin_step()
        for project in world:
            project.clock.anchor(world.real_ms)
        waiting, self._waiting = self._waiting, {}
        for number, each in waiting.items():
            if number in self._on_answer:
                self._on_answer.pop(number)(each)
            else:
                self._pipeline.give_up(each)
                each.project.interrupt_waits()
