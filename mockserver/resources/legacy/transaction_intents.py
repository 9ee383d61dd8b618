"""Transaction intents: the older vocabulary for transactions (specification, Transaction intents (v1))."""

from typing import Annotated, Any

from pydantic import Field

from mockserver import errors, leniencies
from mockserver.api.access import USERS, Scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import (
    Address,
    Body,
    ChainId,
    Hex,
    Id,
    Name,
    PageQuery,
    Query,
    Signature,
    SignedAction,
    WeiOrQuantity,
    empty,
)
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions import creation, lifecycle, preparation
from mockserver.domain.wallets import players, selectors
from mockserver.domain.wallets.wallets import wallet_ids
from mockserver.responses.estimates import EstimateAnswer, estimate_answer
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.transaction_intents import Expansion, IntentAnswer, intent_answer
from mockserver.responses.transactions import wait_until_settled
from mockserver.state.wallets import Account

transaction_intents = Group("Transaction intents")


class Interaction(Body):
    """A call: to an address or a registered contract, with raw or encoded data."""

    to: Id | None = None
    value: WeiOrQuantity | None = None
    contract: Id | None = None
    functionName: Name | None = None
    functionArgs: Annotated[list[Any], Field(max_length=256)] | None = None
    dataSuffix: Hex | None = None
    data: Hex | None = None
    """The calldata, instead of `contract` and `functionName`."""


class CreateIntent(Body):
    """The calls, the account and the sponsorship. An optimistic answer does not wait for the receipt."""

    chainId: ChainId
    interactions: Annotated[list[Interaction], Field(min_length=1, max_length=256)]
    player: Id | None = None
    account: Id | None = None
    policy: Id | None = None
    externalOwnerAddress: Address | None = None
    optimistic: bool = False
    signedAuthorization: Signature | None = None


class ExpandIntent(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListIntents(ExpandIntent, PageQuery):
    """Filters of the list; `status` is 1 for intents that succeeded and 0 for those that did not."""

    chainId: ChainId | None = None
    account: list[Id] | None = None
    player: list[Id] | None = None
    status: Annotated[int, Field(ge=0, le=1)] | None = None
    policy: list[Id] | None = None


_WRITERS = secret_key("transactions:write", *USERS)
_ENDS = {1: ["successful"], 0: ["reverted", "failed"]}
_UNFIT = (
    errors.ACCOUNT_NOT_FOUND,
    errors.ACCOUNT_DISABLED,
    errors.DEVELOPER_ACCOUNT_NOT_FOUND,
    errors.WALLET_NOT_FOUND,
    errors.USER_NOT_FOUND,
    errors.CONTRACT_NOT_FOUND,
    *SPONSORSHIP_ERRORS,
    *CHAIN_ERRORS,
    errors.ADDRESS_TAKEN,
    errors.OWNER_OF_OTHER_ACCOUNT,
    errors.INVALID_AUTHORIZATION,
)
"""The errors of a requested intent."""


@transaction_intents.endpoint(
    "GET /v1/transaction_intents", "GetTransactionIntents", secret_key("transactions:read")
)
def list_intents(call: Call[None, ListIntents]) -> Listing[IntentAnswer]:
    """List transaction intents, newest first."""
    query = call.query
    return list_rows(
        call,
        call.project.onchain.transactions,
        lambda row: intent_answer(call.project, row, query.expand),
        where={
            "is_raw": False,
            "chain_id": query.chainId,
            "account_id": query.account,
            "wallet_id": None if query.player is None else wallet_ids(call.project, *query.player),
            "fee_sponsorship_id": query.policy,
            "status": None if query.status is None else _ENDS[query.status],
        },
    )


@transaction_intents.endpoint(
    "POST /v1/transaction_intents",
    "CreateTransactionIntent",
    _WRITERS,
    errors=(*_UNFIT, errors.TRANSACTION_NOT_FOUND),
    on_behalf=True,
    transacts=True,
)
def create_intent(call: Call[CreateIntent]) -> IntentAnswer:
    """Execute calls from an account, which is created if missing.

    Accounts that the mock does not sign for get `nextAction` with the hash to sign; so do the delegated
    accounts of backend wallets, which only the wallet secret authorizes.
    """
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    account = players.find_or_create_account(project, call.caller.user, body.chainId, _account_selector(body))
    prepared = _prepare(call, account)
    row = creation.create(project, prepared, owner_signs=players.is_signed_by_wallet(account))
    return wait_until_settled(project, row, intent_answer, wait=not body.optimistic)


@transaction_intents.endpoint(
    "POST /v1/transaction_intents/estimate_gas_cost", "EstimateTransactionIntentCost", _WRITERS, errors=_UNFIT
)
def estimate_intent(call: Call[CreateIntent]) -> EstimateAnswer:
    """Estimate the cost of an intent without creating it, or an account for it."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    whose = call.caller.user, body.chainId, _account_selector(body)
    account = players.find_account(project, *whose) or players.hypothetical_account(project, *whose)
    return estimate_answer(preparation.estimate(project, _prepare(call, account)))


@transaction_intents.endpoint(
    "GET /v1/transaction_intents/{id}",
    "GetTransactionIntent",
    secret_key("transactions:read", *USERS),
    errors=(errors.TRANSACTION_NOT_FOUND,),
)
def get_intent(call: Call[None, ExpandIntent]) -> IntentAnswer:
    """Retrieve a transaction intent."""
    row = lifecycle.find_transaction(call.project, call.path["id"], call.caller.user)
    return intent_answer(call.project, row, call.query.expand)


@transaction_intents.endpoint(
    "POST /v1/transaction_intents/{id}/signature",
    "Signature",
    # The key is enough, also with the token of a user beside it.
    secret_key("transactions:write", Scheme.PUBLISHABLE_KEY, Scheme.ACCESS_TOKEN, Scheme.THIRD_PARTY),
    errors=(errors.TRANSACTION_NOT_FOUND, *creation.SIGNING_ERRORS),
)
def submit_signature(call: Call[SignedAction]) -> IntentAnswer:
    """Send an intent with the signature of its owner, or of a session key; waits unless optimistic."""
    row = lifecycle.find_transaction(call.project, call.path["id"], call.caller.user)
    row = creation.sign(call.project, row, bytes.fromhex(call.body.signature[2:]))
    return wait_until_settled(call.project, row, intent_answer, wait=not call.body.optimistic)


def _account_selector(body: CreateIntent) -> players.AccountSelector:
    return players.AccountSelector(body.account, body.player, body.externalOwnerAddress)


def _prepare(call: Call[CreateIntent], account: Account) -> preparation.Prepared:
    body = call.body
    return preparation.prepare(
        call.project,
        account,
        body.chainId,
        [_members(call, place, interaction) for place, interaction in enumerate(body.interactions)],
        sponsorship_id=body.policy,
        authorization=body.signedAuthorization,
        fields=selectors.V1,
        accept=call.accept_leniently,
    )


def _members(call: Call[CreateIntent], place: int, interaction: Interaction) -> dict[str, Any]:
    """The members of an interaction that were sent, by the names of a call."""
    members = interaction.given_members()
    value = interaction.value
    if value is not None and value.startswith("0x"):
        call.accept_leniently(leniencies.VALUE_AS_QUANTITY, f"interactions[{place}].value")
        members["value"] = str(int(value, 16))
    return {"contractId" if name == "contract" else name: value for name, value in members.items()}
