"""Responses, and rendering of answers and errors to bytes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from mockserver import errors
from mockserver.api.call import Headers, Parts, RawHeaders, Reply
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family
from mockserver.api.values import is_notification, rpc_member, to_json
from mockserver.errors import ApiError, RpcError
from mockserver.server.answering import envelopes
from mockserver.state.history.event import Event
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.scenario.running.active_faults import ActiveFault

_VISIBLE = "".join(map(chr, range(0x20, 0x7F)))

JSON: RawHeaders = ((b"content-type", b"application/json"),)
PROBLEM: RawHeaders = ((b"content-type", b"application/problem+json"),)
Docs = Callable[[], str]
"""Makes the link to where to read on: few errors have it, and it takes as long as the rest of one."""


@dataclass(slots=True)
class Response:
    """An answer, ready to be sent."""

    status: int
    headers: RawHeaders
    body: bytes
    project: Project | None = None
    """The project that answered."""
    rule: str | None = None
    """The rule of a scenario that decided about it, in ASCII."""
    fault: "ActiveFault | None" = None
    """What goes wrong when it is sent."""
    delay_ms: int = 0
    """How long a rule held it up in real time."""
    parts: Parts | None = None
    """What follows the head instead of the body, or is waited for before a fault ends the connection."""
    protocol: str | None = None
    """The protocol in which a library answers instead (see `Reply`)."""
    event: Event | None = field(default=None, compare=False)
    """What the journal has of the call."""


def without_body(response: Response) -> Response:
    """The answer to a HEAD: the headers of that to a GET, with the length of its body (RFC 9110, 9.3.2)."""
    length = () if response.status == 204 else ((b"content-length", str(len(response.body)).encode()),)
    return replace(response, headers=(*response.headers, *length), body=b"", parts=None)


def encode_headers(headers: Headers) -> RawHeaders:
    """Encode headers; all but visible ASCII is percent-encoded, which prevents header injection."""
    # A value may come from a request, such as a redirect URL: CR and LF would start another header.
    return tuple((name.lower().encode(), quote(value, safe=_VISIBLE).encode()) for name, value in headers)


def error_response(error: ApiError, family: Family, docs: Docs | None = None, body: bytes = b"") -> Response:
    """An error in the envelope of its family. A problem says where to read on (`docs`).

    One of JSON-RPC has the id of the request in `body`.
    """
    row = error.row
    if family.is_rpc:
        return rpc_error_response(error, body, docs)
    headers = _headers_of(error)
    envelope = _ENVELOPES.get(family.envelope)
    if envelope is None:
        return Response(row.status, PROBLEM + headers, to_json(_problem(error, docs)))
    if row.mock_only:
        # Problem details plus the members of the family's envelope, so that its clients can show the message.
        return Response(row.status, PROBLEM + headers, to_json({**_problem(error, docs), **envelope(error)}))
    return Response(row.status, JSON + headers, to_json(envelope(error)))


def rpc_error_response(error: ApiError, body: bytes, docs: Docs | None = None) -> Response:
    """An error of JSON-RPC, with the id of the request in a body. One of the mock says where to read on."""
    row = error.row
    members: envelopes.RpcErrorMembers = {"code": envelopes.rpc_code_of(row), "message": error.message}
    data = error.data if isinstance(error, RpcError) else error.details
    if row.mock_only and docs is not None:
        data = {"docs": docs()}
    if data is not None:
        members["data"] = data
    answer: envelopes.RpcError = {"jsonrpc": "2.0", "id": rpc_member(body, "id"), "error": members}
    # What is wrong with a request is said with 200, who may not ask, or too often, by the status.
    is_answer = row.status in (400, 404, 409) and row is not errors.UNKNOWN_PATH
    status = 200 if is_answer else row.status
    is_read = answer["id"] is None and status == 200 and row is not errors.RPC_INVALID_REQUEST
    if is_read and is_notification(body):
        return Response(status, _headers_of(error), b"")
    return Response(status, JSON + _headers_of(error), to_json(answer))


def _headers_of(error: ApiError) -> RawHeaders:
    given = error.headers or ()
    return encode_headers(tuple(given.items()) if isinstance(given, Mapping) else given)


def _api_error(error: ApiError) -> envelopes.ApiErrorBody:
    members: envelopes.ErrorMembers = {
        "type": "invalid_request_error",
        "message": error.message,
        "code": envelopes.code_of("ApiErrorBody", error.row),
    }
    if error.param is not None:
        members["param"] = error.param
    if error.details:
        members["details"] = error.details
    if error.authorization_code is not None:
        members["authorizationCode"] = error.authorization_code
    return {"error": members}


_ENVELOPES: Mapping[str, Callable[[ApiError], Mapping[str, object]]] = {
    "ApiErrorBody": _api_error,
    "AuthError": lambda error: {"code": error.code.upper(), "message": error.message},
}


def _problem(error: ApiError, docs: Docs | None) -> envelopes.Problem:
    row = error.row
    problem: envelopes.Problem = {
        "type": f"urn:mockserver:{row.problem}",
        "title": row.code.replace("_", " ").capitalize(),
        "status": row.status,
        "detail": error.message,
    }
    if docs is not None:
        problem["docs"] = docs()
    if error.param is not None:
        problem["param"] = error.param
    if error.details:
        problem["errors"] = error.details
    return problem


def response_of(endpoint: Endpoint, outcome: object) -> Response:
    """The response to a handler's return value."""
    if not isinstance(outcome, Reply):
        if outcome is None and endpoint.status == 204:
            return Response(204, (), b"")
        return Response(endpoint.status, JSON, to_json(outcome))
    body, headers = outcome.body, encode_headers(outcome.headers)
    if outcome.protocol is not None:
        return Response(outcome.status, (), b"", protocol=outcome.protocol)
    if isinstance(body, bytes):
        return Response(outcome.status, headers, body, parts=outcome.parts)
    if outcome.parts is not None or (body is None and outcome.status in (204, 302)):
        return Response(outcome.status, headers, b"", parts=outcome.parts)
    return Response(outcome.status, JSON + headers, to_json(body))


def placeholder(endpoint: Endpoint) -> Response:
    """What a fault spoils when the handler is not called: a success without anything in it."""
    if endpoint.status == 204:
        return Response(204, (), b"")
    return Response(endpoint.status, JSON, b"{}")
