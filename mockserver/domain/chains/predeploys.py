"""Contracts that real chains have at known addresses, simulated: what rollups ask for their fees, and ENS.

The fee of a rollup is the project's own (see `networks`), as its receipts have it. No name is registered.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from mockserver.chain.abi.functions import AbiError, Function, decode_call
from mockserver.chain.networks import NETWORKS
from mockserver.domain.chains.networks import L1Cost, fees_of, l1_cost_of, l1_gas_price
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.state.project import Project

_GAS_PRICE_ORACLE = "0x420000000000000000000000000000000000000f"
_L1_BLOCK = "0x4200000000000000000000000000000000000015"
_ENS_REGISTRY = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e"
_ENS_UNIVERSAL_RESOLVER = "0xeeeeeeee14d718c2b47d9923deab1335e144eeee"
_ENS_CHAINS = (1, 11155111)
_FIND_RESOLVER = Function.parse("findResolver(bytes)")
_SIGNATURE = b"\xff" * 68
"""What the oracle adds to a transaction for its signature."""


class _Here(NamedTuple):
    """The chain whose contract is asked."""

    project: Project
    chain_id: int

    def l1_cost(self, transaction: bytes) -> L1Cost:
        """What it costs to publish a transaction that is not signed yet."""
        return l1_cost_of(self.project, self.chain_id, transaction + _SIGNATURE)


_Reads = Mapping[str, Callable[..., int]]
"""What functions answer, each a number."""


def _base_fee(here: _Here) -> int:
    return fees_of(*here).base_fee


def _l1_base_fee(here: _Here) -> int:
    return l1_gas_price(*here)


def _always(value: int) -> Callable[..., int]:
    return lambda *_: value


_OF_ROLLUPS: Mapping[str, _Reads] = {
    _GAS_PRICE_ORACLE: {
        "baseFee()": _base_fee,
        "gasPrice()": _base_fee,
        "l1BaseFee()": _l1_base_fee,
        "getL1Fee(bytes)": lambda here, transaction: here.l1_cost(transaction).fee,
        "getL1GasUsed(bytes)": lambda here, transaction: here.l1_cost(transaction).gas,
        "getOperatorFee(uint256)": _always(0),
        "decimals()": _always(6),
        **{f"is{fork}()": _always(1) for fork in ("Ecotone", "Fjord", "Isthmus", "Jovian")},
    },
    _L1_BLOCK: {
        "basefee()": _l1_base_fee,
        "operatorFeeScalar()": _always(0),
        "operatorFeeConstant()": _always(0),
    },
}
_OF_ENS: Mapping[str, _Reads] = {
    _ENS_REGISTRY: {f"{name}(bytes32)": _always(0) for name in ("owner", "resolver", "ttl", "recordExists")},
    _ENS_UNIVERSAL_RESOLVER: {},
}


def is_predeploy(chain_id: int, address: str) -> bool:
    """Whether one of these contracts is at an address, in lower case."""
    if address in _OF_ENS:
        return chain_id in _ENS_CHAINS
    network = NETWORKS.get(chain_id)
    return address in _OF_ROLLUPS and network is not None and network.rollup


def answer_call(project: Project, chain_id: int, address: str, data: bytes) -> bytes:
    """What a call returns. CallReverted for a name, which has no resolver, AbiError for other functions."""
    if address == _ENS_UNIVERSAL_RESOLVER:
        if data[:4] == _FIND_RESOLVER.selector:
            return bytes(3 * 32)
        raise CallReverted("ResolverNotFound(bytes)", b"")
    known = _reads_at(address).get(data[:4])
    if known is None:
        raise AbiError("There is no such function.")
    function, read = known
    return read(_Here(project, chain_id), *decode_call(function, data)).to_bytes(32, "big")


@cache
def _reads_at(address: str) -> Mapping[bytes, tuple[Function, Callable[..., int]]]:
    reads = (_OF_ENS if address in _OF_ENS else _OF_ROLLUPS)[address]
    parsed = ((Function.parse(signature), read) for signature, read in reads.items())
    return {function.selector: (function, read) for function, read in parsed}
