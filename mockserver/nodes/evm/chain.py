"""What the methods of a node are asked of: a chain of a project, at one of its blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mockserver import errors
from mockserver.domain.chains import ledger
from mockserver.domain.chains.networks import Fees, fees_of, read_chain_id, require_chain
from mockserver.domain.transactions.repeating import Unrepeatable, state_before
from mockserver.errors import RpcError
from mockserver.kernel.clock import no_time
from mockserver.kernel.spelling import quote
from mockserver.nodes.endpoints import BUNDLER, NODE, invalid, refused
from mockserver.nodes.methods import Methods
from mockserver.server.answering.control_call import ControlCall
from mockserver.state.chains import ChainAccount, NodeState
from mockserver.state.onchain import BLOCK_RANKS, Transaction
from mockserver.state.project import Project


@dataclass(slots=True)
class Chain:
    """A chain of a project."""

    project: Project
    id: int
    block: int | None = None
    """The block after which it is looked at, if that is not the latest."""
    real_ms: Callable[[], int] = no_time
    """Reads the real time, which the clock follows where the project begins anew."""

    @property
    def latest(self) -> int:
        """The number of the latest block."""
        return self.project.clock.now_ms // ledger.BLOCK_TIME_MS

    @property
    def node(self) -> NodeState:
        """What clients have told the node."""
        return self.project.chains.nodes.get(str(self.id)) or NodeState(str(self.id))

    def change_node(self, **changed: Any) -> None:
        """Change what clients have told the node."""
        self.project.chains.nodes.put(self.node._replace(**changed))

    def find_number(self, block: int | bytes | str) -> int | None:
        """The number of a block by its number, hash or tag; None if there is none."""
        if isinstance(block, bytes):
            return self._number_of_hash(block)
        if isinstance(block, int):
            return block if block <= self.latest else None
        # Every block is as safe as it will be: none is replaced but by a test.
        return 0 if block == "earliest" else self.latest

    def number_of(self, block: int | bytes | str) -> int:
        """The number of a block. RpcError if there is none."""
        found = self.find_number(block)
        if found is None:
            raise RpcError(errors.RPC_NOT_FOUND, reason="header not found")
        return found

    def at(self, block: int | bytes | str) -> "Chain":
        """The chain with its state after a block, which is a copy where later blocks have transactions.

        RpcError if the project's history does not reach back to them.
        """
        number = self.number_of(block)
        # Most calls are about the latest block: for these the transactions are not looked at.
        first = next(iter(self.included(number + 1)), None) if number < self.latest else None
        if first is None:
            return self if number == self.latest else Chain(self.project, self.id, block=number)
        try:
            copy = state_before(self.project, first)
        except Unrepeatable as error:
            raise refused(f"the state of block {number} is not known: {error}") from None
        copy.clock.freeze_at(number * ledger.BLOCK_TIME_MS)
        return Chain(copy, self.id)

    def included(self, first: int = 0, last: int | None = None) -> list[Transaction]:
        """The transactions in blocks of the chain, from one to another, in their order."""
        end = None if last is None else (last + 1) * BLOCK_RANKS
        return self.project.onchain.transactions.ranked("block", self.id, first * BLOCK_RANKS, end)

    @property
    def fees(self) -> Fees:
        """What gas costs."""
        return fees_of(self.project, self.id)

    def account(self, address: str) -> ChainAccount:
        """The state of an address."""
        return ledger.chain_account(self.project, self.id, address)

    def sent(self) -> list[Transaction]:
        """The transactions and user operations that wait for a block, oldest first."""
        rows = self.project.onchain.transactions.find("status", "sent")
        return [row for row in rows if row.chain_id == self.id]

    def waiting(self) -> list[Transaction]:
        """The transactions that wait for a block: a user operation has no hash before it is in a bundle."""
        return [row for row in self.sent() if row.chain_hash]

    def find(self, transaction_hash: bytes) -> Transaction | None:
        """The transaction with a hash, if it was sent and was not dropped."""
        # One that was dropped may have been sent again.
        row = self.project.onchain.transactions.last("hash", f"{self.id}:0x{transaction_hash.hex()}")
        return None if row is None or (row.status == "failed" and row.included is None) else row

    def _number_of_hash(self, wanted: bytes) -> int | None:
        text = "0x" + wanted.hex()
        row = self.project.onchain.transactions.last("block", (self.id, text))
        if row is not None:
            return position(row)[0]
        # Blocks are not kept, and a hash follows from a number: clients ask for those that they saw lately.
        numbers = range(self.latest, max(-1, self.latest - _MOST_SEARCHED), -1)
        return next((each for each in numbers if self.hash_of(each) == text), None)

    def time_of(self, number: int) -> int:
        """The time of a block in seconds."""
        return ledger.block_time_s(self.project, self.id, number)

    def take_time(self) -> int | None:
        """The time in milliseconds that a client has set for the next block, which is to be mined then.

        It is the block's own, if there is none within the same two seconds.
        """
        time_s, first_ms = self.node.timestamp, (self.latest + 1) * ledger.BLOCK_TIME_MS
        if time_s is None:
            return None
        self.change_node(timestamp=None)
        if time_s * 1000 < first_ms:
            return first_ms
        ledger.set_block_time(self.project, self.id, time_s)
        return time_s * 1000

    def hash_of(self, number: int) -> str:
        """The hash of a block."""
        return ledger.block_by_number(self.project, self.id, number).hash


_MOST_SEARCHED = 256


def position(row: Transaction) -> tuple[int, int]:
    """Where a transaction is in its chain: the number of its block, and its place there."""
    assert row.included is not None
    return row.included.place.block_number, row.included.place.transaction_index


def ask_chain(call: ControlCall) -> Chain:
    """The chain that the path of a call names. ApiError if the project has no such chain."""
    text = call.path.get("chain") or call.path["chainId"]
    chain_id = read_chain_id(text)
    if chain_id is None:
        raise invalid(f"{quote(text)} is not a chain id")
    require_chain(call.project, chain_id)
    return Chain(call.project, chain_id, real_ms=call.world.real_ms)


NodeMethods = partial(Methods, ask_chain, NODE)
"""Methods of the node of a chain."""
BundlerMethods = partial(Methods, ask_chain, BUNDLER)
"""Methods of its bundler and its paymaster."""
