"""Transactions: what makes one invalid, what it costs, and what it changes (Yellow Paper, 6)."""

from collections.abc import Generator

from mockserver.chain.addresses import address_bytes, create_address
from mockserver.chain.evm.frames import COLLISION, Call, words_of
from mockserver.chain.evm.instructions.system import MAX_INIT_CODE_SIZE, MAX_NONCE
from mockserver.chain.evm.interpreter import CallTrace, Watch, execute
from mockserver.chain.evm.precompiles import precompiles_of
from mockserver.chain.evm.state import Environment, Fork, Reader, State, delegation_to
from mockserver.chain.transactions import EvmTransaction

MAX_GAS = 1 << 24
"""The most that a transaction may use since Osaka (EIP-7825)."""


class InvalidTransaction(ValueError):
    """The transaction cannot be in a block; nothing has changed."""


def check(reader: Reader, environment: Environment, transaction: EvmTransaction, signed: bool = True) -> None:
    """InvalidTransaction if a transaction cannot be in a block. Contracts send some that are not signed."""
    _check_form(environment, transaction)
    _check_fees(environment, transaction)
    sender = reader.account(transaction.sender)
    if sender.nonce != transaction.nonce:
        word = "too low" if transaction.nonce < sender.nonce else "too high"
        raise InvalidTransaction(f"nonce {word}: tx {transaction.nonce} state {sender.nonce}")
    if signed and sender.code and sender.delegate is None:
        raise InvalidTransaction("sender not an eoa (EIP-3607)")
    if sender.balance < transaction.most_wei:
        funds = f"have {sender.balance} want {transaction.most_wei}"
        raise InvalidTransaction(f"insufficient funds for gas * price + value: {funds}")


def _check_form(environment: Environment, transaction: EvmTransaction) -> None:
    gas, fork = transaction.gas, environment.fork
    if fork >= Fork.OSAKA and gas > MAX_GAS:
        raise InvalidTransaction(f"transaction gas limit too high (cap: {MAX_GAS}, tx: {gas})")
    if gas > environment.gas_limit:
        raise InvalidTransaction("exceeds block gas limit")
    intrinsic = intrinsic_gas(transaction)
    if gas < intrinsic:
        raise InvalidTransaction(f"intrinsic gas too low: have {gas}, want {intrinsic}")
    if fork >= Fork.PRAGUE and gas < floor_gas(transaction.data):
        raise InvalidTransaction("insufficient gas for floor data gas cost")
    if transaction.nonce >= MAX_NONCE:
        raise InvalidTransaction("nonce has max value")
    if transaction.to is None and len(transaction.data) > MAX_INIT_CODE_SIZE:
        raise InvalidTransaction("max initcode size exceeded")
    _check_lists(transaction, fork)


def _check_lists(transaction: EvmTransaction, fork: Fork) -> None:
    blobs, authorizations = transaction.blob_hashes, transaction.authorizations
    if transaction.to is None and (blobs is not None or authorizations is not None):
        raise InvalidTransaction("a transaction with blobs or authorizations cannot create a contract")
    if blobs == () or authorizations == ():
        raise InvalidTransaction("a transaction without blobs or authorizations has another type")
    if authorizations is not None and fork < Fork.PRAGUE:
        raise InvalidTransaction("transaction type not supported")
    if any(blob[0] != 1 for blob in blobs or ()):
        raise InvalidTransaction("a blob hash has an unknown version")
    if len(blobs or ()) > (9 if fork == Fork.PRAGUE else 6):
        raise InvalidTransaction("too many blobs")


def _check_fees(environment: Environment, transaction: EvmTransaction) -> None:
    most, priority = transaction.max_fee_per_gas, transaction.max_priority_fee_per_gas
    if priority > most:
        raise InvalidTransaction("max priority fee per gas higher than max fee per gas")
    if most < environment.base_fee:
        raise InvalidTransaction("max fee per gas less than block base fee")
    if transaction.blob_hashes and transaction.max_fee_per_blob_gas < environment.blob_base_fee:
        raise InvalidTransaction("max fee per blob gas less than block blob gas fee")


def intrinsic_gas(transaction: EvmTransaction) -> int:
    """What a transaction costs before anything is executed (EIP-2028, 2930, 3860, 7702)."""
    gas = 21_000 + 4 * _tokens(transaction.data)
    if transaction.to is None:
        gas += 32_000 + 2 * words_of(len(transaction.data))
    gas += sum(2400 + 1900 * len(slots) for _, slots in transaction.access_list)
    return gas + 25_000 * len(transaction.authorizations or ())


def floor_gas(data: bytes) -> int:
    """The least that a transaction with this data costs since Prague (EIP-7623)."""
    return 21_000 + 10 * _tokens(data)


def _tokens(data: bytes) -> int:
    return 4 * len(data) - 3 * data.count(0)


def warm_up(state: State, environment: Environment, transaction: EvmTransaction) -> None:
    """Make warm what is so from the start (EIP-2929, 2930, 3651)."""
    for address in (transaction.sender, environment.coinbase, *precompiles_of(environment.fork).values()):
        state.warm(address)
    if transaction.to is not None:
        state.warm(transaction.to)
    for address, slots in transaction.access_list:
        state.warm(address)
        for slot in slots:
            state.warm((address, slot))


def delegate(state: State, chain_id: int, transaction: EvmTransaction) -> None:
    """Set the code of accounts that have authorized it; what does not fit is passed over (EIP-7702)."""
    for each in transaction.authorizations or ():
        if each.chain_id not in (0, chain_id) or each.nonce >= MAX_NONCE or each.authority is None:
            continue
        state.warm(each.authority)
        account = state.account(each.authority)
        if (account.code and account.delegate is None) or account.nonce != each.nonce:
            continue
        if not account.is_empty:
            state.refund(12_500)
        changed = account._replace(nonce=account.nonce + 1, code=delegation_to(each.address))
        state.put(each.authority, changed)


def call_of(state: State, transaction: EvmTransaction, gas: int) -> Call:
    """The first call of a transaction."""
    sender, to, value = transaction.sender, transaction.to, transaction.value
    if to is None:
        address = address_bytes(create_address("0x" + sender.hex(), transaction.nonce))
        state.warm(address)
        return Call("CREATE", sender, address, value, b"", gas, transaction.data)
    return call_to(state, sender, to, value, transaction.data, gas)


def call_to(state: State, sender: bytes, to: bytes, value: int, data: bytes, gas: int) -> Call:
    """A call of an address, whose code may be that of another (EIP-7702)."""
    target = state.account(to)
    code, delegate = target.code, target.delegate
    if delegate is not None:
        state.warm(delegate)
        code = state.account(delegate).code
    return Call("CALL", sender, to, value, data, gas, code, to, is_delegated=delegate is not None)


def execute_call(
    state: State, environment: Environment, call: Call, watch: Watch | None = None
) -> Generator[None, None, CallTrace]:
    """Make the first call of a transaction; one that creates a contract fails where there is one already."""
    if call.is_creation and not state.can_create(call.address):
        return CallTrace(call, error=COLLISION)
    return (yield from execute(state, environment, call, watch))
