"""Users' keys: sign as the user would, or take the key along."""

from typing import Any, TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.wire import Hex
from mockserver.chain.unsigned_transactions import signing_digest
from mockserver.crypto.messages import personal_message_digest, typed_data_digest
from mockserver.domain.wallets.custody import key_of, sign_digest, sign_message_bytes
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.errors import ApiError
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.wallets import Account, Key

keys = Group("Keys")

_HASH_SIZE = 32


class SignAsUser(ControlBody):
    """What to sign: exactly one of the four. A message that is 0x and hexadecimal digits is those bytes."""

    hash: Hex | None = None
    message: str | None = None
    typedData: dict[str, Any] | None = None
    transaction: Hex | None = None


class SignatureAnswer(TypedDict):
    """Who signed, and the signature: r, s, v for EVM, 64 bytes of ed25519 for SVM, as 0x and hex."""

    address: str
    signature: str


class PrivateKeyAnswer(TypedDict):
    """An account's key: a secp256k1 secret for EVM, an ed25519 seed for SVM, as 0x and hex."""

    address: str
    private_key: str


@keys.endpoint(
    "POST",
    "/_mock/projects/{p}/accounts/{acc}/sign",
    "SignAsUser",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_NO_KEY, errors.CONTROL_INVALID),
)
def sign_as_user(call: ControlCall[SignAsUser]) -> SignatureAnswer:
    """Sign as the account's owner would: a hash, a message, typed data or an unsigned transaction."""
    account, _ = _require_key(call)
    members = ("hash", "message", "typedData", "transaction")
    given = [name for name in members if getattr(call.body, name) is not None]
    if len(given) != 1:
        raise ApiError(
            errors.CONTROL_INVALID, summary="Send exactly one of hash, message, typedData and transaction."
        )
    if account.chain_type == "SVM":
        if given != ["message"]:
            raise ApiError(errors.CONTROL_INVALID, param=given[0], summary="An SVM account signs a message.")
        signature = sign_message_bytes(call.project, account, _message_bytes(call.body.message or ""))
    else:
        signature = sign_digest(call.project, account, _digest(call.body, given[0]))
    return {"address": account.signing_address, "signature": "0x" + signature.hex()}


@keys.endpoint(
    "GET",
    "/_mock/projects/{p}/accounts/{acc}/key",
    "GetPrivateKey",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_NO_KEY),
)
def get_private_key(call: ControlCall) -> PrivateKeyAnswer:
    """The private key of an account's owner, for a test that signs by itself."""
    account, key = _require_key(call)
    return {"address": account.signing_address, "private_key": "0x" + key.secret.hex()}


def _require_key(call: ControlCall[Any, Any]) -> tuple[Account, Key]:
    """The account meant, and the key that signs for it. Refused with 404 or 409."""
    account = acting_account(call.project, call.path["acc"])
    if account is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="account", id=call.path["acc"][:80])
    key = key_of(call.project, account)
    if key is None:
        raise ApiError(errors.CONTROL_NO_KEY, id=account.id)
    return account, key


def _digest(body: SignAsUser, given: str) -> bytes:
    """What an EVM key signs; refused with 400 where that cannot be told."""
    try:
        if given == "message":
            return personal_message_digest(_message_bytes(body.message or ""))
        if given == "typedData":
            return typed_data_digest(body.typedData or {})
        if given == "transaction":
            return signing_digest(bytes.fromhex((body.transaction or "0x")[2:]))
    except ValueError as error:
        raise ApiError(errors.CONTROL_INVALID, param=given, summary=f"{given}: {error}") from None
    digest = bytes.fromhex((body.hash or "0x")[2:])
    if len(digest) != _HASH_SIZE:
        raise ApiError(errors.CONTROL_INVALID, param="hash", summary="hash: must be 32 bytes")
    return digest


def _message_bytes(message: str) -> bytes:
    if message.startswith("0x"):
        try:
            return bytes.fromhex(message[2:])
        except ValueError:
            pass
    return message.encode()
