"""Players and their accounts as the older API shows them (specification, Older endpoints)."""

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.shapes import Reference, optional, present
from mockserver.state.project import Project
from mockserver.state.wallets import Account, key_id

LATEST = 10
"""The number of latest intents in an answer."""


class PlayerFields(TypedDict):
    """A player, a user's wallet, without related objects."""

    id: str
    object: Literal["player"]
    createdAt: int
    name: str
    description: NotRequired[str]
    metadata: NotRequired[Mapping[str, str | int | float]]


class PlayerAnswer(PlayerFields):
    """A player, not expanded: related objects are given by id."""

    transactionIntents: NotRequired[list[Reference]]
    accounts: NotRequired[list[Reference]]


class OlderAccountFields(TypedDict):
    """An account without related objects."""

    id: str
    object: Literal["account"]
    createdAt: int
    address: str
    ownerAddress: str
    deployed: bool
    custodial: bool
    embeddedSigner: bool
    chainId: int
    accountType: str
    pendingOwnerAddress: NotRequired[str]


class OlderAccountAnswer(OlderAccountFields):
    """An account, not expanded: related objects are given by id."""

    transactionIntents: list[Reference]
    player: Reference


def player_answer(project: Project, wallet_id: str) -> PlayerAnswer:
    """A player as the older API shows it."""
    wallet = project.wallets.wallets[wallet_id]
    user = project.identity.users.get(wallet.user_id)
    answer: PlayerAnswer = {
        "id": wallet_id,
        "object": "player",
        "createdAt": to_seconds(wallet.created_ms),
        "name": user.name if user else "",
        "transactionIntents": latest_intents(project, "wallet_id", wallet_id),
        "accounts": [
            {"id": row.id}
            for row in project.wallets.accounts.find("wallet_id", wallet_id)
            if row.is_known_to_older_api
        ],
        "description": optional(wallet.description),
        "metadata": optional(wallet.metadata or None),
    }
    return present(answer)


def older_account_answer(project: Project, row: Account, chain_id: int | None = None) -> OlderAccountAnswer:
    """An account as the older API shows it; `chain_id` is for one that is on every chain."""
    smart = row.smart_account
    held = key_id(row.signing_address, row.chain_type) in project.wallets.keys
    answer: OlderAccountAnswer = {
        "id": row.id,
        "object": "account",
        "createdAt": to_seconds(row.created_ms),
        "address": row.address,
        "ownerAddress": row.signing_address,
        "deployed": smart is None or smart.deployed_tx is not None,
        "custodial": row.custody == "Developer",
        "embeddedSigner": row.custody == "User" and held,
        "chainId": row.chain_id or chain_id or 0,
        "accountType": smart.implementation_type if smart else row.account_type,
        "transactionIntents": latest_intents(project, "account_id", row.id),
        "player": {"id": row.wallet_id},
        "pendingOwnerAddress": optional(row.pending_owner_address),
    }
    return present(answer)


def latest_intents(project: Project, index: str, value: str) -> list[Reference]:
    """The latest transactions with a value in an index, newest first, by their ids."""
    rows = project.onchain.transactions.page(limit=LATEST, where={index: value}).rows
    return [{"id": row.id} for row in rows]
