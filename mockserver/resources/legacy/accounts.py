"""Accounts of the older API: one for each player and chain (specification, Older endpoints)."""

from collections.abc import Collection, Sequence
from typing import Literal, cast

from pydantic import Field

from mockserver import errors
from mockserver.api.access import USERS, secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, ChainId, Id, PageQuery, Query, empty
from mockserver.chain.implementations import ImplementationType
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions.account_changes import ownership_transfer, removal
from mockserver.domain.wallets import players
from mockserver.domain.wallets.wallets import wallet_ids
from mockserver.errors import wrong_field
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.players import OlderAccountFields, PlayerAnswer, older_account_answer, player_answer
from mockserver.responses.shapes import Reference
from mockserver.responses.transaction_intents import IntentAnswer, intent_answer, latest_intent_answers
from mockserver.responses.transactions import wait_until_settled
from mockserver.state.project import Project
from mockserver.state.wallets import Account

legacy_accounts = Group("Accounts (v1)")

Expansion = Literal["player", "transactionIntents"]


class CreateOlderAccount(Body):
    """The chain and the player; in the mock's custody unless it has an `externalOwnerAddress`."""

    chainId: ChainId
    player: Id | None = None
    externalOwnerAddress: Address | None = None
    accountType: ImplementationType | None = None


class TransferAccountOwnership(Body):
    """The new owner, and the fee sponsorship (`pol_`) for the transaction."""

    newOwnerAddress: Address
    policy: Id


class ExpandAccount(Query):
    """What to inline."""

    expand: list[Expansion] = Field(default_factory=empty)


class ListOlderAccounts(ExpandAccount, PageQuery):
    """Filters of the list. A secret key has to name the `player`."""

    player: Id | None = None
    chainId: ChainId | None = None
    address: Address | None = None


class ExpandedAccountAnswer(OlderAccountFields):
    """An account, with the related objects that `expand` names."""

    transactionIntents: Sequence[IntentAnswer | Reference]
    player: PlayerAnswer | Reference


_WRITE = secret_key("accounts:write", *USERS)
_NOT_FOUND = (errors.ACCOUNT_NOT_FOUND,)


@legacy_accounts.endpoint(
    "GET /v1/accounts",
    "GetAccounts",
    secret_key("accounts:read", *USERS),
    errors=(errors.WALLET_NOT_FOUND,),
)
def list_accounts(call: Call[None, ListOlderAccounts]) -> Listing[ExpandedAccountAnswer]:
    """List the accounts of a player, newest first; a user's own by default."""
    query, project = call.query, call.project
    player, user = query.player, call.caller.user
    if user is not None and (own := players.find_player(project, user, player)):
        player = own.id
    if player is None:
        raise wrong_field("player", "is required with a secret key")
    return list_rows(
        call,
        project.wallets.accounts,
        lambda row: _account(project, row, query.expand),
        where={
            "wallet_id": wallet_ids(project, player),
            "chain_id": query.chainId,
            "address": query.address.lower() if query.address else None,
        },
        accept=lambda row: row.is_known_to_older_api,
    )


@legacy_accounts.endpoint(
    "POST /v1/accounts",
    "CreateAccount",
    _WRITE,
    errors=(
        errors.WALLET_NOT_FOUND,
        errors.USER_NOT_FOUND,
        *CHAIN_ERRORS,
        errors.IMPLEMENTATION_ABSENT,
        errors.ACCOUNT_EXISTS,
        errors.ADDRESS_TAKEN,
    ),
)
def create_account(call: Call[CreateOlderAccount]) -> ExpandedAccountAnswer:
    """Create a player's account on a chain; without a player, also the player."""
    project, body = call.project, call.body
    require_chain(project, body.chainId)
    selector = players.AccountSelector(player=body.player, owner=body.externalOwnerAddress)
    wallet = players.find_or_create_player(project, call.caller.user, selector)
    row = players.create_account(
        project, wallet, body.chainId, owner=body.externalOwnerAddress, implementation=body.accountType
    )
    return _account(project, row)


@legacy_accounts.endpoint(
    "GET /v1/accounts/{id}", "GetAccount", secret_key("accounts:read"), errors=_NOT_FOUND
)
def get_account(call: Call[None, ExpandAccount]) -> ExpandedAccountAnswer:
    """Retrieve an account."""
    row = players.find_older_account(call.project, call.path["id"])
    return _account(call.project, row, call.query.expand)


@legacy_accounts.endpoint(
    "POST /v1/accounts/{id}/disable", "DisableAccount", _WRITE, status=204, errors=_NOT_FOUND
)
def disable_account(call: Call) -> None:
    """Disable an account for good: it is hidden, and neither makes nor signs transactions."""
    account = players.find_older_account(call.project, call.path["id"], call.caller.user)
    removal.disable(call.project, account)


@legacy_accounts.endpoint(
    "POST /v1/accounts/{id}/request_transfer_ownership",
    "RequestAccountTransferOwnership",
    secret_key("wallets:write"),
    errors=(errors.ACCOUNT_NOT_FOUND, *SPONSORSHIP_ERRORS),
    transacts=True,
)
def request_transfer(call: Call[TransferAccountOwnership]) -> IntentAnswer:
    """Offer an account to a new owner, who accepts by calling `acceptOwnership()` on it."""
    project, body = call.project, call.body
    account = players.find_older_account(project, call.path["id"])
    row = ownership_transfer.offer(project, account, body.newOwnerAddress, body.policy, "id")
    return wait_until_settled(project, row, intent_answer)


def _account(project: Project, row: Account, expand: Collection[Expansion] = ()) -> ExpandedAccountAnswer:
    answer = cast(ExpandedAccountAnswer, older_account_answer(project, row))
    if "player" in expand:
        answer["player"] = player_answer(project, row.wallet_id)
    if "transactionIntents" in expand:
        answer["transactionIntents"] = latest_intent_answers(project, "account_id", row.id)
    return answer
