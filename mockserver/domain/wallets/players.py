"""Players, as the older API calls users with their wallets: each has one account on a chain."""

from typing import NamedTuple

from mockserver import errors
from mockserver.chain.addresses import ZERO_ADDRESS, address_of, to_checksum
from mockserver.chain.implementations import IMPLEMENTATIONS, Implementation, ImplementationType
from mockserver.crypto import secp256k1
from mockserver.domain.chains.networks import require_chain
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets import selectors
from mockserver.domain.wallets.accounts import (
    add_counterpart,
    choose_implementation,
    create_contract_account,
    create_eoa,
    own_contract_for,
    own_contracts,
)
from mockserver.domain.wallets.developer_accounts import as_account_on, find_developer_account
from mockserver.domain.wallets.selectors import V1, account_of_wallet, require_account
from mockserver.domain.wallets.wallets import create_wallet, find_owner, wallet_of_user
from mockserver.errors import ApiError, wrong_field
from mockserver.state.existence import not_found
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import Account, SmartAccount, Wallet


class AccountSelector(NamedTuple):
    """How a request of the older API selects an account: by account, player or owner, or not at all."""

    account: str | None = None
    player: str | None = None
    owner: str | None = None
    """The address of an external owner, whose key the mock does not have."""


def find_player(project: Project, user: User | None, player_id: str | None) -> Wallet | None:
    """The selected player; None if none is named. A signed-in user selects only themselves.

    ApiError with 404.
    """
    if user is None:
        return None if player_id is None else find_owner(project, player_id, "player")
    own = wallet_of_user(project, user)
    if player_id not in (None, own.id, user.id):
        raise not_found(errors.WALLET_NOT_FOUND, str(player_id), "player")
    return own


def find_account(
    project: Project, user: User | None, chain_id: int, selector: AccountSelector
) -> Account | None:
    """The selected account on a chain, or None when it does not exist yet.

    ApiError with 404 for unknown ids, with 400 when account and player do not fit, and with 409 when
    the account has another owner than the named one.
    """
    account: Account | None
    if selector.account is not None:
        account = _find_named_account(project, user, chain_id, selector.account, selector.player)
    else:
        wallet = _find_wallet(project, user, selector)
        account = account_on_chain(project, wallet, chain_id) if wallet else None
    # An external owner expects to sign, where another key would.
    owner = None if account is None or selector.owner is None else to_checksum(selector.owner)
    if account is not None and owner not in (None, account.signing_address, account.address):
        raise ApiError(
            errors.OWNER_OF_OTHER_ACCOUNT,
            param="externalOwnerAddress",
            id=account.id,
            chain_id=chain_id,
            owner=account.signing_address,
        )
    return account


def _find_wallet(project: Project, user: User | None, selector: AccountSelector) -> Wallet | None:
    """The selected player, or else the wallet of an account or a key with the owner's address."""
    wallet = find_player(project, user, selector.player)
    if wallet is not None or selector.owner is None:
        return wallet
    accounts, key = project.wallets.accounts, selector.owner.lower()
    row = accounts.first("address", key) or accounts.first("signing_address", key)
    return project.wallets.wallets.get(row.wallet_id) if row else None


def _find_named_account(
    project: Project, user: User | None, chain_id: int, account_id: str, player_id: str | None
) -> Account:
    wallet = find_player(project, user, player_id) if player_id is not None else None
    if user is None and account_id.startswith("dac_"):
        developer = find_developer_account(project, account_id, V1.account)
        account = as_account_on(project, developer, chain_id)
    else:
        account = require_account(project, account_id, user, V1)
    if wallet is not None and account.wallet_id != wallet.id:
        raise wrong_field("player", f"is another one than that of the account {account.id}")
    return account


def find_older_account(project: Project, account_id: str, user: User | None = None) -> Account:
    """The account with this id, if it is in the older API and, for a signed-in user, their own.

    ApiError with 404.
    """
    account = selectors.find_account(project, account_id, user)
    if not account.is_known_to_older_api:
        raise not_found(errors.ACCOUNT_NOT_FOUND, account_id)
    return account


def account_on_chain(project: Project, wallet: Wallet, chain_id: int) -> Account | None:
    """A player's account on a chain: an EOA only if the player has no contract account on any chain."""
    account = account_of_wallet(project, wallet.id, chain_id)
    if account is None or account.chain_id == chain_id or not own_contracts(project, wallet.id):
        return account
    return None


def find_or_create_account(
    project: Project, user: User | None, chain_id: int, selector: AccountSelector
) -> Account:
    """The selected account on a chain; created if missing, for a new player if none is named."""
    account = find_account(project, user, chain_id, selector)
    if account is not None:
        return account
    player = find_or_create_player(project, user, selector)
    return create_account(project, player, chain_id, owner=selector.owner)


def find_or_create_player(project: Project, user: User | None, selector: AccountSelector) -> Wallet:
    """The selected player, by id or address, or a new one. ApiError with 404."""
    return _find_wallet(project, user, selector) or new_player(project)


def new_player(project: Project, name: str = "") -> Wallet:
    """Create a player, who has no sign-in method yet."""
    return create_wallet(project, create_user(project, name=name, email=None).id)


def create_account(
    project: Project,
    wallet: Wallet,
    chain_id: int,
    *,
    owner: str | None = None,
    implementation: ImplementationType | None = None,
) -> Account:
    """Create a player's account on a chain, in the mock's custody unless it has an external owner.

    It has the address and owner of the player's accounts on other chains, unless it has another
    implementation. ApiError with 409 when the player has one on this chain, and when the owner's
    address is another player's.
    """
    require_chain(project, chain_id)
    for known in project.wallets.accounts.find("wallet_id", wallet.id):
        if known.is_known_to_older_api and known.chain_id == chain_id:
            raise ApiError(
                errors.ACCOUNT_EXISTS, param="chainId", player=wallet.id, id=known.id, chain_id=chain_id
            )
    key = None if owner is None else _outside_key(project, wallet, owner)
    elsewhere = own_contract_for(project, wallet.id, chain_id, key and key.address)
    if implementation is None and elsewhere is not None:
        return add_counterpart(project, elsewhere, chain_id)
    account_type = IMPLEMENTATIONS[implementation].account_type if implementation else "Smart Account"
    chosen = choose_implementation(project, account_type, chain_id, implementation, "accountType")
    return create_contract_account(project, key or _own_key(project, wallet), chain_id, chosen)


def is_signed_by_wallet(account: Account) -> bool:
    """Whether a request signed with the wallet secret must sign for it: a backend wallet's account."""
    return account.backend and account.account_type == "Delegated Account"


def hypothetical_account(
    project: Project, user: User | None, chain_id: int, selector: AccountSelector
) -> Account:
    """The account that `find_or_create_account` would create, for an estimate; it is not stored."""
    wallet = _find_wallet(project, user, selector)
    elsewhere = own_contract_for(project, wallet.id, chain_id) if wallet else None
    if elsewhere is not None:
        return elsewhere._replace(id="", chain_id=chain_id, disabled=False)
    secret = secp256k1.secret_from_seed(project.entropy.derive("imagined_owner"))
    owner = address_of(secp256k1.public_key(secret))
    implementation: Implementation = choose_implementation(project, "Smart Account", chain_id, None)
    return Account(
        id="",
        wallet_id="",
        account_type="Smart Account",
        chain_type="EVM",
        address=implementation.account_address(owner),
        custody="Developer",
        created_ms=project.clock.now_ms,
        updated_ms=project.clock.now_ms,
        chain_id=chain_id,
        owner_address=owner,
        smart_account=SmartAccount.undeployed(implementation, owner),
    )


def _own_key(project: Project, wallet: Wallet) -> Account:
    """The EOA that owns the player's accounts: that of the first one, or a new one."""
    keys = [
        row
        for row in project.wallets.accounts.find("wallet_id", wallet.id)
        if row.account_type == "Externally Owned Account" and row.chain_type == "EVM"
    ]
    owners = {row.signing_address for row in own_contracts(project, wallet.id)}
    owning = [row for row in keys if row.address in owners]
    fitting = [*owning, *(row for row in keys if row.custody == "Developer")]
    return fitting[0] if fitting else create_eoa(project, wallet, "EVM", held_by="Developer")


def _outside_key(project: Project, wallet: Wallet, owner: str) -> Account:
    """The EOA of an external owner."""
    address = to_checksum(owner)
    if address == ZERO_ADDRESS:
        raise wrong_field("externalOwnerAddress", "is the zero address")
    for row in project.wallets.accounts.find("address", address.lower()):
        if row.wallet_id != wallet.id:
            raise ApiError(errors.ADDRESS_TAKEN, param="externalOwnerAddress", address=address, id=row.id)
        if row.account_type == "Externally Owned Account":
            return row
    return create_eoa(project, wallet, "EVM", address=address, param="externalOwnerAddress")
