"""The bundler: taking user operations, estimating them, and what became of them (ERC-7769, Pimlico)."""

from typing import Any, Literal

from mockserver import errors
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation
from mockserver.domain.chains import entry_points
from mockserver.domain.chains.failures import Failure
from mockserver.domain.sponsorship.paymasters import sponsorship_of
from mockserver.domain.sponsorship.sponsors import SponsorDecision, find_sponsor
from mockserver.domain.transactions import bundles
from mockserver.domain.transactions.raw_transactions import drop, send_signed
from mockserver.domain.transactions.reverts import explain_revert
from mockserver.domain.transactions.smart_accounts import GasLimits, limits_for
from mockserver.domain.wallets.outcomes import make_calls, measure_gas
from mockserver.errors import RpcError
from mockserver.kernel.timers import Fired
from mockserver.nodes.bundler import validation
from mockserver.nodes.bundler.operations import (
    UserOperationObject,
    calls_of,
    find_operation,
    hash_of,
    read_operation,
    read_version,
    show_operation,
    show_operation_receipt,
)
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.calls import StateOverride, override
from mockserver.nodes.evm.chain import BundlerMethods, Chain
from mockserver.nodes.evm.pool import require_raise
from mockserver.nodes.evm.sending import Fated, answer_when_mined, in_turn, wait_for_receipt
from mockserver.nodes.values import Address, Hash, to_hex
from mockserver.server.control.world.clock import answer_when_advanced
from mockserver.state.chains import UserOperationExecution
from mockserver.state.onchain import CallRecord, Transaction, nonce_queue_of

methods = BundlerMethods()

_REFUSED = (
    errors.RPC_REFUSED,
    errors.RPC_REFUSED_BY_PAYMASTER,
    errors.RPC_EXPIRED,
    errors.RPC_BAD_SIGNATURE,
    errors.RPC_OPERATION_REVERTED,
)
_PAYMASTER_GAS = {"paymasterVerificationGasLimit": "0x9c40", "paymasterPostOpGasLimit": "0x4e20"}


@methods.method("eth_supportedEntryPoints")
def list_entry_points(chain: Chain) -> list[str]:
    """List the entry points."""
    return list(ENTRY_POINTS.values())[::-1]


@methods.method("eth_sendUserOperation", errors=_REFUSED, transacts=True)
@in_turn
def send_user_operation(chain: Chain, operation: UserOperationObject, entryPoint: Address) -> Any:
    """Send a user operation; where the clock is frozen it is bundled at once."""
    row = _take(chain, operation, entryPoint)
    return answer_when_mined(chain, row, lambda row: to_hex(row.operation_hash or b""))


@methods.method("pimlico_sendUserOperationNow", errors=_REFUSED, transacts=True)
@in_turn
def send_user_operation_now(chain: Chain, operation: UserOperationObject, entryPoint: Address) -> Any:
    """Send a user operation, and wait for its receipt."""
    late = refused("the user operation is in no block")
    return wait_for_receipt(chain, _take(chain, operation, entryPoint), show_operation_receipt, late)


@methods.method("eth_estimateUserOperationGas", errors=_REFUSED)
def estimate_user_operation(
    chain: Chain, operation: UserOperationObject, entryPoint: Address, overrides: StateOverride = {}
) -> dict[str, str]:
    """Estimate the gas limits of a user operation. Its signature and its limits do not matter."""
    version = read_version(entryPoint)
    with chain.project.undo.undone():
        override(chain, overrides)
        read = read_operation(chain, operation, version)
        validation.check_deployed(chain, read)
        validation.check_nonce(chain, read, version)
        if entry_points.has_code(chain.project, chain.id, version):
            limits = _estimate_by_code(chain, read, version)
        else:
            calls, most = calls_of(read), chain.project.settings.contract_gas_limit
            outcome = make_calls(chain.project, chain.id, read.sender, calls, most)
            if outcome.reverted is not None:
                raise _reverted(chain, outcome.reverted, calls)
            limits = limits_for(outcome.calls, read.call_data, deploys=read.factory is not None)
    estimated = {
        "preVerificationGas": hex(limits.pre_verification_gas),
        "verificationGasLimit": hex(limits.verification_gas_limit),
        "callGasLimit": hex(limits.call_gas_limit),
    }
    return estimated | _PAYMASTER_GAS if read.paymaster and version != "0.6" else estimated


@methods.method("eth_getUserOperationByHash")
def get_user_operation(chain: Chain, hash: Hash) -> dict[str, Any] | None:
    """Retrieve a user operation, which need not be in a block yet."""
    row = find_operation(chain, hash)
    return None if row is None or (row.status == "failed" and not row.included) else show_operation(row)


@methods.method("eth_getUserOperationReceipt")
def get_user_operation_receipt(chain: Chain, hash: Hash) -> dict[str, Any] | None:
    """Retrieve the receipt of a user operation that is in a block."""
    row = find_operation(chain, hash)
    return None if row is None or row.included is None else show_operation_receipt(chain, row)


@methods.method("pimlico_getUserOperationStatus", "openfort_getUserOperationStatus")
def get_user_operation_status(chain: Chain, hash: Hash) -> dict[str, Any]:
    """Retrieve what has become of a user operation."""
    row = find_operation(chain, hash)
    if row is None:
        return {"status": "not_found", "transactionHash": None}
    if row.included is not None:
        return {"status": "included", "transactionHash": row.included.transaction_hash}
    status = "rejected" if row.status == "failed" else "submitted"
    return {"status": status, "transactionHash": None}


@methods.method("pimlico_getUserOperationGasPrice", "openfort_getUserOperationGasPrice")
def get_gas_prices(chain: Chain) -> dict[str, Any]:
    """Retrieve what gas costs for bundles that are slow, usual and fast: the same."""
    fees = chain.fees
    price = {"maxFeePerGas": hex(fees.max_fee), "maxPriorityFeePerGas": hex(fees.priority_fee)}
    return {"slow": price, "standard": price, "fast": price}


# --- bundling by hand ------------------------------------------------------------------------------------


@methods.method("debug_bundler_setBundlingMode", is_control=True)
def set_bundling_mode(chain: Chain, mode: Literal["auto", "manual"]) -> str:
    """Bundle each user operation when it is sent (`auto`), where the clock is frozen, or not (`manual`)."""
    chain.change_node(automine=mode == "auto")
    return "ok"


@methods.method("debug_bundler_sendBundleNow", is_control=True)
def send_bundle_now(chain: Chain) -> Any:
    """Advance the clock until the user operations that wait are in a block."""
    project, rows = chain.project, _waiting(chain)

    def end_ms() -> int:
        due_ms = (project.timers.next_due_ms(row.id) for row in rows)
        return max([project.clock.now_ms, *(each for each in due_ms if each is not None)])

    def answer(fired: list[Fired]) -> str | None:
        settled = [project.onchain.transactions.get(row.id) for row in rows]
        hashes = [each.included.transaction_hash for each in settled if each and each.included]
        return hashes[-1] if hashes else None

    return answer_when_advanced(project, end_ms, answer)


@methods.method("debug_bundler_dumpMempool", is_control=True)
def dump_mempool(chain: Chain, entryPoint: Address | None = None) -> list[dict[str, Any]]:
    """List the user operations that wait for a block: all, or those of an entry point."""
    shown = map(show_operation, _waiting(chain))
    return [each["userOperation"] for each in shown if entryPoint in (None, each["entryPoint"])]


@methods.method("debug_bundler_clearState", "debug_bundler_clearMempool", is_control=True)
def clear_mempool(chain: Chain) -> str:
    """Drop the user operations that wait for a block."""
    for row in reversed(_waiting(chain)):
        drop(chain.project, row, "dropped")
    return "ok"


def _waiting(chain: Chain) -> list[Transaction]:
    return [row for row in chain.sent() if row.is_raw and row.operation_hash]


def _take(chain: Chain, given: UserOperationObject, entry_point: str) -> Transaction:
    """Take a user operation. RpcError in the words of the entry point for one that would fail."""
    version = read_version(entry_point)
    operation = read_operation(chain, given, version)
    validation.check_fees(operation)
    validation.check_deployed(chain, operation)
    validation.check_authorization(chain, given)
    execution = UserOperationExecution(version, operation, hash_of(operation, version, chain.id))
    known = find_operation(chain, execution.hash)
    if known is not None and known.status != "failed":
        raise invalid("Already known")
    _replace(chain, operation)
    validation.check_nonce(chain, operation, version)
    named = sponsorship_of(chain.project, operation)
    sponsor = None
    if named is not None:
        # What it takes in tokens follows from the sponsorship, whose approval the operation has.
        sponsorship = chain.project.guardrails.fee_sponsorships[named]
        sponsor = find_sponsor(chain.project, sponsorship, chain.id, SponsorDecision(True, ""))
    calls = calls_of(operation)
    if entry_points.has_code(chain.project, chain.id, version):
        validation.check_by_code(chain, execution)
    else:
        validation.check_signature(chain, operation, execution.hash)
        validation.check_paymaster(chain, execution)
        # Only the code of contracts is measured: what a call of others takes is in the limit already.
        most = chain.project.settings.contract_gas_limit
        calls = measure_gas(chain.project, chain.id, operation.sender, calls, most)
        validation.check_funds(chain, execution, calls, named)
    try:
        return send_signed(
            chain.project,
            chain.id,
            execution,
            calls,
            fee_sponsorship_id=named,
            charge=sponsor.charge if sponsor else None,
        )
    except Failure as failure:
        raise validation.refuse_because(operation, failure.error.reason, Fated) from None


def _replace(chain: Chain, operation: UserOperation) -> None:
    """Drop the last operation of a sender's key if this one has its nonce, and offers a tenth more."""
    queue = nonce_queue_of(chain.id, operation.sender, operation.nonce >> 64)
    waiting = [row for row in _waiting(chain) if row.nonce_queue == queue]
    last = waiting[-1].execution if waiting else None
    if isinstance(last, UserOperationExecution) and last.operation.nonce == operation.nonce:
        require_raise(last.operation, operation)
        drop(chain.project, waiting[-1], "replaced")


def _estimate_by_code(chain: Chain, operation: UserOperation, version: str) -> GasLimits:
    execution = UserOperationExecution(version, operation, hash_of(operation, version, chain.id))
    try:
        limits, bundled = bundles.estimate(chain.project, chain.id, execution)
    except Failure as failure:
        raise validation.refuse_because(operation, failure.error.reason) from None
    if bundled.reverted is not None:
        raise _reverted(chain, bundled.reverted, calls_of(operation))
    return limits


def _reverted(chain: Chain, data: bytes, calls: tuple[CallRecord, ...]) -> RpcError:
    why = explain_revert(chain.project, chain.id, data, [call.to for call in calls])
    reason = f": {why}" if why else f" with reason: {to_hex(data)}"
    return RpcError(
        errors.RPC_OPERATION_REVERTED,
        to_hex(data),
        reason=f"UserOperation reverted during simulation{reason}",
    )
