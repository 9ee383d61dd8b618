"""Registration and revocation of session keys by transactions of their account."""

from typing import NamedTuple

from mockserver import errors
from mockserver.domain.transactions import creation, lifecycle
from mockserver.domain.transactions.preparation import Prepared, prepare_own_call
from mockserver.domain.wallets import session_keys
from mockserver.domain.wallets.developer_accounts import with_delegation
from mockserver.domain.wallets.players import is_signed_by_wallet
from mockserver.errors import ApiError, wrong_field
from mockserver.state.onchain import Purpose, Transaction
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey
from mockserver.state.wallets import Account

UNLIMITED = 2**48 - 1
"""The default limit of a key: the largest uint48, as the account's contract counts."""

_REGISTER = "registerSessionKey(address,uint48,uint48,uint48,address[])"
_REVOKE = "revokeSessionKey(address)"


class Grant(NamedTuple):
    """The permissions of a new session key: its validity, its limit and its whitelist."""

    address: str
    valid_after_s: int
    valid_until_s: int
    limit: int = UNLIMITED
    whitelist: tuple[str, ...] = ()


def register(
    project: Project,
    account: Account,
    chain_id: int,
    grant: Grant,
    sponsorship_id: str | None,
    param: str = "account",
) -> SessionKey:
    """Create a session key: it is active once the transaction that registers it is signed and sent.

    A developer account's transaction also delegates it to a contract that knows the key. ApiError with
    400 for another externally owned account, which `param` named, and for a developer account on a chain
    without delegation; with 409 when the account already has the key.
    """
    account = with_delegation(project, account, chain_id)
    if account.smart_account is None:
        raise wrong_field(param, f"{account.id} is an externally owned account, which has no session keys")
    limits = (grant.valid_after_s, grant.valid_until_s, grant.limit)
    arguments = [grant.address, *map(str, limits), list(grant.whitelist)]
    prepared = prepare_own_call(project, account, chain_id, sponsorship_id, _REGISTER, *arguments)
    known = session_keys.find_session_key(project, account, grant.address)
    if known is not None and known.state not in session_keys.LIFECYCLE.terminal:
        raise ApiError(
            errors.SESSION_KEY_EXISTS,
            param="address",
            account=account.id,
            address=grant.address,
            id=known.id,
            state=known.state,
        )
    row = project.session_keys.rows.insert(
        SessionKey(
            id=project.new_id("ses"),
            created_ms=project.clock.now_ms,
            updated_ms=project.clock.now_ms,
            state="awaiting_signature",
            account_id=account.id,
            wallet_id=account.wallet_id,
            chain_id=chain_id,
            **grant._asdict(),
        )
    )
    project.timers.set(row.valid_until_s * 1000, session_keys.KIND, row.id, "expire")
    _send(project, prepared, row, "register_session_key")
    return project.session_keys.rows[row.id]


def revoke(project: Project, account: Account, row: SessionKey, sponsorship_id: str | None) -> SessionKey:
    """End a session key: once the transaction that revokes it is signed and sent.

    A key whose registration awaits a signature ends at once, since it was never registered, and its
    transaction is withdrawn. One whose revocation awaits a signature is unchanged. ApiError with 409
    when the key is not active.
    """
    if row.state == "revoking":
        return row
    account = with_delegation(project, account, row.chain_id)
    prepared = prepare_own_call(project, account, row.chain_id, sponsorship_id, _REVOKE, row.address)
    if row.state == "awaiting_signature":
        row = session_keys.step(project, row, "withdraw")
        waiting = transaction_of(project, row)
        if waiting is not None:
            lifecycle.withdraw(project, waiting, "the session key was revoked before it was registered")
        return row
    if not row.is_active:
        raise ApiError(errors.SESSION_KEY_INACTIVE, param="address", id=row.id, state=row.state)
    sent = _send(project, prepared, row, "revoke_session_key")
    row = project.session_keys.rows[row.id]
    return session_keys.step(project, row, "ask_to_revoke") if sent.status == "awaiting_signature" else row


def sign(project: Project, row: SessionKey, signature: bytes) -> Transaction:
    """Sign the pending transaction of a session key. ApiError with 409 without one."""
    waiting = transaction_of(project, row)
    if waiting is None or row.state not in ("awaiting_signature", "revoking"):
        raise ApiError(errors.NOT_AWAITING_SIGNATURE, id=row.id, status=row.state)
    return creation.sign(project, waiting, signature)


def transaction_of(project: Project, row: SessionKey) -> Transaction | None:
    """The latest transaction that registers or revokes a session key."""
    rows = project.onchain.transactions.find("session_key_id", row.id)
    return next((each for each in reversed(rows) if each.purpose is not None), None)


def _send(project: Project, prepared: Prepared, row: SessionKey, purpose: Purpose) -> Transaction:
    return creation.create(
        project,
        prepared,
        owner_signs=is_signed_by_wallet(prepared.account),
        session_key_id=row.id,
        purpose=purpose,
    )
