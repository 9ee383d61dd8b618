"""What a client did otherwise in another run, by the recordings of both."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import NamedTuple

from mockserver.kernel.spelling import printable
from mockserver.replay.comparison import ABSENT, Difference, compare_values
from mockserver.replay.report import lines_of_difference
from mockserver.replay.shrinking.conditions import code_of, endpoint_of, find_differences
from mockserver.replay.shrinking.places import body_of
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.answering.routing import find_rpc_method
from mockserver.server.assembly import ROUTES

_MOST_DETAILS = 3
"""So many calls that differ are shown with what differs."""
_MOST_PARTS = 10
_MOST_SHOWN = 30


class Exchange(NamedTuple):
    """An exchange of a run, by what it calls."""

    name: str
    """The operation, of JSON-RPC the method; where there is neither, method and path."""
    number: int
    request: RecordedRequest
    answer: RecordedAnswer | None
    """None where the recording ended before."""


Divergence = tuple[str, list[Difference]]
"""What one run did, and the other did not, or did otherwise: a headline, and the parts."""


def find_divergences(before: Run, after: Run, names: tuple[str, str]) -> Iterator[Divergence]:
    """What differs between two runs, whose recordings have these names, in the order of their calls."""
    for pair in _pair([*_exchanges(before)], [*_exchanges(after)]):
        match pair:
            case (Exchange() as one, Exchange() as other):
                if found := [*_compare(one, other)]:
                    parts = ", ".join(each.part for each in found[:3])
                    number = (
                        f"{one.number}" if one.number == other.number else f"{one.number} ({other.number})"
                    )
                    yield f"exchange {number}: {one.name} differs in {parts}", found
            case (Exchange() as call, None) | (None, Exchange() as call):
                name = names[pair[0] is None]
                said = f"only in {name}: exchange {call.number}, {call.name}, {_outcome_of(call)}"
                yield said, []


def _exchanges(run: Run) -> Iterator[Exchange]:
    answers = run.answers()
    for number, request in run.requests().items():
        endpoint = endpoint_of(request)
        if endpoint is None:
            name = f"{request.method} {request.path}"
        else:
            name = find_rpc_method(ROUTES, endpoint, request.to_request()).operation
        yield Exchange(name, number, request, answers.get(number))


def _pair(first: list[Exchange], second: list[Exchange]) -> Iterator[tuple[Exchange | None, Exchange | None]]:
    """The calls of two runs side by side, by what they call and in which order."""
    # A poll is repeated as often as it takes: repetitions are paired as far as both runs have them.
    one, other = ([[*calls] for _, calls in groupby(run, lambda call: call.name)] for run in (first, second))
    matcher = SequenceMatcher(None, [each[0].name for each in one], [each[0].name for each in other], False)
    for kind, *places in matcher.get_opcodes():
        begin, end, other_begin, other_end = places
        if kind == "equal":
            for calls, others in zip(one[begin:end], other[other_begin:other_end], strict=True):
                yield from zip_longest(calls, others)
        else:
            yield from ((call, None) for calls in one[begin:end] for call in calls)
            yield from ((None, call) for calls in other[other_begin:other_end] for call in calls)


def _compare(one: Exchange, other: Exchange) -> Iterator[Difference]:
    """What was asked and answered otherwise. Of the headers of requests only names count."""
    for part in ("method", "path", "query"):
        values = getattr(one.request, part), getattr(other.request, part)
        if values[0] != values[1]:
            yield Difference(f"request {part}", *values)
    sent, now = ({name.lower() for name, _ in each.request.headers} for each in (one, other))
    for name in sorted(sent ^ now):
        yield Difference(
            f"request header {name}", *("sent" if name in has else ABSENT for has in (sent, now))
        )
    for found in compare_values("", body_of(one.request), body_of(other.request)):
        yield found._replace(part=f"request {found.part}")
    outcomes = _outcome_of(one), _outcome_of(other)
    if outcomes[0] != outcomes[1]:
        yield Difference("answer", *outcomes)
    elif one.answer is not None and other.answer is not None:
        yield from find_differences(one.request, one.answer, other.answer)


def _outcome_of(call: Exchange) -> str:
    """The status, and of an error its code."""
    if call.answer is None:
        return "none"
    return " ".join(filter(None, (str(call.answer.status), code_of(call.answer))))


def lines_of(found: list[Divergence]) -> Iterator[str]:
    """What a terminal shows: the first differences in full, more in a line each."""
    for place, (headline, differences) in enumerate(found[:_MOST_SHOWN]):
        yield printable(headline)
        for difference in differences[:_MOST_PARTS] if place < _MOST_DETAILS else ():
            yield from map(printable, lines_of_difference(difference))
    if len(found) > _MOST_SHOWN:
        yield f"… and {len(found) - _MOST_SHOWN} more"
    yield f"calls that differ: {len(found) or 'none'}"
