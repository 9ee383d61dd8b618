"""What is deposited at the entry points of ERC-4337, and the paymasters, whose coins are their deposits.

Deposits are in the storage of an entry point, with code or without, where the published ones keep them.
"""

from functools import lru_cache

from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.domain.chains import ledger
from mockserver.state.chains import ChainAccount
from mockserver.state.project import Project

_DEPOSITS_SLOT = 0
"""The mapping of deposits, by holder: in the lower 112 bits, all that 0.6 has for them."""


def paymaster_address(project: Project) -> str:
    """The address of the project's paymaster, on every chain."""
    return _address_with(paymaster_secret(project))


@lru_cache(maxsize=256)
def _address_with(secret: bytes) -> str:
    # Whether an address is that of the paymaster is asked wherever coins are.
    return address_of(secp256k1.public_key(secret))


def paymaster_secret(project: Project) -> bytes:
    """The secret key of the project's paymaster."""
    return secp256k1.secret_from_seed(project.entropy.derive("paymaster"))


def is_paymaster(project: Project, address: str) -> bool:
    """Whether an address is the project's paymaster, or one of the developer's."""
    known = {row.address.lower() for row in project.guardrails.paymasters}
    return address.lower() in known | {paymaster_address(project).lower()}


def account_at(project: Project, chain_id: int, address: str) -> ChainAccount:
    """The state of an address on a chain, which may be that of a paymaster or forwarder contract."""
    forwarders = project.guardrails.forwarder_contracts
    is_forwarder = any((row.chain_id, row.address) == (chain_id, address) for row in forwarders)
    if is_forwarder or is_paymaster(project, address):
        return ledger.paymaster_account(project, chain_id, address)
    return ledger.chain_account(project, chain_id, address)


def deposit_of(project: Project, chain_id: int, entry_point: str, holder: str) -> int:
    """What a holder has deposited at an entry point, in wei; of a paymaster without its own coins."""
    # Most projects have no storage: they need not look for the slot.
    if not len(project.chains.slots):
        return 0
    return ledger.slot_at(project, chain_id, entry_point, _slot_of(holder)) % (1 << 112)


def change_deposit(project: Project, chain_id: int, entry_point: str, holder: str, more: int) -> None:
    """Add to a deposit, or take from it with a negative amount."""
    if more:
        deposit = deposit_of(project, chain_id, entry_point, holder) + more
        ledger.set_slot(project, chain_id, entry_point, _slot_of(holder), deposit)


@lru_cache(maxsize=256)
def _slot_of(holder: str) -> int:
    return ledger.slot_in_mapping(int(holder, 16), _DEPOSITS_SLOT)
