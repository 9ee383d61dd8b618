"""Which endpoint a request is for, within the limits of heads and bodies."""

from collections.abc import Mapping

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes, allowed_methods, find_method
from mockserver.api.family import family_of
from mockserver.errors import ApiError
from mockserver.server.answering.authenticate import identify
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.in_progress import CallInProgress
from mockserver.server.answering.limits import RequestLimits, check_head
from mockserver.state.project import Project
from mockserver.state.world import World


class EndpointFinder:
    """Finds the endpoints of requests; ApiError for what no endpoint takes."""

    def __init__(self, world: World, routes: Routes, limits: RequestLimits) -> None:
        self._world = world
        self._routes = routes
        self._limits = limits
        self._small_head_size = min(limits.max_header_bytes, limits.max_url_bytes)

    def find(self, call: CallInProgress, access: ControlAccess) -> Endpoint:
        """The endpoint of a call, with its parameters; what is known is noted on the call."""
        request = call.request
        path, headers_size = request.path, request.headers_size
        if headers_size is None:
            headers_size = size_of_headers(request.headers)
        # Nearly all heads are so small that no limit needs to be looked at.
        call.head_size = len(path) + len(request.query) + headers_size
        if call.head_size > self._small_head_size or request.header_count > self._limits.max_headers:
            self._check_head(call, headers_size)
        methods, values = self._routes.find(path)
        if not methods:
            methods, values = self._find_variant(path, request.headers)
        endpoint = find_method(methods, request.method)
        if endpoint is None:
            call.family = family_of(path)
            call.project = self._project_of(request.headers)
            raise self._not_found(request, methods)
        call.endpoint, call.family = endpoint, endpoint.family
        if len(request.body) > self._limits.max_body_bytes:
            self._check_body(call, endpoint, access)
        if values:
            call.path = dict(zip(endpoint.parameters, values, strict=True))
        return endpoint

    def most_body_bytes(self, request: Request, access: ControlAccess) -> int:
        """How large the body of a request may be whose head is given."""
        methods, _ = self._routes.find(request.path)
        return self._most_body_bytes(find_method(methods, request.method), request, access)

    def _most_body_bytes(self, endpoint: Endpoint | None, request: Request, access: ControlAccess) -> int:
        """More for those that may use an operation which reads a file."""
        most = self._limits.max_body_bytes
        if endpoint is None or endpoint.max_body_bytes is None:
            return most
        try:
            access.check(endpoint, request)
        except ApiError:
            return most
        return max(endpoint.max_body_bytes, most)

    def _check_head(self, call: CallInProgress, headers_size: int) -> None:
        """Refuse a head that is too large."""
        request = call.request
        headers = request.headers
        try:
            check_head(request, headers_size, self._limits)
        except ApiError:
            # The request has them no more: they are too large to be kept.
            call.head_size = len(request.path)
            call.family = family_of(request.path)
            call.project = self._project_of(headers)
            raise

    def _check_body(self, call: CallInProgress, endpoint: Endpoint, access: ControlAccess) -> None:
        """Refuse a body that is larger than most may be, unless that of this request may be so large."""
        request = call.request
        most = self._most_body_bytes(endpoint, request, access)
        if len(request.body) > most:
            call.project = self._project_of(request.headers)
            request.body = b""
            raise ApiError(errors.BODY_TOO_LARGE, limit=most)

    def _find_variant(
        self, path: str, headers: Mapping[str, str]
    ) -> tuple[Mapping[str, Endpoint], list[str]]:
        """The endpoints at a path that is spelt with a slash more, or where a browser looks first."""
        if path.endswith("/") and path.startswith("/iam/v2/auth/"):
            return self._routes.find(path.rstrip("/"))
        # Browsers ask for HTML, and are led to the page; other clients get the 404 of the API.
        is_browser = path in ("/", "/_mock") and "text/html" in headers.get("accept", "")
        return self._routes.find("/_mock/page") if is_browser else ({}, [])

    def _not_found(self, request: Request, methods: Mapping[str, Endpoint]) -> ApiError:
        if methods:
            allowed = ", ".join(allowed_methods(methods))
            return ApiError(
                errors.METHOD_NOT_ALLOWED,
                method=request.method,
                # The form of the path: a token in it is not to be repeated.
                path=next(iter(methods.values())).path,
                allowed=allowed,
                headers={"allow": allowed},
            )
        close = self._routes.nearest_path(request.path)
        method, path = request.method, request.path[:200]
        if close is None:
            return ApiError(errors.UNKNOWN_PATH, method=method, path=path)
        row = errors.UNKNOWN_PATH._replace(message=f"{errors.UNKNOWN_PATH.message} Did you mean {{nearest}}?")
        return ApiError(row, method=method, path=path, nearest=close[:200])

    def _project_of(self, headers: Mapping[str, str]) -> Project | None:
        """The project of a request that is refused before its caller is known: its history has it."""
        try:
            identified = identify(self._world, headers)
        except ApiError:
            return None
        return identified.project if identified else None


def size_of_headers(headers: Mapping[str, str]) -> int:
    """How many characters the names and the values have."""
    # Joining is the fastest way to measure many short texts.
    return len("".join((*headers, *headers.values())))
