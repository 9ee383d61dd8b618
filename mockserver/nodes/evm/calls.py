"""Calls that change nothing: results, gas, access lists."""

from collections.abc import Generator, Mapping
from typing import Any

from mockserver import errors
from mockserver.api.waiting import in_slices
from mockserver.chain.addresses import ZERO_ADDRESS, address_bytes, create_address
from mockserver.chain.evm.frames import STIPEND
from mockserver.domain.chains.execution import REVERTED
from mockserver.kernel.effort import finish
from mockserver.nodes.envelope import refused
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.drafts import to_evm
from mockserver.nodes.evm.simulation import (
    AccountOverride,
    BlockOverride,
    StateOverride,
    following_block,
    gas_cap,
    least_gas,
    require_success,
    simulate,
)
from mockserver.nodes.values import Block, TransactionObject, show_access_list, to_hex

methods = NodeMethods()

_REVERTED = (errors.RPC_REVERTED,)
_PRECISE = 0.015
"""How much more than needed an estimate may be, as geth has it."""
_PRICES = {"gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "baseFee", "baseFeePerGas"}


@methods.method("eth_call", errors=_REVERTED)
def call_contract(
    chain: Chain,
    transaction: TransactionObject,
    block: Block = "latest",
    overrides: StateOverride = {},
    block_overrides: BlockOverride = {},
) -> Any:
    """Execute a call in the current state, and retrieve what it returns."""
    chain = chain.at(block)
    work = simulate(chain, transaction, gas_cap(chain, transaction), overrides, block_overrides)
    return in_slices(work, lambda made: to_hex(require_success(chain, transaction, made.executed).output))


@methods.method("eth_estimateGas", errors=_REVERTED)
def estimate_gas(
    chain: Chain,
    transaction: TransactionObject,
    block: Block = "latest",
    overrides: StateOverride = {},
    block_overrides: BlockOverride = {},
) -> Any:
    """Find the gas limit that a transaction needs."""
    chain = chain.at(block)
    return in_slices(_estimate(chain, transaction, overrides, block_overrides), hex)


@methods.method("eth_createAccessList", errors=_REVERTED)
def create_access_list(chain: Chain, transaction: TransactionObject, block: Block = "latest") -> Any:
    """Find what a call looks at, besides its sender and its target (EIP-2930)."""
    chain = chain.at(block)
    return in_slices(_find_accessed(chain, transaction), lambda found: found)


def _estimate(
    chain: Chain,
    transaction: TransactionObject,
    overrides: Mapping[str, AccountOverride],
    block: BlockOverride,
) -> Generator[None, None, int]:
    most, usual = gas_cap(chain, transaction), chain.fees.price
    price = transaction.get("maxFeePerGas", transaction.get("gasPrice", 0))
    balance = chain.account(transaction.get("from", ZERO_ADDRESS)).balance
    value = transaction.get("value", 0)
    if price and "from" in transaction:
        if value and value >= balance:
            raise refused("insufficient funds for transfer")
        most = min(most, (balance - value) // price)
    elif not overrides and not _PRICES & {*transaction, *block} and balance >= value + most * usual:
        # Code may read the price, such as a Safe's that refunds gas, and many clients estimate without one.
        transaction = {**transaction, "maxFeePerGas": usual, "maxPriorityFeePerGas": usual}
    exceeded = f"gas required exceeds allowance ({most})"
    # A transaction is mined in a later block than the latest one, and code may depend on its time.
    block = {**following_block(chain), **block}
    needed = least_gas(to_evm(chain, transaction, most))
    if most < needed:
        raise refused(exceeded)
    _, executed = yield from simulate(chain, transaction, most, overrides, block)
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
        _, executed = yield from simulate(chain, transaction, tried, overrides, block)
        if [call.error for call in executed.trace] == ends:
            most = tried
        else:
            least = tried
        if least and (most - least) / most < _PRECISE:
            break
        tried = enough if least < enough < most else min((most + least) // 2, least * 2)
    return most


def estimate_now(chain: Chain, transaction: TransactionObject) -> int:
    """The gas limit that a transaction needs."""
    return finish(_estimate(chain, transaction, {}, {}))


def _find_accessed(chain: Chain, transaction: TransactionObject) -> Generator[None, None, dict[str, Any]]:
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
