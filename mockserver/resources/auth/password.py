"""Passwords: signing up and in with one, and changing it."""

from typing import Annotated, NotRequired

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT, SESSION
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.domain.identity.email_rules import (
    PASSWORD_ERRORS,
    check_password,
    has_to_verify,
    requires_verification,
)
from mockserver.domain.identity.passwords import (
    credential_of,
    is_password_of,
    set_password,
    sign_up,
    user_of_password,
)
from mockserver.domain.identity.sessions import end_sessions
from mockserver.domain.identity.social.provider_configs import require_way_in
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secret, Token
from mockserver.resources.auth.links import require_trusted, send_verification_mail
from mockserver.resources.auth.sign_in import caller_of, session_headers, sign_in, sign_in_reply
from mockserver.responses.auth import AuthUser, SessionUser, auth_user, session_user
from mockserver.responses.shapes import ABSENT, present

password = Group("Authentication: passwords")


# Any value but a text is an invalid address, and gets the error for that.
_TEXT_OR_NOTHING = BeforeValidator(lambda value: value if isinstance(value, str) else "")


class SignUpEmail(Body):
    """A new user."""

    name: Text
    email: Annotated[Text, _TEXT_OR_NOTHING] = ""
    password: Secret
    image: Text = ""
    callbackURL: Text = ""
    rememberMe: bool = True


class SignInEmail(Body):
    """Who signs in."""

    email: Text
    password: Secret
    callbackURL: Text | None = None
    rememberMe: bool | None = None


class ChangePassword(Body):
    """The new password, and the one it replaces."""

    newPassword: Secret
    currentPassword: Secret
    revokeOtherSessions: bool | None = None


class SignedUp(TypedDict):
    """A new user; `token` is null while their address is to be verified first."""

    token: Token | None
    """The token of the session; null until the address is verified, where that is required."""
    user: AuthUser


class SignedInByEmail(TypedDict):
    """A session."""

    redirect: bool
    token: Token
    url: NotRequired[str]
    """Where to go on, or null."""
    user: SessionUser


class PasswordChanged(TypedDict):
    """The user, and a new session's token if the old sessions were ended."""

    token: Token | None
    """The token of the new session; null unless the others were ended."""
    user: AuthUser


@password.endpoint(
    "POST /iam/v2/auth/sign-up/email",
    "signUpEmail",
    PROJECT,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_INVALID_EMAIL,
        *PASSWORD_ERRORS,
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_USER_EXISTS,
    ),
)
def sign_up_email(call: Call[SignUpEmail]) -> SignedUp | Reply:
    """Sign up with an e-mail address and a password, as a pregenerated user if the address has one."""
    body, project = call.body, call.project
    require_way_in(project, "email")
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    user = sign_up(
        project, email=body.email, password=body.password, name=body.name, image=body.image or None
    )
    if requires_verification(project):
        send_verification_mail(call, user, body.callbackURL)
        return {"token": None, "user": auth_user(user)}
    return sign_in_reply(call, user, remember=body.rememberMe)


@password.endpoint(
    "POST /iam/v2/auth/sign-in/email",
    "signInEmail",
    PROJECT,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_INVALID_EMAIL,
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_INVALID_EMAIL_OR_PASSWORD,
        errors.IAM_EMAIL_NOT_VERIFIED,
    ),
)
def sign_in_email(call: Call[SignInEmail]) -> SignedInByEmail | Reply:
    """Sign in with an e-mail address and a password."""
    body, project = call.body, call.project
    require_way_in(project, "email")
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    user = user_of_password(project, body.email, body.password)
    if has_to_verify(project, user):
        raise ApiError(errors.IAM_EMAIL_NOT_VERIFIED)
    session = sign_in(call, user, remember=body.rememberMe is not False)
    merge_guest(project, call.caller.user, user)
    answer: SignedInByEmail = {
        "redirect": bool(body.callbackURL),
        "token": session.token,
        "user": session_user(user),
        "url": body.callbackURL or ABSENT,
    }
    return Reply(present(answer), headers=session_headers(call, session))


@password.endpoint(
    "POST /iam/v2/auth/change-password",
    "changePassword",
    SESSION,
    errors=(*PASSWORD_ERRORS, errors.IAM_CREDENTIAL_NOT_FOUND, errors.IAM_INVALID_PASSWORD),
)
def change_password(call: Call[ChangePassword]) -> PasswordChanged | Reply:
    """Change the password, and end every session for a new one when asked to."""
    body, project = call.body, call.project
    user = caller_of(call)
    check_password(project, body.newPassword)
    if credential_of(project, user) is None:
        raise ApiError(errors.IAM_CREDENTIAL_NOT_FOUND)
    if not is_password_of(project, user, body.currentPassword):
        raise ApiError(errors.IAM_INVALID_PASSWORD)
    set_password(project, user, body.newPassword)
    if not body.revokeOtherSessions:
        return {"token": None, "user": auth_user(user)}
    end_sessions(project, user.id)
    return sign_in_reply(call, user)
