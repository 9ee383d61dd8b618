"""The life of a transaction: built, signed, sent, and ended by its chain (specification, States)."""

from dataclasses import replace
from typing import Literal, cast

from mockserver import errors
from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain import custody, ledger, session_keys
from mockserver.domain.building import Unbuildable, aa_error, build, require_funds
from mockserver.domain.fates import NO_FATE, RESCHEDULE, fate_of, take_fate
from mockserver.domain.mining import mine
from mockserver.errors import Refusal
from mockserver.kernel.machine import Machine, Step
from mockserver.kernel.timers import Timer
from mockserver.state.onchain import (
    CallRecord,
    Execution,
    Fate,
    Purpose,
    Receipt,
    TimelineEvent,
    Transaction,
    TransactionError,
    TransactionStatus,
    UserOperationExecution,
)
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account

KIND: Literal["transaction"] = "transaction"

LIFE = Machine(
    "Transaction",
    initial=["new", "awaiting_signature"],
    terminal=["successful", "reverted", "failed"],
    steps=[
        Step("new", "broadcast", "sent"),
        Step("new", "fail", "failed"),
        Step("awaiting_signature", "broadcast", "sent"),
        Step("awaiting_signature", "fail", "failed"),
        Step("sent", "succeed", "successful"),
        Step("sent", "revert", "reverted"),
        Step("sent", "fail", "failed"),
    ],
)

TERMINAL = LIFE.terminal


def is_over(project: Project, transaction_id: str) -> bool:
    """Whether a transaction has reached a terminal status, or is gone with all of its project."""
    row = project.onchain.transactions.get(transaction_id)
    return row is None or row.status in TERMINAL


def create(
    project: Project,
    account: Account,
    chain_id: int,
    calls: tuple[CallRecord, ...],
    *,
    fee_sponsorship_id: str | None = None,
    sponsored: bool = False,
    refused: TransactionError | None = None,
    authorization: bytes | None = None,
    held: bool = False,
    session_key_id: str | None = None,
    purpose: Purpose | None = None,
) -> Transaction:
    """A new transaction: awaiting its owner's signature, or signed and sent when the mock has custody.

    `held` leaves the signing to the caller even then. One that cannot be built, because of its fate, of
    `refused` or for want of funds, has failed at once.
    """
    wallet = project.wallets.wallets.get(account.wallet_id)
    now_ms = project.clock.now_ms
    status: TransactionStatus = "awaiting_signature" if held or account.custody == "User" else "new"
    row = project.onchain.transactions.insert(
        Transaction(
            id=project.new_id("tin"),
            created_ms=now_ms,
            updated_ms=now_ms,
            chain_id=chain_id,
            status=status,
            account_id=account.id,
            wallet_id=None if account.backend else account.wallet_id,
            user_id=wallet.user_id if wallet else None,
            calls=calls,
            fee_sponsorship_id=fee_sponsorship_id,
            authorization=authorization,
            session_key_id=session_key_id,
            purpose=purpose,
            fate=take_fate(project, KIND, chain_id=chain_id, account_id=account.id),
        )
    )
    try:
        if refused is not None:
            raise Unbuildable(refused)
        if row.fate is not None and row.fate.outcome == "failed":
            raise Unbuildable(_failure(row.fate))
        execution = build(project, account, chain_id, calls, sponsored=sponsored)
    except Unbuildable as found:
        return _fail(project, row._replace(timeline=()), found.error)
    row = _put(project, row._replace(execution=execution, timeline=(TimelineEvent(status, now_ms),)))
    if status == "awaiting_signature":
        return row
    signature = custody.sign_digest(project, account, execution.signing_hash)
    return _broadcast(project, row, signature)


def _failure(fate: Fate) -> TransactionError:
    """Why a transaction fails that is fated to."""
    if "code" in fate.options:
        return aa_error(fate.options["code"])
    return TransactionError(fate.options.get("reason", "the transaction was refused"))


def sign(project: Project, row: Transaction, signature: bytes) -> Transaction:
    """Take the signature of the owner, or of a session key, and send the transaction.

    Refused with 409 when the transaction does not wait for one, when it is another's, or when the
    session key may not sign it; with 404 when the account is gone.
    """
    execution = row.execution
    if row.status != "awaiting_signature" or execution is None:
        raise Refusal(errors.NOT_AWAITING_SIGNATURE, id=row.id, status=row.status)
    account = project.wallets.accounts.get(row.account_id)
    if account is None:
        raise Refusal(errors.ACCOUNT_NOT_FOUND, id=row.account_id)
    session_key = _signing_key(project, account, row, execution, signature)
    try:
        require_funds(project, account, row.chain_id, execution, row.calls)
    except Unbuildable as found:
        return _fail(project, row, found.error)
    if session_key is not None:
        session_keys.use(project, session_key)
        row = row._replace(session_key_id=session_key.id)
    return _broadcast(project, row, signature)


def _signing_key(
    project: Project, account: Account, row: Transaction, execution: Execution, signature: bytes
) -> SessionKey | None:
    """The session key that signed, None when the owner did; refused with 409 when neither did.

    The hash is signed as it is; that of a user operation also as an EIP-191 message, as some wallets do.
    """
    owner, digest = account.signing_address, execution.signing_hash
    signer = _signer(digest, signature)
    signers = [signer]
    if isinstance(execution, UserOperationExecution) and signer != owner:
        signers.append(_signer(personal_message_digest(digest), signature))
    if owner in signers:
        return None
    for address in signers if account.smart_account else ():
        session_key = session_keys.find_session_key(project, account, address)
        if session_key is not None:
            session_keys.require_usable(project, session_key, row.calls, account.address)
            return session_key
    raise Refusal(errors.INVALID_SIGNATURE, param="signature", reason=f"it is {signer}'s, not {owner}'s.")


def _signer(digest: bytes, signature: bytes) -> str:
    try:
        return address_of(secp256k1.recover(digest, secp256k1.Signature.from_bytes(signature)))
    except secp256k1.BadSignature as error:
        raise Refusal(errors.INVALID_SIGNATURE, param="signature", reason=f"{error}.") from None


# --- steps ---------------------------------------------------------------------------------------------


def _broadcast(project: Project, row: Transaction, signature: bytes) -> Transaction:
    execution = row.execution
    if isinstance(execution, UserOperationExecution):
        operation = replace(execution.operation, signature=signature)
        execution = execution._replace(operation=operation)
    elif execution is not None:
        signed = execution.transaction.hash(secp256k1.Signature.from_bytes(signature))
        execution = execution._replace(hash=signed)
    row = _step(project, row._replace(execution=execution, signature=signature), "broadcast")
    _schedule(project, row)
    return row


def _schedule(project: Project, row: Transaction) -> None:
    """Set what the chain will do with a transaction that was sent."""
    fate = _fate(project, row)
    if fate.outcome == "never_mined":
        return
    after_ms = fate.options.get("after_ms", project.settings.transaction_confirms_after_ms)
    now_ms = project.clock.now_ms
    if fate.outcome == "replaced":
        project.timers.set(now_ms + after_ms // 2, KIND, row.id, "replace")
    project.timers.set(now_ms + after_ms, KIND, row.id, "settle")


def _fate(project: Project, row: Transaction) -> Fate:
    """What was said last about this very transaction, or else when it was made."""
    return fate_of(project, row.id) or row.fate or NO_FATE


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """A transaction's moment has come: its chain replaces it, or settles what becomes of it."""
    row = project.onchain.transactions.get(timer.row_id)
    if row is None or row.status != "sent" or row.execution is None:
        return None
    if timer.event == RESCHEDULE:
        _schedule(project, row)
        return None
    if timer.event == "replace":
        return row.status, _observe(project, row, "replaced").status
    return row.status, _settle(project, row, row.execution).status


def _settle(project: Project, row: Transaction, execution: Execution) -> Transaction:
    fate = _fate(project, row)
    if fate.outcome == "failed":
        return _fail(project, row, _failure(fate))
    if fate.outcome == "dropped":
        row = _observe(project, row, "dropped")
        return _fail(project, row, TransactionError("the transaction was dropped from the mempool"))
    receipt = mine(project, row, execution, fate)
    row = _observe(project, row._replace(receipt=receipt), "indexed", "confirmed")
    fee = (receipt.gas_fee or 0) + (receipt.l1_gas_fee or 0)
    row = row._replace(cost_usd=ledger.in_usd(project, fee))
    return _step(project, row, "succeed" if receipt.error is None else "revert")


def _fail(project: Project, row: Transaction, error: TransactionError) -> Transaction:
    receipt = Receipt(created_ms=project.clock.now_ms, error=error)
    return _step(project, row._replace(receipt=receipt), "fail")


def _step(project: Project, row: Transaction, event: str) -> Transaction:
    """Take a step of the life, and note it in the timeline."""
    target = LIFE.target(row.status, event)
    if target is None:
        raise ValueError(f"a transaction that is {row.status} cannot {event}")
    status = cast(TransactionStatus, target)
    row = _put(project, _noted(project, row._replace(status=status), status))
    session_keys.follow(project, row)
    return row


def _observe(project: Project, row: Transaction, *events: str) -> Transaction:
    """Note what the monitor saw, which it does of user operations alone."""
    if isinstance(row.execution, UserOperationExecution):
        row = _noted(project, row, *events)
    return _put(project, row)


def _noted(project: Project, row: Transaction, *events: str) -> Transaction:
    now_ms = project.clock.now_ms
    noted = tuple(TimelineEvent(event, now_ms) for event in events)
    return row._replace(timeline=row.timeline + noted, updated_ms=now_ms)


def _put(project: Project, row: Transaction) -> Transaction:
    return project.onchain.transactions.replace(row)
