"""The envelopes of errors, by the names that families and OpenAPI documents use."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from mockserver.api.family import Family
from mockserver.errors import ErrorRow


class ErrorMembers(TypedDict):
    """What went wrong: `code` is for programs, `message` for people."""

    type: Literal["invalid_request_error"]
    """Always `invalid_request_error`."""
    message: str
    code: str
    param: NotRequired[str]
    details: NotRequired[Mapping[str, Mapping[str, object]]]
    authorizationCode: NotRequired[str]


class ApiErrorBody(TypedDict):
    """An error of the API."""

    error: ErrorMembers


class AuthError(TypedDict):
    """An error of the sign-in endpoints."""

    code: str
    message: str


class Problem(TypedDict):
    """RFC 9457 problem details, for errors that the real service does not have."""

    type: str
    """`urn:mockserver:` and the code of the error."""
    title: str
    """The code in words."""
    status: int
    """The HTTP status."""
    detail: str
    docs: NotRequired[str]
    """Where the server shows the operation, with everything that it takes and answers."""
    param: NotRequired[str]
    errors: NotRequired[Mapping[str, Mapping[str, object]]]


class RpcErrorMembers(TypedDict):
    """What went wrong: `code` is for programs, `message` for people."""

    code: int
    message: str
    data: NotRequired[Any]
    """What a call that was reverted has returned, in hexadecimal; of others what is wrong with each field."""


class RpcError(TypedDict):
    """An error of JSON-RPC 2.0."""

    jsonrpc: Literal["2.0"]
    """The version of JSON-RPC."""
    id: str | int | float | None
    """That of the request."""
    error: RpcErrorMembers


class ApiProblem(Problem, ApiErrorBody):
    """The same, with the members of an error of the API for clients that show its message."""


class AuthProblem(Problem, AuthError):
    """The same, with the members of an error of the sign-in endpoints."""


ENVELOPES: dict[str, Any] = {
    shape.__name__: shape for shape in (ApiErrorBody, AuthError, Problem, RpcError, ApiProblem, AuthProblem)
}


PROBLEMS = {
    "ApiErrorBody": "ApiProblem",
    "AuthError": "AuthProblem",
    "Problem": "Problem",
    "RpcError": "RpcError",
}
"""The envelope of errors that the real service does not have, by that of the others of a family."""


def code_of(envelope: str, row: ErrorRow) -> str:
    """The code of an error as an envelope spells it."""
    if envelope in ("Problem", "ApiProblem", "AuthProblem"):
        return row.problem
    return row.code.upper() if envelope == "AuthError" else row.code.lower()


_RPC_CODES = {400: -32602, 401: -32001, 403: -32001, 404: -32001, 409: -32002, 429: -32005, 500: -32603}
"""The codes of errors that are not of JSON-RPC, by status (EIP-1474)."""


def find_code(body: object) -> str | None:
    """The code in the body of an error, whatever its envelope; None if it has none."""
    code = _error_in(body).get("code")
    return code if isinstance(code, str) else None


def find_message(body: object) -> str | None:
    """The message in the body of an error, whatever its envelope; None if it has none."""
    error = _error_in(body)
    message = error.get("message", error.get("detail"))
    return message if isinstance(message, str) else None


def _error_in(body: object) -> dict[str, Any]:
    if not isinstance(body, dict):
        return {}
    return body["error"] if isinstance(body.get("error"), dict) else body


def rpc_code_of(row: ErrorRow) -> int:
    """The code of an error in an answer of JSON-RPC."""
    return _RPC_CODES.get(row.status, -32000) if row.rpc_code is None else row.rpc_code


def envelope_of(family: Family, row: ErrorRow) -> str:
    """The envelope in which a family answers an error, by its name."""
    return PROBLEMS[family.envelope] if row.mock_only else family.envelope
