"""The entry points of ERC-4337, and the factories of published accounts where they have no code.

Other contracts read nonces and deposits there and change them, and clients the addresses of accounts that are
not deployed. Nonces are in the storage of an entry point, as deposits are.
"""

from collections.abc import Callable
from typing import Any

from mockserver.chain.abi.functions import AbiError, Function, FunctionTable, decode_call, encode_values
from mockserver.chain.addresses import checksum_of
from mockserver.chain.implementations import SMART_IMPLEMENTATIONS
from mockserver.chain.user_operations import (
    ENTRY_POINTS,
    PACKED_OPERATION,
    PACKED_OPERATION_06,
    VERSIONS,
    packed_operation_hash,
)
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import deposits, ledger
from mockserver.domain.chains.native_functions import Done, NativeCall
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import nonce_queue_of
from mockserver.state.project import Project

_OF_PROJECTS = {
    each.factory_address.lower(): each for each in SMART_IMPLEMENTATIONS.values() if each.factory_address
}
# SimpleAccount 0.6, 0.7 and 0.8, Coinbase 1 and 1.1, Solady, Safe 1.4.1, Kernel 3.
_FACTORIES = frozenset(
    f"0x{digits}"
    for digits in (
        "9406cc6185a346906296840746125a0e44976454",
        "91e60e0613810449d098b0b5ec8b51a0fe8c8985",
        "13e9ed32155810fdbd067d4522c492d6f68e5944",
        "0ba5ed0c6aa8c49038f819e587e2633c4a9f428a",
        "ba5ed110efdba3d005bfc882d75358acbbb85842",
        "5d82735936c6cd5de57cc3c1a799f6b2e6f933df",
        "4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67",
        "aac5d4240af87249b3f71bc8e4a2cae074a3e419",
        "d703aae79538628d27099b8c4f621be4ccd142d5",
    )
)

_PROXY_CODE = Function.parse("proxyCreationCode()")
_CREATE_ACCOUNT = {
    function.selector: function
    for function in map(
        Function.parse, ("createAccount(address,bytes32)", "createAccountWithNonce(address,bytes32,bool)")
    )
}
_NONCES_SLOT = 1
"""Where entry points keep their nonces: by sender, then by key."""

BUNDLER = "0x" + "b0d1e4" * 6 + "b0d1"
"""The address that sends bundles."""


def has_code(project: Project, chain_id: int, version: str) -> bool:
    """Whether code validates and executes the user operations of an entry point, or else the project does."""
    return bool(ledger.code_at(project, chain_id, ENTRY_POINTS[version]))


def is_factory(address: str) -> bool:
    """Whether there is a factory at an address, in lower case."""
    return address in _FACTORIES or address in _OF_PROJECTS


def answer_factory(address: str, data: bytes) -> bytes:
    """What a call of a factory returns."""
    if data[:4] == _PROXY_CODE.selector:
        return encode_values(["bytes"], [bytes.fromhex("600080fd")])
    return encode_values(["address"], [_derive(address, data)])


def answer_call(call: NativeCall) -> Done:
    """What comes of a call of an entry point. CallReverted where it reverts, AbiError where for no reason."""
    if not call.data:
        return _deposit(call, call.sender)
    if call.data[:4] in _HANDLE_OPS:
        reason = "an entry point without code takes operations from the bundler only: give it its code"
        raise CallReverted("Error(string)", reason)
    return _FUNCTIONS.call(call.data, call)


def _nonce(call: NativeCall, sender: str, key: int) -> int:
    return find_nonce(call.project, call.chain_id, call.address.lower(), sender, key)


def _increment(call: NativeCall, key: int) -> Done:
    following = _nonce(call, call.sender, key) + 1
    set_nonce(call.project, call.chain_id, call.address.lower(), call.sender, following)
    return Done()


def _get_sender(call: NativeCall, init_code: bytes) -> Done:
    found = _derive("0x" + init_code[:20].hex(), init_code[20:])
    raise CallReverted("SenderAddressResult(address)", found)


def _hash(call: NativeCall, fields: tuple[Any, ...]) -> Done:
    delegate = ledger.chain_account(call.project, call.chain_id, fields[0]).delegate
    try:
        return Done(packed_operation_hash(fields, VERSIONS[call.address.lower()], call.chain_id, delegate))
    except ValueError as error:
        raise AbiError(str(error)) from None


def _balance(call: NativeCall, holder: str) -> int:
    own = 0
    if deposits.is_paymaster(call.project, holder):
        own = ledger.paymaster_account(call.project, call.chain_id, holder).balance
    return own + deposits.deposit_of(call.project, call.chain_id, call.address, holder)


def _deposit(call: NativeCall, holder: str) -> Done:
    deposits.change_deposit(call.project, call.chain_id, call.address, holder, call.value)
    total = _balance(call, holder)
    return Done(logs=(event_log(call.address, "Deposited(address,uint256)", [holder], [total]),))


def _withdraw(call: NativeCall, receiver: str, amount: int) -> Done:
    project, chain_id, holder = call.project, call.chain_id, call.sender
    deposit = deposits.deposit_of(project, chain_id, call.address, holder)
    if amount > deposit:
        if VERSIONS[call.address.lower()] == "0.9":
            raise CallReverted("InsufficientDeposit(uint256,uint256)", deposit, amount)
        raise CallReverted("Error(string)", "Withdraw amount too large")
    deposits.change_deposit(project, chain_id, call.address, holder, -amount)
    log = event_log(call.address, "Withdrawn(address,address,uint256)", [holder], [receiver, amount])
    return Done(logs=(log,), payment=(receiver, amount, b""))


def _number(read: Callable[..., int]) -> Callable[..., Done]:
    return lambda *arguments: Done(read(*arguments).to_bytes(32, "big"))


def _info(call: NativeCall, holder: str) -> Done:
    """Its deposit, and its stake: there is none."""
    return Done(_balance(call, holder).to_bytes(32, "big") + bytes(4 * 32))


_HANDLE_OPS = (bytes.fromhex("1fad948c"), bytes.fromhex("765e827f"))
"""`handleOps` of entry point 0.6, and of later ones."""
_FUNCTIONS: FunctionTable[Done] = FunctionTable(
    {
        "getNonce(address,uint192)": _number(_nonce),
        "incrementNonce(uint192)": _increment,
        "getSenderAddress(bytes)": _get_sender,
        f"getUserOpHash({PACKED_OPERATION_06})": _hash,
        f"getUserOpHash({PACKED_OPERATION})": _hash,
        "balanceOf(address)": _number(_balance),
        "getDepositInfo(address)": _info,
        "depositTo(address)": _deposit,
        "withdrawTo(address,uint256)": _withdraw,
    }
)


def find_nonce(project: Project, chain_id: int, entry_point: str, sender: str, key: int) -> int:
    """The next nonce of a sender with a key: the key and, in the last 64 bits, a number in sequence.

    An entry point with code counts it when it executes an operation, so those that wait come on top.
    """
    is_executed = bool(ledger.code_at(project, chain_id, entry_point))
    if not key and not is_executed:
        return ledger.chain_account(project, chain_id, sender).operation_nonce
    nonce = key << 64 | ledger.slot_at(project, chain_id, entry_point, _slot_of(sender, key))
    return nonce + (_count_waiting(project, chain_id, entry_point, sender, key) if is_executed else 0)


def _count_waiting(project: Project, chain_id: int, entry_point: str, sender: str, key: int) -> int:
    waiting = project.onchain.unmined(nonce_queue_of(chain_id, sender, key))
    found = [row.execution for row in waiting if isinstance(row.execution, UserOperationExecution)]
    return sum(ENTRY_POINTS[each.entry_point_version] == entry_point for each in found)


def set_nonce(project: Project, chain_id: int, entry_point: str, sender: str, nonce: int) -> None:
    """Set the next nonce of a sender with a key."""
    key, number = divmod(nonce, 1 << 64)
    if key or ledger.code_at(project, chain_id, entry_point):
        ledger.set_slot(project, chain_id, entry_point, _slot_of(sender, key), number)
    else:
        here = ledger.chain_account(project, chain_id, sender)
        ledger.write(project, here._replace(operation_nonce=number))


def _slot_of(sender: str, key: int) -> int:
    return ledger.slot_in_mapping(key, ledger.slot_in_mapping(int(sender, 16), _NONCES_SLOT))


def _derive(factory: str, data: bytes) -> str:
    """Where a factory deploys an account: by the arguments, which are those of its `getAddress`, too."""
    own, function = _OF_PROJECTS.get(factory.lower()), _CREATE_ACCOUNT.get(data[:4])
    if own is not None and function is not None:
        return own.account_address(str(decode_call(function, data)[0]))
    return checksum_of(keccak256(bytes.fromhex(factory[2:]) + data[4:])[12:])
