"""The session of a request: opening it, its cookies, and its user."""

from typing import Any

from mockserver.api.call import Call, Headers, Reply
from mockserver.domain.identity import cookies
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.time.rate_limits import first_hop
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.responses.auth import SignedIn, auth_user
from mockserver.state.identity import Session, User


def caller_of(call: Call[Any, Any]) -> User:
    """The signed-in user; for endpoints that require a session."""
    user = call.caller.user
    assert user is not None
    return user


def sign_in(call: Call[Any, Any], user: User, *, remember: bool = True) -> Session:
    """Open a session for a user, with the address and user agent of this request."""
    headers = call.request.headers
    return open_session(
        call.project,
        user,
        remember=remember,
        ip_address=first_hop(headers.get("x-forwarded-for", "")),
        user_agent=headers.get("user-agent", "")[:1024],
    )


def sign_in_reply(call: Call[Any, Any], user: User, *, remember: bool = True) -> Reply:
    """Sign a user in: a `SignedIn`, with the headers of the session. A guest who asked becomes the user."""
    session = sign_in(call, user, remember=remember)
    merge_guest(call.project, call.caller.user, user)
    answer: SignedIn = {"token": session.token, "user": auth_user(user)}
    return Reply(answer, headers=session_headers(call, session))


def session_headers(call: Call[Any, Any], session: Session) -> Headers:
    """The cookie of a session, and `set-auth-token` with the same signed token."""
    request = call.request
    return cookies.session_headers(call.project, session, path=request.cookie_path, secure=request.is_secure)


def clear_cookies(call: Call[Any, Any]) -> Headers:
    """The headers that make a browser forget the session."""
    return cookies.clear_cookies(path=call.request.cookie_path, secure=call.request.is_secure)
