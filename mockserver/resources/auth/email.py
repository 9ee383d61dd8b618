"""Verifying and changing e-mail addresses."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from pydantic import AfterValidator
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, PROJECT, SESSION
from mockserver.api.call import Call, Headers, Reply, Request, has_project
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.identity.access_tokens import use_token
from mockserver.domain.identity.cookies import read_session_cookie
from mockserver.domain.identity.mailed_links import find_link, is_expired, project_of_link
from mockserver.domain.identity.users import change_email, require_email, user_of_email, verify_email
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel.secrecy import Secrecy
from mockserver.resources.auth.links import (
    query_value,
    redirect,
    require_trusted,
    send_change_mail,
    send_verification_mail,
)
from mockserver.resources.auth.sign_in import caller_of, session_headers, sign_in
from mockserver.responses.auth import Status, UserFields, session_user
from mockserver.state.existence import note_dropped
from mockserver.state.identity import User, Verification
from mockserver.state.project import Project
from mockserver.state.world import World

email = Group("Authentication: e-mail addresses")


class SendVerificationEmail(Body):
    """Whose address is to be verified; the link leads on to `callbackURL`."""

    email: Annotated[Text, AfterValidator(require_email)]
    callbackURL: Text | None = None


class FollowVerification(Query):
    """The token of a mailed link, and where it leads on to."""

    token: Annotated[Text, Secrecy.TOKEN]
    """The token of the mailed link."""
    callbackURL: Text | None = None


class ChangeEmail(Body):
    """The new address; the link leads on to `callbackURL`."""

    newEmail: Annotated[Text, AfterValidator(require_email)]
    callbackURL: Text | None = None


class EmailChanged(TypedDict):
    """Whether the address changed already, or a link was mailed."""

    status: bool
    message: str
    """What was done, or null."""


class VerifiedUser(UserFields):
    """A user whose address was verified; `image` may be empty."""

    image: str


class EmailVerified(TypedDict):
    """That the address is verified, and whose it is."""

    status: bool
    user: VerifiedUser


def _project_of_verification(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    token = query_value(request, "token")
    return project_of_link(world, "verify-email", token) or project_of_link(world, "change-email", token)


@email.endpoint(
    "GET /iam/v2/auth/verify-email",
    "verifyUserEmail",
    NO_CREDENTIALS,
    errors=(
        errors.IAM_LINK_INVALID,
        errors.IAM_LINK_EXPIRED,
        errors.IAM_LINK_USER_NOT_FOUND,
        errors.IAM_LINK_UNAUTHORIZED,
        errors.IAM_INVALID_CALLBACK_URL,
    ),
    redirects=True,
    project_of=_project_of_verification,
)
def follow_verification(call: Call[None, FollowVerification, Project | None]) -> EmailVerified | Reply:
    """Follow a mailed link that verifies an e-mail address. It can be followed again until it expires.

    A link that confirms a change works once, with the user's session (a bearer token or the cookie);
    the new address then gets a link of its own.
    """
    callback_url = call.query.callbackURL
    require_trusted(call, callback_url, errors.IAM_INVALID_CALLBACK_URL)
    found = _follow(call)
    if isinstance(found, _LinkResult):
        if callback_url:
            leads_on = redirect(call, callback_url)
            return leads_on._replace(headers=(*leads_on.headers, *found.headers))
        user: VerifiedUser = {**session_user(found.user), "image": found.user.image or ""}
        answer: EmailVerified = {"status": True, "user": user}
        return Reply(answer, headers=found.headers)
    if callback_url:
        return redirect(call, callback_url, error=found.message)
    verifications = call.project.identity.verifications if call.project else None
    raise ApiError(found, note=note_dropped(verifications) if found is errors.IAM_LINK_INVALID else "")


class _LinkResult(NamedTuple):
    """The user of a link, and the session cookie if it signed them in."""

    user: User
    headers: Headers = ()


def _follow(call: Call[None, FollowVerification, Project | None]) -> _LinkResult | ErrorRow:
    """Verify or change the address of a link, or return the error."""
    if not has_project(call):
        return errors.IAM_LINK_INVALID
    project, token = call.project, call.query.token
    link = find_link(project, "verify-email", token) or find_link(project, "change-email", token)
    if link is None:
        return errors.IAM_LINK_INVALID
    if is_expired(project, link):
        return errors.IAM_LINK_EXPIRED
    if link.new_email is not None:
        return _confirm_change(call, link, link.new_email)
    user = user_of_email(project, link.identifier)
    if user is None:
        return errors.IAM_LINK_USER_NOT_FOUND
    # A link can be followed again, but only the first time signs in.
    signs_in = project.settings.auto_sign_in_after_verification and not user.email_verified
    user = verify_email(project, user)
    return _LinkResult(user, session_headers(call, sign_in(call, user)) if signs_in else ())


def _confirm_change(
    call: Call[None, FollowVerification], link: Verification, new_email: str
) -> _LinkResult | ErrorRow:
    project = call.project
    signed_in = use_token(project, _browser_token(call.request.headers))
    if signed_in is None or signed_in[0].id != link.identifier:
        return errors.IAM_LINK_UNAUTHORIZED
    if user_of_email(project, new_email) is not None:
        return errors.IAM_LINK_INVALID
    project.identity.verifications.remove(link.id)
    user = change_email(project, signed_in[0], new_email)
    send_verification_mail(call, user, call.query.callbackURL)
    return _LinkResult(user)


def _browser_token(headers: Mapping[str, str]) -> str:
    """The session token of a request that may come from a browser: a bearer token, or the cookie's."""
    authorization = headers.get("authorization", "")
    if authorization:
        return authorization.removeprefix("Bearer ")
    return read_session_cookie(headers) or ""


@email.endpoint(
    "POST /iam/v2/auth/send-verification-email",
    "sendVerificationEmail",
    PROJECT,
    errors=(errors.IAM_INVALID_CALLBACK_URL, errors.IAM_NOT_YOUR_EMAIL, errors.IAM_EMAIL_ALREADY_VERIFIED),
)
def send_verification_email(call: Call[SendVerificationEmail]) -> Status:
    """Mail the link that verifies an e-mail address; nothing tells whether the user exists."""
    body = call.body
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    caller = call.caller.user
    if caller is not None and caller.email_verified:
        raise ApiError(errors.IAM_EMAIL_ALREADY_VERIFIED, param="email")
    if caller is not None and caller.email != body.email.lower():
        raise ApiError(errors.IAM_NOT_YOUR_EMAIL, param="email")
    user = user_of_email(call.project, body.email)
    if user is not None and not user.email_verified:
        send_verification_mail(call, user, body.callbackURL)
    return {"status": True}


@email.endpoint(
    "POST /iam/v2/auth/change-email",
    "changeEmail",
    SESSION,
    errors=(errors.IAM_INVALID_CALLBACK_URL, errors.IAM_EMAIL_IS_THE_SAME, errors.IAM_USER_EXISTS),
)
def request_change(call: Call[ChangeEmail]) -> EmailChanged | Reply:
    """Change the e-mail address: at once while it is unverified, else by a link mailed to the old one."""
    body, user = call.body, caller_of(call)
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    new_email = body.newEmail.lower()
    if new_email == user.email:
        raise ApiError(errors.IAM_EMAIL_IS_THE_SAME, param="newEmail")
    if user_of_email(call.project, new_email) is not None:
        raise ApiError(errors.IAM_USER_EXISTS, param="newEmail")
    if user.email_verified:
        send_change_mail(call, user, new_email, body.callbackURL)
        return {"status": True, "message": "Verification email sent"}
    user = change_email(call.project, user, new_email)
    send_verification_mail(call, user, body.callbackURL)
    answer: EmailChanged = {"status": True, "message": "Email updated"}
    session = call.caller.session
    return Reply(answer, headers=session_headers(call, session) if session else ())
