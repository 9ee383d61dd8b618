"""What test clients of Anvil and Hardhat do to a chain: here to the project's one clock and one state."""

import gzip
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.reorganizations import reorganize
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.domain.transactions.mining import change_settings
from mockserver.domain.transactions.raw_transactions import drop, take_queued
from mockserver.errors import ErrorRow, RpcError
from mockserver.kernel import timestamps
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.blocks import show_block
from mockserver.nodes.evm.calls import set_answer
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.pool import find_queued
from mockserver.nodes.evm.sending import send_as_filled
from mockserver.nodes.evm.state import CLIENT_VERSION
from mockserver.nodes.methods import F
from mockserver.nodes.values import Address, Data, Hash, Nonce, Quantity, TransactionObject, closed, to_hex
from mockserver.server.control.simulated.chain_states import dump_chain, load_chain
from mockserver.server.control.world.clock import answer_when_advanced
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings

methods = NodeMethods()

_MOST_BLOCKS = 1_000_000
_MOST_SHOWN = 1_000
_NO_FORKS = "other chains cannot be forked: the server has no network"
_SNAPSHOT = "node-"
"""How the names of the snapshots begin that clients take through the node."""


@closed
class MineOptions(TypedDict, total=False):
    """Which blocks to mine."""

    timestamp: Quantity
    blocks: Quantity


@closed
class ReorganizeOptions(TypedDict):
    """How many blocks are replaced. Their transactions stay."""

    depth: Quantity


@closed
class ResetOptions(TypedDict, total=False):
    """What to begin with. Nothing is forked: the server has no network."""

    forking: dict[str, Any] | None


def _action(*names: str, both: bool = False, errors: Sequence[ErrorRow] = ()) -> Callable[[F], F]:
    """Declare an action by its names; those of `both` exist for Anvil and Hardhat."""
    named = [f"{prefix}_{name}" for prefix in ("anvil", "hardhat") for name in names] if both else names
    return methods.method(*named, errors=errors, is_control=True)


# --- state -----------------------------------------------------------------------------------------------


@_action("setBalance", both=True)
def set_balance(chain: Chain, address: Address, balance: Quantity) -> None:
    """Set the wei of an address."""
    ledger.set_balance(chain.project, chain.id, address, balance)


@_action("anvil_addBalance")
def add_balance(chain: Chain, address: Address, amount: Quantity) -> None:
    """Add wei to an address."""
    balance = chain.account(address).balance + amount
    if balance >= 2**256:
        raise invalid("invalid argument 1: amount: the balance exceeds 2^256")
    ledger.set_balance(chain.project, chain.id, address, balance)


@_action("setNonce", both=True)
def set_nonce(chain: Chain, address: Address, nonce: Nonce) -> None:
    """Set the nonce of an address."""
    here = chain.account(address)
    ledger.write(chain.project, here._replace(nonce=nonce))


@_action("setCode", both=True)
def set_code(chain: Chain, address: Address, code: Data) -> None:
    """Put code at an address."""
    execution.set_code(chain.project, chain.id, address, code)


@_action("setStorageAt", both=True)
def set_storage_at(chain: Chain, address: Address, slot: Quantity, value: Quantity) -> bool:
    """Store a value in a slot of an address."""
    ledger.set_slot(chain.project, chain.id, address, slot, value)
    return True


@_action("anvil_dealERC20", errors=(errors.RPC_NOT_SUPPORTED,))
def deal_tokens(chain: Chain, address: Address, token: Address, balance: Quantity) -> None:
    """Set the balance of an address, of an ERC-20."""
    if ledger.code_at(chain.project, chain.id, token):
        set_answer(chain, token, "balanceOf(address)", [address], balance)
    else:
        holdings.set_balance(Token(chain.project, chain.id, token), address, balance)


@_action("anvil_setERC20Allowance", errors=(errors.RPC_NOT_SUPPORTED,))
def set_allowance(chain: Chain, owner: Address, spender: Address, token: Address, amount: Quantity) -> None:
    """Set what a spender may spend of the ERC-20 of an owner."""
    if ledger.code_at(chain.project, chain.id, token):
        set_answer(chain, token, "allowance(address,address)", [owner, spender], amount)
    else:
        holdings.allow(Token(chain.project, chain.id, token), owner, spender, amount)


@_action("anvil_dumpState")
def dump_state(chain: Chain, history: bool | None = None) -> str:
    """Export the state of the chain, with its block: gzipped JSON in hexadecimal."""
    packed = gzip.compress(orjson.dumps(dump_chain(chain.project, chain.id)), compresslevel=9, mtime=0)
    # The system that has packed it is unknown: Python 3.11 and 3.12 have named it, and a replay compares.
    return to_hex(packed[:9] + b"\xff" + packed[10:])


@_action("anvil_loadState", errors=(errors.CONTROL_INVALID,))
def load_state(chain: Chain, state: str) -> bool:
    """Load what was exported; the clock moves on to its block."""
    load_chain(chain.project, chain.id, state)
    return True


@_action("reset", both=True)
def reset(chain: Chain, options: ResetOptions = {}) -> None:
    """Reset the project, with users and all, to how it began."""
    # viem names a fork of nothing where none is asked for.
    if any(value is not None for value in (options.get("forking") or {}).values()):
        raise refused(_NO_FORKS)
    chain.project.reset(chain.real_ms)


# --- impersonating ---------------------------------------------------------------------------------------


@_action("impersonateAccount", both=True)
def impersonate(chain: Chain, address: Address) -> None:
    """Take transactions of an address without a signature (`eth_sendTransaction`)."""
    others = (each for each in chain.node.impersonated if each != address.lower())
    chain.change_node(impersonated=(*others, address.lower()))


@_action("stopImpersonatingAccount", both=True)
def stop_impersonating(chain: Chain, address: Address) -> None:
    """Take no more transactions of an address without a signature."""
    chain.change_node(impersonated=tuple(each for each in chain.node.impersonated if each != address.lower()))


@_action("anvil_autoImpersonateAccount")
def impersonate_all(chain: Chain, enabled: bool) -> None:
    """Take transactions of every address without a signature, or not."""
    chain.change_node(impersonates_all=enabled)


@_action("eth_sendUnsignedTransaction", errors=(errors.RPC_REVERTED,))
def send_unsigned(chain: Chain, transaction: TransactionObject) -> Any:
    """Send a transaction of any account, without a signature."""
    return send_as_filled(chain, transaction, None)


# --- blocks and time -------------------------------------------------------------------------------------


@_action("mine", both=True)
def mine(chain: Chain, blocks: Quantity = 1, interval: Quantity = 0) -> Any:
    """Advance the clock by blocks, each two seconds long or as long as an interval in seconds."""
    return _mine(chain, blocks, max(interval * 1000, ledger.BLOCK_TIME_MS), lambda: None)


@_action("evm_mine")
def mine_one(chain: Chain, options: MineOptions | Quantity | None = None) -> Any:
    """Advance the clock by a block, to a time in seconds if one is given."""
    return _mine_as_told(chain, options, lambda: "0x0")


@_action("anvil_mineDetailed", "evm_mine_detailed")
def mine_detailed(chain: Chain, options: MineOptions | Quantity | None = None) -> Any:
    """Advance the clock by a block, and retrieve it with its transactions: at most the latest 1,000."""
    before = chain.latest

    def show() -> list[dict[str, Any]]:
        first = max(before, chain.latest - _MOST_SHOWN) + 1
        return [show_block(chain, number, full=True) for number in range(first, chain.latest + 1)]

    return _mine_as_told(chain, options, show)


@_action("evm_increaseTime", "anvil_increaseTime")
def increase_time(chain: Chain, seconds: Quantity) -> Any:
    """Advance the clock, with all that is due meanwhile."""
    return _advance(chain, lambda: chain.project.clock.now_ms + seconds * 1000, lambda: seconds)


@_action("evm_setNextBlockTimestamp", "anvil_setNextBlockTimestamp")
def set_next_timestamp(chain: Chain, timestamp: Quantity) -> None:
    """Set the time in seconds of the next block, which is at least two after the latest one's."""
    if timestamp * 1000 < chain.project.clock.now_ms:
        now_s = chain.project.clock.now_s
        raise invalid(f"timestamp {timestamp} is before now, {now_s}")
    chain.change_node(timestamp=_from_now(chain, timestamp * 1000) // 1000)


@_action("evm_setTime", "anvil_setTime")
def set_time(chain: Chain, timestamp: Quantity) -> Any:
    """Advance the clock to a time in seconds."""
    before = chain.project.clock.now_s
    set_next_timestamp(chain, timestamp)
    chain.change_node(timestamp=None)
    return _advance(chain, lambda: timestamp * 1000, lambda: timestamp - before)


@_action("evm_setAutomine", "anvil_setAutomine")
def set_automine(chain: Chain, enabled: bool) -> bool:
    """Mine each transaction when it is sent, where the clock is frozen, or leave it to the clock."""
    chain.change_node(automine=enabled)
    return True


@_action("getAutomine", both=True)
def get_automine(chain: Chain) -> bool:
    """Whether transactions are mined when they are sent."""
    return chain.node.automine


@_action("evm_setIntervalMining", "anvil_setIntervalMining")
def set_interval_mining(chain: Chain, interval: Quantity) -> bool:
    """Leave mining to the clock, whose blocks are two seconds long; with 0 it is as before."""
    chain.change_node(automine=not interval)
    return True


@_action("setNextBlockBaseFeePerGas", both=True)
def set_base_fee(chain: Chain, base_fee: Quantity) -> None:
    """Set the base fee, of all blocks from now on."""
    settings = chain.project.settings
    known = settings.chains.get(str(chain.id), ChainSettings())
    changed = {**settings.chains, str(chain.id): replace(known, base_fee_wei=base_fee)}
    change_settings(chain.project, replace(settings, chains=changed))


@_action("anvil_reorg", "anvil_reorganize")
def reorganize_chain(
    chain: Chain, options: ReorganizeOptions | Quantity, transactions: list[Any] = []
) -> None:
    """Replace the latest blocks by others with the same transactions."""
    if transactions:
        raise refused("transactions cannot be put into replaced blocks: send them afterwards")
    depth = options if isinstance(options, int) else options["depth"]
    reorganize(chain.project, chain.id, max(0, chain.latest - depth + 1))


def _refuse(reason: str, *names: str, both: bool = False) -> None:
    """Declare what other nodes do, and simulated chains do not."""

    def refuse(chain: Chain, value: Any = None) -> None:
        raise RpcError(errors.RPC_NOT_SUPPORTED, reason=reason)

    refuse.__doc__ = f"Not supported: {reason}."
    _action(*names, both=both, errors=(errors.RPC_NOT_SUPPORTED,))(refuse)


_refuse("gas fees are paid to one address on all chains", "setCoinbase", both=True)
_refuse("the base fee is the least, see anvil_setNextBlockBaseFeePerGas", "setMinGasPrice", both=True)
_refuse("the random number of a block is its hash", "hardhat_setPrevRandao")
_refuse("the gas limit of blocks is the same on all chains", "evm_setBlockGasLimit")
_refuse(
    "blocks are two seconds long, see evm_increaseTime",
    "anvil_setBlockTimestampInterval",
    "anvil_removeBlockTimestampInterval",
)
_refuse(_NO_FORKS, "anvil_setRpcUrl")


# --- mempool ---------------------------------------------------------------------------------------------


@_action("anvil_dropTransaction")
def drop_transaction(chain: Chain, hash: Hash) -> str | None:
    """Take a transaction out of the mempool that waits for a block."""
    row = chain.find(hash)
    if row is None and find_queued(chain, hash):
        take_queued(chain.project, chain.node, hash)
        return to_hex(hash)
    if row is None or row.status != "sent" or not row.is_raw:
        return None
    drop(chain.project, row, "dropped")
    return to_hex(hash)


@_action("hardhat_dropTransaction")
def drop_as_hardhat(chain: Chain, hash: Hash) -> bool:
    """Take a transaction out of the mempool, and say whether it was there."""
    return drop_transaction(chain, hash) is not None


@_action("anvil_dropAllTransactions")
def drop_all(chain: Chain) -> None:
    """Take all transactions out of the mempool that were sent to the node."""
    chain.change_node(queued=())
    for row in reversed([row for row in chain.waiting() if row.is_raw]):
        drop(chain.project, row, "dropped")


# --- snapshots -------------------------------------------------------------------------------------------


@_action("evm_snapshot", "anvil_snapshot")
def snapshot(chain: Chain) -> str:
    """Take a snapshot of the project: users, chains and clock."""
    # No id is used twice: events are counted on where a snapshot is restored.
    number = max([chain.project.history.last_number, *_taken(chain.project)]) + 1
    chain.project.take_snapshot(f"{_SNAPSHOT}{number}")
    return hex(number)


@_action("evm_revert", "anvil_revert")
def revert(chain: Chain, number: Quantity) -> bool:
    """Go back to a snapshot, which is gone afterwards, as those taken later are."""
    project, taken = chain.project, _taken(chain.project)
    if number not in taken:
        return False
    state = project.snapshots[taken[number]]
    for name in [name for other, name in taken.items() if other >= number]:
        del project.snapshots[name]
    project.restore(state, chain.real_ms)
    return True


def _taken(project: Project) -> dict[int, str]:
    """The names of the snapshots that clients have taken through the node, by their numbers."""
    # Tests take snapshots, too, and may give them any name.
    found = ((name, re.fullmatch(f"{_SNAPSHOT}([1-9][0-9]*)", name)) for name in project.snapshots)
    return {int(match[1]): name for name, match in found if match}


# --- the node itself -------------------------------------------------------------------------------------


@_action("metadata", both=True)
def get_metadata(chain: Chain) -> dict[str, Any]:
    """Retrieve version, chain and latest block."""
    return {
        "clientVersion": CLIENT_VERSION,
        "chainId": chain.id,
        "latestBlockNumber": chain.latest,
        "latestBlockHash": chain.hash_of(chain.latest),
        "instanceId": chain.hash_of(0),
        "snapshots": {},
    }


@_action("setLoggingEnabled", both=True)
def set_logging(chain: Chain, enabled: bool) -> None:
    """Nothing: the journal has every call."""


def _mine_as_told(chain: Chain, options: MineOptions | int | None, answer: Callable[[], Any]) -> Any:
    given: MineOptions = options if isinstance(options, dict) else {"timestamp": options or 0}
    if given.get("timestamp"):
        set_next_timestamp(chain, given["timestamp"])
    return _mine(chain, given.get("blocks", 1), ledger.BLOCK_TIME_MS, answer)


def _mine(chain: Chain, blocks: int, length_ms: int, answer: Callable[[], Any]) -> Any:
    if blocks > _MOST_BLOCKS:
        raise invalid(f"at most {_MOST_BLOCKS} blocks are mined at once")

    def end_ms() -> int:
        # The first block has the time that a client has set for it, if one has.
        set_ms = chain.take_time() if blocks else None
        first_ms = chain.project.clock.now_ms + length_ms if set_ms is None else set_ms
        return first_ms + (blocks - 1) * length_ms

    return _advance(chain, end_ms, answer)


def _advance(chain: Chain, to_ms: Callable[[], int], answer: Callable[[], Any]) -> Any:
    return answer_when_advanced(chain.project, lambda: _from_now(chain, to_ms()), lambda fired: answer())


def _from_now(chain: Chain, at_ms: int) -> int:
    if at_ms > timestamps.LAST_MS:
        raise invalid("time ends with the year 9999")
    return max(at_ms, chain.project.clock.now_ms)
