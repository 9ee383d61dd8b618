"""Password reset by a mailed link."""

from collections.abc import Mapping
from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, PROJECT
from mockserver.api.call import Call, Reply, Request
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Query, Text
from mockserver.domain.identity.email_rules import PASSWORD_ERRORS, check_password
from mockserver.domain.identity.mailed_links import find_valid_link, project_of_link
from mockserver.domain.identity.passwords import set_password
from mockserver.domain.identity.users import require_email, user_of_email
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy, Secret, Token
from mockserver.resources.auth.links import auth_url, redirect, require_trusted, send_reset_mail
from mockserver.responses.auth import Status
from mockserver.state.existence import note_dropped
from mockserver.state.project import Project
from mockserver.state.world import World

password_reset = Group("Authentication: passwords")

RESET_PROMISE = "If this email exists in our system, check your email for the reset link"
_UNTRUSTED = (errors.IAM_INVALID_REDIRECT_URL,)


class RequestReset(Body):
    """Whose password is to be reset; the link leads on to `redirectTo`."""

    email: Annotated[Text, AfterValidator(require_email)]
    redirectTo: Text | None = None


class ResetPassword(Body):
    """The new password. The token may be in the query instead."""

    newPassword: Secret
    token: Annotated[Text, Secrecy.TOKEN] | None = None
    """The token of the mailed link."""


class ResetPasswordToken(Query):
    """The token of the mailed link."""

    token: Annotated[Text, Secrecy.TOKEN] | None = None


class ResetCallback(Query):
    """Where the link leads on to."""

    callbackURL: Text | None = None


class ResetRequested(TypedDict):
    """The answer does not reveal whether the user exists."""

    status: bool
    message: NotRequired[str]
    """The same text whether the address is known or not."""


class ResetToken(TypedDict):
    """The token of a link that leads nowhere else."""

    token: Token
    """The token for the new password."""


@password_reset.endpoint("POST /iam/v2/auth/forget-password", "forgetPassword", PROJECT, errors=_UNTRUSTED)
def forget_password(call: Call[RequestReset]) -> ResetRequested:
    """Mail a link that leads to a new password (older form)."""
    if _send_reset(call):
        return {"status": True}
    return {"status": True, "message": RESET_PROMISE}


@password_reset.endpoint(
    "POST /iam/v2/auth/request-password-reset", "requestPasswordReset", PROJECT, errors=_UNTRUSTED
)
def request_password_reset(call: Call[RequestReset]) -> ResetRequested:
    """Mail a link that leads to a new password."""
    _send_reset(call)
    return {"status": True, "message": RESET_PROMISE}


def _send_reset(call: Call[RequestReset]) -> bool:
    """Mail the link; False if there is no such user."""
    require_trusted(call, call.body.redirectTo, errors.IAM_INVALID_REDIRECT_URL)
    user = user_of_email(call.project, call.body.email)
    if user is None:
        return False
    send_reset_mail(call, user, call.body.redirectTo)
    return True


@password_reset.endpoint(
    "POST /iam/v2/auth/reset-password",
    "resetUserPassword",
    PROJECT,
    errors=(*PASSWORD_ERRORS, errors.IAM_INVALID_TOKEN),
)
def reset_password(call: Call[ResetPassword, ResetPasswordToken]) -> Status:
    """Choose a new password with the token of a mailed link. Sessions stay."""
    body, project = call.body, call.project
    check_password(project, body.newPassword)
    link = find_valid_link(project, "reset-password", body.token or call.query.token or "")
    user = project.identity.users.get(link.identifier) if link else None
    if link is None or user is None:
        raise ApiError(errors.IAM_INVALID_TOKEN, note=note_dropped(project.identity.verifications))
    project.identity.verifications.destroy(link.id)
    set_password(project, user, body.newPassword)
    return {"status": True}


def _project_of_reset(world: World, request: Request, path: Mapping[str, str]) -> Project | None:
    return project_of_link(world, "reset-password", path["token"])


@password_reset.endpoint(
    "GET /iam/v2/auth/reset-password/{token}",
    "resetPasswordCallback",
    NO_CREDENTIALS,
    errors=(errors.IAM_INVALID_TOKEN, errors.IAM_INVALID_CALLBACK_URL),
    redirects=True,
    project_of=_project_of_reset,
)
def reset_password_callback(call: Call[None, ResetCallback, Project | None]) -> ResetToken | Reply:
    """Follow a mailed link: to `callbackURL` with the token, or with `error=INVALID_TOKEN`."""
    token, callback_url = call.path["token"], call.query.callbackURL
    require_trusted(call, callback_url, errors.IAM_INVALID_CALLBACK_URL)
    if call.project is not None and find_valid_link(call.project, "reset-password", token) is not None:
        return redirect(call, callback_url, token=token) if callback_url else {"token": token}
    if callback_url is None:
        verifications = call.project.identity.verifications if call.project else None
        raise ApiError(errors.IAM_INVALID_TOKEN, note=note_dropped(verifications))
    return redirect(call, callback_url or f"{auth_url(call)}/error", error="INVALID_TOKEN")
