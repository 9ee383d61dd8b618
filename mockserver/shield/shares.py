"""Shares of users' keys: stored by the developer for a pregenerated user, and given back to the user."""

from functools import partial
from typing import Annotated, Any, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call, Reply
from mockserver.api.wire import Body, Text
from mockserver.domain.wallets.embedded.recovery import note_recovery
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy, Secret
from mockserver.server.answering.authenticate import find_named
from mockserver.server.control.groups import ControlGroup
from mockserver.shield.callers import OF_SECRET, OF_TOKEN, owner_named, owner_signed_in
from mockserver.state.project import Project
from mockserver.state.wallets import KeptShare, ShareEntropy

shield = ControlGroup("Share service", "/_mock/projects/{p}/shield")

_operation = partial(shield.operation, is_open=True, project_of=find_named)
_Number = Annotated[int, Field(ge=0, lt=2**31)]
_SecretText = Annotated[Text, Secrecy.SECRET]


class StoreShare(Body):
    """A share to store. The service does not look into `secret`."""

    secret: Annotated[Text, Field(min_length=1), Secrecy.SECRET]
    entropy: ShareEntropy
    salt: Text | None = None
    iterations: _Number | None = None
    length: _Number | None = None
    digest: Text | None = None
    encryption_part: _SecretText = ""
    encryption_session: _SecretText = ""
    reference: Annotated[str, Field(max_length=128)] = ""


class StoredShare(TypedDict):
    """A share as it was stored."""

    secret: Secret
    entropy: ShareEntropy
    reference: str
    salt: NotRequired[str]
    iterations: NotRequired[int]
    length: NotRequired[int]
    digest: NotRequired[str]


_PARAMETERS = ("salt", "iterations", "length", "digest")
_NOT_FOUND = (errors.SHIELD_SHARE_NOT_FOUND,)
_PART = (errors.SHIELD_PART_MISSING, errors.SHIELD_PART_WRONG)


@_operation(
    "POST /admin/preregister",
    "PreregisterShare",
    *OF_SECRET,
    errors.USER_NOT_FOUND,
    errors.WALLET_NOT_FOUND,
    errors.SHIELD_SHARE_EXISTS,
    *_PART,
    status=204,
)
def preregister(call: Call[StoreShare]) -> Reply:
    """Store the recovery share of a pregenerated user, whom `x-user-id` names."""
    project, body, owner = call.project, call.body, owner_named(call)
    row_id = f"{owner}/{body.reference}"
    if row_id in project.wallets.shares:
        raise ApiError(errors.SHIELD_SHARE_EXISTS, which=_named(body.reference))
    part = None
    if body.entropy == "project":
        part = require_part(project, body.encryption_part, body.encryption_session)
    given = body.given_members()
    parameters = {name: given[name] for name in _PARAMETERS if name in given}
    project.wallets.shares.insert(
        KeptShare(row_id, owner, part, body.reference, body.secret, body.entropy, parameters)
    )
    accounts = project.wallets.accounts
    named = [row for row in accounts if body.reference and row.signer_id == body.reference]
    note_recovery(project, named, body.entropy)
    return Reply(b"", status=204)


@_operation("GET /shares", "GetShare", *OF_TOKEN, *_NOT_FOUND, *_PART)
def show_oldest(call: Call) -> StoredShare:
    """Retrieve the oldest share of the signed-in user."""
    return _answer(call, _find(call.project, owner_signed_in(call)))


@_operation("GET /shares/{reference}", "GetShareByReference", *OF_TOKEN, *_NOT_FOUND, *_PART)
def show(call: Call) -> StoredShare:
    """Retrieve the share of the signed-in user with this reference."""
    return _answer(call, _find(call.project, owner_signed_in(call), call.path["reference"]))


def _find(project: Project, owner: str, reference: str | None = None) -> KeptShare:
    """The oldest share of an owner, or the one with a reference. ApiError with 404 without any."""
    rows = project.wallets.shares.find("owner", owner)
    found = next((row for row in rows if reference in (None, row.reference)), None)
    if found is None:
        raise ApiError(errors.SHIELD_SHARE_NOT_FOUND, which=_named(reference))
    return found


def _answer(call: Call[Any], row: KeptShare) -> StoredShare:
    """A share as it was stored. ApiError with 400 without the encryption part that gives it back."""
    if row.entropy == "project":
        part, session = (call.request.headers.get(f"x-encryption-{name}", "") for name in ("part", "session"))
        if require_part(call.project, part, session) != row.encryption_part:
            raise ApiError(errors.SHIELD_PART_WRONG, name="encryption part", wanted="share")
    shown = {"secret": row.secret, "entropy": row.entropy, "reference": row.reference, **row.parameters}
    return cast("StoredShare", shown)


def require_part(project: Project, part: str, session: str) -> str:
    """The encryption part that is given, or for which a session stands."""
    known = project.wallets.encryption_sessions.get(session)
    if session and known is None:
        raise ApiError(errors.SHIELD_PART_WRONG, name="encryption session", wanted="project")
    if not part and known is None:
        raise ApiError(errors.SHIELD_PART_MISSING)
    return part if known is None else known.encryption_part


def _named(reference: str | None) -> str:
    return f" with the reference {reference}" if reference else ""
