"""Transactions of the accounts of a project: created, signed and sent."""

from dataclasses import replace

from mockserver import errors
from mockserver.chain.addresses import address_of
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.chains import ledger
from mockserver.domain.chains.failures import Failure
from mockserver.domain.chains.networks import reservation_for
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.transactions import mining
from mockserver.domain.transactions.bundles import digest_to_sign
from mockserver.domain.transactions.fates import failure_of, take_fate
from mockserver.domain.transactions.lifecycle import add_events, fail, send, use_nonce
from mockserver.domain.transactions.preparation import Prepared, build, require_funds
from mockserver.domain.transactions.raw_transactions import send_queued
from mockserver.domain.wallets import session_keys
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.domain.wallets.keys import custody
from mockserver.errors import ApiError
from mockserver.state.chains import (
    ChainAccount,
    Execution,
    PlainExecution,
    RawExecution,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.onchain import Purpose, Reservation, Transaction
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account

SIGNING_ERRORS = (
    errors.NOT_AWAITING_SIGNATURE,
    errors.INVALID_SIGNATURE,
    errors.SESSION_KEY_INACTIVE,
    errors.SESSION_KEY_EXPIRED,
    errors.SESSION_KEY_NOT_YET_VALID,
    errors.SESSION_KEY_LIMIT_REACHED,
    errors.SESSION_KEY_NOT_WHITELISTED,
)
"""The errors of `sign`, for the declarations of its endpoints."""


def create(
    project: Project,
    prepared: Prepared,
    *,
    owner_signs: bool = False,
    session_key_id: str | None = None,
    purpose: Purpose | None = None,
) -> Transaction:
    """A new transaction: awaiting its owner's signature, or signed and sent when the mock has custody.

    `owner_signs` leaves signing to the owner even then. One that cannot be built, because of its fate,
    a policy or a lack of funds, has failed at once.
    """
    account = prepared.account
    owner_signs = owner_signs or account.custody == "User"
    row = _new_row(project, prepared, owner_signs=owner_signs)
    row = row._replace(session_key_id=session_key_id, purpose=purpose)
    try:
        if prepared.error is not None:
            raise Failure(prepared.error)
        if row.fate is not None and row.fate.outcome == "failed":
            raise Failure(failure_of(row.fate))
        execution, sender, reservation = build(project, prepared)
    except Failure as failure:
        return fail(project, row, failure.error)
    row = add_events(project, row._replace(execution=execution), row.status)
    here = use_nonce(sender.here, execution)
    if owner_signs:
        ledger.write(project, here)
        row = project.onchain.transactions.insert(row)
    else:
        digest = execution.signing_hash
        if isinstance(execution, UserOperationExecution):
            digest = digest_to_sign(execution, project, row.chain_id)
        signature = custody.sign_digest(project, account, digest)
        row = _broadcast(project, row, execution, reservation, here, signature)
    # Few projects have a node that was told anything.
    if len(project.chains.nodes):
        send_queued(project, row.chain_id, execution.sender)
    return row


def _new_row(project: Project, prepared: Prepared, *, owner_signs: bool) -> Transaction:
    """The row of a transaction that is not built yet, with the fate that was set for it."""
    account, chain_id, now_ms = prepared.account, prepared.chain_id, project.clock.now_ms
    wallet = project.wallets.wallets.get(account.wallet_id)
    return Transaction(
        id=project.new_id("tin"),
        created_ms=now_ms,
        updated_ms=now_ms,
        chain_id=chain_id,
        status="awaiting_signature" if owner_signs else "new",
        account_id=account.id,
        wallet_id=None if account.backend or wallet is None else wallet.id,
        user_id=wallet.user_id if wallet else None,
        calls=prepared.calls,
        fee_sponsorship_id=prepared.sponsorship_id,
        charge=prepared.sponsor.charge if prepared.sponsor else None,
        sending=prepared.sending,
        sponsoring=prepared.sponsoring,
        authorization=prepared.authorization,
        fate=take_fate(project, mining.KIND, chain_id=chain_id, account_id=account.id),
    )


def sign(project: Project, row: Transaction, signature: bytes) -> Transaction:
    """Sign a transaction with the signature of the owner or of a session key, and send it.

    ApiError with 409 when the transaction does not wait for a signature, when the signature is by
    another key, and when the session key may not sign it.
    """
    execution, chain_id = row.execution, row.chain_id
    if row.status != "awaiting_signature" or execution is None:
        raise ApiError(errors.NOT_AWAITING_SIGNATURE, id=row.id, status=row.status)
    account = acting_account(project, row.account_id)
    assert account is not None, f"{row.id} waits for an account that is gone"
    session_key = _find_signing_key(project, account, row, execution, signature)
    # Days may have passed since the transaction was built: the paymaster's approval may have expired, and the
    # funds may have been spent. Only now, when it is sent, are they reserved.
    here = ledger.chain_account(project, chain_id, execution.sender)
    reservation = reservation_for(project, chain_id, execution, row.calls)
    try:
        paymasters.require_valid(project, execution)
        require_funds(project, chain_id, execution, reservation, here, row.fee_sponsorship_id)
    except Failure as failure:
        return fail(project, row, failure.error)
    if session_key is not None:
        session_keys.use(project, session_key)
        if row.session_key_id is None:
            row = row._replace(session_key_id=session_key.id)
    return _broadcast(project, row, execution, reservation, here, signature)


def _find_signing_key(
    project: Project, account: Account, row: Transaction, execution: Execution, signature: bytes
) -> SessionKey | None:
    """The session key that signed, or None when the account's owner did.

    ApiError with 409 for a signature by neither, and by a session key that may not sign it
    (specification, Session key (v1)).
    """
    owner, digest = account.signing_address, execution.signing_hash
    signer = _recover(digest, signature)
    signers = [signer]
    if not isinstance(execution, PlainExecution) and signer != owner:
        # Many wallets can only sign a user operation hash as an EIP-191 message. Account contracts accept
        # both. An EOA's transaction (EIP-1559) has exactly one digest.
        signers.append(_recover(personal_message_digest(digest), signature))
    if owner in signers:
        return None
    # Keys are known to the contract of an account, which has no part in an EOA's transaction.
    for address in () if isinstance(execution, PlainExecution) else signers:
        session_key = session_keys.find_session_key(project, account, address)
        if session_key is not None:
            session_keys.require_usable(project, session_key, row, account.address)
            return session_key
    raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"it is {signer}'s, not {owner}'s.")


def _recover(digest: bytes, signature: bytes) -> str:
    try:
        return address_of(secp256k1.recover(digest, secp256k1.Signature.from_bytes(signature)))
    except secp256k1.BadSignature as error:
        raise ApiError(errors.INVALID_SIGNATURE, param="signature", reason=f"{error}.") from None


def _broadcast(
    project: Project,
    row: Transaction,
    execution: Execution,
    reservation: Reservation,
    here: ChainAccount,
    signature: bytes,
) -> Transaction:
    """Send a signed transaction; `here` is the sender on the chain, where the funds are reserved."""
    if isinstance(execution, UserOperationExecution):
        operation = replace(execution.operation, signature=signature)
        execution = execution._replace(operation=operation)
    elif not isinstance(execution, RawExecution):
        execution = _add_hash(execution, secp256k1.Signature.from_bytes(signature))
    return send(
        project, row._replace(execution=execution, signature=signature, reservation=reservation), here
    )


def _add_hash(execution: PlainExecution | ZkSyncExecution, signature: secp256k1.Signature) -> Execution:
    """An execution with the transaction hash that its signature gives it."""
    if isinstance(execution, PlainExecution):
        return execution._replace(hash=execution.transaction.hash(signature))
    return execution._replace(hash=execution.transaction.hash(signature.to_bytes()))
