"""Browsers: a session's cookie as the credential of a request, and where such a request may come from."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from mockserver import errors
from mockserver.api.access import Scheme
from mockserver.api.call import Caller, Identified, Request
from mockserver.api.endpoint import Endpoint
from mockserver.domain.identity.cookies import read_session_cookie, session_headers
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.authenticate import identify, project_of_session
from mockserver.server.answering.hosts import is_loopback
from mockserver.server.answering.render import Response, encode_headers
from mockserver.state.project import Project
from mockserver.state.world import World

_COOKIE_PATHS = "/iam/v2/auth/"
_WITHOUT_USER = frozenset({Scheme.PROJECT_KEY, Scheme.PUBLISHABLE_KEY})


def identify_for(
    endpoint: Endpoint, world: World, request: Request, path: Mapping[str, str]
) -> Identified | None:
    """Whose request to an endpoint it is; None of one without credentials. ApiError for an unknown key."""
    # The path or the query may name the project, for requests without credentials.
    named = endpoint.project_of and endpoint.project_of(world, request, path)
    if named:
        return Identified(named, Scheme.PROJECT_KEY, frozenset())
    return identify(world, request.headers) or identify_by_cookie(world, request)


def identify_by_cookie(world: World, request: Request) -> Identified | None:
    """Whose request this is by its cookie alone; None when it carries none, or that of no session."""
    token = _cookie_token(request)
    project = project_of_session(world, token) if token else None
    return Identified(project, Scheme.PROJECT_KEY, frozenset()) if project else None


def with_cookie(identified: Identified, request: Request) -> Identified:
    """What the headers of a request with a cookie claim, with the cookie's session where they name none.

    Cookies count under `/iam/v2/auth` and beside a publishable key only. A `POST` with any cookie is
    ApiError with 403 unless its `Origin`, or `Referer`, is one that the project trusts.
    """
    if not _takes_cookie(identified, request):
        return identified
    if request.method == "POST":
        _check_origin(identified.project, request)
    return claim_cookie(identified, request)


def claim_cookie(identified: Identified, request: Request) -> Identified:
    """The same, wherever the request may come from."""
    token = _cookie_token(request) if _takes_cookie(identified, request) else None
    return identified if token is None else identified._replace(scheme=Scheme.AUTH_TOKEN, token=token)


def _takes_cookie(identified: Identified, request: Request) -> bool:
    return identified.scheme in _WITHOUT_USER and request.path.startswith(_COOKIE_PATHS)


def _cookie_token(request: Request) -> str | None:
    return read_session_cookie(request.headers) if request.path.startswith(_COOKIE_PATHS) else None


def _check_origin(project: Project, request: Request) -> None:
    origin = request.headers.get("origin") or request.headers.get("referer")
    if not origin or origin == "null":
        raise ApiError(errors.IAM_MISSING_ORIGIN)
    if not _is_trusted(project, request, origin):
        raise ApiError(errors.IAM_INVALID_ORIGIN, origin=shorten(origin))


def _is_trusted(project: Project, request: Request, origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.netloc == request.headers.get("host"):
        return True
    trusted = project.settings.trusted_origins
    if trusted is None:
        return is_loopback(host)
    return f"{parts.scheme}://{parts.netloc}" in trusted


def with_renewed_cookie(response: Response, project: Project, caller: Caller, request: Request) -> Response:
    """The response, which gives a session that the request renewed its cookie again."""
    session, given = caller.session, response.headers
    if session is None or session.id not in project.identity.sessions:
        return response
    if not request.path.startswith(_COOKIE_PATHS) or any(name == b"set-cookie" for name, _ in given):
        return response
    renewed = session_headers(project, session, path=request.cookie_path, secure=request.is_secure)
    headers = encode_headers(renewed)
    response.headers = given + headers
    return response
