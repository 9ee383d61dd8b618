"""Whole blocks that are simulated, one on the other (`eth_simulateV1`)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Required

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.addresses import ZERO_ADDRESS, checksum_of
from mockserver.chain.rpc_shapes import bloom
from mockserver.chain.transactions import EvmTransaction
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.domain.chains.execution import REVERTED, Executed, Executor, copy_now
from mockserver.errors import RpcError
from mockserver.kernel.effort import Work
from mockserver.nodes.evm.blocks import list_logs, made_up, show_block, show_sent
from mockserver.nodes.evm.calls import (
    BlockOverride,
    StateOverride,
    executor_for,
    find_faults,
    gas_cap,
    moved_precompiles,
    override,
    revert_message,
    use_nonce,
)
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.drafts import fee_market, to_evm
from mockserver.nodes.values import Block, TransactionObject, closed, to_hex, to_word
from mockserver.state.chains import RawExecution
from mockserver.state.onchain import BlockPosition, Log

methods = NodeMethods()

_MOST_BLOCKS = 256
"""The most blocks that are simulated at once, as geth has it."""
_MOST_GAS = 50_000_000
"""The gas of all calls together, as geth has it."""
_BLOCK_TIME_S = ledger.BLOCK_TIME_MS // 1000
_MAX_NONCE = 2**64 - 1
_ERRORS = (
    *(errors.RPC_REVERTED, errors.RPC_NONCE_LOW, errors.RPC_NONCE_HIGH, errors.RPC_FEE_LOW),
    *(errors.RPC_INTRINSIC_GAS, errors.RPC_FUNDS, errors.RPC_BLOCK_GAS, errors.RPC_BLOCK_NUMBER),
    *(errors.RPC_BLOCK_TIME, errors.RPC_INIT_CODE, errors.RPC_BLOCKS, errors.RPC_INTERNAL),
)


@closed
class Simulated(TypedDict, total=False):
    """A block to simulate."""

    blockOverrides: BlockOverride
    stateOverrides: StateOverride
    calls: Annotated[list[TransactionObject], Field(max_length=1000)]


@closed
class Simulation(TypedDict, total=False):
    """Blocks to simulate, each on the one before."""

    blockStateCalls: Required[Annotated[list[Simulated], Field(min_length=1)]]
    traceTransfers: bool
    validation: bool
    returnFullTransactions: bool


@methods.method("eth_simulateV1", errors=_ERRORS)
def simulate_blocks(
    chain: Chain, simulation: Simulation, block: Block = "latest"
) -> Work[list[dict[str, Any]]]:
    """Execute calls in blocks that are not added to the chain."""
    base = chain.number_of(block)
    planned = list(_plan(base, chain.time_of(base), simulation["blockStateCalls"]))
    copy = Chain(copy_now(chain.at(block).project), chain.id)
    shown: list[dict[str, Any]] = []
    inherited: BlockOverride = {}
    left = _MOST_GAS
    for simulated, here in planned:
        one = _Block(copy, simulation, here, inherited, left)
        shown.append((yield from one.run(simulated)))
        inherited, left = one.inherited, one.left
    return shown


def _plan(base: int, time: int, wanted: list[Simulated]) -> Iterator[tuple[Simulated, BlockOverride]]:
    """The blocks after a base with their numbers and times, and empty ones where numbers leave a gap."""
    number = base
    for simulated in wanted:
        given = simulated.get("blockOverrides", {})
        until = given.get("number", number + 1)
        if until <= number:
            raise RpcError(errors.RPC_BLOCK_NUMBER, number=until, before=number)
        if until - base > _MOST_BLOCKS:
            raise RpcError(errors.RPC_BLOCKS)
        for filler in range(number + 1, until):
            time += _BLOCK_TIME_S
            yield {}, {"number": filler, "time": time}
        at = given.get("time", time + _BLOCK_TIME_S)
        if at <= time:
            raise RpcError(errors.RPC_BLOCK_TIME, time=at, before=time)
        number, time = until, at
        yield simulated, {**given, "number": number, "time": time}


class _Block:
    """A block while it is simulated."""

    def __init__(
        self, chain: Chain, simulation: Simulation, here: BlockOverride, inherited: BlockOverride, left: int
    ) -> None:
        self.chain = chain
        self.validates = simulation.get("validation", False)
        self.in_full = simulation.get("returnFullTransactions", False)
        self.hash = chain.hash_of(here["number"])
        # Without validation gas is free unless the block is told what it costs.
        base_fee = chain.fees.base_fee if self.validates else 0
        self.here: BlockOverride = {"baseFeePerGas": base_fee, **inherited, **here}
        self.more: dict[str, Any] = {"logs_transfers": simulation.get("traceTransfers", False)}
        self.environment = executor_for(chain, {}, self.here).environment
        self.used = 0
        self.left = left
        """The gas for all further calls, of the next blocks too."""
        self.blobs = 0
        self.logs: list[Log] = []
        self.transactions: list[Any] = []

    @property
    def inherited(self) -> BlockOverride:
        """What the next block has as well, unless it is told otherwise."""
        block = self.environment
        found: BlockOverride = {"gasLimit": block.gas_limit, "feeRecipient": block.coinbase}
        return {**found, "baseFeePerGas": block.base_fee} if self.validates else found

    def run(self, simulated: Simulated) -> Work[dict[str, Any]]:
        """Make its calls, and show it."""
        from mockserver.chain.evm.state import COINS

        overrides = simulated.get("stateOverrides", {})
        self.more["moved"] = moved_precompiles(overrides)
        override(self.chain, overrides)
        calls = []
        for transaction in simulated.get("calls", []):
            calls.append((yield from self._call(transaction)))
            yield
        environment = self.environment
        shown = show_block(self.chain, environment.number) | {
            "timestamp": hex(environment.timestamp),
            "gasLimit": hex(environment.gas_limit),
            "gasUsed": hex(self.used),
            "miner": to_hex(environment.coinbase),
            "mixHash": to_word(environment.prev_randao),
            "baseFeePerGas": hex(environment.base_fee),
            "blobGasUsed": hex(self.blobs),
            # What stands for coins that were moved is in no block.
            "logsBloom": bloom([log for log in self.logs if log.address.lower() != to_hex(COINS)]),
            "transactions": self.transactions,
            "calls": calls,
        }
        if calls:
            for name in ("transactions", "receipts"):
                shown[f"{name}Root"] = made_up(name, self.hash)
        return shown

    def _call(self, transaction: TransactionObject) -> Work[dict[str, Any]]:
        chain, sender = self.chain, transaction.get("from", ZERO_ADDRESS)
        limit = self.environment.gas_limit
        gas = transaction.get("gas", limit - self.used)
        if self.used + gas > limit:
            raise RpcError(errors.RPC_BLOCK_GAS, used=self.used, limit=limit)
        gas = min(gas, self.left)
        nonce = chain.account(sender).nonce
        prepared = to_evm(chain, transaction, gas)
        executor = executor_for(chain, transaction, self.here, None, **self.more)
        self._validate(executor, prepared, nonce)
        executed = yield from self._execute(executor, prepared._replace(nonce=nonce), sender)
        shown = self._show(executed, self._add(transaction, prepared), transaction.get("to") or ZERO_ADDRESS)
        self.used += executed.gas_used
        self.left -= executed.gas_used
        self.blobs += prepared.blob_gas
        self.logs += executed.logs
        return shown

    def _validate(self, executor: Executor, prepared: EvmTransaction, nonce: int) -> None:
        """RpcError for what could not be in a block, and with `validation` for its nonce and fees, too."""
        sender, given = checksum_of(prepared.sender), prepared.nonce
        supplied = f"(supplied gas {prepared.gas})"
        if self.validates and given != nonce:
            row, word = (errors.RPC_NONCE_HIGH, "high") if given > nonce else (errors.RPC_NONCE_LOW, "low")
            found = f"address {sender}, tx: {given} state: {nonce}"
            raise RpcError(row, reason=f"err: nonce too {word}: {found} {supplied}")
        if self.validates and given == _MAX_NONCE:
            reason = f"err: nonce has max value: address {sender}, nonce: {given} {supplied}"
            raise RpcError(errors.RPC_INTERNAL, reason=reason)
        has_fees = self.validates or bool(prepared.max_fee_per_gas or prepared.max_priority_fee_per_gas)
        for row, reason in find_faults(self.chain, executor, prepared, has_fees=has_fees):
            raise RpcError(row, reason=reason)

    def _execute(self, executor: Executor, prepared: EvmTransaction, sender: str) -> Work[Executed]:
        """Execute a transaction that pays for its gas."""
        base_fee = self.environment.base_fee
        price = prepared.price_at(base_fee) if prepared.max_fee_per_gas else 0
        self._add_wei(sender, -prepared.gas * price)
        use_nonce(self.chain, sender)
        # It is shown with the gas that it has on a chain, and executed within the project's limit.
        most = gas_cap(self.chain, {"gas": prepared.gas})
        executed = yield from executor.transact(prepared._replace(gas=most))
        self._add_wei(sender, (prepared.gas - executed.gas_used) * price)
        self._add_wei(to_hex(self.environment.coinbase), executed.gas_used * max(0, price - base_fee))
        return executed

    def _add_wei(self, address: str, wei: int) -> None:
        project, chain_id = self.chain.project, self.chain.id
        if wei:
            balance = ledger.chain_account(project, chain_id, address).balance
            ledger.set_balance(project, chain_id, address, balance + wei)

    def _add(self, transaction: TransactionObject, prepared: EvmTransaction) -> str:
        """Add a transaction to the block, signed by nothing. Returns its hash."""
        filled: Mapping[str, Any] = {
            **transaction,
            "nonce": prepared.nonce,
            "gas": prepared.gas,
            "maxFeePerGas": prepared.max_fee_per_gas,
            "maxPriorityFeePerGas": prepared.max_priority_fee_per_gas,
        }
        raw = fee_market(self.chain, filled).serialize_simulated()
        sent = RawExecution(prepared, keccak256(raw), raw)
        hash_ = to_hex(sent.hash)
        shown: dict[str, Any] = {
            "blockHash": self.hash,
            "blockNumber": hex(self.environment.number),
            "blockTimestamp": hex(self.environment.timestamp),
            "transactionIndex": hex(len(self.transactions)),
            "gasPrice": hex(prepared.price_at(self.environment.base_fee)),
            **show_sent(self.chain, sent),
        }
        self.transactions.append(shown if self.in_full else hash_)
        return hash_

    def _show(self, executed: Executed, hash_: str, to: str) -> dict[str, Any]:
        number, index = self.environment.number, len(self.transactions) - 1
        place = BlockPosition(number, self.hash, index, len(self.logs))
        shown: dict[str, Any] = {
            "status": "0x1" if executed.error is None else "0x0",
            "returnData": "0x" if executed.error else to_hex(executed.output),
            "gasUsed": hex(executed.gas_used),
            "maxUsedGas": hex(executed.gas_used + executed.refunded),
            "logs": list_logs(executed.logs, place, hash_, self.environment.timestamp),
        }
        if executed.error == REVERTED:
            message = revert_message(self.chain, executed.output, [to])
            shown["error"] = {"code": 3, "message": message, "data": to_hex(executed.output)}
        elif executed.error is not None:
            shown["error"] = {"code": -32015, "message": executed.error}
        return shown
