"""The life of a transaction: built, signed, sent, and ended by its chain (specification, States)."""

from dataclasses import replace
from typing import Literal, cast

from mockserver import errors
from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.chains import gas, ledger, reorganizations
from mockserver.domain.chains.failures import Failure, aa_error
from mockserver.domain.chains.reservations import reservation_for
from mockserver.domain.sponsorship import collected_tokens, paymasters, sponsor_accounts
from mockserver.domain.transactions.building import build, require_funds
from mockserver.domain.transactions.fates import NO_FATE, RESCHEDULE, fate_of, take_fate, use_up
from mockserver.domain.transactions.mining import is_underpriced, look_ahead, mine
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.wallets import custody, session_keys
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.errors import ApiError
from mockserver.kernel.machine import Machine, Step
from mockserver.kernel.timers import Timer
from mockserver.state.existence import require
from mockserver.state.identity import User
from mockserver.state.onchain import (
    Execution,
    Fate,
    PlainExecution,
    Purpose,
    Receipt,
    TimelineEvent,
    Transaction,
    TransactionError,
    TransactionStatus,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.settings import Settings
from mockserver.state.wallets import Account

KIND: Literal["transaction"] = "transaction"

LIFECYCLE = Machine(
    "Transaction",
    initial=["new", "awaiting_signature"],
    terminal=["successful", "reverted", "failed"],
    steps=[
        Step("new", "broadcast", "sent"),
        Step("new", "fail", "failed"),
        Step("awaiting_signature", "broadcast", "sent"),
        Step("awaiting_signature", "fail", "failed"),
        Step("awaiting_signature", "abandon", "failed"),
        Step("sent", "succeed", "successful"),
        Step("sent", "revert", "reverted"),
        Step("sent", "fail", "failed"),
    ],
)

TERMINAL = LIFECYCLE.terminal

_HANDED_OVER = "the account changed its owner before the former one signed"


def find_transaction(project: Project, transaction_id: str, user: User | None) -> Transaction:
    """The transaction with this id; for a signed-in user another's is not there. Refused with 404."""
    return require(
        project.onchain.transactions,
        transaction_id,
        errors.TRANSACTION_NOT_FOUND,
        accept=lambda row: user is None or row.user_id == user.id,
    )


def is_over(project: Project, transaction_id: str) -> bool:
    """Whether a transaction has reached a terminal status, or is gone with all of its project."""
    row = project.onchain.transactions.get(transaction_id)
    return row is None or row.status in TERMINAL


def create(
    project: Project,
    prepared: Prepared,
    *,
    held: bool = False,
    session_key_id: str | None = None,
    purpose: Purpose | None = None,
) -> Transaction:
    """A new transaction: awaiting its owner's signature, or signed and sent when the mock has custody.

    `held` leaves the signing to the caller even then. One that cannot be built, because of its fate, of
    a refusal or for want of funds, has failed at once.
    """
    account, chain_id = prepared.account, prepared.chain_id
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
            wallet_id=None if account.backend or wallet is None else wallet.id,
            user_id=wallet.user_id if wallet else None,
            calls=prepared.calls,
            fee_sponsorship_id=prepared.sponsorship_id,
            charge=prepared.sponsor.charge if prepared.sponsor else None,
            sending=prepared.sending,
            sponsoring=prepared.sponsoring,
            authorization=prepared.authorization,
            session_key_id=session_key_id,
            purpose=purpose,
            fate=take_fate(project, KIND, chain_id=chain_id, account_id=account.id),
        )
    )
    try:
        if prepared.refused is not None:
            raise Failure(prepared.refused)
        if row.fate is not None and row.fate.outcome == "failed":
            raise Failure(_failure(row.fate))
        execution = build(project, account, chain_id, prepared.calls, prepared.sponsor)
    except Failure as found:
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
    session key may not sign it.
    """
    execution = row.execution
    if row.status != "awaiting_signature" or execution is None:
        raise ApiError(errors.NOT_AWAITING_SIGNATURE, id=row.id, status=row.status)
    account = acting_account(project, row.account_id)
    if account is None:
        raise ValueError(f"{row.id} waits for an account that is gone")
    session_key = _signing_key(project, account, row, execution, signature)
    try:
        paymasters.require_valid(project, execution)
        reservation = reservation_for(project, row.chain_id, execution, row.calls)
        require_funds(project, row.chain_id, execution, reservation, row.fee_sponsorship_id)
    except Failure as found:
        return _fail(project, row, found.error)
    if session_key is not None:
        session_keys.use(project, session_key)
        if row.session_key_id is None:
            row = row._replace(session_key_id=session_key.id)
    return _broadcast(project, row, signature)


def withdraw(project: Project, row: Transaction, reason: str) -> Transaction:
    """Give up a transaction that waits for its signature: it has failed, and is not signed any more."""
    return _fail(project, row, TransactionError(reason), "abandon")


def abandon(project: Project, account_id: str, reason: str) -> None:
    """Give up what waits for the signature of an account that nobody can give any more."""
    for row in project.onchain.transactions.find("account_id", account_id):
        if row.status == "awaiting_signature":
            withdraw(project, row, reason)


def _signing_key(
    project: Project, account: Account, row: Transaction, execution: Execution, signature: bytes
) -> SessionKey | None:
    """The session key that signed, None when the owner did; refused with 409 when neither did.

    The hash is signed as it is; for a contract account also as an EIP-191 message, as some wallets do.
    """
    owner, digest = account.signing_address, execution.signing_hash
    signer = _signer(digest, signature)
    signers = [signer]
    if not isinstance(execution, PlainExecution) and signer != owner:
        signers.append(_signer(personal_message_digest(digest), signature))
    if owner in signers:
        return None
    for address in signers if account.smart_account else ():
        session_key = session_keys.find_session_key(project, account, address)
        if session_key is not None:
            session_keys.require_usable(project, session_key, row, account.address)
            return session_key
    raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"it is {signer}'s, not {owner}'s.")


def _signer(digest: bytes, signature: bytes) -> str:
    try:
        return address_of(secp256k1.recover(digest, secp256k1.Signature.from_bytes(signature)))
    except secp256k1.BadSignature as error:
        raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"{error}.") from None


# --- steps ---------------------------------------------------------------------------------------------


def _broadcast(project: Project, row: Transaction, signature: bytes) -> Transaction:
    execution = row.execution
    if isinstance(execution, UserOperationExecution):
        operation = replace(execution.operation, signature=signature)
        execution = execution._replace(operation=operation)
    elif execution is not None:
        execution = _signed(execution, secp256k1.Signature.from_bytes(signature))
    if execution is not None:
        row = row._replace(reservation=reservation_for(project, row.chain_id, execution, row.calls))
        _keep(project, row, 1)
    row = _step(project, row._replace(execution=execution, signature=signature), "broadcast")
    _schedule(project, row)
    return row


def _signed(execution: PlainExecution | ZkSyncExecution, signature: secp256k1.Signature) -> Execution:
    """An execution with the transaction hash that its signature gives it."""
    if isinstance(execution, PlainExecution):
        return execution._replace(hash=execution.transaction.hash(signature))
    return execution._replace(hash=execution.transaction.hash(signature.to_bytes()))


def _keep(project: Project, row: Transaction, times: Literal[1, -1]) -> None:
    """Reserve what a transaction that was sent may take, or release it (-1)."""
    reservation = row.reservation
    if reservation is None:
        return
    own = reservation.value + (reservation.gas if reservation.payer == reservation.sender else 0)
    ledger.reserve(project, ledger.chain_account(project, row.chain_id, reservation.sender), times * own)
    if reservation.payer == reservation.sender:
        return
    ledger.reserve(
        project, ledger.paymaster_account(project, row.chain_id, reservation.payer), times * reservation.gas
    )
    if row.fee_sponsorship_id is not None:
        sponsor_accounts.reserve(project, row.fee_sponsorship_id, times * reservation.gas)


def _schedule(project: Project, row: Transaction) -> None:
    """Set what the chain will do with a transaction that was sent."""
    fate = _fate(project, row)
    if fate.outcome == "never_mined":
        return
    after_ms = fate.options.get("after_ms", project.settings.transaction_confirms_after_ms)
    now_ms = project.clock.now_ms
    if fate.outcome == "replaced":
        project.timers.set(now_ms + after_ms // 2, KIND, row.id, "replace")
    _expect(project, row, now_ms + after_ms)


def _expect(project: Project, row: Transaction, due_ms: int) -> None:
    """Let a transaction get into a block at a moment, and into another later if that will be taken back."""
    if _fate(project, row).outcome == "reorged" and row.seen is None:
        project.timers.set(due_ms, KIND, row.id, "see")
        due_ms += 2 * ledger.BLOCK_TIME_MS
    project.timers.set(due_ms, KIND, row.id, "settle")


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
    if _waits(project, row, row.execution):
        return None
    if timer.event == "see":
        return row.status, _see(project, row, row.execution).status
    return row.status, _settle(project, row, row.execution).status


def _waits(project: Project, row: Transaction, execution: Execution) -> bool:
    """Whether a transaction cannot get into a block yet: behind another of its sender, or for cheaper gas.

    Once the other is out of the way, or gas costs something else, it has another chance.
    """
    assert row.line is not None
    first = project.onchain.transactions.first("line", row.line) or row
    if first.id == row.id and not _is_underpriced(project, row, execution):
        return False
    project.timers.cancel(KIND, row.id)
    due_ms = None if first.id == row.id else project.timers.next_due_ms(first.id)
    if due_ms is not None:
        _expect(project, row, due_ms)
    return True


def _is_underpriced(project: Project, row: Transaction, execution: Execution) -> bool:
    return _ends_without_a_block(_fate(project, row)) is None and is_underpriced(project, row, execution)


def _see(project: Project, row: Transaction, execution: Execution) -> Transaction:
    """Let a transaction get into a block that will be taken back."""
    try:
        seen = look_ahead(project, row, execution, _fate(project, row))
    except Failure as found:
        return _fail(project, row, found.error)
    return _observe(project, row._replace(seen=seen), "indexed")


def _settle(project: Project, row: Transaction, execution: Execution) -> Transaction:
    """Let the chain do what it does with a transaction whose turn it is."""
    fate = _fate(project, row)
    error = _ends_without_a_block(fate)
    if error is not None or fate.outcome == "reorged":
        _leave_block(project, row)
    if error is not None:
        if fate.outcome != "failed":
            row = _observe(project, row, "dropped")
        return _fail(project, row, error)
    try:
        paymasters.require_valid(project, execution)
        receipt, handed_over = mine(project, row, execution, fate)
    except Failure as found:
        _leave_block(project, row)
        return _fail(project, row, found.error)
    for account_id in handed_over:
        abandon(project, account_id, _HANDED_OVER)
    stayed = row.seen is not None and not receipt.orphaned
    events = ["confirmed"] if stayed else ["indexed", "confirmed"]
    row = _observe(project, row._replace(receipt=receipt), *events)
    if receipt.payment is not None:
        row = row._replace(cost_usd=gas.in_usd(project, row.chain_id, receipt.payment.wei))
    return _step(project, row, "succeed" if receipt.error is None else "revert")


def _leave_block(project: Project, row: Transaction) -> None:
    """Take back the block that a transaction was seen in, unless that was done."""
    if row.seen is not None and ledger.stands(project, row.chain_id, row.seen.place):
        reorganizations.reorganize(project, row.chain_id, row.seen.place.block_number)


def _ends_without_a_block(fate: Fate) -> TransactionError | None:
    """Why a fated transaction comes to nothing, or None when it gets into a block."""
    if fate.outcome == "failed":
        return _failure(fate)
    if fate.outcome == "dropped" or not fate.options.get("reincluded", True):
        return TransactionError("the transaction was dropped from the mempool")
    return None


def change_settings(project: Project, settings: Settings) -> None:
    """Give a project other settings. What was priced out has another chance when gas costs something else."""
    wakes = settings.chains != project.settings.chains
    project.settings = settings
    if not wakes:
        return
    for row in project.onchain.transactions.find("status", "sent"):
        _retry(project, row)


def _retry(project: Project, row: Transaction) -> None:
    """Let a transaction be looked at again that waits for nothing that is due."""
    if project.timers.next_due_ms(row.id) is None and _fate(project, row).outcome != "never_mined":
        _expect(project, row, project.clock.now_ms)


def _fail(project: Project, row: Transaction, error: TransactionError, event: str = "fail") -> Transaction:
    orphaned = () if row.seen is None else (row.seen,)
    receipt = Receipt(created_ms=project.clock.now_ms, error=error, orphaned=orphaned)
    return _step(project, row._replace(receipt=receipt), event)


def _step(project: Project, row: Transaction, event: str) -> Transaction:
    """Take a step of the life, and note it in the timeline."""
    target = LIFECYCLE.target(row.status, event)
    if target is None:
        raise ValueError(f"a transaction that is {row.status} cannot {event}")
    before = row
    if before.status == "sent":
        _keep(project, row, -1)
    status = cast(TransactionStatus, target)
    row = _put(project, _noted(project, row._replace(status=status), status))
    if status in TERMINAL:
        use_up(project, row.id)
    if before.line is not None:
        follower = project.onchain.transactions.first("line", before.line)
        if follower is not None:
            _retry(project, follower)
    session_keys.follow(project, row)
    collected_tokens.follow(project, row)
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
