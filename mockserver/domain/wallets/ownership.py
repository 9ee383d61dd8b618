"""Who owns a smart account, as the calls it is sent decide (two steps, as Ownable2Step has them)."""

from mockserver.chain.abi import decode_values
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets import custody, session_keys
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody, key_id

TRANSFER_OWNERSHIP = "transferOwnership(address)"
_TRANSFER = bytes.fromhex("f2fde38b")
_ACCEPT = bytes.fromhex("79ba5097")


def settle_ownership(project: Project, chain_id: int, sender: str, call: CallRecord) -> list[str]:
    """What a mined call does to the smart accounts at the address it was sent to.

    `transferOwnership(address)`, from the account itself or its owner, names a new owner, who becomes
    it with `acceptOwnership()`; naming the zero address takes that back. Of anybody else these calls
    change nothing. Answers the accounts that have another owner now.
    """
    selector = call.data[:4]
    handed_over: list[str] = []
    if selector not in (_TRANSFER, _ACCEPT):
        return handed_over
    for account in project.wallets.accounts.find("address", call.to.lower()):
        if account.chain_id != chain_id or account.owner_address is None:
            continue
        if selector == _TRANSFER and sender in (account.address, account.owner_address):
            _offer(project, account, call.data[4:])
        elif selector == _ACCEPT and sender == account.pending_owner_address:
            _transfer(project, account, sender)
            handed_over.append(account.id)
    return handed_over


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
    """The account is the new owner's from now on: in their wallet, and signed for with their key.

    Nothing of the former owner stays: no session key, no way to recover a key, and no key that nothing
    else is signed for with.
    """
    session_keys.orphan(project, account)
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
    """An account in the wallet and custody of a new owner.

    Of a contract nobody holds the key. A developer account is in no wallet, and neither is an account
    that went while it accepted: the first account that such an owner takes over makes them a player.
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
