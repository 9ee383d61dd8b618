"""What is to stay true of a run while it is shortened."""

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockserver.api.endpoint import Endpoint
from mockserver.errors import is_error
from mockserver.kernel.spelling import say_unknown
from mockserver.replay.comparison import Difference, compare_answers
from mockserver.replay.shrinking.links import LinkTable
from mockserver.replay.shrinking.places import body_of, parts_of
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.answering.envelopes import find_code
from mockserver.server.assembly import ROUTES
from mockserver.state.saved.encoding import Line

_ANSWERS = re.compile(
    r"(?:status (?P<status>[1-5][0-9][0-9]))?(?: ?code (?P<code>[A-Za-z0-9_-]+))?"
    r"(?: ?(?P<pointer>/\S*) (?P<value>.+))?"
    r" at (?:exchange (?P<number>[1-9][0-9]*)|(?P<operation>[A-Za-z0-9]+))"
)
_DIFFERS = re.compile(r"exchange (?P<number>[1-9][0-9]*) differs")


class BadCondition(ValueError):
    """The text is no condition; the message says why."""


class NotShown(ValueError):
    """Nothing in the run meets the condition; the message says what."""


class AnswersWith(NamedTuple):
    """An exchange is answered with this status, this code of an error and, if there is one, this member."""

    number: int
    operation: str | None
    status: int
    code: str | None
    member: tuple[str, str] | None = None
    """A JSON pointer, and the value there as text."""

    def holds(self, request: RecordedRequest, answer: RecordedAnswer) -> bool:
        """Whether this answer of the exchange shows it."""
        shown = operation_of(request), answer.status, code_of(answer)
        return shown == (self.operation, self.status, self.code) and has_member(answer, self.member)

    def __str__(self) -> str:
        code = f" code {self.code}" if self.code else ""
        member = f" {' '.join(self.member)}" if self.member else ""
        operation = self.operation or "an unknown path"
        return f"status {self.status}{code}{member} at {operation} (exchange {self.number})"


class Differs(NamedTuple):
    """An exchange is answered otherwise than it was recorded, in the same parts and in the same way."""

    number: int
    recorded: RecordedAnswer
    differences: tuple[Difference, ...]
    table: LinkTable

    def holds(self, request: RecordedRequest, answer: RecordedAnswer) -> bool:
        """Whether this answer of the exchange shows it."""
        now = {each.part: each.got for each in find_differences(request, self.recorded, answer)}
        return all(
            each.part in now and (now[each.part] == each.got or self._is_drawn(each.got))
            for each in self.differences
        )

    def _is_drawn(self, value: object) -> bool:
        return isinstance(value, str) and self.table.find(value) is not None

    def __str__(self) -> str:
        parts = ", ".join(each.part for each in self.differences[:3])
        return f"exchange {self.number} differs in {parts}"


Condition = AnswersWith | Differs
"""What one exchange of the run is to show."""


def find_condition(
    text: str | None, run: Run, now: Mapping[int, RecordedAnswer], table: LinkTable
) -> Condition:
    """The condition of a text, pinned to the last exchange that meets it; BadCondition, NotShown.

    Without a text it is the last answer that is an error. `now` has the answers of this version.
    """
    if text is None:
        words = "is an error; another one is named, such as --while '/status reverted at CreateTransaction'"
        return _pin(run, now, lambda number, request, answer: is_error(answer.status), words)
    if match := _DIFFERS.fullmatch(text):
        return _find_difference(int(match["number"]), run, now, table)
    match = _ANSWERS.fullmatch(text)
    if match is None or not (match["status"] or match["code"] or match["pointer"]):
        raise BadCondition(
            f"{text!r} is no condition: 'status 409 at CreateTransaction', 'code invalid_json at exchange 7',"
            " 'status 400 code invalid_json at CreateUser', '/status reverted at CreateTransaction' or"
            " 'exchange 17 differs'"
        )
    return _find_answer(match, run, now)


def _find_answer(match: re.Match[str], run: Run, now: Mapping[int, RecordedAnswer]) -> Condition:
    operation = match["operation"]
    if operation is not None and operation not in ROUTES.by_operation:
        raise BadCondition(say_unknown("an operation", operation, ROUTES.by_operation))
    number, status = match["number"], match["status"]
    member = (match["pointer"], match["value"]) if match["pointer"] else None

    def meets(asked: int, request: RecordedRequest, answer: RecordedAnswer) -> bool:
        return (
            (number is None or asked == int(number))
            and (status is None or answer.status == int(status))
            and (match["code"] is None or code_of(answer) == match["code"])
            and (operation is None or operation_of(request) == operation)
            and has_member(answer, member)
        )

    return _pin(run, now, meets, f"meets {match[0]!r}", member)


def _pin(
    run: Run,
    now: Mapping[int, RecordedAnswer],
    meets: Callable[[int, RecordedRequest, RecordedAnswer], bool],
    words: str,
    member: tuple[str, str] | None = None,
) -> AnswersWith:
    for number, request in reversed(run.requests().items()):
        answer = now.get(number)
        if answer is not None and meets(number, request, answer):
            return AnswersWith(number, operation_of(request), answer.status, code_of(answer), member)
    raise NotShown(f"no answer of the run {words}")


def _find_difference(number: int, run: Run, now: Mapping[int, RecordedAnswer], table: LinkTable) -> Condition:
    recorded, request = run.answers().get(number), run.requests().get(number)
    if recorded is None or request is None or number not in now:
        raise NotShown(f"there is no exchange {number} with an answer")
    differences = find_differences(request, recorded, now[number])
    if not differences:
        raise NotShown(f"exchange {number} does not differ")
    return Differs(number, recorded, tuple(differences), table)


def find_differences(
    request: RecordedRequest, expected: RecordedAnswer, got: RecordedAnswer
) -> list[Difference]:
    """What differs between two answers to a request, apart from what a replay does not compare."""
    return list(compare_answers(request.path, _line(expected), _line(got)))


def _line(answer: RecordedAnswer) -> Line:
    # A recording leaves out what is empty or none.
    found = answer._asdict() | {"headers": [list(pair) for pair in answer.headers]}
    return {name: value for name, value in found.items() if value not in ("", 0, None)}


def endpoint_of(request: RecordedRequest) -> Endpoint | None:
    """What a request is answered by; None for a path or a method that there is not."""
    return ROUTES.find(request.path)[0].get(request.method)


def operation_of(request: RecordedRequest) -> str | None:
    """The id of the operation that a request calls; None for a path that there is not."""
    endpoint = endpoint_of(request)
    return None if endpoint is None else endpoint.operation


def code_of(answer: RecordedAnswer) -> str | None:
    """The code of an error, in either envelope; None for other answers."""
    return find_code(body_of(answer)) if is_error(answer.status) else None


def has_member(answer: RecordedAnswer, member: tuple[str, str] | None) -> bool:
    """Whether the JSON of an answer has this text, or what JSON writes so, at this pointer; None: always."""
    if member is None:
        return True
    pointer, wanted = member
    return any(
        place == pointer and wanted == (value if isinstance(value, str) else json.dumps(value))
        for place, value in parts_of("", body_of(answer))
    )
