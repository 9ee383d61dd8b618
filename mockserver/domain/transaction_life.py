"""The life of a transaction: built, signed, sent, and ended by its chain (specification, States)."""

from dataclasses import replace
from typing import Literal, cast

from mockserver import errors
from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain import (
    collected_tokens,
    custody,
    gas,
    ledger,
    paymasters,
    reorganizations,
    session_keys,
    sponsor_accounts,
)
from mockserver.domain.building import build, hold_for, require_funds
from mockserver.domain.developer_accounts import acting_account
from mockserver.domain.failures import Failure, aa_error
from mockserver.domain.fates import NO_FATE, RESCHEDULE, fate_of, take_fate
from mockserver.domain.mining import is_priced_out, mine, next_place
from mockserver.domain.preparation import Prepared
from mockserver.errors import Refusal
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

LIFE = Machine(
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

TERMINAL = LIFE.terminal


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
        raise Refusal(errors.NOT_AWAITING_SIGNATURE, id=row.id, status=row.status)
    account = acting_account(project, row.account_id)
    if account is None:
        raise ValueError(f"{row.id} waits for an account that is gone")
    session_key = _signing_key(project, account, row, execution, signature)
    try:
        paymasters.require_valid(project, execution)
        hold = hold_for(project, row.chain_id, execution, row.calls)
        require_funds(project, row.chain_id, execution, hold, row.fee_sponsorship_id)
    except Failure as found:
        return _fail(project, row, found.error)
    if session_key is not None:
        session_keys.use(project, session_key)
        row = row._replace(session_key_id=session_key.id)
    return _broadcast(project, row, signature)


def abandon(project: Project, account_id: str, reason: str) -> None:
    """End what waits for the signature of an account that nobody can give any more."""
    for row in project.onchain.transactions.find("account_id", account_id):
        if row.status == "awaiting_signature":
            _fail(project, row, TransactionError(reason), "abandon")


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
        execution = _signed(execution, secp256k1.Signature.from_bytes(signature))
    if execution is not None:
        row = row._replace(hold=hold_for(project, row.chain_id, execution, row.calls))
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
    hold = row.hold
    if hold is None:
        return
    own = hold.value + (hold.gas if hold.payer == hold.sender else 0)
    ledger.reserve(project, ledger.chain_account(project, row.chain_id, hold.sender), times * own)
    if hold.payer == hold.sender:
        return
    ledger.reserve(project, ledger.paymaster_account(project, row.chain_id, hold.payer), times * hold.gas)
    if row.fee_sponsorship_id is not None:
        sponsor_accounts.reserve(project, row.fee_sponsorship_id, times * hold.gas)


def _schedule(project: Project, row: Transaction) -> None:
    """Set what the chain will do with a transaction that was sent."""
    fate = _fate(project, row)
    if fate.outcome == "never_mined":
        return
    after_ms = fate.options.get("after_ms", project.settings.transaction_confirms_after_ms)
    now_ms = project.clock.now_ms
    if fate.outcome == "replaced":
        project.timers.set(now_ms + after_ms // 2, KIND, row.id, "replace")
    if fate.outcome == "reorged" and row.seen is None:
        project.timers.set(now_ms + after_ms, KIND, row.id, "see")
        after_ms += 2 * ledger.BLOCK_TIME_MS
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
    if timer.event == "see":
        seen = next_place(project, row.chain_id)
        return row.status, _observe(project, row._replace(seen=seen), "indexed").status
    return row.status, _settle(project, row, row.execution).status


def _settle(project: Project, row: Transaction, execution: Execution) -> Transaction:
    """Let the chain do what it does; a transaction that is priced out waits for cheaper gas."""
    fate = _fate(project, row)
    if fate.outcome == "failed":
        return _fail(project, row, _failure(fate))
    if fate.outcome == "reorged" and row.seen is not None:
        reorganizations.reorganize(project, row.chain_id, row.seen.block_number)
    if fate.outcome == "dropped" or not fate.options.get("reincluded", True):
        row = _observe(project, row, "dropped")
        return _fail(project, row, TransactionError("the transaction was dropped from the mempool"))
    if is_priced_out(project, row, execution):
        return row
    try:
        receipt = mine(project, row, execution, fate)
    except Failure as found:
        return _fail(project, row, found.error)
    row = _observe(project, row._replace(receipt=receipt), "indexed", "confirmed")
    if receipt.payment is not None:
        row = row._replace(cost_usd=gas.in_usd(project, row.chain_id, receipt.payment.wei))
    return _step(project, row, "succeed" if receipt.error is None else "revert")


def change_settings(project: Project, settings: Settings) -> None:
    """Give a project other settings. What was priced out has another chance when gas costs something else."""
    wakes = settings.chains != project.settings.chains
    project.settings = settings
    if not wakes:
        return
    for row in project.onchain.transactions.find("status", "sent"):
        if project.timers.next_due_ms(row.id) is None and _fate(project, row).outcome != "never_mined":
            project.timers.set(project.clock.now_ms, KIND, row.id, "settle")


def _fail(project: Project, row: Transaction, error: TransactionError, event: str = "fail") -> Transaction:
    orphaned = () if row.seen is None else (row.seen,)
    receipt = Receipt(created_ms=project.clock.now_ms, error=error, orphaned=orphaned)
    return _step(project, row._replace(receipt=receipt), event)


def _step(project: Project, row: Transaction, event: str) -> Transaction:
    """Take a step of the life, and note it in the timeline."""
    target = LIFE.target(row.status, event)
    if target is None:
        raise ValueError(f"a transaction that is {row.status} cannot {event}")
    if row.status == "sent":
        _keep(project, row, -1)
    status = cast(TransactionStatus, target)
    row = _put(project, _noted(project, row._replace(status=status), status))
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
