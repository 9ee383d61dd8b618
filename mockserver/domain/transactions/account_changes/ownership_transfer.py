"""Ownership transfers of smart accounts: transactions of the accounts themselves."""

from mockserver import errors
from mockserver.chain.addresses import ZERO_ADDRESS, to_checksum
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.preparation import prepare_own_call
from mockserver.domain.wallets.ownership import TRANSFER_OWNERSHIP
from mockserver.errors import ApiError, wrong_field
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.wallets import Account


def offer(project: Project, account: Account, owner: str, sponsorship_id: str, param: str) -> Transaction:
    """Offer an account to a new owner, who accepts by calling `acceptOwnership()` on it.

    `param` is the field that named the account. ApiError with 400 for one without an owner, or with
    this owner already.
    """
    address, chain_id = to_checksum(owner), _chain_of(account, param)
    if address == account.owner_address:
        raise wrong_field("newOwnerAddress", "owns the account already")
    if address == ZERO_ADDRESS:
        raise wrong_field("newOwnerAddress", "is the zero address")
    return _send(project, account, chain_id, address, sponsorship_id)


def cancel(project: Project, account: Account, sponsorship_id: str, param: str) -> Transaction:
    """Cancel the pending transfer of an account. ApiError with 409 without one, with 400 as of `offer`."""
    chain_id = _chain_of(account, param)
    if account.pending_owner_address is None:
        raise ApiError(errors.OWNERSHIP_NOT_OFFERED, param=param, id=account.id)
    return _send(project, account, chain_id, ZERO_ADDRESS, sponsorship_id)


def _chain_of(account: Account, param: str) -> int:
    """The chain of an account that has an owner."""
    if account.owner_address is None or account.chain_id is None:
        raise wrong_field(param, f"only a Smart Account has an owner to change, and {account.id} is none")
    return account.chain_id


def _send(project: Project, account: Account, chain_id: int, owner: str, sponsorship_id: str) -> Transaction:
    prepared = prepare_own_call(project, account, chain_id, sponsorship_id, TRANSFER_OWNERSHIP, owner)
    return creation.create(project, prepared)
