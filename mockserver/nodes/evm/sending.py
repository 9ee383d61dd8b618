"""Sending transactions."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from mockserver import errors
from mockserver.api.waiting import Later, Until, between_calls, go_on_with, later
from mockserver.chain.addresses import checksum_of
from mockserver.chain.serialized_transactions import read_signed, without_blobs
from mockserver.chain.transactions import EvmTransaction
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.secp256k1 import BadSignature, Signature, sign
from mockserver.domain.chains.failures import Failure
from mockserver.domain.transactions.raw_transactions import drop, require_sendable, send_queued, send_raw
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import RpcError
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.accounts import find_secret, require_secret
from mockserver.nodes.evm.blocks import show_receipt, show_sent
from mockserver.nodes.evm.calls import estimate_now
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.evm.drafts import fee_market, to_evm
from mockserver.nodes.evm.pool import find_queued, queue, require_raise
from mockserver.nodes.methods import F
from mockserver.nodes.values import Data, Quantity, TransactionObject, to_hex
from mockserver.responses.transactions import until_settled
from mockserver.state.chains import RawExecution
from mockserver.state.onchain import Transaction, nonce_queue_of

methods = NodeMethods()

_REVERTED = (errors.RPC_REVERTED,)
_UNSIGNED = Signature(1, 1, 0)
"""The signature of a transaction that an impersonated account sends."""
_MOST_BYTES = 2**17
_MOST_BEFORE = 100
"""For how many others one that is refused waits."""


class Fated(RpcError):
    """An error that a test has set, which does not depend on what was sent before."""


def in_turn(send: F) -> F:
    """Declare that what a function sends waits its turn, if it is refused while others are executed ahead.

    They came before it, and may have the nonces before.
    """

    @wraps(send)
    def answer(chain: Chain, *args: Any, **given: Any) -> Any:
        project, left = chain.project, _MOST_BEFORE

        def attempt() -> Any:
            nonlocal left
            savepoint, left = project.undo.savepoint(), left - 1
            try:
                return send(chain, *args, **given)
            except Fated:
                raise
            except RpcError:
                # It goes on too early where another has begun first, and where the server stops.
                if not project.ahead.begun or not left:
                    raise
                project.undo.roll_back_to(savepoint)
                return wait()

        def wait() -> Later[Any]:
            yield Until(lambda: not project.ahead.begun)
            return (yield from go_on_with((yield from between_calls(project.ahead.run(attempt)))))

        return attempt()

    return cast("F", answer)


@methods.method("eth_sendRawTransaction", errors=(errors.RPC_NONCE_GAP,), transacts=True)
@in_turn
def send_raw_transaction(chain: Chain, data: Data) -> Any:
    """Send a signed transaction."""
    try:
        row = _take(chain, data)
    except _NonceGap as gap:
        # What is executed now may have been sent by the same account before.
        if chain.project.ahead.begun:
            raise
        queue(chain, gap.execution)
        return to_hex(gap.execution.hash)
    return answer_when_mined(chain, row, _hash_of)


@methods.method(
    "eth_sendRawTransactionSync", errors=(errors.RPC_NOT_MINED, errors.RPC_NONCE_GAP), transacts=True
)
@in_turn
def send_raw_transaction_sync(chain: Chain, data: Data, timeout: Quantity | None = None) -> Any:
    """Send a signed transaction, and wait for its receipt (EIP-7966)."""
    row = _take(chain, data)
    return wait_for_receipt(chain, row, show_receipt, RpcError(errors.RPC_NOT_MINED, _hash_of(row)), timeout)


@methods.method("eth_sendTransaction", errors=_REVERTED, transacts=True)
def send_transaction(chain: Chain, transaction: TransactionObject) -> Any:
    """Send a transaction of an account whose key is here, or that is impersonated."""
    sender, node = _require_sender(transaction), chain.node
    impersonates = node.impersonates_all or sender.lower() in node.impersonated
    secret = find_secret(chain.project, sender) if impersonates else require_secret(chain.project, sender)
    return send_as_filled(chain, transaction, secret)


@in_turn
def send_as_filled(chain: Chain, transaction: TransactionObject, secret: bytes | None) -> Any:
    """Send a transaction with what it lacks filled in, without a signature if there is no key."""
    row = _send(chain, *_sign(chain, _fill(chain, transaction), secret), is_signed=False)
    return answer_when_mined(chain, row, _hash_of)


@methods.method("eth_signTransaction", errors=_REVERTED)
def sign_transaction(chain: Chain, transaction: TransactionObject) -> dict[str, Any]:
    """Sign a transaction of an account whose key is here."""
    filled = _fill(chain, transaction)
    _, raw = _sign(chain, filled, require_secret(chain.project, filled["from"]))
    return {"raw": to_hex(raw), "tx": _show_filled(chain, filled, raw)}


@methods.method("eth_fillTransaction", errors=_REVERTED)
def fill_transaction(chain: Chain, transaction: TransactionObject) -> dict[str, Any]:
    """Fill in what a transaction lacks: nonce, gas and fees."""
    filled = _fill(chain, transaction)
    unsigned = fee_market(chain, filled)
    shown = _show_filled(chain, filled, unsigned.serialize_simulated())
    return {"raw": to_hex(unsigned.serialize_unsigned()), "tx": shown}


# --- taking them -----------------------------------------------------------------------------------------


class _NonceGap(RpcError):
    """A transaction whose sender has sent none with the nonces before its own."""

    def __init__(self, execution: RawExecution, nonce: int) -> None:
        reason = f"nonce too high: tx {execution.transaction.nonce} state {nonce}"
        super().__init__(errors.RPC_NONCE_GAP, hex(nonce), reason=reason)
        self.execution = execution


def _take(chain: Chain, raw: bytes) -> Transaction:
    """Take a signed transaction. RpcError in geth's words for one that cannot be in a block."""
    try:
        raw = without_blobs(raw)
        transaction, chain_id = read_signed(raw)
    except (BadSignature, ValueError) as error:
        raise refused(str(error)) from None
    if chain_id not in (None, chain.id):
        raise refused(f"invalid chain id for signer: have {chain_id} want {chain.id}")
    if len(raw) > _MOST_BYTES:
        raise refused(f"oversized data: transaction size {len(raw)}, limit {_MOST_BYTES}")
    return _send(chain, transaction, raw)


def prepare_block(chain: Chain, after_ms: int) -> None:
    """Advance the clock so that a block so much later has the time that a client has set for it."""
    at_ms = chain.take_time()
    if at_ms is not None:
        TIMER_LOOP.advance(chain.project, max(chain.project.clock.now_ms, at_ms - after_ms))


def _send(chain: Chain, transaction: EvmTransaction, raw: bytes, *, is_signed: bool = True) -> Transaction:
    """Send a transaction, whose sender may be a contract if it came without a signature, as with Anvil.

    A signed one may come before others that its sender has signed before it: `_NonceGap`. Those that have
    waited for it are sent, too.
    """
    from mockserver.chain.evm.transactions import InvalidTransaction

    project, hashed = chain.project, keccak256(raw)
    known = chain.find(hashed)
    if (known is not None and known.included is None) or find_queued(chain, hashed):
        raise refused("already known")
    sender = checksum_of(transaction.sender)
    _replace(chain, sender, transaction)
    nonce = chain.account(sender).nonce
    has_gap = is_signed and transaction.nonce > nonce
    checked = transaction._replace(nonce=nonce) if has_gap else transaction
    try:
        require_sendable(project, chain.id, checked, is_signed=is_signed)
    except InvalidTransaction as error:
        raise refused(str(error)) from None
    execution = RawExecution(transaction, hashed, raw)
    if has_gap:
        raise _NonceGap(execution, nonce)
    if chain.node.automine:
        prepare_block(chain, project.settings.transaction_confirms_after_ms)
    try:
        row = send_raw(project, chain.id, execution)
    except Failure as failure:
        raise Fated(errors.RPC_SERVER_ERROR, reason=failure.error.reason) from None
    send_queued(project, chain.id, sender)
    return row


def _replace(chain: Chain, sender: str, transaction: EvmTransaction) -> None:
    """Drop the last transaction of a sender if this one has its nonce, and offers a tenth more."""
    queue = chain.project.onchain.transactions.find("nonce_queue", nonce_queue_of(chain.id, sender))
    raw = [(row, row.execution) for row in queue if isinstance(row.execution, RawExecution)]
    if not raw:
        return
    last, execution = raw[-1]
    if execution.transaction.nonce == transaction.nonce:
        require_raise(execution.transaction, transaction)
        drop(chain.project, last, "replaced")


def _hash_of(row: Transaction) -> str:
    assert isinstance(row.execution, RawExecution)
    return to_hex(row.execution.hash)


# --- waiting until they are in a block -------------------------------------------------------------------


def answer_when_mined(chain: Chain, row: Transaction, answer: Callable[[Transaction], str]) -> Any:
    """The answer about a transaction that was sent; where the clock is frozen, once it was mined."""
    if chain.project.clock.mode != "frozen" or not chain.node.automine:
        return answer(row)
    return later(until_settled(chain.project, row.id), lambda: answer(row))


def wait_for_receipt(
    chain: Chain,
    row: Transaction,
    show: Callable[[Chain, Transaction], Any],
    late: RpcError,
    most_ms: int | None = None,
) -> Later[Any]:
    """The receipt of a transaction, once it is in a block; `late` is raised if it gets into none."""
    yield until_settled(chain.project, row.id, most_ms)
    settled = chain.project.onchain.transactions.get(row.id)
    if settled is None or settled.included is None:
        raise late
    return show(chain, settled)


# --- filling in and signing ------------------------------------------------------------------------------


def _require_sender(transaction: TransactionObject) -> str:
    if "from" not in transaction:
        raise invalid("invalid argument 0: from: Field required")
    return transaction["from"]


def _fill(chain: Chain, transaction: TransactionObject) -> Any:
    """A transaction with nonce, gas and fees."""
    if "blobVersionedHashes" in transaction:
        raise refused("signing blob transactions not supported: send it signed, by eth_sendRawTransaction")
    sender = _require_sender(transaction)
    fees = chain.fees
    price = transaction.get("gasPrice")
    nonce = chain.account(sender).nonce
    filled: Any = {
        "nonce": nonce,
        "maxFeePerGas": fees.max_fee if price is None else price,
        "maxPriorityFeePerGas": fees.priority_fee if price is None else price,
        **transaction,
    }
    if "gas" not in filled:
        filled["gas"] = estimate_now(chain, filled)
    return filled


def _sign(chain: Chain, filled: Any, secret: bytes | None) -> tuple[EvmTransaction, bytes]:
    """A transaction and its bytes, with a signature that is none for an impersonated account."""
    unsigned = fee_market(chain, filled)
    signature = _UNSIGNED if secret is None else sign(secret, unsigned.signing_hash())
    raw = unsigned.serialize(signature)
    return (to_evm(chain, filled, filled["gas"]) if secret is None else read_signed(raw)[0]), raw


def _show_filled(chain: Chain, filled: Any, raw: bytes) -> dict[str, Any]:
    return show_sent(chain, RawExecution(to_evm(chain, filled, filled["gas"]), keccak256(raw), raw))
