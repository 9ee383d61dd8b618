"""Selection of accounts by requests: by id, or as a wallet's account on a chain."""

from typing import NamedTuple

from mockserver import errors
from mockserver.domain.chains.contracts import find_contract
from mockserver.domain.wallets.accounts import choose_implementation, own_contract_for, own_contracts
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.domain.wallets.wallets import wallet_ids
from mockserver.errors import wrong_field
from mockserver.state.existence import not_found
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Account


class Fields(NamedTuple):
    """The names of request members in a version of the API, for its errors."""

    account: str = "accountId"
    calls: str = "calls"
    contract: str = "contractId"
    sponsorship: str = "feeSponsorshipId"
    authorization: str = "signedAuthorization"


V2 = Fields()
V1 = Fields(account="account", calls="interactions", contract="contract", sponsorship="policy")
"""The names in v2 and in v1."""


def find_account(project: Project, account_id: str, user: User | None, param: str | None = None) -> Account:
    """An account that the caller may use: any of the project or, for a signed-in user, their own.

    ApiError with 404.
    """
    account = project.wallets.accounts.get(account_id)
    if account is None or (user is not None and account.wallet_id not in wallet_ids(project, user.id)):
        raise not_found(errors.ACCOUNT_NOT_FOUND, account_id, param)
    return account


def require_account(project: Project, account_id: str, user: User | None, fields: Fields = V2) -> Account:
    """The EVM account with this id, as of `find_account`. ApiError with 404, or 400 for one on Solana."""
    account = find_account(project, account_id, user, fields.account)
    if account.chain_type != "EVM":
        raise wrong_field(
            fields.account, "the account is on Solana; transactions are made on EVM chains only"
        )
    return account


def address_of_id(project: Project, chain_id: int, row_id: str, param: str) -> str:
    """Resolve an id to its address on a chain; ApiError with 404 without one."""
    if row_id.startswith("con_"):
        return find_contract(project, row_id, param).address
    if row_id.startswith(("acc_", "dac_")):
        account = acting_account(project, row_id)
        if account is None or account.chain_type != "EVM":
            raise not_found(errors.ACCOUNT_NOT_FOUND, row_id, param)
        return account.address
    address = _address_of_player(project, row_id, chain_id)
    if address is None:
        raise not_found(errors.WALLET_NOT_FOUND, row_id, param)
    return address


def _address_of_player(project: Project, wallet_id: str, chain_id: int) -> str | None:
    """The address of a player's account on a chain, even if it does not exist yet; None without accounts.

    Never the EOA that owns contract accounts: funds sent there would not be in the player's account.
    """
    account = account_of_wallet(project, wallet_id, chain_id)
    if account is not None and account.chain_id == chain_id:
        return account.address
    elsewhere = own_contract_for(project, wallet_id, chain_id)
    if elsewhere is not None:
        return elsewhere.address
    contracts = own_contracts(project, wallet_id)
    if not contracts:
        return None if account is None else account.address
    usual = choose_implementation(project, "Smart Account", chain_id, None)
    return usual.account_address(contracts[0].signing_address)


def account_of_wallet(project: Project, wallet_id: str, chain_id: int) -> Account | None:
    """A wallet's account on a chain: one created for the chain before an EOA, which is on every chain.

    Of several on the chain, disabled ones come last, before them those transferred to the wallet, and
    before those the ones whose implementation is not in use.
    """
    accounts = [
        row for row in project.wallets.accounts.find("wallet_id", wallet_id) if row.chain_type == "EVM"
    ]
    accounts.sort(key=lambda row: (row.disabled, row.has_changed_owner, not row.is_in_use))
    on_chain = [row for row in accounts if row.chain_id == chain_id]
    everywhere = [row for row in accounts if row.smart_account is None]
    return next(iter([*on_chain, *everywhere]), None)
