"""Executing calls whose changes are undone, on a state and in a block that may be otherwise."""

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Word
from mockserver.chain.addresses import ZERO_ADDRESS
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.execution import REVERTED, Executed, Session, undo_afterwards
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.errors import RpcError
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.evm.drafts import to_evm
from mockserver.nodes.values import Address, Data, Hash, Quantity, RawAddress, TransactionObject, to_hex

if TYPE_CHECKING:
    from mockserver.chain.evm.interpreter import Watch

Work = Generator[None, None, Executed]


class AccountOverride(TypedDict, total=False):
    """The state of an address that a call is to find."""

    balance: Quantity
    nonce: Quantity
    code: Data
    state: dict[Word, Quantity]
    stateDiff: dict[Word, Quantity]


StateOverride = Annotated[dict[Address, AccountOverride], Field(max_length=1000)]


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


def gas_cap(chain: Chain, transaction: TransactionObject) -> int:
    """The gas that a call may use: what it names, within the project's limit."""
    most = chain.project.settings.contract_gas_limit
    return min(transaction.get("gas", most), most)


def simulate(
    chain: Chain,
    transaction: TransactionObject,
    gas: int,
    overrides: Mapping[str, AccountOverride],
    block: BlockOverride,
    watch: "Watch | None" = None,
) -> Work:
    """Execute a transaction as if its gas were paid, and undo it."""
    session = open_session(chain, transaction, block, watch)
    return undo_afterwards(chain.project, execute(chain, session, transaction, gas, overrides))


def open_session(
    chain: Chain, transaction: TransactionObject, block: BlockOverride, watch: "Watch | None" = None
) -> Session:
    """What executes a transaction, in a block that may be otherwise."""
    changed: dict[str, Any] = {_NAMES[name]: value for name, value in block.items()}
    if "prev_randao" in changed:
        changed["prev_randao"] = int.from_bytes(changed["prev_randao"], "big")
    return Session(chain.project, chain.id, transaction.get("from", ZERO_ADDRESS), watch, **changed)


def execute(
    chain: Chain,
    session: Session,
    transaction: TransactionObject,
    gas: int,
    overrides: Mapping[str, AccountOverride],
) -> Work:
    """Execute a transaction as if its gas were paid, in a state that may be otherwise."""
    override(chain, overrides)
    prepared = to_evm(chain, transaction, gas)
    _require_gas(prepared, gas)
    return (yield from session.transact(prepared))


def _require_gas(prepared: Any, gas: int) -> None:
    from mockserver.chain.evm.transactions import floor_gas, intrinsic_gas

    needed = max(intrinsic_gas(prepared), floor_gas(prepared.data))
    if gas < needed:
        raise RpcError(errors.RPC_SERVER_ERROR, reason=f"intrinsic gas too low: have {gas}, want {needed}")


def override(chain: Chain, overrides: Mapping[str, AccountOverride]) -> None:
    """Change the state of addresses. The caller undoes it."""
    project = chain.project
    for address, changed in overrides.items():
        if "balance" in changed:
            ledger.set_balance(project, chain.id, address, changed["balance"])
        if "nonce" in changed:
            here = ledger.chain_account(project, chain.id, address)
            ledger.write(project, here._replace(nonce=changed["nonce"]))
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
        raise RpcError(errors.RPC_SERVER_ERROR, reason=executed.error)
    reason = revert_message(chain, executed.output, [transaction.get("to") or ZERO_ADDRESS])
    raise RpcError(errors.RPC_REVERTED, to_hex(executed.output), reason=reason)


def revert_message(chain: Chain, output: bytes, addresses: Sequence[str]) -> str:
    """Why something was reverted, as far as the data or a registered ABI says it."""
    why = explain_revert(chain.project, chain.id, output, addresses)
    return f"execution reverted: {why}" if why else "execution reverted"
