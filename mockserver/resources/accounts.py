"""Accounts of users on the chains (specification, Account (v2) and Accounts (v2))."""

from typing import NotRequired, cast

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import USERS, secret_key
from mockserver.api.call import Call, Caller
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, PageQuery, Query
from mockserver.chain import addresses, base58
from mockserver.chain.implementations import ImplementationType
from mockserver.domain.chains.networks import CHAIN_ERRORS, default_chain, require_account_chain
from mockserver.domain.transactions.account_changes import removal
from mockserver.domain.wallets.accounts import (
    choose_implementation,
    create_contract_account,
    create_eoa,
    other_owner_error,
    require_kind,
    switch_chain,
)
from mockserver.domain.wallets.keys.custody import key_of
from mockserver.domain.wallets.keys.shares import primary_share
from mockserver.domain.wallets.selectors import find_account
from mockserver.domain.wallets.wallets import find_owner, wallet_ids
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.secrecy import Secret
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.responses.lists import DEFAULT_LIMIT, Listing, list_rows
from mockserver.responses.shapes import Deleted, deletion_answer
from mockserver.state.existence import require
from mockserver.state.project import Project
from mockserver.state.wallets import Account, AccountType, ChainType, Custody, Wallet, index_spelling

accounts = Group("Accounts")


class CreateAccount(Body):
    """An account to create. With an `address` its key is elsewhere; `account` is the EOA that owns it.

    Without `account` a delegated account is the user's first EOA, or the one with the `address`; it is
    created if need be. Without `chainId` smart and delegated accounts are on the project's default chain.
    """

    accountType: AccountType
    chainType: ChainType
    user: Id
    """The id of the user, or of their wallet."""
    address: Id | None = None
    implementationType: ImplementationType | None = None
    chainId: ChainId | None = None
    account: Id | None = None
    """The externally owned account that controls the new one."""


class ListAccounts(PageQuery):
    """Filters of the list. `user` is a user (`usr_`) or a wallet (`pla_`)."""

    chainId: ChainId | None = None
    user: Id | None = None
    chainType: ChainType | None = None
    accountType: AccountType | None = None
    custody: Custody | None = None
    address: Id | None = None


class FindSigner(Query):
    """Whose signer to find."""

    address: Id


class SwitchChain(Body):
    """Which account, and the chain it is wanted on."""

    account: Id
    chainId: ChainId


class ShareAnswer(AccountAnswer):
    """An account with its primary share, and who signs for it."""

    share: Secret
    signerId: str
    userId: NotRequired[str]


class SignerAnswer(TypedDict):
    """Who signs for an address."""

    id: str


_READ = secret_key("accounts:read", *USERS)
_NOT_FOUND = (errors.ACCOUNT_NOT_FOUND,)


@accounts.endpoint("GET /v2/accounts", "getAccountsV2", _READ)
def list_accounts(call: Call[None, ListAccounts]) -> Listing[AccountAnswer]:
    """List accounts, newest first; a user sees only its own."""
    query, project = call.query, call.project
    owned = _visible_wallets(call.project, call.caller)
    if query.user is not None:
        wanted = wallet_ids(project, query.user)
        owned = wanted if owned is None else owned & wanted
    return list_rows(
        call,
        project.wallets.accounts,
        account_answer,
        default_limit=DEFAULT_LIMIT,
        where={
            "wallet_id": owned,
            "chain_id": query.chainId,
            "chain_type": query.chainType,
            "account_type": query.accountType,
            "custody": query.custody,
            "address": index_spelling(query.address) if query.address else None,
        },
    )


@accounts.endpoint(
    "POST /v2/accounts",
    "createAccountV2",
    secret_key("accounts:write"),
    errors=(
        errors.USER_NOT_FOUND,
        errors.WALLET_NOT_FOUND,
        errors.ACCOUNT_NOT_FOUND,
        *CHAIN_ERRORS,
        errors.IMPLEMENTATION_UNFIT,
        errors.IMPLEMENTATION_ABSENT,
        errors.ADDRESS_TAKEN,
    ),
)
def create_account(call: Call[CreateAccount]) -> AccountAnswer:
    """Create an account of a user; this costs no gas."""
    body, project = call.body, call.project
    _check_shape(body)
    wallet = find_owner(project, body.user, "user")
    if body.accountType == "Externally Owned Account":
        return account_answer(_create_eoa(project, wallet, body))
    return account_answer(_create_on_eoa(project, wallet, body))


@accounts.endpoint(
    "GET /v2/accounts/signer", "GetSignerIdByAddress", _READ, errors=(errors.SIGNER_NOT_FOUND,)
)
def get_signer(call: Call[None, FindSigner]) -> SignerAnswer:
    """Find the signer of an address: where it has several owners, that of the first."""
    owned, accounts = _visible_wallets(call.project, call.caller), call.project.wallets.accounts
    page = accounts.page(
        limit=len(accounts), where={"address": index_spelling(call.query.address), "wallet_id": owned}
    )
    for row in sorted(page.rows, key=lambda row: row.has_changed_owner):
        if row.signer_id is not None:
            return {"id": row.signer_id}
    raise ApiError(errors.SIGNER_NOT_FOUND, param="address", address=call.query.address)


@accounts.endpoint("GET /v2/accounts/{id}", "getAccountV2", _READ, errors=_NOT_FOUND)
def get_account(call: Call) -> AccountAnswer:
    """Retrieve an account."""
    return account_answer(find_account(call.project, call.path["id"], call.caller.user))


@accounts.endpoint(
    "DELETE /v2/accounts/{id}", "RemoveAccount", secret_key("accounts:delete"), errors=_NOT_FOUND
)
def delete_account(call: Call) -> Deleted:
    """Remove an account, and its key unless another account needs it; what it was to sign has failed."""
    account = require(call.project.wallets.accounts, call.path["id"], errors.ACCOUNT_NOT_FOUND)
    removal.remove(call.project, account)
    return deletion_answer(account.id, "account")


@accounts.endpoint(
    "POST /v2/accounts/switch-chain",
    "switchChainV2",
    secret_key("accounts:write", *USERS),
    errors=(
        errors.ACCOUNT_NOT_FOUND,
        errors.CHAIN_NOT_SWITCHABLE,
        *CHAIN_ERRORS,
        errors.IMPLEMENTATION_ABSENT,
        errors.COUNTERPART_OF_OTHER_OWNER,
    ),
)
def change_chain(call: Call[SwitchChain]) -> AccountAnswer:
    """Move an EOA to another chain, or find or make what a contract account is there."""
    project, chain_id = call.project, call.body.chainId
    account = find_account(project, call.body.account, call.caller.user, "account")
    switched = switch_chain(project, account, chain_id)
    owned = _visible_wallets(project, call.caller)
    if owned is not None and switched.wallet_id not in owned:
        raise other_owner_error(account, chain_id)
    return account_answer(switched)


@accounts.endpoint(
    "POST /v2/accounts/{accountUuid}/export-share",
    "exportAccountShare",
    secret_key("share:export"),
    errors=(errors.ACCOUNT_NOT_FOUND, errors.SHARE_NOT_FOUND),
)
def export_share(call: Call) -> ShareAnswer:
    """Export the primary share of a user's account, with the account and its signer."""
    project, named = call.project, call.path["accountUuid"]
    account_id = named if named.startswith("acc_") else f"acc_{named}"
    account = require(project.wallets.accounts, account_id, errors.ACCOUNT_NOT_FOUND)
    if account.custody != "User" or account.signer_id is None or key_of(project, account) is None:
        raise ApiError(errors.SHARE_NOT_FOUND, id=account.id)
    answer = cast("ShareAnswer", account_answer(account))
    answer["share"] = primary_share(project, account)
    answer["signerId"] = account.signer_id
    user_id = project.wallets.wallets[account.wallet_id].user_id
    if user_id is not None:
        answer["userId"] = user_id
    return answer


def _visible_wallets(project: Project, caller: Caller) -> frozenset[str] | None:
    """The wallets visible to a signed-in user; None for a secret key, which sees all."""
    return wallet_ids(project, caller.user.id) if caller.user else None


# --- creating ----------------------------------------------------------------------------------------


def _create_eoa(project: Project, wallet: Wallet, body: CreateAccount) -> Account:
    require_account_chain(project, body.chainType, body.chainId)
    address = body.address
    if address is not None and body.chainType == "EVM":
        address = addresses.to_checksum(address)
    return create_eoa(project, wallet, body.chainType, address=address, chain_id=body.chainId)


def _create_on_eoa(project: Project, wallet: Wallet, body: CreateAccount) -> Account:
    chain_id = default_chain(project) if body.chainId is None else body.chainId
    if body.account is None:
        owner = _find_or_create_eoa(project, wallet, body)
    else:
        owner = _find_named_eoa(project, wallet, body.account)
    implementation = choose_implementation(project, body.accountType, chain_id, body.implementationType)
    account = create_contract_account(project, owner, chain_id, implementation)
    if body.address is not None and body.address.lower() != account.address.lower():
        raise wrong_field("address", f"must be left out or be the account's, {account.address}")
    return account


def _find_named_eoa(project: Project, wallet: Wallet, account_id: str) -> Account:
    owner = require(project.wallets.accounts, account_id, errors.ACCOUNT_NOT_FOUND, "account")
    if not _is_evm_eoa(owner):
        raise wrong_field("account", f"must be an EVM Externally Owned Account, which {owner.id} is not")
    if owner.wallet_id != wallet.id:
        raise wrong_field(
            "account", f"must be in the wallet {wallet.id}, but {owner.id} is in {owner.wallet_id}"
        )
    return owner


def _find_or_create_eoa(project: Project, wallet: Wallet, body: CreateAccount) -> Account:
    """The wallet's first EVM EOA, or the one with the address of the request."""
    wanted = None if body.address is None else addresses.to_checksum(body.address)
    for row in project.wallets.accounts.find("wallet_id", wallet.id):
        if _is_evm_eoa(row) and wanted in (None, row.address):
            return row
    return create_eoa(project, wallet, "EVM", address=wanted)


def _is_evm_eoa(account: Account) -> bool:
    return account.account_type == "Externally Owned Account" and account.chain_type == "EVM"


def _check_shape(body: CreateAccount) -> None:
    is_address = addresses.is_address if body.chainType == "EVM" else base58.is_address
    if body.address is not None and not is_address(body.address):
        form = "0x followed by 40 hexadecimal digits" if body.chainType == "EVM" else "32 bytes in base58"
        raise wrong_field("address", f"must be {form}")
    if body.address == addresses.ZERO_ADDRESS:
        raise wrong_field("address", "is the zero address")
    if body.accountType == "Externally Owned Account":
        return
    require_kind(body.accountType, body.chainType)
    if body.accountType == "Smart Account" and body.account is None:
        raise wrong_field("account", "is required for a Smart Account: the account that signs for it")
