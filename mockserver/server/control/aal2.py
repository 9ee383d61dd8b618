"""Multi-factor authentication, which the mock does not have: a test says that a session passed it."""

from typing import TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.errors import ApiError
from mockserver.server.control_call import ControlCall

aal2 = Group("Multi-factor authentication")

_PATH = "/_mock/projects/{p}/sessions/{session}/aal2"


class AssuranceAnswer(TypedDict):
    """Whether a session passed multi-factor authentication."""

    id: str
    user: str
    aal2: bool


@aal2.endpoint("PUT", _PATH, "GrantAal2", ANYBODY, errors=(errors.CONTROL_UNKNOWN_ROW,))
def grant_aal2(call: ControlCall) -> AssuranceAnswer:
    """Let a session, named by its id or its token, have passed multi-factor authentication."""
    return _set(call, passed=True)


@aal2.endpoint("DELETE", _PATH, "WithdrawAal2", ANYBODY, errors=(errors.CONTROL_UNKNOWN_ROW,))
def withdraw_aal2(call: ControlCall) -> AssuranceAnswer:
    """Let a session not have passed multi-factor authentication."""
    return _set(call, passed=False)


def _set(call: ControlCall, *, passed: bool) -> AssuranceAnswer:
    rows, named = call.project.identity.sessions, call.path["session"]
    row = rows.get(named) or rows.first("token", named.partition(".")[0])
    if row is None:
        # A token is as good as a password: only ids are repeated.
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="session", id="of that id or token")
    row = rows.replace(row._replace(aal2=passed))
    return {"id": row.id, "user": row.user_id, "aal2": row.aal2}
