"""The simulated chains: blocks that follow the clock, nonces, balances of native coins and code.

Invariant: on every chain the balances add up to what was issued. Gas fees are not burned but paid to
one address, the block producer's.
"""

from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mockserver.chain.networks import WETH
from mockserver.chain.user_operations import VERSIONS
from mockserver.crypto.keccak import keccak256
from mockserver.state.chains import ChainAccount, OddBlock, StorageSlot
from mockserver.state.project import Project

BLOCK_TIME_MS = 2_000

FEE_RECIPIENT = "0x" + "b10c" * 10
"""The address of the block producer, to which gas fees are paid."""


CREATE2_FACTORY = "0x4e59b44847b379578588920ca78fbf26c0b4956c"
"""The deterministic deployment proxy, which is on every chain at this address."""
_CREATE2_FACTORY_CODE = bytes.fromhex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f5"
    "8015156039578182fd5b8082525050506014600cf3"
)
_COMPILED = {
    "0xca11bde05977b3631167028862be2a173976ca11": "multicall3.bin",
    "0x000000000022d473030f116ddee9f6b43ac78ba3": "permit2.bin",
}
"""Code that is on every chain: github.com/mds1/multicall3 (MIT), which makes many calls in one, as viem has
it, and github.com/Uniswap/permit2 (MIT), which moves tokens by signatures, as it was deployed."""


class Block(NamedTuple):
    """A block of a simulated chain."""

    number: int
    hash: str


def block_at(project: Project, chain_id: int, moment_ms: int) -> Block:
    """The block of a chain at a time: there is one every two seconds since the Unix epoch."""
    return block_by_number(project, chain_id, moment_ms // BLOCK_TIME_MS)


def block_time_s(project: Project, chain_id: int, number: int) -> int:
    """The time of a block in seconds since the Unix epoch: the first of its two, unless the other is set."""
    return number * BLOCK_TIME_MS // 1000 + (_odd_block(chain_id, number).id in project.chains.odd_blocks)


def set_block_time(project: Project, chain_id: int, time_s: int) -> None:
    """Have the block at a time begin then, where that is the other of its two seconds."""
    number, other = divmod(time_s * 1000, BLOCK_TIME_MS)
    if other:
        project.chains.odd_blocks.put(_odd_block(chain_id, number))


def _odd_block(chain_id: int, number: int) -> OddBlock:
    return OddBlock(f"{chain_id}:{number}")


def block_by_number(project: Project, chain_id: int, number: int, replaced: int | None = None) -> Block:
    """A block of a chain by its number, as it is or was after so many reorganizations in the project.

    Its hash depends on those that included it.
    """
    # Blocks are not stored: a hash follows from the number and from how often the block was replaced.
    times = sum(
        row.chain_id == chain_id and row.first_block <= number <= row.last_block
        for row in islice(project.chains.reorganizations, replaced)
    )
    name = f"block/{chain_id}/{number}" + (f"/{times}" if times else "")
    return Block(number, "0x" + keccak256(project.entropy.derive(name)).hex())


def chain_account(project: Project, chain_id: int, address: str) -> ChainAccount:
    """The state of an address on a chain.

    An account of the project gets the project's starting balance, in addition to what its address
    received before; other addresses start with nothing.
    """
    # The starting balance is issued on first use: chains are many, and most accounts use one of them.
    known = _find_or_new(project, chain_id, address)
    if known.endowed or not project.wallets.has_account_at(address.lower()):
        return known
    return _issue_starting_balance(known, project.settings.starting_balance_wei)


def paymaster_account(project: Project, chain_id: int, address: str) -> ChainAccount:
    """The state of a paymaster on a chain. Its balance is its deposit at the entry point."""
    known = _find_or_new(project, chain_id, address)
    return known if known.endowed else _issue_starting_balance(known, project.settings.sponsor_deposit_wei)


def _find_or_new(project: Project, chain_id: int, address: str) -> ChainAccount:
    row_id = f"{chain_id}:{address.lower()}"
    return project.chains.accounts.get(row_id) or ChainAccount(id=row_id, balance=0)


def _issue_starting_balance(row: ChainAccount, amount: int) -> ChainAccount:
    return row._replace(balance=row.balance + amount, issued=row.issued + amount, endowed=True)


def write(project: Project, row: ChainAccount) -> ChainAccount:
    """Store the state of an address on a chain."""
    return project.chains.accounts.put(row)


def move(project: Project, chain_id: int, here: ChainAccount, receiver: str, value: int) -> ChainAccount:
    """Move native coins to an address, whose account is returned. ValueError if the balance is too low."""
    if value > here.balance:
        raise ValueError(f"{here.id} has {here.balance} wei, not {value}")
    # Write before the receiver's row is read: a transfer to oneself must not change the balance.
    write(project, here._replace(balance=here.balance - value))
    there = chain_account(project, chain_id, receiver)
    return write(project, there._replace(balance=there.balance + value))


def set_balance(project: Project, chain_id: int, address: str, balance: int) -> ChainAccount:
    """Set the balance of an address; the difference is issued or burned."""
    here = chain_account(project, chain_id, address)
    issued = here.issued + balance - here.balance
    return write(project, here._replace(balance=balance, issued=issued, endowed=True))


def code_at(project: Project, chain_id: int, address: str) -> bytes:
    """The code at an address, empty for one whose calls are simulated."""
    row = project.chains.codes.get(f"{chain_id}:{address.lower()}") if len(project.chains.codes) else None
    if row is not None:
        return row.code
    file = _COMPILED.get(address.lower())
    if file is not None:
        return _read_code(file)
    return _CREATE2_FACTORY_CODE if address.lower() == CREATE2_FACTORY else b""


def is_run(project: Project, chain_id: int, *addresses: str) -> bool:
    """Whether calls of any of the addresses are executed: one has code, or may pay out coins."""
    return any(
        code_at(project, chain_id, each) or (lower := each.lower()) in VERSIONS or (chain_id, lower) in WETH
        for each in addresses
    )


@cache
def _read_code(file: str) -> bytes:
    return Path(__file__).with_name(file).read_bytes()


def slot_in_mapping(key: int, mapping: int) -> int:
    """The slot in which Solidity keeps the value of a key, of the mapping in a slot."""
    return int.from_bytes(keccak256(key.to_bytes(32, "big") + mapping.to_bytes(32, "big")), "big")


def slot_at(project: Project, chain_id: int, address: str, slot: int) -> int:
    """The value in a slot of an address."""
    row = project.chains.slots.get(f"{chain_id}:{address.lower()}:{slot:x}")
    return row.value if row else 0


def set_slot(project: Project, chain_id: int, address: str, slot: int, value: int) -> None:
    """Store a value in a slot of an address."""
    contract = f"{chain_id}:{address.lower()}"
    row_id = f"{contract}:{slot:x}"
    if value:
        project.chains.slots.put(StorageSlot(row_id, contract, value))
    elif row_id in project.chains.slots:
        project.chains.slots.remove(row_id)
