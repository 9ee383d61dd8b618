"""Sessions: reading, listing and ending them."""

from typing import Annotated

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT, SESSION, USERS
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.waiting import show_rows
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.sessions import active_sessions, end_sessions
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy
from mockserver.resources.auth.sign_in import caller_of, clear_cookies, session_headers
from mockserver.responses.auth import AuthSession, AuthUser, Status, Success, auth_session, auth_user
from mockserver.state.existence import note_dropped

sessions = Group("Authentication: sessions")


class GetSession(Query):
    """How to read the session. There is no cookie cache, so the state is always current."""

    disableCookieCache: bool = False
    disableRefresh: bool = False
    """Do not renew the session."""


class Nothing(Body):
    """An empty object."""


class RevokeSession(Body):
    """The session to end, by its token."""

    token: Annotated[Text, Secrecy.TOKEN]
    """The token of the session to end."""


class CurrentSession(TypedDict):
    """Who is signed in."""

    session: AuthSession
    user: AuthUser


@sessions.endpoint(
    "GET /iam/v2/auth/get-session", "getUserSession", PROJECT, errors=(errors.IAM_UNAUTHORIZED,)
)
def get_session(call: Call[None, GetSession]) -> CurrentSession | Reply | None:
    """Read the caller's session, which renews one that is a day old. `set-auth-jwt` is an access token."""
    user, session = call.caller.user, call.caller.session
    if user is None or session is None:
        # An invalid token: delete the browser's cookies.
        headers = clear_cookies(call) if call.caller.scheme in USERS else ()
        if call.project.settings.get_session_answers_null:
            return Reply(None, headers=headers)
        raise ApiError(errors.IAM_UNAUTHORIZED, headers=headers, note=call.caller.note)
    answer: CurrentSession = {"session": auth_session(session), "user": auth_user(user)}
    access_token = (
        ("set-auth-jwt", issue(call.project, user, session)),
        ("access-control-expose-headers", "set-auth-token, set-auth-jwt"),
    )
    renewed = session_headers(call, session)[:-1] if call.caller.renewed else ()
    return Reply(answer, headers=(*renewed, *access_token))


@sessions.endpoint(
    "POST /iam/v2/auth/sign-out", "signOut", PROJECT, errors=(errors.IAM_FAILED_TO_GET_SESSION,)
)
def sign_out(call: Call[Nothing]) -> Success | Reply:
    """End the caller's session. Repeating it with the ended token is no error."""
    if call.caller.scheme not in USERS:
        raise ApiError(errors.IAM_FAILED_TO_GET_SESSION)
    if call.caller.session is not None:
        call.project.identity.sessions.remove(call.caller.session.id)
    answer: Success = {"success": True}
    return Reply(answer, headers=clear_cookies(call))


@sessions.endpoint("GET /iam/v2/auth/list-sessions", "listSessions", SESSION)
def list_sessions(call: Call) -> list[AuthSession]:
    """List the user's sessions that have not expired, oldest first."""
    active = active_sessions(call.project, caller_of(call).id)
    return show_rows(active, auth_session, lambda shown: shown)


@sessions.endpoint(
    "POST /iam/v2/auth/revoke-session",
    "revokeUserSession",
    SESSION,
    errors=(errors.IAM_SESSION_NOT_FOUND, errors.IAM_UNAUTHORIZED),
)
def revoke_session(call: Call[RevokeSession]) -> Status:
    """End one of the user's sessions, which may be the caller's own."""
    session = call.project.identity.sessions.first("token", call.body.token)
    if session is None:
        note = note_dropped(call.project.identity.sessions)
        raise ApiError(errors.IAM_SESSION_NOT_FOUND, param="token", note=note)
    if session.user_id != caller_of(call).id:
        raise ApiError(errors.IAM_UNAUTHORIZED)
    call.project.identity.sessions.remove(session.id)
    return {"status": True}


@sessions.endpoint("POST /iam/v2/auth/revoke-sessions", "revokeSessions", SESSION)
def revoke_sessions(call: Call[Nothing]) -> Status:
    """End every session of the user, the caller's too."""
    end_sessions(call.project, caller_of(call).id)
    return {"status": True}


@sessions.endpoint("POST /iam/v2/auth/revoke-other-sessions", "revokeOtherSessions", SESSION)
def revoke_other_sessions(call: Call[Nothing]) -> Status:
    """End every session of the user but the caller's."""
    session = call.caller.session
    end_sessions(call.project, caller_of(call).id, but=session.id if session else None)
    return {"status": True}
