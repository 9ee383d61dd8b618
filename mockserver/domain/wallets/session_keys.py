"""The lifecycle of session keys, and what they may sign (specification, Session key (v1))."""

from functools import partial
from typing import Literal, cast

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.kernel.machine import Machine, Transition
from mockserver.kernel.timers import Timer
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.session_keys import SessionKey, SessionKeyState
from mockserver.state.wallets import Account

KIND: Literal["session_key"] = "session_key"

LIFECYCLE = Machine(
    "Session key",
    initial=["awaiting_signature"],
    terminal=["revoked", "expired", "exhausted", "failed"],
    transitions=[
        Transition("awaiting_signature", "register", "active"),
        Transition("awaiting_signature", "fail", "failed"),
        Transition("awaiting_signature", "withdraw", "revoked"),
        Transition("awaiting_signature", "expire", "expired"),
        Transition("awaiting_signature", "orphan", "failed"),
        Transition("active", "fail", "failed"),
        Transition("active", "ask_to_revoke", "revoking"),
        Transition("active", "revoke", "ending"),
        Transition("active", "exhaust", "exhausted"),
        Transition("active", "expire", "expired"),
        Transition("active", "orphan", "revoked"),
        Transition("revoking", "revoke", "ending"),
        Transition("revoking", "keep", "active"),
        Transition("revoking", "fail", "failed"),
        Transition("revoking", "exhaust", "exhausted"),
        Transition("revoking", "expire", "expired"),
        Transition("revoking", "orphan", "revoked"),
        Transition("ending", "end", "revoked"),
        Transition("ending", "keep", "active"),
        Transition("ending", "fail", "failed"),
        Transition("ending", "expire", "expired"),
        Transition("ending", "orphan", "revoked"),
    ],
)


def step(project: Project, row: SessionKey, event: str) -> SessionKey:
    """Apply an event of the lifecycle; an event that does not apply in the key's state is ignored."""
    target = LIFECYCLE.targets.get((row.state, event))
    if target is None:
        return row
    state = cast(SessionKeyState, target)
    if state in LIFECYCLE.terminal:
        project.timers.cancel(KIND, row.id)
    return project.session_keys.rows.replace(row._replace(state=state, updated_ms=project.clock.now_ms))


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Expire a key at its `validUntil`."""
    row = project.session_keys.rows.get(timer.row_id)
    if row is None:
        return None
    return row.state, step(project, row, timer.event).state


def end_keys(project: Project, account: Account) -> None:
    """End the keys of a removed or transferred account."""
    for row in project.session_keys.rows.find("account_id", account.id):
        step(project, row, "orphan")


def find_session_key(project: Project, account: Account, address: str) -> SessionKey | None:
    """The newest key of an account with this address: the earlier ones had ended when it was registered."""
    return next(reversed(project.session_keys.rows.find("key", (account.id, address))), None)


def require_usable(project: Project, row: SessionKey, transaction: Transaction, sender: str) -> None:
    """ApiError with 409, with the reason, unless a key may sign a transaction.

    The key must be active, within `validAfter` and `validUntil`, below its limit, and `_may_call` every
    call.
    """
    unusable = partial(ApiError, param="signature", id=row.id)
    now_s = project.clock.now_s
    if row.state == "expired" or now_s >= row.valid_until_s:
        raise unusable(errors.SESSION_KEY_EXPIRED, valid_until=row.valid_until_s)
    if row.state == "exhausted":
        raise unusable(errors.SESSION_KEY_LIMIT_REACHED, limit=row.limit)
    if not row.is_active:
        raise unusable(errors.SESSION_KEY_INACTIVE, state=row.state)
    if now_s < row.valid_after_s:
        raise unusable(errors.SESSION_KEY_NOT_YET_VALID, valid_after=row.valid_after_s, now=now_s)
    # Every call of a batch: one allowed call must not carry others along.
    for call in transaction.calls:
        if not _may_call(row, call.to, transaction, sender):
            raise unusable(errors.SESSION_KEY_NOT_WHITELISTED, to=call.to)


def _may_call(row: SessionKey, to: str, transaction: Transaction, sender: str) -> bool:
    """Whether a key may sign a call: to an address on its whitelist or, without one, to any contract.

    Calls to the account itself could change its owner. So without a whitelist a key may only register
    and revoke keys there, which the specification allows a valid key. Every key may revoke itself.
    """
    if transaction.purpose == "revoke_session_key" and transaction.session_key_id == row.id:
        return True
    if row.whitelist:
        return to in row.whitelist
    return to != sender or transaction.purpose in ("register_session_key", "revoke_session_key")


def use(project: Project, row: SessionKey) -> SessionKey:
    """Count a use; the last one ends the key."""
    row = project.session_keys.rows.replace(row._replace(uses=row.uses + 1, updated_ms=project.clock.now_ms))
    return step(project, row, "exhaust") if row.uses >= row.limit else row


def follow(project: Project, transaction: Transaction) -> None:
    """Update the key of a transaction that registers or revokes it, by the transaction's status."""
    row = project.session_keys.rows.get(transaction.session_key_id)
    event = _EVENTS.get((str(transaction.purpose), transaction.status))
    if row is not None and event is not None:
        step(project, row, event)


_EVENTS = {
    ("register_session_key", "sent"): "register",
    ("register_session_key", "reverted"): "fail",
    ("register_session_key", "failed"): "fail",
    ("revoke_session_key", "sent"): "revoke",
    ("revoke_session_key", "successful"): "end",
    ("revoke_session_key", "reverted"): "keep",
    ("revoke_session_key", "failed"): "keep",
}
