"""What a client did otherwise in another run, by the recordings of both."""

from collections.abc import Callable, Iterator
from itertools import count, groupby, zip_longest
from typing import Any, NamedTuple, TypeVar

from mockserver.kernel.spelling import printable
from mockserver.replay.comparison import ABSENT, Difference, compare_bodies
from mockserver.replay.report import lines_of_difference
from mockserver.replay.shrinking.conditions import code_of, endpoint_of, find_differences
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.answering.routing import find_rpc_method
from mockserver.server.assembly import ROUTES

_T = TypeVar("_T")

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
    for is_same, groups, other_groups in _align(one, other, lambda calls: calls[0].name):
        if is_same:
            # What asks the same, and between that by order.
            for _, calls, others in _align(groups[0], other_groups[0], _asked):
                yield from zip_longest(calls, others)
        else:
            yield from ((call, None) for calls in groups for call in calls)
            yield from ((None, call) for calls in other_groups for call in calls)


def _asked(call: Exchange) -> str:
    return repr((call.request.path, call.request.query, call.request.body))


def _align(
    one: list[_T], other: list[_T], name_of: Callable[[_T], str]
) -> Iterator[tuple[bool, list[_T], list[_T]]]:
    """What both have under the same name, each by itself, and what is between, in order."""
    done = 0, 0
    for place, other_place in _common_places([*map(name_of, one)], [*map(name_of, other)]):
        yield False, one[done[0] : place], other[done[1] : other_place]
        done = place + 1, other_place + 1
        yield True, one[place : done[0]], other[other_place : done[1]]
    yield False, one[done[0] :], other[done[1] :]


def _common_places(one: list[str], other: list[str]) -> list[tuple[int, int]]:
    """Where the longest sequence that two have in common is in each.

    By the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", whose time
    grows with the differences: `difflib` takes minutes for long runs of few operations.
    """
    common = {*one} & {*other}
    mine, theirs = ([n for n, name in enumerate(run) if name in common] for run in (one, other))
    # By diagonal: how far one gets on it, and the places on the way, the last ones first.
    furthest: dict[int, tuple[int, tuple[Any, ...]]] = {1: (0, ())}
    unreached: tuple[int, tuple[Any, ...]] = (-1, ())
    for steps in count():
        for diagonal in range(-steps, steps + 1, 2):
            down = furthest.get(diagonal + 1, unreached)
            right = furthest.get(diagonal - 1, unreached)
            end, places = down if down[0] > right[0] else (right[0] + 1, right[1])
            while end < len(mine) and end - diagonal < len(theirs):
                place, other_place = mine[end], theirs[end - diagonal]
                if one[place] != other[other_place]:
                    break
                places = ((place, other_place), places)
                end += 1
            furthest[diagonal] = end, places
            if end >= len(mine) and end - diagonal >= len(theirs):
                found = []
                while places:
                    last, places = places
                    found.append(last)
                return found[::-1]
    raise AssertionError


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
    for found in compare_bodies(one.request.body, other.request.body):
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
