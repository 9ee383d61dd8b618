"""Players: users with their wallets, in the older API (`/v1/players`)."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, ChainId, Id, Name, PageQuery, Query, Text, empty
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.identity import users
from mockserver.domain.identity.users import merge_metadata
from mockserver.domain.sponsorship.sponsors import SPONSORSHIP_ERRORS
from mockserver.domain.transactions.account_changes import ownership_transfer, removal
from mockserver.domain.wallets.players import account_on_chain, new_player
from mockserver.domain.wallets.wallets import require_wallet, wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.responses.expanded_players import (
    ExpandedPlayerAnswer,
    PlayerExpansion,
    player_with_expansions,
)
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.responses.transaction_intents import IntentAnswer, intent_answer
from mockserver.responses.transactions import wait_until_settled
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Wallet

players = Group("Players (v1)")

Metadata = Annotated[dict[str, str | int | float], Field(max_length=100)] | Literal[""]


class WritePlayer(Body):
    """The name, description and metadata of a player.

    An empty value of `metadata` unsets its key, empty `metadata` every key.
    """

    name: Name | None = None
    description: Text | None = None
    metadata: Metadata | None = None


class TransferPlayerOwnership(Body):
    """The new owner of the player's account on a chain, and the sponsorship (`pol_`) for the transaction."""

    policy: Id
    chainId: ChainId
    newOwnerAddress: Address
    player: Id | None = None


class CancelTransfer(Body):
    """The chain, and the sponsorship (`pol_`) for the transaction."""

    policy: Id
    chainId: ChainId


class ExpandPlayer(Query):
    """What to inline."""

    expand: list[PlayerExpansion] = Field(default_factory=empty)


class ListPlayers(ExpandPlayer, PageQuery):
    """Filters of the list."""

    name: Text | None = None
    """A part of the name, in any case."""


_READ = secret_key("wallets:read")
_WRITE = secret_key("wallets:write")
_TRANSFER = (
    errors.USER_NOT_FOUND,
    errors.PLAYER_WITHOUT_ACCOUNT,
    errors.ACCOUNT_DISABLED,
    *SPONSORSHIP_ERRORS,
    *CHAIN_ERRORS,
)


@players.endpoint("GET /v1/players", "GetPlayers", _READ)
def list_players(call: Call[None, ListPlayers]) -> Listing[ExpandedPlayerAnswer]:
    """List players, newest first."""
    query, project = call.query, call.project
    return list_rows(
        call,
        project.wallets.wallets,
        lambda row: player_with_expansions(project, row.id, query.expand),
        accept=_name_contains(project, query.name or ""),
    )


@players.endpoint("POST /v1/players", "CreatePlayer", _WRITE)
def create_player(call: Call[WritePlayer]) -> ExpandedPlayerAnswer:
    """Create a player, who has no sign-in method yet."""
    wallet = new_player(call.project, call.body.name or "")
    return player_with_expansions(call.project, _update(call.project, wallet, call.body).id)


@players.endpoint(
    "GET /v1/players/{id}",
    "GetPlayer",
    _READ,
    errors=(errors.USER_NOT_FOUND, errors.USER_WITHOUT_WALLET),
)
def get_player(call: Call[None, ExpandPlayer]) -> ExpandedPlayerAnswer:
    """Retrieve a player, by their id or the user's."""
    player = require_wallet(call.project, users.find_user(call.project, call.path["id"]))
    return player_with_expansions(call.project, player.id, call.query.expand)


@players.endpoint("POST /v1/players/{id}", "UpdatePlayer", _WRITE, errors=(errors.USER_NOT_FOUND,))
def update_player(call: Call[WritePlayer]) -> ExpandedPlayerAnswer:
    """Change a player; missing members are unchanged."""
    project, body = call.project, call.body
    user = users.find_user(project, call.path["id"])
    if body.name is not None:
        project.identity.users.replace(user._replace(name=body.name, updated_ms=call.now_ms))
    return player_with_expansions(project, _update(project, wallet_of_user(project, user), body).id)


@players.endpoint(
    "DELETE /v1/players/{id}",
    "DeletePlayer",
    secret_key("wallets:delete"),
    errors=removal.USER_REMOVAL_ERRORS,
)
def delete_player(call: Call) -> Deleted:
    """Delete a player: the user, with their linked accounts, sessions and accounts."""
    return deletion_answer(removal.remove_user(call.project, call.path["id"]), "player")


@players.endpoint(
    "POST /v1/players/{id}/request_transfer_ownership",
    "RequestTransferAccountOwnership",
    _WRITE,
    errors=_TRANSFER,
    transacts=True,
)
def request_transfer(call: Call[TransferPlayerOwnership]) -> IntentAnswer:
    """Offer a player's account on a chain to a new owner, who accepts by calling `acceptOwnership()`."""
    body = call.body
    player = _find(call)
    if body.player not in (None, player.id, player.user_id):
        raise wrong_field("player", f"must be the player of the path, {player.id}")
    account = _account_on(call.project, player, body.chainId)
    row = ownership_transfer.offer(call.project, account, body.newOwnerAddress, body.policy, "chainId")
    return wait_until_settled(call.project, row, intent_answer)


@players.endpoint(
    "POST /v1/players/{id}/cancel_transfer_ownership",
    "CancelTransferAccountOwnership",
    _WRITE,
    errors=(*_TRANSFER, errors.OWNERSHIP_NOT_OFFERED),
    transacts=True,
)
def cancel_transfer(call: Call[CancelTransfer]) -> IntentAnswer:
    """Cancel the pending transfer of a player's account on a chain."""
    account = _account_on(call.project, _find(call), call.body.chainId)
    row = ownership_transfer.cancel(call.project, account, call.body.policy, "chainId")
    return wait_until_settled(call.project, row, intent_answer)


def _find(call: Call[Any, Any]) -> Wallet:
    return wallet_of_user(call.project, users.find_user(call.project, call.path["id"]))


def _account_on(project: Project, player: Wallet, chain_id: int) -> Account:
    require_chain(project, chain_id)
    account = account_on_chain(project, player, chain_id)
    if account is None:
        raise ApiError(errors.PLAYER_WITHOUT_ACCOUNT, param="chainId", player=player.id, chain_id=chain_id)
    return account


def _name_contains(project: Project, part: str) -> Callable[[Wallet], bool]:
    """A filter by a part of the user's name. It excludes backend wallets, which are not players."""
    wanted = part.lower()

    def is_match(row: Wallet) -> bool:
        user = project.identity.users.get(row.user_id)
        return user is not None and wanted in user.name.lower()

    return is_match


def _update(project: Project, wallet: Wallet, body: WritePlayer) -> Wallet:
    metadata = wallet.metadata
    if body.metadata is not None:
        metadata = merge_metadata(metadata, body.metadata)
    description = wallet.description if body.description is None else body.description
    return project.wallets.wallets.replace(wallet._replace(description=description, metadata=metadata))
