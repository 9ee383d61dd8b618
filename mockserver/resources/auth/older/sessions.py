"""Anonymous users, and sessions: renewed by their refresh token, ended, and whose they are."""

from typing import Annotated

from pydantic import Field

from mockserver import errors
from mockserver.api.access import Scheme, any_scheme
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body
from mockserver.domain.identity.access_tokens import note_ended
from mockserver.domain.identity.sessions import find_session, renew_session
from mockserver.domain.identity.social.provider_configs import require_anonymous
from mockserver.domain.identity.users import create_guest
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Token
from mockserver.resources.auth.links import server_host
from mockserver.resources.auth.older.answers import (
    PLAYER,
    VISITOR,
    PlayerSession,
    caller_answer,
    player_session,
    replaced_by,
    sign_in_player,
)
from mockserver.resources.auth.sign_in import caller_of
from mockserver.responses.auth_players import AuthPlayerAnswer
from mockserver.state.identity import Session, User

older_sessions = Group("Sign-in (older): sessions")

RefreshToken = Annotated[Token, Field(min_length=1, max_length=4096)]


class EndPlayerSession(Body):
    """The session to end, by its refresh token."""

    refreshToken: RefreshToken
    """The refresh token of the session."""


class RefreshPlayerSession(Body):
    """The session that a new access token is for."""

    refreshToken: RefreshToken
    """The refresh token of the session."""
    forceRefresh: bool | None = None
    """Every call issues a new access token, with it or without."""


@older_sessions.endpoint(
    "POST /iam/v1/guest",
    "RegisterGuest",
    VISITOR,
    status=201,
    errors=(errors.IAM_ANONYMOUS_OFF,),
    leniency=replaced_by("POST /iam/v2/auth/sign-in/anonymous"),
)
def register_guest(call: Call) -> PlayerSession:
    """Sign in as a new anonymous user."""
    require_anonymous(call.project)
    return sign_in_player(call, create_guest(call.project, server_host(call)))


@older_sessions.endpoint("GET /iam/v1/me", "Me", PLAYER, leniency=replaced_by("GET /iam/v2/me"))
def get_player(call: Call) -> AuthPlayerAnswer:
    """Retrieve the signed-in user."""
    return caller_answer(call)


@older_sessions.endpoint(
    "POST /iam/v1/sessions",
    "Refresh",
    VISITOR,
    errors=(errors.SESSION_INVALID,),
    leniency=replaced_by("GET /iam/v2/auth/get-session"),
)
def refresh(call: Call[RefreshPlayerSession]) -> PlayerSession:
    """Issue a new access token of a session, which renews one that is a day old."""
    user, session = _session(call)
    return player_session(call, user, renew_session(call.project, session))


@older_sessions.endpoint(
    "POST /iam/v1/sessions/logout",
    "Logout",
    any_scheme(Scheme.ACCESS_TOKEN),
    status=204,
    errors=(errors.SESSION_INVALID,),
    leniency=replaced_by("POST /iam/v2/auth/sign-out"),
)
def log_out(call: Call[EndPlayerSession]) -> None:
    """End one of the user's sessions."""
    user, session = _session(call)
    if user.id != caller_of(call).id:
        raise ApiError(errors.SESSION_INVALID, param="refreshToken")
    call.project.identity.sessions.remove(session.id)


def _session(call: Call[EndPlayerSession] | Call[RefreshPlayerSession]) -> tuple[User, Session]:
    found = find_session(call.project, call.body.refreshToken)
    if found is None:
        note = note_ended(call.project, call.body.refreshToken)
        raise ApiError(errors.SESSION_INVALID, param="refreshToken", note=note)
    return found
