"""Passwords: signing up and in with one, changing it, and choosing a new one by a mailed link."""

from collections.abc import Mapping
from typing import Annotated, NotRequired, TypedDict

from pydantic import AfterValidator, BeforeValidator

from mockserver import errors
from mockserver.api.access import ANYBODY, PROJECT, SESSION
from mockserver.api.call import Call, Reply, Request
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.guests import succeed_guest
from mockserver.domain.passwords import (
    check_length,
    credential_of,
    is_password,
    set_password,
)
from mockserver.domain.people import create_user, is_email, require_email, user_of_email
from mockserver.domain.sessions import end_sessions
from mockserver.domain.verification import find_link, is_over, project_of_link
from mockserver.errors import Refusal
from mockserver.resources.auth.answers import (
    AuthUser,
    SessionUser,
    Status,
    auth_user,
    caller_of,
    session_headers,
    session_user,
    sign_in,
)
from mockserver.resources.auth.links import (
    auth_url,
    redirect,
    require_trusted,
    send_reset_mail,
    send_verification_mail,
)
from mockserver.state.identity import Verification
from mockserver.state.project import Project
from mockserver.state.world import World

password = Group("Authentication: passwords")

RESET_PROMISE = "If this email exists in our system, check your email for the reset link"


def _text_or_nothing(value: object) -> object:
    """Anything but text is no address either, which is said in the words for that."""
    return value if isinstance(value, str) else ""


class SignUpEmail(Body):
    """A new user."""

    name: Text
    email: Annotated[Text, BeforeValidator(_text_or_nothing)] = ""
    password: str
    image: Text = ""
    callbackURL: Text = ""
    rememberMe: bool = True


class SignInEmail(Body):
    """Who signs in."""

    email: Text
    password: str
    callbackURL: Text | None = None
    rememberMe: bool | None = None


class RequestReset(Body):
    """Whose password is to be reset; the link leads on to `redirectTo`."""

    email: Annotated[Text, AfterValidator(require_email)]
    redirectTo: Text | None = None


class ResetPassword(Body):
    """The new password. The token may be in the query instead."""

    newPassword: str
    token: Text | None = None


class ResetPasswordToken(Query):
    """The token of the mailed link."""

    token: Text | None = None


class ResetCallback(Query):
    """Where the link leads on to."""

    callbackURL: Text | None = None


class ChangePassword(Body):
    """The new password, and the one it replaces."""

    newPassword: str
    currentPassword: str
    revokeOtherSessions: bool | None = None


class SignedUp(TypedDict):
    """A new user; `token` is null while their address is to be verified first."""

    token: str | None
    user: AuthUser


class SignedInByEmail(TypedDict):
    """A session."""

    redirect: bool
    token: str
    url: NotRequired[str]
    user: SessionUser


class ResetRequested(TypedDict):
    """What may be said without telling whether the user exists."""

    status: bool
    message: NotRequired[str]


class ResetToken(TypedDict):
    """The token of a link that leads nowhere else."""

    token: str


class PasswordChanged(TypedDict):
    """The user, and a new session's token if the old sessions were ended."""

    token: str | None
    user: AuthUser


@password.endpoint(
    "POST",
    "/iam/v2/auth/sign-up/email",
    "signUpEmail",
    PROJECT,
    errors=(
        errors.IAM_INVALID_EMAIL,
        errors.IAM_PASSWORD_TOO_SHORT,
        errors.IAM_PASSWORD_TOO_LONG,
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_USER_EXISTS,
    ),
)
def sign_up_email(call: Call[SignUpEmail]) -> SignedUp | Reply:
    """Sign up with an e-mail address and a password."""
    body, project = call.body, call.project
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    if not is_email(body.email):
        raise Refusal(errors.IAM_INVALID_EMAIL, param="email")
    check_length(project, body.password)
    if user_of_email(project, body.email) is not None:
        raise Refusal(errors.IAM_USER_EXISTS, param="email")
    user = create_user(project, name=body.name, email=body.email.lower(), image=body.image or None)
    set_password(project, user, body.password)
    if project.settings.email_verification_required:
        send_verification_mail(call, user, body.callbackURL)
        return {"token": None, "user": auth_user(user)}
    session = sign_in(call, user, remember=body.rememberMe)
    succeed_guest(project, call.caller.user, user)
    answer: SignedUp = {"token": session.token, "user": auth_user(user)}
    return Reply(answer, headers=session_headers(call, session))


@password.endpoint(
    "POST",
    "/iam/v2/auth/sign-in/email",
    "signInEmail",
    PROJECT,
    errors=(
        errors.IAM_INVALID_EMAIL,
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_INVALID_EMAIL_OR_PASSWORD,
        errors.IAM_EMAIL_NOT_VERIFIED,
    ),
)
def sign_in_email(call: Call[SignInEmail]) -> SignedInByEmail | Reply:
    """Sign in with an e-mail address and a password."""
    body, project = call.body, call.project
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    if not is_email(body.email):
        raise Refusal(errors.IAM_INVALID_EMAIL, param="email")
    user = user_of_email(project, body.email)
    if user is None or not is_password(project, user, body.password):
        raise Refusal(errors.IAM_INVALID_EMAIL_OR_PASSWORD)
    if project.settings.email_verification_required and not user.email_verified:
        raise Refusal(errors.IAM_EMAIL_NOT_VERIFIED)
    session = sign_in(call, user, remember=body.rememberMe is not False)
    succeed_guest(project, call.caller.user, user)
    answer: SignedInByEmail = {
        "redirect": bool(body.callbackURL),
        "token": session.token,
        "user": session_user(user),
    }
    if body.callbackURL:
        answer["url"] = body.callbackURL
    return Reply(answer, headers=session_headers(call, session))


@password.endpoint(
    "POST",
    "/iam/v2/auth/forget-password",
    "forgetPassword",
    PROJECT,
    errors=(errors.IAM_INVALID_REDIRECT_URL,),
)
def forget_password(call: Call[RequestReset]) -> ResetRequested:
    """Mail a link that leads to a new password (older form)."""
    if _send_reset(call):
        return {"status": True}
    return {"status": True, "message": RESET_PROMISE}


@password.endpoint(
    "POST",
    "/iam/v2/auth/request-password-reset",
    "requestPasswordReset",
    PROJECT,
    errors=(errors.IAM_INVALID_REDIRECT_URL,),
)
def request_password_reset(call: Call[RequestReset]) -> ResetRequested:
    """Mail a link that leads to a new password."""
    _send_reset(call)
    return {"status": True, "message": RESET_PROMISE}


def _send_reset(call: Call[RequestReset]) -> bool:
    """Whether there was somebody to send it to."""
    require_trusted(call, call.body.redirectTo, errors.IAM_INVALID_REDIRECT_URL)
    user = user_of_email(call.project, call.body.email)
    if user is None:
        return False
    send_reset_mail(call, user, call.body.redirectTo)
    return True


@password.endpoint(
    "POST",
    "/iam/v2/auth/reset-password",
    "resetPassword",
    PROJECT,
    errors=(errors.IAM_PASSWORD_TOO_SHORT, errors.IAM_PASSWORD_TOO_LONG, errors.IAM_INVALID_TOKEN),
)
def reset_password(call: Call[ResetPassword, ResetPasswordToken]) -> Status:
    """Choose a new password with the token of a mailed link. Sessions stay."""
    body, project = call.body, call.project
    check_length(project, body.newPassword)
    link = _reset_link(project, body.token or call.query.token or "")
    user = project.identity.users.get(link.identifier) if link else None
    if link is None or user is None:
        raise Refusal(errors.IAM_INVALID_TOKEN)
    project.identity.verifications.destroy(link.id)
    set_password(project, user, body.newPassword)
    return {"status": True}


def _reset_link(project: Project, token: str) -> Verification | None:
    link = find_link(project, "reset-password", token)
    return None if link is None or is_over(project, link) else link


def _project_of_reset(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    return project_of_link(world, "reset-password", path["token"])


@password.endpoint(
    "GET",
    "/iam/v2/auth/reset-password/{token}",
    "resetPasswordCallback",
    ANYBODY,
    errors=(errors.IAM_INVALID_TOKEN, errors.IAM_INVALID_CALLBACK_URL),
    project_of=_project_of_reset,
)
def reset_password_callback(call: Call[None, ResetCallback]) -> ResetToken | Reply:
    """Follow a mailed link: to `callbackURL` with the token, or with `error=INVALID_TOKEN`."""
    token, callback_url = call.path["token"], call.query.callbackURL
    require_trusted(call, callback_url, errors.IAM_INVALID_CALLBACK_URL)
    if call.project is not None and _reset_link(call.project, token) is not None:
        return redirect(call, callback_url, token=token) if callback_url else {"token": token}
    if callback_url is None:
        raise Refusal(errors.IAM_INVALID_TOKEN)
    return redirect(call, callback_url or f"{auth_url(call)}/error", error="INVALID_TOKEN")


@password.endpoint(
    "POST",
    "/iam/v2/auth/change-password",
    "changePassword",
    SESSION,
    errors=(
        errors.IAM_PASSWORD_TOO_SHORT,
        errors.IAM_PASSWORD_TOO_LONG,
        errors.IAM_CREDENTIAL_NOT_FOUND,
        errors.IAM_INVALID_PASSWORD,
    ),
)
def change_password(call: Call[ChangePassword]) -> PasswordChanged | Reply:
    """Change the password, and end every session for a new one when asked to."""
    body, project = call.body, call.project
    user = caller_of(call)
    check_length(project, body.newPassword)
    if credential_of(project, user) is None:
        raise Refusal(errors.IAM_CREDENTIAL_NOT_FOUND)
    if not is_password(project, user, body.currentPassword):
        raise Refusal(errors.IAM_INVALID_PASSWORD)
    set_password(project, user, body.newPassword)
    if not body.revokeOtherSessions:
        return {"token": None, "user": auth_user(user)}
    end_sessions(project, user.id)
    session = sign_in(call, user)
    answer: PasswordChanged = {"token": session.token, "user": auth_user(user)}
    return Reply(answer, headers=session_headers(call, session))
