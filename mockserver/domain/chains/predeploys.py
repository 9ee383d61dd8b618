"""Contracts that real chains have at known addresses, simulated: rollups' oracles of fees, ENS and WETH.

The fee of a rollup is the project's own (see `networks`), as its receipts have it. No name is registered.
"""

from collections.abc import Callable, Mapping

from mockserver.chain.abi.functions import Function, FunctionTable
from mockserver.chain.networks import NETWORKS
from mockserver.domain.chains.native_functions import Done, NativeCall
from mockserver.domain.chains.networks import L1Cost, fees_of, l1_cost_of, l1_gas_price
from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.events import event_log
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.state.onchain import Log
from mockserver.state.project import Project

_GAS_PRICE_ORACLE = "0x420000000000000000000000000000000000000f"
_L1_BLOCK = "0x4200000000000000000000000000000000000015"
_ENS_REGISTRY = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"
_ENS_UNIVERSAL_RESOLVER = "0xeeeeeeee14d718c2b47d9923deab1335e144eeee"
_ENS_CHAINS = (1, 11155111)
_FIND_RESOLVER = Function.parse("findResolver(bytes)")
_SIGNATURE = b"\xff" * 68
"""What the oracle adds to a transaction for its signature."""


def _base_fee(project: Project, chain_id: int) -> int:
    return fees_of(project, chain_id).base_fee


def _l1_cost(project: Project, chain_id: int, transaction: bytes) -> L1Cost:
    """What it costs to publish a transaction that is not signed yet."""
    return l1_cost_of(project, chain_id, transaction + _SIGNATURE)


def _always(value: int) -> Callable[..., int]:
    return lambda *_: value


_OF_ROLLUPS: Mapping[str, FunctionTable[int]] = {
    _GAS_PRICE_ORACLE: FunctionTable(
        {
            "baseFee()": _base_fee,
            "gasPrice()": _base_fee,
            "l1BaseFee()": l1_gas_price,
            "getL1Fee(bytes)": lambda *call: _l1_cost(*call).fee,
            "getL1GasUsed(bytes)": lambda *call: _l1_cost(*call).gas,
            "getOperatorFee(uint256)": _always(0),
            "decimals()": _always(6),
            **{f"is{fork}()": _always(1) for fork in ("Ecotone", "Fjord", "Isthmus", "Jovian")},
        }
    ),
    _L1_BLOCK: FunctionTable(
        {"basefee()": l1_gas_price, "operatorFeeScalar()": _always(0), "operatorFeeConstant()": _always(0)}
    ),
}
_OF_ENS: Mapping[str, FunctionTable[int]] = {
    _ENS_REGISTRY: FunctionTable(
        {f"{name}(bytes32)": _always(0) for name in ("owner", "resolver", "ttl", "recordExists")}
    ),
    _ENS_UNIVERSAL_RESOLVER: FunctionTable({}),
}


def _wrap(call: NativeCall) -> Done:
    holdings.issue(call.contract, call.sender, call.value)
    return Done(logs=(_log(call, "Deposit", call.value),))


def _unwrap(call: NativeCall, amount: int) -> Done:
    balance = holdings.balance_of(call.contract, call.sender)
    if amount > balance:
        raise CallReverted("ERC20InsufficientBalance(address,uint256,uint256)", call.sender, balance, amount)
    holdings.burn(call.contract, call.sender, amount)
    return Done(logs=(_log(call, "Withdrawal", amount),), payment=(call.sender, amount, b""))


def _log(call: NativeCall, event: str, amount: int) -> Log:
    return event_log(call.address, f"{event}(address,uint256)", [call.sender], [amount])


_OF_WETH: FunctionTable[Done] = FunctionTable({"deposit()": _wrap, "withdraw(uint256)": _unwrap})


def is_predeploy(chain_id: int, address: str) -> bool:
    """Whether one of these contracts is at an address, in lower case."""
    if address in _OF_ENS:
        return chain_id in _ENS_CHAINS
    is_of_rollups = address in _OF_ROLLUPS and NETWORKS[chain_id].rollup
    return is_of_rollups or holdings.is_weth(chain_id, address)


def is_answered(chain_id: int, address: str, data: bytes) -> bool:
    """Whether `answer_call` is for a call: most of WETH are those of any token."""
    is_wrapping = not data or _OF_WETH.has(data)
    return is_predeploy(chain_id, address) and (is_wrapping or not holdings.is_weth(chain_id, address))


def answer_call(call: NativeCall) -> Done:
    """What comes of a call. CallReverted for a name, which has no resolver, AbiError for other functions."""
    address, data = call.address.lower(), call.data
    if holdings.is_weth(call.chain_id, address):
        return _OF_WETH.call(data, call) if data else _wrap(call)
    if address == _ENS_UNIVERSAL_RESOLVER:
        if data[:4] == _FIND_RESOLVER.selector:
            return Done(bytes(3 * 32))
        raise CallReverted("ResolverNotFound(bytes)", b"")
    functions = (_OF_ENS if address in _OF_ENS else _OF_ROLLUPS)[address]
    return Done(functions.call(data, call.project, call.chain_id).to_bytes(32, "big"))
