"""A recording in memory, as the exchanges that can be made again: for exports and for shrinking."""

from io import BytesIO
from typing import BinaryIO, NamedTuple

from mockserver.replay.loading import load
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, Step, require_step
from mockserver.server.recording.reading import Lines
from mockserver.server.recording.stepper import ReplayTime

_DRAWS = "draws/"
COUNTED = ("requests.", "wallets.spent_tokens")
"""The tables that are no data of a project: what limits and rules count, and tokens that serve once."""
_ASIDE = (_DRAWS, *COUNTED)


class Run(NamedTuple):
    """What a recording holds."""

    began_at: str
    """The real time at which the recording began, in ISO 8601."""
    opening: bytes
    """The lines with the state in which it begins."""
    steps: tuple[Step, ...]
    """The requests, the calls that went on, and the ticks, in order."""
    streams: frozenset[str]
    """The streams of random values from which it draws."""
    writes: frozenset[int]
    """The exchanges that changed rows."""
    source: str = "mockserver"
    """What answered: `upstream` for a real service."""
    is_cut: bool = False
    """Whether the recording has no end: more may have happened than is in it."""

    def requests(self) -> dict[int, RecordedRequest]:
        """The requests by the number of the exchange."""
        return {step.n: step.request for step in self.steps if step.request is not None}

    def answers(self) -> dict[int, RecordedAnswer]:
        """The answers by the number of the exchange; those that the recording lacks are missing."""
        return {step.n: step.answer for step in self.steps if step.answer is not None}

    def up_to(self, number: int) -> "Run":
        """The run until this exchange is answered; IndexError if there is no such exchange."""
        places = [place for place, step in enumerate(self.steps) if step.n == number]
        if not places or number < 1:
            raise IndexError(number)
        kept = self.steps[: places[-1] + 1]
        return self._replace(steps=tuple(step for step in kept if step.n <= number))


def read_run(file: BinaryIO) -> Run:
    """Read a whole recording; BadRecording."""
    raw = file.read()
    lines = Lines(BytesIO(raw))
    # What it begins with is looked at as a whole, also where only the requests are needed.
    meta, _, _ = load(lines, ReplayTime().real_ms)
    opening = Lines(BytesIO(raw)).read_opening()
    steps: list[Step] = []
    streams, writes, count, is_cut = {"project"}, set[int](), 0, True
    for line in lines:
        step = require_step(lines, line)
        if step.withheld is not None and step.request is None and not step.resume:
            raise lines.bad(f"exchange {step.n} was withheld, since it has a secret; replay what came before")
        for names in step.changes.values():
            if not all(name.startswith(_ASIDE) for name in names):
                writes.add(step.n)
            streams.update(name.removeprefix(_DRAWS) for name in names if name.startswith(_DRAWS))
        if step.request is not None:
            count += 1
            if step.n != count:
                raise lines.bad(f"the exchange after {count - 1} has the number {step.n}")
        if step.request is not None or step.resume or step.tick is not None:
            steps.append(step)
        is_cut = step.end is None
    return Run(meta.at, opening, tuple(steps), frozenset(streams), frozenset(writes), meta.source, is_cut)
