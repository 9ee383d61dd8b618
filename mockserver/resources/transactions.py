"""Transactions: calls that accounts make on EVM chains (specification, Transactions (v2))."""

from typing import Annotated, Any

from pydantic import Field

from mockserver import errors, leniencies
from mockserver.api.access import USERS, Scheme, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, ChainId, Hex, Id, Name, PageQuery, Query, Signature, Wei, empty
from mockserver.domain.chains.networks import CHAIN_ERRORS
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions import creation, lifecycle, preparation
from mockserver.domain.wallets import selectors
from mockserver.errors import wrong_field
from mockserver.responses.estimates import EstimateAnswer, estimate_answer
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.transactions import (
    Expansion,
    TransactionAnswer,
    transaction_answer,
    wait_until_settled,
)
from mockserver.state.onchain import TransactionStatus

transactions = Group("Transactions")


class CallRequest(Body):
    """A call: to an address or a registered contract, with raw or encoded data."""

    to: Id | None = None
    value: Wei | None = None
    data: Hex | None = None
    """The calldata, instead of `contractId` and `functionName`."""
    dataSuffix: Hex | None = None
    contractId: Id | None = None
    functionName: Name | None = None
    functionArgs: Annotated[list[Any], Field(max_length=256)] | None = None


class TransactionRequest(Body):
    """The calls, the account and the sponsorship."""

    chainId: ChainId
    accountId: Id
    calls: Annotated[list[CallRequest], Field(min_length=1, max_length=256)]
    feeSponsorshipId: Id | None = None
    feeSponsorshipToken: Address | None = None
    signedAuthorization: Signature | None = None
    authorization: Signature | None = None
    """`signedAuthorization`, as the newest client calls it."""


class CreateTransaction(TransactionRequest):
    """A transaction; by default the answer waits for its receipt."""

    waitForReceipt: bool = True


class SubmitSignature(Body):
    """The owner's signature of `nextAction.hash`: r, s and v."""

    signature: Signature
    waitForReceipt: bool = True


class ExpandQuery(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListTransactions(ExpandQuery, PageQuery):
    """Filters of the list; those that are lists match any of their values."""

    chainId: ChainId | None = None
    accountId: list[Id] | None = None
    userId: list[Id] | None = None
    walletId: list[Id] | None = None
    feeSponsorshipId: list[Id] | None = None
    status: TransactionStatus | None = None
    """Only transactions with this status."""


_READERS = secret_key("transactions:read", *USERS)
_WRITERS = secret_key("transactions:write", *USERS)

_UNFIT = (
    errors.ACCOUNT_NOT_FOUND,
    errors.ACCOUNT_DISABLED,
    errors.WALLET_NOT_FOUND,
    errors.CONTRACT_NOT_FOUND,
    *SPONSORSHIP_ERRORS,
    errors.FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED,
    errors.INVALID_AUTHORIZATION,
    *CHAIN_ERRORS,
)
"""The errors of a requested transaction."""


@transactions.endpoint("GET /v2/transactions", "ListTransactions", _READERS)
def list_transactions(call: Call[None, ListTransactions]) -> Listing[TransactionAnswer]:
    """List transactions, newest first."""
    query = call.query
    user = call.caller.user
    own = [user.id] if user and (query.userId is None or user.id in query.userId) else []
    return list_rows(
        call,
        call.project.onchain.transactions,
        lambda row: transaction_answer(call.project, row, query.expand),
        where={
            "is_raw": False,
            "chain_id": query.chainId,
            "account_id": query.accountId,
            "wallet_id": query.walletId,
            "fee_sponsorship_id": query.feeSponsorshipId,
            "status": query.status,
            "user_id": query.userId if user is None else own,
        },
    )


@transactions.endpoint(
    "POST /v2/transactions",
    "CreateTransaction",
    _WRITERS,
    errors=(*_UNFIT, errors.TRANSACTION_NOT_FOUND),
    on_behalf=True,
    transacts=True,
)
def create_transaction(call: Call[CreateTransaction]) -> TransactionAnswer:
    """Execute calls from an account.

    Where the mock has custody it is signed and sent at once, and the answer waits for the receipt; a
    user's own account gets `nextAction` with the hash to sign.
    """
    row = creation.create(call.project, _prepare(call, call.body))
    return wait_until_settled(call.project, row, transaction_answer, wait=call.body.waitForReceipt)


@transactions.endpoint("POST /v2/transactions/estimate", "EstimateTransaction", _WRITERS, errors=_UNFIT)
def estimate_transaction(call: Call[TransactionRequest]) -> EstimateAnswer:
    """Estimate the cost of a transaction without creating it."""
    return estimate_answer(preparation.estimate(call.project, _prepare(call, call.body)))


@transactions.endpoint(
    "GET /v2/transactions/{id}", "GetTransaction", _READERS, errors=(errors.TRANSACTION_NOT_FOUND,)
)
def get_transaction(call: Call[None, ExpandQuery]) -> TransactionAnswer:
    """Retrieve a transaction."""
    row = lifecycle.find_transaction(call.project, call.path["id"], call.caller.user)
    return transaction_answer(call.project, row, call.query.expand)


@transactions.endpoint(
    "POST /v2/transactions/{id}/signature",
    "SubmitTransactionSignature",
    secret_key("transactions:write", Scheme.PUBLISHABLE_KEY, *USERS),
    errors=(errors.TRANSACTION_NOT_FOUND, *creation.SIGNING_ERRORS),
)
def submit_signature(call: Call[SubmitSignature]) -> TransactionAnswer:
    """Send a transaction with the signature of its owner, or of a session key; waits for the receipt."""
    row = lifecycle.find_transaction(call.project, call.path["id"], call.caller.user)
    row = creation.sign(call.project, row, bytes.fromhex(call.body.signature[2:]))
    return wait_until_settled(call.project, row, transaction_answer, wait=call.body.waitForReceipt)


def _prepare(call: Call[Any, Any], body: TransactionRequest) -> preparation.Prepared:
    fields = selectors.V2
    if body.authorization is not None:
        if body.signedAuthorization is not None:
            raise wrong_field("authorization", "excludes signedAuthorization, of which it is another name")
        call.accept_leniently(leniencies.AUTHORIZATION_BY_NEWER_NAME, "authorization")
        fields = fields._replace(authorization="authorization")
    account = selectors.require_account(call.project, body.accountId, call.caller.user)
    return preparation.prepare(
        call.project,
        account,
        body.chainId,
        [requested.given_members() for requested in body.calls],
        sponsorship_id=body.feeSponsorshipId,
        token=body.feeSponsorshipToken,
        authorization=body.signedAuthorization or body.authorization,
        fields=fields,
        accept=call.accept_leniently,
    )
