"""Developer accounts: externally owned accounts of the developer's (`/v1/settings/developer_accounts`)."""

from collections.abc import Collection, Sequence
from typing import Any, Literal, cast

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, Hash, Name, PageQuery, Query, Signature, empty
from mockserver.chain.addresses import to_checksum
from mockserver.crypto.messages import typed_data_digest
from mockserver.domain.policies import signing
from mockserver.domain.policies.criteria import Facts
from mockserver.domain.transactions.account_changes import removal
from mockserver.domain.wallets.developer_accounts import (
    as_account,
    create_developer_account,
    find_developer_account,
    message_to_sign,
    register_developer_account,
)
from mockserver.domain.wallets.keys import custody
from mockserver.errors import ApiError, wrong_field
from mockserver.responses.developer_accounts import DeveloperAccountFields, developer_account_answer
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import Deleted, Reference, deletion_answer
from mockserver.responses.transaction_intents import IntentAnswer, latest_intent_answers
from mockserver.state.project import Project
from mockserver.state.wallets import DeveloperAccount

developer_accounts = Group("Developer accounts")

Expansion = Literal["transactionIntents"]


class CreateDeveloperAccount(Body):
    """Without an `address` a key is generated; with one, `signature` signs the message to sign."""

    address: Address | None = None
    signature: Signature | None = None
    name: Name | None = None


class UpdateDeveloperAccount(Body):
    """What to change."""

    name: Name | None = None


class SignPayload(Body):
    """Typed data (EIP-712): `value` is the message. A `hash` has to be the one that is signed."""

    domain: dict[str, Any]
    types: dict[str, list[dict[str, Any]]]
    primaryType: Name
    value: dict[str, Any]
    """The message (EIP-712)."""
    hash: Hash | None = None
    """The hash that is to be signed, to be checked."""


class ExpandDeveloperAccount(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListDeveloperAccounts(ExpandDeveloperAccount, PageQuery):
    """Filters of the list."""

    deleted: bool = False


class WhoseMessage(Query):
    """The address to register."""

    address: Address


class MessageToSign(TypedDict):
    """What the owner of an address signs, as a personal message (EIP-191)."""

    message: str
    """The text that the owner signs."""
    address: str


class TypedDataSignatureAnswer(TypedDict):
    """A signature of typed data: r, s and v."""

    object: Literal["signature"]
    account: str
    address: str
    hash: str
    """The hash that was signed."""
    signature: str


class ExpandedDeveloperAccountAnswer(DeveloperAccountFields):
    """A developer account, with its transactions if `expand` names them."""

    transactionIntents: Sequence[IntentAnswer | Reference]


_READ = secret_key("settings:read")
_WRITE = secret_key("settings:write")
_NOT_FOUND = (errors.DEVELOPER_ACCOUNT_NOT_FOUND,)


@developer_accounts.endpoint("GET /v1/settings/developer_accounts", "GetDeveloperAccounts", _READ)
def list_developer_accounts(
    call: Call[None, ListDeveloperAccounts],
) -> Listing[ExpandedDeveloperAccountAnswer]:
    """List developer accounts, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.wallets.developer_accounts,
        lambda row: _account(project, row, query.expand),
        where={"deleted": None if query.deleted else False},
    )


@developer_accounts.endpoint(
    "POST /v1/settings/developer_accounts",
    "CreateDeveloperAccount",
    _WRITE,
    errors=(errors.REGISTRATION_NOT_SIGNED, errors.DEVELOPER_ACCOUNT_EXISTS),
)
def create_account(call: Call[CreateDeveloperAccount]) -> ExpandedDeveloperAccountAnswer:
    """Create a developer account, or register one whose key is elsewhere."""
    project, body = call.project, call.body
    if body.address is None:
        if body.signature is not None:
            raise wrong_field("address", "is required with a signature")
        return _account(project, create_developer_account(project, body.name))
    if body.signature is None:
        raise wrong_field("signature", "is required: the owner of the address signs the message to sign")
    signature = bytes.fromhex(body.signature[2:])
    return _account(project, register_developer_account(project, body.address, signature, body.name))


@developer_accounts.endpoint(
    "GET /v1/settings/developer_accounts/message_to_sign", "GetVerificationPayload", _READ
)
def get_message_to_sign(call: Call[None, WhoseMessage]) -> MessageToSign:
    """Retrieve the message that registers an address when signed; valid today and tomorrow."""
    address = to_checksum(call.query.address)
    return {"message": message_to_sign(call.project, address, call.now_ms), "address": address}


@developer_accounts.endpoint(
    "GET /v1/settings/developer_accounts/{id}", "GetDeveloperAccount", _READ, errors=_NOT_FOUND
)
def get_account(call: Call[None, ExpandDeveloperAccount]) -> ExpandedDeveloperAccountAnswer:
    """Retrieve a developer account."""
    return _account(call.project, _find(call), call.query.expand)


@developer_accounts.endpoint(
    "POST /v1/settings/developer_accounts/{id}", "UpdateDeveloperAccount", _WRITE, errors=_NOT_FOUND
)
def update_account(call: Call[UpdateDeveloperAccount]) -> ExpandedDeveloperAccountAnswer:
    """Give a developer account another name."""
    row = _find(call)
    if call.body.name is not None:
        row = call.project.wallets.developer_accounts.replace(row._replace(name=call.body.name))
    return _account(call.project, row)


@developer_accounts.endpoint(
    "DELETE /v1/settings/developer_accounts/{id}",
    "DeleteDeveloperAccount",
    secret_key("settings:delete"),
    errors=_NOT_FOUND,
)
def delete_account(call: Call) -> Deleted:
    """Delete a developer account: it makes no transactions, and only lists with `deleted` show it."""
    row = _find(call)
    removal.remove_developer_account(call.project, row)
    return deletion_answer(row.id, "developerAccount")


@developer_accounts.endpoint(
    "POST /v1/settings/developer_accounts/{id}/sign_payload",
    "SignPayloadDeveloperAccount",
    _WRITE,
    errors=(*_NOT_FOUND, errors.DEVELOPER_ACCOUNT_NOT_CUSTODIAL, errors.POLICY_REFUSED),
)
def sign_payload(call: Call[SignPayload]) -> TypedDataSignatureAnswer:
    """Sign typed data with the generated key of a developer account."""
    digest = _digest(call.body)
    row = _find(call)
    if not row.custodial:
        raise ApiError(errors.DEVELOPER_ACCOUNT_NOT_CUSTODIAL, param="id", id=row.id)
    facts = Facts(domain=call.body.domain, message=call.body.value, primaryType=call.body.primaryType)
    signing.require_allowed(call.project, row.id, signing.Signable(digest, "signEvmTypedData", facts))
    signature = custody.sign_digest(call.project, as_account(row), digest)
    return {
        "object": "signature",
        "account": row.id,
        "address": row.address,
        "hash": "0x" + digest.hex(),
        "signature": "0x" + signature.hex(),
    }


def _digest(body: SignPayload) -> bytes:
    """The digest to sign. ApiError with 400 when the typed data is malformed, or has another hash."""
    if "chainId" not in body.domain:
        raise wrong_field("domain.chainId", "is required")
    document = {
        "types": body.types,
        "domain": body.domain,
        "primaryType": body.primaryType,
        "message": body.value,
    }
    try:
        digest = typed_data_digest(document)
    except ValueError as error:
        place, _, reason = str(error).partition(": ")
        if place.startswith("message"):
            place = "value" + place.removeprefix("message")
        raise wrong_field(place, reason.rstrip(".")) from None
    if body.hash is not None and bytes.fromhex(body.hash[2:]) != digest:
        raise wrong_field("hash", f"is not the hash of the typed data, which is 0x{digest.hex()}")
    return digest


def _find(call: Call[Any, Any]) -> DeveloperAccount:
    return find_developer_account(call.project, call.path["id"])


def _account(
    project: Project, row: DeveloperAccount, expand: Collection[Expansion] = ()
) -> ExpandedDeveloperAccountAnswer:
    answer = cast(ExpandedDeveloperAccountAnswer, developer_account_answer(project, row))
    if "transactionIntents" in expand:
        answer["transactionIntents"] = latest_intent_answers(project, "account_id", row.id)
    return answer
