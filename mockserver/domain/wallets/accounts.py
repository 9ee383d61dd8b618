"""Creating, finding and removing accounts."""

from collections.abc import Mapping
from typing import cast

from mockserver import errors
from mockserver.chain.implementations import (
    IMPLEMENTATIONS,
    SMART_IMPLEMENTATIONS,
    Implementation,
    ImplementationType,
)
from mockserver.domain.chains.networks import require_chain
from mockserver.domain.wallets.deployments import update_deployments
from mockserver.domain.wallets.keys import custody
from mockserver.errors import ApiError, wrong_field
from mockserver.state.project import Project
from mockserver.state.wallets import Account, AccountType, ChainType, Custody, SmartAccount, Wallet, key_id


def create_eoa(
    project: Project,
    wallet: Wallet,
    chain_type: ChainType,
    *,
    address: str | None = None,
    chain_id: int | None = None,
    held_by: Custody = "User",
    backend: bool = False,
    param: str = "address",
) -> Account:
    """Create an externally owned account.

    The mock generates and stores its key, unless `address` is given: then the key is elsewhere. The
    address is in the form of its chain: EIP-55 or base58. ApiError with 409 when the address, which
    `param` named, is taken.
    """
    given = address is not None
    address = address or custody.generate_key(project, chain_type)[1]
    known = project.wallets.accounts.first("signing_address", key_id(address, chain_type))
    account = Account(
        id=project.new_id("acc"),
        wallet_id=wallet.id,
        account_type="Externally Owned Account",
        chain_type=chain_type,
        address=address,
        custody=held_by,
        created_ms=project.clock.now_ms,
        updated_ms=project.clock.now_ms,
        chain_id=chain_id,
        # One signer for all accounts of an address.
        signer_id=known.signer_id if known and known.signer_id else project.new_id("sig"),
        backend=backend,
    )
    if given:
        _require_free(project, account, param)
        _require_same_holder(project, account, param)
    return project.wallets.accounts.insert(account)


def create_contract_account(
    project: Project, owner: Account, chain_id: int, implementation: Implementation, param: str = "chainId"
) -> Account:
    """Create a smart account that an EOA owns, or the EOA itself as a delegated account (EIP-7702).

    It has its owner's wallet, custody and key. A smart account's address is the same on every chain.
    ApiError with 409 when it exists already, naming `param`, the field with the chain: the address
    follows from the owner.
    """
    factory = implementation.factory_address
    account = Account(
        id=project.new_id("acc"),
        wallet_id=owner.wallet_id,
        account_type=implementation.account_type,
        chain_type="EVM",
        address=owner.address if factory is None else implementation.account_address(owner.address),
        custody=owner.custody,
        created_ms=project.clock.now_ms,
        updated_ms=project.clock.now_ms,
        chain_id=chain_id,
        owner_address=None if factory is None else owner.address,
        smart_account=SmartAccount.undeployed(implementation, owner.address),
        signer_id=owner.signer_id,
        backend=owner.backend,
    )
    _require_free(project, account, param)
    return _insert_contract_account(project, account, chain_id)


def require_kind(account_type: AccountType, chain_type: ChainType, param: str = "chainType") -> None:
    """ApiError with 400 for a smart or delegated account on Solana; `param` is the field with the chain."""
    if account_type != "Externally Owned Account" and chain_type == "SVM":
        raise wrong_field(param, f"must be EVM for a {account_type}")


def choose_implementation(
    project: Project,
    account_type: AccountType,
    chain_id: int,
    name: ImplementationType | None,
    param: str = "implementationType",
) -> Implementation:
    """The requested implementation, or the default: UpgradeableV6; for delegated accounts the newest on
    the chain.

    ApiError with 400 when it does not fit the type of account or is not on the chain; `param` is the
    field that named it.
    """
    require_chain(project, chain_id)
    if name is None:
        newest: ImplementationType = (
            "CaliburV9" if IMPLEMENTATIONS["CaliburV9"].is_on(chain_id) else "Calibur"
        )
        name = newest if account_type == "Delegated Account" else "UpgradeableV6"
    chosen = _implementations(account_type)[name]
    if chosen.account_type != account_type:
        fitting = [row.type for row in IMPLEMENTATIONS.values() if row.account_type == account_type]
        raise ApiError(
            errors.IMPLEMENTATION_UNFIT,
            param=param,
            name=name,
            serves=chosen.account_type,
            account_type=account_type,
            fitting=", ".join(fitting),
        )
    _require_on_chain(chosen, chain_id, param)
    return chosen


def _require_on_chain(implementation: Implementation, chain_id: int, param: str) -> None:
    """ApiError with 400 unless the chain has the implementation."""
    if not implementation.is_on(chain_id):
        raise ApiError(errors.IMPLEMENTATION_ABSENT, param=param, name=implementation.type, chain_id=chain_id)


def switch_chain(project: Project, account: Account, chain_id: int) -> Account:
    """The account on another chain.

    An EOA exists on every chain: its row moves, unless there is one for that chain. A smart or
    delegated account stays, and gets a counterpart at the same address when it is first needed.
    ApiError with 400 for a Solana account, and for a chain that the project may not use or that lacks
    the implementation; with 409 where the counterpart has no owner in the project.
    """
    if account.chain_type == "SVM":
        raise ApiError(errors.CHAIN_NOT_SWITCHABLE, param="account", id=account.id)
    require_chain(project, chain_id)
    if account.chain_id == chain_id:
        return account
    for row in project.wallets.accounts.find("address", key_id(account.address, "EVM")):
        if row.chain_id == chain_id and _is_same_kind(row, account):
            return row
    # An EOA has no code and no state of its own per chain, so one row can stand for it on every chain.
    if account.smart_account is None:
        moved = account._replace(chain_id=chain_id, updated_ms=project.clock.now_ms)
        return project.wallets.accounts.replace(moved)
    return add_counterpart(project, account, chain_id)


def add_counterpart(project: Project, account: Account, chain_id: int) -> Account:
    """Create the counterpart of a smart or delegated account on another chain.

    Ownership is per chain, so the counterpart belongs to the first owner, whose address is part of the
    CREATE2 init code. ApiError with 400 for a chain that lacks the implementation; with 409 when there
    is an account, or when the project has no account with the first owner's key.
    """
    contract = account.smart_account
    assert contract is not None, f"{account.id} is on every chain"
    _require_on_chain(implementation_of(account), chain_id, "chainId")
    kept_like = _account_of_first_owner(project, account)
    if kept_like is None:
        raise other_owner_error(account, chain_id)
    counterpart = kept_like._replace(
        id=project.new_id("acc"),
        account_type=account.account_type,
        address=account.address,
        created_ms=project.clock.now_ms,
        updated_ms=project.clock.now_ms,
        chain_id=chain_id,
        owner_address=contract.first_owner_address,
        smart_account=contract._replace(deployed_tx=None, deployed_ms=None, active=True),
        pending_owner_address=None,
        disabled=False,
    )
    _require_free(project, counterpart, "chainId")
    return _insert_contract_account(project, counterpart, chain_id)


def own_contracts(project: Project, wallet_id: str) -> list[Account]:
    """A wallet's smart and delegated accounts, oldest first, without those transferred to it."""
    rows = project.wallets.accounts.find("wallet_id", wallet_id)
    return [row for row in rows if row.smart_account is not None and not row.has_changed_owner]


def own_contract_for(
    project: Project, wallet_id: str, chain_id: int, owner: str | None = None
) -> Account | None:
    """A wallet's first own contract account that could exist on a chain, or None.

    With `owner`, only those with this signing address.
    """
    for row in own_contracts(project, wallet_id):
        if implementation_of(row).is_on(chain_id) and owner in (None, row.signing_address):
            return row
    return None


def other_owner_error(account: Account, chain_id: int) -> ApiError:
    """The error for the counterpart of an account that belongs to another owner."""
    contract = account.smart_account
    return ApiError(
        errors.COUNTERPART_OF_OTHER_OWNER,
        param="account",
        id=account.id,
        chain_id=chain_id,
        address=account.address,
        owner=contract.first_owner_address if contract else account.signing_address,
    )


def accounts_with_key_of(project: Project, account: Account) -> list[Account]:
    """The accounts with the same signing key, oldest first."""
    row_id = key_id(account.signing_address, account.chain_type)
    return project.wallets.accounts.find("signing_address", row_id)


def _insert_contract_account(project: Project, account: Account, chain_id: int) -> Account:
    project.wallets.accounts.insert(account)
    update_deployments(project, chain_id, account.address)
    return project.wallets.accounts[account.id]


def implementation_of(account: Account) -> Implementation:
    """The implementation of a smart or delegated account."""
    assert account.smart_account is not None, f"{account.id} has no contract"
    name = cast("ImplementationType", account.smart_account.implementation_type)
    return _implementations(account.account_type)[name]


def _implementations(account_type: AccountType) -> Mapping[ImplementationType, Implementation]:
    return SMART_IMPLEMENTATIONS if account_type == "Smart Account" else IMPLEMENTATIONS


def _account_of_first_owner(project: Project, account: Account) -> Account | None:
    """An account that the first owner's key controls: the account itself, unless its owner changed."""
    contract = account.smart_account
    if contract is None or not account.has_changed_owner or contract.first_owner_address is None:
        return account
    keeper = project.wallets.accounts.first("signing_address", key_id(contract.first_owner_address, "EVM"))
    return keeper and keeper._replace(recovery_method=None, passkey=None)


def _is_same_kind(one: Account, other: Account) -> bool:
    """Whether two accounts at an address have the same type and, delegated ones, the same implementation."""
    first, second = one.smart_account, other.smart_account
    if first is None or second is None:
        return one.account_type == other.account_type
    return first.implementation_type == second.implementation_type


def _require_free(project: Project, account: Account, param: str) -> None:
    """ApiError with 409 if the address has such an account on the chain, or is both an EOA and a contract.

    An EOA may delegate to several implementations on a chain, one after the other (EIP-7702).
    """
    for row in project.wallets.accounts.find("address", key_id(account.address, account.chain_type)):
        same = row.chain_id == account.chain_id and _is_same_kind(row, account)
        if same or (row.owner_address is None) != (account.owner_address is None):
            raise ApiError(errors.ADDRESS_TAKEN, param=param, address=account.address, id=row.id)


def _require_same_holder(project: Project, account: Account, param: str) -> None:
    """ApiError with 409 if the key signs for accounts in another wallet, or in other custody.

    Otherwise a caller who names such an address would share another user's key.
    """
    others = [
        row.id for row in accounts_with_key_of(project, account) if _key_holder(row) != _key_holder(account)
    ]
    if account.custody == "User":
        row_id = key_id(account.address, account.chain_type)
        developers = project.wallets.developer_accounts.find("address", row_id)
        others += [row.id for row in developers if row.custodial]
    if others:
        raise ApiError(errors.ADDRESS_TAKEN, param=param, address=account.address, id=others[0])


def _key_holder(account: Account) -> tuple[str, Custody, bool]:
    """Wallet, custody and kind of the key of an account, which all accounts of the key share."""
    return account.wallet_id, account.custody, account.backend
