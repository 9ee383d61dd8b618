"""Requests of JSON-RPC 2.0, and what they are answered."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.errors import RpcError

MOST_IN_A_BATCH = 1_000
"""The most requests in one batch, as geth has it."""


_REQUEST = {
    "type": "object",
    "required": ["method"],
    "properties": {
        "jsonrpc": {"const": "2.0", "description": "The version of JSON-RPC."},
        "id": {"type": ["string", "number", "null"], "description": "That of the answer, too."},
        "method": {"type": "string", "description": "The name of the method."},
        "params": {
            "type": ["array", "object"],
            "items": {},
            "description": "The arguments, in order or by name.",
        },
    },
}
RpcBody = Annotated[Any, WithJsonSchema({"anyOf": [_REQUEST, {"type": "array", "items": _REQUEST}]})]
"""A request, or several of them."""


class RpcResult(TypedDict):
    """The answer to a request that went well."""

    jsonrpc: Literal["2.0"]
    """The version of JSON-RPC."""
    id: str | int | float | None
    """That of the request."""
    result: Any
    """What the method answers."""


def require_request(request: object) -> Mapping[str, Any]:
    """A request that names its method. RpcError for anything else; it needs a version or an id, not both."""
    if not isinstance(request, dict):
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="a request is an object with a method")
    if not isinstance(request.get("method"), str):
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="method: must be a text")
    if request.get("jsonrpc", "2.0") != "2.0":
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="jsonrpc: must be 2.0")
    if "id" not in request and "jsonrpc" not in request:
        # With a version it would be a notification, and the client would get an empty answer.
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="id: Field required")
    given = request.get("id")
    if isinstance(given, bool) or not isinstance(given, (str, int, float, type(None))):
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="id: must be a text, a number or null")
    return request


def invalid(summary: str) -> RpcError:
    """The error of parameters."""
    return RpcError(errors.RPC_INVALID_PARAMS, summary=summary)


def refused(reason: str) -> RpcError:
    """The error of what a node does not do, in geth's words where it has some."""
    return RpcError(errors.RPC_SERVER_ERROR, reason=reason)
