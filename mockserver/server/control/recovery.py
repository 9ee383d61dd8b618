"""How users get their keys back: what the embedded wallet would set, since no operation does."""

from typing import Literal

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.wire import Id, Text
from mockserver.errors import ApiError
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.wallets import Passkey

recovery = Group("Recovery")


class PasskeyMade(ControlBody):
    """A passkey, and the device that made it."""

    id: Id
    name: Text | None = None
    os: Text | None = None
    os_version: Text | None = None
    device: Text | None = None


class SetRecovery(ControlBody):
    """The method; a passkey goes with `passkey` only."""

    method: Literal["password", "passkey", "automatic"]
    passkey: PasskeyMade | None = None


@recovery.endpoint(
    "PUT",
    "/_mock/projects/{p}/accounts/{acc}/recovery",
    "SetRecovery",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_INVALID),
)
def set_recovery(call: ControlCall[SetRecovery]) -> AccountAnswer:
    """Set how the owner of an account in user custody recovers its key."""
    body, accounts = call.body, call.project.wallets.accounts
    account = accounts.get(call.path["acc"])
    if account is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="account", id=call.path["acc"][:80])
    if account.custody != "User":
        raise ApiError(errors.CONTROL_INVALID, summary=f"{account.id} is not in user custody.")
    if (body.method == "passkey") != (body.passkey is not None):
        raise ApiError(
            errors.CONTROL_INVALID,
            param="passkey",
            summary="passkey: goes with its method only",
        )
    made = body.passkey
    passkey = None if made is None else Passkey(made.id, made.name, made.os, made.os_version, made.device)
    changed = account._replace(recovery_method=body.method, passkey=passkey, updated_ms=call.now_ms)
    return account_answer(accounts.replace(changed))
