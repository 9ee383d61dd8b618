"""What the older sign-in answers, and who may call it."""

from typing import Any, Literal

from typing_extensions import TypedDict

from mockserver import leniencies
from mockserver.api.access import Scheme, any_scheme
from mockserver.api.call import Call
from mockserver.domain.identity.access_tokens import issue
from mockserver.kernel.secrecy import Token
from mockserver.leniencies import Leniency
from mockserver.resources.auth.sign_in import sign_in
from mockserver.responses.auth_players import AuthPlayerAnswer, auth_player_answer
from mockserver.state.identity import Session, User

VISITOR = any_scheme(Scheme.PUBLISHABLE_KEY)
"""Every client with the publishable key."""

PLAYER = any_scheme(Scheme.ACCESS_TOKEN, Scheme.THIRD_PARTY)
"""A signed-in user."""


class PlayerSession(TypedDict):
    """A user who is signed in."""

    player: AuthPlayerAnswer
    token: Token
    """An access token, which the project's key set verifies."""
    refreshToken: Token
    """The token of the session, for the next access token."""


class ActionRequired(TypedDict):
    """What the user has to do before they may sign in."""

    action: Literal["verify_email"]


VERIFY_EMAIL: ActionRequired = {"action": "verify_email"}


def replaced_by(operation: str) -> Leniency:
    """The leniency of an operation that another one has replaced."""
    return leniencies.OLDER_SIGN_IN.fill(instead=operation)


def sign_in_player(call: Call[Any, Any], user: User) -> PlayerSession:
    """Open a session for a user."""
    return player_session(call, user, sign_in(call, user))


def player_session(call: Call[Any, Any], user: User, session: Session) -> PlayerSession:
    """A session of a user, with a new access token."""
    return {
        "player": auth_player_answer(call.project, user),
        "token": issue(call.project, user, session),
        "refreshToken": session.token,
    }


def caller_answer(call: Call[Any, Any]) -> AuthPlayerAnswer:
    """The signed-in user, as they are now."""
    assert call.caller.user is not None
    return auth_player_answer(call.project, call.project.identity.users[call.caller.user.id])
