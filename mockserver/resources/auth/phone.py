"""Phone numbers: codes by text message, and passwords reset with them."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import PROJECT
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.domain.identity.email_rules import PASSWORD_ERRORS, check_password
from mockserver.domain.identity.mail import send_sms
from mockserver.domain.identity.one_time_codes import CODE_ERRORS, issue_code, spend_code
from mockserver.domain.identity.passwords import is_password_of, set_password
from mockserver.domain.identity.social.provider_configs import require_way_in
from mockserver.domain.identity.users import create_user, is_phone_number
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Secret, Token
from mockserver.resources.auth.sign_in import session_headers, sign_in, sign_in_reply
from mockserver.responses.auth import SignedIn, Status
from mockserver.state.identity import User
from mockserver.state.project import Project

phone = Group("Authentication: phone numbers")

_PATH = "/iam/v2/auth/phone-number"
_VERIFY = "phone-verification"
_RESET = "phone-password-reset"
_CODE_ERRORS = (errors.IAM_INVALID_PHONE_NUMBER, errors.IAM_OTP_NOT_FOUND, *CODE_ERRORS)
_UNREGISTERED = (errors.IAM_INVALID_PHONE_NUMBER, errors.IAM_PHONE_NUMBER_UNKNOWN)

Code = Annotated[Secret, Field(max_length=64)]


class PhoneNumber(Body):
    """The phone number, in the form of E.164: `+15555550100`."""

    phoneNumber: Text


class SignInPhoneNumber(PhoneNumber):
    """Who signs in."""

    password: Secret
    rememberMe: bool | None = None


class VerifyPhoneNumber(PhoneNumber):
    """A code that was sent, and what it is for."""

    code: Code
    """The one-time code."""
    disableSession: bool | None = None
    updatePhoneNumber: bool | None = None


class ResetPasswordByPhone(PhoneNumber):
    """A code, and the new password."""

    otp: Code
    newPassword: Secret


class CodeSent(TypedDict):
    """That a code is on its way."""

    message: str
    """Always the same text."""


class PhoneUser(TypedDict):
    """A user whose number was verified."""

    id: str
    email: str | None
    emailVerified: bool
    name: str
    image: str | None
    phoneNumber: str | None
    phoneNumberVerified: bool
    createdAt: str
    updatedAt: str


class PhoneVerified(TypedDict):
    """That the number is verified, whose it is, and their session's token if there is one."""

    status: bool
    token: Token | None
    """The token of the session; null if none was begun."""
    user: PhoneUser


@phone.endpoint(
    "POST /iam/v2/auth/sign-in/phone-number",
    "signInPhoneNumber",
    PROJECT,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        errors.IAM_INVALID_PHONE_NUMBER,
        errors.IAM_INVALID_PHONE_NUMBER_OR_PASSWORD,
    ),
)
def sign_in_phone_number(call: Call[SignInPhoneNumber]) -> SignedIn | Reply:
    """Sign in with a phone number and a password."""
    body, project = call.body, call.project
    require_way_in(project, "phone")
    user = _user_of_number(project, _number(body))
    if user is None or not is_password_of(project, user, body.password):
        raise ApiError(errors.IAM_INVALID_PHONE_NUMBER_OR_PASSWORD)
    return sign_in_reply(call, user, remember=body.rememberMe is not False)


@phone.endpoint(
    f"POST {_PATH}/send-otp", "sendPhoneNumberOTP", PROJECT, errors=(errors.IAM_INVALID_PHONE_NUMBER,)
)
def send_code(call: Call[PhoneNumber]) -> CodeSent:
    """Send a one-time code by text message, to any number."""
    _send_code(call.project, _VERIFY, _number(call.body))
    return {"message": "code sent"}


@phone.endpoint(
    f"POST {_PATH}/verify",
    "verifyPhoneNumber",
    PROJECT,
    errors=(
        errors.IAM_PROVIDER_DISABLED,
        *_CODE_ERRORS,
        errors.IAM_SIGNED_IN_USER_NOT_FOUND,
        errors.IAM_PHONE_NUMBER_EXISTS,
    ),
)
def verify_phone_number(call: Call[VerifyPhoneNumber]) -> PhoneVerified | Reply:
    """Sign in with a code, which makes a new user of an unknown number, or change the caller's number."""
    body, project = call.body, call.project
    require_way_in(project, "phone")
    number = _number(body)
    spend_code(project, _VERIFY, number, body.code, missing=errors.IAM_OTP_NOT_FOUND)
    if body.updatePhoneNumber:
        user = _set_number(call, number)
        current = call.caller.session
        return _verification_answer(user, current.token if current else None)
    known = _user_of_number(project, number)
    if known is None:
        user = create_user(project, name=number, email=None, phone_number=number)
    else:
        user = _replace_number(project, known, number)
    if body.disableSession:
        return _verification_answer(user, None)
    session = sign_in(call, user)
    return Reply(_verification_answer(user, session.token), headers=session_headers(call, session))


def _set_number(call: Call[VerifyPhoneNumber], number: str) -> User:
    """Set the caller's number, which the code has verified."""
    caller = call.caller.user
    if caller is None:
        raise ApiError(errors.IAM_SIGNED_IN_USER_NOT_FOUND)
    holder = _user_of_number(call.project, number)
    if holder is not None and holder.id != caller.id:
        raise ApiError(errors.IAM_PHONE_NUMBER_EXISTS, param="phoneNumber")
    return _replace_number(call.project, caller, number)


@phone.endpoint(f"POST {_PATH}/forget-password", "forgetPasswordPhoneNumber", PROJECT, errors=_UNREGISTERED)
def forget_password(call: Call[PhoneNumber]) -> Status:
    """Send a code that leads to a new password (older form)."""
    return _send_reset(call)


@phone.endpoint(
    f"POST {_PATH}/request-password-reset", "requestPasswordResetPhoneNumber", PROJECT, errors=_UNREGISTERED
)
def request_password_reset(call: Call[PhoneNumber]) -> Status:
    """Send a code that leads to a new password."""
    return _send_reset(call)


def _send_reset(call: Call[PhoneNumber]) -> Status:
    number = _number(call.body)
    if _user_of_number(call.project, number) is None:
        raise ApiError(errors.IAM_PHONE_NUMBER_UNKNOWN)
    _send_code(call.project, _RESET, number)
    return {"status": True}


@phone.endpoint(
    f"POST {_PATH}/reset-password",
    "resetPasswordPhoneNumber",
    PROJECT,
    errors=(*PASSWORD_ERRORS, *_CODE_ERRORS, errors.IAM_PHONE_NUMBER_UNKNOWN),
)
def reset_password(call: Call[ResetPasswordByPhone]) -> Status:
    """Choose a new password with a code. Sessions stay."""
    body, project = call.body, call.project
    number = _number(body)
    check_password(project, body.newPassword)
    spend_code(project, _RESET, number, body.otp, missing=errors.IAM_OTP_NOT_FOUND)
    user = _user_of_number(project, number)
    if user is None:
        raise ApiError(errors.IAM_PHONE_NUMBER_UNKNOWN)
    set_password(project, user, body.newPassword)
    return {"status": True}


def _number(body: PhoneNumber) -> str:
    if not is_phone_number(body.phoneNumber):
        raise ApiError(errors.IAM_INVALID_PHONE_NUMBER, param="phoneNumber")
    return body.phoneNumber


def _user_of_number(project: Project, number: str) -> User | None:
    return project.identity.users.first("phone_number", number)


def _replace_number(project: Project, user: User, number: str) -> User:
    if user.phone_number == number:
        return user
    return project.identity.users.replace(
        user._replace(phone_number=number, phone_number_verified=True, updated_ms=project.clock.now_ms)
    )


def _send_code(project: Project, purpose: str, number: str) -> None:
    code = issue_code(project, purpose, number)
    send_sms(project, number, purpose, text=f"Your one-time code is {code}.", code=code)


def _verification_answer(row: User, token: str | None) -> PhoneVerified:
    user: PhoneUser = {
        "id": row.id,
        "email": row.email,
        "emailVerified": row.email_verified,
        "name": row.name,
        "image": row.image,
        "phoneNumber": row.phone_number,
        "phoneNumberVerified": bool(row.phone_number_verified),
        "createdAt": timestamps.format_iso(row.created_ms),
        "updatedAt": timestamps.format_iso(row.updated_ms),
    }
    return {"status": True, "token": token, "user": user}
