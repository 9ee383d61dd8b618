"""Answers of a recording: which one a request gets, and what was not asked for."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from mockserver import errors
from mockserver.api.call import Request
from mockserver.errors import ApiError
from mockserver.replay.comparison import Difference
from mockserver.replay.serving.matching import (
    Form,
    Matching,
    differ_in_placeholders,
    differences,
    find_nearest,
    form_of,
)
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, require_step
from mockserver.server.recording.reading import BadRecording, Lines

_OF_CONNECTIONS = frozenset(
    {"connection", "content-encoding", "content-length", "date", "keep-alive", "transfer-encoding"}
)
"""Headers that are about how an answer was sent, which the proxy of a real service records, too."""
_MOST_BYTES = 512 * 1024 * 1024
"""How much of a recording is held in memory: longer ones are refused."""


class PlayedExchange(NamedTuple):
    """An exchange of a recording that answers requests."""

    number: int
    request: RecordedRequest
    form: Form
    answer: RecordedAnswer

    @property
    def title(self) -> str:
        """The method and the target of the request."""
        query = f"?{self.request.query}" if self.request.query else ""
        return f"{self.request.method} {self.request.path}{query}"

    @property
    def headers(self) -> Iterator[tuple[bytes, bytes]]:
        """Those of the answer; the length only of a body that was left out."""
        for name, value in self.answer.headers:
            is_length = name.lower() == "content-length" and self.request.method == "HEAD"
            if is_length or name.lower() not in _OF_CONNECTIONS:
                yield name.lower().encode("latin-1"), value.encode("latin-1")


class Playback:
    """The answers of a recording, each of which is given once."""

    def __init__(self, lines: Lines, matching: Matching) -> None:
        self._matching = matching
        self._exchanges = {each.number: each for each in read_exchanges(lines, matching)}
        self._coming: dict[bytes, list[PlayedExchange]] = {}
        for each in self._exchanges.values():
            self._coming.setdefault(each.form.key, []).append(each)
        self._masked = {key: rows[0].form for key, rows in self._coming.items() if rows[0].form.is_masked}
        self._last: dict[bytes, PlayedExchange] = {}
        self._unused = dict(self._exchanges)
        self.refused: list[str] = []
        """Why requests were refused, first to last."""
        self.refusals = 0

    def take(self, request: Request) -> PlayedExchange:
        """The recorded exchange of a request; ApiError for one that is not in the recording, or no more."""
        form = form_of(request, self._matching.ignored)
        try:
            found = self._take_next(form) if self._matching.strict_order else self._take_equal(form)
        except ApiError as error:
            self.refusals += 1
            if len(self.refused) < 100:
                self.refused.append(f"{request.method} {request.path}: {error.message}")
            raise
        self._unused.pop(found.number, None)
        return found

    def unused(self) -> list[PlayedExchange]:
        """The exchanges that no request asked for, in their order."""
        return [*self._unused.values()]

    def summary(self) -> Iterator[str]:
        """What was refused, the first request first, and then what was not asked for."""
        for reason in self.refused:
            yield f"refused {reason}"
        if self.refusals > len(self.refused):
            yield f"and {self.refusals - len(self.refused)} more"
        for each in self.unused():
            yield f"exchange {each.number} was not asked for: {each.title}"

    def _take_next(self, form: Form) -> PlayedExchange:
        expected = next(iter(self._unused.values()), None)
        if expected is None:
            raise ApiError(errors.PLAYBACK_EXHAUSTED, number=max(self._exchanges, default=0))
        found = list(differences(expected.form, form))
        if found and not differ_in_placeholders(expected.form, form):
            raise ApiError(
                errors.PLAYBACK_ORDER,
                number=expected.number,
                differences=_told(found),
                details=_details(found),
            )
        return expected

    def _take_equal(self, form: Form) -> PlayedExchange:
        key = self._find_key(form)
        coming = self._coming.get(key)
        if coming:
            self._last[key] = coming[0]
            return coming.pop(0)
        last = self._last.get(key)
        if last is None:
            raise self._unknown(form)
        if self._matching.repeat_last:
            return last
        raise ApiError(errors.PLAYBACK_EXHAUSTED, number=last.number)

    def _find_key(self, form: Form) -> bytes:
        """The key of the recorded requests that are meant: equal ones, or the first if masked."""
        asked = form.key
        if self._coming.get(asked):
            return asked
        alike = [key for key, masked in self._masked.items() if differ_in_placeholders(masked, form)]
        left = [key for key in alike if self._coming[key]]
        if left:
            return min(left, key=lambda key: self._coming[key][0].number)
        return asked if asked in self._last or not alike else alike[-1]

    def _unknown(self, form: Form) -> ApiError:
        nearest = find_nearest(form, ((each.number, each.form) for each in self._exchanges.values()))
        if nearest is None:
            return ApiError(errors.PLAYBACK_EMPTY)
        number, found = nearest
        return ApiError(
            errors.PLAYBACK_UNKNOWN, number=number, differences=_told(found), details=_details(found)
        )


def _told(found: list[Difference]) -> str:
    return ", ".join(each.part for each in found[:5])


def _details(found: list[Difference]) -> dict[str, Any]:
    return {
        each.part: {"message": f"is {each.got!r:.200}, and was {each.expected!r:.200} when it was recorded"}
        for each in found[:20]
    }


def read_exchanges(lines: Lines, matching: Matching) -> Iterator[PlayedExchange]:
    """The exchanges of a recording that have an answer, in order. BadRecording."""
    asked: dict[int, RecordedRequest] = {}
    size = 0
    for line in lines:
        if not ("request" in line or "answer" in line):
            continue
        step = require_step(lines, line)
        size += sum(len(str(given.body)) for given in (step.request, step.answer) if given is not None)
        if size > _MOST_BYTES:
            raise BadRecording(lines.place, f"the bodies are larger than {_MOST_BYTES} bytes together")
        if step.request is not None:
            asked[step.n] = step.request
        if step.answer is not None:
            request = asked.pop(step.n, None)
            if request is None:
                raise lines.bad(f"exchange {step.n} has no request")
            yield PlayedExchange(
                step.n, request, form_of(request.to_request(), matching.ignored), step.answer
            )
