"""Session keys: keys that may act for an account within limits (specification, Session keys (v1))."""

from collections.abc import Collection, Sequence
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import USERS, Scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.waiting import later
from mockserver.api.wire import Address, Body, ChainId, Id, PageQuery, Query, SignedAction, empty
from mockserver.chain.addresses import ZERO_ADDRESS, is_address, to_checksum
from mockserver.domain.chains.contracts import find_contract_on
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.account_changes import session_registration
from mockserver.domain.transactions.account_changes.session_registration import UNLIMITED, Grant
from mockserver.domain.wallets import players
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.domain.wallets.session_keys import find_session_key
from mockserver.domain.wallets.wallets import wallet_ids
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.players import latest_intents
from mockserver.responses.shapes import Reference, optional, present
from mockserver.responses.transaction_intents import (
    IntentActionAnswer,
    IntentAnswer,
    latest_intent_answers,
    next_action,
)
from mockserver.responses.transactions import until_settled
from mockserver.state.existence import not_found, note_dropped, require
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account

session_keys = Group("Session keys")

Expansion = Literal["transactionIntents"]
UnixSeconds = Annotated[int, Field(ge=0, le=UNLIMITED)]


class SessionRequest(Body):
    """The account of a session key. With `optimistic` the answer does not wait for the chain."""

    chainId: ChainId
    policy: Id | None = None
    optimistic: bool = False
    player: Id | None = None
    account: Id | None = None


class CreateSession(SessionRequest):
    """The permissions of a session key: sign from `validAfter` until `validUntil` (unix seconds),
    `limit` times, calls of the contracts on the `whitelist`.
    """

    address: Address
    """The address of the session key."""
    validAfter: UnixSeconds
    validUntil: UnixSeconds
    externalOwnerAddress: Address | None = None
    limit: Annotated[int, Field(ge=1, le=UNLIMITED)] | None = None
    """How often the key may sign."""
    whitelist: Annotated[list[Id], Field(max_length=256)] | None = None


class RevokeSessionKey(SessionRequest):
    """The session key to revoke, by its address or its id (`ses_`)."""

    address: Id
    """The address of the session key, or its id."""


class ExpandSession(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListSessions(ExpandSession, PageQuery):
    """The player whose session keys to list."""

    player: Id


class SessionAnswer(TypedDict):
    """A session key, as the specification's Session key (v1)."""

    id: str
    object: Literal["session"]
    createdAt: int
    updatedAt: int
    isActive: bool
    address: str
    """The address of the session key."""
    validAfter: str
    validUntil: str
    account: Reference
    whitelist: list[str]
    # Generators of clients take 32 bits otherwise.
    limit: Annotated[int, WithJsonSchema({"type": "integer", "format": "int64"})]
    """How often the key may sign."""
    nextAction: NotRequired[IntentActionAnswer]
    transactionIntents: Sequence[IntentAnswer | Reference]


_READERS = secret_key("sessions:read")
_WRITERS = secret_key("sessions:write", *USERS)
_UNFIT = (
    errors.ACCOUNT_NOT_FOUND,
    errors.ACCOUNT_DISABLED,
    errors.DEVELOPER_ACCOUNT_NOT_FOUND,
    errors.WALLET_NOT_FOUND,
    errors.USER_NOT_FOUND,
    *SPONSORSHIP_ERRORS,
    *CHAIN_ERRORS,
)


@session_keys.endpoint("GET /v1/sessions", "GetPlayerSessions", _READERS)
def list_sessions(call: Call[None, ListSessions]) -> Listing[SessionAnswer]:
    """List the session keys of a player, newest first."""
    query = call.query
    return list_rows(
        call,
        call.project.session_keys.rows,
        lambda row: _session(call.project, row, query.expand),
        where={"wallet_id": wallet_ids(call.project, query.player)},
    )


@session_keys.endpoint(
    "POST /v1/sessions",
    "CreateSession",
    _WRITERS,
    errors=(
        *_UNFIT,
        errors.CONTRACT_NOT_FOUND,
        errors.SESSION_KEY_EXISTS,
        errors.IMPLEMENTATION_ABSENT,
        errors.ADDRESS_TAKEN,
        errors.OWNER_OF_OTHER_ACCOUNT,
    ),
    on_behalf=True,
    transacts=True,
)
def create_session(call: Call[CreateSession]) -> SessionAnswer:
    """Register a session key: at once in the mock's custody, else once its owner has signed."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    if body.validUntil <= body.validAfter:
        raise wrong_field("validUntil", "must be after validAfter")
    if body.validUntil <= project.clock.now_s:
        reason = f"must be in the future, in unix seconds; it is {project.clock.now_s}"
        raise wrong_field("validUntil", reason)
    if to_checksum(body.address) == ZERO_ADDRESS:
        raise wrong_field("address", "is the zero address")
    selector = players.AccountSelector(body.account, body.player, body.externalOwnerAddress)
    if call.caller.user is None and selector == players.AccountSelector():
        raise wrong_field("player", "a session key needs an account, a player or an externalOwnerAddress")
    account = players.find_or_create_account(project, call.caller.user, body.chainId, selector)
    grant = Grant(
        to_checksum(body.address),
        body.validAfter,
        body.validUntil,
        UNLIMITED if body.limit is None else body.limit,
        tuple(
            _contract(project, body.chainId, entry, f"whitelist[{i}]")
            for i, entry in enumerate(body.whitelist or ())
        ),
    )
    param = "player" if body.account is None and body.player is not None else "account"
    row = session_registration.register(project, account, body.chainId, grant, body.policy, param)
    return _answer_or_wait(project, row.id, body.optimistic)


@session_keys.endpoint(
    "POST /v1/sessions/revoke",
    "RevokeSession",
    _WRITERS,
    errors=(*_UNFIT, errors.SESSION_KEY_NOT_FOUND, errors.SESSION_KEY_INACTIVE),
    on_behalf=True,
    transacts=True,
)
def revoke_session(call: Call[RevokeSessionKey]) -> SessionAnswer:
    """Revoke a session key: at once in the mock's custody or if it was not signed yet, else once signed."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    account, row = _find_key(call, body)
    row = session_registration.revoke(project, account, row, body.policy)
    return _answer_or_wait(project, row.id, body.optimistic)


@session_keys.endpoint(
    "POST /v1/sessions/{id}/signature",
    "SignatureSession",
    secret_key("sessions:write", Scheme.PUBLISHABLE_KEY, Scheme.AUTH_TOKEN),
    errors=(errors.SESSION_KEY_NOT_FOUND, errors.ACCOUNT_DISABLED, *creation.SIGNING_ERRORS),
)
def submit_signature(call: Call[SignedAction]) -> SessionAnswer:
    """Register or revoke a session key, signed by the owner or a valid key; waits unless optimistic."""
    user = call.caller.user
    row = require(
        call.project.session_keys.rows,
        call.path["id"],
        errors.SESSION_KEY_NOT_FOUND,
        accept=lambda row: user is None or row.wallet_id in wallet_ids(call.project, user.id),
    )
    session_registration.sign(call.project, row, bytes.fromhex(call.body.signature[2:]))
    return _answer_or_wait(call.project, row.id, call.body.optimistic)


@session_keys.endpoint(
    "GET /v1/sessions/{id}", "GetSession", _READERS, errors=(errors.SESSION_KEY_NOT_FOUND,)
)
def get_session(call: Call[None, ExpandSession]) -> SessionAnswer:
    """Retrieve a session key."""
    row = require(call.project.session_keys.rows, call.path["id"], errors.SESSION_KEY_NOT_FOUND)
    return _session(call.project, row, call.query.expand)


# --- requests ------------------------------------------------------------------------------------------


def _contract(project: Project, chain_id: int, entry: str, path: str) -> str:
    """Resolve an entry of a whitelist: an address, or a contract's id."""
    if entry.startswith("con_"):
        return find_contract_on(project, chain_id, entry, path).address
    if not is_address(entry):
        raise wrong_field(path, "must be an address, or the id of a contract")
    return to_checksum(entry)


def _find_key(call: Call[Any, Any], body: RevokeSessionKey) -> tuple[Account, SessionKey]:
    """The account and the key to revoke. ApiError with 400 or 404."""
    project, user = call.project, call.caller.user
    named = project.session_keys.rows.get(body.address)
    selector = players.AccountSelector(body.account, body.player)
    if named is not None and selector == players.AccountSelector() and user is None:
        if acting_account(project, named.account_id) is None:
            raise not_found(errors.ACCOUNT_NOT_FOUND, named.account_id, "address")
        selector = players.AccountSelector(account=named.account_id)
    account = players.find_account(project, user, body.chainId, selector)
    if account is None and user is None and selector == players.AccountSelector():
        raise wrong_field("player", "to revoke by address, name the account or the player")
    if account is not None and named is None and is_address(body.address):
        named = find_session_key(project, account, to_checksum(body.address))
    if named is None or account is None or (named.account_id, named.chain_id) != (account.id, body.chainId):
        note = note_dropped(project.session_keys.rows)
        raise ApiError(errors.SESSION_KEY_NOT_FOUND, param="address", note=note, id=body.address)
    return account, named


# --- answers -------------------------------------------------------------------------------------------


def _answer_or_wait(project: Project, row_id: str, optimistic: bool) -> SessionAnswer:
    def answer() -> SessionAnswer:
        return _session(project, require(project.session_keys.rows, row_id, errors.SESSION_KEY_NOT_FOUND))

    sent = session_registration.transaction_of(project, project.session_keys.rows[row_id])
    if optimistic or sent is None or sent.status != "sent":
        return answer()
    return later(until_settled(project, sent.id), answer)


def _session(project: Project, row: SessionKey, expand: Collection[Expansion] = ()) -> SessionAnswer:
    latest = latest_intent_answers if "transactionIntents" in expand else latest_intents
    is_unsigned = row.state in ("awaiting_signature", "revoking")
    waiting = session_registration.transaction_of(project, row) if is_unsigned else None
    answer: SessionAnswer = {
        "id": row.id,
        "object": "session",
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "isActive": row.is_active,
        "address": row.address,
        "validAfter": str(row.valid_after_s),
        "validUntil": str(row.valid_until_s),
        "account": {"id": row.account_id},
        "whitelist": list(row.whitelist),
        "limit": row.limit,
        "transactionIntents": latest(project, "session_key_id", row.id),
        "nextAction": optional(next_action(waiting) if waiting else None),
    }
    return present(answer)
