"""API keys of the project, which the official command-line tool creates and stores (`/v1/project/apikey`)."""

from typing import Literal

from typing_extensions import TypedDict

from mockserver import leniencies
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Id
from mockserver.kernel.clock import to_seconds
from mockserver.kernel.secrecy import Token
from mockserver.state.project import Project

api_keys = Group("API keys (older)")

KeyType = Literal["pk_wallet", "pk_shield", "sk_shield"]
_WRITE = secret_key("api_key:write")
_NUMBERS = {"pk": 1, "pk_wallet": 2, "pk_shield": 3, "sk_shield": 4}


class CreateApiKey(Body):
    """A publishable key to create."""

    type: Literal["pk"]


class StoreApiKey(Body):
    """A key of another service, and its type."""

    type: KeyType
    uuid: Id
    """The key itself, which nothing reads."""


class ApiKeyAnswer(TypedDict):
    """An API key. No scopes mean that it may do everything."""

    id: int
    createdAt: int
    token: Token
    name: str
    livemode: bool
    scopes: list[str]


@api_keys.endpoint(
    "POST /v1/project/apikey", "CreateProjectApiKey", _WRITE, leniency=leniencies.OLDER_PATH_OF_API_KEYS
)
def create_api_key(call: Call[CreateApiKey]) -> ApiKeyAnswer:
    """Create a publishable key: a project has one, so it is that one every time."""
    return _api_key(call.project, call.body.type, call.project.publishable_key)


@api_keys.endpoint(
    "PUT /v1/project/apikey", "UpdateProjectApiKey", _WRITE, leniency=leniencies.OLDER_PATH_OF_API_KEYS
)
def store_api_key(call: Call[StoreApiKey]) -> ApiKeyAnswer:
    """Store a key of another service. No operation reads it."""
    return _api_key(call.project, call.body.type, call.body.uuid)


def _api_key(project: Project, key_type: KeyType | Literal["pk"], token: str) -> ApiKeyAnswer:
    created, _, _ = project.created_as
    return {
        "id": _NUMBERS[key_type],
        "createdAt": to_seconds(created.now_ms),
        "token": token,
        "name": key_type,
        "livemode": project.livemode,
        "scopes": [],
    }
