"""Calls that change nothing, on a state and in a block that may be otherwise: results, gas, access lists."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Word
from mockserver.chain.abi.functions import Function, encode_call
from mockserver.chain.addresses import ZERO_ADDRESS, address_bytes, checksum_of, create_address
from mockserver.chain.evm.frames import STIPEND
from mockserver.chain.rpc_shapes import show_access_list
from mockserver.chain.transactions import EvmTransaction
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.execution import REVERTED, Executed, Executor, copy_now, try_out
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.errors import ErrorRow, RpcError
from mockserver.kernel.effort import Work, finish
from mockserver.nodes.endpoints import refused
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.drafts import to_evm
from mockserver.nodes.values import (
    Address,
    Block,
    Data,
    Hash,
    Quantity,
    RawAddress,
    TransactionObject,
    closed,
    to_hex,
)
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Watch


methods = NodeMethods()

_REVERTED = (errors.RPC_REVERTED,)
_PRECISE = 0.015
"""How much more than needed an estimate may be, as geth has it."""
_PRICES = {"gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "baseFee", "baseFeePerGas"}


@closed
class AccountOverride(TypedDict, total=False):
    """The state of an address that a call is to find."""

    balance: Quantity
    nonce: Quantity
    code: Data
    state: dict[Word, Quantity]
    stateDiff: dict[Word, Quantity]
    movePrecompileToAddress: Address


StateOverride = Annotated[dict[Address, AccountOverride], Field(max_length=1000)]


@closed
class BlockOverride(TypedDict, total=False):
    """The block that a call is to find."""

    number: Quantity
    time: Quantity
    gasLimit: Quantity
    feeRecipient: RawAddress
    coinbase: RawAddress
    prevRandao: Hash
    random: Hash
    baseFeePerGas: Quantity
    baseFee: Quantity
    blobBaseFee: Quantity
    # What geth knows, and has no effect here.
    difficulty: Quantity
    withdrawals: list[Any]
    beaconRoot: Hash


_NAMES = {
    "number": "number",
    "time": "timestamp",
    "gasLimit": "gas_limit",
    "feeRecipient": "coinbase",
    "coinbase": "coinbase",
    "prevRandao": "prev_randao",
    "random": "prev_randao",
    "baseFeePerGas": "base_fee",
    "baseFee": "base_fee",
    "blobBaseFee": "blob_base_fee",
}


@methods.method("eth_call", errors=_REVERTED)
def call_contract(
    chain: Chain,
    transaction: TransactionObject,
    block: Block = "latest",
    overrides: StateOverride = {},
    block_overrides: BlockOverride = {},
) -> Work[str]:
    """Execute a call in the current state, and retrieve what it returns."""
    chain = chain.at(block)
    gas = gas_cap(chain, transaction)
    _, executed = yield from simulate(chain, transaction, gas, overrides, block_overrides)
    return to_hex(require_success(chain, transaction, executed).output)


@methods.method("eth_estimateGas", errors=_REVERTED)
def estimate_gas(
    chain: Chain,
    transaction: TransactionObject,
    block: Block = "latest",
    overrides: StateOverride = {},
    block_overrides: BlockOverride = {},
) -> Work[str]:
    """Find the gas limit that a transaction needs."""
    chain = chain.at(block)
    most, usual = gas_cap(chain, transaction), chain.fees.price
    price = transaction.get("maxFeePerGas", transaction.get("gasPrice", 0))
    balance = chain.account(transaction.get("from", ZERO_ADDRESS)).balance
    value = transaction.get("value", 0)
    if price and "from" in transaction:
        if value and value >= balance:
            raise refused("insufficient funds for transfer")
        most = min(most, (balance - value) // price)
    elif not overrides and not _PRICES & {*transaction, *block_overrides} and balance >= value + most * usual:
        # Code may read the price, such as a Safe's that refunds gas, and many clients estimate without one.
        transaction = {**transaction, "maxFeePerGas": usual, "maxPriorityFeePerGas": usual}
    exceeded = f"gas required exceeds allowance ({most})"
    # A transaction is mined in a later block than the latest one, and code may depend on its time.
    block_overrides = {**following_block(chain), **block_overrides}
    needed = least_gas(to_evm(chain, transaction, most))
    if most < needed:
        raise refused(exceeded)
    _, executed = yield from simulate(chain, transaction, most, overrides, block_overrides)
    if executed.error not in (None, REVERTED):
        reason = exceeded if executed.error == "out of gas" else executed.error
        raise refused(reason)
    require_success(chain, transaction, executed)
    # A call inside it that fails for lack of gas need not fail all of it, which would do something else.
    ends = [call.error for call in executed.trace]
    # What it uses is often enough. It is not where a refund comes last, or a call holds back a 64th.
    tried = max(needed, executed.gas_used)
    least = tried - 1
    enough = (executed.gas_used + executed.refunded + STIPEND) * 64 // 63
    while most - least > 1:
        _, executed = yield from simulate(chain, transaction, tried, overrides, block_overrides)
        if [call.error for call in executed.trace] == ends:
            most = tried
        else:
            least = tried
        if least and (most - least) / most < _PRECISE:
            break
        tried = enough if least < enough < most else min((most + least) // 2, least * 2)
    return hex(most)


def estimate_now(chain: Chain, transaction: TransactionObject) -> int:
    """The gas limit that a transaction needs."""
    return int(finish(estimate_gas(chain, transaction)), 16)


@methods.method("eth_createAccessList", errors=_REVERTED)
def create_access_list(
    chain: Chain, transaction: TransactionObject, block: Block = "latest"
) -> Work[dict[str, Any]]:
    """Find what a call looks at, besides its sender and its target (EIP-2930)."""
    chain = chain.at(block)
    gas = gas_cap(chain, transaction)
    executor, executed = yield from simulate(chain, transaction, gas)
    sender = transaction.get("from", ZERO_ADDRESS)
    nonce = chain.account(sender).nonce
    target = transaction.get("to") or create_address(sender, nonce)
    made = {each.to: each.kind.startswith("CREATE") for each in executed.trace}
    # What is created is warm at once, unless it is called as well.
    created = {address_bytes(address) for address, is_created in made.items() if is_created}
    known = executor.always_warm | {address_bytes(sender), address_bytes(target)} | created
    entries = {key: slots for key, slots in executor.accessed.items() if slots or key not in known}
    access_list: Any = [{"address": key, "storageKeys": slots} for key, slots in entries.items()]
    _, executed = yield from simulate(chain, {**transaction, "accessList": access_list}, gas)
    found = {"accessList": show_access_list(entries.items()), "gasUsed": hex(executed.gas_used)}
    return found if executed.error is None else {**found, "error": executed.error}


# --- executing them --------------------------------------------------------------------------------------


def following_block(chain: Chain) -> BlockOverride:
    """The block behind the one at which a chain is looked at."""
    number = (chain.latest if chain.block is None else chain.block) + 1
    time_s = max(chain.time_of(number), chain.node.timestamp or 0)
    return {"number": time_s * 1000 // ledger.BLOCK_TIME_MS, "time": time_s}


def gas_cap(chain: Chain, transaction: TransactionObject) -> int:
    """The gas that a call may use: what it names, within the project's limit."""
    most = chain.project.settings.contract_gas_limit
    return min(transaction.get("gas", most), most)


def simulate(
    chain: Chain,
    transaction: TransactionObject,
    gas: int,
    overrides: Mapping[str, AccountOverride] = MappingProxyType({}),
    block: BlockOverride = {},
    watch: "Watch | None" = None,
) -> Work[tuple[Executor, Executed]]:
    """Execute a transaction as if its gas were paid, and undo it: what came of it, and what executed it.

    The executor knows what was looked at.
    """

    def attempt(project: Project) -> Work[tuple[Executor, Executed]]:
        here = Chain(project, chain.id, block=chain.block)
        executor = executor_for(here, transaction, block, watch, moved=moved_precompiles(overrides))
        override(here, overrides)
        account = here.account(transaction.get("from", ZERO_ADDRESS))
        # A nonce that the caller names is not minded: what is created has the address of the next one.
        prepared = to_evm(here, transaction, gas)._replace(nonce=account.nonce)
        has_fees = bool(prepared.max_fee_per_gas or prepared.max_priority_fee_per_gas)
        for _, reason in find_faults(here, executor, prepared, has_fees=has_fees):
            raise refused(reason)
        # Its own authorization counts on the next nonce, and an account that has used one is not new.
        use_nonce(here, checksum_of(prepared.sender))
        return executor, (yield from executor.transact(prepared))

    # What is told of each instruction is told of it once.
    return try_out(chain.project, attempt) if watch is None else attempt(copy_now(chain.project))


def set_answer(chain: Chain, token: str, view: str, arguments: list[str], value: int) -> None:
    """Have a view of a contract answer a value, by the slot of its storage that it answers with."""
    asked: TransactionObject = {"to": token, "data": encode_call(Function.parse(view), arguments)}
    gas = gas_cap(chain, asked)
    executor, _ = finish(simulate(chain, asked, gas))
    for slot in executor.accessed.get(address_bytes(token), ()):
        savepoint = chain.project.undo.savepoint()
        ledger.set_slot(chain.project, chain.id, token, slot, value)
        _, executed = finish(simulate(chain, asked, gas))
        if executed.output == value.to_bytes(32, "big"):
            return
        chain.project.undo.roll_back_to(savepoint)
    raise RpcError(
        errors.RPC_NOT_SUPPORTED, reason=f"{view} of {token} does not answer with a slot of its storage"
    )


def executor_for(
    chain: Chain,
    transaction: TransactionObject,
    block: BlockOverride,
    watch: "Watch | None" = None,
    **more: Any,
) -> Executor:
    """What executes a transaction, in a block that may be otherwise."""
    changed: dict[str, Any] = {
        **more,
        **{_NAMES[name]: value for name, value in block.items() if name in _NAMES},
    }
    if "prev_randao" in changed:
        changed["prev_randao"] = int.from_bytes(changed["prev_randao"], "big")
    if chain.block is not None:
        # What a contract finds of a block that is not the latest.
        number, random = chain.block, int(chain.hash_of(chain.block), 16)
        here = {"number": number, "timestamp": chain.time_of(number), "prev_randao": random}
        changed = {**here, **changed}
    return Executor(chain.project, chain.id, transaction.get("from", ZERO_ADDRESS), watch, **changed)


def use_nonce(chain: Chain, address: str) -> None:
    """Count the nonce of an address up."""
    here = chain.account(address)
    ledger.write(chain.project, here._replace(nonce=(here.nonce + 1) % 2**64))


def least_gas(prepared: EvmTransaction) -> int:
    """The gas limit below which a transaction is not executed at all."""
    from mockserver.chain.evm.transactions import floor_gas, intrinsic_gas

    return max(intrinsic_gas(prepared), floor_gas(prepared.data))


def find_faults(
    chain: Chain, executor: Executor, prepared: EvmTransaction, *, has_fees: bool
) -> Iterator[tuple[ErrorRow, str]]:
    """Why a transaction cannot be in a block, its nonce aside: in geth's order and words."""
    from mockserver.chain.evm.instructions.system import MAX_INIT_CODE_SIZE

    sender, gas = checksum_of(prepared.sender), prepared.gas
    supplied, here = f"(supplied gas {gas})", chain.account(sender)
    most, priority = prepared.max_fee_per_gas, prepared.max_priority_fee_per_gas
    base_fee = executor.environment.base_fee
    if has_fees and priority > most:
        words = "max priority fee per gas higher than max fee per gas"
        fees = f"maxPriorityFeePerGas: {priority}, maxFeePerGas: {most}"
        yield errors.RPC_FEE_LOW, f"err: {words}: address {sender}, {fees} {supplied}"
    if has_fees and most < base_fee:
        fees = f"maxFeePerGas: {most}, baseFee: {base_fee}"
        yield (
            errors.RPC_FEE_LOW,
            f"err: max fee per gas less than block base fee: address {sender}, {fees} {supplied}",
        )
    if here.balance < prepared.most_wei:
        funds = f"address {sender} have {here.balance} want {prepared.most_wei}"
        yield errors.RPC_FUNDS, f"err: insufficient funds for gas * price + value: {funds} {supplied}"
    if gas < least_gas(prepared):
        needed = f"have {gas}, want {least_gas(prepared)}"
        yield errors.RPC_INTRINSIC_GAS, f"err: intrinsic gas too low: {needed} {supplied}"
    if prepared.to is None and len(prepared.data) > MAX_INIT_CODE_SIZE:
        size = f"code size {len(prepared.data)} limit {MAX_INIT_CODE_SIZE}"
        yield errors.RPC_INIT_CODE, f"err: max initcode size exceeded: {size} {supplied}"


def moved_precompiles(overrides: Mapping[str, AccountOverride]) -> dict[bytes, bytes]:
    """The precompiled contracts that overrides move or replace. RpcError for one that is not there."""
    from mockserver.chain.evm.precompiles import precompile_at
    from mockserver.chain.evm.state import Fork

    moved: dict[bytes, bytes] = {}
    for address, changed in overrides.items():
        raw = address_bytes(address)
        is_precompile = precompile_at(raw, Fork.OSAKA) is not None
        there = changed.get("movePrecompileToAddress")
        if there is not None:
            if not is_precompile:
                raise refused(f"account {address} is not a precompile")
            if there in overrides:
                raise refused(f"account {there} is already overridden")
            moved[address_bytes(there)] = raw
        if is_precompile:
            moved[raw] = b""
    return moved


def override(chain: Chain, overrides: Mapping[str, AccountOverride]) -> None:
    """Change the state of addresses. The caller undoes it."""
    project = chain.project
    for address, changed in overrides.items():
        if "balance" in changed:
            ledger.set_balance(project, chain.id, address, changed["balance"])
        if "nonce" in changed:
            here = ledger.chain_account(project, chain.id, address)
            ledger.write(project, here._replace(nonce=changed["nonce"]))
        if "state" in changed and "stateDiff" in changed:
            raise refused(f"account {address} has both 'state' and 'stateDiff'")
        if "state" in changed:
            for slot in execution.slots_of(project, chain.id, address):
                ledger.set_slot(project, chain.id, address, slot, 0)
        for name, value in (changed.get("state") or changed.get("stateDiff") or {}).items():
            ledger.set_slot(project, chain.id, address, int(name, 16), value)
        if "code" in changed:
            execution.set_code(project, chain.id, address, changed["code"])


def require_success(chain: Chain, transaction: TransactionObject, executed: Executed) -> Executed:
    """RpcError for what was undone, in geth's words."""
    if executed.error is None:
        return executed
    if executed.error != REVERTED:
        raise refused(executed.error)
    reason = revert_message(chain, executed.output, [transaction.get("to") or ZERO_ADDRESS])
    raise RpcError(errors.RPC_REVERTED, to_hex(executed.output), reason=reason)


def revert_message(chain: Chain, output: bytes, addresses: Sequence[str]) -> str:
    """Why something was reverted, as far as the data or a registered ABI says it."""
    why = explain_revert(chain.project, chain.id, output, addresses)
    return f"execution reverted: {why}" if why else "execution reverted"
