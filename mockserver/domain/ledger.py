"""The simulated chains: blocks that follow the clock, gas, nonces and balances."""

from decimal import Decimal
from typing import NamedTuple

from mockserver.chain.networks import NETWORKS
from mockserver.crypto.keccak import keccak256
from mockserver.state.onchain import ChainAccount, Transaction
from mockserver.state.project import Project

BLOCK_TIME_MS = 2_000
_GWEI = 10**9
_CENTI_GWEI = 10**7
_WEI_PER_COIN = Decimal(10**18)

PLAIN_GAS = 21_000
"""What every transaction costs before it does anything (Ethereum Yellow Paper, G_transaction)."""

_CALL_GAS = 30_000
_ZERO_BYTE_GAS = 4
_BYTE_GAS = 16
_L1_OVERHEAD_GAS = 1_600


class Block(NamedTuple):
    """A block of a simulated chain."""

    number: int
    hash: str


class Fees(NamedTuple):
    """What gas costs on a chain, in wei."""

    base_fee: int
    priority_fee: int

    @property
    def price(self) -> int:
        """What a unit of gas costs in a block of now."""
        return self.base_fee + self.priority_fee

    @property
    def max_fee(self) -> int:
        """What a sender offers at most: twice the base fee, so that it stays valid for a while."""
        return 2 * self.base_fee + self.priority_fee


def block_at(project: Project, chain_id: int, moment_ms: int) -> Block:
    """The block of a chain at a moment: one every two seconds since the Unix epoch."""
    number = moment_ms // BLOCK_TIME_MS
    digest = keccak256(project.entropy.derive(f"block/{chain_id}/{number}", 32))
    return Block(number, "0x" + digest.hex())


def fees_of(chain_id: int) -> Fees:
    """The price of gas on a chain, constant so that a run repeats: a hundredth on rollups."""
    network = NETWORKS.get(chain_id)
    unit = _CENTI_GWEI if network and network.rollup else _GWEI
    return Fees(base_fee=unit, priority_fee=unit // 10)


def call_gas(data: bytes) -> int:
    """What a call with this data costs to make, beyond what every transaction costs."""
    if not data:
        return 0
    zeros = data.count(0)
    return _CALL_GAS + _ZERO_BYTE_GAS * zeros + _BYTE_GAS * (len(data) - zeros)


def l1_cost(chain_id: int, wire: bytes) -> tuple[int, int] | None:
    """The gas and fee that a rollup pays on the chain below for a transaction's bytes; None elsewhere."""
    network = NETWORKS.get(chain_id)
    if network is None or not network.rollup:
        return None
    zeros = wire.count(0)
    gas = _L1_OVERHEAD_GAS + _ZERO_BYTE_GAS * zeros + _BYTE_GAS * (len(wire) - zeros)
    return gas, gas * _GWEI // 20


def in_usd(project: Project, fee_wei: int) -> str:
    """A fee in US dollars at the project's price of a native coin, to eight decimals."""
    cost = Decimal(fee_wei) / _WEI_PER_COIN * Decimal(project.settings.native_price_usd)
    text = f"{cost:.8f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def chain_account(project: Project, chain_id: int, address: str) -> ChainAccount:
    """What a chain knows of an address.

    An account of the project starts with the project's starting balance, on top of what its address was
    sent before; all others with nothing.
    """
    row_id = f"{chain_id}:{address.lower()}"
    known = project.onchain.chain_accounts.get(row_id) or ChainAccount(id=row_id, balance=0)
    if known.endowed or project.wallets.accounts.first("address", address.lower()) is None:
        return known
    return known._replace(balance=known.balance + project.settings.starting_balance_wei, endowed=True)


def write(project: Project, row: ChainAccount) -> None:
    """Remember what a chain knows of an address."""
    rows = project.onchain.chain_accounts
    if row.id in rows:
        rows.replace(row)
    else:
        rows.insert(row)


def move(project: Project, chain_id: int, sender: str, receiver: str, value: int) -> None:
    """Move native coins; the sender must have them."""
    debit(project, chain_id, sender, value)
    there = chain_account(project, chain_id, receiver)
    write(project, there._replace(balance=there.balance + value))


def debit(project: Project, chain_id: int, address: str, amount: int) -> None:
    """Take native coins away, for a fee. More than there are is a ValueError."""
    here = chain_account(project, chain_id, address)
    if amount > here.balance:
        raise ValueError(f"{address} has {here.balance} wei on chain {chain_id}, not {amount}")
    write(project, here._replace(balance=here.balance - amount))


def pending(project: Project, chain_id: int, address: str) -> list[Transaction]:
    """The transactions from an address, whichever account's, that were sent and are not settled."""
    return project.onchain.transactions.find("in_flight", (chain_id, address.lower()))


def use_nonce(project: Project, chain_id: int, address: str) -> None:
    """Use up the next nonce of an address for a transaction."""
    row = chain_account(project, chain_id, address)
    write(project, row._replace(nonce=row.nonce + 1))


def use_operation_nonce(project: Project, chain_id: int, address: str) -> None:
    """Use up the next nonce of an address at the entry point for a user operation."""
    row = chain_account(project, chain_id, address)
    write(project, row._replace(operation_nonce=row.operation_nonce + 1))
