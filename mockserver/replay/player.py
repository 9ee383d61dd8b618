"""Replays a recording, one step after the other, and compares each with what was recorded."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from mockserver.kernel.codec import Malformed
from mockserver.replay.comparison import Difference, compare
from mockserver.replay.steps import Step, read_step
from mockserver.replay.targets import Target
from mockserver.server.recording.known_secrets import MASKED
from mockserver.server.recording.lines import to_line
from mockserver.server.recording.placeholders import UNREPEATABLE, placeholders_in
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.saved.encoding import Line


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


class DifferingStep(NamedTuple):
    """A step that went another way than it was recorded."""

    line: int
    """The number of its line."""
    exchange: int
    """The exchange that it belongs to, or that came before it."""
    request: Line | None
    expected: Line
    got: Line
    differences: list[Difference]
    rows: dict[str, Any]
    """The rows that differ as the replay has them."""


class Player:
    """A server in the state in which a recording begins, and the steps that are still to be made.

    The replay is recorded in turn: a line that is not the recorded one is a difference. BadRecording and
    CannotReplay from any method.
    """

    def __init__(self, file: BinaryIO, target: Target) -> None:
        self.lines = Lines(file)
        self._target = target
        opened = target.open(self.lines)
        self.meta = opened.meta
        if self.meta.source != "mockserver":
            told = "the answers are of a real service: `mockserver compare` and `replay --serve` are for them"
            raise BadRecording(2, told)
        self._digests, self._began = opened.digests, opened.began
        self.masked = Masked()
        for line in opened.beginning:
            self._note_masks(0, line)
        self._requests: dict[int, Line] = {}
        """The requests whose answers are still to come, by the number of the exchange."""
        self.number = 0
        """The last exchange that was begun."""
        self.is_cut = False
        """Whether all of the file was played, and it has no end."""

    def play(self, to: int | None = None) -> Iterator[DifferingStep]:
        """Make the steps up to and including those of an exchange, or all; yields those that differ."""
        began = {"end": self._began["begin"]}
        expected = {"end": {"digests": self._digests}}
        if differences := compare(None, expected, began):
            yield DifferingStep(self.lines.place, 0, None, expected, began, differences, {})
        has_end = False
        while (line := self.lines.peek()) is not None:
            step = self._read(line)
            has_end = step.end is not None
            if to is not None and step.request is not None and self.number >= to:
                return
            self.lines.take()
            if step.withheld is not None and step.request is None and not step.resume:
                self.masked.gave_up = step.n
                return
            for found in self._make(line, step):
                if self.masked.unrepeatable is not None:
                    self.masked.gave_up = found.exchange
                    return
                yield found
        self.is_cut = not has_end

    @property
    def unanswered(self) -> int | None:
        """The first exchange whose answer the recording lacks, so far."""
        return min(self._requests, default=None)

    def _note_masks(self, number: int, line: Line) -> None:
        """Note what is masked in a line of an exchange, or of the beginning with the number 0."""
        if not self.meta.masked:
            return
        found = placeholders_in(to_line(line))
        self.masked.values |= found
        self.masked.withheld += "withheld" in line
        is_unrepeatable = any(each.startswith(UNREPEATABLE.encode()) for each in found)
        if is_unrepeatable and self.masked.unrepeatable is None and (not number or "request" in line):
            self.masked.unrepeatable = number

    def _read(self, line: Line) -> Step:
        try:
            return read_step(line)
        except Malformed as error:
            raise self.lines.bad(str(error)) from None

    def _make(self, line: Line, step: Step) -> Iterator[DifferingStep]:
        """Make a step, and compare what the recorder writes with what was recorded."""
        place = self.lines.place
        if step.request is not None:
            if step.n != self.number + 1:
                raise self.lines.bad(f"the exchange after {self.number} has the number {step.n}")
            self.number = step.n
            self._note_masks(step.n, line)
            self._requests[step.n] = line["request"]
        try:
            got = self._target.make(step)
        except Malformed as error:
            raise BadRecording(place, str(error.within("request"))) from None
        if got is not None:
            # Else there is a difference that was found already: the call did not wait.
            yield from self._compare([line], got, place)

    def _compare(self, expected: list[Line], got: list[Line], place: int) -> Iterator[DifferingStep]:
        """Compare the lines of a step; a checkpoint that comes with it is the next line of the recording."""
        if "request" not in expected[0]:
            self._note_masks(self.number, expected[0])
        for extra in got[1:]:
            if (line := self.lines.peek()) is not None and "checkpoint" in line and "checkpoint" in extra:
                self._read(line)
                self.lines.take()
                expected.append(line)
        for before, after in zip(map(_outcome, expected), map(_outcome, [*got, {}]), strict=False):
            number = before.get("n", 0)
            request = self._requests.get(number)
            differences = compare(request, before, after)
            differences += self._compare_sent(number, before, after, differences)
            if differences:
                rows = dict(self._rows(differences))
                yield DifferingStep(place, self.number, request, before, after, differences, rows)

    def _compare_sent(
        self, number: int, before: Line, after: Line, known: list[Difference]
    ) -> list[Difference]:
        """What differs besides what is known in an answer that is sent now, as it arrived."""
        is_answered = "answer" in before or before.get("withheld") == "answer"
        request = self._requests.pop(number, None) if is_answered else None
        if request is None or "answer" not in before or "answer" not in after:
            return []
        found = self._target.check_sent(number, request, before["answer"], after["answer"])
        parts = {difference.part for difference in known}
        # What follows from secrets arrives as it is.
        masks = (MASKED,) if self.meta.masked else ()
        return [each for each in found if each.part not in parts and each.expected not in masks]

    def _rows(self, differences: list[Difference]) -> Iterator[tuple[str, Any]]:
        for difference in differences:
            kind, _, name = difference.part.partition(" ")
            if kind == "row":
                row = self._target.row(*name.split(" ", 1))
                if row is not None:
                    yield difference.part, row


def _outcome(line: Line) -> Line:
    """What came of a step: what was asked is the same, but for how it was sent."""
    return {name: value for name, value in line.items() if name != "request"}
