"""The recorder: writes down each step of a server, with what came of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from mockserver.api.call import Request
from mockserver.server.answering.control_call import UNRECORDED_PATHS
from mockserver.server.answering.pipeline import Outcome, Pipeline, WaitingCall
from mockserver.server.recording.lines import (
    Sink,
    encode_answer,
    encode_request,
    encode_request_headers,
    in_blocks,
    texts_of,
    to_line,
)
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.opening import digests, opening_lines
from mockserver.state.project import Project
from mockserver.state.saved.digests import ChangeDigests
from mockserver.state.saved.encoding import Line

_CHECKPOINT_AFTER = 1_000


class MaskedSink:
    """Takes lines, and gives them on masked."""

    def __init__(self, sink: Sink, mask: Mask) -> None:
        self._sink = sink
        self._mask = mask

    def write(self, *lines: Line) -> None:
        """See `Sink`."""
        self._sink.write(*map(self._mask.hide_line, lines))

    def write_all(self, lines: Iterable[Line]) -> None:
        """Take lines: those that have nothing to hide are looked into together."""
        for block in in_blocks(lines, lambda line: len(to_line(line))):
            is_clean = self._mask.search.finds_nothing_in(texts_of(block))
            (self._sink if is_clean else self).write(*block)


class Busy(Exception):
    """A recording cannot begin while calls wait: the file would lack how they came about."""


class Recorder:
    """Records every step that changes a world, as the observer of its pipeline. Busy while calls wait.

    Of some projects only, if they are given; another observer then has to give it their steps.
    """

    def __init__(
        self, pipeline: Pipeline, sink: Sink, mask: Mask | None = None, only: Sequence[Project] | None = None
    ) -> None:
        world = pipeline.world
        self._pipeline, self._world, self._only = pipeline, world, only
        if any(project.waiting for project in self._projects()):
            raise Busy
        self._mask = mask = mask or Mask(pipeline, is_masked=False)
        self._sink = MaskedSink(sink, mask)
        for project in self._projects():
            if not project.is_put_away:
                # What no call asked for would be told with the next one: it belongs to the beginning.
                project.record("control")
        self._sink.write_all(opening_lines(pipeline, world.real_ms(), mask, self._projects()))
        self.changes = ChangeDigests(mask.to_bytes)
        self.is_active = True
        """Whether it records, and was neither stopped nor given up."""
        self.exchanges = 0
        self._next_checkpoint = _CHECKPOINT_AFTER
        self._changed: set[Project] = set()
        self._known: Mapping[str, str] | None = None
        """The headers that came last: clients send theirs again and again."""
        self._known_lines: list[tuple[str, str]] = []
        if only is None:
            pipeline.observer = self
            world.histories.on_changes = self.changes.note

    def answer(self, request: Request, make: Callable[[Request], Outcome]) -> Outcome:
        """See `Observer`."""
        if request.path.startswith(UNRECORDED_PATHS):
            return make(request)
        line = self._encode(request)
        self.exchanges += 1
        number = self.exchanges
        return self._record({"n": number, "request": line}, make(request), number)

    def _encode(self, request: Request) -> Line:
        """A request without what is to be hidden in it, unless it is found in the line."""
        if request.headers is self._known:
            return encode_request(request, self._known_lines)
        shown = self._mask.hide_request(request)
        lines = encode_request_headers(shown, self._pipeline.server.access.token)
        if not self._mask.is_masked:
            self._known, self._known_lines = request.headers, lines
        return encode_request(shown, lines)

    def resume(self, waiting: WaitingCall, make: Callable[[WaitingCall], Outcome]) -> Outcome:
        """See `Observer`."""
        number = waiting.number
        return self._record({"n": number, "resume": True}, make(waiting), number)

    def tick(self, project: Project, make: Callable[[Project], None]) -> None:
        """See `Observer`."""
        before_ms = project.clock.now_ms
        make(project)
        if project.clock.now_ms != before_ms:
            self._write({"tick": project.id}, project)

    def stop(self) -> None:
        """End the recording, idempotently. What waits is answered without it."""
        if not self.is_active:
            return
        self.give_up()
        found = digests(self._world, self._projects(), self._mask.to_bytes)
        self._sink.write({"end": {"n": self.exchanges, "digests": found}})

    def give_up(self) -> None:
        """Record no more, and write no end."""
        self.is_active = False
        if self._pipeline.observer is self:
            self._pipeline.observer = None
            self._world.histories.on_changes = None

    def _projects(self) -> list[Project]:
        """The projects that are recorded, as far as they are there."""
        held = self._world if self._only is None else self._only
        return [project for project in held if not project.is_deleted]

    def _record(self, line: Line, outcome: Outcome, number: int) -> Outcome:
        """Write down a step, and what it came to."""
        if isinstance(outcome, WaitingCall):
            outcome.number = number
            line["waits"] = True
        else:
            line["answer"] = self._mask.hide_answer(encode_answer(outcome))
        self._write(line, outcome.project)
        return outcome

    def _write(self, line: Line, project: Project | None) -> None:
        """Write a line, with the time of its project, the real time that was read, and what changed."""
        if project is not None:
            line["now_ms"] = project.clock.now_ms
        real_ms = self._world.reading_ms
        if real_ms is not None:
            line["real_ms"] = real_ms
        if self.changes.pending and (changes := self.changes.take()):
            line["changes"] = {changed.id: names for changed, names in changes.items()}
            self._changed.update(changes)
            self._mask.learn_keys(changes)
        self._sink.write(line)
        if not self.is_active:
            # It was given up, and lacks this line.
            self.exchanges -= "request" in line
        elif self.exchanges >= self._next_checkpoint:
            self._check()

    def _check(self) -> None:
        """Write the digests of what has changed. Of more rows less often: each is read for it."""
        changed, self._changed = self._changed, set()
        held = [project for project in self._projects() if project in changed]
        rows = sum(len(table) for each in held if not each.is_put_away for table in each.tables)
        self._next_checkpoint = self.exchanges + max(_CHECKPOINT_AFTER, rows)
        found = digests(self._world, held, self._mask.to_bytes)
        self._sink.write({"checkpoint": {"n": self.exchanges, "digests": found}})
