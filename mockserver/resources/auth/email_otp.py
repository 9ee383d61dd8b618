"""One-time codes by mail."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.domain.identity.email_rules import PASSWORD_ERRORS, check_password
from mockserver.domain.identity.mail import send_mail
from mockserver.domain.identity.one_time_codes import CODE_ERRORS, check_code, issue_code, spend_code
from mockserver.domain.identity.passwords import set_password
from mockserver.domain.identity.social.provider_configs import require_way_in
from mockserver.domain.identity.users import create_user, read_address, user_of_email, verify_email
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secret, Token
from mockserver.resources.auth.sign_in import session_headers, sign_in, sign_in_reply
from mockserver.responses.auth import AuthUser, SignedIn, Status, Success, auth_user
from mockserver.state.identity import User
from mockserver.state.project import Project

email_otp = Group("Authentication: one-time codes")

Purpose = Literal["sign-in", "email-verification", "forget-password"]
Code = Annotated[Secret, Field(max_length=64)]

_SUBJECTS = {
    "sign-in": "Your sign-in code",
    "email-verification": "Verify your email address",
    "forget-password": "Reset your password",
}


class SendCode(Body):
    """Whom to send a code, and what for."""

    email: Text
    type: Purpose
    """What the code is for."""


class CheckCode(SendCode):
    """A code that was sent."""

    otp: Code


class EmailAndCode(Body):
    """A code that was sent to an address."""

    email: Text
    otp: Code


class ForgetPassword(Body):
    """Whose password is to be reset."""

    email: Text


class ResetPasswordByCode(EmailAndCode):
    """A code, and the new password."""

    password: Secret


class EmailVerifiedByCode(TypedDict):
    """That the address is verified; `token` is null unless the project lets that sign the user in."""

    status: bool
    token: Token | None
    """The token of the session; null if none was begun."""
    user: AuthUser


@email_otp.endpoint(
    "POST /iam/v2/auth/email-otp/send-verification-otp",
    "sendVerificationOTP",
    PROJECT,
    errors=(errors.IAM_INVALID_EMAIL,),
)
def send_code(call: Call[SendCode]) -> Success:
    """Mail a one-time code. Nothing tells whether the user exists."""
    purpose, address = call.body.type, read_address(call.body.email)
    if purpose != "forget-password" or user_of_email(call.project, address) is not None:
        _mail_code(call.project, purpose, address)
    return {"success": True}


@email_otp.endpoint(
    "POST /iam/v2/auth/email-otp/check-verification-otp",
    "checkVerificationOtp",
    PROJECT,
    errors=(errors.IAM_INVALID_EMAIL, errors.IAM_USER_NOT_FOUND, *CODE_ERRORS),
)
def check_verification_code(call: Call[CheckCode]) -> Success:
    """Tell whether a code is right, which does not use it up."""
    address = read_address(call.body.email)
    _require_user(call.project, address)
    check_code(call.project, call.body.type, address, call.body.otp)
    return {"success": True}


@email_otp.endpoint(
    "POST /iam/v2/auth/email-otp/verify-email",
    "verifyEmailOTP",
    PROJECT,
    errors=(errors.IAM_INVALID_EMAIL, *CODE_ERRORS, errors.IAM_USER_NOT_FOUND),
)
def verify_email_by_code(call: Call[EmailAndCode]) -> EmailVerifiedByCode | Reply:
    """Verify an e-mail address with a code."""
    address = read_address(call.body.email)
    spend_code(call.project, "email-verification", address, call.body.otp)
    user = verify_email(call.project, _require_user(call.project, address))
    answer: EmailVerifiedByCode = {"status": True, "token": None, "user": auth_user(user)}
    if not call.project.settings.auto_sign_in_after_verification:
        return answer
    session = sign_in(call, user)
    merge_guest(call.project, call.caller.user, user)
    return Reply({**answer, "token": session.token}, headers=session_headers(call, session))


@email_otp.endpoint(
    "POST /iam/v2/auth/sign-in/email-otp",
    "signInEmailOTP",
    PROJECT,
    errors=(errors.IAM_PROVIDER_DISABLED, errors.IAM_INVALID_EMAIL, *CODE_ERRORS),
)
def sign_in_by_code(call: Call[EmailAndCode]) -> SignedIn | Reply:
    """Sign in with a code, which makes a new user of an unknown address."""
    project, address = call.project, read_address(call.body.email)
    require_way_in(project, "email")
    spend_code(project, "sign-in", address, call.body.otp)
    known = user_of_email(project, address)
    if known is None:
        user = create_user(project, name="", email=address, email_verified=True)
    else:
        user = verify_email(project, known)
    return sign_in_reply(call, user)


@email_otp.endpoint(
    "POST /iam/v2/auth/forget-password/email-otp",
    "forgetPasswordEmailOTP",
    PROJECT,
    errors=(errors.IAM_INVALID_EMAIL, errors.IAM_USER_NOT_FOUND),
)
def forget_password(call: Call[ForgetPassword]) -> Success:
    """Mail a code that leads to a new password."""
    address = read_address(call.body.email)
    _require_user(call.project, address)
    _mail_code(call.project, "forget-password", address)
    return {"success": True}


@email_otp.endpoint(
    "POST /iam/v2/auth/email-otp/reset-password",
    "resetPasswordEmailOTP",
    PROJECT,
    errors=(errors.IAM_INVALID_EMAIL, *PASSWORD_ERRORS, errors.IAM_USER_NOT_FOUND, *CODE_ERRORS),
)
def reset_password(call: Call[ResetPasswordByCode]) -> Status:
    """Choose a new password with a code, which verifies the address too. Sessions stay."""
    project, address = call.project, read_address(call.body.email)
    check_password(project, call.body.password)
    user = _require_user(project, address)
    spend_code(project, "forget-password", address, call.body.otp)
    set_password(project, verify_email(project, user), call.body.password)
    return {"status": True}


def _require_user(project: Project, address: str) -> User:
    user = user_of_email(project, address)
    if user is None:
        raise ApiError(errors.IAM_USER_NOT_FOUND)
    return user


def _mail_code(project: Project, purpose: Purpose, address: str) -> None:
    code = issue_code(project, purpose, address)
    text = f"Your one-time code is {code}."
    send_mail(project, address, purpose, subject=_SUBJECTS[purpose], text=text, code=code)
