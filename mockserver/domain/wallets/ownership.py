"""Ownership of smart accounts, which calls transfer in two steps (as OpenZeppelin's Ownable2Step)."""

from mockserver.chain.abi.functions import decode_values
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets import session_keys
from mockserver.domain.wallets.keys import custody
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody, key_id

TRANSFER_OWNERSHIP = "transferOwnership(address)"
_TRANSFER = bytes.fromhex("f2fde38b")
_ACCEPT = bytes.fromhex("79ba5097")


def settle_ownership(project: Project, chain_id: int, sender: str, call: CallRecord) -> list[str]:
    """Apply a mined call to the ownership of the smart accounts at its address.

    `transferOwnership(address)`, from the account itself or its owner, names a pending owner, who
    becomes owner by calling `acceptOwnership()`; the zero address cancels the transfer. From any other
    sender these calls have no effect. Returns the ids of accounts whose owner changed.
    """
    selector = call.data[:4]
    transferred_ids: list[str] = []
    if selector not in (_TRANSFER, _ACCEPT):
        return transferred_ids
    for account in project.wallets.accounts.find("address", call.to.lower()):
        if account.chain_id != chain_id or account.owner_address is None:
            continue
        if selector == _TRANSFER and sender in (account.address, account.owner_address):
            _offer(project, account, call.data[4:])
        elif selector == _ACCEPT and sender == account.pending_owner_address:
            _transfer(project, account, sender)
            transferred_ids.append(account.id)
    return transferred_ids


def _offer(project: Project, account: Account, argument: bytes) -> None:
    try:
        (owner,) = decode_values(["address"], argument)
    except ValueError:
        return
    pending = None if owner == ZERO_ADDRESS else str(owner)
    project.wallets.accounts.replace(
        account._replace(pending_owner_address=pending, updated_ms=project.clock.now_ms)
    )


def _transfer(project: Project, account: Account, owner: str) -> None:
    """Transfer an account to its new owner: to their wallet, their custody and their key.

    The former owner keeps no access: session keys and recovery methods are removed, and so is their key
    if no other account uses it.
    """
    session_keys.end_keys(project, account)
    keeper = _account_of_owner(project, account, owner)
    project.wallets.accounts.replace(
        account._replace(
            wallet_id=keeper.wallet_id,
            owner_address=owner,
            pending_owner_address=None,
            custody=keeper.custody,
            signer_id=keeper.signer_id,
            backend=keeper.backend,
            recovery_method=None,
            passkey=None,
            updated_ms=project.clock.now_ms,
        )
    )
    custody.forget_key(project, account)


def _account_of_owner(project: Project, account: Account, owner: str) -> Account:
    """An account with the wallet, custody and signer of a new owner.

    A contract as owner has no key. An owner in no wallet, such as a developer account or an account
    that was removed in the meantime, becomes a player with the first account that it accepts.
    """
    key = key_id(owner, "EVM")
    tables = project.wallets
    for row in tables.accounts.find("address", key):
        if row.owner_address is None:
            return row
        if row.chain_id == account.chain_id:
            return row._replace(custody="User", signer_id=None, backend=False)
    known = tables.accounts.first("signing_address", key)
    if known is not None:
        return known
    developer = tables.developer_accounts.first("address", key)
    custody: Custody = "Developer" if developer is not None and developer.custodial else "User"
    player = create_wallet(project, create_user(project, name="", email=None).id)
    return account._replace(wallet_id=player.id, custody=custody, signer_id=None, backend=False)
