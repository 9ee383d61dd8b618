"""The keys that sign users' access tokens."""

from typing import TypedDict

from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.domain.identity.access_tokens import rotate_keys, verifying_keys
from mockserver.kernel import timestamps
from mockserver.server.control_call import ControlCall
from mockserver.state.project import Project

token_keys = Group("Keys")


class TokenKeyAnswer(TypedDict):
    """A key of the project's key set."""

    kid: str
    created_at: str
    signs: bool
    """Whether it signs the tokens that are issued now."""
    shown_until: str | None
    """When it leaves the key set, because its last token has expired; null while it signs."""


class TokenKeyList(TypedDict):
    """The keys that verify access tokens, newest first."""

    data: list[TokenKeyAnswer]
    total: int


@token_keys.endpoint("POST", "/_mock/projects/{p}/keys/rotate", "RotateTokenKeys", ANYBODY)
def rotate_token_keys(call: ControlCall) -> TokenKeyList:
    """Sign access tokens with a new key. Those signed before stay valid, and their key stays in the set."""
    rotate_keys(call.project)
    return _listed(call.project)


@token_keys.endpoint("GET", "/_mock/projects/{p}/keys", "ListTokenKeys", ANYBODY)
def list_token_keys(call: ControlCall) -> TokenKeyList:
    """List the keys that verify access tokens, newest first."""
    return _listed(call.project)


def _listed(project: Project) -> TokenKeyList:
    found: list[TokenKeyAnswer] = [
        {
            "kid": row.id,
            "created_at": timestamps.format_iso(row.created_ms),
            "signs": place == 0,
            "shown_until": None if place == 0 else timestamps.format_iso(row.needed_until_ms),
        }
        for place, row in enumerate(verifying_keys(project))
    ]
    return {"data": found, "total": len(found)}
