"""Replays a recording in process, one step after the other, and compares each with what was recorded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO, NamedTuple

from mockserver.kernel.codec import Malformed
from mockserver.replay.comparison import Difference, compare
from mockserver.replay.loading import Opening, load
from mockserver.replay.reading import Lines
from mockserver.replay.steps import Step, read_step
from mockserver.replay.time import ReplayTime
from mockserver.scenario.effects import RuleEffects
from mockserver.server.recording.lines import Sink, to_line
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.placeholders import UNREPEATABLE, placeholders_in
from mockserver.server.recording.recorder import Recorder
from mockserver.server.render import Pending, Response
from mockserver.state.encoding import Line, encode_row
from mockserver.state.project import Project


@dataclass(slots=True)
class Masked:
    """What is masked in a recording so far."""

    values: set[bytes] = field(default_factory=set)
    """The placeholders, which are compared instead of what they stand for."""
    withheld: int = 0
    """How many lines were withheld, and are not compared."""
    unrepeatable: int | None = None
    """The first exchange with the placeholder of a key or a signature, 0 for the state at the beginning."""
    gave_up: int | None = None
    """The exchange from which on the recording cannot be repeated, for such a placeholder."""


class Found(NamedTuple):
    """A step that went another way than it was recorded."""

    place: int
    """The number of its line."""
    number: int
    """The exchange that it belongs to, or that came before it."""
    request: Line | None
    expected: Line
    got: Line
    differences: list[Difference]
    rows: dict[str, Any]
    """The rows that differ as the replay has them."""


@dataclass(slots=True)
class _Written:
    """What the recorder of the replay writes, to be compared with the recording."""

    copy: Sink | None = None
    """Is given the lines, too."""
    lines: list[Line] = field(default_factory=list)

    def write(self, line: Line) -> None:
        """See `Sink`."""
        self.lines.append(line)
        if self.copy is not None:
            self.copy.write(line)

    def take(self) -> list[Line]:
        """The lines since this was last called."""
        lines, self.lines = self.lines, []
        return lines


def find_row(project: Project | None, place: str) -> Any:
    """The row at a place, such as `identity.users/usr_…`, as a JSON value; None if it is not there."""
    name, _, row_id = place.partition("/")
    tables = {} if project is None else dict(project.named_tables())
    row = tables[name].get(row_id) if name in tables else None
    return None if row is None else encode_row(name, row)


class Player:
    """A server in the state in which a recording begins, and the steps that are still to be made.

    The replay is recorded in turn: a line that is not the recorded one is a difference. BadRecording from
    any method.
    """

    def __init__(self, file: BinaryIO, masked_copy: Sink | None = None) -> None:
        """With `masked_copy`, which is given the recording that the replay writes, nothing is compared."""
        self.time = ReplayTime()
        self.lines = Lines(file)
        self.opening: Opening = load(self.lines, self.time.real_ms)
        self.app = self.opening.app
        self._written = _Written(masked_copy)
        is_masked = self.opening.meta.masked
        self.mask = (
            Mask(self.app.pipeline, is_replay=is_masked) if is_masked or masked_copy is not None else None
        )
        """Masks what the replay writes as the recording is masked, or as its copy is to be."""
        self._recorder = Recorder(self.app.pipeline, self._written, self.mask)
        *beginning, self._began = self._written.take()
        self.masked = Masked()
        for line in beginning:
            self._note_masks(0, line)
        self._pending: dict[int, Pending] = {}
        self._delayed: dict[int, RuleEffects] = {}
        self._requests: dict[int, Line] = {}
        self.number = 0
        """The last exchange that was begun."""
        self.unanswered: int | None = None
        """The exchange whose answer the recording lacks: its request was the last thing that happened."""

    def play(self, to: int | None = None) -> Iterator[Found]:
        """Make the steps up to and including those of an exchange, or all; yields those that differ."""
        began = {"end": self._began["begin"]}
        expected = {"end": {"digests": self.opening.digests}}
        if differences := compare(None, expected, began):
            yield Found(self.lines.place, 0, None, expected, began, differences, {})
        while (line := self.lines.peek()) is not None:
            step = self._read(line)
            if to is not None and step.request is not None and self.number >= to:
                return
            self.lines.take()
            if step.withheld == "request":
                self.masked.gave_up = step.n
                return
            for found in self._make(line, step):
                if self.masked.unrepeatable is not None:
                    self.masked.gave_up = found.number
                    return
                yield found

    def _note_masks(self, number: int, line: Line) -> None:
        """Note what is masked in a line of an exchange, or of the beginning with the number 0."""
        if self.mask is None:
            return
        found = placeholders_in(to_line(line))
        self.masked.values |= found
        self.masked.withheld += "withheld" in line
        is_unrepeatable = any(each.startswith(UNREPEATABLE.encode()) for each in found)
        if is_unrepeatable and self.masked.unrepeatable is None and (not number or "request" in line):
            self.masked.unrepeatable = number

    def go_on(self, read_real_ms: Callable[[], int]) -> None:
        """Leave the world to other requests. What waits is given up, and time is real from here on."""
        self._recorder.stop()
        for pending in self._pending.values():
            pending.project.interrupt_waits()
        self._pending.clear()
        self.time.go_on(read_real_ms)
        control = self.app.pipeline.control
        # The token of the recorded server is not in the recording.
        self.app.pipeline.control = replace(control, token=None)

    def _read(self, line: Line) -> Step:
        try:
            return read_step(line)
        except Malformed as error:
            raise self.lines.bad(str(error)) from None

    def _make(self, line: Line, step: Step) -> Iterator[Found]:
        """Make a step, and compare what the recorder writes with the lines that are expected."""
        if step.request is not None:
            yield from self._ask(line, step)
            return
        self._feed(step)
        if step.acts is not None:
            effects = self._delayed.get(step.n)
            if effects is None:
                # A difference that was found already: the answer was not delayed.
                return
            if not self.app.pipeline.act(effects):
                del self._delayed[step.n]
        elif step.answer is not None or step.slice or step.waits or step.withheld:
            pending = self._pending.pop(step.n, None)
            if pending is None:
                # A difference that was found already: the request did not wait.
                return
            self._keep(step.n, pending.advance() or pending)
        elif step.tick is not None:
            project = self.app.pipeline.world.get(step.tick)
            if project is not None:
                self.app.pipeline.catch_up(project)
        elif step.end is not None:
            self._recorder.stop()
        yield from self._compare([line], self._written.take())
        if step.answer is not None:
            self._requests.pop(step.n, None)

    def _keep(self, number: int, outcome: Response | Pending) -> None:
        """Keep what goes on later: a request that waits, an answer that is delayed."""
        if isinstance(outcome, Pending):
            self._pending[number] = outcome
        elif outcome.delay_ms and outcome.effects is not None:
            self._delayed[number] = outcome.effects

    def _ask(self, line: Line, step: Step) -> Iterator[Found]:
        """Send a request; what came of it is in the next line."""
        assert step.request is not None
        if step.n != self.number + 1:
            raise self.lines.bad(f"the exchange after {self.number} has the number {step.n}")
        try:
            request = step.request.to_request()
        except Malformed as error:
            raise self.lines.bad(str(error.within("request"))) from None
        place = self.lines.place
        expected = self.lines.take()
        if expected is None:
            self.unanswered = step.n
        else:
            outcome = self._read(expected)
            if outcome.n != step.n or outcome.request is not None:
                raise self.lines.bad(f"what came of exchange {step.n} is missing")
            self._feed(outcome)
        self.number = step.n
        self._note_masks(step.n, line)
        self._requests[step.n] = line["request"]
        self._keep(step.n, self.app.pipeline.answer(request))
        got = self._written.take()[1:]
        if expected is not None:
            yield from self._compare([expected], got, place)
            if "answer" in expected:
                self._requests.pop(step.n, None)

    def _rows(self, differences: list[Difference]) -> Iterator[tuple[str, Any]]:
        for difference in differences:
            kind, _, name = difference.part.partition(" ")
            if kind == "row":
                project_id, _, place = name.partition(" ")
                row = find_row(self.app.pipeline.world.get(project_id), place)
                if row is not None:
                    yield difference.part, row

    def _feed(self, step: Step) -> None:
        if step.real_ms is not None:
            self.time.now_ms = step.real_ms

    def _compare(self, expected: list[Line], got: list[Line], place: int | None = None) -> Iterator[Found]:
        """Compare the lines of a step; a checkpoint that comes with it is the next line of the recording."""
        for extra in got[1:]:
            if (line := self.lines.peek()) is not None and "checkpoint" in line and "checkpoint" in extra:
                self._read(line)
                self.lines.take()
                expected.append(line)
        for before, after in zip(expected, [*got, {}], strict=False):
            self._note_masks(self.number, before)
            request = self._requests.get(before.get("n", 0))
            differences = compare(request, before, after)
            if differences:
                yield Found(
                    place or self.lines.place,
                    self.number,
                    request,
                    before,
                    after,
                    differences,
                    dict(self._rows(differences)),
                )
