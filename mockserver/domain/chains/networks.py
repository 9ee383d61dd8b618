"""The networks of chains, for a project: which it may use, and what gas, calls and coins cost there."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from mockserver import errors
from mockserver.chain.networks import NETWORKS
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.errors import ApiError
from mockserver.state.chains import (
    Execution,
    PlainExecution,
    RawExecution,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.onchain import CallRecord, Reservation
from mockserver.state.project import Project
from mockserver.state.settings import ChainSettings
from mockserver.state.wallets import ChainType

_BASE = 8453
_BASE_SEPOLIA = 84532
_GWEI = 10**9
_CENTI_GWEI = 10**7
_WEI_PER_COIN = Decimal(10**18)
_AS_USUAL = ChainSettings()
_MOST_DIGITS = 16

CHAIN_ERRORS = (errors.CHAIN_UNKNOWN, errors.CHAIN_OF_OTHER_MODE)
"""The errors of `require_chain`, for the declarations of its endpoints."""

BLOB_BASE_FEE = 1
"""What a unit of blob gas costs, in wei: the least of EIP-4844."""

PLAIN_GAS = 21_000
"""The intrinsic gas of every transaction (Ethereum Yellow Paper, G_transaction)."""

CALL_OVERHEAD_GAS = 35_000
"""The reserve of a user operation for what its account does around the calls."""
_USED_OVERHEAD_GAS = CALL_OVERHEAD_GAS * 4 // 5
_CALL_GAS = 30_000
_ZERO_BYTE_GAS = 4
_BYTE_GAS = 16
_L1_OVERHEAD_GAS = 1_600


def read_chain_id(text: str) -> int | None:
    """The id of a chain by its decimal digits, at most 2**53 - 1, which JSON has exactly; None for others."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    return number if 0 < number < 2**53 else None


def require_chain(project: Project, chain_id: int, param: str = "chainId") -> None:
    """ApiError with 400 unless the project may use a chain.

    Test keys work on testnets and live keys on mainnets. An unknown chain is accepted unless the
    project's settings say otherwise.
    """
    network = NETWORKS.get(chain_id)
    if network is None:
        if project.settings.unknown_chains == "refuse":
            raise ApiError(errors.CHAIN_UNKNOWN, param=param, chain_id=chain_id)
    elif is_of_other_mode(project, chain_id):
        raise ApiError(
            errors.CHAIN_OF_OTHER_MODE,
            param=param,
            name=network.name,
            chain_id=chain_id,
            kind="testnet" if network.testnet else "mainnet",
            mode=project.mode,
            wanted="mainnet" if project.livemode else "testnet",
        )


def is_of_other_mode(project: Project, chain_id: int) -> bool:
    """Whether a chain is a mainnet for a project of test keys, or a testnet for one of live keys."""
    network = NETWORKS.get(chain_id)
    return network is not None and network.testnet == project.livemode


def default_chain(project: Project) -> int:
    """The chain of smart and delegated accounts that are created without one: a setting, or Base."""
    if project.settings.default_chain_id is not None:
        return project.settings.default_chain_id
    return _BASE if project.livemode else _BASE_SEPOLIA


def require_account_chain(
    project: Project, chain_type: ChainType, chain_id: int | None, param: str = "chainId"
) -> None:
    """ApiError with 400 for a chain that the project may not use for an account of this type.

    Solana has no chain ids in the sense of EIP-155: any id that is not an EVM chain's is accepted.
    """
    if chain_id is not None and (chain_type == "EVM" or chain_id in NETWORKS):
        require_chain(project, chain_id, param)


# --- costs -------------------------------------------------------------------------------------------


class Fees(NamedTuple):
    """The gas fees of a chain, in wei per unit of gas."""

    base_fee: int
    priority_fee: int

    @property
    def price(self) -> int:
        """The effective gas price in the current block."""
        return self.base_fee + self.priority_fee

    @property
    def max_fee(self) -> int:
        """The `maxFeePerGas` of new transactions: twice the base fee, as clients do."""
        return 2 * self.base_fee + self.priority_fee


class L1Cost(NamedTuple):
    """The L1 data cost of a rollup's transaction: gas on L1, and its fee in wei."""

    gas: int
    fee: int


def fees_of(project: Project, chain_id: int) -> Fees:
    """The gas fees of a chain: constants, or the project's settings; on rollups a hundredth."""
    unit = _CENTI_GWEI if NETWORKS[chain_id].rollup else _GWEI
    chosen = _settings_of(project, chain_id)
    return Fees(
        base_fee=unit if chosen.base_fee_wei is None else chosen.base_fee_wei,
        priority_fee=unit // 10 if chosen.priority_fee_wei is None else chosen.priority_fee_wei,
    )


def call_gas(call: CallRecord) -> int:
    """The gas of a call, without the intrinsic gas: as it was executed, or else simulated by its data."""
    if not call.data and call.gas is None:
        return 0
    zeros = call.data.count(0)
    data_gas = _ZERO_BYTE_GAS * zeros + _BYTE_GAS * (len(call.data) - zeros)
    return data_gas + (_CALL_GAS if call.gas is None else call.gas)


def l1_cost(project: Project, chain_id: int, execution: Execution) -> L1Cost | None:
    """The L1 data cost of an execution on a rollup; None on other chains."""
    return l1_cost_of(project, chain_id, raw_transaction(execution)) if NETWORKS[chain_id].rollup else None


def l1_cost_of(project: Project, chain_id: int, raw: bytes) -> L1Cost:
    """What it costs to publish the bytes of a transaction on L1."""
    zeros = raw.count(0)
    gas = _L1_OVERHEAD_GAS + _ZERO_BYTE_GAS * zeros + _BYTE_GAS * (len(raw) - zeros)
    return L1Cost(gas, gas * l1_gas_price(project, chain_id))


def l1_gas_price(project: Project, chain_id: int) -> int:
    """What a unit of gas costs on L1, in wei."""
    price = _settings_of(project, chain_id).l1_gas_price_wei
    return _GWEI // 20 if price is None else price


def gas_to_reserve(call: CallRecord) -> int:
    """The gas of a call in the limit of its transaction.

    What was executed may take more: before refunds, since each call holds back a 64th, and in another state.
    """
    return call_gas(call) if call.gas is None else call_gas(call) * 3 // 2


def gas_limit(execution: Execution) -> int:
    """The gas that the calls of an execution may take together."""
    if isinstance(execution, UserOperationExecution):
        return execution.operation.call_gas_limit - _USED_OVERHEAD_GAS
    return execution.transaction.gas - PLAIN_GAS


def gas_used(execution: Execution, calls: Sequence[CallRecord]) -> int:
    """The gas that a transaction uses when it is mined, by its calls, executed or not."""
    if isinstance(execution, PlainExecution):
        return PLAIN_GAS + sum(map(call_gas, calls))
    if isinstance(execution, (ZkSyncExecution, RawExecution)):
        return execution.transaction.gas * 5 // 6
    # Limits are estimated with a reserve, as bundlers do. A user operation pays preVerificationGas in full,
    # since it reimburses the bundler, and the other two as used.
    operation = execution.operation
    used = operation.call_gas_limit * 4 // 5
    if any(call.gas is not None for call in calls):
        used = min(operation.call_gas_limit, _USED_OVERHEAD_GAS + sum(map(call_gas, calls)))
    return used + operation.verification_gas_limit * 3 // 4 + operation.pre_verification_gas


def reservation_for(
    project: Project, chain_id: int, execution: Execution, calls: Sequence[CallRecord]
) -> Reservation:
    """The most that an execution can cost, and its payer; a rollup's L1 fee counts as gas."""
    if isinstance(execution, UserOperationExecution):
        operation = execution.operation
        limit = operation.call_gas_limit + operation.verification_gas_limit + operation.pre_verification_gas
        paymaster, most = operation.paymaster, limit * operation.max_fee_per_gas
    else:
        transaction = execution.transaction
        paymaster = transaction.paymaster if isinstance(transaction, ZkSyncTransaction) else None
        most = transaction.gas * transaction.max_fee_per_gas
        if isinstance(execution, RawExecution):
            most = execution.transaction.most_wei - execution.transaction.value
    l1 = l1_cost(project, chain_id, execution)
    return Reservation(
        sender=execution.sender,
        value=sum(call.value for call in calls),
        payer=paymaster or execution.sender,
        gas=most + (l1.fee if l1 else 0),
        l1_gas=l1.gas if l1 else None,
        l1_fee=l1.fee if l1 else None,
    )


def raw_transaction(execution: Execution) -> bytes:
    """The raw bytes that a rollup publishes on L1."""
    if isinstance(execution, PlainExecution):
        return execution.transaction.serialize_unsigned()
    if isinstance(execution, ZkSyncExecution):
        return execution.transaction.serialize()
    if isinstance(execution, RawExecution):
        return execution.raw
    # The signature and the fixed fields are not known yet when the operation is estimated: 320 zero bytes.
    operation = execution.operation
    return operation.call_data + operation.factory_data + operation.paymaster_data + bytes(320)


def format_fee_usd(project: Project, chain_id: int, fee_wei: int) -> str:
    """A fee in US dollars at the price of the chain's native coin, to eight decimals."""
    text = f"{dollars(project, chain_id, fee_wei):.8f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def dollars(project: Project, chain_id: int, fee_wei: int) -> Decimal:
    """A fee in US dollars at the price of the chain's native coin."""
    price = _settings_of(project, chain_id).native_price_usd or project.settings.native_price_usd
    return Decimal(fee_wei) / _WEI_PER_COIN * Decimal(price)


def _settings_of(project: Project, chain_id: int) -> ChainSettings:
    return project.settings.chains.get(str(chain_id), _AS_USUAL)
