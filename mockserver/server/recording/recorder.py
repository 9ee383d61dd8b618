"""The recorder: writes down each request before it is handled, and afterwards what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypeVar

from mockserver.api.call import Request
from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering.control_call import RECORDING_PATH
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Pending, Response
from mockserver.server.recording.lines import Sink, encode_answer, encode_request
from mockserver.server.recording.live_keys import without_undeclared_keys
from mockserver.server.recording.mask import Mask, MaskedSink
from mockserver.server.recording.opening import digests, opening_lines
from mockserver.state.project import Project
from mockserver.state.saved.digests import Changed, ChangeDigests, ToBytes, canonical
from mockserver.state.saved.encoding import Line

T = TypeVar("T")

_CHECKPOINT_AFTER = 1_000


class Busy(Exception):
    """A recording cannot begin while requests wait: the file would lack how they came about."""


class Steps:
    """What happens to a world, step by step, and the changes of each.

    Within a step real time is read once: a step depends on one reading at most, which is `real_ms` if a
    clock ticks.
    """

    def __init__(self, pipeline: Pipeline, to_bytes: ToBytes) -> None:
        self._pipeline = pipeline
        world = pipeline.world
        self._read_real_ms = world.real_ms
        self._changes = ChangeDigests(world.histories, to_bytes)
        self._created: list[Project] = []
        self._real_ms: int | None = None
        # That a new project's clock ticks is seen when it is made; a frozen one may begin at the real time.
        self._ticks = world.defaults.now_ms is None
        self.is_in_step = False
        for project in world:
            self._ticks = self._ticks or project.clock.mode == "ticking"
        world.on_create = self._watch
        world.real_ms = self._real_ms_of_step

    def end(self) -> None:
        """Leave the world as if it had not been looked at."""
        world = self._pipeline.world
        world.on_create = None
        world.real_ms = self._read_real_ms
        world.histories.on_changes = None

    def make(self, make: Callable[[], T]) -> T:
        """Make one step."""
        self._real_ms = None
        self.is_in_step = True
        try:
            return make()
        finally:
            self.is_in_step = False

    def _watch(self, project: Project) -> None:
        self._created.append(project)

    def _real_ms_of_step(self) -> int:
        if not self.is_in_step:
            return self._read_real_ms()
        if self._real_ms is None:
            self._real_ms = self._read_real_ms()
        return self._real_ms

    def outcome(self, project: Project | None) -> tuple[Line, dict[Project, Changed]]:
        """What the step just made came to: a project's time, the real time, what changed."""
        created, self._created = self._created, []
        if not self._ticks:
            concerned = (*created, project) if project is not None else created
            self._ticks = any(each.clock.mode == "ticking" for each in concerned)
        found: Line = {}
        if project is not None:
            found["now_ms"] = project.clock.now_ms
        if self._ticks and self._real_ms is not None:
            found["real_ms"] = self._real_ms
        changes = self._changes.take()
        if changes:
            found["changes"] = {changed.id: names for changed, names in changes.items()}
        return found, changes


class Recorder:
    """Records all that changes a world, as the observer of its pipeline. Busy while requests wait."""

    def __init__(self, pipeline: Pipeline, sink: Sink, mask: Mask | None = None) -> None:
        if any(project.waiting for project in pipeline.world):
            raise Busy
        self._pipeline = pipeline
        self._mask = mask
        self._sink = sink if mask is None else MaskedSink(sink, mask)
        self._to_bytes = canonical if mask is None else mask.to_bytes
        for project in pipeline.world:
            if not project.is_put_away:
                # What no call asked for would be told with the next one: it belongs to the beginning.
                project.record("control")
        for line in opening_lines(pipeline, pipeline.world.real_ms(), mask):
            self._sink.write(line)
        self._steps = Steps(pipeline, self._to_bytes)
        self.exchanges = 0
        self._next_checkpoint = _CHECKPOINT_AFTER
        self._changed: set[Project] = set()
        self._delayed: dict[int, tuple[RuleEffects, int]] = {}
        """The exchanges whose answers are delayed, by the identity of their effects."""
        pipeline.observer = self

    def answer(self, request: Request, make: Callable[[Request], Response | Pending]) -> Response | Pending:
        """See `Observer`."""
        # A scenario's steps are part of the request that loads it.
        if self._steps.is_in_step or request.path.startswith(RECORDING_PATH):
            return make(request)
        self.exchanges += 1
        number = self.exchanges
        shown = without_undeclared_keys(self._pipeline.world, request)
        if self._mask is not None:
            shown = self._mask.hide_request(shown)
        token = self._pipeline.control.token
        self._sink.write({"n": number, "request": encode_request(shown, token)})
        outcome = self._steps.make(lambda: make(request))
        return self._record(outcome, number, self._pipeline.touched)

    def _record(
        self, outcome: Response | Pending, number: int, project: Project | None
    ) -> Response | Pending:
        """Write down what a step came to."""
        if isinstance(outcome, Pending):
            self._write({"n": number, "waits": True}, outcome.project)
            return _record_wait(outcome, self, number)
        answer = encode_answer(outcome)
        if self._mask is not None:
            answer = self._mask.hide_answer(answer)
        self._write({"n": number, "answer": answer}, project)
        if outcome.delay_ms and outcome.effects is not None:
            self._delayed[id(outcome.effects)] = outcome.effects, number
        return outcome

    def advance(
        self, number: int, project: Project, make: Callable[[], Response | Pending | None]
    ) -> Response | Pending | None:
        """Make a part of the answer to a request that waited."""
        if self._pipeline.observer is not self:
            return make()
        outcome = self._steps.make(make)
        if outcome is None:
            self._write({"n": number, "slice": True}, project)
            return None
        return self._record(outcome, number, project)

    def number_of(self, outcome: Response | Pending) -> int:
        """The number of the exchange that an outcome belongs to which waits or is delayed."""
        if isinstance(outcome, _RecordedPending):
            return outcome.number
        assert isinstance(outcome, Response)
        return self._delayed[id(outcome.effects)][1]

    def act(self, effects: RuleEffects, make: Callable[[RuleEffects], int]) -> int:
        """See `Observer`."""
        delay_ms = self._steps.make(lambda: make(effects))
        # One whose call came before the recording: nothing of it waits, so that it changes nothing.
        _, number = self._delayed.get(id(effects), (effects, 0))
        if number:
            self._write({"n": number, "acts": delay_ms}, effects.project)
        if not delay_ms:
            self._delayed.pop(id(effects), None)
        return delay_ms

    def catch_up(self, project: Project, make: Callable[[Project], None]) -> None:
        """See `Observer`."""
        before_ms = project.clock.now_ms
        self._steps.make(lambda: make(project))
        if project.clock.now_ms != before_ms:
            self._write({"tick": project.id}, project)

    def stop(self) -> None:
        """End the recording, idempotently. What waits is answered without it."""
        if self._pipeline.observer is not self:
            return
        self._pipeline.observer = None
        self._steps.end()
        world = self._pipeline.world
        self._sink.write({"end": {"n": self.exchanges, "digests": digests(world, world, self._to_bytes)}})

    def _write(self, line: Line, project: Project | None) -> None:
        outcome, changes = self._steps.outcome(project)
        if self._mask is not None:
            self._mask.learn_keys(changes)
        self._sink.write(line | outcome)
        self._changed.update(changes)
        if self.exchanges >= self._next_checkpoint:
            self._check()

    def _check(self) -> None:
        """Write the digests of what has changed. Of more rows less often: each is read for it."""
        changed, self._changed = self._changed, set()
        held = [project for project in self._pipeline.world if project in changed]
        rows = sum(len(table) for each in held if not each.is_put_away for table in each.tables)
        self._next_checkpoint = self.exchanges + max(_CHECKPOINT_AFTER, rows)
        found = digests(self._pipeline.world, held, self._to_bytes)
        self._sink.write({"checkpoint": {"n": self.exchanges, "digests": found}})


@dataclass(slots=True)
class _RecordedPending(Pending):
    """A `Pending` whose parts are recorded as they are made."""

    recorder: Recorder | None = None
    number: int = 0

    def advance(self, failed: Response | None = None) -> Response | Pending | None:
        """See `Pending`."""
        assert self.recorder is not None
        return self.recorder.advance(self.number, self.project, lambda: Pending.advance(self, failed))


def _record_wait(pending: Pending, recorder: Recorder, number: int) -> _RecordedPending:
    given = {field.name: getattr(pending, field.name) for field in fields(Pending)}
    return _RecordedPending(**given, recorder=recorder, number=number)
