"""The life of funding sessions: they wait for a payment, which arrives or bounces, or they expire."""

from decimal import Decimal, localcontext
from typing import Any

from mockserver.chain.addresses import checksum_of
from mockserver.chain.base58 import base58_encode
from mockserver.domain.chains import ledger
from mockserver.domain.chains.tokens import standards
from mockserver.domain.chains.tokens.holdings import CallReverted, Token, balance_of
from mockserver.errors import wrong_field
from mockserver.funding.chains import EXACT, Asset, exchange, price, read_asset
from mockserver.kernel.machine import Machine, Transition
from mockserver.kernel.timers import Timer
from mockserver.state.funding import FundingMethod, FundingSession, MethodKind
from mockserver.state.project import Project

KIND = "funding_session"
LIFETIME_MS = 24 * 3600 * 1000

LIFECYCLE = Machine(
    "Funding session",
    initial=["requires_payment_method"],
    terminal=["succeeded", "bounced", "expired"],
    undoing=["pay_late"],
    transitions=[
        Transition("requires_payment_method", "choose", "waiting_payment"),
        Transition("waiting_payment", "choose", "waiting_payment"),
        *(
            Transition(state, event, target)
            for state in ("requires_payment_method", "waiting_payment")
            for event, target in (("pay", "processing"), ("expire", "expired"))
        ),
        Transition("expired", "pay_late", "processing"),
        Transition("processing", "succeed", "succeeded"),
        Transition("processing", "bounce", "bounced"),
    ],
)

_MOST = 2**128


def choose(
    project: Project, row: FundingSession, kind: MethodKind, source: Asset, amount: str
) -> FundingSession:
    """Set from where a session is to be paid, and make the address that takes the payment."""
    derived = project.entropy.derive(f"funding/{row.id}/{source.chain.id}")
    receiver = base58_encode(derived) if kind == "solana" else checksum_of(derived[:20])
    method = FundingMethod(
        kind=kind,
        chain=source.chain.id,
        currency=source.currency.address,
        amount=amount,
        receiver=receiver,
        uri=_payment_uri(source, receiver, amount),
        minimum=str(_minimum(project, source)),
    )
    return _move(project, row._replace(method=method), "choose")


def _payment_uri(source: Asset, receiver: str, amount: str) -> str:
    chain, currency = source
    if chain.kind == "solana":
        token = "" if currency.native else f"&spl-token={currency.address}"
        with localcontext(EXACT):
            whole = Decimal(amount).scaleb(-currency.decimals)
        return f"solana:{receiver}?amount={whole:f}{token}"
    if currency.native:
        return f"ethereum:{receiver}@{chain.chain_id}?value={amount}"
    return f"ethereum:{currency.address}@{chain.chain_id}/transfer?address={receiver}&uint256={amount}"


def _minimum(project: Project, source: Asset) -> int:
    """A dollar's worth."""
    return max(1, int((1 / price(project, source)).scaleb(source.currency.decimals)))


def can_be_paid(row: FundingSession) -> bool:
    """Whether a payment would be taken, be it late."""
    return not {(row.status, "pay"), (row.status, "pay_late")}.isdisjoint(LIFECYCLE.targets)


def due(project: Project, row: FundingSession, source: Asset) -> int | None:
    """What is to be paid in a currency; None where the sender chooses."""
    if row.method is not None and source == source_of(project, row):
        return int(row.method.amount)
    return None if row.amount is None else exchange(project, int(row.amount), target_of(project, row), source)


def pay(
    project: Project, row: FundingSession, source: Asset, amount: int, *, bounces: bool
) -> FundingSession:
    """Pay a session that can be paid. Too little bounces, and what is late for an address of one payment."""
    arriving = exchange(project, amount, source, target_of(project, row))
    if arriving >= _MOST:
        raise wrong_field("amount", "is more than can arrive: less than 2^128")
    least = _minimum(project, source)
    if row.amount is not None:
        least, arriving = due(project, row, source) or 0, int(row.amount)
    is_late = row.status == "expired"
    bounces = bounces or amount < least or (is_late and row.strict)
    project.timers.cancel(KIND, row.id)
    row = _move(
        project, row._replace(arriving=None if bounces else arriving), "pay_late" if is_late else "pay"
    )
    delay_ms = project.settings.transaction_confirms_after_ms
    if not delay_ms:
        return _settle(project, row)
    project.timers.set(project.clock.now_ms + delay_ms, KIND, row.id, "settle")
    return row


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Let a session expire, or its payment arrive."""
    row = project.funding.sessions.get(timer.row_id)
    if row is None:
        return None
    moved = _move(project, row, "expire") if timer.event == "expire" else _settle(project, row)
    return row.status, moved.status


def _settle(project: Project, row: FundingSession) -> FundingSession:
    has_arrived = row.arriving is not None and _credit(project, row, row.arriving)
    return _move(project, row, "succeed" if has_arrived else "bounce")


def _credit(project: Project, row: FundingSession, amount: int) -> bool:
    """Issue what arrives to the target's address; whether it takes it. Solana has no balances here."""
    chain, currency = target_of(project, row)
    if chain.kind == "solana":
        return True
    token = Token(project, chain.chain_id, currency.address)
    try:
        if currency.native:
            held = ledger.chain_account(project, chain.chain_id, row.address).balance
            ledger.set_balance(project, chain.chain_id, row.address, held + amount)
        else:
            standards.set_token_balance(token, row.address, balance_of(token, row.address) + amount, None)
    except (ValueError, CallReverted):
        return False
    return True


def target_of(project: Project, row: FundingSession) -> Asset:
    """The currency that is to arrive."""
    return read_asset(project, row.chain, row.currency, "target")


def source_of(project: Project, row: FundingSession) -> Asset:
    """The currency that is to be sent: without a payment method, the one that is to arrive."""
    if row.method is None:
        return target_of(project, row)
    return read_asset(project, row.method.chain, row.method.currency, "source")


def _move(project: Project, row: FundingSession, event: str) -> FundingSession:
    status: Any = LIFECYCLE.targets[row.status, event]
    return project.funding.sessions.replace(row._replace(status=status))
