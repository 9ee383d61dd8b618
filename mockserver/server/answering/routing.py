"""What is looked at of a request before its caller is known: how large it is, and at which path."""

from collections.abc import Mapping

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes, allowed_methods, find_method
from mockserver.api.family import IAM
from mockserver.api.values import rpc_member
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.authenticate import find_project, identify
from mockserver.server.answering.server import Server
from mockserver.state.project import Project
from mockserver.state.world import World


def most_body_bytes(server: Server, request: Request) -> int:
    """How large the body of a request may be: more of one that may use an operation which reads a file."""
    most = server.limits.max_body_bytes
    methods, _ = server.routes.find(request.path)
    endpoint = find_method(methods, request.method)
    if endpoint is None or endpoint.max_body_bytes is None:
        return most
    try:
        server.access.check(endpoint, request)
    except ApiError:
        return most
    return max(endpoint.max_body_bytes, most)


def find_variant(routes: Routes, request: Request) -> tuple[Mapping[str, Endpoint], list[str]]:
    """The endpoints at a path that is spelt with a slash more, or where a browser looks first."""
    path = request.path
    if path.endswith("/") and path.startswith("/iam/v2/auth/"):
        return routes.find(path.rstrip("/"))
    # Browsers ask for HTML, and are led to the page; other clients get the 404 of the API.
    is_browser = path in ("/", "/_mock") and "text/html" in request.headers.get("accept", "")
    return routes.find("/_mock/page") if is_browser else ({}, [])


def find_rpc_method(routes: Routes, endpoint: Endpoint, request: Request) -> Endpoint:
    """The method of JSON-RPC that a body names, or the endpoint itself, which answers all other bodies."""
    name = rpc_member(request.body, "method")
    return routes.methods_at(endpoint.path).get(name, endpoint) if isinstance(name, str) else endpoint


def not_found(routes: Routes, request: Request, methods: Mapping[str, Endpoint]) -> ApiError:
    """The error for a path without an endpoint, or with those of other methods."""
    if methods:
        allowed = ", ".join(allowed_methods(methods))
        endpoint = next(iter(methods.values()))
        is_sign_in = endpoint.family.name == IAM.name
        return ApiError(
            errors.IAM_METHOD_NOT_ALLOWED if is_sign_in else errors.METHOD_NOT_ALLOWED,
            method=request.method,
            # The form of the path: a token in it is not to be repeated.
            path=endpoint.path,
            allowed=allowed,
            headers={"allow": allowed},
        )
    close = routes.nearest_path(request.path)
    method, path = request.method, shorten(request.path)
    if close is None:
        return ApiError(errors.UNKNOWN_PATH, method=method, path=path)
    row = errors.UNKNOWN_PATH._replace(message=f"{errors.UNKNOWN_PATH.message} Did you mean {{nearest}}?")
    return ApiError(row, method=method, path=path, nearest=shorten(close))


def named_project(
    endpoint: Endpoint, world: World, request: Request, path: Mapping[str, str]
) -> Project | None:
    """The project that a path of the control API names; None without one. ApiError if it is to be there."""
    if endpoint.project_of is not None:
        return endpoint.project_of(world, request, path)
    return find_project(world, path["p"], request.headers) if "p" in path else None


def project_of(world: World, headers: Mapping[str, str]) -> Project | None:
    """The project of a request that is refused before its caller is known: its history has it."""
    try:
        identified = identify(world, headers)
    except ApiError:
        return None
    return identified.project if identified else None
