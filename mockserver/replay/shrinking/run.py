"""A recording in memory, as the exchanges that can be made again: for exports and for shrinking."""

from io import BytesIO
from itertools import islice
from typing import BinaryIO, Literal, NamedTuple

from mockserver.replay.steps import RecordedAnswer, RecordedRequest, Step, require_step
from mockserver.server.recording.reading import Lines
from mockserver.state.saved.encoding import Line

_DRAWS = "draws/"
_ASIDE = (_DRAWS, "requests.")
"""Changes that are no data of a project: draws, and what limits and rules count."""


class Moment(NamedTuple):
    """Something that happened: a request, a part of its answer, what came after a delay, time that passed."""

    number: int
    """The exchange; 0 for time that passed."""
    kind: Literal["request", "advance", "act", "tick"]
    real_ms: int | None
    """The real time that was read."""
    request: RecordedRequest | None = None
    answer: RecordedAnswer | None = None
    """The answer, if it was made then."""
    project: str | None = None
    """The id of the project whose clock moved."""
    now_ms: int | None = None
    """What the clock of the exchange's project shows after it."""


class Run(NamedTuple):
    """What a recording holds."""

    began_at: str
    """The real time at which the recording began, in ISO 8601."""
    opening: bytes
    """The lines with the state in which it begins."""
    moments: tuple[Moment, ...]
    streams: frozenset[str]
    """The streams of random values from which it draws."""
    writes: frozenset[int]
    """The exchanges that changed rows."""

    def requests(self) -> dict[int, RecordedRequest]:
        """The requests by the number of the exchange."""
        return {each.number: each.request for each in self.moments if each.request is not None}

    def answers(self) -> dict[int, RecordedAnswer]:
        """The answers by the number of the exchange; those that the recording lacks are missing."""
        return {each.number: each.answer for each in self.moments if each.answer is not None}

    def up_to(self, number: int) -> "Run":
        """The run until this exchange is answered; IndexError if there is no such exchange."""
        places = [place for place, moment in enumerate(self.moments) if moment.number == number]
        if not places or number < 1:
            raise IndexError(number)
        kept = self.moments[: places[-1] + 1]
        return self._replace(moments=tuple(each for each in kept if each.number <= number))


def read_run(file: BinaryIO) -> Run:
    """Read a whole recording; BadRecording."""
    raw = file.read()
    lines = Lines(BytesIO(raw))
    began_at = ""
    while (line := lines.take()) is not None and "begin" not in line:
        began_at = str(line.get("meta", {}).get("at", began_at)) if "meta" in line else began_at
    if line is None:
        raise lines.bad("the recording ends before its first request")
    opening = b"".join(islice(BytesIO(raw), lines.place))
    changes = _Changes({"project"}, set())
    moments = tuple(_read_moments(lines, changes))
    return Run(began_at, opening, moments, frozenset(changes.streams), frozenset(changes.writes))


class _Changes(NamedTuple):
    """What is collected while the moments are read."""

    streams: set[str]
    writes: set[int]


def _read_moments(lines: Lines, changes: _Changes) -> list[Moment]:
    found: list[Moment] = []
    count = 0
    for line in lines:
        step = _read_step(lines, line, changes)
        if step.request is None:
            moment = _moment_of(step)
            if moment is not None:
                found.append(moment)
            continue
        count += 1
        if step.n != count:
            raise lines.bad(f"the exchange after {count - 1} has the number {step.n}")
        coming = lines.take()
        outcome = Step() if coming is None else _read_step(lines, coming, changes)
        if coming is not None and (outcome.n != step.n or outcome.request is not None):
            raise lines.bad(f"what came of exchange {step.n} is missing")
        found.append(
            Moment(step.n, "request", outcome.real_ms, step.request, outcome.answer, now_ms=outcome.now_ms)
        )
    return found


def _moment_of(step: Step) -> Moment | None:
    if step.tick is not None:
        return Moment(0, "tick", step.real_ms, project=step.tick)
    if step.acts is not None:
        return Moment(step.n, "act", step.real_ms)
    if step.answer is not None or step.slice or step.waits:
        return Moment(step.n, "advance", step.real_ms, answer=step.answer, now_ms=step.now_ms)
    return None


def _read_step(lines: Lines, line: Line, changes: _Changes) -> Step:
    step = require_step(lines, line)
    for names in step.changes.values():
        if not all(name.startswith(_ASIDE) for name in names):
            changes.writes.add(step.n)
        changes.streams.update(name.removeprefix(_DRAWS) for name in names if name.startswith(_DRAWS))
    return step
