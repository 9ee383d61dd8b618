"""Backend wallets at the paths where clients before 0.10 read them (`/v2/accounts/backend`)."""

from typing import Literal

from typing_extensions import TypedDict

from mockserver import errors, leniencies
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Id, Name, PageQuery
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import Listing, list_rows
from mockserver.state.existence import require
from mockserver.state.wallets import Account, ChainType, index_spelling

legacy_backend_wallets = Group("Backend wallets (older)")

_READ = secret_key("accounts:read")


class ListBackendWallets(PageQuery):
    """Filters of the list. `wallet` is a `pla_` id. No backend wallet has a name: with `name` it is empty."""

    chainType: ChainType | None = None
    address: Id | None = None
    name: Name | None = None
    wallet: Id | None = None


class LegacyBackendWalletAnswer(TypedDict):
    """A backend wallet, as the older paths show it."""

    object: Literal["backendWallet"]
    id: str
    address: str
    chainType: ChainType
    custody: Literal["Developer"]
    createdAt: int
    updatedAt: int


@legacy_backend_wallets.endpoint(
    "GET /v2/accounts/backend", "listBackendWallets", _READ, leniency=leniencies.OLDER_PATH_OF_BACKEND_WALLETS
)
def list_backend_wallets(call: Call[None, ListBackendWallets]) -> Listing[LegacyBackendWalletAnswer]:
    """List backend wallets, newest first."""
    query = call.query
    return list_rows(
        call,
        call.project.wallets.accounts,
        _backend_wallet,
        where={
            "chain_type": query.chainType,
            "address": index_spelling(query.address) if query.address else None,
            "wallet_id": query.wallet,
        },
        accept=lambda row: _is_backend_wallet(row) and not query.name,
    )


@legacy_backend_wallets.endpoint(
    "GET /v2/accounts/backend/{id}",
    "getBackendWallet",
    _READ,
    errors=(errors.ACCOUNT_NOT_FOUND,),
    leniency=leniencies.OLDER_PATH_OF_BACKEND_WALLETS,
)
def get_backend_wallet(call: Call) -> LegacyBackendWalletAnswer:
    """Retrieve a backend wallet."""
    accounts, wallet_id = call.project.wallets.accounts, call.path["id"]
    return _backend_wallet(require(accounts, wallet_id, errors.ACCOUNT_NOT_FOUND, accept=_is_backend_wallet))


def _is_backend_wallet(row: Account) -> bool:
    # Its smart and delegated accounts are no wallets of their own.
    return row.backend and row.account_type == "Externally Owned Account"


def _backend_wallet(row: Account) -> LegacyBackendWalletAnswer:
    return {
        "object": "backendWallet",
        "id": row.id,
        "address": row.address,
        "chainType": row.chain_type,
        "custody": "Developer",
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
    }
