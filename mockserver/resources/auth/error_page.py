"""The page that failed redirects lead to when the application named none."""

from mockserver.api.access import NO_CREDENTIALS
from mockserver.api.call import Call, Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Query
from mockserver.state.project import Project

error_page = Group("Authentication: social providers")

_HEADERS = (
    ("content-type", "text/plain; charset=utf-8"),
    # Plain text needs no escaping, as long as browsers take it for nothing else.
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
)
_LONGEST = 500


class ShownError(Query):
    """What went wrong (RFC 6749, 4.1.2.1)."""

    error: str = ""
    """The code of the error, such as `access_denied`."""
    error_description: str = ""
    """What the provider says of it."""


@error_page.endpoint("GET /iam/v2/auth/error", "authError", NO_CREDENTIALS, writes=("text/plain",))
def show_auth_error(call: Call[None, ShownError, Project | None]) -> Reply:
    """Show, as plain text, the error of a sign-in or of a link for which the application named no page."""
    lines = ["Authentication failed.", call.query.error, call.query.error_description]
    text = "\n".join(line[:_LONGEST] for line in lines if line)
    return Reply(f"{text}\n".encode("utf-8", "replace"), headers=_HEADERS)
