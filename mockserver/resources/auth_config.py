"""The project's key set, and verification of its tokens (`/iam/v1`)."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, secret_key
from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Group
from mockserver.api.wire import Query
from mockserver.domain.identity.access_tokens import key_set, read_token
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Token
from mockserver.state.project import Project
from mockserver.state.world import UnknownKey, World

auth_config = Group("Authentication settings")

_READ = secret_key("auth_config:read")


class VerifyToken(Query):
    """A session token or an access token."""

    token: Annotated[Token, Field(max_length=4096)]
    """The token to verify."""


class KeySet(TypedDict):
    """Public keys (RFC 7517)."""

    keys: list[dict[str, str]]


class VerifiedToken(TypedDict):
    """The claims of a token; times are in seconds."""

    livemode: bool
    projectId: str
    playerId: str
    issuer: str
    issuedAt: int
    expiration: int
    sessionId: str


def _project_of_key(world: World, request: Request, path: Mapping[str, str]) -> Project:
    try:
        key = world.key(path["publishable_key"])
    except UnknownKey as error:
        live = error.reason == "undeclared_live"
        raise ApiError(errors.LIVE_KEY_UNDECLARED if live else errors.KEY_UNKNOWN) from None
    if key.kind != "pk":
        raise ApiError(errors.KEY_UNKNOWN)
    return key.project


@auth_config.endpoint(
    "GET /iam/v1/{publishable_key}/jwks.json",
    "GetJwks",
    NO_CREDENTIALS,
    errors=(errors.KEY_UNKNOWN, errors.LIVE_KEY_UNDECLARED),
    project_of=_project_of_key,
)
def get_jwks(call: Call) -> KeySet:
    """The keys that verify the project's access tokens."""
    return {"keys": key_set(call.project)}


@auth_config.endpoint("GET /iam/v1/verify", "VerifyAuthToken", _READ, errors=(errors.SESSION_INVALID,))
def verify_token(call: Call[None, VerifyToken]) -> VerifiedToken:
    """Verify a session token or an access token, which does not renew the session."""
    project = call.project
    found = read_token(project, call.query.token)
    if found is None:
        raise ApiError(errors.SESSION_INVALID, param="token")
    return {
        "livemode": project.livemode,
        "projectId": project.id,
        "playerId": wallet_of_user(project, found.user).id,
        "issuer": project.settings.access_token_issuer,
        "issuedAt": found.issued_s,
        "expiration": found.expires_s,
        "sessionId": found.session.id,
    }
