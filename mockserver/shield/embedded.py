"""The embedded wallet: the frame that the clients for browsers open, and what it asks for."""

from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call, Reply
from mockserver.api.wire import Body, ChainId, Id, Text
from mockserver.domain.chains.networks import CHAIN_ERRORS, default_chain, require_account_chain
from mockserver.domain.wallets.accounts import require_kind, switch_chain
from mockserver.domain.wallets.embedded.accounts import (
    create_embedded,
    export_embedded,
    find_embedded,
    sign_embedded,
)
from mockserver.domain.wallets.embedded.recovery import (
    KINDS,
    RECOVERY_ERRORS,
    Entropy,
    check_entropy,
    keep_share,
)
from mockserver.domain.wallets.keys.private_keys import BadKey, PrivateKey, parse_private_key
from mockserver.domain.wallets.pregeneration import AccountSpec
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.secrecy import Secrecy, Secret
from mockserver.responses.pages import NO_SNIFFING, html_headers
from mockserver.server.answering.authenticate import find_named
from mockserver.server.control.groups import ControlGroup
from mockserver.shield.callers import OF_TOKEN, owner_signed_in
from mockserver.shield.shares import require_part
from mockserver.state.identity import User
from mockserver.state.wallets import Account, AccountType, ChainType, RecoveryMethod, ShareEntropy

embedded = ControlGroup("Embedded wallet", "/_mock/embedded/iframe/{p}")

_operation = partial(embedded.operation, is_open=True, project_of=find_named)
_SecretText = Annotated[Text, Secrecy.SECRET]
_NOT_FOUND = (errors.ACCOUNT_NOT_FOUND, *OF_TOKEN)
_RECOVERY = (*RECOVERY_ERRORS, errors.SHIELD_PART_WRONG)
_CREATION = (*OF_TOKEN, *_RECOVERY, *CHAIN_ERRORS, errors.IMPLEMENTATION_ABSENT)


class _Entropy(Body):
    """What recovers a key: a password, an encryption session, or the key that a passkey gives."""

    password: _SecretText | None = None
    encryptionSession: _SecretText | None = None
    """The session that stands for the developer's encryption part."""
    passkeyKey: _SecretText | None = None
    """The key that the passkey gives, by its extension `prf`."""
    passkeyId: Id | None = None


class CreateEmbeddedAccount(_Entropy):
    """The account to create, and what its key will be recovered by."""

    accountType: AccountType
    chainType: ChainType
    chainId: ChainId | None = None
    """The chain of a smart or delegated account; without it the project's default chain."""


class ImportEmbeddedAccount(CreateEmbeddedAccount):
    """The account to create for a private key."""

    privateKey: Annotated[Text, Secrecy.SECRET]
    """Hexadecimal digits, or base58 for Solana."""


class RecoverEmbeddedAccount(_Entropy):
    """The account to recover."""

    account: Id
    """The id of the account."""


class SetEmbeddedRecovery(RecoverEmbeddedAccount):
    """The new recovery method. What the present one takes and what the new one takes are given together."""

    recoveryMethod: RecoveryMethod


class NamedEmbeddedAccount(Body):
    """An account."""

    account: Id
    """The id of the account."""


class SignEmbedded(NamedEmbeddedAccount):
    """What to sign with the key of an account."""

    message: Annotated[str, Field(max_length=2**20)]
    isHex: bool = False
    """Whether the message is the hexadecimal digits of bytes."""
    isPersonalMessage: bool = False
    """Whether its digest as a personal message (EIP-191) is signed, instead of the bytes themselves."""


class SwitchEmbeddedChain(NamedEmbeddedAccount):
    """An account, and the chain it is wanted on."""

    chainId: ChainId


class EmbeddedAccountAnswer(TypedDict):
    """The account that the frame now has."""

    account: str
    """The id of the account."""
    address: str
    ownerAddress: str
    chainType: ChainType


class EmbeddedSignatureAnswer(TypedDict):
    """A signature: r, s, v in hex for EVM, base58 for SVM."""

    signature: str


class ExportedKeyAnswer(TypedDict):
    """A private key: hex for EVM, the base58 of seed and public key for SVM."""

    key: Secret


@_operation("GET", "ShowEmbeddedWallet", writes=("text/html",))
def show_frame(call: Call) -> Reply:
    """Show the frame, whose methods a client calls by messages of Penpal 7."""
    headers = html_headers(script_src="'unsafe-inline'", connect_src="'self'", frame_ancestors="*")
    return Reply(_frame(), headers=(*headers, *NO_SNIFFING))


@_operation("POST /create", "CreateEmbeddedWallet", *_CREATION)
def create(call: Call[CreateEmbeddedAccount]) -> EmbeddedAccountAnswer:
    """Create an account with a new key."""
    return _create(call, None)


@_operation("POST /import", "ImportEmbeddedWallet", *_CREATION, errors.ADDRESS_TAKEN)
def import_key(call: Call[ImportEmbeddedAccount]) -> EmbeddedAccountAnswer:
    """Create an account for a private key."""
    try:
        key = parse_private_key(call.body.privateKey)
    except BadKey as error:
        raise wrong_field("privateKey", f"is no private key: {error}") from None
    if key.chain_type != call.body.chainType:
        raise wrong_field("privateKey", f"is an {key.chain_type} key, not an {call.body.chainType} one")
    return _create(call, key)


@_operation("POST /recover", "RecoverEmbeddedWallet", *_NOT_FOUND, *_RECOVERY)
def recover(call: Call[RecoverEmbeddedAccount]) -> EmbeddedAccountAnswer:
    """Recover the key of an account of the user."""
    user, account = _find(call)
    check_entropy(call.project, user.id, account, _entropy(call))
    return _answer(account)


@_operation("POST /recovery-method", "SetEmbeddedRecoveryMethod", *_NOT_FOUND, *_RECOVERY)
def set_recovery_method(call: Call[SetEmbeddedRecovery]) -> EmbeddedAccountAnswer:
    """Change how the key of an account is recovered, which takes what recovers it now."""
    user, account = _find(call)
    entropy = _entropy(call)
    check_entropy(call.project, user.id, account, entropy)
    keep_share(call.project, user.id, account, KINDS[call.body.recoveryMethod], entropy)
    return _answer(account)


@_operation("POST /sign", "SignWithEmbeddedWallet", *_NOT_FOUND)
def sign(call: Call[SignEmbedded]) -> EmbeddedSignatureAnswer:
    """Sign a message, or a digest, with the key of an account."""
    body, (_, account) = call.body, _find(call)
    try:
        raw = bytes.fromhex(body.message.removeprefix("0x")) if body.isHex else body.message.encode()
    except ValueError:
        raise wrong_field("message", "must be hexadecimal digits") from None
    signature = sign_embedded(call.project, account, raw, as_personal_message=body.isPersonalMessage)
    return {"signature": signature}


@_operation(
    "POST /switch-chain",
    "SwitchEmbeddedChain",
    *_NOT_FOUND,
    *CHAIN_ERRORS,
    errors.CHAIN_NOT_SWITCHABLE,
    errors.IMPLEMENTATION_ABSENT,
    errors.COUNTERPART_OF_OTHER_OWNER,
)
def switch(call: Call[SwitchEmbeddedChain]) -> EmbeddedAccountAnswer:
    """Retrieve the user's account on another chain, which is created when it is first needed."""
    user, account = _find(call)
    switched = switch_chain(call.project, account, call.body.chainId)
    # There it may belong to another user, to whom it was transferred.
    return _answer(find_embedded(call.project, switched.id, user))


@_operation("POST /export", "ExportEmbeddedKey", *_NOT_FOUND)
def export(call: Call[NamedEmbeddedAccount]) -> ExportedKeyAnswer:
    """Export the private key of an account."""
    _, account = _find(call)
    return {"key": export_embedded(call.project, account)}


def _create(call: Call[Any], key: PrivateKey | None) -> EmbeddedAccountAnswer:
    user, project, body, entropy = _user(call), call.project, call.body, _entropy(call)
    chain_id = body.chainId
    require_kind(body.accountType, body.chainType)
    if body.accountType != "Externally Owned Account":
        chain_id = chain_id or default_chain(project)
    require_account_chain(project, body.chainType, chain_id, "chainId")
    kind: ShareEntropy = next(iter(entropy.secrets), "project")
    account = create_embedded(
        project, user, AccountSpec(body.accountType, body.chainType, chain_id, None), key
    )
    keep_share(project, user.id, account, kind, entropy)
    return _answer(account)


def _entropy(call: Call[Any]) -> Entropy:
    body: _Entropy = call.body
    given: dict[ShareEntropy, str | None] = {"user": body.password, "passkey": body.passkeyKey}
    if body.encryptionSession:
        given["project"] = require_part(call.project, "", body.encryptionSession)
    return Entropy({kind: secret for kind, secret in given.items() if secret}, body.passkeyId)


def _user(call: Call[Any]) -> User:
    user = call.project.identity.users.get(owner_signed_in(call))
    if user is None:
        raise ApiError(
            errors.SHIELD_CREDENTIAL_WRONG, header="x-auth-provider", problem="must be openfort here"
        )
    return user


def _find(call: Call[Any]) -> tuple[User, Account]:
    """The user who is signed in, and their account that the body names."""
    user = _user(call)
    return user, find_embedded(call.project, call.body.account, user)


def _answer(account: Account) -> EmbeddedAccountAnswer:
    return {
        "account": account.id,
        "address": account.address,
        "ownerAddress": account.signing_address,
        "chainType": account.chain_type,
    }


@cache
def _frame() -> bytes:
    """The page of the frame, with the library for its messages."""
    folder = Path(__file__).with_name("frame")
    library, _, _ = (folder / "penpal" / "penpal.min.js").read_bytes().partition(b"//# sourceMappingURL")
    return (folder / "frame.html").read_bytes().replace(b"/* penpal.min.js */", library)
