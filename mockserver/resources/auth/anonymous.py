"""Anonymous sign-in."""

from mockserver import errors
from mockserver.api.access import PROJECT
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.domain.identity.social.provider_configs import require_anonymous
from mockserver.domain.identity.users import create_guest
from mockserver.errors import ApiError
from mockserver.resources.auth.links import server_host
from mockserver.resources.auth.sign_in import sign_in_reply
from mockserver.responses.auth import SignedIn

anonymous = Group("Authentication: anonymous users")


@anonymous.endpoint(
    "POST /iam/v2/auth/sign-in/anonymous",
    "signInAnonymous",
    PROJECT,
    errors=(errors.IAM_ANONYMOUS_OFF, errors.IAM_ANONYMOUS_ALREADY),
)
def sign_in_anonymously(call: Call) -> SignedIn | Reply:
    """Sign in as a new anonymous user, who is removed when another user signs in with their session."""
    require_anonymous(call.project)
    caller = call.caller.user
    if caller is not None and caller.is_anonymous:
        raise ApiError(errors.IAM_ANONYMOUS_ALREADY)
    return sign_in_reply(call, create_guest(call.project, server_host(call)))
