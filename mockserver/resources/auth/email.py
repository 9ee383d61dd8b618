"""The user's e-mail address: proving it, and changing it."""

from collections.abc import Mapping
from typing import Annotated, TypedDict

from pydantic import AfterValidator

from mockserver import errors
from mockserver.api.access import ANYBODY, PROJECT, SESSION
from mockserver.api.call import Call, Reply, Request
from mockserver.api.endpoint import Group
from mockserver.api.shapes import timestamp
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.people import require_email, user_of_email, verify_email
from mockserver.domain.verification import find_link, is_over, project_of_link
from mockserver.errors import ErrorRow, Refusal
from mockserver.resources.auth.answers import Status
from mockserver.resources.auth.links import query_token, redirect, require_trusted, send_verification_mail
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.world import World

email = Group("Authentication: e-mail addresses")


class SendVerificationEmail(Body):
    """Whose address is to be verified; the link leads on to `callbackURL`."""

    email: Annotated[Text, AfterValidator(require_email)]
    callbackURL: Text | None = None


class FollowVerification(Query):
    """The token of a mailed link, and where it leads on to."""

    token: Text
    callbackURL: Text | None = None


class VerifiedUser(TypedDict):
    """A user whose address was verified; `image` may be empty."""

    id: str
    email: str
    name: str
    image: str
    emailVerified: bool
    createdAt: str
    updatedAt: str


class EmailVerified(TypedDict):
    """That the address is verified, and whose it is."""

    status: bool
    user: VerifiedUser


def _project_of_verification(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    return project_of_link(world, "verify-email", query_token(request))


@email.endpoint(
    "GET",
    "/iam/v2/auth/verify-email",
    "verifyEmail",
    ANYBODY,
    errors=(
        errors.IAM_LINK_INVALID,
        errors.IAM_LINK_EXPIRED,
        errors.IAM_LINK_USER_NOT_FOUND,
        errors.IAM_INVALID_CALLBACK_URL,
    ),
    project_of=_project_of_verification,
)
def follow_verification(call: Call[None, FollowVerification]) -> EmailVerified | Reply:
    """Follow a mailed link that verifies an e-mail address. It works again until its time is over."""
    callback_url = call.query.callbackURL
    require_trusted(call, callback_url, errors.IAM_INVALID_CALLBACK_URL)
    found = _user_of_link(call.project, call.query.token)
    if not isinstance(found, User):
        if callback_url:
            return redirect(call, callback_url, error=found.message)
        raise Refusal(found)
    user = verify_email(call.project, found)
    if callback_url:
        return redirect(call, callback_url)
    return {"status": True, "user": _verified_user(user)}


def _user_of_link(project: Project | None, token: str) -> User | ErrorRow:
    """Whose address a token verifies, or why it verifies none."""
    link = find_link(project, "verify-email", token) if project else None
    if project is None or link is None:
        return errors.IAM_LINK_INVALID
    if is_over(project, link):
        return errors.IAM_LINK_EXPIRED
    return user_of_email(project, link.identifier) or errors.IAM_LINK_USER_NOT_FOUND


def _verified_user(row: User) -> VerifiedUser:
    return {
        "id": row.id,
        "email": row.email or "",
        "name": row.name,
        "image": row.image or "",
        "emailVerified": row.email_verified,
        "createdAt": timestamp(row.created_ms),
        "updatedAt": timestamp(row.updated_ms),
    }


@email.endpoint(
    "POST",
    "/iam/v2/auth/send-verification-email",
    "sendVerificationEmail",
    PROJECT,
    errors=(
        errors.IAM_INVALID_CALLBACK_URL,
        errors.IAM_NOT_YOUR_EMAIL,
        errors.IAM_EMAIL_ALREADY_VERIFIED,
    ),
)
def send_verification_email(call: Call[SendVerificationEmail]) -> Status:
    """Mail the link that verifies an e-mail address; nothing tells whether the user exists."""
    body = call.body
    require_trusted(call, body.callbackURL, errors.IAM_INVALID_CALLBACK_URL)
    caller = call.caller.user
    if caller is not None and caller.email != body.email.lower():
        raise Refusal(errors.IAM_NOT_YOUR_EMAIL, param="email")
    if caller is not None and caller.email_verified:
        raise Refusal(errors.IAM_EMAIL_ALREADY_VERIFIED, param="email")
    user = user_of_email(call.project, body.email)
    if user is not None and not user.email_verified:
        send_verification_mail(call, user, body.callbackURL)
    return {"status": True}


email.planned("POST", "/iam/v2/auth/change-email", "changeEmail", SESSION)
