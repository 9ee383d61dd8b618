"""Anonymous sign-in."""

from urllib.parse import urlsplit

from mockserver import errors
from mockserver.api.access import PROJECT
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.domain.identity.provider_configs import allows_anonymous
from mockserver.domain.identity.users import create_user
from mockserver.errors import ApiError
from mockserver.resources.auth.links import auth_url
from mockserver.resources.auth.sign_in import sign_in_reply
from mockserver.responses.auth import SignedIn

anonymous = Group("Authentication: anonymous users")

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


@anonymous.endpoint(
    "POST",
    "/iam/v2/auth/sign-in/anonymous",
    "signInAnonymous",
    PROJECT,
    errors=(errors.IAM_ANONYMOUS_OFF, errors.IAM_ANONYMOUS_ALREADY),
)
def sign_in_anonymously(call: Call) -> SignedIn | Reply:
    """Sign in as a new anonymous user, who is removed when another user signs in with their session."""
    if not allows_anonymous(call.project):
        raise ApiError(errors.IAM_ANONYMOUS_OFF)
    caller = call.caller.user
    if caller is not None and caller.is_anonymous:
        raise ApiError(errors.IAM_ANONYMOUS_ALREADY)
    local_part = "temp-" + call.project.entropy.text("anonymous_email", 32, _ALPHABET)
    host = urlsplit(auth_url(call)).hostname or "localhost"
    user = create_user(
        call.project,
        name="Anonymous",
        email=f"{local_part}@{host}",
        is_anonymous=True,
        has_placeholder_email=True,
    )
    return sign_in_reply(call, user)
