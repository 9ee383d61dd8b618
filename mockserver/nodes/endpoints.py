"""The endpoints that take JSON-RPC 2.0: which methods they have is declared by the modules of the methods."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, cast

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import CONTROL, NO_CREDENTIALS, USERS, Access, Scheme, any_scheme
from mockserver.api.call import Reply
from mockserver.api.common_errors import control_errors
from mockserver.api.endpoint import Endpoint, Group, ProjectFinder
from mockserver.api.values import rpc_member, to_json
from mockserver.api.waiting import AT_ONCE, SLICE, Later, between_calls
from mockserver.errors import ApiError, RpcError
from mockserver.kernel.spelling import nearest, shorten
from mockserver.server.answering import envelopes
from mockserver.server.answering.authenticate import find_named
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.render import Response, rpc_error_response

rpc = Group("JSON-RPC")

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


Answer = RpcResult | envelopes.RpcError
_MOST_AT_ONCE = 8
"""How many requests of a batch with short answers are answered before other calls are."""
_MOST_SLICES = 1_000
"""How many slices of work and answers, of some milliseconds, a batch has before it refuses what is left."""
WALLET, BUNDLER = "/rpc", "/rpc/{chainId}"
SOLANA = "/rpc/solana/{cluster}"
NODE = "/_mock/projects/{p}/chains/{chain}/rpc"
SOLANA_NODE = "/_mock/projects/{p}/solana/{cluster}/rpc"


ACCESS: Mapping[str, tuple[Access, ProjectFinder | None]] = {
    WALLET: (any_scheme(*USERS), None),
    BUNDLER: (any_scheme(Scheme.PUBLISHABLE_KEY), None),
    NODE: (NO_CREDENTIALS, find_named),
    SOLANA: (any_scheme(Scheme.PUBLISHABLE_KEY), None),
    SOLANA_NODE: (NO_CREDENTIALS, find_named),
}
"""Who may call the methods at a path, and how their project is found."""

AS_CONTROL = Endpoint("", "POST", "/_mock/", CONTROL, "")
"""What a method is checked as that does what the control API does."""
OF_CONTROL = (*control_errors(AS_CONTROL),)
"""The errors of that check."""

_ERRORS = (
    errors.RPC_PARSE,
    errors.RPC_INVALID_REQUEST,
    errors.RPC_METHOD_UNKNOWN,
    errors.RPC_INVALID_PARAMS,
    errors.RPC_TOO_MUCH,
)


def _declare(path: str, operation: str, summary: str) -> None:
    """Declare what takes the requests at a path that name no method of their own."""

    def handle(call: ControlCall[RpcBody]) -> Answer | list[Answer] | Reply:
        return _answer_other(call, path)

    handle.__doc__ = summary
    access, project_of = ACCESS[path]
    rpc.endpoint(f"POST {path}", operation, access, errors=_ERRORS, project_of=project_of)(handle)


_declare(WALLET, "HandleRpcRequest", "Call methods of a wallet, by JSON-RPC.")
_declare(BUNDLER, "HandleChainRpcRequest", "Call methods of a chain's bundler and paymaster, by JSON-RPC.")
_declare(NODE, "HandleNodeRequest", "Call methods of a chain's node, by JSON-RPC.")
_declare(
    SOLANA, "HandleSolanaRpcRequest", "Call methods of Kora and of a Solana cluster's node, by JSON-RPC."
)
_declare(SOLANA_NODE, "HandleSolanaNodeRequest", "Call methods of a Solana cluster's node, by JSON-RPC.")


def _answer_other(call: ControlCall[Any, Any, Any], path: str) -> Reply:
    """Answer what names no method that there is: a batch, or a mistake."""
    request = call.body
    if not isinstance(request, list):
        require_request(request)
        methods = call.routes.methods_at(path)
        if request["method"] in methods:
            # It was not found by the reader that refuses such numbers.
            raise RpcError(errors.RPC_PARSE, reason="a number is out of range")
        name = shorten(request["method"])
        elsewhere = next((other for other in ACCESS if name in call.routes.methods_at(other)), None)
        close = nearest(name, list(methods))
        note = f"POST {elsewhere} has it." if elsewhere else f"Did you mean {close}?" if close else ""
        raise RpcError(errors.RPC_METHOD_UNKNOWN, method=name, note=note)
    if not request:
        raise RpcError(errors.RPC_INVALID_REQUEST, reason="empty batch")
    if len(request) > MOST_IN_A_BATCH:
        raise RpcError(errors.RPC_TOO_MUCH, reason=f"batch too large: at most {MOST_IN_A_BATCH} requests")
    return cast("Reply", _answer_batch(call, path, request))


def _answer_batch(call: ControlCall[Any, Any, Any], path: str, requests: list[Any]) -> Later[Reply]:
    bodies, left, at_once = list[bytes](), float(_MOST_SLICES), 0.0
    for body in map(to_json, requests):
        if at_once >= 1:
            yield AT_ONCE
            left, at_once = left - at_once, 0.0
        if left <= 0:
            reason = "the batch takes too long: send fewer requests"
            bodies.append(rpc_error_response(RpcError(errors.RPC_TOO_MUCH, reason=reason), body).body)
            continue
        with closing(_answer_one(call, path, body)) as steps:
            try:
                while True:
                    yield next(steps)
                    left -= 1
            except StopIteration as end:
                bodies.append(end.value.body)
                at_once += 1 / _MOST_AT_ONCE + len(end.value.body) / SLICE
    text = b",".join(filter(None, bodies))
    return Reply(b"[" + text + b"]", headers=(("content-type", "application/json"),)) if text else Reply(b"")


def _answer_one(call: ControlCall[Any, Any, Any], path: str, body: bytes) -> Later[Response]:
    """Answer a request of a batch, as a call of its own, which rules and faults are for."""
    if body.startswith(b"["):
        return rpc_error_response(RpcError(errors.RPC_INVALID_REQUEST, reason="a batch in a batch"), body)
    method = call.routes.methods_at(path).get(str(rpc_member(body, "method")))
    if method is not None and errors.CONTROL_TOKEN_MISSING in method.errors:
        # As a step it would be let through.
        try:
            call.server.access.check(AS_CONTROL, call.request)
        except ApiError as refused:
            return rpc_error_response(refused, body)
    request = replace(call.request, body=body, is_step=True)
    answer = yield from between_calls(call.project.ahead.run(partial(call.server.send, request)))
    if isinstance(answer, Response):
        return answer
    answer.project.waiting -= 1
    yield answer.until
    return cast("Response", (yield from answer.steps))


# --- the envelope ----------------------------------------------------------------------------------------


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
