"""Exchanges of a recording, as the journal shows its own: with secrets masked."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema
from typing_extensions import TypedDict

from mockserver.api.endpoint import find_method
from mockserver.api.wire import empty
from mockserver.kernel import timestamps
from mockserver.kernel.codec import read_base64
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.journal import ExchangeAnswer, brief_answer, payload_answers
from mockserver.state.history.event import NO_CIRCUMSTANCES, NO_STATUS, Event

recorded = ControlGroup("Recording", below="/_mock/recording")

MOST_EXCHANGES = 100


def _read_body(value: Any) -> bytes:
    try:
        if isinstance(value, str):
            return value.encode()
        return read_base64(value["base64"])
    except (KeyError, TypeError, ValueError):
        raise ValueError("must be a text, or an object with base64") from None


def _read_headers(value: Any) -> Mapping[str, str]:
    if not isinstance(value, list):
        raise ValueError("must be a list of pairs of a name and a value")
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(each, str) for each in pair):
            raise ValueError("must be a list of pairs of a name and a value")
        if not all(each.isascii() or max(each) <= "\xff" for each in pair):
            raise ValueError("has a character that is no byte")
    return {name.lower(): text for name, text in value}


RecordedBody = Annotated[
    bytes,
    BeforeValidator(_read_body),
    WithJsonSchema({"description": "A text, or an object with the `base64` of bytes that are not UTF-8."}),
]
RecordedHeaders = Annotated[
    dict[str, str],
    BeforeValidator(_read_headers),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "description": "Pairs of a name and a value.",
        }
    ),
]


class RecordedRequest(ControlBody):
    """A request, as in the file."""

    method: str
    path: str
    headers: RecordedHeaders
    query: str = ""
    body: RecordedBody = b""


class RecordedAnswer(ControlBody):
    """An answer, as in the file."""

    status: Annotated[int, Field(ge=100, le=599)]
    headers: RecordedHeaders
    body: RecordedBody = b""
    fault: str | None = None
    """What a rule made go wrong when it was sent."""


class RecordedExchange(ControlBody):
    """A request of a recording, and its answer if there is one."""

    n: Annotated[int, Field(ge=1, le=2**53 - 1)]
    request: RecordedRequest
    answer: RecordedAnswer | None = None
    """Null where the recording has none."""
    now_ms: Annotated[int, Field(ge=0, le=timestamps.LAST_MS)] = 0
    """What the clock showed."""


class ShowRecorded(ControlBody):
    """What is shown, and how."""

    exchanges: Annotated[list[RecordedExchange], Field(max_length=MOST_EXCHANGES)] = field(
        default_factory=empty
    )
    """The exchanges, in the order in which they are shown."""
    brief: bool = False
    """Leave out headers and bodies."""
    unmasked: bool = False
    """Show keys, tokens, passwords and codes too."""


class RecordedAnswers(TypedDict):
    """Exchanges as the journal shows its own, without effects."""

    data: list[ExchangeAnswer]
    """In the order in which they were given."""


@recorded.operation("POST /exchanges", "ShowRecorded")
def show_recorded(call: ControlCall[ShowRecorded, None, None]) -> RecordedAnswers:
    """Show exchanges of a recording's file as the journal does, at most 100. Nothing of them is kept."""
    body = call.body
    found = [_exchange_of(call, each) for each in body.exchanges]
    if body.brief:
        return {"data": [brief_answer(call, each, body.unmasked) for each in found]}
    return {
        "data": [
            {**brief_answer(call, each, body.unmasked), **payload_answers(call, each, body.unmasked)}
            for each in found
        ]
    }


def _exchange_of(call: ControlCall[ShowRecorded, None, None], given: RecordedExchange) -> Event:
    request, answer = given.request, given.answer
    endpoint = find_method(call.routes.find(request.path)[0], request.method)
    response_headers = {} if answer is None else answer.headers
    return Event(
        given.n,
        given.now_ms,
        "call",
        None if endpoint is None else endpoint.operation,
        NO_CIRCUMSTANCES,
        method=request.method,
        path=request.path,
        query=request.query,
        request_headers=request.headers,
        request_body=request.body,
        status=NO_STATUS if answer is None else answer.status,
        response_headers=tuple(
            (name.encode("latin-1"), text.encode("latin-1")) for name, text in response_headers.items()
        ),
        response_body=b"" if answer is None else answer.body,
        fault=None if answer is None else answer.fault,
    )
