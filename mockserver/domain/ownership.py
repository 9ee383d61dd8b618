"""Who owns a smart account, as the calls it is sent decide (two steps, as Ownable2Step has them)."""

from mockserver.chain.abi import decode_values
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.wallets import Account

TRANSFER_OWNERSHIP = "transferOwnership(address)"
_TRANSFER = bytes.fromhex("f2fde38b")
_ACCEPT = bytes.fromhex("79ba5097")


def settle_ownership(project: Project, chain_id: int, sender: str, call: CallRecord) -> None:
    """What a mined call does to the smart accounts at the address it was sent to.

    `transferOwnership(address)`, from the account itself or its owner, names a new owner, who becomes
    it with `acceptOwnership()`; naming the zero address takes that back. Of anybody else these calls
    change nothing.
    """
    selector = call.data[:4]
    if selector not in (_TRANSFER, _ACCEPT):
        return
    for account in project.wallets.accounts.find("address", call.to.lower()):
        if account.chain_id != chain_id or account.owner_address is None:
            continue
        if selector == _TRANSFER and sender in (account.address, account.owner_address):
            _offer(project, account, call.data[4:])
        elif selector == _ACCEPT and sender == account.pending_owner_address:
            _hand_over(project, account, sender)


def _offer(project: Project, account: Account, argument: bytes) -> None:
    try:
        (owner,) = decode_values(["address"], argument)
    except ValueError:
        return
    pending = None if owner == ZERO_ADDRESS else str(owner)
    project.wallets.accounts.replace(
        account._replace(pending_owner_address=pending, updated_ms=project.clock.now_ms)
    )


def _hand_over(project: Project, account: Account, owner: str) -> None:
    """The account is signed for with the new owner's key from now on, in that key's custody."""
    keys = [
        row
        for row in project.wallets.accounts.find("address", owner.lower())
        if row.account_type == "Externally Owned Account"
    ]
    known = keys[0] if keys else None
    project.wallets.accounts.replace(
        account._replace(
            owner_address=owner,
            pending_owner_address=None,
            custody=known.custody if known else "User",
            signer_id=known.signer_id if known else None,
            backend=known.backend if known else False,
            updated_ms=project.clock.now_ms,
        )
    )
