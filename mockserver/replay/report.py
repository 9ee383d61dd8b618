"""What a replay found, for people and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mockserver.kernel.spelling import printable
from mockserver.replay.comparison import Difference
from mockserver.replay.player import DifferingStep
from mockserver.state.saved.encoding import Line
from mockserver.version import __version__

_LONGEST = 500
_MOST_KEPT = 100


class Report(NamedTuple):
    """The result of a replay."""

    file: str
    recorded_with: str
    exchanges: int = 0
    """How many were replayed."""
    differing: int = 0
    """How many steps differ."""
    found: Sequence[DifferingStep] = ()
    """The first of them."""
    unanswered: int | None = None
    """The exchange whose answer the recording lacks."""
    torn: bool = False
    """Whether the last line of the recording is torn."""
    cut: bool = False
    """Whether the recording has no end."""
    masked: int = 0
    """How many values are compared by their placeholders only."""
    withheld: int = 0
    """How many lines are not compared, since they were withheld."""
    not_repeatable_from: int | None = None
    """The exchange from which on a masked recording cannot be repeated."""
    changelog: Sequence[str] = ()
    """The entries of the changelog since the version of the recording, if there are differences."""

    def to_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        told = self._asdict() | {"replayed_with": __version__, "changelog": [*self.changelog]}
        steps = [
            step._asdict() | {"differences": [each._asdict() for each in step.differences]}
            for step in self.found
        ]
        return told | {"found": steps}

    def lines(self) -> Iterator[str]:
        """The report as text: the first difference in full, the others in a line each."""
        for place, found in enumerate(self.found):
            yield from map(printable, (_headline(found), *(_details(found) if place == 0 else ())))
        if self.unanswered is not None:
            yield f"exchange {self.unanswered} has no answer in the recording: it ended before"
        if self.torn:
            yield "the last line of the recording is torn; it was left out"
        if self.cut:
            yield "the recording has no end: more may have happened than is in the file"
        if self.masked or self.withheld:
            lines = f"; {self.withheld} lines were withheld and not compared" if self.withheld else ""
            yield f"{self.masked} masked values were not compared, only their placeholders{lines}"
        if self.not_repeatable_from is not None:
            first = f"exchange {self.not_repeatable_from} cannot be repeated from here"
            yield f"{first}: it depends on a key, a signature or a line that masking took out"
        if self.changelog:
            yield f"recorded with mockserver {self.recorded_with}, replayed with {__version__}; in between:"
            yield from (f"  {line}" for line in self.changelog)
        yield f"{self.exchanges} exchanges replayed, {self.differing or 'none'} differ"


def add(report: Report, step: DifferingStep) -> Report:
    """The report with one more difference; of very many only the first are kept."""
    kept = [*report.found, step] if len(report.found) < _MOST_KEPT else report.found
    return report._replace(differing=report.differing + 1, found=kept)


def _headline(step: DifferingStep) -> str:
    asked = "" if step.request is None else f": {step.request['method']} {_target(step.request)}"
    where = f"exchange {step.exchange} (line {step.line})" if step.exchange else "the beginning"
    parts = ", ".join(each.part for each in step.differences[:3])
    return f"{where}{asked} differs in {parts}"


def _target(request: Line) -> str:
    return f"{request['path']}?{request['query']}" if request.get("query") else str(request["path"])


def _details(step: DifferingStep) -> Iterator[str]:
    for difference in step.differences:
        yield from lines_of_difference(difference)
    for name, row in step.rows.items():
        yield f"  {name} is now {_shown(row)}"
    expected, got = (line.get("answer") for line in (step.expected, step.got))
    for title, message in (("request", step.request), ("expected", expected), ("got", got)):
        if message is not None:
            yield f"{title}:"
            yield from _message(message)


def lines_of_difference(difference: Difference) -> Iterator[str]:
    """A part that differs, with both values, each on a line."""
    yield f"  {difference.part}"
    yield f"    expected {_shown(difference.expected)}"
    yield f"    got      {_shown(difference.got)}"


def _message(message: Line) -> Iterator[str]:
    """A request or an answer, as HTTP has it."""
    yield f"  {message['method']} {_target(message)}" if "method" in message else f"  {message['status']}"
    yield from (f"  {name}: {value}" for name, value in message["headers"])
    if message.get("body"):
        yield f"  {_shown(message['body'])}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
