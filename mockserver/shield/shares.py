"""Shares of users' keys: stored by the developer for a user, or by the user, and given back to the user."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, NotRequired, cast

from pydantic import Field, Json
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call, Reply
from mockserver.api.wire import Body, Id, Text
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import Secrecy, Secret
from mockserver.server.answering.authenticate import find_named
from mockserver.server.control.groups import ControlGroup
from mockserver.shield.callers import (
    OF_SECRET,
    OF_TOKEN,
    owner_named,
    owner_signed_in,
    require_secret,
)
from mockserver.state.project import Project
from mockserver.state.wallets import EncryptionSession, KeptShare, Passkey, ShareEntropy

shield = ControlGroup("Share service", "/_mock/projects/{p}/shield")

_operation = partial(shield.operation, is_open=True, project_of=find_named)
_SecretText = Annotated[Text, Secrecy.SECRET]


class PasskeyDevice(Body):
    """The device that created a passkey."""

    name: Text | None = None
    os: Text | None = None
    osVersion: Text | None = None
    device: Text | None = None


class PasskeyReference(Body):
    """The passkey with which a share is encrypted; its device as an object, or as JSON in a text."""

    passkey_id: Id
    passkey_env: PasskeyDevice | Json[PasskeyDevice] | None = None


class StoreShare(Body):
    """A share to store. The service does not look into `secret`."""

    secret: Annotated[Text, Field(min_length=1), Secrecy.SECRET]
    entropy: ShareEntropy
    salt: Text | None = None
    iterations: int | None = None
    length: int | None = None
    digest: Text | None = None
    encryption_part: _SecretText = ""
    encryption_session: _SecretText = ""
    reference: Annotated[str, Field(max_length=128)] = ""
    passkey_reference: PasskeyReference | None = None


class BeginEncryption(Body):
    """The encryption part that the developer has."""

    encryption_part: Annotated[Text, Field(min_length=1), Secrecy.SECRET]


class EncryptionSessionAnswer(TypedDict):
    """A session that stands for the encryption part."""

    session_id: Secret


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
_STORING = (errors.SHIELD_SHARE_EXISTS, *_PART)
_DONE = Reply(b"", status=204)
_RECOVERY_METHODS = {"user": "password", "project": "automatic", "passkey": "passkey"}
"""How an account is recovered, by what its share is encrypted with."""


@_operation("POST", "/project/encryption-session", "CreateEncryptionSession", *OF_SECRET)
def begin_encryption(call: Call[BeginEncryption]) -> EncryptionSessionAnswer:
    """Create a session that users send instead of the encryption part, as often as they like."""
    require_secret(call)
    made = EncryptionSession(call.project.entropy.uuid("encryption_session"), call.body.encryption_part)
    return {"session_id": call.project.wallets.encryption_sessions.insert(made).id}


@_operation(
    "POST",
    "/admin/preregister",
    "PreregisterShare",
    *OF_SECRET,
    errors.USER_NOT_FOUND,
    errors.WALLET_NOT_FOUND,
    *_STORING,
    status=204,
)
def preregister(call: Call[StoreShare]) -> Reply:
    """Store the recovery share of a pregenerated user, whom `x-user-id` names."""
    return _store(call, owner_named(call), is_new=True)


@_operation("POST", "/shares", "StoreShare", *OF_TOKEN, *_STORING, status=204)
def store(call: Call[StoreShare]) -> Reply:
    """Store a share of the signed-in user."""
    return _store(call, owner_signed_in(call), is_new=True)


@_operation("PUT", "/shares", "UpdateShare", *OF_TOKEN, *_NOT_FOUND, *_PART, status=204)
def update(call: Call[StoreShare]) -> Reply:
    """Store another share of the signed-in user in the place of the one with this reference."""
    return _store(call, owner_signed_in(call), is_new=False)


@_operation("GET", "/shares", "GetShare", *OF_TOKEN, *_NOT_FOUND, *_PART)
def show_oldest(call: Call) -> StoredShare:
    """Retrieve the oldest share of the signed-in user."""
    return _answer(call, _require(call.project, owner_signed_in(call))[0])


@_operation("GET", "/shares/{reference}", "GetShareByReference", *OF_TOKEN, *_NOT_FOUND, *_PART)
def show(call: Call) -> StoredShare:
    """Retrieve the share of the signed-in user with this reference."""
    return _answer(call, _require(call.project, owner_signed_in(call), call.path["reference"])[0])


@_operation("DELETE", "/shares", "DeleteShares", *OF_TOKEN, *_NOT_FOUND, status=204)
def delete_all(call: Call) -> Reply:
    """Delete all shares of the signed-in user."""
    return _delete(call.project, _require(call.project, owner_signed_in(call)))


@_operation("DELETE", "/shares/{reference}", "DeleteShareByReference", *OF_TOKEN, *_NOT_FOUND, status=204)
def delete(call: Call) -> Reply:
    """Delete the share of the signed-in user with this reference."""
    return _delete(call.project, _require(call.project, owner_signed_in(call), call.path["reference"]))


def _require(project: Project, owner: str, reference: str | None = None) -> Sequence[KeptShare]:
    """The shares of an owner, oldest first, or the one with a reference. ApiError with 404 without any."""
    rows = project.wallets.shares.find("owner", owner)
    found = [row for row in rows if reference in (None, row.reference)]
    if not found:
        raise ApiError(errors.SHIELD_SHARE_NOT_FOUND, which=_named(reference))
    return found


def _store(call: Call[StoreShare], owner: str, *, is_new: bool) -> Reply:
    project, body = call.project, call.body
    row_id = f"{owner}/{body.reference}"
    if not is_new:
        _require(project, owner, body.reference)
    elif row_id in project.wallets.shares:
        raise ApiError(errors.SHIELD_SHARE_EXISTS, which=_named(body.reference))
    part = None
    if body.entropy == "project":
        part = _require_part(project, body.encryption_part, body.encryption_session)
    given = body.given_members()
    parameters = {name: given[name] for name in _PARAMETERS if name in given}
    project.wallets.shares.put(
        KeptShare(row_id, owner, part, body.reference, body.secret, body.entropy, parameters)
    )
    passkey = None if body.passkey_reference is None else _passkey(body.passkey_reference)
    _set_recovery(project, body.reference, _RECOVERY_METHODS.get(body.entropy), passkey)
    return _DONE


def _delete(project: Project, rows: Sequence[KeptShare]) -> Reply:
    for row in rows:
        project.wallets.shares.remove(row.id)
        _set_recovery(project, row.reference, None, None)
    return _DONE


def _answer(call: Call[Any], row: KeptShare) -> StoredShare:
    """A share as it was stored. ApiError with 400 without the encryption part that gives it back."""
    if row.part is not None:
        part, session = (call.request.headers.get(f"x-encryption-{name}", "") for name in ("part", "session"))
        if _require_part(call.project, part, session) != row.part:
            raise ApiError(errors.SHIELD_PART_WRONG, name="encryption part", wanted="share")
    shown = {"secret": row.secret, "entropy": row.entropy, "reference": row.reference, **row.parameters}
    return cast("StoredShare", shown)


def _require_part(project: Project, part: str, session: str) -> str:
    """The encryption part that is given, or for which a session stands."""
    known = project.wallets.encryption_sessions.get(session)
    if session and known is None:
        raise ApiError(errors.SHIELD_PART_WRONG, name="encryption session", wanted="project")
    if not part and known is None:
        raise ApiError(errors.SHIELD_PART_MISSING)
    return part if known is None else known.part


def _passkey(given: PasskeyReference) -> Passkey:
    env = given.passkey_env or PasskeyDevice()
    return Passkey(given.passkey_id, env.name, env.os, env.osVersion, env.device)


def _set_recovery(project: Project, signer_id: str, method: str | None, passkey: Passkey | None) -> None:
    """Note on the accounts of a signer how their key is recovered now."""
    accounts, now_ms = project.wallets.accounts, project.clock.now_ms
    for row in [row for row in accounts if signer_id and row.signer_id == signer_id]:
        accounts.replace(row._replace(recovery_method=method, passkey=passkey, updated_ms=now_ms))


def _named(reference: str | None) -> str:
    return f" with the reference {reference}" if reference else ""
