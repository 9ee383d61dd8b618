"""Session cookies, with the names and attributes of the reference implementation."""

from collections.abc import Mapping

from mockserver.domain.identity.sessions import sign_cookie
from mockserver.state.identity import Session
from mockserver.state.project import Project

_Headers = tuple[tuple[str, str], ...]

PREFIX = "better-auth."
_NAMES = ("session_token", "session_data", "dont_remember")
_SECURE = "__Secure-"


def read_session_cookie(headers: Mapping[str, str]) -> str | None:
    """The signed session token in a request's cookies, or None.

    An unsigned one gets an invalid signature, so that it is rejected: only a signed token is accepted
    from a cookie.
    """
    for cookie in headers.get("cookie", "").replace(",", ";").split(";"):
        name, _, value = cookie.strip().partition("=")
        if name.removeprefix(_SECURE) == f"{PREFIX}session_token" and value:
            token = value.strip('"')
            return token if token.count(".") == 1 else token.replace(".", "") + "."
    return None


def session_headers(project: Project, session: Session, *, path: str, secure: bool) -> _Headers:
    """The cookie of a session, sent back below the path, and `set-auth-token` with the same signed token.

    A session without `rememberMe` has a session cookie (RFC 6265), and another cookie that says so.
    """
    token = sign_cookie(project, session.token)
    lifetime = f"; Max-Age={project.settings.session_lifetime_ms // 1000}" if session.remember else ""
    cookies = [("set-cookie", _cookie("session_token", token, lifetime, path, secure))]
    if not session.remember:
        cookies.append(
            ("set-cookie", _cookie("dont_remember", sign_cookie(project, "true"), "", path, secure))
        )
    return (*cookies, ("set-auth-token", token), ("access-control-expose-headers", "set-auth-token"))


def clear_cookies(*, path: str, secure: bool) -> _Headers:
    """The headers that delete the session cookies."""
    return tuple(("set-cookie", _cookie(name, "", "; Max-Age=0", path, secure)) for name in _NAMES)


def _cookie(name: str, value: str, lifetime: str, path: str, secure: bool) -> str:
    cookie = f"{PREFIX}{name}={value}{lifetime}; Path={path}; HttpOnly; SameSite=Lax"
    return f"{_SECURE}{cookie}; Secure" if secure else cookie
