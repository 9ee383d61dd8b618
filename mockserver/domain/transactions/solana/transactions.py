"""The lifecycle of sponsored Solana transactions (specification, Solana transaction status)."""

from typing import Literal, cast

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.transactions import compile_message, first_signature, memo_call, sign_transaction
from mockserver.crypto import ed25519
from mockserver.domain.transactions.fates import take_fate
from mockserver.domain.transactions.solana.decisions import NO_POLICY, SolanaDecisions
from mockserver.kernel.machine import Machine, Transition
from mockserver.kernel.timers import Timer
from mockserver.state.onchain import Fate, SolanaStatus, SolanaTransaction
from mockserver.state.project import Project

KIND: Literal["solana_transaction"] = "solana_transaction"

LIFECYCLE = Machine(
    "Solana transaction",
    initial=["sent"],
    terminal=["confirmed", "failed", "expired"],
    transitions=[
        Transition("sent", "confirm", "confirmed"),
        Transition("sent", "fail", "failed"),
        Transition("sent", "expire", "expired"),
    ],
)

Outcome = Literal["confirmed", "failed", "expired"]

_EVENTS = {"confirmed": "confirm", "failed": "fail", "expired": "expire"}
_DEFAULT_ERROR = "Error processing Instruction 0: custom program error: 0x1"


def submit(
    project: Project,
    *,
    external_id: str | None = None,
    bundle_size: int = 1,
    sign_only: bool = False,
    decided: SolanaDecisions = NO_POLICY,
) -> SolanaTransaction:
    """Sign a transaction, or a bundle of them, as the project's sponsoring signer, and broadcast it.

    With `sign_only` it is never broadcast: it has no signature to look up, and expires. Neither is one
    that policies do not let through: it has failed at once, and its error says why.
    """
    broadcast = not sign_only and decided.error is None
    row_id = project.new_id("sol")
    signed = [_sign(project, f"{row_id}/{child}") for child in range(bundle_size)]
    signatures = tuple(base58_encode(signature) for signature, _ in signed)
    row = project.onchain.solana_transactions.insert(
        SolanaTransaction(
            id=row_id,
            created_ms=project.clock.now_ms,
            status="sent",
            external_id=external_id,
            signature=signatures[0] if broadcast else None,
            bundle_id=project.entropy.draw("bundle").hex() if bundle_size > 1 else None,
            child_signatures=signatures if bundle_size > 1 else (),
            raw_transactions=tuple(raw for _, raw in signed),
            sending=decided.sending,
            sponsoring=decided.sponsoring,
        )
    )
    fate = None if sign_only else take_fate(project, KIND)
    if decided.error is not None:
        return _take_step(project, row, "fail", error_message=decided.error)
    _schedule(project, row, fate, sign_only=sign_only)
    return row


def take_signed(
    project: Project, raw: bytes, *, external_id: str | None, sign_only: bool, decided: SolanaDecisions
) -> SolanaTransaction:
    """Note a transaction of a user that the sponsoring signer has signed, and may have sent."""
    row = project.onchain.solana_transactions.insert(
        SolanaTransaction(
            id=project.new_id("sol"),
            created_ms=project.clock.now_ms,
            status="sent",
            external_id=external_id,
            signature=None if sign_only else base58_encode(first_signature(raw)),
            raw_transactions=(raw,),
            sending=decided.sending,
            sponsoring=decided.sponsoring,
        )
    )
    _schedule(project, row, None, sign_only=True)
    return row


def settle_sent(project: Project, raw: bytes, error_message: str | None) -> None:
    """Settle the transaction that a cluster has processed, if the sponsoring signer has signed it."""
    signature = first_signature(raw)
    for row in project.onchain.solana_transactions:
        if row.status == "sent" and any(first_signature(each) == signature for each in row.raw_transactions):
            settle(project, row, "confirmed" if error_message is None else "failed", error_message)


def payer_seed(project: Project) -> bytes:
    """The ed25519 seed of the project's sponsoring signer."""
    return project.entropy.derive("solana_payer")


def _sign(project: Project, memo: str) -> tuple[bytes, bytes]:
    seed = payer_seed(project)
    blockhash = project.entropy.draw("blockhash")
    message = compile_message(ed25519.public_key(seed), [memo_call(memo.encode())], blockhash)
    return sign_transaction(message, seed)


def _schedule(project: Project, row: SolanaTransaction, fate: Fate | None, *, sign_only: bool) -> None:
    settings = project.settings
    outcome = fate.outcome if fate else ("expired" if sign_only else "confirmed")
    usual_ms = settings.solana_expires_after_ms if outcome == "expired" else settings.solana_confirms_after_ms
    after_ms = fate.options.get("after_ms", usual_ms) if fate else usual_ms
    if fate and "error_message" in fate.options:
        project.onchain.solana_transactions.replace(row._replace(planned_error=fate.options["error_message"]))
    project.timers.set(project.clock.now_ms + after_ms, KIND, row.id, _EVENTS[outcome])


def settle(
    project: Project, row: SolanaTransaction, outcome: Outcome, error_message: str | None = None
) -> SolanaTransaction:
    """Settle a transaction now; ValueError if it is settled already.

    A `sign_only` transaction that lands on the chain was broadcast by its client, and gets its
    signature.
    """
    project.timers.cancel(KIND, row.id)
    error = (error_message or row.planned_error or _DEFAULT_ERROR) if outcome == "failed" else None
    signature = (
        row.signature if outcome == "expired" else base58_encode(first_signature(row.raw_transactions[0]))
    )
    return _take_step(project, row._replace(signature=signature), _EVENTS[outcome], error_message=error)


def _take_step(
    project: Project, row: SolanaTransaction, event: str, *, error_message: str | None
) -> SolanaTransaction:
    """Apply an event of the lifecycle; ValueError if the transaction is settled already."""
    target = LIFECYCLE.targets.get((row.status, event))
    if target is None:
        raise ValueError(f"{row.id} is {row.status}, which is final")
    return project.onchain.solana_transactions.replace(
        row._replace(status=cast(SolanaStatus, target), error_message=error_message)
    )


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Handle a transaction's timer."""
    row = project.onchain.solana_transactions.get(timer.row_id)
    target = LIFECYCLE.targets.get((row.status, timer.event)) if row else None
    if row is None or target is None:
        return None
    settle(project, row, cast(Outcome, target))
    return row.status, target
