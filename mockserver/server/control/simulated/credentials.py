"""Credentials: accounts' keys and their recovery, the keys of access tokens, AAL2, the wallet secret."""

from dataclasses import asdict
from typing import Any

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Hex, Id, Text
from mockserver.chain.serialized_transactions import read_unsigned
from mockserver.crypto.messages import personal_message_digest, typed_data_digest
from mockserver.domain.identity.access_tokens import rotate_keys, verifying_keys
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.domain.wallets.embedded.recovery import KINDS, note_recovery
from mockserver.domain.wallets.keys.custody import key_of, sign_digest, sign_message_bytes
from mockserver.domain.wallets.wallet_auth import sign_request
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Secret, Token
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import (
    ControlBody,
    DeletedAnswer,
    ListAnswer,
    ListQuery,
    invalid,
    list_answer,
    require_row,
    row_not_found,
)
from mockserver.server.control.groups import ControlGroup
from mockserver.state.identity import Session, TokenKey
from mockserver.state.wallets import Account, Key, Passkey, RecoveryMethod

keys = ControlGroup("Keys")
recovery = ControlGroup("Recovery")
aal2 = ControlGroup("Multi-factor authentication")
wallet_secret = ControlGroup("Wallet secret")

_AAL2 = "/sessions/{session}/aal2"

_HASH_SIZE = 32

# --- keys of accounts --------------------------------------------------------------------------------


class SignAsUser(ControlBody):
    """What to sign: exactly one of the four. A message of 0x and hexadecimal digits is taken as bytes."""

    hash: Hex | None = None
    """A hash to sign as it is."""
    message: str | None = None
    """A text to sign with the prefix of EIP-191."""
    typedData: dict[str, Any] | None = None
    transaction: Hex | None = None


class SignatureAnswer(TypedDict):
    """The signer's address, and the signature in hex: r, s, v for EVM, 64 bytes of ed25519 for SVM."""

    address: str
    signature: str


class PrivateKeyAnswer(TypedDict):
    """The key of an account in hex: a secp256k1 secret for EVM, an ed25519 seed for SVM."""

    address: str
    private_key: Secret


@keys.operation(
    "POST /accounts/{acc}/sign",
    "SignAsUser",
    errors.CONTROL_UNKNOWN_ROW,
    errors.CONTROL_NO_KEY,
    errors.CONTROL_INVALID,
)
def sign_as_user(call: ControlCall[SignAsUser]) -> SignatureAnswer:
    """Sign as the owner of an account: a hash, a message, typed data or an unsigned transaction."""
    account, _ = _require_key(call)
    members = ("hash", "message", "typedData", "transaction")
    given = [name for name in members if getattr(call.body, name) is not None]
    if len(given) != 1:
        there = f"{' and '.join(given)} are" if given else "none is"
        summary = f"Send exactly one of hash, message, typedData and transaction: {there} there."
        raise ApiError(errors.CONTROL_INVALID, summary=summary)
    if account.chain_type == "SVM":
        if given != ["message"]:
            raise ApiError(errors.CONTROL_INVALID, param=given[0], summary="An SVM account signs a message.")
        signature = sign_message_bytes(call.project, account, _message_bytes(call.body.message or ""))
    else:
        signature = sign_digest(call.project, account, _digest(call.body, given[0]))
    return {"address": account.signing_address, "signature": "0x" + signature.hex()}


@keys.operation("GET /accounts/{acc}/key", "GetPrivateKey", errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_NO_KEY)
def get_private_key(call: ControlCall) -> PrivateKeyAnswer:
    """Retrieve the private key of an account's owner, for a test that signs by itself."""
    account, key = _require_key(call)
    return {"address": account.signing_address, "private_key": "0x" + key.secret.hex()}


def _require_key(call: ControlCall[Any, Any]) -> tuple[Account, Key]:
    """The account in the path, and the key that signs for it; 404 or 409 without one."""
    account = acting_account(call.project, call.path["acc"])
    if account is None:
        raise row_not_found("account", call.path["acc"])
    key = key_of(call.project, account)
    if key is None:
        raise ApiError(errors.CONTROL_NO_KEY, id=account.id)
    return account, key


def _digest(body: SignAsUser, given: str) -> bytes:
    """The digest that an EVM key signs; 400 if there is none."""
    try:
        if given == "message":
            return personal_message_digest(_message_bytes(body.message or ""))
        if given == "typedData":
            return typed_data_digest(body.typedData or {})
        if given == "transaction":
            return read_unsigned(bytes.fromhex((body.transaction or "0x")[2:])).digest
    except ValueError as error:
        raise invalid(given, error) from None
    digest = bytes.fromhex((body.hash or "0x")[2:])
    if len(digest) != _HASH_SIZE:
        raise invalid("hash", "must be 32 bytes")
    return digest


def _message_bytes(message: str) -> bytes:
    if message.startswith("0x"):
        try:
            return bytes.fromhex(message[2:])
        except ValueError:
            pass
    return message.encode()


# --- access tokens -----------------------------------------------------------------------------------


class TokenKeyAnswer(TypedDict):
    """A key of the project's JSON Web Key Set (JWKS)."""

    kid: str
    created_at: str
    signs: bool
    """Whether it signs new tokens."""
    shown_until: str | None
    """When it leaves the JWKS, because its last token has expired; null while it signs."""


@keys.operation("POST /keys/rotate", "RotateTokenKeys")
def rotate_token_keys(call: ControlCall) -> TokenKeyAnswer:
    """Rotate the key that signs access tokens. Older tokens stay valid, and their key stays in the JWKS."""
    return _token_key_answer(rotate_keys(call.project).row, signs=True)


@keys.operation("GET /keys", "ListTokenKeys")
def list_token_keys(call: ControlCall[None, ListQuery]) -> ListAnswer[TokenKeyAnswer]:
    """List the keys that verify access tokens, oldest first."""
    newest, *older = verifying_keys(call.project)
    rows = [*reversed(older), newest]
    return list_answer(call.query, rows, lambda row: _token_key_answer(row, signs=row is newest))


def _token_key_answer(row: TokenKey, *, signs: bool) -> TokenKeyAnswer:
    return {
        "kid": row.id,
        "created_at": timestamps.format_iso(row.created_ms),
        "signs": signs,
        "shown_until": None if signs else timestamps.format_iso(row.needed_until_ms),
    }


# --- recovery ----------------------------------------------------------------------------------------


class RecoveryPasskey(ControlBody):
    """A passkey, and the device that created it."""

    id: Id
    name: Text | None = None
    os: Text | None = None
    os_version: Text | None = None
    device: Text | None = None


class SetRecovery(ControlBody):
    """The recovery method; `passkey` is given with the method `passkey` only."""

    method: RecoveryMethod
    """The recovery method."""
    passkey: RecoveryPasskey | None = None


@recovery.operation(
    "PUT /accounts/{acc}/recovery", "SetRecovery", errors.CONTROL_UNKNOWN_ROW, errors.CONTROL_INVALID
)
def set_recovery(call: ControlCall[SetRecovery]) -> AccountAnswer:
    """Set how the owner of an account in user custody recovers its key, which no public operation does."""
    body, accounts = call.body, call.project.wallets.accounts
    account = require_row(accounts, call.path["acc"], "account")
    if account.custody != "User":
        raise ApiError(errors.CONTROL_INVALID, summary=f"{account.id} is not in user custody.")
    if (body.method == "passkey") != (body.passkey is not None):
        raise invalid("passkey", "must be given with the method passkey, and with no other")
    passkey = None if body.passkey is None else Passkey(**asdict(body.passkey))
    note_recovery(call.project, [account], KINDS[body.method], passkey)
    return account_answer(accounts[account.id])


# --- multi-factor authentication ---------------------------------------------------------------------


class AssuranceAnswer(TypedDict):
    """A session, and whether it passed multi-factor authentication."""

    id: str
    user: str
    aal2: bool


@aal2.operation(f"PUT {_AAL2}", "GrantAal2", errors.CONTROL_UNKNOWN_ROW)
def grant_aal2(call: ControlCall) -> AssuranceAnswer:
    """Mark a session, by its id or its token, as having passed multi-factor authentication."""
    sessions = call.project.identity.sessions
    row = sessions.replace(_require_session(call)._replace(aal2=True))
    return {"id": row.id, "user": row.user_id, "aal2": row.aal2}


@aal2.operation(f"DELETE {_AAL2}", "WithdrawAal2", errors.CONTROL_UNKNOWN_ROW)
def withdraw_aal2(call: ControlCall) -> DeletedAnswer:
    """Mark a session as not having passed multi-factor authentication."""
    row = _require_session(call)
    call.project.identity.sessions.replace(row._replace(aal2=False))
    return {"deleted": int(row.aal2)}


def _require_session(call: ControlCall) -> Session:
    sessions, id_or_token = call.project.identity.sessions, call.path["session"]
    row = sessions.get(id_or_token) or sessions.first("token", id_or_token.partition(".")[0])
    if row is None:
        # A session token is a credential, so the message does not repeat it.
        raise row_not_found("session", "with that id or token", sessions)
    return row


# --- wallet secret -----------------------------------------------------------------------------------


class WalletSecretAnswer(TypedDict):
    """A P-256 private key as clients take it: PKCS#8 in base64."""

    wallet_secret: Secret


@wallet_secret.operation("POST /wallet-secret", "GetWalletSecret")
def get_wallet_secret(call: ControlCall) -> WalletSecretAnswer:
    """Retrieve the project's default wallet secret; registers it unless another one is active."""
    return {"wallet_secret": default_secret(call.project)}


class SignWalletRequest(ControlBody):
    """A request of the API that is to be signed with the wallet secret."""

    method: Text
    """Its method, such as `POST`."""
    path: Text
    """Its path, without the query."""
    body: str = ""
    """Its body, to the byte."""
    wallet_secret: Secret | None = None
    """Another secret than the project's own: PKCS#8 in base64."""


class WalletTokenAnswer(TypedDict):
    """A token for one request."""

    token: Token
    """What to send as `X-Wallet-Auth`."""


@wallet_secret.operation("POST /wallet-secret/sign", "SignWalletRequest", errors.CONTROL_INVALID)
def sign_wallet_request(call: ControlCall[SignWalletRequest]) -> WalletTokenAnswer:
    """Sign a request with the project's default wallet secret, for clients that cannot."""
    body, now_s = call.body, call.project.clock.now_s
    secret = body.wallet_secret or default_secret(call.project)
    try:
        return {"token": sign_request(secret, body.method, body.path, body.body.encode(), now_s)}
    except ValueError as error:
        raise invalid("wallet_secret", error) from None
