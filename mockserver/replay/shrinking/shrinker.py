"""Shortening a run: fewer exchanges, headers and members, while a condition stays true."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import orjson

from mockserver.replay.shrinking.analysis import Analysis
from mockserver.replay.shrinking.conditions import Condition
from mockserver.replay.shrinking.filling import fill, with_body
from mockserver.replay.shrinking.links import Answers, LinkedRequest
from mockserver.replay.shrinking.places import body_of, parts_of
from mockserver.replay.shrinking.reduction import minimize
from mockserver.replay.shrinking.rerun import Rerun
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.scenario.grammar.value_tests import value_at
from mockserver.scenario.reading.tree import read_json_path
from mockserver.server.recording.lines import Sink

Kept = dict[int, LinkedRequest]
"""The requests of the exchanges that are kept, by the number of the exchange in the whole run."""


_NEEDED = frozenset({"host", "content-type", "content-length"})
"""Headers that HTTP needs, or that say what the body is."""


class OutOfTime(Exception):
    """The budget is used up."""


class Exchange(NamedTuple):
    """An exchange that was made again."""

    request: RecordedRequest
    answer: RecordedAnswer | None


def make_again(run: Run, kept: Mapping[int, LinkedRequest], sink: Sink | None = None) -> dict[int, Exchange]:
    """Make the exchanges that are kept; it ends at the first whose links lead to nothing."""
    rerun, answers, made = Rerun(run, sink), Answers(), dict[int, Exchange]()
    world = rerun.app.pipeline.world
    for step in run.steps:
        request = None
        if step.n and step.n not in kept:
            continue
        if step.request is not None:
            request = fill(kept[step.n], answers, world)
            if request is None:
                break
            made[step.n] = Exchange(request, None)
        answer = rerun.make(step, request)
        if answer is not None:
            answers.add(step.n, answer)
            made[step.n] = made[step.n]._replace(answer=answer)
    rerun.stop()
    return made


class Shrinker:
    """Shortens a run step by step; `kept` is the best so far."""

    def __init__(
        self, run: Run, analysis: Analysis, condition: Condition, is_late: Callable[[], bool]
    ) -> None:
        self._run = run.up_to(condition.number)
        self._table = analysis.table
        self.condition = condition
        self._is_late = is_late
        self.kept: Kept = {number: analysis.requests[number] for number in self._run.requests()}
        self.attempts = 0

    def shrink(self) -> None:
        """Shorten until nothing more can be left out. OutOfTime, and what interrupts it, leave the best."""
        while True:
            before = self.kept
            names = self._header_names()
            for name in names:
                self._try(self._without_header(name, self.kept))
            self._leave_out_exchanges()
            for name in names:
                self._leave_out_header(name)
            self._leave_out_members()
            if self.kept == before:
                return

    def record(self, sink: Sink) -> dict[int, Exchange]:
        """Make the best run once more, and record it."""
        return make_again(self._run, self.kept, sink)

    def shows_it(self, made: Mapping[int, Exchange]) -> bool:
        """Whether the condition holds of exchanges that were made."""
        last = made.get(self.condition.number)
        return (
            last is not None and last.answer is not None and self.condition.holds(last.request, last.answer)
        )

    def _try(self, kept: Kept) -> bool:
        """Take a shorter run if the condition still holds."""
        if self._is_late():
            raise OutOfTime
        self.attempts += 1
        is_good = self.shows_it(make_again(self._run, kept))
        if is_good:
            self.kept = kept
        return is_good

    # --- exchanges ------------------------------------------------------------------------------------

    def _leave_out_exchanges(self) -> None:
        last = self.condition.number
        others = [number for number in self.kept if number != last]
        minimize(others, lambda numbers: self._try_exchanges({*numbers, last}))

    def _try_exchanges(self, numbers: set[int]) -> bool:
        kept = {number: linked for number, linked in self.kept.items() if number in numbers}
        if any(not linked.exchanges() <= kept.keys() for linked in kept.values()):
            return False
        return self._try(kept)

    # --- headers and members --------------------------------------------------------------------------

    def _header_names(self) -> list[str]:
        """The headers that may be left out, as they are written."""
        given = [name for linked in self.kept.values() for name, _ in linked.request.headers]
        return [name for name in dict.fromkeys(given) if name.lower() not in _NEEDED]

    def _leave_out_header(self, name: str) -> None:
        given = [number for number, linked in self.kept.items() if name in dict(linked.request.headers)]
        minimize(given, lambda numbers: self._try(self._without_header(name, {*given} - {*numbers})))

    def _without_header(self, name: str, numbers: Iterable[int]) -> Kept:
        changed = {}
        for number in numbers:
            request = self.kept[number].request
            headers = tuple(pair for pair in request.headers if pair[0] != name)
            if headers != request.headers:
                changed[number] = self._table.link(request._replace(headers=headers), number)
        return self.kept | changed

    def _leave_out_members(self) -> None:
        for number in list(self.kept):
            _, *parts = parts_of("", body_of(self.kept[number].request))
            for pointer, _ in parts:
                fewer = _without(body_of(self.kept[number].request), pointer)
                if fewer is not None:
                    text = orjson.dumps(fewer).decode()
                    request = with_body(self.kept[number].request, text)
                    self._try(self.kept | {number: self._table.link(request, number)})


def _without(document: Any, pointer: str) -> Any:
    """The document, which is changed, without a member; None if it is not there."""
    *path, name = read_json_path(pointer)
    value = value_at(document, tuple(path))
    if not isinstance(value, dict) or name not in value:
        return None
    del value[name]
    return document
