"""Accounts: how they come to be, and how they go."""

from typing import cast

from mockserver import errors
from mockserver.chain.implementations import IMPLEMENTATIONS, SALT, Implementation, ImplementationType
from mockserver.domain import custody, session_keys
from mockserver.domain.chains import require_chain
from mockserver.errors import Refusal
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
) -> Account:
    """An externally owned account.

    Its key is minted and held by the mock, unless an address says that it is elsewhere. The address
    is in the spelling of its chain: EIP-55 or base58. Refused with 409 when the address is taken.
    """
    if address is None:
        address = custody.mint_key(project, chain_type)[1]
    else:
        refuse_taken(project, wallet, "Externally Owned Account", address, chain_type, chain_id, "address")
    return project.wallets.accounts.insert(
        Account(
            id=project.new_id("acc"),
            wallet_id=wallet.id,
            account_type="Externally Owned Account",
            chain_type=chain_type,
            address=address,
            custody=held_by,
            created_ms=project.clock.now_ms,
            updated_ms=project.clock.now_ms,
            chain_id=chain_id,
            signer_id=_signer_id(project, address, chain_type),
            backend=backend,
        )
    )


def create_contract_account(
    project: Project, owner: Account, chain_id: int, implementation: Implementation, param: str = "chainId"
) -> Account:
    """A smart account that an EOA owns, or the EOA itself as a delegated account (EIP-7702).

    It is in its owner's wallet, in the same custody, and signed for with the same key. A smart
    account's address is the same on every chain. Refused with 409 when it exists already, which is
    the fault of `param`, the field with the chain: the address follows from the owner.
    """
    factory = implementation.factory_address
    address = owner.address if factory is None else implementation.account_address(owner.address)
    wallet = project.wallets.wallets[owner.wallet_id]
    refuse_taken(project, wallet, implementation.account_type, address, "EVM", chain_id, param)
    return project.wallets.accounts.insert(
        Account(
            id=project.new_id("acc"),
            wallet_id=owner.wallet_id,
            account_type=implementation.account_type,
            chain_type="EVM",
            address=address,
            custody=owner.custody,
            created_ms=project.clock.now_ms,
            updated_ms=project.clock.now_ms,
            chain_id=chain_id,
            owner_address=None if factory is None else owner.address,
            smart_account=SmartAccount(
                implementation_type=implementation.type,
                implementation_address=implementation.address,
                factory_address=factory,
                salt=None if factory is None else "0x" + SALT.hex(),
            ),
            signer_id=owner.signer_id,
            backend=owner.backend,
        )
    )


def choose_implementation(
    project: Project,
    account_type: AccountType,
    chain_id: int,
    name: ImplementationType | None,
    param: str = "implementationType",
) -> Implementation:
    """The implementation asked for, or the default: UpgradeableV6, and for delegated accounts the
    newest that the chain has. Refused with 400 when it does not serve such accounts on the chain;
    `param` is the field that asked for it.
    """
    require_chain(project, chain_id)
    if name is None:
        newest: ImplementationType = (
            "Calibur" if chain_id in IMPLEMENTATIONS["CaliburV9"].absent_on else "CaliburV9"
        )
        name = newest if account_type == "Delegated Account" else "UpgradeableV6"
    chosen = IMPLEMENTATIONS[name]
    if chosen.account_type != account_type:
        fitting = [row.type for row in IMPLEMENTATIONS.values() if row.account_type == account_type]
        raise Refusal(
            errors.IMPLEMENTATION_UNFIT,
            param=param,
            name=name,
            serves=chosen.account_type,
            account_type=account_type,
            fitting=", ".join(fitting),
        )
    if chain_id in chosen.absent_on:
        raise Refusal(errors.IMPLEMENTATION_ABSENT, param=param, name=name, chain_id=chain_id)
    return chosen


def switch_chain(project: Project, account: Account, chain_id: int) -> Account:
    """The account on another chain.

    An EOA is on every chain: it moves, unless it was made there as well. A smart or delegated account
    stays, and has a counterpart at the same address, which is made when it is first needed. Refused
    with 400 for a Solana account, and for a chain that the project may not use or that lacks the
    implementation.
    """
    if account.chain_type == "SVM":
        raise Refusal(errors.CHAIN_NOT_SWITCHABLE, param="account", id=account.id)
    require_chain(project, chain_id)
    if account.chain_id == chain_id:
        return account
    for row in project.wallets.accounts.find("address", key_id(account.address, "EVM")):
        same_kind = row.account_type == account.account_type and row.wallet_id == account.wallet_id
        if same_kind and row.chain_id == chain_id:
            return row
    now_ms = project.clock.now_ms
    contract = account.smart_account
    if contract is None:
        return project.wallets.accounts.replace(account._replace(chain_id=chain_id, updated_ms=now_ms))
    implementation = IMPLEMENTATIONS[cast("ImplementationType", contract.implementation_type)]
    if chain_id in implementation.absent_on:
        raise Refusal(
            errors.IMPLEMENTATION_ABSENT,
            param="chainId",
            name=contract.implementation_type,
            chain_id=chain_id,
        )
    return project.wallets.accounts.insert(
        account._replace(
            id=project.new_id("acc"),
            chain_id=chain_id,
            created_ms=now_ms,
            updated_ms=now_ms,
            smart_account=contract._replace(deployed_tx=None, deployed_ms=None),
            pending_owner_address=None,
            disabled=False,
        )
    )


def refuse_taken(
    project: Project,
    wallet: Wallet,
    account_type: AccountType,
    address: str,
    chain_type: ChainType,
    chain_id: int | None,
    param: str,
) -> None:
    """Refuse an address with 409 that has such an account on the chain, or is in another wallet."""
    for row in project.wallets.accounts.find("address", key_id(address, chain_type)):
        same = row.account_type == account_type and row.chain_id == chain_id
        if same or row.wallet_id != wallet.id:
            raise Refusal(errors.ADDRESS_TAKEN, param=param, address=address, id=row.id)


def disable(project: Project, account: Account) -> Account:
    """Keep an account from making transactions, and the older API from showing it. Nothing undoes it."""
    return project.wallets.accounts.replace(account._replace(disabled=True, updated_ms=project.clock.now_ms))


def remove_account(project: Project, account: Account) -> None:
    """Forget an account and its session keys, and its key when no other account is signed for with it."""
    project.wallets.accounts.remove(account.id)
    session_keys.orphan(project, account)
    # An account that changed its owner is signed for with the key of an account in another wallet.
    if not signed_for_by(project, account):
        custody.forget_key(project, account)


def signed_for_by(project: Project, account: Account) -> list[Account]:
    """The accounts of a wallet that the same key signs for, oldest first."""
    rows = project.wallets.accounts.find("wallet_id", account.wallet_id)
    return [
        row
        for row in rows
        if row.chain_type == account.chain_type and row.signing_address == account.signing_address
    ]


def _signer_id(project: Project, address: str, chain_type: ChainType) -> str:
    """The signer of an address: one for all of its accounts."""
    known = project.wallets.accounts.first("address", key_id(address, chain_type))
    return known.signer_id if known and known.signer_id else project.new_id("sig")
