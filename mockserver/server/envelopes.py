"""The envelopes of errors, by the names that families and OpenAPI documents use."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict


class ErrorMembers(TypedDict):
    """What went wrong: `code` is for programs, `message` for people."""

    type: Literal["invalid_request_error"]
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
    title: str
    status: int
    detail: str
    param: NotRequired[str]
    errors: NotRequired[Mapping[str, Mapping[str, object]]]


ENVELOPES: dict[str, Any] = {shape.__name__: shape for shape in (ApiError, AuthError, Problem)}
