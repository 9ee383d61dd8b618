"""Passwords and e-mail addresses of the older sign-in."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from mockserver import errors
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Name, Text
from mockserver.domain.identity.code_challenges import ChallengeMethod, challenge_of, meets_challenge
from mockserver.domain.identity.email_rules import PASSWORD_ERRORS, check_password, has_to_verify
from mockserver.domain.identity.mailed_links import Kind, find_valid_link, issue_link
from mockserver.domain.identity.passwords import (
    CREDENTIAL,
    link_password,
    set_password,
    sign_up,
    user_of_password,
)
from mockserver.domain.identity.social.provider_configs import require_way_in
from mockserver.domain.identity.social.sign_in import unlink_identity
from mockserver.domain.identity.users import require_email, user_of_email, verify_email
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy, Secret
from mockserver.resources.auth.links import require_trusted, send_link, with_members
from mockserver.resources.auth.older.answers import (
    PLAYER,
    VERIFY_EMAIL,
    VISITOR,
    ActionRequired,
    PlayerSession,
    caller_answer,
    replaced_by,
    sign_in_player,
)
from mockserver.resources.auth.sign_in import caller_of
from mockserver.responses.auth_players import AuthPlayerAnswer
from mockserver.state.existence import note_dropped
from mockserver.state.identity import User, Verification

older_passwords = Group("Sign-in (older): passwords")

Email = Annotated[Text, AfterValidator(require_email)]
Verifier = Annotated[Secret, Field(min_length=1, max_length=256)]


class PlayerCredentials(Body):
    """An e-mail address and a password."""

    email: Text
    password: Secret


class SignUpPlayer(PlayerCredentials):
    """A new user."""

    name: Name | None = None
    description: Text | None = None


class UnlinkEmail(Body):
    """The user's e-mail address, whose password is removed."""

    email: Text


class CodeChallenge(Body):
    """What a link's token has to be sent back with (RFC 7636, PKCE)."""

    codeChallenge: Verifier
    """The code verifier: its SHA-256 in base64url, or as it is with the method `plain`."""
    method: ChallengeMethod
    """How the challenge is made from the code verifier."""


class CodeVerifier(Body):
    """What the challenge was made from (RFC 7636, PKCE)."""

    codeVerifier: Verifier
    """The code verifier."""


class AskForLink(Body):
    """Whom a link is mailed to, and where it leads."""

    email: Email
    redirectUrl: Text
    """The URL of the link, to which `token`, `state` and `email` are added."""
    challenge: CodeChallenge | None = None
    """What the token of the link has to be sent back with."""


class VerifyPlayerEmail(Body):
    """The address, and the token of the mailed link."""

    email: Email
    token: Annotated[Text, Secrecy.TOKEN]
    """The token of the mailed link."""
    challenge: CodeVerifier | None = None
    """What the challenge of the link was made from, if it had one."""


class ResetPlayerPassword(Body):
    """The new password, and the token of the mailed link."""

    email: Email
    password: Secret
    state: Annotated[Text, Secrecy.TOKEN]
    """The token of the mailed link."""
    challenge: CodeVerifier | None = None
    """What the challenge of the link was made from, if it had one."""


@older_passwords.endpoint(
    "POST /iam/v1/password/signup",
    "SignupEmailPassword",
    VISITOR,
    status=201,
    errors=(errors.IAM_PROVIDER_DISABLED, errors.IAM_INVALID_EMAIL, *PASSWORD_ERRORS, errors.EMAIL_TAKEN),
    leniency=replaced_by("POST /iam/v2/auth/sign-up/email"),
)
def sign_up_player(call: Call[SignUpPlayer]) -> PlayerSession | ActionRequired:
    """Sign up with an e-mail address and a password; no mail is sent before the client asks for it."""
    body, project = call.body, call.project
    require_way_in(project, "email")
    user = sign_up(
        project, email=body.email, password=body.password, name=body.name or "", taken=errors.EMAIL_TAKEN
    )
    if body.description is not None:
        wallet = wallet_of_user(project, user)
        project.wallets.wallets.replace(wallet._replace(description=body.description))
    return _sign_in(call, user)


@older_passwords.endpoint(
    "POST /iam/v1/password/login",
    "LoginEmailPassword",
    VISITOR,
    errors=(errors.IAM_PROVIDER_DISABLED, errors.IAM_INVALID_EMAIL, errors.IAM_INVALID_EMAIL_OR_PASSWORD),
    leniency=replaced_by("POST /iam/v2/auth/sign-in/email"),
)
def log_in(call: Call[PlayerCredentials]) -> PlayerSession | ActionRequired:
    """Sign in with an e-mail address and a password."""
    require_way_in(call.project, "email")
    return _sign_in(call, user_of_password(call.project, call.body.email, call.body.password))


def _sign_in(call: Call[Any], user: User) -> PlayerSession | ActionRequired:
    if has_to_verify(call.project, user):
        return VERIFY_EMAIL
    return sign_in_player(call, user)


@older_passwords.endpoint(
    "POST /iam/v1/password/link",
    "LinkEmail",
    PLAYER,
    errors=(errors.IAM_PROVIDER_DISABLED, errors.IAM_INVALID_EMAIL, *PASSWORD_ERRORS, errors.EMAIL_TAKEN),
    leniency=replaced_by("POST /iam/v2/auth/change-email"),
)
def link_email(call: Call[PlayerCredentials]) -> AuthPlayerAnswer | ActionRequired:
    """Give the user an e-mail address and a password, which makes an anonymous user an ordinary one."""
    body, project = call.body, call.project
    require_way_in(project, "email")
    user = link_password(project, caller_of(call), body.email, body.password, taken=errors.EMAIL_TAKEN)
    if has_to_verify(project, user):
        return VERIFY_EMAIL
    return caller_answer(call)


@older_passwords.endpoint(
    "POST /iam/v1/password/unlink",
    "UnlinkEmail",
    PLAYER,
    errors=(errors.IAM_ACCOUNT_NOT_FOUND, errors.IAM_LAST_ACCOUNT),
    leniency=replaced_by("POST /iam/v2/auth/unlink-account"),
)
def unlink_email(call: Call[UnlinkEmail]) -> AuthPlayerAnswer:
    """Remove the user's password, unless it is their last way to sign in."""
    user = caller_of(call)
    if user.email != call.body.email.lower():
        raise ApiError(errors.IAM_ACCOUNT_NOT_FOUND, param="email")
    unlink_identity(call.project, user, CREDENTIAL)
    return caller_answer(call)


@older_passwords.endpoint(
    "POST /iam/v1/password/request_email_verification",
    "RequestEmailVerification",
    VISITOR,
    status=204,
    errors=(errors.IAM_INVALID_REDIRECT_URL,),
    leniency=replaced_by("POST /iam/v2/auth/send-verification-email"),
)
def request_email_verification(call: Call[AskForLink]) -> None:
    """Mail the link that verifies an e-mail address; nothing tells whether the user exists."""
    user = _user_of_link(call)
    if user is not None and not user.email_verified:
        _send(call, user, "verify-email", user.email or "")


@older_passwords.endpoint(
    "POST /iam/v1/password/verify_email",
    "VerifyEmail",
    VISITOR,
    status=204,
    errors=(errors.IAM_INVALID_TOKEN,),
    leniency=replaced_by("GET /iam/v2/auth/verify-email"),
)
def verify_player_email(call: Call[VerifyPlayerEmail]) -> None:
    """Verify an e-mail address with the token of a mailed link."""
    user, _ = _require_link(call, "verify-email", "token", call.body.token)
    verify_email(call.project, user)


@older_passwords.endpoint(
    "POST /iam/v1/password/request_reset",
    "RequestResetPassword",
    VISITOR,
    status=204,
    errors=(errors.IAM_INVALID_REDIRECT_URL,),
    leniency=replaced_by("POST /iam/v2/auth/request-password-reset"),
)
def request_reset(call: Call[AskForLink]) -> None:
    """Mail a link that leads to a new password; nothing tells whether the user exists."""
    user = _user_of_link(call)
    if user is not None:
        _send(call, user, "reset-password", user.id)


@older_passwords.endpoint(
    "POST /iam/v1/password/reset",
    "ResetPassword",
    VISITOR,
    status=204,
    errors=(*PASSWORD_ERRORS, errors.IAM_INVALID_TOKEN),
    leniency=replaced_by("POST /iam/v2/auth/reset-password"),
)
def reset_player_password(call: Call[ResetPlayerPassword]) -> None:
    """Choose a new password with the token of a mailed link, which works once. Sessions stay."""
    body, project = call.body, call.project
    check_password(project, body.password)
    user, link = _require_link(call, "reset-password", "state", body.state)
    project.identity.verifications.destroy(link.id)
    set_password(project, user, body.password)


def _user_of_link(call: Call[AskForLink]) -> User | None:
    require_trusted(call, call.body.redirectUrl, errors.IAM_INVALID_REDIRECT_URL)
    return user_of_email(call.project, call.body.email)


def _send(call: Call[AskForLink], user: User, kind: Kind, identifier: str) -> None:
    body, project = call.body, call.project
    asked = body.challenge
    challenge = None if asked is None else challenge_of(asked.codeChallenge, asked.method)
    link = issue_link(project, kind, identifier, code_challenge=challenge)
    # The documents of the client name the member `token`, its functions take it as `state`.
    members = {"token": link.value, "state": link.value, "email": user.email or ""}
    send_link(project, user, link, with_members(call, body.redirectUrl, **members))


def _require_link(
    call: Call[VerifyPlayerEmail] | Call[ResetPlayerPassword], kind: Kind, param: str, token: str
) -> tuple[User, Verification]:
    """The user with the address, and the link that was mailed to them. ApiError with 400 for any other."""
    body, project = call.body, call.project
    user, link = user_of_email(project, body.email), find_valid_link(project, kind, token)
    verifier = body.challenge.codeVerifier if body.challenge else None
    whose = user and (user.email if kind == "verify-email" else user.id)
    is_met = link is not None and meets_challenge(link.code_challenge, verifier)
    if user is None or link is None or link.identifier != whose or not is_met:
        note = note_dropped(project.identity.verifications)
        raise ApiError(errors.IAM_INVALID_TOKEN, param=param, note=note)
    return user, link
