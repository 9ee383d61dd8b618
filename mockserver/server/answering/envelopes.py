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


class ApiError(TypedDict):
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


class ApiProblem(Problem, ApiError):
    """The same, with the members of an error of the API for clients that show its message."""


class AuthProblem(Problem, AuthError):
    """The same, with the members of an error of the sign-in endpoints."""


ENVELOPES: dict[str, Any] = {
    shape.__name__: shape for shape in (ApiError, AuthError, Problem, ApiProblem, AuthProblem)
}


PROBLEMS = {"ApiError": "ApiProblem", "AuthError": "AuthProblem", "Problem": "Problem"}
"""The envelope of errors that the real service does not have, by that of the others of a family."""


def code_of(envelope: str, row: ErrorRow) -> str:
    """The code of an error as an envelope spells it."""
    if envelope in ("Problem", "ApiProblem", "AuthProblem"):
        return row.problem
    return row.code.upper() if envelope == "AuthError" else row.code.lower()


def envelope_of(family: Family, row: ErrorRow) -> str:
    """The envelope in which a family answers an error, by its name."""
    return PROBLEMS[family.envelope] if row.mock_only else family.envelope
