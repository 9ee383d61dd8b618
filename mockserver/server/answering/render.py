"""Responses, those that are pending included; rendering of answers and errors to bytes."""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass
from urllib.parse import quote

import orjson

from mockserver.api.call import EventStream, Reply, Wait
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family
from mockserver.errors import ApiError
from mockserver.scenario.running.active_faults import ActiveFault
from mockserver.scenario.running.effects import RuleEffects
from mockserver.server.answering import envelopes
from mockserver.state.project import Project

Headers = tuple[tuple[bytes, bytes], ...]

_VISIBLE = "".join(map(chr, range(0x20, 0x7F)))

JSON: Headers = ((b"content-type", b"application/json"),)
PROBLEM: Headers = ((b"content-type", b"application/problem+json"),)
EVENTS: Headers = ((b"content-type", b"text/event-stream"), (b"cache-control", b"no-store"))


@dataclass(slots=True)
class Response:
    """An answer, ready to be sent."""

    status: int
    headers: Headers
    body: bytes
    delay_ms: int = 0
    """The delay before it is sent."""
    effects: RuleEffects | None = None
    """What a rule of a scenario did to it, and what it does to its sending."""
    project: str | None = None
    """The id of the project that answered."""
    stream: EventStream | None = None
    """The events that follow the head, instead of a body."""

    @property
    def fault(self) -> ActiveFault | None:
        """What goes wrong when it is sent."""
        return None if self.effects is None else self.effects.fault


MakeResponse = Callable[[Response | None], Generator[None, None, "Response | Pending"]]
"""Makes the response to a request that waited, or from what the wait failed with, in slices.

Or another wait, for a request that waits again.
"""


@dataclass(slots=True)
class Pending:
    """A response that waits for something, or that is made in slices because it is long."""

    project: Project
    """The project whose rows end the wait."""
    wait: Wait
    follows_clock: bool
    """Whether the wait follows the project's clock; the control API waits in real time."""
    make: MakeResponse
    slices: "Generator[None, None, Response | Pending] | None" = None
    """What is left of a response that is being made; None before the wait is over."""

    def advance(self, failed: Response | None = None) -> "Response | Pending | None":
        """Make the next slice of the response, now that the wait is over; return it when it is whole.

        Or what the request waits for next.
        """
        if self.slices is None:
            self.slices = self.make(failed)
        try:
            next(self.slices)
        except StopIteration as end:
            outcome: Response | Pending = end.value
            return outcome
        return None

    def finish(self) -> Response:
        """Make the response at once."""
        while (outcome := self.advance()) is None:
            pass
        return outcome.finish() if isinstance(outcome, Pending) else outcome


def without_body(response: Response) -> Response:
    """The answer to a HEAD: the headers of that to a GET, with the length of its body (RFC 9110, 9.3.2)."""
    length = () if response.status == 204 else ((b"content-length", str(len(response.body)).encode()),)
    return Response(response.status, (*response.headers, *length), b"", response.delay_ms)


def to_json(value: object) -> bytes:
    """Serialize to JSON. Integers beyond 64 bits, which orjson rejects, are written exactly.

    Dataclasses are written as objects, NaN and infinities as null.
    """
    try:
        # A copy: what orjson returns holds on to its buffer of 4 KiB, and the journal keeps every answer.
        return bytes(memoryview(orjson.dumps(value)))
    except TypeError:
        # json.dumps writes NaN and Infinity as such. The search may hit a text, too, which only costs time.
        text = _write_json(value)
        if "NaN" in text or "Infinity" in text:
            text = _write_json(json.loads(text, parse_constant=lambda name: None))
        # A lone surrogate, which JSON escapes can carry but UTF-8 cannot, becomes a question mark.
        return text.encode("utf-8", "replace")


def fragment_of(value: object) -> object:
    """JSON that is part of a value to serialize later."""
    return orjson.Fragment(to_json(value))


def _write_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=asdict)


def encode_headers(headers: tuple[tuple[str, str], ...]) -> Headers:
    """Encode headers; all but visible ASCII is percent-encoded, which prevents header injection."""
    # A value may come from a request, such as a redirect URL: CR and LF would start another header.
    return tuple((name.lower().encode(), quote(value, safe=_VISIBLE).encode()) for name, value in headers)


def error_response(found: ApiError, family: Family, docs: str | None = None) -> Response:
    """An error in the envelope of its family. A problem says where to read on (`docs`)."""
    row = found.row
    given = found.headers or ()
    headers = encode_headers(tuple(given.items()) if isinstance(given, Mapping) else given)
    envelope = _ENVELOPES.get(family.envelope)
    if envelope is None:
        return Response(row.status, PROBLEM + headers, to_json(_problem(found, docs)))
    if row.mock_only:
        # Problem details plus the members of the family's envelope, so that its clients can show the message.
        return Response(row.status, PROBLEM + headers, to_json({**_problem(found, docs), **envelope(found)}))
    return Response(row.status, JSON + headers, to_json(envelope(found)))


def _iam_error(found: ApiError) -> envelopes.AuthError:
    return {"code": found.code.upper(), "message": found.message}


def _api_error(found: ApiError) -> envelopes.ApiError:
    error: envelopes.ErrorMembers = {
        "type": "invalid_request_error",
        "message": found.message,
        "code": envelopes.code_of("ApiError", found.row),
    }
    if found.param is not None:
        error["param"] = found.param
    if found.details:
        error["details"] = found.details
    if found.authorization_code is not None:
        error["authorizationCode"] = found.authorization_code
    return {"error": error}


_ENVELOPES: Mapping[str, Callable[[ApiError], Mapping[str, object]]] = {
    "ApiError": _api_error,
    "AuthError": _iam_error,
}


def _problem(found: ApiError, docs: str | None) -> envelopes.Problem:
    row = found.row
    problem: envelopes.Problem = {
        "type": f"urn:mockserver:{row.problem}",
        "title": row.code.replace("_", " ").capitalize(),
        "status": row.status,
        "detail": found.message,
    }
    if docs is not None:
        problem["docs"] = docs
    if found.param is not None:
        problem["param"] = found.param
    if found.details:
        problem["errors"] = found.details
    return problem


def response_of(endpoint: Endpoint, outcome: object) -> Response:
    """The response to a handler's return value."""
    if isinstance(outcome, Reply):
        if isinstance(outcome.body, bytes):
            return Response(outcome.status, encode_headers(outcome.headers), outcome.body)
        body = b"" if outcome.body is None and outcome.status in (204, 302) else to_json(outcome.body)
        headers = encode_headers(outcome.headers)
        return Response(outcome.status, JSON + headers if body else headers, body)
    if outcome is None and endpoint.status == 204:
        return Response(204, (), b"")
    if isinstance(outcome, EventStream):
        return Response(endpoint.status, EVENTS, b"", stream=outcome)
    return Response(endpoint.status, JSON, to_json(outcome))


def placeholder(endpoint: Endpoint) -> Response:
    """What a fault spoils when the handler is not called: a success without anything in it."""
    if endpoint.status == 204:
        return Response(204, (), b"")
    return Response(endpoint.status, JSON, b"{}")
