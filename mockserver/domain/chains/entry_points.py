"""The entry points of ERC-4337, and the factories of published accounts where they have no code.

Other contracts read nonces and deposits there, and clients the addresses of accounts that are not deployed.
An entry point with code keeps nonces and deposits in its storage, where the published ones do.
"""

from collections.abc import Mapping

from mockserver.chain.abi.functions import Function, decode_call, encode_values
from mockserver.chain.addresses import checksum_of
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.crypto.keccak import keccak256
from mockserver.domain.chains import ledger
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.state.chains import UserOperationExecution
from mockserver.state.project import Project

VERSIONS: Mapping[str, str] = {address.lower(): version for version, address in ENTRY_POINTS.items()}
"""The entry points by address, in lower case."""

_OF_PROJECTS = {
    each.factory_address.lower(): each for each in IMPLEMENTATIONS.values() if each.factory_address
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

_GET_NONCE = Function.parse("getNonce(address,uint192)")
_BALANCE_OF = Function.parse("balanceOf(address)")
_GET_SENDER = Function.parse("getSenderAddress(bytes)")
_PROXY_CODE = Function.parse("proxyCreationCode()")
_CREATE_ACCOUNT = Function.parse("createAccount(address,bytes32)")
_DEPOSITS_SLOT = 0
"""Where entry points keep deposits, by holder: in the lower 112 bits, all that 0.6 has for them."""
_NONCES_SLOT = 1
"""Where entry points keep their nonces: by sender, then by key."""

BUNDLER = "0x" + "b0d1e4" * 6 + "b0d1"
"""The address that sends bundles."""


def has_code(project: Project, chain_id: int, version: str) -> bool:
    """Whether code validates and executes the user operations of an entry point, or else the project does."""
    return bool(ledger.code_at(project, chain_id, ENTRY_POINTS[version]))


def deposit_of(project: Project, chain_id: int, version: str, holder: str) -> int:
    """What a holder has deposited at an entry point with code, in wei; 0 at one without."""
    if not has_code(project, chain_id, version):
        return 0
    slot = ledger.slot_in_mapping(int(holder, 16), _DEPOSITS_SLOT)
    return ledger.slot_at(project, chain_id, ENTRY_POINTS[version], slot) % (1 << 112)


def is_native(address: str) -> bool:
    """Whether there is an entry point or a factory at an address, in lower case."""
    return address in VERSIONS or address in _FACTORIES or address in _OF_PROJECTS


def answer_call(project: Project, chain_id: int, address: str, data: bytes) -> bytes:
    """What a call of an entry point or a factory returns, and nothing for what it does not know.

    CallReverted where the contract reverts.
    """
    selector = data[:4]
    if address not in VERSIONS:
        if selector == _PROXY_CODE.selector:
            return encode_values(["bytes"], [bytes.fromhex("600080fd")])
        return encode_values(["address"], [_derive(address, data)])
    if selector == _GET_NONCE.selector:
        sender, key = decode_call(_GET_NONCE, data)
        nonce = find_nonce(project, chain_id, address, str(sender), int(str(key)))
        return nonce.to_bytes(32, "big")
    if selector == _BALANCE_OF.selector:
        (holder,) = decode_call(_BALANCE_OF, data)
        return ledger.paymaster_account(project, chain_id, str(holder)).balance.to_bytes(32, "big")
    if selector == _GET_SENDER.selector:
        (init_code,) = decode_call(_GET_SENDER, data)
        assert isinstance(init_code, bytes)
        found = _derive("0x" + init_code[:20].hex(), init_code[20:])
        raise CallReverted("SenderAddressResult(address)", found)
    return b""


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
    rows = project.onchain.transactions
    waiting = rows.find("nonce_queue", f"{chain_id}:{sender.lower()}:operation")
    waiting += [row for row in rows.find("status", "awaiting_signature") if row.chain_id == chain_id]
    found = [row.execution for row in waiting if isinstance(row.execution, UserOperationExecution)]
    return sum(
        (each.sender.lower(), ENTRY_POINTS[each.entry_point_version], each.operation.nonce >> 64)
        == (sender.lower(), entry_point, key)
        for each in found
    )


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
    own = _OF_PROJECTS.get(factory.lower())
    if own is not None and data[:4] == _CREATE_ACCOUNT.selector:
        return own.account_address(str(decode_call(_CREATE_ACCOUNT, data)[0]))
    return checksum_of(keccak256(bytes.fromhex(factory[2:]) + data[4:])[12:])
